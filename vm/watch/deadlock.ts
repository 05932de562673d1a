import { Errors, ErrorValue, SvcError } from '../values/error.js';
import type { VM } from '../vm.js';

/** Waits that only another thread can end. */
const INTERNAL = new Set(['task', 'channel send', 'channel recv', 'shared value']);

/** When all threads wait for each other, raises an error in the oldest one. */
export function watchForDeadlock(vm: VM): void {
  vm.scheduler.onQuiet = () => {
    if (!vm.timers.isEmpty) return;
    for (const fiber of vm.scheduler.live) if (!INTERNAL.has(fiber.waitsFor)) return;
    const [oldest] = vm.scheduler.live;
    const message = `deadlock: all threads wait for each other (this one for a ${oldest.waitsFor.split(' ')[0]})`;
    vm.scheduler.failWait(oldest, new SvcError(new ErrorValue(Errors.RuntimeError, message)));
  };
}
