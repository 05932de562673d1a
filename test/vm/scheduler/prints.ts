import type { Test } from 'tap';
import { run } from '../support/machine.js';
import { slowNatives } from '../support/slow.js';

/** Safepoints of a slice; 0 follows the clock. */
export const SLICES = [0, 1, 3, 1000];

/** Runs a text on a virtual clock with slices of several lengths. No timer and no thread may remain. */
export function prints(t: Test, text: string, expected: string[], errors: string[] = []): void {
  for (const slice of SLICES) {
    const ran = run(text, { slice, natives: slowNatives });
    t.strictSame(ran.lines, expected, `slice ${slice}`);
    t.strictSame(ran.errors, errors, `slice ${slice}`);
    t.ok(ran.machine.vm.timers.endNoWait && ran.machine.host.timers.size === 0, 'no timer is left');
    t.equal(ran.machine.vm.scheduler.live.size, 0, 'no thread is left');
  }
}
