import type { Failure } from '../earley.js';
import type { Token } from '../layout/token.js';

/** A failed statement, and what is known about its text. */
export interface Failed {
  tokens: readonly Token[];
  failure: Failure;
  text: string;
  /** Plain strings that span lines. */
  spanning: readonly { start: number; end: number }[];
  lineOf(offset: number): number;
}
