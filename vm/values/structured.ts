import type { Fields } from './fields.js';
import type { Shape } from './hash.js';
import type { Closure } from './function.js';
import { Float, type Value } from './value.js';

/** `lo..hi` or `lo...hi`; endless when `hi` is null. Borders are numbers or strings. */
export class Range {
  constructor(
    readonly lo: Value,
    readonly hi: Value,
    readonly exclusive: boolean,
  ) {}

  /** First and last Integer, as numbers; −1 length when empty. Only for ranges of numbers. */
  integerBounds(): { first: number; last: number } {
    const first = toNumber(this.lo);
    const hi = this.hi === null ? Infinity : toNumber(this.hi);
    const last = this.exclusive && Number.isInteger(hi) ? hi - 1 : Math.floor(hi);
    return { first: Math.ceil(first), last };
  }
}

function toNumber(value: Value): number {
  return value instanceof Float ? value.n : Number(value);
}

/** Made by `record`; `make` is its constructor. */
export class RecordType {
  /** Set when the program is linked. */
  make: Closure | null = null;

  constructor(
    readonly name: string,
    readonly fields: readonly string[],
    readonly shape: Shape | null,
  ) {}
}

/** An instance of a record. */
export class RecordValue {
  constructor(
    readonly type: RecordType,
    readonly fields: Fields,
  ) {}
}

/** Made by `enum`: its members are strings. */
export class EnumType {
  constructor(
    readonly name: string,
    readonly members: readonly string[],
  ) {}
}

/** A compiled regular expression. Stateless: `re` has the flags g and d off; natives that need lastIndex make their own. */
export class Regex {
  /** Longest text, in UTF-16 units, that V8 searches in about 2 ms whatever it holds. */
  atOnce = 16;

  constructor(
    readonly source: string,
    readonly flags: string,
    readonly re: RegExp,
  ) {}
}
