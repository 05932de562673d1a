/** Sessions of `session(req, store: …)`: their contents are in a store, and the program saves them. */
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import { savedAt } from '../request/savedsession.js';
import type { Request } from '../request/request.js';
import type { Response } from '../response/response.js';
import type { AppSession } from './appsession.js';
import { SESSION_COOKIE } from './cookie.js';
import { SessionPolicy } from './policy.js';
import { findSession, saveNow } from './saving.js';

/** The sessions of each request: calls for the same store and secret share one. */
const opened = new WeakMap<Request, AppSession[]>();

/** How the program keeps a session. */
export interface Keeping {
  readonly secret: string | null;
  readonly encrypt: boolean;
  readonly store: Value;
}

function isFor({ policy: { options } }: AppSession, { secret, encrypt, store }: Keeping): boolean {
  return options.store === store && options.secrets[0] === secret && options.encrypt === encrypt;
}

/** The session of a request in a store, which it is read from. @throws ArgumentError without a secret */
export function openStored(
  vm: NativeContext,
  request: Request,
  response: Response | null,
  keeping: Keeping,
): Value | undefined {
  const { secret, encrypt, store } = keeping;
  if (secret === null || secret === '')
    return fail(Errors.ArgumentError, 'session(): store: needs a secret:, which signs the cookie');
  const known = opened.get(request)?.find((session) => isFor(session, keeping));
  if (known !== undefined) return shown(known, request, response);
  const policy = new SessionPolicy({
    ...{ secrets: [secret], encrypt, name: SESSION_COOKIE, path: '/', domain: null },
    ...{ sameSite: 'Lax', secure: 'auto', maxAge: null, store },
  });
  return findSession(vm, policy, request.header('cookie'), (found) => {
    opened.set(request, [...(opened.get(request) ?? []), found]);
    return shown(found, request, response);
  });
}

function shown(session: AppSession, request: Request, response: Response | null): AppSession {
  session.savedBy = { request, response: response ?? session.savedBy?.response ?? null };
  return session;
}

/** `save`: puts the cookie on the given response, or on that of `session`. @throws ArgumentError without a response */
export function saveStored(vm: NativeContext, session: AppSession, given: Response | null): Value | undefined {
  const { savedBy } = session;
  if (savedBy === null) return null;
  const response =
    given ??
    savedBy.response ??
    fail(Errors.ArgumentError, 'save() needs the response that takes the cookie: session(req, res, …), or save(res)');
  (savedBy.request.sessions ??= []).push({ response, json: null, place: savedAt(vm) });
  return saveNow(vm, session, savedBy.request, response);
}

/** `destroy`: the store forgets the session at once. */
export function destroyStored(vm: NativeContext, session: AppSession): Value | undefined {
  session.destroy();
  const { savedBy } = session;
  return savedBy === null ? null : saveNow(vm, session, savedBy.request, savedBy.response);
}
