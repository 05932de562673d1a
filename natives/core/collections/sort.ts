import { STEP, type Steps } from '../../../vm/values/steps.js';
import { isPlain } from '../../../vm/values/text/codepoints.js';
import { compare } from '../../../vm/values/equal.js';
import { compareSteps } from '../../../vm/values/equalsteps.js';
import type { Value } from '../../../vm/values/value.js';
import { isLarge, weigh } from '../../../vm/values/weight.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { leadingByOwn, ordersItself, sortedByOwn } from './ownorder.js';

type Order = (a: Value, b: Value) => number;

/** Average weight of an element from which comparisons dominate the time of sorting. */
const HEAVY = 16;
/** Elements sorted in one step; numbers, which V8 sorts without calls of a comparison. */
const RUN = 2048;
const NUMBERS_RUN = 16_384;
/** Up to this many numbers V8 sorts faster with a comparison than in an array of doubles, to and from which they are copied. */
const FEW_NUMBERS = 32;

/** The values of a vector as numbers, or null when one is not a number. */
function* numbersOf(list: readonly Value[]): Generator<void, Float64Array | null, void> {
  const out = new Float64Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    if (typeof value !== 'number') return null;
    out[i] = value;
    if (i % STEP === STEP - 1) yield;
  }
  return out;
}

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
          isLeft = (yield* compareSteps(a, b)) * sign <= 0;
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

/** Compares texts in JavaScript's order, by UTF-16 units. */
function byUnits(a: Value, b: Value): number {
  return (a as string) < (b as string) ? -1 : (a as string) > (b as string) ? 1 : 0;
}

/** Sorts `list` by `<` in steps; `list` must not change meanwhile. @throws TypeError */
export function* sortSteps(list: readonly Value[]): Generator<void, Value[], void> {
  const numbers = yield* numbersOf(list);
  if (numbers !== null) {
    for (let lo = 0; lo < numbers.length; lo += NUMBERS_RUN) {
      numbers.subarray(lo, lo + NUMBERS_RUN).sort();
      yield;
    }
    const spare = new Float64Array(numbers.length);
    return yield* toValues(yield* merged(numbers, spare, (a: number, b: number) => a - b, NUMBERS_RUN));
  }
  if (yield* areHeavy(list)) return yield* sortHeavy(list, (item) => item, 1);
  return yield* sortByOrder(list, (yield* arePlainTexts(list)) ? byUnits : compare);
}

function* toValues(numbers: Float64Array): Generator<void, Value[], void> {
  const out: Value[] = [];
  for (let i = 0; i < numbers.length; i++) {
    out.push(numbers[i]);
    if (i % STEP === STEP - 1) yield;
  }
  return out;
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

interface Items<T> {
  readonly length: number;
  [index: number]: T;
}

/** Merges sorted runs of `run` elements, alternating between two arrays; returns the one with the result. */
function* merged<T, L extends Items<T>>(
  from: L,
  to: L,
  order: (a: T, b: T) => number,
  run: number,
): Generator<void, L, void> {
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
      ? (list as number[]).slice().sort((a, b) => a - b)
      : Array.from(Float64Array.from(list as number[]).sort());
  return list.slice().sort(list.every((x) => typeof x === 'string' && isPlain(x)) ? byUnits : compare);
}

/** The `n` least elements (`sign` 1) or greatest (−1), in that order. @throws TypeError */
export function leading(vm: NativeContext, list: readonly Value[], n: number, sign: number): Value | undefined {
  if (ordersItself(list)) return vm.answering(leadingByOwn(list.slice(), n, sign));
  if (!isBrief(list)) return vm.inPieces('sort', leadingSteps(list.slice(), n, sign));
  const order = sign > 0 ? sortedNow(list) : list.slice().sort(descending);
  return order.slice(0, n);
}

function descending(a: Value, b: Value): number {
  return compare(b, a);
}

function* leadingSteps(list: readonly Value[], n: number, sign: number): Steps {
  const order = yield* sign > 0
    ? sortSteps(list)
    : (yield* areHeavy(list))
      ? sortHeavy(list, (item) => item, -1)
      : sortByOrder(list, descending);
  return order.slice(0, n);
}

/** `items` sorted stably by their `keys`. */
export function sortedBy(vm: NativeContext, keys: readonly Value[], items: readonly Value[]): Value | undefined {
  if (ordersItself(keys)) return vm.answering(sortedByOwn(keys.slice(), items.slice(), 1));
  if (!isBrief(keys)) return vm.inPieces('sort', sortBySteps(keys.slice(), items.slice()));
  const order = keys.map((_, i) => i);
  order.sort((i, j) => compare(keys[i], keys[j]));
  return order.map((i) => items[i]);
}

function* sortBySteps(keys: readonly Value[], items: readonly Value[]): Steps {
  const indexes: number[] = [];
  for (let i = 0; i < keys.length; i++) {
    indexes.push(i);
    if (i % STEP === STEP - 1) yield;
  }
  const order: Order = (yield* areNumbers(keys)) ? (a, b) => (a as number) - (b as number) : compare;
  const sequence = yield* (yield* areHeavy(keys))
    ? sortHeavy(indexes, (i) => keys[i], 1)
    : sortByOrder(indexes, (i, j) => order(keys[i], keys[j]));
  const out: Value[] = [];
  for (let i = 0; i < sequence.length; i++) {
    out.push(items[sequence[i]]);
    if (i % STEP === STEP - 1) yield;
  }
  return out;
}

function* areNumbers(list: readonly Value[]): Generator<void, boolean, void> {
  for (let i = 0; i < list.length; i++) {
    if (typeof list[i] !== 'number') return false;
    if (i % STEP === STEP - 1) yield;
  }
  return true;
}
