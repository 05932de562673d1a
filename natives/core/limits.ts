/**
 * Size checks that natives make before they build something large, so that a program gets a MemoryError instead of
 * JavaScript's RangeError.
 */
import { Errors, fail } from '../../vm/values/error.js';
import { checkElementsRoom, checkTextRoom } from '../../vm/values/heaproom.js';
import type { Int } from './declare.js';
import { shownInteger } from './numbers/digits.js';
import { failTextTooLong, failTooManyElements, MAX_ELEMENTS, MAX_STRING } from '../../vm/values/limits.js';

/** Maximum elements of a vector that is too small for a check of the heap. */
const UNCHECKED_ELEMENTS = 1 << 16;

/**
 * Checks the planned number of elements of a vector, and that the heap has room for them. Small enough for V8 to
 * inline. @throws MemoryError
 */
export function checkElements(count: Int): void {
  if (count > UNCHECKED_ELEMENTS) checkMany(count);
}

function checkMany(count: Int): void {
  if (count > MAX_ELEMENTS) failTooManyElements();
  checkElementsRoom(Number(count));
}

/** Elements of a vector that grows between two checks of the heap, as a power of two. */
const CHECKED = 17;

/** Call before `more` elements are added to a vector of `count`. Asks the heap once per megabyte. @throws MemoryError */
export function checkGrowth(count: number, more: number): void {
  const grown = count + more;
  if (grown > MAX_ELEMENTS) failTooManyElements();
  if (grown >> CHECKED !== count >> CHECKED) checkElementsRoom(grown);
}

/** Maximum length that V8 allocates as a plain array; longer ones become dictionaries. */
export const AT_ONCE = 1 << 25;

/** A vector of `count` elements, each made from its index. @throws MemoryError when there are too many */
export function tabulate<T>(count: number, make: (i: number) => T): T[] {
  checkElements(count);
  const made = Math.min(count, AT_ONCE);
  const out = new Array<T>(made);
  for (let i = 0; i < made; i++) out[i] = make(i);
  for (let i = made; i < count; i++) out.push(make(i));
  return out;
}

/**
 * Checks the planned length of a text in UTF-16 units, and that the heap has room for it; `before` units exist already.
 * @throws MemoryError
 */
export function checkText(units: number, before = 0): void {
  if (units > MAX_STRING) failTextTooLong();
  checkTextRoom(units, before);
}

/** Converts a count given by a program. @throws ValueError when it is negative */
export function countOf(n: Int, what: string): number {
  if (n < 0) fail(Errors.ValueError, `${what} must not be negative, got ${shownInteger(n)}`);
  return Number(n);
}

/** Converts a size given by a program. @throws ValueError when it is not positive */
export function positive(n: Int, what: string): number {
  if (n < 1) fail(Errors.ValueError, `${what} must be positive, got ${shownInteger(n)}`);
  return Number(n);
}

/**
 * The optional last arguments of a native that must distinguish "not given" from nil. @throws ArgumentError when there
 * are more than `most`
 */
export function atMost<T>(rest: T[], most: number, name: string): T[] {
  if (rest.length > most)
    fail(
      Errors.ArgumentError,
      `${name}() takes at most ${most} optional argument${most === 1 ? '' : 's'}, got ${rest.length}`,
    );
  return rest;
}

/** Joins texts. @throws MemoryError when the result would be too long */
export function joinTexts(parts: readonly string[], separator: string): string {
  let units = separator.length * Math.max(0, parts.length - 1);
  for (let i = 0; i < parts.length; i++) units += parts[i].length;
  checkText(units);
  return parts.join(separator);
}
