import { eachInSteps, finish, STEP, type Steps } from '../../../vm/values/steps.js';
import { add, divide, floorDivide, subtract, toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { Numeric } from '../../../vm/values/numbers/numeric.js';
import { Range } from '../../../vm/values/structured.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { typeName } from '../../../vm/values/types.js';
import { Float, isNumber, type Value } from '../../../vm/values/value.js';
import { isLarge, weigh } from '../../../vm/values/weight.js';
import { integerBounds, sumBetween, toElements } from '../collections/elements.js';
import { addsItself, sumByOwn } from '../collections/ownsum.js';
import { extremeByOwn, ordersItself } from '../collections/ownorder.js';
import { strictOrder, strictOrderSteps } from '../collections/order.js';
import { sortedNow, sortSteps } from '../collections/sort.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { functions, type Num, type Row } from '../declare.js';
import { snapshot, stepped } from '../steps.js';
import { atPlaces } from './selection.js';
import { Sum } from './sum.js';

/** Sum of elements: numbers, or values that `+` can add to `initial`. @throws TypeError */
export function summed(vm: NativeContext, list: readonly Value[], initial: Value = 0): Value | undefined {
  if (addsItself(initial)) return vm.answering(sumByOwn(list.slice(), initial));
  return list.length <= STEP ? sumNow(list, initial) : vm.inPieces('sum', sumSteps(list.slice(), initial));
}

function sumNow(list: readonly Value[], initial: Value = 0): Value {
  const sum = new Sum(initial);
  sum.add(list, 0, list.length);
  return sum.value;
}

function* sumSteps(list: readonly Value[], initial: Value = 0): Generator<void, Value, void> {
  const sum = new Sum(initial);
  for (let lo = 0; lo < list.length; lo += STEP) {
    sum.add(list, lo, Math.min(lo + STEP, list.length));
    yield;
  }
  return sum.value;
}

/** Arithmetic mean; nil if empty. */
function* meanOf(list: readonly Value[]): Generator<void, Value, void> {
  return list.length === 0 ? null : divide(yield* sumSteps(list), list.length);
}

/** From this many numbers, the middle ones are selected without sorting. */
const SELECTION_THRESHOLD = 64;

/** The middle one of the sorted numbers, or the mean of the middle two; nil if empty. */
function* medianOf(list: readonly Value[]): Generator<void, Value, void> {
  if (list.length === 0) return null;
  const half = list.length >> 1;
  const places = list.length % 2 === 1 ? [half] : [half - 1, half];
  const [low, high = null] =
    list.length < SELECTION_THRESHOLD ? sortedNow(list).slice(places[0], half + 1) : yield* middle(list, places);
  return high === null ? low : divide(add(low, high), 2);
}

function* middle(list: readonly Value[], places: readonly number[]): Generator<void, Value[], void> {
  return (yield* atPlaces(list, places)) ?? (yield* sortSteps(list)).slice(places[0], places[places.length - 1] + 1);
}

/**
 * Numbers with the same variance: Integers with more digits than a Float holds are shifted so that their mean is near
 * 0.
 */
function* aroundMean(list: readonly Value[]): Generator<void, readonly Value[], void> {
  let [large, exact] = [false, true];
  yield* eachInSteps(list.length, (i) => {
    if (typeof list[i] === 'bigint') large = true;
    else if (list[i] instanceof Float) exact = false;
  });
  if (!large || !exact) return list;
  const mean = floorDivide(yield* sumSteps(list), list.length);
  const out: Value[] = [];
  yield* eachInSteps(list.length, (i) => out.push(subtract(list[i], mean)));
  return out;
}

/** Sample variance, over n − 1; nil for fewer than two numbers. */
function* varianceOf(list: readonly Value[]): Generator<void, Float | null, void> {
  if (list.length < 2) return null;
  const near = yield* aroundMean(list);
  const mean = toDouble((yield* meanOf(near)) as Float);
  const squares = new Sum();
  yield* eachInSteps(near.length, (i) => squares.addDouble((toDouble(near[i] as Num) - mean) ** 2));
  return new Float(squares.double / (list.length - 1));
}

/** Sample standard deviation; nil for fewer than two numbers. */
function* deviationOf(list: readonly Value[]): Generator<void, Value, void> {
  const variance = yield* varianceOf(list);
  return variance === null ? null : new Float(Math.sqrt(variance.n));
}

/** The first of the least (`sign` 1) or greatest (−1) elements; nil if empty. @throws TypeError */
export function extreme(vm: NativeContext, list: readonly Value[], sign: number): Value | undefined {
  return isBrief(list)
    ? finish(extremeSteps(list, sign))
    : vm.inPieces(sign > 0 ? 'min' : 'max', extremeSteps(list.slice(), sign));
}

/** The least and the greatest element. @throws TypeError */
export function extremes(vm: NativeContext, list: readonly Value[]): Value | undefined {
  return isBrief(list) ? finish(bothSteps(list)) : vm.inPieces('minmax', bothSteps(list.slice()));
}

function isBrief(list: readonly Value[]): boolean {
  return list.length <= STEP && !isLarge(list);
}

function* bothSteps(list: readonly Value[]): Generator<void, Value[], void> {
  return [yield* extremeSteps(list, 1), yield* extremeSteps(list, -1)];
}

function* extremeSteps(list: readonly Value[], sign: number): Generator<void, Value, void> {
  if (list.length === 0) return null;
  let best = list[0];
  let left = STEP;
  for (let i = 1; i < list.length; i++) {
    const item = list[i];
    if (typeof item === 'number' && typeof best === 'number') {
      if ((item - best) * sign < 0) best = item;
      left--;
    } else {
      const weight = weigh(item);
      if ((weight < STEP >> 2 ? strictOrder(item, best) : yield* strictOrderSteps(item, best)) * sign < 0) best = item;
      left -= 1 + weight;
    }
    if (left > 0) continue;
    left = STEP;
    yield;
  }
  return best;
}

type Statistic = (list: readonly Value[]) => Generator<void, Value, void>;

/**
 * The operands of a function of numbers: the elements of its only argument if that is a collection, otherwise all
 * arguments.
 */
function operands(values: Value[]): readonly Value[] {
  if (values.length !== 1) return values;
  const [first] = values;
  return Array.isArray(first) || first instanceof Range ? toElements(first, 'sum') : values;
}

/** Ranges of Integers of any length are summed by formula. */
function sumOfArguments(vm: NativeContext, values: Value[]): Value | undefined {
  const bounds = values.length === 1 && values[0] instanceof Range ? integerBounds(values[0]) : null;
  if (bounds !== null) return sumBetween(bounds, 'sum');
  const list = operands(values);
  if (list.length > STEP) return computed(vm, 'sum', list, sumSteps);
  checkNumbers(list, 0, list.length, 'sum');
  return sumNow(list);
}

/** Statistics that are defined for Decimals. */
const OF_DECIMALS: ReadonlySet<string> = new Set(['sum', 'mean', 'median']);

function checkNumbers(list: readonly Value[], from: number, to: number, name: string): void {
  for (let i = from; i < to; i++)
    if (!isNumber(list[i]) && !(list[i] instanceof Numeric && OF_DECIMALS.has(name)))
      fail(Errors.TypeError, `${name}(): values must be Number, got ${typeName(list[i])}`);
}

/** Applies `compute` to numbers. @throws TypeError for other values */
function computed(vm: NativeContext, name: string, list: readonly Value[], compute: Statistic): Value | undefined {
  return stepped(vm, name, list.length, checkedSteps(name, snapshot(list), compute));
}

function* checkedSteps(name: string, list: readonly Value[], compute: Statistic): Steps {
  for (let lo = 0; lo < list.length; lo += STEP) {
    checkNumbers(list, lo, Math.min(lo + STEP, list.length), name);
    if (list.length > STEP) yield;
  }
  return yield* compute(list);
}

function extremeOf(vm: NativeContext, values: Value[], sign: number, name: string): Value | undefined {
  if (values.length === 0) fail(Errors.ArgumentError, `${name}() takes at least 1 argument, got 0: ${name}(*values)`);
  const list = operands(values);
  return ordersItself(list) ? vm.answering(extremeByOwn(list.slice(), sign)) : extreme(vm, list, sign);
}

function statistic(name: string, doc: string, compute: Statistic): Row {
  return [
    name,
    '*values: Any',
    'Number?',
    doc,
    (vm: NativeContext, values: Value[]) => computed(vm, name, operands(values), compute),
  ];
}

// prettier-ignore
export const statistics = functions([
  ['min', '*values: Any', 'Any', 'Least of the arguments, or of the elements of one vector or range; nil if there are none.', (vm: NativeContext, values: Value[]) => extremeOf(vm, values, 1, 'min')],
  ['max', '*values: Any', 'Any', 'Greatest of the arguments, or of the elements of one vector or range; nil if there are none.', (vm: NativeContext, values: Value[]) => extremeOf(vm, values, -1, 'max')],
  ['sum', '*values: Any', 'Number', 'Sum of numbers, given as arguments or as a vector or range; 0 if there are none.', (vm: NativeContext, values: Value[]) => sumOfArguments(vm, values)],
  statistic('mean', 'Arithmetic mean of numbers; nil if there are none.', meanOf),
  statistic('median', 'Middle number, or the mean of the middle two; nil if there are none.', medianOf),
  statistic('stdev', 'Sample standard deviation; nil for fewer than two numbers.', deviationOf),
  statistic('variance', 'Sample variance; nil for fewer than two numbers.', varianceOf),
]);

/** The same statistics as methods of collections. */
// prettier-ignore
export const statisticRows: readonly Row[] = [
  ['sum', 'initial: Any = 0', 'Any', 'Sum of `initial` and the elements, which `+` adds: `hours.sum(0.seconds)`.', (vm: NativeContext, list: Value[], initial: Value) => summed(vm, list, initial)],
  ['mean', '', 'Float|Decimal?', 'Arithmetic mean of the elements; nil if there are none.', (vm: NativeContext, list: Value[]) => computed(vm, 'mean', list, meanOf)],
  ['median', '', 'Number|Decimal?', 'Middle element, or the mean of the middle two; nil if there are none.', (vm: NativeContext, list: Value[]) => computed(vm, 'median', list, medianOf)],
  ['stdev', '', 'Float?', 'Sample standard deviation; nil for fewer than two elements.', (vm: NativeContext, list: Value[]) => computed(vm, 'stdev', list, deviationOf)],
  ['variance', '', 'Float?', 'Sample variance; nil for fewer than two elements.', (vm: NativeContext, list: Value[]) => computed(vm, 'variance', list, varianceOf)],
];
