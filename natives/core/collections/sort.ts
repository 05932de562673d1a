import { STEP, type Steps } from '../../../vm/values/steps.js';
import { isPlain } from '../../../vm/values/text/codepoints.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { isLarge, weigh } from '../../../vm/values/weight.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { tabulateSteps } from '../steps.js';
import { doublesOf, elementsAt, placesInOrder } from './numbersort.js';
import { strictOrder, strictOrderSteps } from './order.js';
import { leadingByOwn, ordersItself, sortedByOwn } from './ownorder.js';

type Order = (a: Value, b: Value) => number;

/** Average weight of an element from which comparisons dominate the time of sorting. */
const HEAVY = 16;
/** Elements sorted in one step. */
const RUN = 2048;
/** Up to this many numbers V8 sorts faster with a comparison than in an array of doubles, to and from which they are copied. */
const FEW_NUMBERS = 32;

/** Whether elements are so large, on average, that comparisons dominate the time of sorting. */
function* areHeavy(list: readonly Value[]): Generator<void, boolean, void> {
  let weight = 0;
  let left = STEP;
  for (let i = 0; i < list.length; i++) {
    const one = typeof list[i] === 'number' ? 0 : weigh(list[i]);
    weight += one;
    left -= one + 1;
    if (left > 0) continue;
    left = STEP;
    yield;
  }
  return weight > HEAVY * list.length;
}

/** A merge sort whose comparisons may themselves run in steps. */
function* sortHeavy<T>(list: readonly T[], valueOf: (item: T) => Value, sign: number): Generator<void, T[], void> {
  let from = list.slice();
  let to = list.slice();
  let left = STEP;
  for (let width = 1; width < from.length; width *= 2) {
    for (let lo = 0; lo < from.length; lo += 2 * width) {
      const mid = Math.min(lo + width, from.length);
      const hi = Math.min(lo + 2 * width, from.length);
      let [i, j] = [lo, mid];
      for (let k = lo; k < hi; k++) {
        let isLeft = j >= hi;
        if (!isLeft && i < mid) {
          const [a, b] = [valueOf(from[i]), valueOf(from[j])];
          isLeft = (yield* strictOrderSteps(a, b)) * sign <= 0;
          left -= Math.min(weigh(a), weigh(b));
        }
        to[k] = isLeft ? from[i++] : from[j++];
        if (--left > 0) continue;
        left = STEP;
        yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Compares texts in JavaScript's order, by UTF-16 units. */
function byUnits(a: Value, b: Value): number {
  return (a as string) < (b as string) ? -1 : (a as string) > (b as string) ? 1 : 0;
}

function byDouble(a: Value, b: Value): number {
  const x = (a as Float).n;
  const y = (b as Float).n;
  return x < y ? -1 : x > y ? 1 : 0;
}

function byNumber(a: Value, b: Value): number {
  return (a as number) - (b as number);
}

/** The order of the elements of a short vector: those of one kind have a faster one. */
function orderOf(list: readonly Value[]): Order {
  if (list.every((value) => typeof value === 'number')) return byNumber;
  // nan has no order.
  if (list.every((value) => value instanceof Float && !Number.isNaN(value.n))) return byDouble;
  return list.every((value) => typeof value === 'string' && isPlain(value)) ? byUnits : strictOrder;
}

/** Whether all elements are texts without surrogates: for these, JavaScript's order equals that of code points. */
function* arePlainTexts(list: readonly Value[]): Generator<void, boolean, void> {
  let left = STEP;
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    if (typeof value !== 'string' || !isPlain(value)) return false;
    left -= 8 + (value.length >> 3);
    if (left > 0) continue;
    left = STEP;
    yield;
  }
  return true;
}

/** Sorts `list` by `<` in steps, downwards if `sign` is −1; `list` must not change meanwhile. @throws TypeError */
export function* sortSteps(list: readonly Value[], sign = 1): Generator<void, Value[], void> {
  const doubles = yield* doublesOf(list, sign);
  if (doubles !== null) return yield* elementsAt(list, yield* placesInOrder(doubles));
  if (yield* areHeavy(list)) return yield* sortHeavy(list, (item) => item, sign);
  const order = (yield* arePlainTexts(list)) ? byUnits : strictOrder;
  return yield* sortByOrder(list, sign > 0 ? order : downwards(order));
}

/** Sorts `list` stably by an order. */
function* sortByOrder<T>(list: readonly T[], order: (a: T, b: T) => number): Generator<void, T[], void> {
  const out: T[] = [];
  for (let lo = 0; lo < list.length; lo += RUN) {
    for (const item of list.slice(lo, lo + RUN).sort(order)) out.push(item);
    yield;
  }
  // Copied only for a second run: a short list has one run.
  return list.length <= RUN ? out : yield* merged(out, out.slice(), order, RUN);
}

/** Merges sorted runs of `run` elements, alternating between two arrays; returns the one with the result. */
function* merged<T>(from: T[], to: T[], order: (a: T, b: T) => number, run: number): Generator<void, T[], void> {
  const { length } = from;
  let steps = 0;
  for (let width = run; width < length; width *= 2) {
    for (let lo = 0; lo < length; lo += 2 * width) {
      const mid = Math.min(lo + width, length);
      const hi = Math.min(lo + 2 * width, length);
      let i = lo;
      let j = mid;
      for (let k = lo; k < hi; k++) {
        to[k] = i < mid && (j >= hi || order(from[i], from[j]) <= 0) ? from[i++] : from[j++];
        if (++steps % STEP === 0) yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

/** `list` sorted by `<`, in pieces if it is long. @throws TypeError for elements that cannot be compared */
export function sorted(vm: NativeContext, list: readonly Value[]): Value | undefined {
  if (ordersItself(list)) return vm.answering(sortedByOwn(list.slice(), list.slice(), 1));
  return isBrief(list) ? sortedNow(list) : vm.inPieces('sort', sortSteps(list.slice()));
}

/** Whether a vector is small enough to be sorted in one step. */
function isBrief(list: readonly Value[]): boolean {
  return list.length <= RUN && !isLarge(list);
}

/** Like `sorted`, without pausing. */
export function sortedNow(list: readonly Value[]): Value[] {
  if (list.every((x) => typeof x === 'number'))
    return list.length <= FEW_NUMBERS
      ? list.slice().sort(byNumber)
      : Array.from(Float64Array.from(list as number[]).sort());
  return list.slice().sort(orderOf(list));
}

/** The `n` least elements (`sign` 1) or greatest (−1), in that order. @throws TypeError */
export function leading(vm: NativeContext, list: readonly Value[], n: number, sign: number): Value | undefined {
  if (ordersItself(list)) return vm.answering(leadingByOwn(list.slice(), n, sign));
  if (!isBrief(list)) return vm.inPieces('sort', leadingSteps(list.slice(), n, sign));
  return (sign > 0 ? sortedNow(list) : list.slice().sort(downwards(orderOf(list)))).slice(0, n);
}

const downwards =
  (order: Order): Order =>
  (a, b) =>
    order(b, a);

function* leadingSteps(list: readonly Value[], n: number, sign: number): Steps {
  return (yield* sortSteps(list, sign)).slice(0, n);
}

/** `items` sorted stably by their `keys`. */
export function sortedBy(vm: NativeContext, keys: readonly Value[], items: readonly Value[]): Value | undefined {
  if (ordersItself(keys)) return vm.answering(sortedByOwn(keys.slice(), items.slice(), 1));
  if (!isBrief(keys)) return vm.inPieces('sort', sortBySteps(keys.slice(), items.slice()));
  const order = orderOf(keys);
  const sequence = keys.map((_, i) => i);
  sequence.sort((i, j) => order(keys[i], keys[j]));
  return sequence.map((i) => items[i]);
}

function* sortBySteps(keys: readonly Value[], items: readonly Value[]): Steps {
  const doubles = yield* doublesOf(keys, 1);
  if (doubles !== null) return yield* elementsAt(items, yield* placesInOrder(doubles));
  const places = (yield* tabulateSteps(keys.length, (i) => i)) as number[];
  if (yield* areHeavy(keys)) return yield* elementsAt(items, yield* sortHeavy(places, (i) => keys[i], 1));
  const order = (yield* arePlainTexts(keys)) ? byUnits : strictOrder;
  return yield* elementsAt(items, yield* sortByOrder(places, (i, j) => order(keys[i], keys[j])));
}
