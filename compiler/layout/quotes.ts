import { isExtended, type LexState, type RawToken } from '../lexer.js';
import type { Layout } from './layout.js';
import { type Cut, cutMissingQuote } from './repairs.js';
import { Token } from './token.js';

const BRACKETED_WORDS = /w[[({]/y;
const FLAGS = /[\w\u0080-\uffff]+/y;

/** A string without interpolation is one token. */
export function string(layout: Layout, raw: RawToken): void {
  const cut = layout.repairs.cuts.get(raw.offset);
  if (cut !== undefined) return cutString(layout, raw.offset, cut);
  join(layout, raw);
  if (!raw.text.startsWith("'''") && raw.text.includes('\n')) {
    layout.spanning.push({ start: raw.offset, end: raw.offset + raw.text.length });
  }
  layout.emit('LIT', raw, layout.takeHtml());
}

/** Opens a string that interpolates or is never closed. */
export function quote(layout: Layout, raw: RawToken): void {
  const cut = layout.repairs.cuts.get(raw.offset);
  if (cut === undefined) join(layout, raw);
  if (cut !== undefined) cutString(layout, raw.offset, cut);
  else if (raw.text[0] === "'") longString(layout, raw);
  else openString(layout, raw, raw.text === '"""' ? 'tripled' : 'quoted');
}

/** Joins a text to the one that stands before it on the same line. */
function join(layout: Layout, { offset }: RawToken): void {
  const { prev } = layout;
  const isText = prev?.type === 'STR_END' || (prev?.type === 'LIT' && /^["']/.test(prev.text));
  if (!isText || prev.text.endsWith('/') || !/^[ \t]+$/.test(layout.text.slice(prev.end, offset))) return;
  layout.push(new Token('BINOP', '', offset, offset));
}

/** A single-quoted string without an end, or with more escapes than the lexer matches at once. */
function longString(layout: Layout, raw: RawToken): void {
  const { text, lexer } = layout;
  const quotes = raw.text;
  let at = raw.offset + quotes.length;
  while (at < text.length && !text.startsWith(quotes, at)) at += text[at] === '\\' ? 2 : 1;
  if (at >= text.length) return unterminated(layout, raw.offset, quotes);
  lexer.index = at + quotes.length;
  layout.emit('LIT', { text: text.slice(raw.offset, lexer.index), offset: raw.offset });
}

function openString(layout: Layout, raw: RawToken, inside: LexState): void {
  layout.open('string', layout.emit('STR_BEG', raw, layout.takeHtml())).inside = inside;
  layout.state = inside;
}

export function text(layout: Layout, raw: RawToken): void {
  const { state } = layout;
  layout.emit('TEXT', raw);
  layout.state = state;
}

export function interpolation(layout: Layout, raw: RawToken): void {
  layout.open('interpolation', layout.emit('IBEG', raw));
}

export function stringEnd(layout: Layout, raw: RawToken): void {
  const { opener } = layout.close();
  if (raw.text === '\n') return unterminatedRegex(layout, raw.offset, opener.start);
  if (opener.text === '"' && layout.text.slice(opener.start, raw.offset).includes('\n')) {
    layout.spanning.push({ start: opener.start, end: raw.offset + 1 });
  }
  layout.emit('STR_END', raw);
  if (opener.text === '/') checkFlags(layout);
}

/** A regex without interpolation. */
export function regex(layout: Layout, raw: RawToken): void {
  if (raw.text.startsWith('/*')) return reportComment(layout, raw);
  layout.emit('LIT', raw);
  checkFlags(layout);
}

/** `/*`, which is no regex: there is nothing to repeat. */
function reportComment(layout: Layout, { offset, text: literal }: RawToken): void {
  layout.report(
    'foreign-form',
    'Svc has no `/* … */`',
    offset,
    offset + literal.length,
    [],
    'a comment begins with `#`, on each line',
  );
  layout.push(new Token('LIT', 'nil', offset, offset + literal.length));
}

function checkFlags(layout: Layout): void {
  FLAGS.lastIndex = layout.lexer.index;
  const match = FLAGS.exec(layout.text);
  if (match === null) return;
  const at = layout.lexer.index;
  layout.lexer.index += match[0].length;
  layout.report(
    'bad-regex-flag',
    `\`${match[0]}\` is not a regex flag`,
    at,
    layout.lexer.index,
    [],
    'the flags are `i`, `m`, `s` and `x`',
  );
}

/** A slash that opens a regex that interpolates, has several lines, or is not closed. */
export function slash(layout: Layout, raw: RawToken): void {
  const cut = layout.repairs.cuts.get(raw.offset);
  if (cut !== undefined) cutString(layout, raw.offset, cut);
  else openString(layout, raw, isExtended(layout.text, raw.offset) ? 'extended' : 'regex');
}

const UNTERMINATED_REGEX = {
  code: 'unterminated-regex',
  message: 'expected `/` to close the regex opened here',
  hint: 'a regex without the flag `x` stays on one line; for a division put a value before `/`',
} as const;

function unterminatedRegex(layout: Layout, newline: number, start: number): void {
  const { code, message, hint } = UNTERMINATED_REGEX;
  layout.report(code, message, start, start + 1, [], hint);
  layout.lexer.index = newline;
  layout.emit('STR_END', { text: '/', offset: newline });
}

/** Reports `%w[…]` without its closing bracket; false for any other `%`. */
export function unterminatedWords(layout: Layout, raw: RawToken): boolean {
  BRACKETED_WORDS.lastIndex = raw.offset + 1;
  if (raw.text !== '%' || layout.endsValue() || !BRACKETED_WORDS.test(layout.text)) return false;
  layout.report(
    'unterminated-words',
    `expected a bracket to close \`${layout.text.substr(raw.offset, 3)}\``,
    raw.offset,
    raw.offset + 3,
  );
  skipLine(layout, raw.offset);
  return true;
}

/** Ends the string at `start` with its line; one that may span lines ends with the text. */
function cutString(layout: Layout, start: number, { code, message, start: from, end, hint }: Cut): void {
  layout.report(code, message, from, end, [], hint);
  if (layout.text.startsWith('"""', start) || layout.text.startsWith("'''", start))
    skipTo(layout, start, layout.text.length);
  else skipLine(layout, start);
}

function skipLine(layout: Layout, start: number): void {
  const newline = layout.text.indexOf('\n', start);
  skipTo(layout, start, newline < 0 ? layout.text.length : newline);
}

function skipTo(layout: Layout, start: number, end: number): void {
  layout.push(new Token('LIT', `"${layout.text.slice(start + 1, end)}"`, start, end));
  layout.lexer.index = end;
}

/** The text ended inside the string opened at `start`: chooses the string that the next round will cut. */
function unterminated(layout: Layout, start: number, quotes: string): void {
  const culprit =
    quotes.length === 3
      ? undefined
      : layout.spanning.find((span) => span.start < start && isFollowedByText(layout, span.end));
  cutMissingQuote(layout.repairs, culprit?.start ?? start, quotes);
  layout.lexer.index = layout.text.length;
}

/** Whether a word follows a closing quote: then that quote was probably meant to open a string. */
function isFollowedByText({ text: source }: Layout, end: number): boolean {
  return /[\w\u0080-\uffff"']/u.test(source[end] ?? '');
}

/** If the text ended inside strings, decides which of them, or which `#{`, to report. false if it did not. */
export function endInsideString(layout: Layout): boolean {
  const { frames, repairs } = layout;
  const outer = frames.findIndex(({ kind }) => kind === 'string');
  if (outer < 0) return false;
  const { opener } = frames[outer];
  const { start } = opener;
  const inside = frames[outer + 1]?.opener;
  if (opener.text === '/') repairs.cuts.set(start, { ...UNTERMINATED_REGEX, start, end: start + 1 });
  else if (inside === undefined) unterminated(layout, start, opener.text);
  else
    repairs.cuts.set(start, {
      code: 'unterminated-interpolation',
      message: 'expected `}` to close the interpolation opened here',
      start: inside.start,
      end: inside.end,
      hint: 'close it before the string continues or ends',
    });
  return true;
}
