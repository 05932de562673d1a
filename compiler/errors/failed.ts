import type { Failure } from '../earley.js';
import type { Token } from '../layout/token.js';

/** A statement that failed to parse, and facts about its text. */
export interface Failed {
  tokens: readonly Token[];
  failure: Failure;
  text: string;
  /** Plain strings that span several lines. */
  spanning: readonly { start: number; end: number }[];
  lineOf(offset: number): number;
}
