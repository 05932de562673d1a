import { Errors, fail } from './error.js';
import { checkElementsRoom, checkRoom } from './heaproom.js';
import { Float, Internal, Mark, type Value } from './value.js';
import { MAX_KEYS } from './limits.js';

/** Hashes with more keys than this use a dictionary. */
const MAX_SHAPE_KEYS = 16;

/** Number of shapes after which all transitions are forgotten. */
const MAX_SHAPES = 10_000;
/** Characters that JSON escapes with a backslash. */
const NEEDS_ESCAPE = /["\\\x00-\x1f]/;
/** Counts how often transitions were forgotten. */
let era = 0;

/**
 * Ordered list of string keys, shared by all hashes to which the same keys were added in the same order. Transitions
 * only save memory and time, so they may be forgotten: a client that keeps sending new keys must not fill the memory
 * with shapes.
 */
export class Shape {
  /** Number of shapes made so far in this process. */
  static made = 0;
  readonly index = new Map<string, number>();
  /** The longer shape reached last, if its new key needs no escape in JSON: a JSON parser expects it next. */
  latest: Shape | null = null;
  /** JSON texts that precede the values; made by the encoder on first use. */
  jsonPrefixes: readonly string[] | null = null;
  /** Whether the last key needs no escape in JSON. */
  private readonly plain: boolean;
  private readonly next = new Map<string, Shape>();
  /** The era of the transitions in `next`. */
  private era = 0;

  /** For record fields. Bit i: slot i of the record created last was initialized with a Float. */
  floats = 0;
  /** Template for `newDoubles`, made on first use. */
  private doubles: number[] | null = null;

  constructor(readonly keys: readonly string[]) {
    keys.forEach((key, i) => this.index.set(key, i));
    this.plain = keys.length > 0 && !NEEDS_ESCAPE.test(keys[keys.length - 1]);
  }

  /** Returns the shape with `key` appended. */
  with(key: string): Shape {
    let shape = this.next.get(key);
    if (shape === undefined || this.era !== era) {
      shape = new Shape([...this.keys, key]);
      this.remember(key, shape);
    }
    if (shape.plain) this.latest = shape;
    return shape;
  }

  private remember(key: string, shape: Shape): void {
    if (++Shape.made % MAX_SHAPES === 0) era++;
    if (this.era !== era) this.next.clear();
    this.era = era;
    this.next.set(key, shape);
  }

  /** Returns the shape of a hash with exactly `keys`; null if there are too many keys or a key is repeated. */
  static of(keys: readonly string[]): Shape | null {
    if (!Shape.fits(keys)) return null;
    let shape = EMPTY_SHAPE;
    for (const key of keys) shape = shape.with(key);
    return shape;
  }

  /** Creates a shape for the fields of one record type; null as for `of`. */
  static ofRecord(fields: readonly string[]): Shape | null {
    return Shape.fits(fields) ? new Shape(fields) : null;
  }

  /**
   * Creates an array of doubles, one per key. Its initial values are not integral: V8 would make it an array of small
   * integers.
   */
  newDoubles(): number[] {
    return (this.doubles ??= this.keys.map(() => 0.5)).slice();
  }

  private static fits(keys: readonly string[]): boolean {
    return keys.length <= MAX_SHAPE_KEYS && new Set(keys).size === keys.length;
  }
}

export const EMPTY_SHAPE = new Shape([]);

/** A shape that no hash has. */
export const NO_SHAPE = new Shape([]);

/** A key that is a vector, a record or another object. Equal keys have the same form. */
export class ObjectKey extends Internal {
  /** @param float the fraction that the key equals, if it is a number but no Float */
  constructor(
    readonly form: string,
    readonly value: Value,
    readonly float: number | null = null,
  ) {
    super();
  }
}

/** What a hash must know about keys that are objects; `keys.ts` implements it. */
export interface KeyKinds {
  /** The plain key that equals `key`, or an ObjectKey; undefined if it cannot be a key. */
  canonical(key: Value & object): Value | undefined;
  /** Raises the error of storing what cannot be a key. */
  refused(key: Value): never;
  /** A copy that no program can change. */
  copy(key: Value): Value;
}

let kinds: KeyKinds;

/** Sets how keys that are objects are compared. */
export function setKeyKinds(next: KeyKinds): void {
  kinds = next;
}

/** Iterations over a dictionary that began after the same deletion. */
export class Walks {
  /** Number of those that have not come to the end. */
  running = 0;
  /** The keys before the next deletion; null as long as there was none. */
  keys: Value[] | null = null;
}

/** The pairs of a hash that has no shape. */
export class Dictionary extends Map<Value, Value> {
  /** Its object keys by their forms; null if it has never had any. */
  forms: Map<string, ObjectKey> | null = null;
  private walks: Walks | null = null;

  /** Begins an iteration. */
  walk(): Walks {
    this.walks ??= new Walks();
    this.walks.running++;
    return this.walks;
  }

  /** Must be called before a key is deleted: running iterations continue with a list of the keys. @throws MemoryError */
  endWalks(): void {
    const { walks } = this;
    if (walks === null) return;
    if (walks.running > 0) {
      checkElementsRoom(this.size);
      walks.keys = [...this.keys()];
    }
    this.walks = null;
  }
}

/** The form of a number with a fraction. */
export function fractionForm(n: number): string {
  return `n${n};`;
}

/** A key that no dictionary has. */
const NO_KEY = new Mark();

/**
 * In a dictionary, a Float key with an integral value equals the Integer key; any other Float is stored as a JavaScript
 * number. An object is represented by the ObjectKey of its form: the dictionary's own, or, if it has none, `otherwise`,
 * which gets null if it cannot be a key.
 */
function dictionaryKey(
  dictionary: Dictionary,
  key: Value,
  otherwise: (dictionary: Dictionary, key: ObjectKey | null, given: Value) => Value,
): Value {
  if (typeof key !== 'object' || key === null) return key;
  if (key instanceof Float) {
    const { n } = key;
    if (!Number.isInteger(n)) return dictionary.forms?.get(fractionForm(n)) ?? n;
    return Number.isSafeInteger(n) ? n + 0 : BigInt(n);
  }
  const known = key instanceof ObjectKey ? key : kinds.canonical(key);
  if (known === undefined) return otherwise(dictionary, null, key);
  if (!(known instanceof ObjectKey)) return dictionaryKey(dictionary, known, otherwise);
  if (known.float !== null && dictionary.has(known.float)) return known.float;
  return dictionary.forms?.get(known.form) ?? otherwise(dictionary, known, key);
}

function existingKey(dictionary: Dictionary, key: Value): Value {
  return dictionaryKey(dictionary, key, () => NO_KEY);
}

function newKey(dictionary: Dictionary, key: Value): Value {
  return dictionaryKey(dictionary, key, registered);
}

/** Adds an object key to those of a dictionary. @throws TypeError, ValueError if it cannot be a key */
function registered(dictionary: Dictionary, found: ObjectKey | null, given: Value): ObjectKey {
  const { form, value, float } = found ?? kinds.refused(given);
  const key = new ObjectKey(form, kinds.copy(value), float);
  (dictionary.forms ??= new Map()).set(form, key);
  return key;
}

/** A key of a dictionary as programs see it. Objects are copied, because a program can change them. */
export function fromDictionaryKey(key: Value): Value {
  if (typeof key === 'number') return Number.isInteger(key) ? key : new Float(key);
  return key instanceof ObjectKey ? kinds.copy(key.value) : key;
}

/**
 * For `shift`: an iterator over the keys of a dictionary that has passed deleted keys only. A new one would pass all
 * deleted keys again.
 */
const firsts = new WeakMap<Dictionary, Iterator<Value>>();

/** From this number of keys, lookups in a Map are slow. */
const SLOW_LOOKUP_THRESHOLD = 1 << 12;

/**
 * From this size, check the heap before a Map doubles its table (at each power of two); V8 needs BYTES_PER_KEY per key
 * in the new table.
 */
const HEAP_CHECK_THRESHOLD = 1 << 18;
const BYTES_PER_KEY = 56;
/** Checks the heap before a Map of `size` keys doubles. @throws MemoryError */
function checkGrowth(size: number): void {
  if (size >= MAX_KEYS) fail(Errors.MemoryError, `out of memory: a hash of ${size} keys cannot grow`);
  checkRoom(size * BYTES_PER_KEY, `a hash of ${size} keys cannot grow`);
}

/**
 * Mutable hash in insertion order. While all keys are strings, there are few of them and none was deleted, it consists
 * of a shared shape and an array of slots; otherwise of a Map. Only the inline caches of the interpreter and the JIT
 * may access `shape` and `slots` directly, and only iterators `dictionary`.
 */
export class Hash {
  shape: Shape | null;
  slots: Value[];
  dictionary: Dictionary | null;

  constructor(shape: Shape | null = EMPTY_SHAPE, slots: Value[] = []) {
    this.shape = shape;
    this.slots = slots;
    this.dictionary = shape === null ? new Dictionary() : null;
  }

  /** Creates a hash from key-value pairs. */
  static from(entries: Iterable<readonly [Value, Value]>): Hash {
    const hash = new Hash();
    for (const [key, value] of entries) hash.set(key, value);
    return hash;
  }

  get size(): number {
    return this.dictionary === null ? this.slots.length : this.dictionary.size;
  }

  /** Value of `key`, or undefined if it is missing. */
  get(key: Value): Value | undefined {
    if (this.shape !== null) {
      const slot = typeof key === 'string' ? this.shape.index.get(key) : undefined;
      return slot === undefined ? undefined : this.slots[slot];
    }
    const dictionary = this.dictionary!;
    return dictionary.get(typeof key === 'object' && key !== null ? existingKey(dictionary, key) : key);
  }

  /** For compiled code: the value of a String or small Integer key in a dictionary. undefined: the VM must find it. */
  find(key: string | number): Value | undefined {
    return this.dictionary!.get(key) ?? null;
  }

  /** For compiled code: sets the value of a String or small Integer key in a dictionary. */
  put(key: string | number, value: Value): void {
    if (this.dictionary!.size >= HEAP_CHECK_THRESHOLD) this.set(key, value);
    else this.dictionary!.set(key, value);
  }

  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }

  set(key: Value, value: Value): void {
    if (this.shape === null) {
      const dictionary = this.dictionary!;
      const { size } = dictionary;
      if (size >= HEAP_CHECK_THRESHOLD && (size & (size - 1)) === 0 && !this.has(key)) checkGrowth(size);
      dictionary.set(typeof key === 'object' && key !== null ? newKey(dictionary, key) : key, value);
      return;
    }
    if (typeof key === 'string') {
      const slot = this.shape.index.get(key);
      if (slot !== undefined) {
        this.slots[slot] = value;
        return;
      }
      if (this.slots.length < MAX_SHAPE_KEYS) {
        this.shape = this.shape.with(key);
        this.slots.push(value);
        return;
      }
    }
    const dictionary = this.toDictionary();
    dictionary.set(newKey(dictionary, key), value);
  }

  /** Removes `key`. Returns its value, or undefined if it was missing. */
  delete(key: Value): Value | undefined {
    const value = this.get(key);
    if (value === undefined) return value;
    const dictionary = this.toDictionary();
    const found = existingKey(dictionary, key);
    dictionary.endWalks();
    dictionary.delete(found);
    if (found instanceof ObjectKey) dictionary.forms!.delete(found.form);
    return value;
  }

  /** Removes the first pair and returns it; undefined if there is none. Takes constant time on average. */
  shift(): [Value, Value] | undefined {
    if (this.size === 0) return undefined;
    const dictionary = this.toDictionary();
    let first = firsts.get(dictionary);
    if (first === undefined) firsts.set(dictionary, (first = dictionary.keys()));
    const key = fromDictionaryKey(first.next().value as Value);
    return [key, this.delete(key) as Value];
  }

  clear(): void {
    this.shape = EMPTY_SHAPE;
    this.slots = [];
    this.dictionary = null;
  }

  /** Replaces the pairs by those of `other`, which must have no other user. */
  take(other: Hash): void {
    this.shape = other.shape;
    this.slots = other.slots;
    this.dictionary = other.dictionary;
  }

  /** A new array of the keys, in order. */
  keys(): Value[] {
    if (this.shape !== null) return this.shape.keys.slice();
    const keys = [...this.dictionary!.keys()];
    for (let i = 0; i < keys.length; i++) keys[i] = fromDictionaryKey(keys[i]);
    return keys;
  }

  /** A new array of the values, in order. */
  values(): Value[] {
    return this.shape === null ? [...this.dictionary!.values()] : this.slots.slice();
  }

  /** Returns at least the first `count` values, if there are as many. Read only. */
  firstValues(count: number): readonly Value[] {
    if (this.shape !== null) return this.slots;
    const some: Value[] = [];
    for (const value of this.dictionary!.values()) {
      if (some.length === count) break;
      some.push(value);
    }
    return some;
  }

  /** A new array of [key, value] pairs, in order. */
  entries(): [Value, Value][] {
    const entries: [Value, Value][] = [];
    this.each((key, value) => entries.push([key, value]));
    return entries;
  }

  /** Iterates over the pairs, at most as many as there are at the start. The hash may change during the iteration. */
  *pairs(): Generator<[Value, Value], void, void> {
    if (this.shape !== null) {
      const values = this.values();
      yield* this.shape.keys.map((key, i): [Value, Value] => [key, values[i]]);
      return;
    }
    let left = this.size;
    for (const [key, value] of this.dictionary!) {
      if (left-- === 0) return;
      yield [fromDictionaryKey(key), value];
    }
  }

  /** Whether `test` holds for each key and value. Stops at the first failure. */
  every(test: (key: Value, value: Value) => boolean): boolean {
    if (this.shape !== null) return this.slots.every((value, i) => test(this.shape!.keys[i], value));
    for (const [key, value] of this.dictionary!) if (!test(fromDictionaryKey(key), value)) return false;
    return true;
  }

  /**
   * Whether both hashes have the same keys, in any order, and `test` holds for the two values of each key. Stops at the
   * first failure. If the keys are in the same order, as in copies, both are iterated in parallel: a lookup in a large
   * Map takes ten times as long.
   */
  everyBeside(other: Hash, test: (own: Value, other: Value) => boolean): boolean {
    if (this.size !== other.size) return false;
    const beside = this.size < SLOW_LOOKUP_THRESHOLD ? undefined : other.dictionary?.entries();
    return this.every((key, own) => {
      const next = beside?.next().value;
      const value = next !== undefined && next[0] === key ? next[1] : other.get(key);
      return value !== undefined && test(own, value);
    });
  }

  /**
   * Calls `visit` with each key and value, in order. It may set values of existing keys, but neither add nor delete
   * keys.
   */
  each(visit: (key: Value, value: Value) => void): void {
    if (this.shape === null) this.dictionary!.forEach((value, key) => visit(fromDictionaryKey(key), value));
    else for (let i = 0; i < this.slots.length; i++) visit(this.shape.keys[i], this.slots[i]);
  }

  /** A hash without pairs, with the same default. */
  empty(shape: Shape | null = EMPTY_SHAPE): Hash {
    return new Hash(shape);
  }

  /** Shallow copy. */
  copy(): Hash {
    const copy = new Hash(this.shape, this.slots.slice());
    if (this.dictionary === null) return copy;
    copy.dictionary = new Dictionary(this.dictionary);
    const { forms } = this.dictionary;
    if (forms !== null) copy.dictionary.forms = new Map(forms);
    return copy;
  }

  private toDictionary(): Dictionary {
    if (this.dictionary !== null) return this.dictionary;
    const dictionary = new Dictionary();
    this.shape!.keys.forEach((key, i) => dictionary.set(key, this.slots[i]));
    this.dictionary = dictionary;
    this.shape = null;
    this.slots = [];
    return dictionary;
  }
}
