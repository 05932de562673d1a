/**
 * Parses JSON text. Written by hand: by guessing that an object has the keys of the previous one it is about as fast as
 * JSON.parse, which loses the difference between 1 and 1.0, digits of large Integers, and the order of keys that look
 * like numbers. The state is in module variables for speed; `parseSteps` saves and restores it when it pauses.
 */
import { normalize } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { EMPTY_SHAPE, Hash, Shape } from '../../../vm/values/hash.js';
import { Float, type Value } from '../../../vm/values/value.js';

/** Maximum nesting. */
export const MAX_JSON_DEPTH = 512;
/** Maximum digits of an Integer: reading them takes more than linear time. */
const MAX_DIGITS = 10_000;
/** Maximum keys of a hash with a shape. */
const SHAPE_KEYS = 16;
/** Maximum new shapes created by one text; further objects get no shape. */
const MAX_NEW_SHAPES = 1000;
/** Characters of a string after which the end is found by `indexOf` and the content checked by JSON.parse. */
const LONG_STRING_THRESHOLD = 40;
/** Powers of ten that are exact as doubles; dividing by them rounds correctly. */
const POWERS = Array.from({ length: 23 }, (_, i) => 10 ** i);

let text = '';
let pos = 0;
let depth = 0;
let shapesBefore = 0;

/** Parses a JSON text. @throws ValueError with line and column when it is invalid, or nested deeper than 512 levels */
export function parseJson(source: string): Value {
  text = source;
  pos = 0;
  depth = 0;
  shapesBefore = Shape.made;
  try {
    const value = parseValue(skipBlanks());
    skipBlanks();
    if (pos < text.length) unexpected('the end');
    return value;
  } finally {
    text = '';
  }
}

/** Maximum characters parsed at once, and the approximate number between two pauses of `parseSteps`. */
export const MAX_STEP_CHARACTERS = 65_536;

/** A container parsed at once must end before this position; otherwise `parseSteps` restarts it in steps. */
let limit = Infinity;
const TOO_LONG = new Error('longer than a step');

let stopAt = 0;

/** `parseJson` in steps, for long texts. */
export function* parseSteps(source: string): Generator<void, Value, void> {
  text = source;
  pos = 0;
  depth = 0;
  shapesBefore = Shape.made;
  stopAt = MAX_STEP_CHARACTERS;
  try {
    const value = yield* valueSteps(skipBlanks());
    skipBlanks();
    if (pos < text.length) unexpected('the end');
    return value;
  } finally {
    text = '';
  }
}

/** Pauses so that other threads run. They may also parse, so the state is saved and restored. */
function* stop(): Generator<void, void, void> {
  const state = [text, pos, depth, shapesBefore] as const;
  text = '';
  yield;
  [text, pos, depth, shapesBefore] = state;
  stopAt = pos + MAX_STEP_CHARACTERS;
}

/** Parses a value, at once if it ends soon. */
function* valueSteps(c: number): Generator<void, Value, void> {
  if (c !== 91 && c !== 123) return parseValue(c);
  const [start, level] = [pos, depth];
  limit = pos + MAX_STEP_CHARACTERS;
  try {
    return parseValue(c);
  } catch (error) {
    if (error !== TOO_LONG) throw error;
    pos = start;
    depth = level;
  } finally {
    limit = Infinity;
  }
  yield* stop();
  return yield* c === 91 ? arraySteps() : objectSteps();
}

function* arraySteps(): Generator<void, Value, void> {
  enter();
  const list: Value[] = [];
  let c = skipBlanks();
  while (c !== 93) {
    list.push(c === 91 || c === 123 ? yield* valueSteps(c) : parseValue(c));
    if (pos >= stopAt) yield* stop();
    c = nextItem(93, "',' or ']'");
  }
  pos++;
  depth--;
  return list;
}

function* objectSteps(): Generator<void, Value, void> {
  enter();
  const hash = new Hash(Shape.made - shapesBefore > MAX_NEW_SHAPES ? null : EMPTY_SHAPE, []);
  let c = skipBlanks();
  while (c !== 125) {
    const key = parseKey(c);
    if (skipBlanks() !== 58) unexpected("':'");
    pos++;
    hash.set(key, yield* valueSteps(skipBlanks()));
    if (pos >= stopAt) yield* stop();
    c = nextItem(125, "',' or '}'");
  }
  pos++;
  depth--;
  return hash;
}

/** Skips a comma and returns the first character of the next item; returns `end` at the end of the container. */
function nextItem(end: number, wanted: string): number {
  const c = skipBlanks();
  if (c === end) return end;
  if (c !== 44) unexpected(wanted);
  pos++;
  const next = skipBlanks();
  // A comma must be followed by an item.
  return next === end ? unexpected(end === 93 ? 'a value' : 'a key in double quotes') : next;
}

/** Skips blanks and returns the next character (NaN at the end). */
function skipBlanks(): number {
  let c = text.charCodeAt(pos);
  while (c === 32 || c === 10 || c === 13 || c === 9) c = text.charCodeAt(++pos);
  return c;
}

function parseValue(c: number): Value {
  switch (c) {
    case 34:
      return parseString();
    case 123:
      return parseObject();
    case 91:
      return parseArray();
    case 116:
      return word('true', true);
    case 102:
      return word('false', false);
    case 110:
      return word('null', null);
    default:
      return parseNumber(c);
  }
}

function word(name: string, value: Value): Value {
  if (!text.startsWith(name, pos)) unexpected('a value');
  pos += name.length;
  return value;
}

function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

function skipDigits(): number {
  let c = text.charCodeAt(pos);
  if (!isDigit(c)) unexpected('a digit');
  while (isDigit(c)) c = text.charCodeAt(++pos);
  return c;
}

function parseNumber(first: number): Value {
  const start = pos;
  const negative = first === 45;
  if (negative) first = text.charCodeAt(++pos);
  if (!isDigit(first)) unexpected(negative ? 'a digit' : 'a value');
  const digits = pos;
  let n = 0;
  let c = first;
  while (isDigit(c)) {
    n = n * 10 + c - 48;
    c = text.charCodeAt(++pos);
  }
  if (first === 48 && pos - digits > 1) {
    pos = digits + 1;
    unexpected('no digit after a leading 0');
  }
  if (c === 46) return parseFraction(start, negative, n);
  if (c === 101 || c === 69) return parseExponent(start);
  if (pos - digits < 16) return negative ? 0 - n : n;
  return largeInteger(start, pos - digits);
}

function largeInteger(start: number, digits: number): Value {
  if (digits <= MAX_DIGITS) return normalize(BigInt(text.slice(start, pos)));
  pos = start;
  return invalid(`number has more than ${MAX_DIGITS} digits`);
}

/** Parses a number with a point, which is at `pos`; `whole` is the value of the digits before it. */
function parseFraction(start: number, negative: boolean, whole: number): Value {
  const point = pos++;
  const c = skipDigits();
  if (c === 101 || c === 69) return parseExponent(start);
  const places = pos - point - 1;
  if (pos - start > 16 || places > 22) return new Float(Number(text.slice(start, pos)));
  let n = whole;
  for (let i = point + 1; i < pos; i++) n = n * 10 + text.charCodeAt(i) - 48;
  n /= POWERS[places];
  return new Float(negative ? -n : n);
}

function parseExponent(start: number): Value {
  const sign = text.charCodeAt(++pos);
  if (sign === 43 || sign === 45) pos++;
  skipDigits();
  const n = Number(text.slice(start, pos));
  if (Number.isFinite(n)) return new Float(n);
  // JSON has no infinity, so the value could not be encoded again.
  pos = start;
  return invalid('number is too large for a Float');
}

function parseString(): string {
  const start = ++pos;
  const limit = start + LONG_STRING_THRESHOLD;
  for (let i = start; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c === 34) {
      pos = i + 1;
      return text.slice(start, i);
    }
    if (c === 92) return parseLongString(start, i);
    if (!(c >= 32)) badCharacter(i);
  }
  return parseLongString(start, limit);
}

/**
 * Parses a string that is long or has escapes, and has no quote between `start` and `from`: JSON.parse checks and
 * decodes it natively.
 */
function parseLongString(start: number, from: number): string {
  let end = quoteFrom(from);
  while (end >= 0 && isEscaped(end, start)) end = quoteFrom(end + 1);
  if (end < 0) return badString(start);
  try {
    const value = JSON.parse(text.slice(start - 1, end + 1)) as string;
    pos = end + 1;
    return value;
  } catch {
    return badString(start);
  }
}

/** Position of the next quote; searches only up to `limit`. */
function quoteFrom(at: number): number {
  if (limit >= text.length) return text.indexOf('"', at);
  const found = text.slice(at, limit + 1).indexOf('"');
  if (found < 0) throw TOO_LONG;
  return at + found;
}

/** Whether an odd number of backslashes precedes `at`. */
function isEscaped(at: number, start: number): boolean {
  let i = at - 1;
  while (i >= start && text.charCodeAt(i) === 92) i--;
  return (at - i) % 2 === 0;
}

function parseArray(): Value {
  enter();
  const list: Value[] = [];
  let c = skipBlanks();
  if (c !== 93) {
    for (;;) {
      list.push(parseValue(c));
      if (pos > limit) throw TOO_LONG;
      c = skipBlanks();
      if (c !== 44) break;
      pos++;
      c = skipBlanks();
    }
    if (c !== 93) unexpected("',' or ']'");
  }
  pos++;
  depth--;
  return list;
}

/** Skips an opening bracket and increments the depth. */
function enter(): void {
  if (++depth > MAX_JSON_DEPTH) invalid(`nested deeper than ${MAX_JSON_DEPTH} levels`);
  pos++;
}

function parseObject(): Value {
  enter();
  let shape: Shape = EMPTY_SHAPE;
  const slots: Value[] = [];
  let c = skipBlanks();
  if (c !== 125) {
    for (;;) {
      const guess = shape.latest;
      if (guess !== null && isKey(guess.keys[slots.length])) shape = guess;
      else {
        const key = parseKey(c);
        if (slots.length === SHAPE_KEYS || shape.index.has(key) || Shape.made - shapesBefore > MAX_NEW_SHAPES)
          return parseRest(toHash(shape, slots), key);
        shape = shape.with(key);
      }
      slots.push(parseMember());
      if (pos > limit) throw TOO_LONG;
      c = skipBlanks();
      if (c !== 44) break;
      pos++;
      c = skipBlanks();
    }
    if (c !== 125) unexpected("',' or '}'");
  }
  pos++;
  depth--;
  return new Hash(shape, slots);
}

/** The hash of the pairs read so far; without a shape when the text creates too many shapes. */
function toHash(shape: Shape, slots: Value[]): Hash {
  if (Shape.made - shapesBefore <= MAX_NEW_SHAPES) return new Hash(shape, slots);
  const hash = new Hash(null);
  shape.keys.forEach((key, i) => hash.set(key, slots[i]));
  return hash;
}

/** Parses the rest of an object that has no shape, starting with the value of `key`. */
function parseRest(hash: Hash, key: string): Value {
  for (;;) {
    hash.set(key, parseMember());
    if (pos > limit) throw TOO_LONG;
    const c = skipBlanks();
    if (c === 125) break;
    if (c !== 44) unexpected("',' or '}'");
    pos++;
    key = parseKey(skipBlanks());
  }
  pos++;
  depth--;
  return hash;
}

/** Skips the expected key if it comes next. */
function isKey(key: string): boolean {
  const end = pos + 1 + key.length;
  if (text.charCodeAt(end) !== 34 || text.charCodeAt(pos) !== 34 || !text.startsWith(key, pos + 1)) return false;
  pos = end + 1;
  return true;
}

function parseKey(c: number): string {
  if (c !== 34) unexpected('a key in double quotes');
  return parseString();
}

function parseMember(): Value {
  if (skipBlanks() !== 58) unexpected("':'");
  pos++;
  return parseValue(skipBlanks());
}

function badString(start: number): never {
  for (let i = start; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 32) badCharacter(i);
    if (c === 92 && !/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(text.slice(i, i + 6))) {
      pos = i;
      return invalid('unknown escape in a string');
    }
    if (c === 92) i++;
  }
  pos = start - 1;
  return invalid('unterminated string');
}

function badCharacter(at: number): never {
  if (at >= text.length) badString(pos);
  pos = at;
  return invalid('control character in a string');
}

function unexpected(wanted: string): never {
  const code = text.codePointAt(pos);
  const found = code === undefined ? 'the end' : code < 32 ? 'a control character' : `'${String.fromCodePoint(code)}'`;
  return invalid(`expected ${wanted}, found ${found}`);
}

function invalid(what: string): never {
  const before = text.slice(0, pos).split('\n');
  return fail(
    Errors.ValueError,
    `invalid JSON at line ${before.length}, column ${before[before.length - 1].length + 1}: ${what}`,
  );
}
