import type {
  Decimal,
  Expr,
  Float,
  HashLit,
  Index,
  Int,
  Interp,
  Member,
  Method,
  NamedArg,
  Pair,
  Param,
  RecordDecl,
  Regex,
  Splat,
  Str,
  Vector,
} from '../ast.js';
import { isTypeName, isTypeValue, typeOfAlias } from '../annotationtypes.js';
import { HTML, Token } from '../layout/token.js';
import { dedent, unescape, unescapeSingle } from '../strings.js';
import { invalid, type InvalidNode } from './invalid.js';
import { bareJump } from './jumps.js';
import { htmlLiteral } from '../templates/htmlliteral.js';
import { defaultParam, plainParam } from './parameters.js';
import { type List, type MaybeList, toArray } from './list.js';

/** Placeholder for the missing end of `1..` or `..1`; never part of a finished tree. */
export const NO_END: Expr = Object.freeze({ type: 'Nil', start: -1, end: -1 });

export function literal(token: Token): Expr {
  const { text, start, end } = token;
  switch (text[0]) {
    case undefined:
      return NO_END;
    case '"':
      return marked(token, { type: 'Str', start, end, value: unescape(text.slice(1, -1)) });
    case "'":
      return { type: 'Str', start, end, value: singleQuoted(text) };
    case ':':
      return { type: 'Str', start, end, value: text[1] === '"' ? unescape(text.slice(2, -1)) : text.slice(1) };
    case '/':
      return regexOf(
        [{ type: 'Str', start: start + 1, end, value: text.slice(1, text.lastIndexOf('/')) }],
        text.slice(text.lastIndexOf('/') + 1),
        start,
        end,
      );
    case '%':
      return words(token);
    default:
      return /[-0-9]/.test(text[0]) ? number(token) : keyword(token);
  }
}

/** A string, or the safe HTML that `html` before its quote makes of it. */
function marked({ extra }: Token, literal: Str | Interp): Expr {
  return extra === HTML ? htmlLiteral(literal) : literal;
}

function singleQuoted(text: string): string {
  const width = text.startsWith("'''") ? 3 : 1;
  return unescapeSingle(text.slice(width, text.length - width));
}

function keyword(token: Token): Expr {
  const { text, start, end } = token;
  if (text === 'nil') return { type: 'Nil', start, end };
  if (text === 'true' || text === 'false') return { type: 'Bool', start, end, value: text === 'true' };
  return bareJump(token);
}

function number({ text, start, end }: Token): Int | Float | Decimal {
  const digits = text.replaceAll('_', '');
  const radix = /^-?0[xXbBoO]/.test(digits);
  if (!radix && digits.endsWith('d')) return { type: 'Decimal', start, end, value: digits.slice(0, -1) };
  if (!radix && /[.eE]/.test(digits)) return { type: 'Float', start, end, value: Number(digits) };
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return { type: 'Int', start, end, value };
  return {
    type: 'Int',
    start,
    end,
    value: /^-?(?:[0-9]+|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/.test(digits) ? BigInt(digits) : 0,
  };
}

function words({ text, start, end }: Token): Vector {
  const opening = '%w['.length;
  const items = [...text.slice(opening, -1).matchAll(/\S+/gu)];
  const strings = items.map(({ 0: value, index }): Str => ({
    type: 'Str',
    start: start + opening + index,
    end: start + opening + index + value.length,
    value,
  }));
  return { type: 'Vector', start, end, items: strings };
}

function regexOf(parts: Expr[], flags: string, start: number, end: number): Regex {
  return { type: 'Regex', start, end, parts, flags };
}

type Part = Token | Expr;

/** Builds a string, heredoc or regex from its pieces. */
export function interpolated(open: Token, list: MaybeList<Part>, close: Token): Expr {
  const parts = toArray(list);
  const { start } = open;
  const { end } = close;
  if (open.text === '/')
    return regexOf(
      strings(parts, (text) => text),
      close.text.slice(1),
      start,
      end,
    );
  const pieces = open.extra === HTML ? asValues(parts) : open.text.startsWith('<<~') ? dedented(parts) : parts;
  const built = strings(pieces, open.text.includes("'") ? (text) => text : unescape);
  if (built.length === 0) return marked(open, { type: 'Str', start, end, value: '' });
  const [only] = built;
  if (built.length === 1 && only?.type === 'Str' && parts.some((part) => part instanceof Token)) {
    return marked(open, { type: 'Str', start, end, value: only.value });
  }
  return marked(open, { type: 'Interp', start, end, parts: built });
}

/** Literal texts in `#{…}` of HTML are values, which are escaped. */
function asValues(parts: Part[]): Part[] {
  return parts.map((part) =>
    !(part instanceof Token) && part.type === 'Str'
      ? { type: 'Interp', parts: [part], start: part.start, end: part.end }
      : part,
  );
}

function strings(parts: Part[], value: (raw: string) => string): Expr[] {
  const built: Expr[] = [];
  for (const part of joinTexts(parts)) {
    if (!(part instanceof Token)) built.push(part);
    else if (part.text !== '') built.push({ type: 'Str', start: part.start, end: part.end, value: value(part.text) });
  }
  return built;
}

/** Joins adjacent text pieces: the lexer reads a long text in pieces. */
function joinTexts(parts: Part[]): Part[] {
  const joined: Part[] = [];
  for (let i = 0; i < parts.length;) {
    const part = parts[i++];
    if (!(part instanceof Token)) {
      joined.push(part);
      continue;
    }
    const pieces = [part];
    for (let next = parts[i]; next instanceof Token; next = parts[++i]) pieces.push(next);
    joined.push(
      pieces.length === 1
        ? part
        : new Token('TEXT', pieces.map(({ text }) => text).join(''), part.start, (pieces.at(-1) as Token).end),
    );
  }
  return joined;
}

/** The parts of a `<<~` heredoc, with the common indentation removed. */
function dedented(parts: Part[]): Part[] {
  const texts = [''];
  for (const part of parts) {
    if (part instanceof Token) texts[texts.length - 1] += part.text;
    else texts.push('');
  }
  const stripped = dedent(texts);
  const result: Part[] = [];
  let index = 0;
  const addText = (near: { start: number; end: number }): void => {
    result.push(new Token('TEXT', stripped[index++], near.start, near.end));
  };
  let near: { start: number; end: number } = parts[0] ?? { start: 0, end: 0 };
  for (const part of parts) {
    if (part instanceof Token) near = part;
    else {
      addText(near);
      result.push(part);
      near = part;
    }
  }
  addText(near);
  return result;
}

export function emptyVector(open: Token, close: Token): Vector {
  return { type: 'Vector', start: open.start, end: close.end, items: [] };
}

export function vector(open: Token, items: List<Expr | Splat | NamedArg>, close: Token): Vector {
  return { type: 'Vector', start: open.start, end: close.end, items: namedToHash(toArray(items)) };
}

/**
 * Where arguments have no names, as in `[a: 1]`, the named items are collected into one hash at the end, as in Ruby.
 */
export function namedToHash(given: (Expr | Splat | NamedArg)[]): (Expr | Splat)[] {
  const items = given.some(isBlockArgument)
    ? given.map((item) => (isBlockArgument(item) ? misplacedBlock(item) : item))
    : given;
  const isNamed = (item: Expr | Splat | NamedArg): item is NamedArg => item.type === 'NamedArg';
  const named = items.filter(isNamed);
  if (named.length === 0) return items as (Expr | Splat)[];
  const entries = named.map(({ start, end, name, value }): Pair => ({
    type: 'Pair',
    start,
    end,
    key: { type: 'Str', start, end: start + name.length, value: name },
    value,
  }));
  const hash: HashLit = {
    type: 'Hash',
    start: named[0].start,
    end: (named.at(-1) as NamedArg).end,
    entries,
  };
  return [...items.filter((item): item is Expr | Splat => !isNamed(item)), hash];
}

export function emptyHash(open: Token, close: Token): HashLit {
  return { type: 'Hash', start: open.start, end: close.end, entries: [] };
}

export function hash(open: Token, list: List<Pair | Splat | Param>, close: Token): HashLit | RecordDecl | InvalidNode {
  const { start } = open;
  const { end } = close;
  const entries = toArray(list);
  const fields = entries.filter((entry): entry is Param => 'annotation' in entry);
  const other = entries.find((entry) => !('annotation' in entry));
  // Beside `tags: [String]`, `page: Integer` is a value too.
  const typed = fields.filter(
    (field) =>
      isCertainlyTyped(field) && (other === undefined || field.default !== null || !isTypeValue(textOf(field))),
  );
  if (typed.length === 0)
    return { type: 'Hash', start, end, entries: entries.map((entry) => withoutBlock(plainPair(entry))) };
  if (other !== undefined)
    return invalid(
      'hash-of-types',
      'a hash of types holds no other values',
      other.start,
      other.end,
      typed.every((field) => field.default === null && typeOfAlias(textOf(field)) !== null && isName(field))
        ? `beside other values write \`${typeOfAlias(textOf(typed[0]))}\`, not \`${textOf(typed[0])}\``
        : 'write a type for each name, as in `{page: Int = 1, tag: String?}`',
    );
  const name = { start, end, name: `${open.extra}@${start}` };
  return { type: 'RecordDecl', isLiteral: true, start, end, name, fields, methods: [], interfaces: [], doc: '' };
}

/** Whether an entry declares a field. The name of a declared type alone may also be a value. */
function isCertainlyTyped(field: Param): boolean {
  return field.default !== null || !isName(field) || isTypeName(textOf(field));
}

const textOf = ({ annotation }: Param): string => annotation ?? '';
const isName = (field: Param): boolean => /^[\w.]+$/.test(textOf(field));

/** An entry whose value is a name. */
function plainPair(entry: Pair | Splat | Param): Pair | Splat {
  if (!('annotation' in entry)) return entry;
  const { start, end, name, annotation } = entry;
  const key: Str = { type: 'Str', start, end, value: name };
  return { type: 'Pair', start, end, key, value: namedValue(annotation ?? '', entry) };
}

/** The expression that an annotation is if it turns out to be a value: a name, or `shop.Money`. */
export function namedValue(annotation: string, { start, end }: Pick<Param, 'start' | 'end'>): Expr {
  const dot = annotation.indexOf('.');
  if (dot < 0) return { type: 'Ident', start, end, name: annotation };
  const recv: Expr = { type: 'Ident', start, end, name: annotation.slice(0, dot) };
  return { type: 'Member', start, end, recv, name: annotation.slice(dot + 1), nameStart: end, safe: false };
}

/** `page: Int = 1` in a hash of types. */
export function pairType(name: Token, value?: Expr): Param {
  return value === undefined ? plainParam(name) : defaultParam(name, value);
}

function withoutBlock(entry: Pair | Splat): Pair | Splat {
  return isBlockArgument(entry) ? { ...entry, value: misplacedBlock(entry) } : entry;
}

const nameAsString = ({ text, start, end }: Token): Str => ({ type: 'Str', start, end, value: text });

export function pairShort(name: Token): Pair {
  const { start, end, text } = name;
  return { type: 'Pair', start, end, key: nameAsString(name), value: { type: 'Ident', start, end, name: text } };
}

export function pairLabel(name: Token, value: Expr): Pair {
  return { type: 'Pair', start: name.start, end: value.end, key: nameAsString(name), value };
}

/** `{"a": 1}`. A plain name before ` :` is a key as well. */
export function pairColon(key: Expr, value: Expr): Pair {
  const { start, end } = key;
  return {
    type: 'Pair',
    start,
    end: value.end,
    key: key.type === 'Ident' ? { type: 'Str', start, end, value: key.name } : key,
    value,
  };
}

export function pairArrow(key: Expr, value: Expr): Pair {
  return { type: 'Pair', start: key.start, end: value.end, key, value };
}

/** `&x` in arguments, until the call that it belongs to is known. */
export interface BlockArgument extends Splat {
  isBlock: true;
}

function blockArgument(sign: Token, value: Expr): BlockArgument {
  return { type: 'Splat', start: sign.start, end: value.end, value, double: false, isBlock: true };
}

export function isBlockArgument(arg: { type: string }): arg is BlockArgument {
  return arg.type === 'Splat' && 'isBlock' in arg;
}

/** A block argument where none can be. */
export function misplacedBlock({ start, end }: { start: number; end: number }): InvalidNode {
  return invalid(
    'block-pass',
    '`&` stands before the last argument of a call, and nowhere else',
    start,
    end,
    'write it last, or without `&`',
  );
}

/** `*x`, `**x`, or the block argument `&x`. */
export function splat(star: Token, value: Expr): Splat {
  if (star.text === '&') return blockArgument(star, value);
  return { type: 'Splat', start: star.start, end: value.end, value, double: star.text === '**' };
}

/** `"a" "b"`: texts that stand side by side are one text, also if methods of it follow. */
export function joined(left: Expr, right: Expr): Expr {
  const { start } = left;
  const links: (Method | Member | Index)[] = [];
  let text = right;
  for (; text.type === 'Method' || text.type === 'Member' || text.type === 'Index'; text = text.recv)
    links.unshift(text);
  return links.reduce((recv: Expr, link): Expr => ({ ...link, start, recv }), joinedTexts(left, text));
}

function joinedTexts(left: Expr, right: Expr): Expr {
  const { start } = left;
  const { end } = right;
  if (left.type === 'Str' && right.type === 'Str') return { type: 'Str', start, end, value: left.value + right.value };
  const parts = [left, right].flatMap((text) => (text.type === 'Interp' ? text.parts : [text]));
  return { type: 'Interp', start, end, parts };
}
