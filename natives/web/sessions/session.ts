import { native } from '../../../vm/calls/native.js';
import { Errors, ErrorValue, fail, SvcError } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect, toText } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { savedAt } from '../request/savedsession.js';
import { methodsOf } from '../../core/declare.js';
import { encodeJson } from '../../core/json/encode.js';
import { parseJson } from '../../core/json/jsonparse.js';
import { encodeCookieValue, MAX_COOKIE } from '../../http/cookies.js';
import type { Request } from '../request/request.js';
import type { Response } from '../response/response.js';
import {
  decodeSessionValue,
  findSessionCookie,
  PLAIN,
  sealed,
  SESSION_COOKIE,
  type SessionCodec,
  signed,
} from './cookie.js';

const SESSION = new HandleType('SvcSession');

/** A session as seen by programs: a hash whose keys are strings, as in JSON. */
class Session extends Handle {
  constructor(
    readonly request: Request,
    readonly response: Response | null,
    readonly codec: SessionCodec,
    readonly data: Hash,
  ) {
    super();
  }

  get type(): HandleType {
    return SESSION;
  }

  override items(): Value[] {
    return this.data.entries();
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

function open(
  _vm: NativeContext,
  request: Request,
  response: Response | null,
  secret: string | null,
  encrypt: boolean,
): Session {
  const codec = codecFor(secret, encrypt);
  // A session saved on this response by an inner layer is newer than the client's.
  const saved = request.sessions?.findLast((session) => response === null || session.response === response);
  return new Session(request, response, codec, saved === undefined ? received(request, codec) : objectOf(saved.json));
}

function save(vm: NativeContext, { request, response: own, codec, data }: Session, given: Response | null): void {
  const response =
    given ??
    own ??
    fail(Errors.ArgumentError, 'save() needs the response that takes the cookie: session(req, res), or save(res)');
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
}

/** Converts keys to strings at once, since they come back from the cookie as strings. */
function keyOf(key: Value): string {
  if (typeof key === 'object' && key !== null && !(key instanceof Float) && !(key instanceof ErrorValue))
    fail(Errors.TypeError, `a key of a session must be String, Integer, Float, Boolean or nil, got ${typeName(key)}`);
  return toText(key);
}

function fetch({ data }: Session, key: Value, rest: Value[]): Value {
  if (rest.length > 1) fail(Errors.ArgumentError, `SvcSession.fetch() takes 1..2 arguments, got ${rest.length + 1}`);
  const value = data.get(keyOf(key));
  if (value !== undefined) return value;
  return rest.length === 0 ? fail(Errors.KeyError, `the session has no key ${inspect(keyOf(key))}`) : rest[0];
}

/** `session` and the methods of SvcSession. */
// prettier-ignore
export const sessionNatives: NativeFunction[] = [
  native('session', 'req: SvcRequest, resp: SvcResponse? = nil, secret: String? = nil, encrypt: Boolean = false', 'SvcSession', 'The session of a request; `save` puts it on the response.', open),
  ...methodsOf('SvcSession', [
    ['[]', 'key: Any', 'Any', 'The value of a key; nil when it is missing.', (_vm, { data }: Session, key: Value) => data.get(keyOf(key)) ?? null],
    ['[]=', 'key: Any, value: Any', 'Any', 'Sets a value.', (_vm, { data }: Session, key: Value, value: Value) => { data.set(keyOf(key), value); }],
    ['has_key?', 'key: Any', 'Boolean', 'Whether a key exists.', (_vm, { data }: Session, key: Value) => data.has(keyOf(key))],
    ['keys', '', 'Vector', 'All keys.', (_vm, { data }: Session) => data.keys()],
    ['values', '', 'Vector', 'All values.', (_vm, { data }: Session) => data.values()],
    ['size', '', 'Integer', 'Number of keys.', (_vm, { data }: Session) => data.size],
    ['empty?', '', 'Boolean', 'Whether there are no keys.', (_vm, { data }: Session) => data.size === 0],
    ['fetch', 'key: Any, *default: Any', 'Any', 'The value of a key, or the default; KeyError when neither exists.', (_vm, session: Session, key: Value, rest: Value[]) => fetch(session, key, rest)],
    ['to_h', '', 'Hash', 'Keys and values as a new hash.', (_vm, { data }: Session) => data.copy()],
    ['delete', 'key: Any', 'Any', 'Removes a key and returns its value; nil if it was missing.', (_vm, { data }: Session, key: Value) => data.delete(keyOf(key)) ?? null],
    ['clear', '', 'Nil', 'Removes all keys.', (_vm, { data }: Session) => data.clear()],
    ['each', '', 'Vector', 'The pairs of keys and values. With a block it iterates over them.', (_vm, session: Session) => session.items()],
    ['save', 'resp: SvcResponse? = nil', 'Nil', 'Writes the cookie to the response, by default that passed to `session`. Call it before the response is returned.', save],
  ]),
];
for (const fn of sessionNatives) if (fn.owner !== '') SESSION.methods.set(fn.name, fn);
