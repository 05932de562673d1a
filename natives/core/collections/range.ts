import { add, subtract } from '../../../vm/values/arithmetic.js';
import { type Range } from '../../../vm/values/compound.js';
import { compare, equal } from '../../../vm/values/equal.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { inRange } from '../../../vm/match.js';
import { isNumber, type Value } from '../../../vm/values/value.js';
import type { VM } from '../../../vm/vm.js';
import { converted, methodsOf, without, type Int, type Num, type Row } from '../declare.js';
import { atMost, countOf } from '../limits.js';
import { progression } from '../numbers/sequences.js';
import { statisticRows, summed } from '../numbers/statistics.js';
import { accessRows, lastOf } from './access.js';
import { combiningRows } from './combining.js';
import { countBetween, endless, integerBounds, integersUpTo, sumBetween, toElements } from './elements.js';
import { iteratingRows } from './iterating.js';
import { best, orderingRows } from './ordering.js';

/** Number of elements of a range. */
export function rangeLength(range: Range, name: string): Int {
  const bounds = integerBounds(range);
  return bounds === null ? toElements(range, name).length : countBetween(bounds, name);
}

/** The start of the range, or its first `n` elements. */
function first(range: Range, n: Int | null): Value {
  if (n === null) return range.lo;
  const bounds = integerBounds(range);
  return bounds === null ? toElements(range, 'first').slice(0, countOf(n, 'n')) : integersUpTo(bounds, bounds.first, countOf(n, 'n'));
}

/** The end of the range as it was written, or its last `n` elements. */
function last(range: Range, n: Int | null): Value {
  if (range.hi === null) endless('last');
  if (n === null) return range.hi;
  const bounds = integerBounds(range);
  if (bounds === null) return lastOf(toElements(range, 'last'), n);
  const skipped = subtract(countBetween(bounds, 'last'), n) as Int;
  return integersUpTo(bounds, skipped > 0 ? (add(bounds.first, skipped) as Int) : bounds.first, countOf(n, 'n'));
}

/** Least or greatest element without going through the Integers between. */
function border(vm: VM, range: Range, n: Int | null, sign: number): Value | undefined {
  const name = sign > 0 ? 'min' : 'max';
  const bounds = n === null ? integerBounds(range) : null;
  if (bounds !== null) {
    if (sign > 0 && bounds.last === null) return bounds.first;
    return countBetween(bounds, name) === 0 ? null : sign > 0 ? bounds.first : bounds.last;
  }
  // A range of Floats has no elements, but it has ends.
  if (n === null && isNumber(range.lo) && range.hi !== null && !range.exclusive) return compare(range.lo, range.hi) > 0 ? null : sign > 0 ? range.lo : range.hi;
  return best(vm, toElements(range, name), n, sign);
}

/** Every `by`-th number of the range. */
function step(vm: VM, range: Range, by: Num): Value | undefined {
  const { lo, hi, exclusive } = range;
  if (hi === null) endless('step');
  if (!isNumber(lo) || !isNumber(hi)) return fail(Errors.TypeError, 'step() needs a range of numbers');
  return progression(vm, lo, hi, by, exclusive);
}

function sum(vm: VM, range: Range): Value | undefined {
  const bounds = integerBounds(range);
  return bounds === null ? summed(vm, toElements(range, 'sum')) : sumBetween(bounds, 'sum');
}

function count(range: Range, rest: Value[]): Value {
  const [item] = atMost(rest, 1, 'count');
  if (item === undefined) return rangeLength(range, 'count');
  return toElements(range, 'count').filter((other) => equal(other, item)).length;
}

const ownRows: readonly Row[] = [
  ['to_a to_vec', '', 'Vector', 'All elements as a vector.', (_: unknown, range: Range) => toElements(range, 'to_a').slice()],
  ['length size', '', 'Integer', 'Number of elements.', (_: unknown, range: Range) => rangeLength(range, 'length')],
  ['count', '*item: Any', 'Integer', 'Number of elements, or of those equal to `item`.', (_: unknown, range: Range, rest: Value[]) => count(range, rest)],
  ['empty?', '', 'Boolean', 'Whether there are no elements.', (_: unknown, range: Range) => range.hi !== null && rangeLength(range, 'empty?') === 0],
  ['include? member? cover?', 'item: Any', 'Boolean', 'Whether a value lies in the range.', (_: unknown, range: Range, item: Value) => inRange(range, item)],
  ['begin', '', 'Any', 'The start of the range.', (_: unknown, range: Range) => range.lo],
  ['end', '', 'Any', 'The end of the range as it was written; nil of an endless one.', (_: unknown, range: Range) => range.hi],
  ['exclusive? exclude_end?', '', 'Boolean', 'Whether the range was written with three dots.', (_: unknown, range: Range) => range.exclusive],
  ['first', 'n: Integer? = nil', 'Any', 'The start of the range, or a vector of its first `n` elements.', (_: unknown, range: Range, n: Int | null) => first(range, n)],
  ['take', 'n: Integer', 'Vector', 'The first `n` elements.', (_: unknown, range: Range, n: Int) => first(range, n)],
  ['last', 'n: Integer? = nil', 'Any', 'The end of the range as it was written, or a vector of its last `n` elements.', (_: unknown, range: Range, n: Int | null) => last(range, n)],
  ['min', 'n: Integer? = nil', 'Any', 'The least element, nil of none; or the `n` least.', (vm: VM, range: Range, n: Int | null) => border(vm, range, n, 1)],
  ['max', 'n: Integer? = nil', 'Any', 'The greatest element, nil of none; or the `n` greatest.', (vm: VM, range: Range, n: Int | null) => border(vm, range, n, -1)],
  ['sum', '', 'Number', 'Sum of the elements; 0 of none.', (vm: VM, range: Range) => sum(vm, range)],
  ['step', 'by: Number', 'Vector', 'Every `by`-th number of the range.', (vm: VM, range: Range, by: Num) => step(vm, range, by)],
];

const OWN = ownRows.map(([names]) => names).join(' ');

/** What ranges have in common with vectors. */
const sharedRows = without([...accessRows, ...combiningRows, ...iteratingRows, ...orderingRows, ...statisticRows], OWN);

export const rangeMethods = methodsOf('Range', [...ownRows, ...converted(sharedRows, toElements)]);
