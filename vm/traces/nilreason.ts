/**
 * Which expression of the source was nil where something else was needed. Positions of instructions are enough: a
 * method's is its name, an operator's is the operator, an index's is its bracket.
 */
import { positionOf } from '../bytecode/program.js';
import type { NilUse } from '../values/error.js';
import type { Fn } from '../values/function.js';

/** Maximum characters of an expression, or of the value assigned to a variable, in a message. */
const MAX_SHOWN = 60;

/** Maximum characters of a function, and of each of its lines, in which assignments are searched. */
const MAX_SEARCHED = 20_000;
const MAX_LINE = 300;

const WORD = /[\w\u0080-\uffff]/;
const CLOSERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const OPENERS: Readonly<Record<string, string>> = { '(': ')', '[': ']' };

const USES: readonly NilUse[] = ['receiver', 'indexed', 'called', 'left', 'right', 'iterated'];

/** Reasons by address and use. */
const known = new WeakMap<Fn, Map<number, string>>();

/**
 * Says which expression was nil at an instruction, such as "`user.name` is nil"; empty if the source does not tell.
 * `name` is that of the method that was called.
 */
export function nilReason(fn: Fn, pc: number, use: NilUse, name: string): string {
  if (fn.text === null) return '';
  let reasons = known.get(fn);
  if (reasons === undefined) known.set(fn, (reasons = new Map()));
  const key = pc * USES.length + USES.indexOf(use);
  let reason = reasons.get(key);
  if (reason === undefined) reasons.set(key, (reason = findReason(fn.text, positionOf(fn, pc), use, name)));
  return reason;
}

function findReason(
  text: string,
  { line, column }: { line: number; column: number },
  use: NilUse,
  name: string,
): string {
  const offset = offsetOf(text, line, column);
  // The tables of an artefact may hold any position.
  if (offset < 0 || offset >= text.length) return '';
  const found = expressionOf(text, offset, use, name);
  if (found === null) return '';
  const shown = found
    .replace(/\s*\n\s*(?=&?\.)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (shown === '' || shown === 'nil' || shown.length > MAX_SHOWN || /#(?!\{)/.test(shown)) return '';
  return `\`${shown}\` is nil${origin(text, shown, offset, line)}`;
}

/** Offset of a position; −1 if the text has no such line. */
function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let row = 1; row < line; row++) {
    start = text.indexOf('\n', start) + 1;
    if (start === 0) return -1;
  }
  return start + column - 1;
}

function expressionOf(text: string, offset: number, use: NilUse, name: string): string | null {
  switch (use) {
    case 'receiver': {
      if (!text.startsWith(name, offset)) return null;
      const dot = beforeBlanks(text, offset);
      return text[dot - 1] === '.' && text[dot - 2] !== '.' && text[dot - 2] !== '&' ? before(text, dot - 1) : null;
    }
    case 'indexed':
      return text[offset] === '[' ? before(text, offset) : null;
    case 'left':
      return operatorAt(text, offset) === '' ? null : before(text, offset);
    case 'right': {
      const sign = operatorAt(text, offset);
      return sign === '' ? null : after(text, offset + sign.length);
    }
    case 'called': {
      const found = after(text, offset, false);
      return found !== null && /^\.?\(/.test(text.slice(offset + found.length, offset + found.length + 2))
        ? found
        : null;
    }
    case 'iterated': {
      const dot = beforeBlanks(text, offset);
      return text[dot - 1] === '.' ? before(text, dot - 1) : after(text, offset, true, true);
    }
  }
}

/** The operator at `offset`, or an empty text. */
function operatorAt(text: string, offset: number): string {
  return /^(?:<=>|(?:\*\*|\/\/|<<|[<>=!]=|[-+*/%<>])=?)/.exec(text.slice(offset, offset + 3))?.[0] ?? '';
}

function beforeBlanks(text: string, end: number): number {
  let at = end;
  while (at > 0 && /\s/.test(text[at - 1])) at--;
  return at;
}

/** The value that ends at `end`: names, calls and indexes joined by points; null for other forms. */
function before(text: string, end: number): string | null {
  const last = beforeBlanks(text, end);
  let at = last;
  for (;;) {
    const start = partStart(text, at);
    if (start < 0) return null;
    const c = text[start - 1] ?? '';
    if (text[start] === '(' || text[start] === '[') {
      // Arguments or an index follow directly what they belong to.
      if (WORD.test(c) || c === ')' || c === ']' || c === '?' || c === '!') {
        at = start;
        continue;
      }
    }
    const dot = beforeBlanks(text, start);
    if (text[dot - 1] !== '.' || text[dot - 2] === '.') return text.slice(start, last);
    at = beforeBlanks(text, text[dot - 2] === '&' ? dot - 2 : dot - 1);
  }
}

/** Start of the name, text or bracket that ends at `end`; −1 for other forms. */
function partStart(text: string, end: number): number {
  const c = text[end - 1] ?? '';
  if (c === '"' || c === "'") return textStart(text, end - 1);
  if (CLOSERS[c] !== undefined) return c === '}' ? -1 : bracketStart(text, end - 1);
  let at = c === '?' || c === '!' ? end - 1 : end;
  while (at > 0 && WORD.test(text[at - 1])) at--;
  const word = text.slice(at, end);
  return word === '' || word === 'end' || word === '?' || word === '!' ? -1 : at;
}

/** Index of the quote that opens the text whose closing quote is at `close`; −1 if it is on another line. */
function textStart(text: string, close: number): number {
  for (let at = close - 1; at >= 0 && text[at] !== '\n'; at--)
    if (text[at] === text[close] && text[at - 1] !== '\\') return at;
  return -1;
}

/** Index of the bracket that matches the one at `close`. */
function bracketStart(text: string, close: number): number {
  const open: string[] = [];
  for (let at = close; at >= 0 && close - at < 500; at--) {
    const c = text[at];
    if (c === '"' || c === "'") {
      at = textStart(text, at);
      if (at < 0) return -1;
    } else if (CLOSERS[c] !== undefined) open.push(CLOSERS[c]);
    else if (c === '(' || c === '[' || c === '{') {
      if (open.pop() !== c) return -1;
      if (open.length === 0) return at;
    }
  }
  return -1;
}

/**
 * The value that begins at `from`; null for other forms. Without `calls`, ends before its arguments. A `do` after it
 * belongs to a loop if `inLoop`.
 */
function after(text: string, from: number, calls = true, inLoop = false): string | null {
  let at = from;
  while (/\s/.test(text[at] ?? '')) at++;
  const start = at;
  for (;;) {
    const c = text[at] ?? '';
    if (WORD.test(c)) {
      while (WORD.test(text[at] ?? '')) at++;
      if ((text[at] === '?' || text[at] === '!') && text[at + 1] !== '=') at++;
    } else if (c === '(' || c === '[') {
      if (c === '(' && !calls) break;
      at = bracketEnd(text, at);
      if (at < 0) return null;
    } else break;
    const point = /^(?:&?\.(?!\.)|(?=[([]))/.exec(text.slice(at, at + 2));
    if (point === null || (point[0] !== '' && !WORD.test(text[at + point[0].length] ?? ''))) break;
    at += point[0].length;
  }
  // A block belongs to the value.
  const block = inLoop ? /^ *\{/ : /^ *(?:\{|do\b)/;
  return at === start || block.test(text.slice(at, at + 5)) ? null : text.slice(start, at);
}

/** Index after the bracket that matches the one at `open`. */
function bracketEnd(text: string, open: number): number {
  const wanted: string[] = [];
  for (let at = open; at < text.length && at - open < 500; at++) {
    const c = text[at];
    if (c === '"' || c === "'") {
      const line = text.indexOf('\n', at);
      const close = text.indexOf(c, at + 1);
      if (close < 0 || (line >= 0 && close > line)) return -1;
      at = close;
    } else if (OPENERS[c] !== undefined) wanted.push(OPENERS[c]);
    else if (c === ')' || c === ']') {
      if (wanted.pop() !== c) return -1;
      if (wanted.length === 0) return at + 1;
    }
  }
  return -1;
}

/**
 * Where a variable comes from: " (from `find_user(id)`, line 12)" if its function assigns it in one place only, at the
 * start of an earlier line.
 */
function origin(text: string, name: string, offset: number, line: number): string {
  if (!/^[a-z_]\w*$/.test(name)) return '';
  const [start, end] = functionAround(text, offset);
  if (end - start > MAX_SEARCHED) return '';
  const body = text.slice(start, end);
  if (body.split('\n').some((row) => row.length > MAX_LINE && row.includes(name))) return '';
  const found = onlyAssignment(body, name);
  if (found === null) return '';
  const at = start + found.at;
  const row = text.lastIndexOf('\n', at) + 1;
  if (at >= offset || text.slice(row, at).trim() !== '' || !enclose(text, row, offset)) return '';
  const value = wholeValue(text, start + found.value);
  const shown = found.isShown ? `${text.slice(at, start + found.value).trim()} ${value}` : value;
  if (value === '' || shown.length > MAX_SHOWN) return '';
  return ` (${shown === 'nil' ? 'set to nil' : `from \`${shown}\``}, line ${line - count(text.slice(at, offset), /\n/g)})`;
}

/** Offsets of an assignment and its value; `isShown` says that its left side belongs in messages: `{a:} = f()`. */
interface Assignment {
  at: number;
  value: number;
  isShown: boolean;
}

/** The assignment of a variable, if nothing else in `body` binds it. */
function onlyAssignment(body: string, name: string): Assignment | null {
  const plain = [...body.matchAll(new RegExp(`(?<![\\w.@:"'])${name}[ \\t]*${ASSIGNS}`, 'g'))];
  const ofHash = [...body.matchAll(/\{([^{}\n]*)\}[ \t]*=(?![=~>])/g)].filter(([, entries]) =>
    new RegExp(`(?:^|,)\\s*(?:\\w+:\\s*)?${name}:?\\s*(?:,|$)`).test(entries),
  );
  const [found] = [...plain, ...ofHash];
  if (plain.length + ofHash.length !== 1 || !/^(?:\w+|\{.*\})[ \t]*=$/.test(found[0])) return null;
  const value = found.index + found[0].length;
  if (isBound(body.slice(0, found.index) + body.slice(value), name)) return null;
  return { at: found.index, value, isShown: ofHash.length > 0 };
}

/** The value that begins at `from`, with the calls that follow on lines that begin with a point; empty if it is cut. */
function wholeValue(text: string, from: number): string {
  let value = restOfLine(text, from);
  if (!isWhole(value)) return '';
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) {
    const next = restOfLine(text, at + 1);
    if (next === '' || next.startsWith('#')) continue;
    if (!/^&?\.(?!\.)/.test(next)) break;
    if (!isWhole(next) || value.length > MAX_SHOWN) return '';
    value += next;
  }
  return value;
}

/** `=` and its variants after a name. */
const ASSIGNS = '(?:\\|\\||&&|\\*\\*|//|[-+*/%])?=(?![=~>])';

function restOfLine(text: string, from: number): string {
  const end = text.indexOf('\n', from);
  return text
    .slice(from, end < 0 ? text.length : end)
    .replace(/\s+#[^"']*$/, '')
    .trim();
}

/** Blanks at the start of the line that begins at `at`. */
function indent(text: string, at: number): number {
  return /^[ \t]*/.exec(text.slice(at, at + MAX_LINE))?.[0].length ?? 0;
}

/** Whether all lines up to `offset` are indented at least as the one that begins at `start`: they are in its block. */
function enclose(text: string, start: number, offset: number): boolean {
  const least = indent(text, start);
  return text
    .slice(start, offset)
    .split('\n')
    .every((line) => line.trim() === '' || indent(line, 0) >= least);
}

/** Start and end of the `def` around `offset`, by indentation; of the whole text if there is none. */
function functionAround(text: string, offset: number): [start: number, end: number] {
  let start = text.lastIndexOf('\n', offset - 1) + 1;
  let least = indent(text, start);
  while (start > 1 && least > 0 && offset - start <= MAX_SEARCHED) {
    start = text.lastIndexOf('\n', start - 2) + 1;
    const depth = indent(text, start);
    if (depth >= least || /^\s*$/.test(text.slice(start, text.indexOf('\n', start)))) continue;
    least = depth;
    if (!text.startsWith('def ', start + depth)) continue;
    const end = text.indexOf(`\n${text.slice(start, start + depth)}end`, offset);
    return [start, end < 0 ? text.length : end];
  }
  return offset - start > MAX_SEARCHED ? [0, Infinity] : [0, text.length];
}

/** Whether a name is also bound in another way than by `name = value`. */
function isBound(text: string, name: string): boolean {
  const bound = [
    `\\|[^|\\n]*\\b${name}\\b[^|\\n]*\\|`,
    `\\bdef\\b[^\\n]*[(,][^\\n]*\\b${name}\\b`,
    `->\\([^)\\n]*\\b${name}\\b`,
    `\\bfor\\b[^\\n]*\\b${name}\\b[^\\n]*\\bin\\b`,
    `=>[ \\t]*${name}\\b`,
    `\\b(?:in|rescue)\\b[^\\n]*\\b${name}\\b`,
    `\\b${name}\\b[ \\t]*,[^\\n]*=`,
    `,[ \\t]*[*(]*${name}\\b[^\\n]*=`,
    `\\{[^}\\n]*\\b${name}\\b[^}\\n]*\\}[ \\t]*=`,
  ];
  return bound.some((pattern) => new RegExp(pattern).test(text));
}

/** Whether a value ends on its line. */
function isWhole(value: string): boolean {
  if (
    /(?:[-+*/%=<>&|,.({[?:]|\b(?:do|and|or|not|begin|then|else))$/.test(value) ||
    /^(?:if|unless|case|begin|while)\b/.test(value)
  )
    return false;
  return count(value, /[([{]/g) === count(value, /[)\]}]/g) && count(value, /"/g) % 2 === 0;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
