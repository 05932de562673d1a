import type { Problem } from '../diagnostics/problem.js';
import { createLexer, type RawToken } from '../lexer.js';
import { close, open } from './brackets.js';
import { closeOneLine, isAssigned, oneLineDef } from './onelinedef.js';
import { continuesBelow, skipBlanks } from './comments.js';
import { heredoc, readHeredocs } from './heredoc.js';
import { closeDedented } from './indentation.js';
import { Layout } from './layout.js';
import { Names } from './localnames.js';
import { number } from './numbers.js';
import { assignment, colon, comma, operator, question, range } from './operators.js';
import {
  endInsideString,
  interpolation,
  quote,
  regex,
  slash,
  string,
  stringEnd,
  text,
  unterminatedWords,
} from './quotes.js';
import { Repairs } from './repairs.js';
import { annotationEnd } from './annotations.js';
import { CONTINUES, Token } from './token.js';
import { closeBlock, reportUnclosed } from './unclosed.js';
import { checkLetters, unknownCharacter } from './unknown.js';
import { word } from './words.js';

/** The tokens of a text, split into top-level statements. */
export interface Tokens {
  tokens: Token[];
  /** Index after the last token of each top-level statement. */
  ends: number[];
  problems: Problem[];
  /** Plain strings that span several lines. */
  spanning: { start: number; end: number }[];
}

type Handler = (layout: Layout, raw: RawToken) => void;

const HANDLERS: Record<string, Handler> = {
  newline,
  semicolon,
  open,
  close,
  comma,
  word,
  number,
  string,
  triple: quote,
  quote,
  heredoc,
  symbol,
  words: (layout, raw) => void layout.emit('LIT', raw),
  regex,
  slash,
  arrow,
  fatArrow: (layout, raw) => void layout.emit(layout.top.pattern === null ? 'FATARROW' : 'BINOP', raw),
  range,
  operator: (layout, raw) => void (unterminatedWords(layout, raw) || operator(layout, raw)),
  assign: assignment,
  opAssign: assignment,
  dot: (layout, raw) => void layout.emit('DOT', raw),
  question,
  colon,
  text,
  interpolation,
  stringEnd,
  error: unknownCharacter,
};

/** Length from which at most two rounds are made, because reading a long text again is slow. */
const LONG_TEXT_THRESHOLD = 200_000;

/** Reads a whole text. A correct text takes one round; in one with mistakes, further rounds locate them better. */
export function tokenize(source: string, repairs = new Repairs()): Tokens {
  const rounds = source.length > LONG_TEXT_THRESHOLD ? 2 : 12;
  for (let round = 1; ; round++) {
    const layout = new Layout(source, createLexer(source), repairs, new Names());
    const cuts = repairs.cuts.size;
    readAll(layout);
    const again = finish(layout) || repairs.cuts.size > cuts;
    if (again && round < rounds) continue;
    if (again) giveUp(layout);
    return { tokens: layout.tokens, ends: layout.ends, problems: layout.problems, spanning: layout.spanning };
  }
}

/** After the last round: reports what the next round would have reported. */
function giveUp(layout: Layout): void {
  const last = [...layout.repairs.cuts.values()].at(-1);
  if (last !== undefined) layout.report(last.code, last.message, last.start, last.end, [], last.hint);
  if (layout.frames.length > 1) layout.abandonStatement();
}

function readAll(layout: Layout): void {
  while (!layout.stopped && readToken(layout));
}

function readToken(layout: Layout): boolean {
  const { lexer, state } = layout;
  if (state === 'value' || state === 'operator') lexer.index = skipBlanks(layout.text, lexer.index);
  if (layout.prev?.type === 'DEF' && operatorName(layout)) return true;
  lexer.setState(state);
  const raw = lexer.next();
  if (raw === undefined) return false;
  HANDLERS[raw.type as string](layout, raw);
  return true;
}

/** Closes what is still open at the end. Returns whether another round would find more. */
function finish(layout: Layout): boolean {
  const { repairs } = layout;
  if (layout.stopped) {
    layout.abandonStatement();
    return false;
  }
  if (endInsideString(layout)) return true;
  const at = layout.text.trimEnd().length;
  closeOneLine(layout, at);
  const unbalanced = layout.mismatched || layout.frames.length > 1;
  while (layout.frames.length > 1) {
    reportUnclosed(layout, layout.top, at, at);
    repairs.unclosed.add(layout.top.opener.start);
    closeBlock(layout, at);
  }
  if (layout.heredocs.length > 0) readHeredocs(layout, readBody);
  if (!layout.atStart) layout.separate(at);
  if (!unbalanced || repairs.byIndentation) return false;
  repairs.byIndentation = true;
  repairs.strayEnd = layout.mismatched;
  return true;
}

/** Names of operators that a record can define; `-@` is the sign before a value. */
const OPERATOR_NAME = /\*\*|\/\/|<=>|[=<>]=|<<|>>|\[\]=?|-@|!(?![=~])|[-+*/%<>&|^~](?!=)/y;

/** Reads the operator that a `def` names, if it names one. */
function operatorName(layout: Layout): boolean {
  const { lexer, text } = layout;
  OPERATOR_NAME.lastIndex = lexer.index;
  const name = OPERATOR_NAME.exec(text)?.[0];
  if (name === undefined) return false;
  layout.emit('IDENT', { text: name, offset: lexer.index });
  lexer.index += name.length;
  return true;
}

function newline(layout: Layout, raw: RawToken): void {
  if (layout.heredocs.length > 0) readHeredocs(layout, readBody);
  if (layout.repairs.unclosed.size > 0) closeDedented(layout, raw.offset);
  const { top, prev } = layout;
  if (!top.lines || (layout.atStart && !top.header)) return;
  if (prev !== null && CONTINUES.has(prev.type) && !isIncrement(layout, prev)) return;
  if (top.pipes || continuesBelow(layout.text, layout.lexer.index)) return;
  endLine(layout, raw);
}

/** `x++` at the end of a line, which would continue on the next line as `x + (+ …)`: reported, and read as `x`. */
function isIncrement(layout: Layout, sign: Token): boolean {
  const { tokens } = layout;
  const first = tokens[tokens.length - 2];
  if (sign.type !== 'PREFIX' || first?.type !== 'BINOP' || first.text !== sign.text || first.end !== sign.start)
    return false;
  layout.report(
    'no-operator',
    `Svc has no \`${sign.text}${sign.text}\``,
    first.start,
    sign.end,
    [],
    `write \`x ${sign.text}= 1\``,
  );
  tokens.length -= 2;
  return true;
}

function semicolon(layout: Layout, raw: RawToken): void {
  const { top } = layout;
  if (!top.lines) layout.push(new Token('SEP', ';', raw.offset, raw.offset + 1));
  else if (!layout.atStart || top.header) endLine(layout, raw);
  else closeOneLine(layout, raw.offset);
}

function endLine(layout: Layout, raw: RawToken): void {
  if (layout.top.header) layout.then(raw.offset, '\n');
  else layout.separate(raw.offset);
  closeOneLine(layout, raw.offset);
}

/** `:name` */
function symbol(layout: Layout, raw: RawToken): void {
  const name = { text: raw.text.slice(1), offset: raw.offset + 1 };
  if (checkLetters(layout, name)) layout.emit('LIT', { text: `:${name.text}`, offset: raw.offset });
}

/** `->`: a lambda, or the return type in a `def`'s header. */
function arrow(layout: Layout, raw: RawToken): void {
  const { top, lexer } = layout;
  const end = top.kind === 'def' && top.header ? annotationEnd(layout.text, lexer.index) : -1;
  if (end < 0) return void layout.emit('LAMBDA', raw);
  const type = layout.text.slice(lexer.index, end).trim();
  lexer.index = end;
  if (isAssigned(layout)) oneLineDef(layout, type);
  else layout.then(end, 'then', type);
}

/** Reads a heredoc's body with a separate lexer, over the text up to the end of the body. */
function readBody(outer: Layout, start: number, end: number): Token[] {
  const text = outer.text.slice(0, end);
  const inner = new Layout(text, createLexer(text), outer.repairs, outer.names);
  inner.open('string', new Token('STR_BEG', '', start, start));
  inner.lexer.index = start;
  inner.state = 'heredoc';
  readAll(inner);
  while (inner.frames.length > 2) {
    reportUnclosed(inner, inner.top, end, end);
    closeBlock(inner, end);
  }
  outer.problems.push(...inner.problems);
  if (inner.stopped) outer.stopped = true;
  return inner.tokens;
}
