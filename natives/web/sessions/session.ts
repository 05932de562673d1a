import { native } from '../../../vm/calls/native.js';
import { Errors, fail, SvcError } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import { isLarge } from '../../../vm/values/weight.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { savedAt } from '../request/savedsession.js';
import { methodsOf } from '../../core/declare.js';
import { encodeJson } from '../../core/json/encode.js';
import { parseJson } from '../../core/json/jsonparse.js';
import { encodeCookieValue, MAX_COOKIE } from '../../http/cookies.js';
import type { Request } from '../request/request.js';
import type { Response } from '../response/response.js';
import { AppSession } from './appsession.js';
import {
  decodeSessionValue,
  findSessionCookie,
  PLAIN,
  sealed,
  SESSION_COOKIE,
  type SessionCodec,
  signed,
} from './cookie.js';
import { keyOf, SESSION, SessionHandle } from './handle.js';
import { destroyStored, openStored, saveStored } from './storedsession.js';

/** A session of `session(req)`, which the program saves itself. */
class Session extends SessionHandle {
  constructor(
    readonly request: Request,
    readonly response: Response | null,
    readonly codec: SessionCodec,
    data: Hash,
  ) {
    super(data);
  }
}

/** Parses a JSON object; returns an empty hash for anything else. */
function objectOf(json: string | null): Hash {
  if (json === null) return new Hash();
  try {
    const value = parseJson(json);
    return value instanceof Hash ? value : new Hash();
  } catch (error) {
    if (error instanceof SvcError) return new Hash();
    throw error;
  }
}

/** The session sent by the client. Never an error: the client may change its cookies. */
function received(request: Request, codec: SessionCodec): Hash {
  const sent = findSessionCookie(request.header('cookie') ?? '');
  const value = sent === null ? null : decodeSessionValue(sent);
  return objectOf(value === null ? null : codec.unwrap(value));
}

function codecFor(secret: string | null, encrypt: boolean): SessionCodec {
  if (secret === '') fail(Errors.ArgumentError, 'session(): secret must not be empty');
  if (secret === null) return encrypt ? fail(Errors.ArgumentError, 'session(): encrypt: true needs a secret:') : PLAIN;
  return encrypt ? sealed(secret) : signed(secret);
}

function set(session: SessionHandle, key: Value, value: Value): void {
  session.change();
  session.data.set(keyOf(key), value);
}

function remove(session: SessionHandle, key: Value): Value {
  session.change();
  return session.data.delete(keyOf(key)) ?? null;
}

function clear(session: SessionHandle): void {
  session.change();
  session.data.clear();
}

function open(
  vm: NativeContext,
  request: Request,
  response: Response | null,
  secret: string | null,
  encrypt: boolean,
  store: Value,
): Value | undefined {
  if (store !== null) return openStored(vm, request, response, { secret, encrypt, store });
  const codec = codecFor(secret, encrypt);
  // A session saved on this response by an inner layer is newer than the client's.
  const saved = request.sessions?.findLast(
    (session) => session.json !== null && (response === null || session.response === response),
  );
  return new Session(request, response, codec, saved === undefined ? received(request, codec) : objectOf(saved.json));
}

function save(vm: NativeContext, session: SessionHandle, given: Response | null): Value | undefined {
  if (session instanceof AppSession) return saveStored(vm, session, given);
  if (!(session instanceof Session)) return null;
  const { request, response: own, codec, data } = session;
  const response =
    given ??
    own ??
    fail(Errors.ArgumentError, 'save() needs the response that takes the cookie: session(req, res), or save(res)');
  if (isLarge(data))
    fail(
      Errors.ValueError,
      'the session contains itself, or its JSON is too large for a cookie; store an identifier in it and the data elsewhere',
    );
  const json = encodeJson(data);
  const value = encodeCookieValue(codec.wrap(json));
  const bytes = SESSION_COOKIE.length + value.length;
  if (bytes > MAX_COOKIE)
    fail(
      Errors.ValueError,
      `the session takes ${bytes} bytes as a cookie, but browsers keep at most ${MAX_COOKIE}; store an identifier in it and the data elsewhere`,
    );
  response.setCookie(SESSION_COOKIE, `${SESSION_COOKIE}=${value}; Path=/; SameSite=Lax; HttpOnly`);
  (request.sessions ??= []).push({ response, json, place: savedAt(vm) });
  return null;
}

function fetch({ data }: SessionHandle, key: Value, rest: Value[]): Value {
  if (rest.length > 1) fail(Errors.ArgumentError, `SvcSession.fetch() takes 1..2 arguments, got ${rest.length + 1}`);
  const value = data.get(keyOf(key));
  if (value !== undefined) return value;
  return rest.length === 0 ? fail(Errors.KeyError, `the session has no key ${inspect(keyOf(key))}`) : rest[0];
}

function ownSession(session: SessionHandle, name: string): AppSession {
  if (session instanceof AppSession) return session;
  return fail(
    Errors.RuntimeError,
    `${name} is for sessions of app.sessions() and for those in a store; clear and save end this one`,
  );
}

/** `session` and the methods of SvcSession. */
// prettier-ignore
export const sessionNatives: NativeFunction[] = [
  native('session', 'req: SvcRequest, resp: SvcResponse? = nil, secret: String? = nil, encrypt: Boolean = false, store: Any = nil', 'SvcSession', 'The session of a request; `save` puts it on the response. With a secret the cookie is signed, with `encrypt` sealed; without one clients can change it. With a `store`, such as `key_store`, the contents are there, and the cookie has a random identifier. ArgumentError for an empty secret, and for a store without one.', open),
  ...methodsOf('SvcSession', [
    ['[]', 'key: Any', 'Any', 'The value of a key; nil when it is missing.', (_vm, { data }: SessionHandle, key: Value) => data.get(keyOf(key)) ?? null],
    ['[]=', 'key: Any, value: Any', 'Any', 'Sets a value.', (_vm, session: SessionHandle, key: Value, value: Value) => set(session, key, value)],
    ['has_key?', 'key: Any', 'Boolean', 'Whether a key exists.', (_vm, { data }: SessionHandle, key: Value) => data.has(keyOf(key))],
    ['keys', '', 'Vector', 'All keys.', (_vm, { data }: SessionHandle) => data.keys()],
    ['values', '', 'Vector', 'All values.', (_vm, { data }: SessionHandle) => data.values()],
    ['size', '', 'Integer', 'Number of keys.', (_vm, { data }: SessionHandle) => data.size],
    ['empty?', '', 'Boolean', 'Whether there are no keys.', (_vm, { data }: SessionHandle) => data.size === 0],
    ['fetch', 'key: Any, *default: Any', 'Any', 'The value of a key, or the default; KeyError when neither exists.', (_vm, session: SessionHandle, key: Value, rest: Value[]) => fetch(session, key, rest)],
    ['to_h', '', 'Hash', 'Keys and values as a new hash.', (_vm, { data }: SessionHandle) => data.copy()],
    ['delete', 'key: Any', 'Any', 'Removes a key and returns its value; nil if it was missing.', (_vm, session: SessionHandle, key: Value) => remove(session, key)],
    ['clear', '', 'Nil', 'Removes all keys.', (_vm, session: SessionHandle) => clear(session)],
    ['each', '', 'Vector', 'The pairs of keys and values. With a block it iterates over them.', (_vm, session: SessionHandle) => session.items()],
    ['save', 'resp: SvcResponse? = nil', 'Nil', 'Writes the cookie to the response, by default that passed to `session`. Call it before the response is returned. `req.session` is saved without it. ArgumentError without a response, and for contents that no cookie can hold.', save],
    ['renew', '', 'Nil', 'Gives `req.session`, or a session in a store, a new identifier and cookie. Call it when somebody logs in.', (_vm, session: SessionHandle) => ownSession(session, 'renew').renew()],
    ['destroy', '', 'Nil', 'Ends `req.session`, or a session in a store: removes its values, its cookie and its entry in the store. That of `session()` is removed at once.', (vm: NativeContext, session: SessionHandle) => destroyStored(vm, ownSession(session, 'destroy'))],
  ]),
];
for (const fn of sessionNatives) if (fn.owner !== '') SESSION.methods.set(fn.name, fn);
