import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Request } from './request.js';

/**
 * The request that the running thread answers; threads that it starts belong to the request too.
 * @param what the native that needs it, for the message
 * @throws RuntimeError outside of a request
 */
export function currentRequest(vm: NativeContext, what: string): Request {
  const context = vm.scheduler.current?.context;
  if (context instanceof Request) return context;
  return fail(
    Errors.RuntimeError,
    `${what} needs a request: call it in a handler, or in a function that a handler calls`,
  );
}
