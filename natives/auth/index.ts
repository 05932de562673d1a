import { ModuleState } from '../../vm/calls/modulestate.js';
import { Errors, fail, Signal } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { toText } from '../../vm/values/text/text.js';
import { Float, type Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { functions, type Int, type Num } from '../core/declare.js';
import { inSeconds, type DurationValue } from '../core/dates/duration.js';
import { SafeHtml } from '../web/pages/safehtml.js';
import { currentRequest } from '../web/request/current.js';
import type { Request } from '../web/request/request.js';
import { refusalTo } from '../web/response/refusals.js';
import { sessionOf } from '../web/sessions/saving.js';
import { basicAuthOk } from './basic.js';
import { csrfCheck, csrfToken, type SessionData } from './csrf.js';
import { jwt } from './jwt.js';
import { oidcNatives } from './oidc.js';
import { hashPassword, needsRehash, verifyPassword } from './password.js';
import { rateLimit, requireRate } from './ratelimit.js';
import { createToken, verifyText, verifyToken } from './token.js';

/** Whether the warning of an empty secret was printed. */
const WARNED = new ModuleState(() => false);

/** Warns once about a missing secret: it refuses every token, and the operator should learn why. */
function warnOfEmptySecret(vm: NativeContext, name: string, secret: string | null): void {
  if ((secret !== null && secret !== '') || WARNED.of(vm)) return;
  WARNED.set(vm, true);
  vm.host.stderr(`warning: ${name}() was given no secret, so every token is refused\n`);
}

function verify(vm: NativeContext, request: Request, secret: string | null): Value {
  warnOfEmptySecret(vm, 'auth_token_verify', secret);
  return verifyToken(request, secret, vm.host.wallClock());
}

function verifyGiven(vm: NativeContext, token: string | null, secret: string | null): Value {
  warnOfEmptySecret(vm, 'auth_token_verify_text', secret);
  return verifyText(token, secret, vm.host.wallClock());
}

/** Latest time that a Date can represent, in milliseconds. */
const LAST_TIME = 8.64e15;

function create(
  vm: NativeContext,
  subject: string | Int | null,
  secret: string | null,
  given: Num | DurationValue | null,
): string {
  const time = inSeconds(given);
  if (time === null) return createToken(subject, secret, null);
  const seconds = time instanceof Float ? time.n : Number(time);
  const expires = Math.ceil(vm.host.wallClock() + seconds * 1000);
  if (!(seconds > 0 && expires <= LAST_TIME))
    fail(
      Errors.ArgumentError,
      `auth_token_create(): expires_in must be more than 0 seconds, and no more than a Date can hold, got ${toText(time)}`,
    );
  return createToken(subject, secret, expires);
}

function required(vm: NativeContext, request: Request, secret: string | null): Value {
  warnOfEmptySecret(vm, 'bearer_required', secret);
  const subject = verifyToken(request, secret, vm.host.wallClock());
  if (subject !== null) return subject;
  const response = refusalTo(request, 401, 'Unauthorized');
  response.addField('WWW-Authenticate', 'Bearer');
  throw new Signal('halt', response);
}

/** Continues with a session: the given one, or that of `request` or of the request that the thread answers. */
function withSession(
  vm: NativeContext,
  what: string,
  request: Request | null,
  session: SessionData | null,
  then: (session: SessionData) => Value,
): Value | undefined {
  if (session !== null) return then(session);
  return sessionOf(vm, request ?? currentRequest(vm, what), what, then);
}

function requireOwnOrigin(request: Request, session: SessionData): null {
  if (csrfCheck(request, session)) return null;
  throw new Signal('halt', refusalTo(request, 403, 'Forbidden'));
}

/** The module `svcauth`; see docs/auth.md. */
// prettier-ignore
export const auth: readonly NativeFunction[] = functions([
  ['basic_auth_ok?', 'req: SvcRequest, expected_user: String?, expected_pass: String?', 'Boolean', 'Whether the Basic credentials of a request are the expected ones; an expected nil never matches.', (_: unknown, request: Request, user: string | null, password: string | null) => basicAuthOk(request, user, password)],
  ['auth_token_create', 'subject: String|Integer?, secret: String?, expires_in: Number|Duration? = nil', 'String', 'A Bearer token for a subject, signed with a secret; anyone can read it, but nobody without the secret can change it. With `expires_in`, in seconds or as Duration, it is valid for this time.', create],
  ['auth_token_verify', 'req: SvcRequest, secret: String?', 'String?', 'The subject of a request’s Bearer token, or nil when there is none with the right signature, or it has expired.', verify],
  ['auth_token_verify_text', 'token: String?, secret: String?', 'String?', 'The subject of a token, or nil when its signature is wrong or it has expired.', verifyGiven],
  ['bearer_required', 'req: SvcRequest, secret: String?', 'String', 'The subject of a request’s Bearer token; without a valid one it halts with 401 Unauthorized.', required],
  ['password_hash', 'password: String', 'String', 'The text to store in place of a password. Only the calling thread waits.', hashPassword],
  ['password_verify', 'password: String?, hash: String?', 'Boolean', 'Whether a password matches a hash; false for a nil hash, after the same time, and for an invalid hash.', verifyPassword],
  ['password_needs_rehash?', 'hash: String?', 'Boolean', 'Whether a hash is weaker than new ones of password_hash.', (_: unknown, hash: string | null) => needsRehash(hash)],
  ['csrf_token', 'session: SvcSession? = nil', 'String', 'A token for the forms of a session, by default that of the request; a different text each time. A session of `session()` must then be saved.', (vm: NativeContext, session: SessionData | null) => withSession(vm, 'csrf_token()', null, session, csrfToken)],
  ['csrf_field', 'session: SvcSession? = nil', 'SafeHtml', 'A hidden field with a `csrf_token`, for a form.', (vm: NativeContext, session: SessionData | null) => withSession(vm, 'csrf_field()', null, session, (found) => new SafeHtml(`<input type="hidden" name="_csrf" value="${csrfToken(found)}">`))],
  ['csrf_check', 'req: SvcRequest, session: SvcSession? = nil', 'Boolean', 'Whether a request changes nothing or comes from a page of this application; `session` is by default `req.session`.', (vm: NativeContext, request: Request, session: SessionData | null) => withSession(vm, 'csrf_check()', request, session, (found) => csrfCheck(request, found))],
  ['csrf_required', 'req: SvcRequest, session: SvcSession? = nil', 'Nil', 'Halts with 403 Forbidden when csrf_check is false.', (vm: NativeContext, request: Request, session: SessionData | null) => withSession(vm, 'csrf_required()', request, session, (found) => requireOwnOrigin(request, found))],
  ['rate_limit', 'key: String|Integer, max: Integer, window: Number|Duration, store: KeyStore? = nil', 'Boolean', 'Counts a call; returns whether the key had at most `max` calls in its window of `window` seconds, or a Duration. With a `store` all processes that share it count together.', rateLimit],
  ['rate_limit_required', 'key: String|Integer, max: Integer, window: Number|Duration, store: KeyStore? = nil', 'Nil', 'Counts a call as `rate_limit` does; halts with 429 Too Many Requests and Retry-After when there are too many.', requireRate],
]).concat(jwt, oidcNatives);

/** Defines `svcauth` in a VM. */
export function installAuth(vm: NativeContext): void {
  vm.define(auth);
}
