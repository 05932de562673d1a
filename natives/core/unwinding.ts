/** Natives that the compiler calls around `rescue` and `ensure`. */
import { Deadline, type Fiber } from '../../vm/fibers/fiber.js';
import { isUnstoppable, replaces } from '../../vm/fibers/signals.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { ErrorValue, Signal, SvcError } from '../../vm/values/error.js';
import { Internal, type Value } from '../../vm/values/value.js';

/** Records the error that was being handled when another was raised. */
export function caused(vm: NativeContext, error: Value, cause: Value): Value {
  const value = error instanceof ErrorValue ? error : vm.toError(error).value;
  if (cause instanceof ErrorValue) value.causedBy(cause);
  return value;
}

/** Sets the error that the running thread is handling, nil for none; returns the previous one. */
export function handling(vm: NativeContext, error: Value): Value {
  const before = vm.handling;
  if (error instanceof Ending) vm.handling = error.handling;
  else vm.handling = error instanceof ErrorValue ? error : null;
  return before;
}

/** What `%unwinding` returns during the unwinding of a signal. */
class Ending extends Internal {
  constructor(
    readonly signal: Signal,
    /** The error that was being handled. */
    readonly handling: ErrorValue | null,
  ) {
    super();
  }
}

/**
 * Runs in an `ensure`, whose selector is 0 during unwinding: marks the unwinding error as being handled. Returns the
 * previously handled one.
 */
export function unwinding(vm: NativeContext, selector: Value): Value {
  const thrown = vm.takeUnwinding();
  if (selector !== 0) return vm.handling;
  if (!(thrown instanceof Signal)) return handling(vm, thrown);
  return new Ending(thrown, vm.handling);
}

/**
 * Runs when an `ensure` that `%unwinding` began ends early: by a jump, or by an exception if its own `selector` is 0.
 * Returns whether the signal that was unwinding goes on instead.
 */
export function left(vm: NativeContext, before: Value, selector: Value): boolean {
  const thrown = selector === 0 ? vm.takeUnwinding() : null;
  handling(vm, before);
  if (!(before instanceof Ending)) return false;
  const { signal } = before;
  if (thrown instanceof Signal) return isOverruled(vm.scheduler.current!, thrown, signal);
  if (!isUnstoppable(signal)) return false;
  if (thrown !== null) noteError(vm, signal, thrown);
  return true;
}

/** Whether a signal that ends an `ensure` gives way to the one that was unwinding. */
function isOverruled(fiber: Fiber, thrown: Signal, unwinding: Signal): boolean {
  if (replaces(fiber, thrown, unwinding)) return false;
  // The end of a deadline's block is no longer due to the deadline.
  if (thrown.payload instanceof Deadline && thrown.payload !== unwinding.payload) thrown.payload.thrownAt = 0;
  return true;
}

/** An error that ends an `ensure` is the cause of the TimeoutError that follows; else it is reported. */
function noteError(vm: NativeContext, { payload }: Signal, error: ErrorValue): void {
  if (payload instanceof Deadline) payload.error ??= error;
  else vm.onUnhandled(vm.scheduler.current!, new SvcError(error));
}
