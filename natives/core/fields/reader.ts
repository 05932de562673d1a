import { Hash } from '../../../vm/values/hash.js';
import { EnumType, RecordType, RecordValue } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import { SetValue } from '../../../vm/values/set.js';
import { CONVERTERS, ofText, setFrom } from './convert.js';
import { defaultsOf } from './defaults.js';
import {
  allows,
  allowsList,
  type Alternative,
  type FieldType,
  fits,
  limitProblem,
  optionalOf,
  refuseUnknown,
  typesOf,
} from './types.js';

/** Values of a step. */
const STEP_VALUES = 1000;
/** Maximum nesting of the data. */
const MAX_LEVELS = 500;
/** Maximum nesting of trials: where several types of records may fit, each is tried. */
const MAX_TRIALS = 3;

/** The result for a value that does not fit. */
export const UNFIT = Symbol('unfit');
export type Read = Value | typeof UNFIT;

/** Where a value is inside of the data. */
export interface Path {
  parent: Path | null;
  /** The name of a field, the index of an element, or the key of an entry. */
  step: { field: string } | { index: number } | { key: Value };
}

/** What is wrong with a value. */
export type Problem =
  | { kind: 'missing' }
  | { kind: 'unknown' }
  | { kind: 'deep' }
  | { kind: 'type'; type: FieldType; value: Value }
  | { kind: 'limit'; text: string };

/** A record whose constructor must still compute the defaults of missing fields. */
export interface Incomplete {
  record: RecordValue;
  given: readonly string[];
}

/** How data is read. */
export interface Source {
  /** Receives each problem; may throw. */
  report(path: Path | null, problem: Problem): void;
  /** Whether keys that are no field are a problem. */
  strict: boolean;
  /** Whether the data are texts: of a form, in which a Boolean that is missing is false, or of others. */
  texts: 'form' | 'plain' | null;
}

/** Makes values of data, in steps, and checks the data against their types. */
export class Reader {
  readonly incomplete: Incomplete[] = [];
  private count = 0;
  private trials = 0;

  constructor(private readonly source: Source) {}

  private unfit(path: Path | null, problem: Problem): typeof UNFIT {
    if (this.trials === 0) this.source.report(path, problem);
    return UNFIT;
  }

  *value(type: FieldType, value: Value, path: Path | null, level: number): Generator<void, Read, void> {
    if (++this.count % STEP_VALUES === 0) yield;
    if (type === null) return value;
    if (level > MAX_LEVELS) return this.unfit(path, { kind: 'deep' });
    if (this.source.texts !== null) {
      if (typeof value === 'string') return yield* this.text(type, value, path, level);
      if (Array.isArray(value) && !allowsList(type)) return yield* this.value(type, lastOf(value), path, level);
      // `a[0]=x&a[1]=y`
      const list = value instanceof Hash ? listOf(type, value) : null;
      if (list !== null) return yield* this.value(type, list, path, level);
    }
    const candidates = type.filter((one) => isCandidate(one, value));
    const [first, ...others] = candidates;
    if (first === undefined) {
      const made = convert(type, value);
      return made === null ? this.unfit(path, misfit(type, value)) : yield* this.limited(made.one, made.value, path);
    }
    if (others.length === 0 || this.trials >= MAX_TRIALS) return yield* this.as(first, value, path, level);
    for (const one of candidates) {
      const read = yield* this.trial(one, value, path, level);
      if (read !== UNFIT) return read;
    }
    const best = likeliest(candidates, value);
    return best === null ? this.unfit(path, { kind: 'type', type, value }) : yield* this.as(best, value, path, level);
  }

  /** Reads a value as one of several types that may fit, without reporting problems. */
  private *trial(one: Alternative, value: Value, path: Path | null, level: number): Generator<void, Read, void> {
    const { length } = this.incomplete;
    this.trials++;
    const read = yield* this.as(one, value, path, level);
    this.trials--;
    if (read === UNFIT) this.incomplete.length = length;
    return read;
  }

  private *as(one: Alternative, value: Value, path: Path | null, level: number): Generator<void, Read, void> {
    if (one.type instanceof RecordType && value instanceof Hash)
      return yield* this.record(one.type, value, path, level);
    if (one.type === 'Set') return yield* this.set(one, value as Value[] | SetValue, path, level);
    const limited = yield* this.limited(one, value, path);
    if (limited === UNFIT) return UNFIT;
    if (one.inner.length === 1 && Array.isArray(value)) return yield* this.vector(one.inner[0], value, path, level);
    if (one.inner.length === 2 && value instanceof Hash) return yield* this.hash(one.inner, value, path, level);
    return value;
  }

  private *limited({ limits }: Alternative, value: Value, path: Path | null): Generator<void, Read, void> {
    const text = limits === null ? null : yield* limitProblem(limits, value);
    return text === null ? value : this.unfit(path, { kind: 'limit', text });
  }

  private *text(
    type: NonNullable<FieldType>,
    text: string,
    path: Path | null,
    level: number,
  ): Generator<void, Read, void> {
    // A String comes last: every text is one.
    const ordered = [...type].sort((a, b) => Number(a.type === 'String') - Number(b.type === 'String'));
    for (const one of ordered) {
      if (one.type === 'Vector' || one.type === 'Set') return yield* this.as(one, [text], path, level);
      const made = ofText(one.type, text);
      if (made !== undefined) return yield* this.limited(one, made, path);
    }
    return this.unfit(path, { kind: 'type', type, value: text });
  }

  *record(type: RecordType, data: Hash, path: Path | null, level: number): Generator<void, Read, void> {
    if (level > MAX_LEVELS) return this.unfit(path, { kind: 'deep' });
    refuseUnknown(type);
    const types = typesOf(type);
    const optional = optionalOf(type);
    const defaults = defaultsOf(type);
    let isUnfit = this.source.strict && this.hasOthers(type, data, path);
    const given: string[] = [];
    const values: Value[] = [];
    let mustCompute = false;
    for (const [i, field] of type.fields.entries()) {
      const inner: Path = { parent: path, step: { field } };
      const value = this.given(data, field, types[i]);
      if (value !== undefined) {
        const read = yield* this.value(types[i], value, inner, level + 1);
        if (read === UNFIT) isUnfit = true;
        given.push(field);
        values.push(read === UNFIT ? null : read);
        continue;
      }
      const make = defaults[i];
      if (make === undefined) mustCompute = true;
      else if (make !== null) given.push(field);
      else if (optional[i]) given.push(field);
      else if (this.source.texts === 'form' && types[i]?.some((one) => one.type === 'Boolean') === true) {
        given.push(field);
        values.push(false);
        continue;
      } else {
        this.unfit(inner, { kind: 'missing' });
        isUnfit = true;
      }
      values.push(make?.() ?? null);
    }
    if (isUnfit) return UNFIT;
    const record = RecordValue.of(type, values);
    if (mustCompute) this.incomplete.push({ record, given });
    return record;
  }

  /** The value of a field; undefined if it is missing. An empty text is missing unless the field may hold a text. */
  private given(data: Hash, field: string, type: FieldType): Value | undefined {
    const value = data.get(field);
    if (this.source.texts === null) return value;
    const last = Array.isArray(value) && !allowsList(type) ? lastOf(value) : value;
    return last === '' && !allows(type, 'String') ? undefined : last;
  }

  private hasOthers({ fields }: RecordType, data: Hash, path: Path | null): boolean {
    let found = false;
    for (const key of data.keys()) {
      if (typeof key === 'string' && fields.includes(key)) continue;
      this.unfit({ parent: path, step: typeof key === 'string' ? { field: key } : { key } }, { kind: 'unknown' });
      found = true;
    }
    return found;
  }

  private *vector(type: FieldType, list: Value[], path: Path | null, level: number): Generator<void, Read, void> {
    const out: Value[] = [];
    let isUnfit = false;
    for (let i = 0; i < list.length; i++) {
      const read = yield* this.value(type, list[i], { parent: path, step: { index: i } }, level + 1);
      if (read === UNFIT) isUnfit = true;
      else out.push(read);
    }
    return isUnfit ? UNFIT : out;
  }

  private *set(
    one: Alternative,
    value: Value[] | SetValue,
    path: Path | null,
    level: number,
  ): Generator<void, Read, void> {
    const list = Array.isArray(value) ? value : value.items();
    const items = yield* this.vector(one.inner[0] ?? null, list, path, level);
    if (!Array.isArray(items)) return UNFIT;
    const set = new SetValue();
    for (let lo = 0; lo < items.length; lo += STEP_VALUES) {
      if (lo > 0) yield;
      const part = setFrom(items.slice(lo, lo + STEP_VALUES), set);
      if (part === undefined) return this.unfit(path, { kind: 'type', type: [one], value });
    }
    return yield* this.limited(one, set, path);
  }

  private *hash(
    types: readonly FieldType[],
    hash: Hash,
    path: Path | null,
    level: number,
  ): Generator<void, Read, void> {
    const out = new Hash();
    let isUnfit = false;
    for (const [key, item] of hash.entries()) {
      const inner: Path = { parent: path, step: { key } };
      const readKey = yield* this.value(types[0], key, inner, level + 1);
      const read = yield* this.value(types[1], item, inner, level + 1);
      if (readKey === UNFIT || read === UNFIT) isUnfit = true;
      else out.set(readKey, read);
    }
    return isUnfit ? UNFIT : out;
  }
}

/** The last of repeated values, as in `req.query`. */
function lastOf(values: readonly Value[]): Value {
  return values[values.length - 1];
}

/** The values of a hash whose keys are the numbers of elements, in their order, if a vector is expected. */
function listOf(type: NonNullable<FieldType>, hash: Hash): Value[] | null {
  if (!allowsList(type) || type.some((one) => one.type === 'Hash' || one.type instanceof RecordType)) return null;
  const entries = hash.entries() as [string, Value][];
  if (!entries.every(([key]) => /^\d+$/.test(key))) return null;
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}

/** Whether a value may be of a type. A hash stands for a record. */
function isCandidate({ type }: Alternative, value: Value): boolean {
  if (type instanceof RecordType && value instanceof Hash) return true;
  if (type === 'Set' && Array.isArray(value)) return true;
  return fits(type, value);
}

function convert(type: NonNullable<FieldType>, value: Value): { one: Alternative; value: Value } | null {
  for (const one of type) {
    const made = typeof one.type === 'string' ? CONVERTERS.get(one.type)?.(value) : undefined;
    if (made !== undefined) return { one, value: made };
  }
  return null;
}

/** The problem of a value that no alternative takes. */
function misfit(type: NonNullable<FieldType>, value: Value): Problem {
  // Every other Integer stands for a Float.
  return typeof value === 'bigint' && allows(type, 'Float')
    ? { kind: 'limit', text: 'is too large for a Float' }
    : { kind: 'type', type, value };
}

/** The type whose problems say most about a value: the only one, or the only record that has all fields of a hash. */
function likeliest(candidates: readonly Alternative[], value: Value): Alternative | null {
  if (!(value instanceof Hash)) return candidates[0];
  const having = candidates.filter(
    ({ type }) => type instanceof RecordType && value.keys().every((key) => type.fields.includes(key as string)),
  );
  return having.length === 1 ? having[0] : null;
}

/** Whether an enum's members are texts. */
export function isPlainEnum(type: Value | string): type is EnumType {
  return type instanceof EnumType && type.variants.size === 0;
}
