import { Errors, errorOf } from '../values/error.js';
import type { VM } from '../vm.js';
import { quietness, whenSettled } from './quiet.js';

/** When all threads wait for each other, raises an error in that of the running test, else in the oldest one. */
export function watchForDeadlock(vm: VM): void {
  vm.scheduler.onQuiet = () => {
    if (!isStuck(vm)) return;
    if (quietness(vm) === 'inside') fail(vm);
    // Data may be on its way between threads.
    else
      whenSettled(vm, () => {
        if (isStuck(vm)) fail(vm);
      });
  };
}

/** Whether no thread waits for time or for something outside. */
function isStuck(vm: VM): boolean {
  if (!vm.timers.isEmpty || quietness(vm) === 'outside') return false;
  for (const { waitEndedBy } of vm.scheduler.live) if (waitEndedBy !== 'thread' && waitEndedBy !== 'loop') return false;
  return true;
}

function fail({ scheduler }: VM): void {
  const fibers = [...scheduler.live];
  const failing = fibers.find(({ name }) => name === 'test') ?? fibers[0];
  const message = `deadlock: all threads wait for each other (this one for a ${failing.waitsFor.split(' ')[0]})`;
  scheduler.failWait(failing, errorOf(Errors.RuntimeError, message));
}
