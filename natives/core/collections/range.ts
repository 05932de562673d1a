import { add, subtract } from '../../../vm/values/numbers/arithmetic.js';
import { Range } from '../../../vm/values/structured.js';
import { compare } from '../../../vm/values/equal.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { iterate } from '../../../vm/values/iteration.js';
import { coversRange, inRange } from '../../../vm/values/match.js';
import { ITER_EACH } from '../../../vm/bytecode/opcodes.js';
import { isNumber, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { methodGroup, rowsFor, without, type Int, type Num, type Row } from '../declare.js';
import { atMost, countOf } from '../limits.js';
import { progression } from '../numbers/sequences.js';
import { statisticRows, summed } from '../numbers/statistics.js';
import { accessRows, countEqual, lastOf } from './access.js';
import { combiningRows } from './combining.js';
import { countBetween, endless, integerBounds, leadingCount, sumBetween, type Bounds } from './elements.js';
import { grepRows } from './grep.js';
import { iteratingRows } from './iterating.js';
import { overElements, tabulated, withElements } from '../steps.js';
import { best, orderingRows } from './ordering.js';
import { toSet } from './set.js';

/** Number of elements of a range. A range of texts is counted in pieces. */
export function rangeLength(vm: NativeContext, range: Range, name: string): Value | undefined | void {
  const bounds = integerBounds(range);
  return bounds === null ? withElements(vm, range, name, (list) => list.length) : countBetween(bounds, name);
}

function isEmpty(range: Range): boolean {
  if (range.lo === null || range.hi === null) return false;
  const bounds = integerBounds(range);
  return bounds === null
    ? iterate(range, ITER_EACH, 'empty?').next() === undefined
    : countBetween(bounds, 'empty?') === 0;
}

/** The first `n` Integers, or all, of a range that may be endless. */
function run(vm: NativeContext, bounds: Bounds, n: Int): Value | undefined {
  const from = bounds.first;
  const size = leadingCount(bounds, countOf(n, 'n'));
  const isSmall = typeof from === 'number' && from + size <= Number.MAX_SAFE_INTEGER;
  return tabulated(vm, 'range', size, isSmall ? (i) => from + i : (i) => add(from, i));
}

/** The start of the range, or a vector of its first `n` elements. */
function first(vm: NativeContext, range: Range, n: Int | null, name: string): Value | undefined | void {
  if (range.lo === null) fail(Errors.ValueError, `${name}() needs a range with a start`);
  if (n === null) return range.lo;
  const bounds = integerBounds(range);
  return bounds === null ? withElements(vm, range, name, (list) => list.slice(0, countOf(n, 'n'))) : run(vm, bounds, n);
}

/** The end of the range as written, or a vector of its last `n` elements. */
function last(vm: NativeContext, range: Range, n: Int | null): Value | undefined | void {
  if (range.hi === null) endless('last');
  if (n === null) return range.hi;
  const bounds = integerBounds(range);
  if (bounds === null) return withElements(vm, range, 'last', (list) => lastOf(list, n));
  const skipped = subtract(countBetween(bounds, 'last'), n) as Int;
  return run(vm, skipped > 0 ? { ...bounds, first: add(bounds.first, skipped) as Int } : bounds, n);
}

/** Least or greatest element; for Integers without visiting the ones between. */
function border(vm: NativeContext, range: Range, n: Int | null, sign: number): Value | undefined {
  const name = sign > 0 ? 'min' : 'max';
  const bounds = n === null ? integerBounds(range) : null;
  if (bounds !== null) {
    if (sign > 0 && bounds.last === null) return bounds.first;
    return countBetween(bounds, name) === 0 ? null : sign > 0 ? bounds.first : bounds.last;
  }
  if (n === null && sign < 0 && range.lo === null && !range.exclusive) return range.hi;
  // A range of Floats has no elements, but its ends can be compared.
  if (n === null && isNumber(range.lo) && range.hi !== null && !range.exclusive)
    return compare(range.lo, range.hi) > 0 ? null : sign > 0 ? range.lo : range.hi;
  return withElements(vm, range, name, (list) => best(vm, list, n, sign)) as Value | undefined;
}

/** Every `by`-th number of the range. */
function step(vm: NativeContext, range: Range, by: Num): Value | undefined {
  const { lo, hi, exclusive } = range;
  if (hi === null) endless('step');
  if (!isNumber(lo) || !isNumber(hi)) return fail(Errors.TypeError, 'step() needs a range of numbers');
  return progression(vm, lo, hi, by, exclusive);
}

function sum(vm: NativeContext, range: Range, initial: Num): Value | undefined {
  const bounds = integerBounds(range);
  return bounds === null
    ? (withElements(vm, range, 'sum', (list) => summed(vm, list, initial)) as Value | undefined)
    : add(sumBetween(bounds, 'sum'), initial);
}

function count(vm: NativeContext, range: Range, rest: Value[]): Value | undefined | void {
  const [item] = atMost(rest, 1, 'count');
  if (item === undefined) return rangeLength(vm, range, 'count');
  return withElements(vm, range, 'count', (list) => countEqual(vm, list, item));
}

// prettier-ignore
const ownRows: readonly Row[] = [
  ...rowsFor('to_a to_vec', (name) => [name, '', 'Vector', 'All elements as a vector.', (vm: NativeContext, range: Range) => withElements(vm, range, name, (list) => list)]),
  ['to_set', '', 'Set', 'A set of the elements.', (vm: NativeContext, range: Range) => withElements(vm, range, 'to_set', (list) => toSet(vm, list))],
  ...rowsFor('length size', (name) => [name, '', 'Integer', 'Number of elements.', (vm: NativeContext, range: Range) => rangeLength(vm, range, name)]),
  ['count', '*item: Any', 'Integer', 'Number of elements, or of those equal to `item`.', count],
  ['empty?', '', 'Boolean', 'Whether there are no elements.', (_: unknown, range: Range) => isEmpty(range)],
  ['include? member?', 'item: Any', 'Boolean', 'Whether a value is in the range.', (_: unknown, range: Range, item: Value) => inRange(range, item)],
  ['cover?', 'item: Any', 'Boolean', 'Whether a value is in the range, or a range lies within it.', (_: unknown, range: Range, item: Value) => (item instanceof Range ? coversRange(range, item) : inRange(range, item))],
  ['begin', '', 'Any', 'The start of the range; nil if it has none.', (_: unknown, range: Range) => range.lo],
  ['end', '', 'Any', 'The end of the range as written; nil for an endless one.', (_: unknown, range: Range) => range.hi],
  ['exclusive? exclude_end?', '', 'Boolean', 'Whether the range was written with three dots.', (_: unknown, range: Range) => range.exclusive],
  ['first', 'n: Integer? = nil', 'Any', 'The start of the range, or a vector of its first `n` elements.', (vm: NativeContext, range: Range, n: Int | null) => first(vm, range, n, 'first')],
  ['take', 'n: Integer', 'Vector', 'The first `n` elements.', (vm: NativeContext, range: Range, n: Int) => first(vm, range, n, 'take')],
  ['last', 'n: Integer? = nil', 'Any', 'The end of the range as written, or a vector of its last `n` elements.', last],
  ['min', 'n: Integer? = nil', 'Any', 'The least element, nil if there are none; or the `n` least.', (vm: NativeContext, range: Range, n: Int | null) => border(vm, range, n, 1)],
  ['max', 'n: Integer? = nil', 'Any', 'The greatest element, nil if there are none; or the `n` greatest.', (vm: NativeContext, range: Range, n: Int | null) => border(vm, range, n, -1)],
  ['sum', 'initial: Number = 0', 'Number', 'Sum of `initial` and the elements.', (vm: NativeContext, range: Range, initial: Num) => sum(vm, range, initial)],
  ['step', 'by: Number', 'Vector', 'Every `by`-th number of the range.', (vm: NativeContext, range: Range, by: Num) => step(vm, range, by)],
];

/** Methods shared with vectors. */
const sharedRows = (): Row[] =>
  without(
    [...accessRows, ...combiningRows, ...grepRows, ...iteratingRows, ...orderingRows, ...statisticRows],
    ownRows.map(([names]) => names).join(' '),
  );

export const rangeMethods = methodGroup('Range', () => [...ownRows, ...overElements(sharedRows())]);
