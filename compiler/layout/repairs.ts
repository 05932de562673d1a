import type { Code } from '../diagnostics/codes.js';

/** A string to be cut at the end of its line, and the problem to report. */
export interface Cut {
  code: Code;
  message: string;
  start: number;
  end: number;
  hint: string;
}

/** What earlier rounds over the same text found out about its mistakes. Empty for a correct program. */
export class Repairs {
  /** By offset of the string's opening quote. */
  readonly cuts = new Map<number, Cut>();
  /** Blocks are unbalanced: use the indentation to match them. */
  byIndentation = false;
  /** Offsets of openers that were not closed at the end of the text. */
  readonly unclosed = new Set<number>();
  /** There was a surplus `end`. */
  strayEnd = false;
}

/** Makes the next round cut the string at `start`, opened by `quotes`, at the end of its line. */
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
