import { eachInSteps, STEP } from '../../../vm/values/steps.js';
import { Float, type Value } from '../../../vm/values/value.js';

/** Maximum size of a range that is sorted instead of partitioned. */
const MAX_SORTED = 32;

function toNumber(item: Value): number | bigint {
  return item instanceof Float ? item.n : (item as number | bigint);
}

/** The numbers as doubles, or null when that would lose information: the order of nan, digits of a large Integer. */
function* toDoubles(list: readonly Value[]): Generator<void, Float64Array | null, void> {
  const out = new Float64Array(list.length);
  for (let lo = 0; lo < list.length; lo += STEP) {
    if (!copyDoubles(list, out, lo, Math.min(lo + STEP, list.length))) return null;
    yield;
  }
  return out;
}

function copyDoubles(list: readonly Value[], out: Float64Array, lo: number, hi: number): boolean {
  for (let i = lo; i < hi; i++) {
    const n = toNumber(list[i]);
    if (typeof n !== 'number' || n !== n) return false;
    out[i] = n;
  }
  return true;
}

/** Two positions that move towards each other. */
interface Span {
  i: number;
  j: number;
}

/**
 * Moves numbers less than `pivot` to the left and greater ones to the right, one step's worth; returns whether it is
 * done.
 */
function partition(numbers: Float64Array, pivot: number, span: Span): boolean {
  let { i, j } = span;
  const stop = i + STEP;
  while (i <= j && i < stop) {
    while (numbers[i] < pivot) i++;
    while (numbers[j] > pivot) j--;
    if (i > j) break;
    const moved = numbers[i];
    numbers[i++] = numbers[j];
    numbers[j--] = moved;
  }
  span.i = i;
  span.j = j;
  return i > j;
}

/** Hoare's selection: reorders the numbers until the one at `place` is the one that sorting would put there. */
function* select(numbers: Float64Array, place: number): Generator<void, number, void> {
  let from = 0;
  let to = numbers.length - 1;
  while (to - from > MAX_SORTED) {
    const pivot = pivotOf(numbers, from, to);
    const span = { i: from, j: to };
    while (!partition(numbers, pivot, span)) yield;
    if (place <= span.j) to = span.j;
    else if (place >= span.i) from = span.i;
    else return numbers[place];
  }
  numbers.subarray(from, to + 1).sort();
  return numbers[place];
}

/** The median of three numbers, two of them random, so that no order of elements makes selection slow. */
function pivotOf(numbers: Float64Array, from: number, to: number): number {
  const any = (): number => numbers[from + Math.floor(Math.random() * (to - from + 1))];
  const [a, b, c] = [any(), numbers[(from + to) >> 1], any()];
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/**
 * The element with value `n` that a stable sort would put at `place`: 1 and 1.0, or 0.0 and -0.0, are equal but
 * distinct.
 */
function* elementAt(list: readonly Value[], place: number, n: number): Generator<void, Value, void> {
  let before = 0;
  yield* eachInSteps(list.length, (i) => {
    if (toNumber(list[i]) < n) before++;
  });
  let found: Value = null;
  yield* eachInSteps(list.length, (i) => {
    if (toNumber(list[i]) === n && before++ === place) found = list[i];
  });
  return found;
}

/** The numbers that sorting would put at these places, in a fraction of its time; null when sorting is necessary. */
export function* atPlaces(list: readonly Value[], places: readonly number[]): Generator<void, Value[] | null, void> {
  const doubles = yield* toDoubles(list);
  if (doubles === null) return null;
  const out: Value[] = [];
  for (const place of places) out.push(yield* elementAt(list, place, yield* select(doubles, place)));
  return out;
}
