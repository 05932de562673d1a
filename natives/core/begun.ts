/** Operations that begin before a thread waits for them: nothing that ends the thread prevents or loses them. */
import { nativeLike, native } from '../../vm/calls/native.js';
import { isEnding } from '../../vm/fibers/signals.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { SvcError } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import type { Value } from '../../vm/values/value.js';

/** Milliseconds that a thread which is ended waits for what undoes its work. */
const LATE_MS = 500;

const WAIT = native('wait', '', 'Any', 'Waits for an operation that has begun.', () => null);

/** Notes an operation that no thread waits for: meanwhile a virtual clock stands still. */
export function unattended(vm: NativeContext, operation: Promise<unknown>): void {
  const { scheduler, host } = vm;
  scheduler.unattended++;
  const ended = (): void => {
    scheduler.unattended--;
    // Nobody may run any more: a virtual clock advances now, and threads that wait for each other are a deadlock.
    host.defer(() => scheduler.isQuiet && scheduler.onQuiet());
  };
  operation.then(ended, ended);
}

/**
 * A native that waits for an operation which has begun, and returns nil. Call it with `callThen`.
 * @param what names in a word what the thread waits for
 * @param errorFor makes an error of a rejection
 */
export function waitingFor(
  what: string,
  operation: Promise<unknown>,
  errorFor: (error: unknown) => SvcError,
): NativeFunction {
  // The thread may end before it waits.
  operation.catch(() => {});
  return nativeLike(WAIT, (vm: NativeContext): Value | undefined =>
    vm.wait(what, (resume, failed) => {
      operation.then(
        () => resume(null),
        (error: unknown) => failed(errorFor(error)),
      );
      return () => unattended(vm, operation);
    }),
  );
}

/**
 * What a thread waits for that leaves a block, while an operation undoes what the block did. A thread whose time is over,
 * or that was cancelled, goes on soon, also if a server hangs and the operation does not end.
 * @param late called if the thread waits no longer
 */
export function briefly(vm: NativeContext, operation: Promise<void>, late?: () => void): Promise<void> {
  const { current } = vm.scheduler;
  if (current === null || !isEnding(current)) return operation;
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      unattended(vm, operation);
      late?.();
      resolve();
    }, LATE_MS);
    const ended = (): void => {
      clearTimeout(timer);
      resolve();
    };
    operation.then(ended, ended);
  });
}
