import { Errors, errorOf } from '../values/error.js';
import type { VM } from '../vm.js';

/** When all threads wait for each other, raises an error in the oldest one. */
export function watchForDeadlock(vm: VM): void {
  vm.scheduler.onQuiet = () => {
    if (!vm.timers.isEmpty) return;
    for (const fiber of vm.scheduler.live) if (fiber.waitEndedBy !== 'thread') return;
    const [oldest] = vm.scheduler.live;
    const message = `deadlock: all threads wait for each other (this one for a ${oldest.waitsFor.split(' ')[0]})`;
    vm.scheduler.failWait(oldest, errorOf(Errors.RuntimeError, message));
  };
}
