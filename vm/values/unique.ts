import { eachInSteps, finish, STEP } from './steps.js';
import { charge } from './cost.js';
import { Bytes } from './bytes.js';
import { EnumType, Range, RecordType, RecordValue, Regex } from './structured.js';
import { equal } from './equal.js';
import { ErrorType, Errors, ErrorValue, fail } from './error.js';
import { Closure, NativeFunction } from './function.js';
import { Handle } from './handle.js';
import { fractionForm, Hash } from './hash.js';
import { Numeric } from './numbers/numeric.js';
import { NumberSet, numberBounds } from './numbers/numberset.js';
import { SetValue } from './set.js';
import { MAX_DEPTH } from './text/text.js';
import { TypeValue } from './types.js';
import { Float, type Value } from './value.js';
import { isLargeInteger, LIGHT, weigh } from './weight.js';
import { MAX_KEYS } from './limits.js';

/**
 * Maximum total length of the canonical texts of a set's large elements. A part that occurs several times within a form
 * counts each time.
 */
const MAX_FORM = 1 << 26;
/** Elements of a large vector, or pairs of a large hash, whose forms are joined in one text. */
const PART = 256;
/** Units charged per element of a form (see `charge`). */
const FORM_UNITS = 10;
/**
 * From MANY elements, a separate table for numbers, or a bit set, is worth creating. A bit set may have up to
 * BITS_PER_ELEMENT bits per element.
 */
const TABLE_THRESHOLD = 64;
const BITS_PER_ELEMENT = 64;
/** Up to this many elements are compared pairwise instead of with a set. */
const MAX_PAIRWISE = 10;

/** Numbers that identify objects which equal only themselves. */
const identities = new WeakMap<object, number>();
let nextIdentity = 1;

function identityOf(object: object): string {
  let identity = identities.get(object);
  if (identity === undefined) identities.set(object, (identity = nextIdentity++));
  return `#${identity};`;
}

/** Thrown within this file: a value contains something without a canonical form. */
const NO_FORM = Symbol('no form');

/** A text that two values share exactly if they are equal; each part marks its end. */
function formOf(value: Value, depth: number): string {
  switch (typeof value) {
    case 'string':
      return `s${value.length}:${value}`;
    case 'number':
    case 'bigint':
      return isLargeInteger(value) ? `N${value.toString(16)};` : `n${value};`;
    case 'boolean':
      return value ? 't' : 'f';
    default:
      return value === null ? 'z' : objectForm(value, depth + 1);
  }
}

function objectForm(object: object, depth: number): string {
  checkDepth(depth);
  if (object instanceof Float) return floatForm(object.n);
  if (Array.isArray(object)) return vectorForm(object as Value[], depth);
  if (object instanceof Hash) return hashForm(object, depth);
  if (object instanceof RecordValue) return recordForm(object, depth);
  if (object instanceof Range)
    return `r${object.exclusive ? 'x' : 'i'}${formOf(object.lo, depth)}${formOf(object.hi, depth)}`;
  if (object instanceof Regex) return `x${formOf(object.source, depth)}${formOf(object.flags, depth)}`;
  if (isIdentity(object)) return identityOf(object);
  if (object instanceof SetValue) return `E${hashForm(object.elements, depth)}`;
  const plain = object instanceof Numeric ? object.plain() : null;
  if (plain !== null) return formOf(plain, depth);
  const key = object instanceof Handle ? object.equalityKey() : null;
  if (key !== null) return `h${identityOf((object as Handle).type)}${formOf(key, depth)}`;
  throw NO_FORM;
}

function vectorForm(vector: readonly Value[], depth: number): string {
  let form = '[';
  for (let i = 0; i < vector.length; i++) form = extended(form, formOf(vector[i], depth));
  return `${form}]`;
}

/** Records of a type have the same fields in the same order. */
function recordForm(record: RecordValue, depth: number): string {
  let form = `R${identityOf(record.type)}`;
  if (record.layout === null) return form + hashForm(record.fields, depth);
  for (let slot = 0; slot < record.size; slot++) form = extended(form, formOf(record.at(slot), depth));
  return form;
}

/** NaN equals nothing, not even itself, so it has no form. */
function floatForm(n: number): string {
  if (Number.isNaN(n)) throw NO_FORM;
  return Number.isInteger(n) ? `n${BigInt(n)};` : fractionForm(n);
}

/**
 * Numbers texts. The form of a large value consists of the numbers of its parts' forms, so that no step makes or
 * compares a long text. Within one set, equal parts have the same number.
 */
class Parts {
  private readonly forms = new Map<string, number>();
  private readonly texts = new Map<string, number>();
  private units = 0;

  formNumber(form: string): number {
    return this.numberIn(this.forms, form);
  }

  textNumber(text: string): number {
    return this.numberIn(this.texts, text);
  }

  private numberIn(numbers: Map<string, number>, text: string): number {
    let number = numbers.get(text);
    if (number === undefined) {
      if ((this.units += text.length) > MAX_FORM) fail(Errors.MemoryError, 'values are too large to compare');
      numbers.set(text, (number = numbers.size));
    }
    return number;
  }
}

/** `formOf` in steps: the form of a value too large for one step consists of the numbers of its parts. */
function* formSteps(value: Value, depth: number, parts: Parts): Generator<void, string, void> {
  if (weigh(value, depth) <= LIGHT) return formOf(value, depth);
  if (typeof value === 'string') return `S${parts.textNumber(value)};`;
  if (Array.isArray(value)) return yield* vectorSteps(value.slice(), depth + 1, parts);
  if (value instanceof Hash) return yield* hashSteps(value, depth + 1, parts);
  if (value instanceof SetValue) return `E${yield* hashSteps(value.elements, depth + 1, parts)}`;
  if (value instanceof RecordValue)
    return `R${identityOf(value.type)}${yield* hashSteps(value.fields, depth + 1, parts)}`;
  if (value instanceof Bytes) return yield* bytesSteps(value, parts);
  return formOf(value, depth);
}

function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot compare values nested deeper than ${MAX_DEPTH} levels`);
}

function* vectorSteps(list: readonly Value[], depth: number, parts: Parts): Generator<void, string, void> {
  checkDepth(depth);
  let form = '';
  for (let lo = 0; lo < list.length; lo += PART) {
    let part = '';
    let work = 0;
    for (let i = lo; i < lo + PART && i < list.length; i++) {
      const weight = weigh(list[i], depth);
      part += weight > LIGHT ? yield* formSteps(list[i], depth, parts) : formOf(list[i], depth);
      if ((work += weight) < LIGHT) continue;
      work = 0;
      yield;
    }
    form += `p${parts.formNumber(part)};`;
    yield;
  }
  // If there are many parts, their numbers are again replaced by one number.
  return form.length > LIGHT ? `P${parts.formNumber(form)};` : `V${form};`;
}

/** Bytes of large Bytes whose form is joined in one text. */
const BYTES_PART = 1 << 14;

function* bytesSteps(bytes: Bytes, parts: Parts): Generator<void, string, void> {
  let form = '';
  for (let lo = 0; lo < bytes.length; lo += BYTES_PART) {
    form += `${parts.textNumber(new Bytes(bytes.data.subarray(lo, lo + BYTES_PART)).equalityKey())};`;
    yield;
  }
  return `B${parts.formNumber(form)};`;
}

/** The form of a hash: the numbers of its pairs' forms, sorted, so that no texts are compared. */
function* hashSteps(hash: Hash, depth: number, parts: Parts): Generator<void, string, void> {
  checkDepth(depth);
  const buckets = new Map<number, number[]>();
  let work = 0;
  for (const [key, value] of hash.pairs()) {
    const pair = (yield* formSteps(key, depth, parts)) + (yield* formSteps(value, depth, parts));
    const number = parts.formNumber(pair);
    const bucket = buckets.get(number >>> BUCKET_BITS);
    if (bucket === undefined) buckets.set(number >>> BUCKET_BITS, [number]);
    else bucket.push(number);
    if ((work += weigh(value, depth) + 1) < PART) continue;
    work = 0;
    yield;
  }
  let form = '';
  for (const at of [...buckets.keys()].sort((a, b) => a - b)) {
    const numbers = (buckets.get(at) as number[]).sort((a, b) => a - b);
    form += `p${parts.formNumber(numbers.join(','))};`;
    yield;
  }
  return `H${parts.formNumber(form)};`;
}

/** Size, as a power of two, of the ranges of pair numbers that are sorted together. */
const BUCKET_BITS = 10;

/** The form of a hash, independent of the order of its pairs. */
function hashForm(hash: Hash, depth: number): string {
  const pairs = hash.entries().map(([key, value]) => formOf(key, depth) + formOf(value, depth));
  return `{${pairs.sort().reduce(extended, '')}}`;
}

/** A form with another one behind it. @throws MemoryError if the text would be too long */
function extended(form: string, part: string): string {
  if (form.length + part.length > MAX_FORM) fail(Errors.MemoryError, 'value is too large to compare');
  return form + part;
}

/** Whether only the object itself equals it. An error equals its message; a handle may define its own equality. */
function isIdentity(object: object): boolean {
  if (object instanceof Handle) return object.equals === Handle.prototype.equals;
  return (
    object instanceof Closure ||
    object instanceof NativeFunction ||
    object instanceof TypeValue ||
    object instanceof RecordType ||
    object instanceof EnumType ||
    object instanceof ErrorType
  );
}

/** The set key for a `value` that fits in one step; undefined if only `equal` can compare it. */
function keyOf(value: Value): unknown {
  switch (typeof value) {
    // Escape texts that look like forms.
    case 'string':
      return value.charCodeAt(0) === 0 ? `\0${formOf(value, 0)}` : value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return value;
    default:
      return value === null ? null : objectKey(value);
  }
}

function objectKey(object: object): unknown {
  if (object instanceof Float && Number.isSafeInteger(object.n)) return object.n;
  if (object instanceof Float && !Number.isInteger(object.n)) return Number.isNaN(object.n) ? undefined : object.n;
  if (object instanceof Float) return BigInt(object.n);
  if (object instanceof ErrorValue) return undefined;
  const plain = object instanceof Numeric ? object.plain() : null;
  if (plain !== null) return keyOf(plain);
  const form = formText(object);
  return form === undefined ? undefined : `\0${form}`;
}

/** A text that two objects share exactly if they are equal; undefined if only `equal` can compare the object. */
export function formText(object: object): string | undefined {
  try {
    return objectForm(object, 0);
  } catch (error) {
    if (error === NO_FORM) return undefined;
    throw error;
  }
}

/**
 * A set under structural equality. Membership takes constant time, except for the few values that only `equal` can
 * compare.
 */
export class ValueSet {
  /** The numbers among the keys, once there are many keys. */
  private numbers: NumberSet | null = null;
  private readonly keys = new Set<unknown>();
  /** Values with a key, without the numbers: a value without a key may equal one of them. */
  private readonly plain: Value[] = [];
  private readonly others: Value[] = [];

  private parts: Parts | null = null;

  constructor(values: readonly Value[] = []) {
    for (const value of values) this.add(value);
  }

  has(value: Value): boolean {
    return this.hasKey(value, typeof value === 'number' ? value : this.keyNow(value));
  }

  /** Adds `value`. Returns false if it was already present. */
  add(value: Value): boolean {
    return typeof value === 'number' ? this.addNumber(value) : this.addKey(value, this.keyNow(value));
  }

  private keyNow(value: Value): unknown {
    const weight = weigh(value);
    charge((weight + 1) * FORM_UNITS);
    return weight > LIGHT ? finish(this.keySteps(value)) : keyOf(value);
  }

  private *keySteps(value: Value): Generator<void, unknown, void> {
    // V8 compares long texts and Integers only with those of equal length, so they need no form.
    if (typeof value !== 'object') return keyOf(value);
    try {
      return `\0${yield* formSteps(value, 0, (this.parts ??= new Parts()))}`;
    } catch (error) {
      if (error === NO_FORM) return undefined;
      throw error;
    }
  }

  private hasKey(value: Value, key: unknown): boolean {
    return typeof key === 'number' ? (this.numbers ?? this.keys).has(key) : this.holds(value, key);
  }

  private addKey(value: Value, key: unknown): boolean {
    if (typeof key === 'number') return this.addNumber(key);
    if (this.holds(value, key)) return false;
    if (key === undefined) this.others.push(value);
    else {
      if (this.keys.size >= MAX_KEYS) fail(Errors.MemoryError, `out of memory: more than ${MAX_KEYS} different values`);
      this.keys.add(key);
      if (!(value instanceof Float)) this.plain.push(value);
    }
    return true;
  }

  /** Adds values in steps; calls `added` for each new one. */
  *addInSteps(values: readonly Value[], added?: (value: Value) => void): Generator<void, void, void> {
    yield* this.keysInSteps(values, true, (value, key) => {
      if (this.addKey(value, key)) added?.(value);
    });
  }

  /** Returns those of `values` that are in the set (`areIn`) or not in it, in steps. */
  *chosenInSteps(values: readonly Value[], areIn: boolean): Generator<void, Value[], void> {
    const out: Value[] = [];
    yield* this.keysInSteps(values, false, (value, key) => {
      if (this.hasKey(value, key) === areIn) out.push(value);
    });
    return out;
  }

  private *keysInSteps(
    values: readonly Value[],
    adds: boolean,
    visit: (value: Value, key: unknown) => void,
  ): Generator<void, void, void> {
    for (let i = 0, work = STEP; i < values.length; i++) {
      const value = values[i];
      const weight = typeof value === 'number' ? 0 : weigh(value);
      if ((work += weight + 1) > STEP) {
        if (i > 0) yield;
        if (adds && this.numbers !== null) yield* this.numbers.prepare(STEP);
        work = weight + 1;
      }
      visit(value, typeof value === 'number' ? value : weight > LIGHT ? yield* this.keySteps(value) : keyOf(value));
    }
  }

  private addNumber(n: number): boolean {
    if (this.numbers !== null) return this.numbers.add(n);
    if (this.keys.has(n)) return false;
    this.keys.add(n);
    if (this.keys.size >= TABLE_THRESHOLD) this.moveNumbers();
    return true;
  }

  private moveNumbers(): void {
    this.numbers = new NumberSet();
    for (const key of this.keys) if (typeof key === 'number' && this.numbers.add(key)) this.keys.delete(key);
  }

  private holds(value: Value, key: unknown): boolean {
    if (key !== undefined && this.keys.has(key)) return true;
    // NaN equals nothing. Without this line, many NaNs would take quadratic time.
    if (key === undefined && value instanceof Float) return false;
    if (key === undefined && this.plain.some((other) => equal(other, value))) return true;
    return this.others.length > 0 && this.others.some((other) => equal(other, value));
  }
}

/** Whether there are few elements, each equal to identical ones only: searching them is faster than making a set. */
export function areFewPlain(list: readonly Value[]): boolean {
  return list.length <= MAX_PAIRWISE && list.every((item) => typeof item !== 'object' || item === null);
}

/** The elements without structural duplicates, in order. */
export function unique(list: readonly Value[]): Value[] {
  if (list.length < 2) return list.slice();
  if (areFewPlain(list)) return uniqueFew(list);
  if (list.length >= TABLE_THRESHOLD) return finish(uniqueSteps(list));
  const seen = new ValueSet();
  const out: Value[] = [];
  for (const item of list) if (seen.add(item)) out.push(item);
  return out;
}

/** `unique` in steps, for many elements. */
export function* uniqueSteps(list: readonly Value[]): Generator<void, Value[], void> {
  const bounds = yield* numberBounds(list);
  if (bounds !== null && bounds.max - bounds.min < list.length * BITS_PER_ELEMENT)
    return yield* uniqueDense(list as readonly number[], bounds.min, bounds.max);
  const out: Value[] = [];
  yield* new ValueSet().addInSteps(list, (item) => out.push(item));
  return out;
}

/** Removes duplicates of values that are equal only if identical. */
function uniqueFew(list: readonly Value[]): Value[] {
  const out: Value[] = [];
  for (const item of list) if (!out.includes(item)) out.push(item);
  return out;
}

/** Removes duplicates of Integers in a small range, with one bit per possible value. */
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
