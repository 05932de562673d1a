import type { Value } from '../../../vm/values/value.js';
import { compare } from '../../../vm/values/equal.js';
import type { VM } from '../../../vm/vm.js';
import type { Int, Row } from '../declare.js';
import { countOf } from '../limits.js';
import { extreme } from '../numbers/statistics.js';
import { randomOf } from '../random/source.js';
import { sorted, sortedNow } from './sort.js';

/** The least element (`sign` 1) or the greatest (−1), or the first `n` in that order. */
export function best(list: Value[], n: Int | null, sign: number): Value {
  if (n === null) return extreme(list, sign);
  const order = sign > 0 ? sortedNow(list) : list.slice().sort((a, b) => compare(b, a));
  return order.slice(0, countOf(n, 'n'));
}

function rotate(list: Value[], by: Int): Value[] {
  if (list.length === 0) return [];
  const shift = Number(BigInt(by) % BigInt(list.length));
  const start = shift < 0 ? shift + list.length : shift;
  return list.slice(start).concat(list.slice(0, start));
}

/** A copy in random order. */
export function shuffled(list: readonly Value[], random: () => number): Value[] {
  const out = list.slice();
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const item = out[i];
    out[i] = out[j];
    out[j] = item;
  }
  return out;
}

/** A random element, nil of none; or `n` different ones. */
export function sample(list: readonly Value[], n: Int | null, random: () => number): Value {
  if (n === null) return list[Math.floor(random() * list.length)] ?? null;
  return shuffled(list, random).slice(0, countOf(n, 'n'));
}

/** Methods about the order of elements. */
export const orderingRows: readonly Row[] = [
  ['sort', '', 'Vector', 'The elements in ascending order; equal ones keep theirs.', (vm: VM, list: Value[]) => sorted(vm, list)],
  ['min', 'n: Integer? = nil', 'Any', 'The least element, nil of none; or the `n` least.', (_: unknown, list: Value[], n: Int | null) => best(list, n, 1)],
  ['max', 'n: Integer? = nil', 'Any', 'The greatest element, nil of none; or the `n` greatest.', (_: unknown, list: Value[], n: Int | null) => best(list, n, -1)],
  ['minmax', '', 'Vector', 'The least and the greatest element.', (_: unknown, list: Value[]) => [extreme(list, 1), extreme(list, -1)]],
  ['reverse reverse_each', '', 'Vector', 'The elements in reverse order.', (_: unknown, list: Value[]) => list.slice().reverse()],
  ['rotate', 'by: Integer = 1', 'Vector', 'The elements moved to the left, those at the start following at the end.', (_: unknown, list: Value[], by: Int) => rotate(list, by)],
  ['shuffle', '', 'Vector', 'The elements in random order.', (vm: VM, list: Value[]) => shuffled(list, randomOf(vm))],
  ['sample', 'n: Integer? = nil', 'Any', 'A random element, nil of none; or `n` different ones.', (vm: VM, list: Value[], n: Int | null) => sample(list, n, randomOf(vm))],
];
