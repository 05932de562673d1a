import { EnumType, Range, RecordType, RecordValue, Regex } from './compound.js';
import { equal } from './equal.js';
import { ErrorType, Errors, ErrorValue, fail } from './error.js';
import { Closure, NativeFunction } from './function.js';
import { Handle } from './handle.js';
import { Hash } from './hash.js';
import { MAX_DEPTH } from './text.js';
import { TypeValue } from './types.js';
import { Float, type Value } from './value.js';

/** Longest canonical text: what vectors hold several times counts each time. */
const MAX_FORM = 1 << 26;

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

/** What a Set has to hold for `value`; undefined when only `equal` can tell. */
function keyOf(value: Value): unknown {
  switch (typeof value) {
    // A text that looks like a form must not meet one.
    case 'string': return value.charCodeAt(0) === 0 ? `\0${formOf(value, 0)}` : value;
    case 'number': case 'bigint': case 'boolean': return value;
    default: return value === null ? null : objectKey(value as object);
  }
}

function objectKey(object: object): unknown {
  if (object instanceof Float && Number.isSafeInteger(object.n)) return object.n + 0;
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
  private readonly keys = new Set<unknown>();
  private readonly plain: Value[] = [];
  private readonly others: Value[] = [];

  constructor(values: readonly Value[] = []) {
    for (const value of values) this.add(value);
  }

  has(value: Value): boolean {
    return this.holds(value, keyOf(value));
  }

  /** Adds `value`; false when it was there already. */
  add(value: Value): boolean {
    const key = keyOf(value);
    if (this.holds(value, key)) return false;
    if (key === undefined) this.others.push(value);
    else {
      this.keys.add(key);
      this.plain.push(value);
    }
    return true;
  }

  private holds(value: Value, key: unknown): boolean {
    if (key !== undefined && this.keys.has(key)) return true;
    if (key === undefined && this.plain.some((other) => equal(other, value))) return true;
    return this.others.length > 0 && this.others.some((other) => equal(other, value));
  }
}

/** The elements without structural repetitions, in order. */
export function unique(list: readonly Value[]): Value[] {
  const seen = new ValueSet();
  return list.filter((item) => seen.add(item));
}
