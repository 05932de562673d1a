/**
 * Parses JSON text. Written by hand: by guessing that an object has the keys of the previous one it is about as fast as
 * JSON.parse, which loses the difference between 1 and 1.0, digits of large Integers, and the order of keys that look
 * like numbers.
 */
import { normalize } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { EMPTY_SHAPE, Hash, Shape } from '../../../vm/values/hash.js';
import { finish } from '../../../vm/values/steps.js';
import { Excerpts } from '../../../vm/values/text/excerpts.js';
import { Float, type Value } from '../../../vm/values/value.js';

/** Maximum nesting. */
export const MAX_JSON_DEPTH = 512;
/** Maximum digits of an Integer, whose reading takes more than linear time, and of the parts of a Float. */
const MAX_DIGITS = 10_000;
/** Maximum keys of a hash with a shape. */
const SHAPE_KEYS = 16;
/** Maximum new shapes created by one text; further objects get no shape. */
const MAX_NEW_SHAPES = 1000;
/** Characters of the longest escape, such as \u0041. */
const LONGEST_ESCAPE = 6;
/** Characters of a string after which V8 looks for its end, and for what needs decoding. */
const LONG_STRING_THRESHOLD = 16;
/** Characters of a string from which JSON.parse is as fast as a search; its result needs less memory. */
const DECODED_THRESHOLD = 256;
/** Characters of strings that need JSON.parse: to decode an escape, or to refuse a control character. */
const NOT_PLAIN = /[\\\x00-\x1f]/;
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

/** A limit beyond the longest text; a small integer, like all positions. */
const NO_LIMIT = 2 ** 30;

/** Thrown by a parser whose value does not end before its `limit`. */
const TOO_LONG = new Error('longer than a step');

/** Where containers start, by depth. */
interface Levels {
  /** Those around the current position. */
  readonly starts: number[];
  /** Those that are known to be too long for a step: without them, each level would be tried in vain. */
  readonly long: number[];
}

/** For parsers that parse all at once. */
const AT_ONCE: Levels = { starts: [], long: [] };

/** What is wrong with a text, and where. */
class InvalidJson extends Error {
  constructor(
    readonly at: number,
    readonly what: string,
  ) {
    super(what);
  }
}

/** Parses a JSON text. @throws ValueError with line and column when it is invalid, or nested deeper than 512 levels */
export function parseJson(source: string): Value {
  return new Parser(source).parse();
}

/** `parseJson` in steps of a few milliseconds, for long texts. */
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
  /** A value parsed at once must end before this position; otherwise `steps` restarts it in steps. */
  private limit = NO_LIMIT;
  /** Position from which `steps` pauses. */
  private stopAt = MAX_STEP_CHARACTERS;
  /**
   * Values of the containers that are being parsed without a pause, up to `top`. An array for each container would grow,
   * and V8 makes room for 17 elements when the first one is added. Has nulls at first, so that it takes values of any kind.
   */
  private readonly pending: Value[] = new Array<Value>(FIRST_PENDING).fill(null);
  private top = 0;

  /** `steps` has levels of its own. */
  private levels = AT_ONCE;
  private readonly excerpts: Excerpts;

  constructor(private readonly text: string) {
    this.excerpts = new Excerpts(text);
  }

  parse(): Value {
    try {
      return this.ended(this.parseValue(this.skipBlanks()));
    } catch (error) {
      if (!(error instanceof InvalidJson)) throw error;
      return finish(refusal(this.text, error));
    }
  }

  *steps(): Generator<void, Value, void> {
    this.levels = { starts: [], long: [] };
    try {
      const value = yield* this.valueSteps(yield* this.blankSteps());
      yield* this.blankSteps();
      return this.ended(value);
    } catch (error) {
      if (!(error instanceof InvalidJson)) throw error;
      return yield* refusal(this.text, error);
    }
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

  private *valueSteps(c: number): Generator<void, Value, void> {
    const value = this.atOnce(c);
    return value === undefined ? yield* this.longSteps(c) : value;
  }

  /** Parses a value if it ends soon; undefined if not. */
  private atOnce(c: number): Value | undefined {
    const start = this.pos;
    const level = this.depth;
    const { starts, long } = this.levels;
    if (long[level] === start) return undefined;
    this.limit = start + MAX_STEP_CHARACTERS;
    try {
      return this.parseValue(c);
    } catch (error) {
      if (error !== TOO_LONG) throw error;
      // The containers that are open here are long as well.
      for (let i = level; i < this.depth; i++) long[i] = starts[i];
      this.pos = start;
      this.depth = level;
      this.top = 0;
      return undefined;
    } finally {
      this.limit = NO_LIMIT;
    }
  }

  /** A value that does not end soon. */
  private *longSteps(c: number): Generator<void, Value, void> {
    yield* this.stop();
    if (c === QUOTE) return yield* this.stringSteps();
    return yield* c === OPEN_BRACKET ? this.arraySteps() : this.objectSteps();
  }

  private *arraySteps(): Generator<void, Value, void> {
    this.enter();
    const list: Value[] = [];
    let c = yield* this.blankSteps();
    while (c !== CLOSE_BRACKET) {
      const value = this.atOnce(c);
      list.push(value === undefined ? yield* this.longSteps(c) : value);
      if (this.pos >= this.stopAt) yield* this.stop();
      if (this.isBlank()) yield* this.blankSteps();
      c = this.itemAfter(CLOSE_BRACKET, "',' or ']'");
      if (this.isBlank()) c = this.item(CLOSE_BRACKET, yield* this.blankSteps());
    }
    this.pos++;
    this.depth--;
    return list;
  }

  private *objectSteps(): Generator<void, Value, void> {
    this.enter();
    const hash = new Hash(Shape.made - this.shapesBefore > MAX_NEW_SHAPES ? null : EMPTY_SHAPE, []);
    let c = yield* this.blankSteps();
    while (c !== CLOSE_BRACE) {
      const key = c === QUOTE ? ((yield* this.valueSteps(c)) as string) : this.parseKey(c);
      if ((yield* this.blankSteps()) !== COLON) this.unexpected("':'");
      this.pos++;
      hash.set(key, yield* this.valueSteps(yield* this.blankSteps()));
      if (this.pos >= this.stopAt) yield* this.stop();
      if (this.isBlank()) yield* this.blankSteps();
      c = this.itemAfter(CLOSE_BRACE, "',' or '}'");
      if (this.isBlank()) c = this.item(CLOSE_BRACE, yield* this.blankSteps());
    }
    this.pos++;
    this.depth--;
    return hash;
  }

  /**
   * The character behind a comma, which may be a blank; `end` at the end of the container. A generator for each item
   * would make long lists take up to three times as long.
   */
  private itemAfter(end: number, wanted: string): number {
    const c = this.at(this.pos);
    if (c === end) return end;
    if (c !== COMMA) this.unexpected(wanted);
    return this.item(end, this.at(++this.pos));
  }

  /** The character `c`, with which an item must begin: it follows a comma. */
  private item(end: number, c: number): number {
    return c === end ? this.unexpected(end === CLOSE_BRACKET ? 'a value' : 'a key in double quotes') : c;
  }

  /** A string that does not end soon, in pieces that JSON.parse decodes: none ends inside of an escape. */
  private *stringSteps(): Generator<void, string, void> {
    const { text } = this;
    const start = this.pos;
    let decoded = '';
    for (let from = start + 1; ;) {
      const near = Math.min(from + MAX_STEP_CHARACTERS, text.length);
      const quote = this.unescapedQuote(from, near);
      const end = quote < 0 ? this.escapeBefore(from, near) : quote;
      // The end of the text, in which no quote follows.
      if (quote < 0 && near === text.length) return this.badString(start, from);
      decoded += this.decoded(start, from, end);
      from = end;
      this.pos = end + 1;
      if (quote >= 0) return decoded;
      yield* this.stop();
    }
  }

  /** Position of the first quote between two positions that is not escaped, or -1. `from` is not inside of an escape. */
  private unescapedQuote(from: number, end: number): number {
    const part = this.text.slice(from, end);
    let at = part.indexOf('"');
    while (at >= 0 && this.isEscaped(from + at, from)) at = part.indexOf('"', at + 1);
    return at < 0 ? -1 : from + at;
  }

  /** Start of the escape that `end` may be inside of, else `end`. */
  private escapeBefore(from: number, end: number): number {
    for (let i = end - 1; i > end - LONGEST_ESCAPE && i >= from; i--)
      if (this.at(i) === BACKSLASH) return this.isEscaped(i, from) ? end : i;
    return end;
  }

  /** The characters that a part of the string at `start` stands for. */
  private decoded(start: number, from: number, end: number): string {
    try {
      return JSON.parse(`"${this.text.slice(from, end)}"`) as string;
    } catch {
      return this.badString(start, from);
    }
  }

  /** As `skipBlanks`, in steps. */
  private *blankSteps(): Generator<void, number, void> {
    for (;;) {
      const end = this.pos + MAX_STEP_CHARACTERS;
      while (this.pos < end && this.isBlank()) this.pos++;
      if (this.pos < end) return this.at(this.pos);
      yield* this.stop();
    }
  }

  /** The character at a position; -1 at the end. After one `charCodeAt` behind the end, V8 no longer inlines it at that place. */
  private at(pos: number): number {
    return pos < this.text.length ? this.text.charCodeAt(pos) : -1;
  }

  private isBlank(): boolean {
    const c = this.at(this.pos);
    return c === SPACE || c === NEWLINE || c === RETURN || c === TAB;
  }

  /** Skips blanks and returns the next character (-1 at the end). */
  private skipBlanks(): number {
    let c = this.at(this.pos);
    while (c === SPACE || c === NEWLINE || c === RETURN || c === TAB) {
      c = this.at(++this.pos);
      if (this.pos > this.limit) throw TOO_LONG;
    }
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
    const start = this.pos;
    let c = this.at(start);
    if (!isDigit(c)) this.unexpected('a digit');
    while (isDigit(c) && this.pos - start <= MAX_DIGITS) c = this.at(++this.pos);
    return this.pos - start > MAX_DIGITS ? this.tooManyDigits(start) : c;
  }

  private tooManyDigits(start: number): never {
    this.pos = start;
    return this.invalid(`number has more than ${MAX_DIGITS} digits`);
  }

  private parseNumber(first: number): Value {
    const start = this.pos;
    const negative = first === MINUS;
    if (negative) first = this.at(++this.pos);
    if (!isDigit(first)) this.unexpected(negative ? 'a digit' : 'a value');
    const digits = this.pos;
    const most = digits + MAX_DIGITS;
    let pos = digits;
    let n = 0;
    let c = first;
    while (isDigit(c) && pos <= most) {
      n = n * 10 + c - ZERO;
      c = this.at(++pos);
    }
    this.pos = pos;
    if (pos > most) this.tooManyDigits(start);
    if (first === ZERO && pos - digits > 1) {
      this.pos = digits + 1;
      this.unexpected('no digit after a leading 0');
    }
    if (c === POINT) return this.parseFraction(start, negative, n);
    if (c === SMALL_E || c === LARGE_E) return this.parseExponent(start);
    if (pos - digits < 16) return negative ? 0 - n : n;
    return normalize(BigInt(this.text.slice(start, this.pos)));
  }

  /** Parses a number with a point, which is at `pos`; `whole` is the value of the digits before it. */
  private parseFraction(start: number, negative: boolean, whole: number): Value {
    const point = this.pos++;
    const c = this.skipDigits();
    if (c === SMALL_E || c === LARGE_E) return this.parseExponent(start);
    const places = this.pos - point - 1;
    if (this.pos - start > 16 || places > 22) return this.float(start);
    let n = whole;
    for (let i = point + 1; i < this.pos; i++) n = n * 10 + this.at(i) - ZERO;
    n /= POWERS[places];
    return new Float(negative ? -n : n);
  }

  private parseExponent(start: number): Value {
    const sign = this.at(++this.pos);
    if (sign === PLUS || sign === MINUS) this.pos++;
    this.skipDigits();
    return this.float(start);
  }

  private float(start: number): Value {
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
      const c = this.at(i);
      if (c === QUOTE) {
        this.pos = i + 1;
        return this.excerpts.take(start, i);
      }
      if (c === BACKSLASH) return this.parseLongString(start, i);
      if (!(c >= SPACE)) this.badCharacter(i);
    }
    return this.parseLongString(start, near);
  }

  /** Parses a string that is long or has escapes, and has no quote between `start` and `from`. */
  private parseLongString(start: number, from: number): string {
    let end = this.quoteFrom(from);
    if (end >= 0 && end - start < DECODED_THRESHOLD && !NOT_PLAIN.test(this.text.slice(start, end))) {
      this.pos = end + 1;
      return this.excerpts.take(start, end);
    }
    while (end >= 0 && this.isEscaped(end, start)) end = this.quoteFrom(end + 1);
    if (end < 0) return this.badString(start - 1, start);
    const value = this.decoded(start - 1, start, end);
    this.pos = end + 1;
    return value;
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
    while (i >= start && this.at(i) === BACKSLASH) i--;
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
    if (this.levels !== AT_ONCE) this.levels.starts[this.depth] = this.pos;
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
    if (this.at(end) !== QUOTE || this.at(this.pos) !== QUOTE || !this.text.startsWith(key, this.pos + 1)) return false;
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

  /** Finds what is wrong with the string at `start`: it is valid until `from`. */
  private badString(start: number, from: number): never {
    for (let i = from; i < this.text.length; i++) {
      const c = this.at(i);
      if (c < SPACE) this.badCharacter(i);
      if (c === BACKSLASH && !/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(this.text.slice(i, i + 6))) {
        this.pos = i;
        return this.invalid('unknown escape in a string');
      }
      if (c === BACKSLASH) i++;
    }
    this.pos = start;
    return this.invalid('unterminated string');
  }

  private badCharacter(at: number): never {
    if (at >= this.text.length) this.badString(this.pos - 1, this.pos);
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
    throw new InvalidJson(this.pos, what);
  }
}

/** Counts the lines before a mistake, in steps. @throws ValueError that names its place */
function* refusal(text: string, { at, what }: InvalidJson): Generator<void, never, void> {
  let line = 1;
  let start = 0;
  for (let i = 0; i < at; i++) {
    if (text.charCodeAt(i) === NEWLINE) {
      line++;
      start = i + 1;
    }
    if (i % MAX_STEP_CHARACTERS === MAX_STEP_CHARACTERS - 1) yield;
  }
  return fail(Errors.ValueError, `invalid JSON at line ${line}, column ${at - start + 1}: ${what}`);
}
