import { builders } from 'prettier/doc';
import type { TokenType } from '../../compiler/layout/token.js';
import type { Lexeme } from './lexemes.js';
import { commentText, type Doc, type Printer } from './printer.js';
import { orVerbatim } from './verbatim.js';

const { breakParent, conditionalGroup, hardline, ifBreak, indent, line, softline } = builders;

/** A statement or a comment on a line of its own. */
export interface Entry {
  doc: Doc;
  /** An empty line precedes it. */
  blank: boolean;
}

/** The statements between two words of a block. */
export interface Body {
  /** Comment on the line of the word before. */
  suffix: Doc;
  entries: Entry[];
  /** Comments that belong to the word after it. */
  kept: Entry[];
}

/** Words between two bodies of a block. */
const BETWEEN: ReadonlySet<TokenType> = new Set<TokenType>(['ELSE', 'ELSIF', 'WHEN', 'IN_CASE', 'RESCUE', 'ENSURE']);
/** Words that end a block. */
const CLOSING: ReadonlySet<TokenType> = new Set<TokenType>(['END', 'RBRACE', 'DO_WHILE']);

/** Reads statements up to a word that ends them. */
export function body(printer: Printer): Body {
  const out: Body = { suffix: '', entries: [], kept: [] };
  for (;;) {
    const { next } = printer;
    const isBetween = BETWEEN.has(next.type);
    comments(printer, out, isBetween ? next : null);
    if (isBetween || CLOSING.has(next.type)) return out;
    out.entries.push(statement(printer));
  }
}

/** Reads the comments before a statement, or before `word`, which ends the statements. */
function comments(printer: Printer, out: Body, word: Lexeme | null): void {
  if (printer.next.comments.length === 0) return;
  const { entries, kept } = out;
  const { breaks } = printer;
  const { suffix, own } = printer.lead();
  const last = entries.at(-1);
  if (last === undefined) out.suffix = suffix;
  else last.doc = [last.doc, suffix];
  for (const comment of own) {
    const isKept = kept.length > 0 || (word !== null && comment.column <= word.column);
    (isKept ? kept : entries).push({ doc: [commentText(comment), breakParent], blank: comment.blank });
  }
  // Comments of the next clause do not break this one.
  if (kept.length === own.length && suffix === '') printer.breaks = breaks;
}

/** Reads a statement with the comment on its last line. */
export function statement(printer: Printer): Entry {
  const { blank } = printer.next;
  const doc = orVerbatim(printer, () => printer.within({}, () => whole(printer)));
  const suffix = printer.placeless();
  printer.expect('SEP');
  return { doc: [doc, suffix], blank };
}

/** A statement; one with a condition after it becomes an `if` with a body if it does not fit on a line. */
function whole(printer: Printer): Doc {
  const { doc, broken, long } = printer.rules.statement(printer);
  const isCommented = printer.next.comments.length > 0;
  return long === undefined || broken || isCommented ? doc : conditionalGroup([doc, long]);
}

/** Statements, on one line if the group around them does not break. */
function joined(entries: readonly Entry[]): Doc {
  return entries.map(({ doc, blank }, index) =>
    index === 0 ? doc : [ifBreak('', ';'), line, blank ? softline : '', doc],
  );
}

/** The statements of a body, indented, each after a line break if the group around them breaks. */
export function indented({ suffix, entries }: Body): Doc {
  return entries.length === 0 ? suffix : [suffix, indent([line, joined(entries)])];
}

/** What precedes the word after a body: comments, and a line break. */
export function beforeWord({ kept }: Body, keepsBlank = false): Doc {
  return [
    kept.map(({ doc, blank }, index) => [hardline, blank && (index > 0 || keepsBlank) ? hardline : '', doc]),
    line,
  ];
}
