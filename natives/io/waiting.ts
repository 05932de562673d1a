import { Errors, fail, SvcError, errorOf } from '../../vm/values/error.js';
import { floatText } from '../../vm/values/text/text.js';
import { Float, type Value } from '../../vm/values/value.js';
import { Acquisition, type EndedBy } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { WaitStart } from '../../vm/fibers/scheduler.js';
import { noteTransfer } from '../../vm/watch/quiet.js';
import { inSeconds, type DurationValue } from '../core/dates/duration.js';
import type { Num } from '../core/declare.js';

/**
 * An operation outside the VM. It should end soon after `signal` is aborted, since its result is then no longer needed.
 */
export type Operation = (signal: AbortSignal) => Promise<Value>;

/** Particulars of a wait. */
export interface Particulars {
  /** Who ends it. */
  readonly endedBy?: EndedBy;
  /** What the message of its TimeoutError names. */
  readonly about?: string;
  /** Called with a result that the thread does not receive, because it was ended just before. */
  readonly returned?: (value: Value) => void;
}

/**
 * For natives: waits for an operation; return the result of this call. The operation is aborted when the thread is
 * cancelled or the timeout expires.
 * @param what names in a word what the thread waits for
 * @param given seconds or a duration after which TimeoutError is raised; nil waits for ever
 */
export function waitForOperation(
  vm: NativeContext,
  what: string,
  operation: Operation,
  given: Num | DurationValue | null = null,
  { endedBy, about, returned }: Particulars = {},
): undefined {
  const seconds = inSeconds(given);
  const limit = seconds === null ? null : milliseconds(seconds);
  const start: WaitStart = (resume, failed) => {
    const controller = vm.controller();
    const stop = (): void => {
      if (endedBy === 'loop') noteTransfer();
      controller.abort();
    };
    const timer =
      limit === null
        ? null
        : vm.timers.add(limit, () => {
            const detail = about === undefined ? '' : ` (${about})`;
            failed(errorOf(Errors.TimeoutError, `timed out after ${secondsText(seconds as Num)}s${detail}`));
            stop();
          });
    const settle = (): void => {
      if (timer !== null) vm.timers.cancel(timer);
    };
    operation(controller.signal).then(
      (value) => {
        settle();
        resume(value);
      },
      (error: unknown) => {
        settle();
        if (error instanceof SvcError) failed(error);
        else if (!controller.signal.aborted) throw error;
      },
    );
    const cancel = (): void => {
      settle();
      stop();
    };
    return returned === undefined ? cancel : new Acquisition(cancel, returned);
  };
  return vm.wait(what, start, endedBy);
}

/** Milliseconds of a timeout. @throws ArgumentError unless it is above 0 */
export function milliseconds(seconds: Num): number {
  const n = seconds instanceof Float ? seconds.n : Number(seconds);
  if (!(n > 0)) fail(Errors.ArgumentError, `timeout must be more than 0 seconds, got ${secondsText(seconds)}`);
  return n * 1000;
}

function secondsText(seconds: Num): string {
  return seconds instanceof Float ? floatText(seconds.n) : String(seconds);
}
