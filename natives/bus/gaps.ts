import { SvcError } from '../../vm/values/error.js';
import { Float, type Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { Bus } from './bus.js';

/** Calls `blocks`, each in a thread of its own, whenever messages may have been lost, with the seconds of the gap. */
export function callAfterGaps(vm: NativeContext, bus: Bus, blocks: readonly Value[]): void {
  bus.onGap((seconds) => {
    for (const block of blocks) {
      try {
        vm.spawn('gap', block, [new Float(seconds)]);
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        vm.report(null, error);
      }
    }
  });
}
