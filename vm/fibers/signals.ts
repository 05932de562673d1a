/** Which of several signals ends a fiber, and what an `ensure` can do about it. */
import type { Signal } from '../values/error.js';
import { Deadline, type Fiber, nextMoment } from './fiber.js';

/** Signals that no jump out of an `ensure` and no error in it can stop. */
const UNSTOPPABLE: ReadonlySet<Signal['kind']> = new Set(['cancel', 'deadline', 'memory', 'close']);
/** Signals that are jumps: they end an `ensure` as `return` does. */
const JUMPS: ReadonlySet<Signal['kind']> = new Set(['break', 'halt']);

/** Whether unwinding goes on after an `ensure`, whether a jump or an error ends it. */
export function isUnstoppable(signal: Signal): boolean {
  return UNSTOPPABLE.has(signal.kind);
}

/** Whether a signal that ends an `ensure` replaces the one that was unwinding. */
export function replaces(fiber: Fiber, signal: Signal, unwinding: Signal): boolean {
  if (JUMPS.has(signal.kind)) return !isUnstoppable(unwinding);
  if (JUMPS.has(unwinding.kind) || signal.kind === 'exit') return true;
  if (unwinding.kind === 'exit') return false;
  return signal.kind !== 'deadline' || outranks(fiber, signal, unwinding);
}

/**
 * Whether `signal` ends more of the fiber than `other`: `exit` ends the program, a cancellation the whole fiber, an
 * outer deadline more than an inner one or than the end of a coroutine that was resumed during it.
 */
export function outranks(fiber: Fiber, signal: Signal, other: Signal): boolean {
  if (signal.kind === 'exit' || other.kind === 'exit') return other.kind !== 'exit';
  if (signal.kind === 'cancel') return other.kind !== 'cancel';
  if (signal.kind !== 'deadline') return false;
  const at = fiber.deadlines.indexOf(signal.payload as Deadline);
  if (other.kind === 'close') return at < (other.payload as number);
  return other.kind === 'deadline' && at < fiber.deadlines.indexOf(other.payload as Deadline);
}

/** Notes that the fiber is thrown a signal now. */
export function noteThrown({ cancelling }: Fiber, { kind, payload }: Signal): void {
  if (payload instanceof Deadline) payload.thrownAt ||= nextMoment();
  else if (kind === 'cancel' && cancelling !== null) cancelling.thrownAt ||= nextMoment();
}

/**
 * Whether a signal was thrown in the fiber since a deadline began that ends more than its block. A deadline that an
 * `ensure` began during such an ending is not concerned.
 */
export function isOutranked({ cancelling, deadlines }: Fiber, deadline: Deadline): boolean {
  const { began } = deadline;
  if (cancelling !== null && (cancelling.thrownAt === 0 || cancelling.thrownAt > began)) return true;
  const at = deadlines.lastIndexOf(deadline);
  return deadlines.some((other, i) => other.thrownAt > began && i < at);
}

/** Whether a signal need not be thrown: the end of a deadline's block, when more than the block is ending already. */
export function isPast(fiber: Fiber, { payload }: Signal): boolean {
  return payload instanceof Deadline && isOutranked(fiber, payload);
}

/** Whether a fiber was thrown a cancellation or the end of a deadline, and runs what has to run before its block ends. */
export function isEnding({ cancelling, deadlines }: Fiber): boolean {
  return (cancelling !== null && cancelling.thrownAt > 0) || deadlines.some(({ thrownAt }) => thrownAt > 0);
}
