import { add, floorDivide, multiply, subtract } from '../../../vm/values/numbers/arithmetic.js';
import { Range } from '../../../vm/values/structured.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Float, isInteger, type Value } from '../../../vm/values/value.js';
import { elements } from '../../../vm/values/iteration.js';
import type { Int } from '../declare.js';
import { tabulate } from '../limits.js';
import { wholeToInteger } from '../numbers/rounding.js';

/** First and last Integer of a range that counts up by one; `last` is null when the range is endless. */
export interface Bounds {
  first: Int;
  last: Int | null;
}

/** The bounds of a range of Integers of any size; null for other ranges. */
export function integerBounds({ lo, hi, exclusive }: Range): Bounds | null {
  if (!isInteger(lo) || typeof hi === 'string') return null;
  if (hi === null) return { first: lo, last: null };
  if (!(hi instanceof Float)) return { first: lo, last: exclusive ? (subtract(hi, 1) as Int) : (hi as Int) };
  if (hi.n === Infinity) return { first: lo, last: null };
  const whole = Math.floor(hi.n);
  return { first: lo, last: wholeToInteger(exclusive && whole === hi.n ? whole - 1 : whole) };
}

/** Number of Integers from `first` to `last`. */
export function countBetween({ first, last }: Bounds, name: string): Int {
  if (last === null) return endless(name);
  return last < first ? 0 : (add(subtract(last, first), 1) as Int);
}

/** Sum of the Integers from `first` to `last`. */
export function sumBetween(bounds: Bounds, name: string): Value {
  const count = countBetween(bounds, name);
  return floorDivide(multiply(add(bounds.first, bounds.last), count), 2);
}

/** Raises the error of a method that is undefined for an endless range. */
export function endless(name: string): never {
  return fail(Errors.ValueError, `${name}() needs a range with an end`);
}

/**
 * The elements of a collection, read-only: the result may be the collection itself. @throws AttributeError, MemoryError
 */
export function toElements(source: Value, name: string): Value[] {
  if (Array.isArray(source)) return source;
  // Check the size first: counting to 2^26 before the error would take a second.
  const bounds = source instanceof Range ? integerBounds(source) : null;
  if (bounds === null) return elements(source, name);
  return integersFrom(bounds.first, Number(countBetween(bounds, name)));
}

/** How many of `count` Integers a range that may be endless has. */
export function leadingCount(bounds: Bounds, count: number): number {
  return bounds.last === null ? count : Math.min(count, Number(countBetween(bounds, '')));
}

/** The first `count` Integers, or all, of a range that may be endless. @throws MemoryError when there are too many */
export function leadingIntegers(bounds: Bounds, count: number): Value[] {
  return integersFrom(bounds.first, leadingCount(bounds, count));
}

/** `count` Integers starting at `first`. @throws MemoryError when there are too many */
function integersFrom(first: Int, count: number): Value[] {
  if (typeof first === 'number' && first + count <= Number.MAX_SAFE_INTEGER)
    return tabulate<Value>(count, (i) => first + i);
  return tabulate(count, (i) => add(first, i));
}
