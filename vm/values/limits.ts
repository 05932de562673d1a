/** Largest sizes of values, each below what V8 can represent, and the errors for larger ones. */
import { Errors, fail } from './error.js';

/** Maximum number of UTF-16 units of a String. */
export const MAX_STRING = 1 << 28;
/** Maximum number of elements of a vector. */
export const MAX_ELEMENTS = 1 << 26;
/** Maximum number of elements of nested vectors in the result of one operation. */
export const MAX_NESTED_ELEMENTS = 1 << 23;
/** Maximum number of keys of a V8 Map or Set. */
export const MAX_KEYS = 1 << 24;
/** Texts longer than this many UTF-16 units are charged by their length. */
export const LONG_TEXT_THRESHOLD = 1024;

/** @throws MemoryError for a text longer than MAX_STRING */
export function failTextTooLong(): never {
  fail(Errors.MemoryError, `text would be longer than ${MAX_STRING} characters`);
}

/** @throws MemoryError for a vector with more than `max` elements */
export function failTooManyElements(max = MAX_ELEMENTS): never {
  fail(Errors.MemoryError, `vector would have more than ${max} elements`);
}
