import { add, divide, toDouble } from '../../../vm/values/arithmetic.js';
import { Range } from '../../../vm/values/compound.js';
import { compare } from '../../../vm/values/equal.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { typeName } from '../../../vm/values/types.js';
import { Float, isNumber, type Value } from '../../../vm/values/value.js';
import { integerBounds, sumBetween, toElements } from '../collections/elements.js';
import { sortedNow } from '../collections/sort.js';
import { functions, type Num, type Row } from '../declare.js';
import { atPlaces } from './selection.js';

/** Sum of numbers (or of what `+` can add to one). Floats are summed with compensation: ten times 0.1 is 1.0. @throws TypeError */
export function sumOf(list: readonly Value[]): Value {
  let total: Value = 0;
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (item instanceof Float && isNumber(total)) return sumFrom(list, i, toDouble(total));
    total = add(total, item);
  }
  return total;
}

/** Neumaier's sum: `lost` collects what the additions dropped. */
function sumFrom(list: readonly Value[], from: number, start: number): Value {
  let sum = start;
  let lost = 0;
  for (let i = from; i < list.length; i++) {
    const item = list[i];
    if (!isNumber(item)) return list.slice(i).reduce(add, new Float(sum + lost));
    const n = toDouble(item);
    const next = sum + n;
    // Differences of infinities would be nan.
    if (Number.isFinite(next)) lost += Math.abs(sum) >= Math.abs(n) ? sum - next + n : n - next + sum;
    sum = next;
  }
  return new Float(sum + lost);
}

/** Arithmetic mean; nil of nothing. */
function meanOf(list: readonly Value[]): Value {
  return list.length === 0 ? null : divide(sumOf(list), list.length);
}

/** Numbers from which on it is worth to look for the middle ones without sorting. */
const MANY = 64;

/** The middle one of sorted numbers, or the mean of the middle two; nil of nothing. */
function medianOf(list: readonly Value[]): Value {
  if (list.length === 0) return null;
  const half = list.length >> 1;
  const places = list.length % 2 === 1 ? [half] : [half - 1, half];
  const middle = list.length < MANY ? null : atPlaces(list, places);
  const [low, high = null] = middle ?? sortedNow(list).slice(places[0], half + 1);
  return high === null ? low : divide(add(low, high), 2);
}

/** Sample variance, over n − 1; nil of fewer than two numbers. */
function varianceOf(list: readonly Value[]): Value {
  if (list.length < 2) return null;
  const mean = toDouble(meanOf(list) as Float);
  const squares = list.map((x) => new Float((toDouble(x as Num) - mean) ** 2));
  return new Float(toDouble(sumOf(squares) as Float) / (list.length - 1));
}

/** Sample standard deviation; nil of fewer than two numbers. */
function deviationOf(list: readonly Value[]): Value {
  const variance = varianceOf(list);
  return variance === null ? null : new Float(Math.sqrt((variance as Float).n));
}

/** The first of the least (`sign` 1) or greatest (−1) elements; nil of nothing. @throws TypeError */
export function extreme(list: readonly Value[], sign: number): Value {
  if (list.length === 0) return null;
  let best = list[0];
  for (let i = 1; i < list.length; i++) if (compare(list[i], best) * sign < 0) best = list[i];
  return best;
}

/** What a function of numbers works on: the elements of its only argument when that is a collection, else all arguments. */
function operands(values: Value[]): readonly Value[] {
  if (values.length !== 1) return values;
  const [first] = values;
  return Array.isArray(first) || first instanceof Range ? toElements(first, 'sum') : values;
}

/** Ranges of Integers are summed by formula, however long they are. */
function sumOfArguments(values: Value[]): Value {
  const bounds = values.length === 1 && values[0] instanceof Range ? integerBounds(values[0]) : null;
  return bounds === null ? sumOf(numbersOf(values, 'sum')) : sumBetween(bounds, 'sum');
}

function numbersOf(values: Value[], name: string): readonly Value[] {
  const list = operands(values);
  for (const x of list) if (!isNumber(x)) fail(Errors.TypeError, `${name}(): values must be Number, got ${typeName(x)}`);
  return list;
}

function extremeOf(values: Value[], sign: number, name: string): Value {
  if (values.length === 0) fail(Errors.ArgumentError, `${name}() takes at least 1 argument, got 0: ${name}(*values)`);
  return extreme(operands(values), sign);
}

type Statistic = (list: readonly Value[]) => Value;

function statistic(name: string, doc: string, compute: Statistic): Row {
  return [name, '*values: Any', 'Number?', doc, (_: unknown, values: Value[]) => compute(numbersOf(values, name))];
}

export const statistics = functions([
  ['min', '*values: Any', 'Any', 'Least of the arguments, or of the elements of one vector or range; nil of nothing.', (_: unknown, values: Value[]) => extremeOf(values, 1, 'min')],
  ['max', '*values: Any', 'Any', 'Greatest of the arguments, or of the elements of one vector or range; nil of nothing.', (_: unknown, values: Value[]) => extremeOf(values, -1, 'max')],
  ['sum', '*values: Any', 'Number', 'Sum of numbers, given one by one or as a vector or range; 0 of nothing.', (_: unknown, values: Value[]) => sumOfArguments(values)],
  statistic('mean', 'Arithmetic mean of numbers; nil of nothing.', meanOf),
  statistic('median', 'Middle number, or the mean of the middle two; nil of nothing.', medianOf),
  statistic('stdev', 'Sample standard deviation; nil of fewer than two numbers.', deviationOf),
  statistic('variance', 'Sample variance; nil of fewer than two numbers.', varianceOf),
]);

/** The same as methods of collections. */
export const statisticRows: readonly Row[] = [
  ['sum', '', 'Number', 'Sum of the elements; 0 of none.', (_: unknown, list: Value[]) => sumOf(list)],
  ['mean', '', 'Float?', 'Arithmetic mean of the elements; nil of none.', (_: unknown, list: Value[]) => meanOf(numbersOf([list], 'mean'))],
  ['median', '', 'Number?', 'Middle element, or the mean of the middle two; nil of none.', (_: unknown, list: Value[]) => medianOf(numbersOf([list], 'median'))],
  ['stdev', '', 'Float?', 'Sample standard deviation; nil of fewer than two elements.', (_: unknown, list: Value[]) => deviationOf(numbersOf([list], 'stdev'))],
  ['variance', '', 'Float?', 'Sample variance; nil of fewer than two elements.', (_: unknown, list: Value[]) => varianceOf(numbersOf([list], 'variance'))],
];
