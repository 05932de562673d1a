import { Float, type Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { functions } from './declare.js';

/** Runs a block and returns its duration in milliseconds. */
function benchmark(vm: NativeContext, label: string | null, block: Value): undefined {
  const startedAt = vm.host.now();
  return vm.callThen(block, [], {
    done: () => {
      const elapsed = vm.host.now() - startedAt;
      if (label !== null) vm.host.stdout(`${label}: ${elapsed.toFixed(3)} ms\n`);
      return new Float(elapsed);
    },
  });
}

export const time = functions([
  [
    'clock_ms',
    '',
    'Integer',
    'Milliseconds of a monotonic clock, for measuring durations.',
    (vm: NativeContext) => Math.floor(vm.host.now()),
  ],
  [
    'benchmark',
    'label: String? = nil, &block: Function',
    'Float',
    'Runs a block and returns the milliseconds it took; prints them if there is a label.',
    benchmark,
  ],
]);
