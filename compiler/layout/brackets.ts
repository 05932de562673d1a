import type { RawToken } from '../lexer.js';
import { annotationEnd } from './annotations.js';
import { isAssigned, oneLineDef } from './onelinedef.js';
import { nameRest } from './patterns.js';
import { closeBlock, reportUnclosed } from './unclosed.js';
import type { FrameKind } from './frame.js';
import type { Layout } from './layout.js';
import { ENDS_VALUE, type Token, type TokenType } from './token.js';

const TAKES_PARAMETERS: ReadonlySet<string> = new Set(['DEF', 'RECORD', 'ENUM']);
/** Named arguments that declare the values of a request: a hash there may hold types. */
const TAKES_TYPES: ReadonlySet<string> = new Set(['body', 'query', 'params']);
const ARROW = /[ \t]*->/y;
const END_OF_HEADER = /[ \t\r]*(?:[\n;#]|=(?![=~>])|(?![^]))/y;

/** `(`, `[` or `{`. */
export function open(layout: Layout, raw: RawToken): void {
  if (raw.text === '(') openParen(layout, raw);
  else if (raw.text === '[') openSquare(layout, raw);
  else openBrace(layout, raw);
}

function openParen(layout: Layout, raw: RawToken): void {
  const { prev, tokens } = layout;
  const before = tokens[tokens.length - 2]?.type ?? '';
  const parameters =
    prev?.type === 'LAMBDA' || TAKES_PARAMETERS.has(before) || (layout.top.variants && prev?.type === 'IDENT');
  if (parameters) {
    const inEnum = layout.top.variants;
    const frame = layout.open('params', layout.emit('LPARAM', raw));
    frame.variants = before === 'ENUM';
    frame.ofRecord = before === 'RECORD' || inEnum;
  } else if (prev !== null && (prev.type === 'DOT' || ENDS_VALUE.has(prev.type)))
    layout.open('call', layout.emit('LCALL', raw));
  else layout.open('paren', layout.emit('LPAREN', raw));
}

function openSquare(layout: Layout, raw: RawToken): void {
  if (layout.endsValue()) layout.open('index', layout.emit('LINDEX', raw));
  else layout.open('vector', layout.emit('LBRACK', raw));
}

function openBrace(layout: Layout, raw: RawToken): void {
  const { prev, atStart } = layout;
  if (prev !== null && (prev.type === 'LAMBDA' || prev.type === 'IDENT' || prev.type === 'RPAREN')) {
    layout.open('brace', layout.emit('LBLOCK', raw));
  } else {
    const ofTypes = prev?.type === 'LABEL' && TAKES_TYPES.has(prev.text);
    const frame = layout.open('hash', layout.emit('LBRACE', raw, ofTypes ? prev.text : ''));
    frame.atStart = atStart;
    frame.ofTypes = ofTypes;
  }
}

const CLOSED_BY: Record<string, ReadonlySet<FrameKind>> = {
  ')': new Set(['paren', 'call', 'params']),
  ']': new Set(['vector', 'index']),
  '}': new Set(['hash', 'brace', 'interpolation']),
};
const CLOSING: Record<string, TokenType> = { ')': 'RPAREN', ']': 'RBRACK', '}': 'RBRACE' };

/** `)`, `]` or `}`. */
export function close(layout: Layout, raw: RawToken): void {
  const kinds = CLOSED_BY[raw.text];
  if (!kinds.has(layout.top.kind)) {
    if (!layout.frames.some(({ kind }) => kinds.has(kind))) {
      layout.report('stray-closer', `unexpected \`${raw.text}\`: no bracket is open here`, raw.offset, raw.offset + 1);
      layout.state = 'operator';
      return;
    }
    while (!kinds.has(layout.top.kind)) {
      reportUnclosed(layout, layout.top, raw.offset, raw.offset + 1);
      closeBlock(layout, raw.offset);
    }
  }
  closeFrame(layout, raw);
}

const TRAILING_COMMA: ReadonlySet<FrameKind> = new Set<FrameKind>(['call', 'params', 'vector', 'hash']);

/** Removes a comma after the last element. */
function dropTrailingComma({ top, tokens, prev }: Layout): void {
  if (prev?.type === 'COMMA' && TRAILING_COMMA.has(top.kind) && tokens[tokens.length - 2] !== top.opener) tokens.pop();
}

function closeFrame(layout: Layout, raw: RawToken): void {
  const { top } = layout;
  nameRest(layout);
  dropTrailingComma(layout);
  if (top.kind === 'brace' && !layout.atStart) layout.separate(raw.offset);
  const frame = layout.close();
  if (frame.kind === 'interpolation') {
    const heredoc = layout.heredocs.at(-1)?.opener;
    if (heredoc !== undefined && heredoc.start > frame.opener.start) heredocInside(layout, heredoc);
    layout.emit('IEND', raw);
    layout.state = layout.top.inside;
    return;
  }
  layout.emit(CLOSING[raw.text], raw, frame.opener.type);
  if (frame.kind === 'params') closeParameters(layout);
  else if (frame.atStart && isAssigned(layout)) frame.opener.type = 'LDESTR';
}

/** Reports a heredoc opened inside a string: its text would be on the next line, which is still part of the string. */
function heredocInside(layout: Layout, { start, end }: Token): void {
  layout.report(
    'unterminated-heredoc',
    'a heredoc cannot be opened inside `#{…}`',
    start,
    end,
    [],
    'assign it to a variable first',
  );
  layout.heredocs = [];
}

/** The `)` of `def f(a)` ends the header, unless a return type follows. */
function closeParameters(layout: Layout): void {
  const { top } = layout;
  if (top.kind !== 'def' || !top.header) return;
  if (isAssigned(layout)) oneLineDef(layout);
  else if (!returnTypeFollows(layout)) layout.then(layout.lexer.index);
}

/** `def f(n) -> Int`, but not the lambda in `def f(n) ->(x) { x + n } end`. */
function returnTypeFollows({ lexer, text }: Layout): boolean {
  ARROW.lastIndex = lexer.index;
  if (!ARROW.test(text)) return false;
  const end = annotationEnd(text, ARROW.lastIndex);
  END_OF_HEADER.lastIndex = end;
  return end >= 0 && END_OF_HEADER.test(text);
}
