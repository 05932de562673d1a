import { isFirstOnLine } from './comments.js';
import type { RawToken } from '../lexer.js';
import type { Frame } from './frame.js';
import type { Layout } from './layout.js';
import type { Token } from './token.js';
import { closeBlock, reportUnclosed } from './unclosed.js';

const BLANKS = /[ \t]*/y;

/** Number of blanks before the first word of the line that contains `offset`. */
export function indentation(text: string, offset: number): number {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  BLANKS.lastIndex = start;
  BLANKS.test(text);
  return BLANKS.lastIndex - start;
}

/**
 * Whether a word at the start of a line is indented less than the line that opened the block, and so belongs to an
 * outer block.
 */
export function closesOuterBlock({ text }: Layout, opener: Token, raw: RawToken): boolean {
  return isFirstOnLine(text, raw.offset) && indentation(text, raw.offset) < indentation(text, opener.start);
}

/**
 * If the indentation of an `end` or `def` at the start of a line shows that blocks were left open, closes and reports
 * them. Used only for programs with unbalanced blocks: a correct program may be indented in any way.
 */
export function closeByIndentation(layout: Layout, raw: RawToken): void {
  const { text, frames } = layout;
  if (!isFirstOnLine(text, raw.offset)) return;
  const column = indentation(text, raw.offset);
  const keep = ({ block, opener }: Frame): boolean => {
    const outer = indentation(text, opener.start);
    return raw.text === 'def' ? outer < column : block && outer <= column;
  };
  const last = frames.findLastIndex((frame, index) => index === 0 || keep(frame));
  if (raw.text === 'end' && last === 0) return;
  while (frames.length - 1 > last) {
    reportUnclosed(layout, layout.top, raw.offset, raw.offset + raw.text.length);
    closeBlock(layout, raw.offset);
  }
  if (raw.text === 'def' && !layout.atStart) layout.separate(raw.offset);
}

/** Whether an `end` is indented further than everything open: then some earlier `end` was surplus. */
export function isStrayEnd(layout: Layout, raw: RawToken): boolean {
  const { text, top } = layout;
  if (!layout.repairs.strayEnd || !isFirstOnLine(text, raw.offset)) return false;
  return !top.block || indentation(text, raw.offset) > indentation(text, top.opener.start);
}

const NEXT_LINE = /(?:[ \t\r]*(?:#[^\n]*)?\n)*[ \t]*/y;
const GOES_ON = /(?:end|else|elsif|when|rescue|ensure|then)(?![\w\u0080-\uffff?!])|[)\]}]/y;
const STARTS_VALUE = /[\w\u0080-\uffff"']/u;

/**
 * At the end of a line, closes what the first round found to be left open, if the next line is no longer indented, or
 * cannot continue what a bracket contains.
 */
export function closeDedented(layout: Layout, newline: number): void {
  while (layout.repairs.unclosed.has(layout.top.opener.start)) {
    const next = nextLine(layout.text, newline);
    if (!endsBefore(layout, next)) return;
    const { top, prev } = layout;
    const at = top.lines ? next : (prev?.end ?? newline);
    reportUnclosed(layout, top, at, top.lines ? next + 1 : at);
    closeBlock(layout, newline);
  }
}

/** Offset of the first word after `newline`, skipping comments. */
function nextLine(text: string, newline: number): number {
  NEXT_LINE.lastIndex = newline;
  NEXT_LINE.test(text);
  return NEXT_LINE.lastIndex;
}

function endsBefore(layout: Layout, next: number): boolean {
  const { text, top, prev } = layout;
  GOES_ON.lastIndex = next;
  if (next >= text.length || GOES_ON.test(text)) return false;
  const dedented = indentation(text, next) <= indentation(text, top.opener.start);
  if (top.lines) return dedented && bodyIsIndented(layout);
  return STARTS_VALUE.test(text[next]) && (layout.endsValue() || (dedented && prev?.type === 'COMMA'));
}

function bodyIsIndented({ text, top }: Layout): boolean {
  const newline = text.indexOf('\n', top.opener.start);
  return indentation(text, nextLine(text, newline)) > indentation(text, top.opener.start);
}
