import { eachInSteps, finish, STEP } from '../longwork.js';
import { EnumType, Range, RecordType, RecordValue, Regex } from './compound.js';
import { equal } from './equal.js';
import { ErrorType, Errors, ErrorValue, fail } from './error.js';
import { Closure, NativeFunction } from './function.js';
import { Handle } from './handle.js';
import { Hash } from './hash.js';
import { NumberSet, numberBounds } from './numberset.js';
import { MAX_DEPTH } from './text.js';
import { TypeValue } from './types.js';
import { Float, type Value } from './value.js';

/** Longest canonical text: what vectors hold several times counts each time. */
const MAX_FORM = 1 << 26;
/** Keys that V8 has room for in one Set. */
const MOST_KEYS = 1 << 24;
/** Elements from which on a table of their own for numbers, or of bits, is worth its making, and bits for each element that it may have. */
const MANY = 64;
const BITS_PER_ELEMENT = 64;
/** Most elements that are compared all with all rather than put into a set. */
const FEW = 10;

/** Numbers of objects that are equal to nothing but themselves. */
const identities = new WeakMap<object, number>();
let nextIdentity = 1;

function identityOf(object: object): string {
  let identity = identities.get(object);
  if (identity === undefined) identities.set(object, (identity = nextIdentity++));
  return `#${identity};`;
}

/** Thrown within this file: a value holds something that has no canonical form. */
const NO_FORM = Symbol('no form');

/** A text that values have in common exactly when they are equal; each part says where it ends. */
function formOf(value: Value, depth: number): string {
  switch (typeof value) {
    case 'string': return `s${value.length}:${value}`;
    case 'number': case 'bigint': return `n${value};`;
    case 'boolean': return value ? 't' : 'f';
    default: return value === null ? 'z' : objectForm(value as object, depth + 1);
  }
}

function objectForm(object: object, depth: number): string {
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot compare values nested deeper than ${MAX_DEPTH} levels`);
  if (object instanceof Float) return floatForm(object.n);
  if (Array.isArray(object)) return `[${joined((object as Value[]).map((item) => formOf(item, depth)))}]`;
  if (object instanceof Hash) return hashForm(object, depth);
  if (object instanceof RecordValue) return `R${identityOf(object.type)}${hashForm(object.fields, depth)}`;
  if (object instanceof Range) return `r${object.exclusive ? 'x' : 'i'}${formOf(object.lo, depth)}${formOf(object.hi, depth)}`;
  if (object instanceof Regex) return `x${formOf(object.source, depth)}${formOf(object.flags, depth)}`;
  if (isIdentity(object)) return identityOf(object);
  const key = object instanceof Handle ? object.equalityKey() : null;
  if (key !== null) return `h${identityOf((object as Handle).type)}${formOf(key, depth)}`;
  throw NO_FORM;
}

/** nan equals nothing, not even itself: it has no form. */
function floatForm(n: number): string {
  if (Number.isNaN(n)) throw NO_FORM;
  return Number.isInteger(n) ? `n${BigInt(n)};` : `n${n};`;
}

/** Hashes are equal whatever their order. */
function hashForm(hash: Hash, depth: number): string {
  return `{${joined(hash.entries().map(([key, value]) => formOf(key, depth) + formOf(value, depth)).sort())}}`;
}

/** Parts in one text, which is not longer than a String may be. */
function joined(parts: string[]): string {
  let units = 0;
  for (const part of parts) units += part.length;
  if (units > MAX_FORM) fail(Errors.MemoryError, 'value is too large to compare');
  return parts.join('');
}

/** Whether nothing but the object itself equals it. An error equals its message, a handle may define its own equality. */
function isIdentity(object: object): boolean {
  if (object instanceof Handle) return object.equals === Handle.prototype.equals;
  return object instanceof Closure || object instanceof NativeFunction || object instanceof TypeValue || object instanceof RecordType || object instanceof EnumType || object instanceof ErrorType;
}

/** What a set has to hold for `value`; undefined when only `equal` can tell. */
function keyOf(value: Value): unknown {
  switch (typeof value) {
    // A text that looks like a form must not meet one.
    case 'string': return value.charCodeAt(0) === 0 ? `\0${formOf(value, 0)}` : value;
    case 'number': case 'bigint': case 'boolean': return value;
    default: return value === null ? null : objectKey(value as object);
  }
}

function objectKey(object: object): unknown {
  if (object instanceof Float && Number.isSafeInteger(object.n)) return object.n;
  if (object instanceof Float && !Number.isInteger(object.n)) return Number.isNaN(object.n) ? undefined : object.n;
  if (object instanceof Float) return BigInt(object.n);
  if (object instanceof ErrorValue) return undefined;
  try {
    return `\0${objectForm(object, 0)}`;
  } catch (error) {
    if (error === NO_FORM) return undefined;
    throw error;
  }
}

/** A set under structural equality: membership takes constant time for all values but those few that only `equal` can compare. */
export class ValueSet {
  /** The numbers among the keys, once there are many keys. */
  private numbers: NumberSet | null = null;
  private readonly keys = new Set<unknown>();
  /** Values with a key that one without may equal: no numbers. */
  private readonly plain: Value[] = [];
  private readonly others: Value[] = [];

  constructor(values: readonly Value[] = []) {
    for (const value of values) this.add(value);
  }

  has(value: Value): boolean {
    const key = typeof value === 'number' ? value : keyOf(value);
    return typeof key === 'number' ? (this.numbers ?? this.keys).has(key) : this.holds(value, key);
  }

  /** Adds `value`; false when it was there already. */
  add(value: Value): boolean {
    const key = typeof value === 'number' ? value : keyOf(value);
    if (typeof key === 'number') return this.addNumber(key);
    if (this.holds(value, key)) return false;
    if (key === undefined) this.others.push(value);
    else {
      if (this.keys.size >= MOST_KEYS) fail(Errors.MemoryError, `out of memory: more than ${MOST_KEYS} different values`);
      this.keys.add(key);
      if (!(value instanceof Float)) this.plain.push(value);
    }
    return true;
  }

  /** Adds values in steps; calls `added` with each one that was not there. */
  *addInSteps(values: readonly Value[], added?: (value: Value) => void): Generator<void, void, void> {
    for (let lo = 0; lo < values.length; lo += STEP) {
      if (this.numbers !== null) yield* this.numbers.prepare(STEP);
      const hi = Math.min(lo + STEP, values.length);
      for (let i = lo; i < hi; i++) if (this.add(values[i])) added?.(values[i]);
      if (hi < values.length) yield;
    }
  }

  private addNumber(n: number): boolean {
    if (this.numbers !== null) return this.numbers.add(n);
    if (this.keys.has(n)) return false;
    this.keys.add(n);
    if (this.keys.size >= MANY) this.moveNumbers();
    return true;
  }

  private moveNumbers(): void {
    this.numbers = new NumberSet();
    for (const key of this.keys) if (typeof key === 'number' && this.numbers.add(key)) this.keys.delete(key);
  }

  private holds(value: Value, key: unknown): boolean {
    if (key !== undefined && this.keys.has(key)) return true;
    // nan equals nothing: without this, many of them would take quadratic time.
    if (key === undefined && value instanceof Float) return false;
    if (key === undefined && this.plain.some((other) => equal(other, value))) return true;
    return this.others.length > 0 && this.others.some((other) => equal(other, value));
  }
}

/** The elements without structural repetitions, in order. */
export function unique(list: readonly Value[]): Value[] {
  if (list.length < 2) return list.slice();
  if (list.length <= FEW && list.every((item) => typeof item !== 'object' || item === null)) return uniqueFew(list);
  if (list.length >= MANY) return finish(uniqueSteps(list));
  const seen = new ValueSet();
  const out: Value[] = [];
  for (const item of list) if (seen.add(item)) out.push(item);
  return out;
}

/** `unique` in steps, for many elements. */
export function* uniqueSteps(list: readonly Value[]): Generator<void, Value[], void> {
  const bounds = yield* numberBounds(list);
  if (bounds !== null && bounds.max - bounds.min < list.length * BITS_PER_ELEMENT) return yield* uniqueDense(list as readonly number[], bounds.min, bounds.max);
  const out: Value[] = [];
  yield* new ValueSet().addInSteps(list, (item) => out.push(item));
  return out;
}

/** Values that are equal only when they are the same. */
function uniqueFew(list: readonly Value[]): Value[] {
  const out: Value[] = [];
  for (const item of list) if (!out.includes(item)) out.push(item);
  return out;
}

/** Integers that lie close together: a bit for each. */
function* uniqueDense(list: readonly number[], min: number, max: number): Generator<void, Value[], void> {
  const seen = new Int32Array(((max - min) >>> 5) + 1);
  const out: Value[] = [];
  yield* eachInSteps(list.length, (i) => {
    const at = list[i] - min;
    const bit = 1 << (at & 31);
    if ((seen[at >>> 5] & bit) !== 0) return;
    seen[at >>> 5] |= bit;
    out.push(list[i]);
  });
  return out;
}
