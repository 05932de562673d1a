import type { Fiber } from '../fibers/fiber.js';
import { Errors, errorOf } from '../values/error.js';
import type { VM } from '../vm.js';
import { quietness, whenSettled } from './quiet.js';

/**
 * When all threads wait for each other, raises an error in that of `victim`. If that is null, something else may end the
 * waits.
 */
export function watchForDeadlock(vm: VM, victim: () => Fiber | null = () => testOrOldest(vm)): void {
  const end = (): void => {
    const fiber = victim();
    if (fiber !== null && isStuck(vm)) fail(vm, fiber);
  };
  vm.scheduler.onQuiet = () => {
    if (!isStuck(vm) || victim() === null) return;
    if (quietness(vm) === 'inside') end();
    // Data may be on its way between threads.
    else whenSettled(vm, end);
  };
}

/** Whether no thread waits for time or for something outside. */
function isStuck(vm: VM): boolean {
  if (!vm.timers.endNoWait) return false;
  // The oldest thread comes first. That of a server waits for signals, so the others are not looked at.
  for (const { waitEndedBy } of vm.scheduler.live) if (waitEndedBy !== 'thread' && waitEndedBy !== 'loop') return false;
  return quietness(vm) !== 'outside';
}

/** The thread of the running test, else the oldest one. */
function testOrOldest({ scheduler }: VM): Fiber {
  for (const fiber of scheduler.live) if (fiber.name === 'test') return fiber;
  return scheduler.live.first as Fiber;
}

function fail({ scheduler }: VM, fiber: Fiber): void {
  const message = `deadlock: all threads wait for each other (this one for a ${fiber.waitsFor.split(' ')[0]})`;
  scheduler.failWait(fiber, errorOf(Errors.RuntimeError, message));
}
