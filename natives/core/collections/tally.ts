import { hashKey } from '../../../vm/values/keys.js';
import { eachInSteps, finish } from '../../../vm/values/steps.js';
import { Hash } from '../../../vm/values/hash.js';
import { numberBounds } from '../../../vm/values/numbers/numberset.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { isLarge } from '../../../vm/values/weight.js';

/** From this many elements, check whether all are Integers close to each other. */
const DENSE_CHECK_THRESHOLD = 64;

/** Number of occurrences of each element. */
export function tally(vm: NativeContext, list: readonly Value[]): Value | undefined {
  if (isLarge(list)) return vm.inPieces('tally', tallySteps(list.slice()));
  if (list.length >= DENSE_CHECK_THRESHOLD) return finish(tallySteps(list));
  const counts = new Hash();
  for (const item of list) countIn(counts, item);
  return counts;
}

function countIn(counts: Hash, item: Value): void {
  const key = hashKey(item);
  counts.set(key, ((counts.get(key) as number | undefined) ?? 0) + 1);
}

function* tallySteps(list: readonly Value[]): Generator<void, Hash, void> {
  const bounds = yield* numberBounds(list);
  if (bounds !== null && bounds.max - bounds.min < list.length * 2)
    return yield* tallyDense(list as readonly number[], bounds.min, bounds.max);
  const counts = new Hash();
  yield* eachInSteps(list.length, (i) => countIn(counts, list[i]));
  return counts;
}

/** Counts Integers close to each other, with one counter for each. */
function* tallyDense(list: readonly number[], min: number, max: number): Generator<void, Hash, void> {
  const counters = new Int32Array(max - min + 1);
  yield* eachInSteps(list.length, (i) => {
    counters[list[i] - min]++;
  });
  const counts = new Hash();
  yield* eachInSteps(list.length, (i) => {
    const at = list[i] - min;
    if (counters[at] === 0) return;
    counts.set(list[i], counters[at]);
    counters[at] = 0;
  });
  return counts;
}
