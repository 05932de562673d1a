/** Sorts long lists by numbers: in arrays of doubles, ten times as fast as by a comparison of values. */
import { STEP } from '../../../vm/values/steps.js';
import { Float, type Value } from '../../../vm/values/value.js';

/** Elements of a run that is sorted by insertion. */
const RUN = 16;

/** The values of a list as doubles, times `sign`; null if one is no number, a large Integer, or nan, which has no order. */
export function* doublesOf(list: readonly Value[], sign: number): Generator<void, Float64Array | null, void> {
  const out = new Float64Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    const n = typeof value === 'number' ? value : value instanceof Float ? value.n : NaN;
    if (Number.isNaN(n)) return null;
    out[i] = n * sign;
    if (i % STEP === STEP - 1) yield;
  }
  return out;
}

/** Keys, and the places of their values in the list. */
interface Run {
  keys: Float64Array;
  places: Uint32Array;
}

/** Sorts a part of `run`, stably. */
function insertionSort({ keys, places }: Run, lo: number, hi: number): void {
  for (let i = lo + 1; i < hi; i++) {
    const [key, place] = [keys[i], places[i]];
    let j = i;
    for (; j > lo && keys[j - 1] > key; j--) {
      keys[j] = keys[j - 1];
      places[j] = places[j - 1];
    }
    keys[j] = key;
    places[j] = place;
  }
}

/**
 * Merges the parts of `from` up to `mid` and from there up to `hi` into the places `k` up to `end` of `to`, stably; `i` is
 * the first element of the first part that is not merged yet. Returns the next one.
 */
function merge(from: Run, to: Run, i: number, mid: number, hi: number, k: number, end: number): number {
  const { keys, places } = from;
  for (let j = mid + k - i; k < end; k++) {
    const next = i < mid && (j >= hi || keys[i] <= keys[j]) ? i++ : j++;
    to.keys[k] = keys[next];
    to.places[k] = places[next];
  }
  return i;
}

/** The places of `keys`, which this changes, in the order of the keys; equal ones stay in order. */
export function* placesInOrder(keys: Float64Array): Generator<void, Uint32Array, void> {
  const { length } = keys;
  let from: Run = { keys, places: new Uint32Array(length) };
  let to: Run = { keys: new Float64Array(length), places: new Uint32Array(length) };
  for (let lo = 0; lo < length; lo += STEP) {
    const end = Math.min(lo + STEP, length);
    for (let i = lo; i < end; i++) from.places[i] = i;
    for (let i = lo; i < end; i += RUN) insertionSort(from, i, Math.min(i + RUN, length));
    yield;
  }
  let left = STEP;
  for (let width = RUN; width < length; width *= 2) {
    for (let lo = 0; lo < length; lo += 2 * width) {
      const mid = Math.min(lo + width, length);
      const hi = Math.min(lo + 2 * width, length);
      for (let [i, k] = [lo, lo]; k < hi;) {
        const end = Math.min(k + left, hi);
        i = merge(from, to, i, mid, hi, k, end);
        left -= end - k;
        k = end;
        if (left > 0) continue;
        left = STEP;
        yield;
      }
    }
    [from, to] = [to, from];
  }
  return from.places;
}

/** The elements of `list` at `places`. */
export function* elementsAt(list: readonly Value[], places: ArrayLike<number>): Generator<void, Value[], void> {
  const out: Value[] = [];
  for (let i = 0; i < places.length; i++) {
    out.push(list[places[i]]);
    if (i % STEP === STEP - 1) yield;
  }
  return out;
}
