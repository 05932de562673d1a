import type { RawToken } from '../lexer.js';
import { middle } from './blocks.js';
import { isFirstOnLine } from './comments.js';
import type { Layout } from './layout.js';
import { Token } from './token.js';

/** `in`: of a `for`, before the pattern of a `case` clause, or an operator that asks whether a value fits a pattern. */
export function inWord(layout: Layout, raw: RawToken): void {
  const { top } = layout;
  if (top.kind === 'for' && top.header && !isRead(layout)) layout.emit('IN', raw);
  else if (startsClause(layout, raw)) {
    middle(layout, raw, 'IN_CASE');
    layout.top.pattern = 'clause';
  } else {
    layout.emit('BINOP', raw);
    top.run = 0;
    top.pattern ??= 'operand';
  }
}

/** Whether the header of a `for` already has its `in`. */
function isRead({ tokens, top }: Layout): boolean {
  const opener = tokens.lastIndexOf(top.opener);
  return tokens.slice(opener).some(({ type }) => type === 'IN');
}

/** Whether an `in` starts a clause: it begins a line or statement, or follows the subject of a `case`. */
function startsClause(layout: Layout, raw: RawToken): boolean {
  const { top } = layout;
  if (!layout.endsValue() || layout.atStart || isFirstOnLine(layout.text, raw.offset)) return true;
  return top.kind === 'case' && top.header && layout.tokens.at(-1) !== top.opener;
}

/** Whether a word in a pattern is the name of a variable: names of types and constants begin with a capital. */
export function isName(text: string): boolean {
  return text[0] !== text[0].toUpperCase() || text.startsWith('_');
}

/** Ends the pattern of an `in` inside an expression, at a word or sign that cannot be part of it. */
export function endOperand({ top }: Layout): void {
  if (top.pattern === 'operand') top.pattern = null;
}

/** `*` alone in a pattern stands for any number of elements: gives it a name that is not used. */
export function nameRest(layout: Layout): void {
  const { prev, top } = layout;
  if (top.pattern === null || prev?.type !== 'SPLAT') return;
  layout.push(new Token('IDENT', '_', prev.end, prev.end));
}
