import type { Code } from '../diagnostics/codes.js';

/** A string that is read only to the end of its line, and what is reported about it. */
export interface Cut {
  code: Code;
  message: string;
  start: number;
  end: number;
  hint: string;
}

/** What earlier rounds over the same text found out about its mistakes. Empty for a program that is right. */
export class Repairs {
  /** By the offset of the string's opening quote. */
  readonly cuts = new Map<number, Cut>();
  /** Blocks are unbalanced: believe the indentation. */
  byIndentation = false;
  /** Offsets of openers that were left open at the end of the text. */
  readonly unclosed = new Set<number>();
  /** There was an `end` too many. */
  strayEnd = false;
}

/** Has the string at `start`, opened by `quotes`, end with its line in the next round. */
export function cutMissingQuote(repairs: Repairs, start: number, quotes: string): void {
  const hint = quotes.length === 3 ? `close it with \`${quotes}\`` : 'put the closing quote where the text ends';
  repairs.cuts.set(start, {
    code: 'unterminated-string',
    message: 'this string has no closing quote',
    start,
    end: start + quotes.length,
    hint,
  });
}
