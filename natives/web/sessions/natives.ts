import { methods, native } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Hash } from '../../../vm/values/hash.js';
import { ownMethod } from '../../../vm/values/structured.js';
import { inspect } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { inSeconds } from '../../core/dates/duration.js';
import { APP, type App } from '../app/app.js';
import { currentRequest } from '../request/current.js';
import { REQUEST, type Request } from '../request/request.js';
import { keyOf } from './handle.js';
import { SessionPolicy } from './policy.js';
import { sessionOf } from './saving.js';

/** Raises an ArgumentError about `app.sessions`. */
function refuse(problem: string): never {
  return fail(Errors.ArgumentError, `SvcApp.sessions(): ${problem}`);
}

function secretsOf(given: Value): string[] {
  const secrets = Array.isArray(given) ? given : [given];
  if (secrets.length === 0) refuse('secret: needs at least one secret');
  for (const secret of secrets)
    if (secret === null || secret === '')
      refuse('a secret is missing; take a long random text from the environment: secret: env("SESSION_SECRET")');
    else if (typeof secret !== 'string') refuse(`a secret must be a String, got ${typeName(secret)}`);
  return secrets as string[];
}

function secureOf(given: Value): boolean | 'auto' {
  return given === 'auto' || typeof given === 'boolean'
    ? given
    : refuse(`secure: must be true, false or "auto", got ${inspect(given)}`);
}

/** Maximum seconds: browsers limit cookies to 400 days. */
const MAX_AGE = 400 * 24 * 60 * 60;

function maxAgeOf(given: Value): number | null {
  const seconds = inSeconds(given);
  if (seconds === null || (typeof seconds === 'number' && seconds >= 1 && seconds <= MAX_AGE)) return seconds;
  return refuse(`max_age: must be a Duration or whole seconds from 1 to 400 days, or nil, got ${inspect(given)}`);
}

const STORE_METHODS = ['get', 'set', 'delete'];

function storeOf(vm: NativeContext, given: Value): Value {
  if (given === null) return null;
  for (const name of STORE_METHODS) {
    const field = given instanceof Hash ? given.get(name) : undefined;
    const isMethod = given instanceof Hash ? field !== undefined : hasMethod(vm, given, name);
    if (!isMethod)
      refuse(
        `store: needs the methods get(id), set(id, hash, seconds) and delete(id); ${typeName(given)} has no ${name}`,
      );
  }
  return given;
}

function hasMethod(vm: NativeContext, value: Value, name: string): boolean {
  return ownMethod(value, name) !== undefined || vm.methods.find(value, name) !== undefined;
}

function enable(
  vm: NativeContext,
  app: App,
  secret: Value,
  secure: Value,
  maxAge: Value,
  name: string,
  sameSite: string,
  domain: string | null,
  path: string,
  store: Value,
  encrypt: boolean,
): void {
  app.sessions = new SessionPolicy({
    secrets: secretsOf(secret),
    encrypt,
    name,
    path,
    domain,
    sameSite,
    secure: secureOf(secure),
    maxAge: maxAgeOf(maxAge),
    store: storeOf(vm, store),
  });
  app.sockets.sessions = app.sessions;
}

/** `app.sessions`, `req.session`, and messages for the next page. */
// prettier-ignore
export const appSessionNatives: NativeFunction[] = [
  native('flash', 'name: Any, message: Any', 'Nil', 'Keeps a message in the session for the next page that shows it, after a redirect too.', (vm: NativeContext, name: Value, message: Value) => sessionOf(vm, currentRequest(vm, 'flash()'), 'flash()', (session) => { session.flash(keyOf(name), message); return null; })),
  native('flash_message', 'name: Any', 'Any', 'The message kept by `flash` under this name, which is forgotten after this request; nil without one.', (vm: NativeContext, name: Value) => sessionOf(vm, currentRequest(vm, 'flash_message()'), 'flash_message()', (session) => session.takeFlash(keyOf(name)))),
  ...methods('SvcApp', [
    ['sessions', 'secret: Any, secure: Any = "auto", max_age: Any = 2592000, name: String = "session", same_site: String = "Lax", domain: String? = nil, path: String = "/", store: Any = nil, encrypt: Boolean = false', 'Nil', 'Gives each request a session, `req.session`, that is saved by itself when it has changed.', enable],
  ]),
  ...methods('SvcRequest', [
    ['session', '', 'SvcSession', 'The session of the client, which is saved with the answer when it has changed; RuntimeError without `app.sessions`.', (vm: NativeContext, req: Request) => sessionOf(vm, req, 'req.session', (session) => session)],
  ]),
];
for (const fn of appSessionNatives)
  if (fn.owner !== '') (fn.owner === 'SvcApp' ? APP : REQUEST).methods.set(fn.name, fn);
