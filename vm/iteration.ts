import { ITER_COUNT, ITER_EACH } from './bytecode/opcodes.js';
import * as arithmetic from './values/arithmetic.js';
import { EnumType, Range, RecordValue } from './values/compound.js';
import { compare } from './values/equal.js';
import { Errors, fail } from './values/error.js';
import { Handle } from './values/handle.js';
import { Hash } from './values/hash.js';
import { successor } from './values/successor.js';
import { typeName } from './values/types.js';
import { Float, isInteger, type Value } from './values/value.js';

/** State of one running iteration; lives in a register and never reaches a program. */
export class Iterator {
  private index = 0;

  /** @param list elements to go through, or keys when `hash` is set; null: a number range from `current` to `last` */
  constructor(
    private readonly list: Value[] | null,
    private readonly hash: Hash | null,
    private current: Value,
    private readonly last: Value,
    private readonly exclusive: boolean,
  ) {}

  /** The next element, or undefined at the end. */
  next(): Value | undefined {
    const { list } = this;
    if (list === null) return this.nextInRange();
    if (this.hash !== null) return this.nextPair(list, this.hash);
    return this.index < list.length ? list[this.index++] : undefined;
  }

  private nextPair(keys: Value[], hash: Hash): Value | undefined {
    while (this.index < keys.length) {
      const key = keys[this.index++];
      const value = hash.get(key);
      if (value !== undefined) return [key, value];
    }
    return undefined;
  }

  private nextInRange(): Value | undefined {
    const { current, last } = this;
    if (typeof current === 'number' && typeof last === 'number') {
      if (this.exclusive ? current >= last : current > last) return undefined;
      this.current = current < Number.MAX_SAFE_INTEGER ? current + 1 : arithmetic.add(current, 1);
      return current;
    }
    if (last !== null) {
      const order = compare(current, last);
      if (this.exclusive ? order >= 0 : order > 0) return undefined;
    }
    this.current = typeof current === 'string' ? successor(current) : arithmetic.add(current, 1);
    return current;
  }
}

function overList(list: Value[]): Iterator {
  return new Iterator(list, null, null, null, false);
}

function overHash(hash: Hash, mode: number): Iterator {
  return new Iterator(hash.keys(), mode === ITER_EACH ? null : hash, null, null, false);
}

/** An iterator over `source` for method `name`, by the modes of ITER. @throws AttributeError when it cannot be iterated */
export function iterate(source: Value, mode: number, name: string): Iterator {
  if (mode === ITER_COUNT) {
    if (isInteger(source)) return new Iterator(null, null, 0, source, true);
    return noMethod(source, name);
  }
  if (Array.isArray(source)) return overList(source);
  if (source instanceof Hash) return overHash(source, mode);
  if (source instanceof Range) return overRange(source);
  if (source instanceof RecordValue) return overHash(source.fields, mode);
  if (source instanceof EnumType) return overList(source.members.slice());
  if (source instanceof Handle) return overHandle(source, name);
  return noMethod(source, name);
}

function overHandle(source: Handle, name: string): Iterator {
  const items = source.items();
  return items === null ? noMethod(source, name) : overList(items);
}

function overRange(range: Range): Iterator {
  const { lo, hi, exclusive } = range;
  if (typeof lo === 'string' && typeof hi === 'string') return overList(stringRange(range));
  if (lo instanceof Float) fail(Errors.TypeError, 'cannot iterate from Float');
  if (!(hi instanceof Float)) return new Iterator(null, null, lo, hi, exclusive);
  if (Number.isNaN(hi.n)) return overList([]);
  if (!Number.isFinite(hi.n)) return hi.n < 0 ? overList([]) : new Iterator(null, null, lo, null, false);
  // `1...4.5` ends with 4, `1...4.0` with 3.
  return new Iterator(null, null, lo, Math.floor(hi.n), exclusive && Number.isInteger(hi.n));
}

/** Elements of `"a".."e"`: successors, at most as long as the end. */
export function stringRange(range: Range): Value[] {
  const out: Value[] = [];
  const last = range.hi as string;
  for (let text = range.lo as string; text.length <= last.length; text = successor(text)) {
    if (text === last) {
      if (!range.exclusive) out.push(text);
      break;
    }
    out.push(text);
    if (out.length > 1_000_000) fail(Errors.MemoryError, 'range of texts has more than 1000000 elements');
  }
  return out;
}

function noMethod(source: Value, name: string): never {
  if (name === 'for') return fail(Errors.TypeError, `cannot iterate over ${source === null ? 'nil' : typeName(source)}`);
  return fail(Errors.AttributeError, `${source === null ? 'nil' : typeName(source)} has no method '${name}'`);
}

/** All elements of what can be iterated, as a new array; a hash gives pairs. For natives that take a collection. */
export function elements(source: Value, name: string): Value[] {
  if (Array.isArray(source)) return source.slice();
  if (source === null || typeof source === 'string' || isInteger(source)) return noMethod(source, name);
  if (source instanceof Range && source.hi === null) fail(Errors.ValueError, `${name}() needs a range with an end`);
  const iterator = iterate(source, 0, name);
  const out: Value[] = [];
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    out.push(item);
    if (out.length > MAX_ELEMENTS) fail(Errors.MemoryError, `vector would have more than ${MAX_ELEMENTS} elements`);
  }
  return out;
}

const MAX_ELEMENTS = 1 << 26;
