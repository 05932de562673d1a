import { Mark, type Value } from './value.js';

/**
 * What `next` returns if the program has to run code of its own, or to wait, for the next element: its `PullIterator`
 * then fetches it.
 */
export const PULL: Mark = new Mark();

/** What a `PullIterator` fetches at the end. */
export const END: Mark = new Mark();

/**
 * State of a running iteration; held in a register, never visible to a program. One class per kind, because most call
 * sites see only one kind.
 */
export abstract class Iterator {
  /** The next element, undefined at the end, or PULL. */
  abstract next(): Value | undefined;
}
