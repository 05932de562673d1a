import { type Doc, inLines, type Printer } from './printer.js';
import { HEREDOC } from './marks.js';

/**
 * Prints a statement by `rule`, or as it was written if a comment stands in it where no rule has a place for it.
 */
export function orVerbatim(printer: Printer, rule: () => Doc): Doc {
  const { at, isMisplaced } = printer;
  const heredocs = printer.heredocs.length;
  printer.isMisplaced = false;
  const doc = rule();
  const fails = printer.isMisplaced;
  printer.isMisplaced = isMisplaced;
  if (!fails) return doc;
  printer.heredocs.length = heredocs;
  return verbatim(printer, at, printer.at);
}

/** The lexemes from `from` to `to`, exclusive, as they were written. */
export function verbatim(printer: Printer, from: number, to: number): Doc {
  const { lexemes, text } = printer;
  const start = lexemes[from].start;
  const { end } = lexemes[to - 1];
  printer.noteBreak();
  let marks = '';
  for (const { heredocStart, heredocEnd } of lexemes.slice(from, to)) {
    if (heredocStart < end) continue;
    printer.heredocs.push(text.slice(heredocStart, heredocEnd));
    marks += HEREDOC;
  }
  return [inLines(text.slice(start, end)), marks];
}
