import { methodHint } from '../bytecode/foreignmethods.js';
import { ITER_COUNT, ITER_EACH } from '../bytecode/opcodes.js';
import * as arithmetic from './numbers/arithmetic.js';
import { Bytes } from './bytes.js';
import { EnumType, Range, RecordValue } from './structured.js';
import { compare } from './equal.js';
import { Errors, fail, failForNil } from './error.js';
import { Handle } from './handle.js';
import { Hash } from './hash.js';
import { overDictionary } from './hashiteration.js';
import { successor } from './text/successor.js';
import { SetValue } from './set.js';
import { kindName } from './types.js';
import { Iterator, PULL } from './iterator.js';
import { Float, isInteger, type Value } from './value.js';
import { failTooManyElements, MAX_ELEMENTS } from './limits.js';

export class ListIterator extends Iterator {
  constructor(
    readonly list: readonly Value[],
    public index: number,
  ) {
    super();
  }

  next(): Value | undefined {
    return this.index < this.list.length ? this.list[this.index++] : undefined;
  }
}

/** Pairs of a hash that has a shape at the start; skips keys deleted during the iteration. */
class PairIterator extends Iterator {
  private index = 0;
  private readonly keys: readonly Value[];

  constructor(private readonly hash: Hash) {
    super();
    this.keys = hash.keys();
  }

  next(): Value | undefined {
    const { keys, hash } = this;
    while (this.index < keys.length) {
      const key = keys[this.index++];
      const value = hash.get(key);
      if (value !== undefined) return [key, value];
    }
    return undefined;
  }
}

class ByteIterator extends Iterator {
  private index = 0;

  constructor(private readonly data: Uint8Array) {
    super();
  }

  next(): Value | undefined {
    return this.index < this.data.length ? this.data[this.index++] : undefined;
  }
}

/** Safe integers below `end`. */
export class CountIterator extends Iterator {
  constructor(
    public current: number,
    readonly end: number,
  ) {
    super();
  }

  next(): Value | undefined {
    return this.current < this.end ? this.current++ : undefined;
  }
}

/** Successive values from `current` to `last`; nil means no end. */
class RangeIterator extends Iterator {
  constructor(
    private current: Value,
    private readonly last: Value,
    private readonly exclusive: boolean,
  ) {
    super();
  }

  next(): Value | undefined {
    const { current, last } = this;
    if (last !== null) {
      const order = compare(current, last);
      if (this.exclusive ? order >= 0 : order > 0) return undefined;
    }
    this.current = typeof current === 'string' ? successor(current) : arithmetic.add(current, 1);
    return current;
  }
}

/** Texts that count as numbers: "9" comes before "10". */
const DIGITS = /^\d+$/;

/** Texts of a range, none if it ends before its start: successors that are at most as long as the last text. */
class TextRangeIterator extends Iterator {
  private count = 0;

  constructor(
    private text: string,
    private readonly last: string,
    private readonly exclusive: boolean,
  ) {
    super();
    const counts = DIGITS.test(text) && DIGITS.test(last);
    if (!counts && compare(text, last) > 0) this.text = `${last} `;
  }

  next(): Value | undefined {
    const { text, last } = this;
    if (text.length > last.length) return undefined;
    const isLast = text === last;
    if (isLast && this.exclusive) return undefined;
    if (++this.count > MAX_TEXTS) fail(Errors.MemoryError, `range of texts has more than ${MAX_TEXTS} elements`);
    // A text longer than the last one ends the range. The empty text and the last character have no successor.
    const next = isLast ? text : successor(text);
    this.text = next === text ? `${last} ` : next;
    return text;
  }
}

/** Maximum number of elements of a range of texts. */
const MAX_TEXTS = 1_000_000;

function overList(list: readonly Value[]): Iterator {
  return new ListIterator(list, 0);
}

/** An iterator over a hash. It is made in constant time, for a hash with a shape has few keys. */
function overHash(hash: Hash, mode: number): Iterator {
  const { dictionary } = hash;
  if (dictionary !== null) return overDictionary(hash, dictionary, mode);
  return mode === ITER_EACH ? overList(hash.keys()) : new PairIterator(hash);
}

/** An iterator over the numbers from `lo` to `hi`. */
function overNumbers(lo: Value, hi: Value, exclusive: boolean): Iterator {
  if (typeof lo !== 'number' || typeof hi !== 'number' || hi >= Number.MAX_SAFE_INTEGER)
    return new RangeIterator(lo, hi, exclusive);
  return new CountIterator(lo, exclusive ? hi : hi + 1);
}

/**
 * An iterator over `source`; `mode` is one of the ITER modes, `name` the method for messages.
 * @throws AttributeError if it cannot be iterated
 */
export function iterate(source: Value, mode: number, name: string): Iterator {
  if (mode === ITER_COUNT) {
    if (isInteger(source)) return overNumbers(0, source, true);
    return noMethod(source, name);
  }
  if (Array.isArray(source)) return overList(source);
  if (source instanceof Hash) return overHash(source, mode);
  if (source instanceof Range) return overRange(source);
  if (source instanceof RecordValue) return overHash(source.fields, mode);
  if (source instanceof EnumType) return overList(source.all());
  if (source instanceof Bytes) return new ByteIterator(source.data);
  if (source instanceof SetValue) return overHash(source.elements, ITER_EACH);
  if (source instanceof Handle) return overHandle(source, name);
  return noMethod(source, name);
}

function overHandle(source: Handle, name: string): Iterator {
  const items = source.items();
  return items === null ? (source.iterator() ?? noMethod(source, name)) : overList(items);
}

function overRange(range: Range): Iterator {
  const { lo, hi, exclusive } = range;
  if (typeof lo === 'string' && typeof hi === 'string') return new TextRangeIterator(lo, hi, exclusive);
  if (lo === null || lo instanceof Float) fail(Errors.TypeError, `cannot iterate from ${kindName(lo)}`);
  if (!(hi instanceof Float)) return overNumbers(lo, hi, exclusive);
  if (Number.isNaN(hi.n)) return overList([]);
  if (!Number.isFinite(hi.n)) return hi.n < 0 ? overList([]) : overNumbers(lo, null, false);
  // `1...4.5` ends with 4, `1...4.0` with 3.
  return overNumbers(lo, Math.floor(hi.n), exclusive && Number.isInteger(hi.n));
}

/** Iterates over the elements of `"a".."e"`. @throws MemoryError if there are too many */
export function* stringsOf({ lo, hi, exclusive }: Range): Generator<string, void, void> {
  const iterator = new TextRangeIterator(lo as string, hi as string, exclusive);
  for (let text = iterator.next(); text !== undefined; text = iterator.next()) yield text as string;
}

function noMethod(source: Value, name: string): never {
  const isNil = source === null;
  if (name === 'for')
    return failForNil(Errors.TypeError, `cannot iterate over ${kindName(source)}`, isNil ? 'iterated' : null);
  return failForNil(
    Errors.AttributeError,
    `${kindName(source)} has no method '${name}'${methodHint(kindName(source), name, [])}`,
    isNil ? 'receiver' : null,
    name,
  );
}

/** All elements of an iterable as a new array; the elements of a hash are pairs. For natives that take a collection. */
export function elements(source: Value, name: string): Value[] {
  if (Array.isArray(source)) return source.slice();
  if (source === null) fail(Errors.AttributeError, `nil has no method '${name}'`);
  if (typeof source === 'string' || isInteger(source)) return noMethod(source, name);
  if (source instanceof Range && source.hi === null) fail(Errors.ValueError, `${name}() needs a range with an end`);
  const iterator = iterate(source, 0, name);
  const out: Value[] = [];
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    if (item === PULL) fail(Errors.TypeError, `${name}() needs a Vector, got ${kindName(source)}: use to_a`);
    out.push(item);
    if (out.length > MAX_ELEMENTS) failTooManyElements();
  }
  return out;
}
