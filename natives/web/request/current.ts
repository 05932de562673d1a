import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Request } from './request.js';

/** The request that the running thread answers; threads that it starts belong to the request too. null outside of requests. */
export function requestOf(vm: NativeContext): Request | null {
  const context = vm.scheduler.current?.context;
  return context instanceof Request ? context : null;
}

/**
 * As `requestOf`.
 * @param what the native that needs it, for the message
 * @throws RuntimeError outside of a request
 */
export function currentRequest(vm: NativeContext, what: string): Request {
  return (
    requestOf(vm) ??
    fail(Errors.RuntimeError, `${what} needs a request: call it in a handler, or in a function that a handler calls`)
  );
}
