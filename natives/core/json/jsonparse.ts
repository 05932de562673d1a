/**
 * Parses JSON text. Written by hand: by guessing that an object has the keys of the previous one it is about as fast as
 * JSON.parse, which loses the difference between 1 and 1.0, digits of large Integers, and the order of keys that look
 * like numbers.
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

const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const LARGE_E = 69;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const SMALL_E = 101;
const SMALL_F = 102;
const SMALL_N = 110;
const SMALL_T = 116;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Maximum characters parsed at once, and the approximate number between two pauses of `parseSteps`. */
export const MAX_STEP_CHARACTERS = 65_536;

/** Pending values for which a parser has room from its start. */
const FIRST_PENDING = 16;

/** Thrown by a parser whose container does not end before its `limit`. */
const TOO_LONG = new Error('longer than a step');

/** Parses a JSON text. @throws ValueError with line and column when it is invalid, or nested deeper than 512 levels */
export function parseJson(source: string): Value {
  return new Parser(source).parse();
}

/** `parseJson` in steps, for long texts. */
export function parseSteps(source: string): Generator<void, Value, void> {
  return new Parser(source).steps();
}

function isDigit(c: number): boolean {
  return c >= ZERO && c <= NINE;
}

class Parser {
  private pos = 0;
  private depth = 0;
  private readonly shapesBefore = Shape.made;
  /** A container parsed at once must end before this position; otherwise `steps` restarts it in steps. */
  private limit = Infinity;
  /** Position from which `steps` pauses. */
  private stopAt = MAX_STEP_CHARACTERS;
  /**
   * Values of the containers that are being parsed without a pause, up to `top`. An array for each container would grow,
   * and V8 makes room for 17 elements when the first one is added. Has nulls at first, so that it takes values of any kind.
   */
  private readonly pending: Value[] = new Array<Value>(FIRST_PENDING).fill(null);
  private top = 0;

  constructor(private readonly text: string) {}

  parse(): Value {
    return this.ended(this.parseValue(this.skipBlanks()));
  }

  *steps(): Generator<void, Value, void> {
    return this.ended(yield* this.valueSteps(this.skipBlanks()));
  }

  private ended(value: Value): Value {
    this.skipBlanks();
    return this.pos < this.text.length ? this.unexpected('the end') : value;
  }

  /** Pauses so that other threads run. */
  private *stop(): Generator<void, void, void> {
    yield;
    this.stopAt = this.pos + MAX_STEP_CHARACTERS;
  }

  /** Parses a value, at once if it ends soon. */
  private *valueSteps(c: number): Generator<void, Value, void> {
    if (c !== OPEN_BRACKET && c !== OPEN_BRACE) return this.parseValue(c);
    const [start, level] = [this.pos, this.depth];
    this.limit = this.pos + MAX_STEP_CHARACTERS;
    try {
      return this.parseValue(c);
    } catch (error) {
      if (error !== TOO_LONG) throw error;
      this.pos = start;
      this.depth = level;
      this.top = 0;
    } finally {
      this.limit = Infinity;
    }
    yield* this.stop();
    return yield* c === OPEN_BRACKET ? this.arraySteps() : this.objectSteps();
  }

  private *arraySteps(): Generator<void, Value, void> {
    this.enter();
    const list: Value[] = [];
    let c = this.skipBlanks();
    while (c !== CLOSE_BRACKET) {
      list.push(c === OPEN_BRACKET || c === OPEN_BRACE ? yield* this.valueSteps(c) : this.parseValue(c));
      if (this.pos >= this.stopAt) yield* this.stop();
      c = this.nextItem(CLOSE_BRACKET, "',' or ']'");
    }
    this.pos++;
    this.depth--;
    return list;
  }

  private *objectSteps(): Generator<void, Value, void> {
    this.enter();
    const hash = new Hash(Shape.made - this.shapesBefore > MAX_NEW_SHAPES ? null : EMPTY_SHAPE, []);
    let c = this.skipBlanks();
    while (c !== CLOSE_BRACE) {
      const key = this.parseKey(c);
      if (this.skipBlanks() !== COLON) this.unexpected("':'");
      this.pos++;
      hash.set(key, yield* this.valueSteps(this.skipBlanks()));
      if (this.pos >= this.stopAt) yield* this.stop();
      c = this.nextItem(CLOSE_BRACE, "',' or '}'");
    }
    this.pos++;
    this.depth--;
    return hash;
  }

  /** Skips a comma and returns the first character of the next item; returns `end` at the end of the container. */
  private nextItem(end: number, wanted: string): number {
    const c = this.skipBlanks();
    if (c === end) return end;
    if (c !== COMMA) this.unexpected(wanted);
    this.pos++;
    const next = this.skipBlanks();
    // A comma must be followed by an item.
    return next === end ? this.unexpected(end === CLOSE_BRACKET ? 'a value' : 'a key in double quotes') : next;
  }

  /** Skips blanks and returns the next character (NaN at the end). */
  private skipBlanks(): number {
    let c = this.text.charCodeAt(this.pos);
    while (c === SPACE || c === NEWLINE || c === RETURN || c === TAB) c = this.text.charCodeAt(++this.pos);
    return c;
  }

  private parseValue(c: number): Value {
    switch (c) {
      case QUOTE:
        return this.parseString();
      case OPEN_BRACE:
        return this.parseObject();
      case OPEN_BRACKET:
        return this.parseArray();
      case SMALL_T:
        return this.word('true', true);
      case SMALL_F:
        return this.word('false', false);
      case SMALL_N:
        return this.word('null', null);
      default:
        return this.parseNumber(c);
    }
  }

  private word(name: string, value: Value): Value {
    if (!this.text.startsWith(name, this.pos)) this.unexpected('a value');
    this.pos += name.length;
    return value;
  }

  private skipDigits(): number {
    let c = this.text.charCodeAt(this.pos);
    if (!isDigit(c)) this.unexpected('a digit');
    while (isDigit(c)) c = this.text.charCodeAt(++this.pos);
    return c;
  }

  private parseNumber(first: number): Value {
    const start = this.pos;
    const negative = first === MINUS;
    if (negative) first = this.text.charCodeAt(++this.pos);
    if (!isDigit(first)) this.unexpected(negative ? 'a digit' : 'a value');
    const digits = this.pos;
    let n = 0;
    let c = first;
    while (isDigit(c)) {
      n = n * 10 + c - ZERO;
      c = this.text.charCodeAt(++this.pos);
    }
    if (first === ZERO && this.pos - digits > 1) {
      this.pos = digits + 1;
      this.unexpected('no digit after a leading 0');
    }
    if (c === POINT) return this.parseFraction(start, negative, n);
    if (c === SMALL_E || c === LARGE_E) return this.parseExponent(start);
    if (this.pos - digits < 16) return negative ? 0 - n : n;
    return this.largeInteger(start, this.pos - digits);
  }

  private largeInteger(start: number, digits: number): Value {
    if (digits <= MAX_DIGITS) return normalize(BigInt(this.text.slice(start, this.pos)));
    this.pos = start;
    return this.invalid(`number has more than ${MAX_DIGITS} digits`);
  }

  /** Parses a number with a point, which is at `pos`; `whole` is the value of the digits before it. */
  private parseFraction(start: number, negative: boolean, whole: number): Value {
    const point = this.pos++;
    const c = this.skipDigits();
    if (c === SMALL_E || c === LARGE_E) return this.parseExponent(start);
    const places = this.pos - point - 1;
    if (this.pos - start > 16 || places > 22) return new Float(Number(this.text.slice(start, this.pos)));
    let n = whole;
    for (let i = point + 1; i < this.pos; i++) n = n * 10 + this.text.charCodeAt(i) - ZERO;
    n /= POWERS[places];
    return new Float(negative ? -n : n);
  }

  private parseExponent(start: number): Value {
    const sign = this.text.charCodeAt(++this.pos);
    if (sign === PLUS || sign === MINUS) this.pos++;
    this.skipDigits();
    const n = Number(this.text.slice(start, this.pos));
    if (Number.isFinite(n)) return new Float(n);
    // JSON has no infinity, so the value could not be encoded again.
    this.pos = start;
    return this.invalid('number is too large for a Float');
  }

  private parseString(): string {
    const start = ++this.pos;
    const near = start + LONG_STRING_THRESHOLD;
    for (let i = start; i < near; i++) {
      const c = this.text.charCodeAt(i);
      if (c === QUOTE) {
        this.pos = i + 1;
        return this.text.slice(start, i);
      }
      if (c === BACKSLASH) return this.parseLongString(start, i);
      if (!(c >= SPACE)) this.badCharacter(i);
    }
    return this.parseLongString(start, near);
  }

  /**
   * Parses a string that is long or has escapes, and has no quote between `start` and `from`: JSON.parse checks and
   * decodes it natively.
   */
  private parseLongString(start: number, from: number): string {
    let end = this.quoteFrom(from);
    while (end >= 0 && this.isEscaped(end, start)) end = this.quoteFrom(end + 1);
    if (end < 0) return this.badString(start);
    try {
      const value = JSON.parse(this.text.slice(start - 1, end + 1)) as string;
      this.pos = end + 1;
      return value;
    } catch {
      return this.badString(start);
    }
  }

  /** Position of the next quote; searches only up to `limit`. */
  private quoteFrom(at: number): number {
    if (this.limit >= this.text.length) return this.text.indexOf('"', at);
    const found = this.text.slice(at, this.limit + 1).indexOf('"');
    if (found < 0) throw TOO_LONG;
    return at + found;
  }

  /** Whether an odd number of backslashes precedes `at`. */
  private isEscaped(at: number, start: number): boolean {
    let i = at - 1;
    while (i >= start && this.text.charCodeAt(i) === BACKSLASH) i--;
    return (at - i) % 2 === 0;
  }

  private parseArray(): Value {
    this.enter();
    const first = this.top;
    let c = this.skipBlanks();
    if (c !== CLOSE_BRACKET) {
      for (;;) {
        const value = this.parseValue(c);
        this.pending[this.top++] = value;
        if (this.pos > this.limit) throw TOO_LONG;
        c = this.skipBlanks();
        if (c !== COMMA) break;
        this.pos++;
        c = this.skipBlanks();
      }
      if (c !== CLOSE_BRACKET) this.unexpected("',' or ']'");
    }
    this.pos++;
    this.depth--;
    return this.taken(first);
  }

  /** Skips an opening bracket and increments the this.depth. */
  private enter(): void {
    if (++this.depth > MAX_JSON_DEPTH) this.invalid(`nested deeper than ${MAX_JSON_DEPTH} levels`);
    this.pos++;
  }

  private parseObject(): Value {
    this.enter();
    let shape: Shape = EMPTY_SHAPE;
    const first = this.top;
    let c = this.skipBlanks();
    if (c !== CLOSE_BRACE) {
      for (;;) {
        const guess = shape.latest;
        const count = this.top - first;
        if (guess !== null && this.isKey(guess.keys[count])) shape = guess;
        else {
          const key = this.parseKey(c);
          if (count === SHAPE_KEYS || shape.index.has(key) || Shape.made - this.shapesBefore > MAX_NEW_SHAPES)
            return this.parseRest(this.toHash(shape, this.taken(first)), key);
          shape = shape.with(key);
        }
        const value = this.parseMember();
        this.pending[this.top++] = value;
        if (this.pos > this.limit) throw TOO_LONG;
        c = this.skipBlanks();
        if (c !== COMMA) break;
        this.pos++;
        c = this.skipBlanks();
      }
      if (c !== CLOSE_BRACE) this.unexpected("',' or '}'");
    }
    this.pos++;
    this.depth--;
    return new Hash(shape, this.taken(first));
  }

  /** The pending values from `first` on, in an array that is no longer than needed. */
  private taken(first: number): Value[] {
    const values = this.pending.slice(first, this.top);
    this.top = first;
    return values;
  }

  /** The hash of the pairs read so far; without a shape when the this.text creates too many shapes. */
  private toHash(shape: Shape, slots: Value[]): Hash {
    if (Shape.made - this.shapesBefore <= MAX_NEW_SHAPES) return new Hash(shape, slots);
    const hash = new Hash(null);
    shape.keys.forEach((key, i) => hash.set(key, slots[i]));
    return hash;
  }

  /** Parses the rest of an object that has no shape, starting with the value of `key`. */
  private parseRest(hash: Hash, key: string): Value {
    for (;;) {
      hash.set(key, this.parseMember());
      if (this.pos > this.limit) throw TOO_LONG;
      const c = this.skipBlanks();
      if (c === CLOSE_BRACE) break;
      if (c !== COMMA) this.unexpected("',' or '}'");
      this.pos++;
      key = this.parseKey(this.skipBlanks());
    }
    this.pos++;
    this.depth--;
    return hash;
  }

  /** Skips the expected key if it comes next. */
  private isKey(key: string): boolean {
    const end = this.pos + 1 + key.length;
    if (
      this.text.charCodeAt(end) !== QUOTE ||
      this.text.charCodeAt(this.pos) !== QUOTE ||
      !this.text.startsWith(key, this.pos + 1)
    )
      return false;
    this.pos = end + 1;
    return true;
  }

  private parseKey(c: number): string {
    if (c !== QUOTE) this.unexpected('a key in double quotes');
    return this.parseString();
  }

  private parseMember(): Value {
    if (this.skipBlanks() !== COLON) this.unexpected("':'");
    this.pos++;
    return this.parseValue(this.skipBlanks());
  }

  private badString(start: number): never {
    for (let i = start; i < this.text.length; i++) {
      const c = this.text.charCodeAt(i);
      if (c < SPACE) this.badCharacter(i);
      if (c === BACKSLASH && !/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(this.text.slice(i, i + 6))) {
        this.pos = i;
        return this.invalid('unknown escape in a string');
      }
      if (c === BACKSLASH) i++;
    }
    this.pos = start - 1;
    return this.invalid('unterminated string');
  }

  private badCharacter(at: number): never {
    if (at >= this.text.length) this.badString(this.pos);
    this.pos = at;
    return this.invalid('control character in a string');
  }

  private unexpected(wanted: string): never {
    const code = this.text.codePointAt(this.pos);
    const found =
      code === undefined ? 'the end' : code < SPACE ? 'a control character' : `'${String.fromCodePoint(code)}'`;
    return this.invalid(`expected ${wanted}, found ${found}`);
  }

  private invalid(what: string): never {
    const before = this.text.slice(0, this.pos).split('\n');
    return fail(
      Errors.ValueError,
      `invalid JSON at line ${before.length}, column ${before[before.length - 1].length + 1}: ${what}`,
    );
  }
}
