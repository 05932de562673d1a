import { remove } from './remove.js';

/** A list that mostly has no element or one: that element itself, because an array takes 64 bytes more. */
export type Few<T extends object> = T | readonly T[] | null;

/** The elements, in the order in which they were added. */
export function listOf<T extends object>(few: Few<T>): readonly T[] {
  if (few === null) return [];
  return isList(few) ? few : [few];
}

/** The list with one more element, at its end. */
export function added<T extends object>(few: Few<T>, element: T): Few<T> {
  if (few === null) return element;
  if (!isList(few)) return [few, element];
  // Changed in place, so that adding many takes no time that grows with their square.
  (few as T[]).push(element);
  return few;
}

/** The list without an element. */
export function without<T extends object>(few: Few<T>, element: T): Few<T> {
  if (few === element) return null;
  if (few === null || !isList(few)) return few;
  remove(few as T[], element);
  return few.length > 0 ? few : null;
}

/** The element that was added first, or null. */
export function firstOf<T extends object>(few: Few<T>): T | null {
  return few !== null && isList(few) ? (few[0] ?? null) : few;
}

/** Whether it is a list of several, and not one element or none. */
export function isList<T extends object>(few: Few<T>): few is readonly T[] {
  return Array.isArray(few);
}
