import type { Value } from '../../../vm/values/value.js';
import { eachInSteps, STEP } from '../../../vm/values/steps.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Int, Row } from '../declare.js';
import { countOf } from '../limits.js';
import { extreme, extremes } from '../numbers/statistics.js';
import { randomOf } from '../random/source.js';
import { extremeByOwn, extremesByOwn, ordersItself } from './ownorder.js';
import { leading, sorted } from './sort.js';

/** The least element (`sign` 1) or the greatest (−1), or the first `n` in that order. */
export function best(vm: NativeContext, list: Value[], n: Int | null, sign: number): Value | undefined {
  if (n === null && ordersItself(list)) return vm.answering(extremeByOwn(list.slice(), sign));
  return n === null ? extreme(vm, list, sign) : leading(vm, list, countOf(n, 'n'), sign);
}

function rotate(list: Value[], by: Int): Value[] {
  if (list.length === 0) return [];
  const shift = Number(BigInt(by) % BigInt(list.length));
  const start = shift < 0 ? shift + list.length : shift;
  return list.slice(start).concat(list.slice(0, start));
}

/** Exchanges the element at `i` with a random one at or before it. */
function exchange(list: Value[], i: number, random: () => number): void {
  const j = Math.floor(random() * (i + 1));
  const item = list[i];
  list[i] = list[j];
  list[j] = item;
}

/** The first `n` elements of a copy in random order. */
export function shuffled(vm: NativeContext, list: readonly Value[], n: number): Value | undefined {
  const random = randomOf(vm);
  const out = list.slice();
  if (out.length > STEP) return vm.inPieces('shuffle', shuffleSteps(out, n, random));
  for (let i = out.length - 1; i > 0; i--) exchange(out, i, random);
  return n < out.length ? out.slice(0, n) : out;
}

function* shuffleSteps(out: Value[], n: number, random: () => number): Generator<void, Value[], void> {
  yield* eachInSteps(out.length - 1, (i) => exchange(out, out.length - 1 - i, random));
  return n < out.length ? out.slice(0, n) : out;
}

/** A random element, nil if empty; or `n` different ones. */
export function sample(vm: NativeContext, list: readonly Value[], n: Int | null): Value | undefined {
  return n === null ? (list[Math.floor(randomOf(vm)() * list.length)] ?? null) : shuffled(vm, list, countOf(n, 'n'));
}

/** Methods about the order of elements. */
// prettier-ignore
export const orderingRows: readonly Row[] = [
  ['sort', '', 'Vector', 'The elements in ascending order; equal ones keep their order.', (vm: NativeContext, list: Value[]) => sorted(vm, list)],
  ['min', 'n: Integer? = nil', 'Any', 'The least element, nil if there are none; or the `n` least.', (vm: NativeContext, list: Value[], n: Int | null) => best(vm, list, n, 1)],
  ['max', 'n: Integer? = nil', 'Any', 'The greatest element, nil if there are none; or the `n` greatest.', (vm: NativeContext, list: Value[], n: Int | null) => best(vm, list, n, -1)],
  ['minmax', '', 'Vector', 'The least and the greatest element.', (vm: NativeContext, list: Value[]) => (ordersItself(list) ? vm.answering(extremesByOwn(list.slice())) : extremes(vm, list))],
  ['reverse reverse_each', '', 'Vector', 'The elements in reverse order.', (_: unknown, list: Value[]) => list.slice().reverse()],
  ['rotate', 'by: Integer = 1', 'Vector', 'The elements shifted to the left; those shifted out follow at the end.', (_: unknown, list: Value[], by: Int) => rotate(list, by)],
  ['shuffle', '', 'Vector', 'The elements in random order.', (vm: NativeContext, list: Value[]) => shuffled(vm, list, Infinity)],
  ['sample', 'n: Integer? = nil', 'Any', 'A random element, nil if there are none; or `n` different ones.', (vm: NativeContext, list: Value[], n: Int | null) => sample(vm, list, n)],
];
