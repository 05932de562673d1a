import { afterwards, native, nativeLike } from '../../../vm/calls/native.js';
import type { Requests } from '../../../vm/calls/caller.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import type { Hash } from '../../../vm/values/hash.js';
import { RecordType } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { withForms } from '../../core/json/forms.js';
import { vary } from '../extras/vary.js';
import type { Request } from '../request/request.js';
import type { Response } from '../response/response.js';
import { ANSWERED, AppSession } from './appsession.js';
import type { SessionPolicy } from './policy.js';

// Templates of the functions created for each call.
const STORE = native('session store', '', 'Any', 'Calls the store of sessions.', () => null);

/** The session of a request, if its application has them. */
export class SessionSlot {
  /** null until the program asks for it. */
  session: AppSession | null = null;
  /** Whether the answer has been sent: a session that is found later cannot be changed. */
  isAnswered = false;

  constructor(readonly policy: SessionPolicy) {}
}

function slotOf({ sessionSlot }: Request): SessionSlot | null {
  return sessionSlot instanceof SessionSlot ? sessionSlot : null;
}

/** Whether sessions are kept in a store, which a thread has to call. */
function hasStore(policy: SessionPolicy | null): boolean {
  return policy !== null && policy.options.store !== null;
}

/** Whether the thread of a request saves its session: it calls the store, and records that have their own JSON form. */
export function savesInThread(policy: SessionPolicy | null): boolean {
  return hasStore(policy) || (policy !== null && RecordType.haveForms);
}

function storeCall(store: Value, method: string, args: Value[]): NativeFunction {
  return nativeLike(STORE, (vm: NativeContext) => vm.callMethod(store, method, args, null));
}

/** Finds the session in a Cookie header, which may call the store, and continues with it. */
export function findSession(
  vm: NativeContext,
  policy: SessionPolicy,
  header: string | null,
  then: (session: AppSession) => Value | undefined,
): Value | undefined {
  const sent = policy.read(header ?? '', vm.host.wallClock());
  if (sent === null || !hasStore(policy)) return then(AppSession.fromCookie(policy, sent));
  const find = storeCall(policy.options.store, 'get', [sent.content]);
  return vm.callThen(find, [], { done: (value) => then(AppSession.fromStore(policy, sent, value)) });
}

/** Continues with the session of a request. `what` names the caller in messages. @throws RuntimeError without `app.sessions` */
export function sessionOf(
  vm: NativeContext,
  request: Request,
  what: string,
  then: (session: AppSession) => Value | undefined,
): Value | undefined {
  const slot = slotOf(request);
  if (slot === null)
    return fail(
      Errors.RuntimeError,
      request.levels.some(({ level }) => (level.sessions ?? null) !== null)
        ? `${what} needs sessions of the application that runs; those of a mounted application do not count: call app.sessions(secret: …) of the outer one`
        : `${what} needs sessions: call app.sessions(secret: env("SESSION_SECRET")) before app.run`,
    );
  if (slot.session !== null) return then(slot.session);
  // Another thread of the request may have found it in the meantime.
  return findSession(vm, slot.policy, request.header('cookie'), (found) => {
    if (slot.isAnswered) found.closed ??= ANSWERED;
    return then((slot.session ??= found));
  });
}

/** In the thread of a request: saves its session, in the store if there is one, then continues. */
export function saveSession(vm: NativeContext, request: Request, then: () => Value | undefined): Value | undefined {
  const slot = slotOf(request);
  const session = slot?.session ?? null;
  if (slot === null || session === null) return then();
  return withForms(vm, session.data, (data) => {
    if (hasStore(slot.policy)) return store(vm, slot.policy, session, session.storeCalls(data as Hash), then);
    session.decide(data as Hash);
    return then();
  });
}

function store(
  vm: NativeContext,
  policy: SessionPolicy,
  session: AppSession,
  calls: ReturnType<AppSession['storeCalls']>,
  then: () => Value | undefined,
): Value | undefined {
  if (calls.length === 0) return then();
  const saving = (): undefined => vm.answering(requests(policy.options.store, session, calls));
  return afterwards(vm, saving, () => {
    session.stored();
    return then();
  });
}

function* requests(store: Value, session: AppSession, calls: ReturnType<AppSession['storeCalls']>): Requests {
  for (const [method, args] of calls) {
    const answer = yield { fn: storeCall(store, method, args), args: [] };
    if (method === 'replace' && answer === false) session.vanished();
  }
  return null;
}

/** Saves a session of `session(req, store: …)` in its store, and puts its cookie on a response, if there is one. */
export function saveNow(
  vm: NativeContext,
  session: AppSession,
  request: Request,
  response: Response | null,
): Value | undefined {
  return withForms(vm, session.data, (data) =>
    store(vm, session.policy, session, session.storeCalls(data as Hash), () => {
      const cookie = session.cookie(vm.host.wallClock(), request.isHttps);
      if (cookie !== null) response?.setCookie(session.name, cookie);
      return null;
    }),
  );
}

/** The response with the cookie of the request's session, if that has to be saved. @throws TypeError, ValueError */
export function withSession(vm: NativeContext, request: Request, response: Response): Response {
  const slot = slotOf(request);
  if (slot === null) return response;
  slot.isAnswered = true;
  const { session } = slot;
  if (session === null) return response;
  const copy = response.copy();
  // Caches must not show a page to other users.
  vary(copy, 'Cookie');
  const cookie = session.finish(vm.host.wallClock(), request.isHttps);
  if (cookie !== null) copy.setCookie(session.name, cookie);
  return copy;
}
