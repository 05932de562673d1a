/**
 * Reads JSON values at once, with a function compiled for each type. It only says whether a value fits: `reader.ts`
 * reads values again that do not, or that need more than this knows, and says why.
 */
import { Fields } from '../../../vm/values/fields.js';
import { Hash, type Shape } from '../../../vm/values/hash.js';
import { SetValue } from '../../../vm/values/set.js';
import { RecordType, RecordValue } from '../../../vm/values/structured.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { CONVERTERS, setFrom } from './convert.js';
import { defaultsOf } from './defaults.js';
import { isPlainEnum, type Read, UNFIT } from './reader.js';
import { type Alternative, type FieldType, fits, isWithinLimits, optionalOf, refuseUnknown, typesOf } from './types.js';

/** Reads a value that is inside of `level` others; UNFIT leaves it to the reader. */
export type Quick = (value: Value, level: number) => Read;

/** Maximum nesting read here. */
const MAX_LEVELS = 100;

const compiled = new WeakMap<RecordType, Quick>();

/** The function that reads records of a type from hashes. */
export function quickly(type: RecordType): Quick {
  let quick = compiled.get(type);
  if (quick === undefined) {
    // Types may contain themselves, so this is known before its fields are compiled.
    let own: Quick | null = null;
    quick = (value, level) => (own ??= recordReader(type))(value, level);
    compiled.set(type, quick);
  }
  return quick;
}

/** The function that reads values of a type. */
export function quickReader(type: FieldType): Quick {
  if (type === null) return (value) => value;
  const readers = type.map(alternativeReader);
  if (readers.length === 1) return readers[0];
  // Where several types of records may fit, the reader decides.
  const lists = type.filter(({ type: one }) => one === 'Vector' || one === 'Set');
  const records = type.filter(({ type: one }) => one instanceof RecordType || one === 'Hash');
  const isAmbiguous = lists.length > 1 || records.length > 1;
  if (isAmbiguous) return () => UNFIT;
  if (readers.length === 2 && type.some((one) => one.type === 'Nil')) {
    const [inner] = readers.filter((_, i) => type[i].type !== 'Nil');
    return (value, level) => (value === null ? null : inner(value, level));
  }
  // A value of another alternative must not be converted first: an Integer stays one in `Float | Int`.
  const converting = type.some((one) => typeof one.type === 'string' && CONVERTERS.has(one.type));
  return (value, level) => {
    if (converting) {
      const exact = type.findIndex((one) => fits(one.type, value));
      if (exact >= 0) return readers[exact](value, level);
    }
    for (const read of readers) {
      const made = read(value, level);
      if (made !== UNFIT) return made;
    }
    return UNFIT;
  };
}

function alternativeReader(one: Alternative): Quick {
  const read = unlimited(one);
  const { limits } = one;
  if (limits === null) return read;
  const [range] = limits.ranges;
  if (one.type === 'String') {
    const whole = (value: Value): Read => (isWithinLimits(limits, value) === true ? value : UNFIT);
    if (limits.regexes.length > 0 || limits.ranges.length > 1)
      return (value) => (typeof value === 'string' ? whole(value) : UNFIT);
    const most = Number(range.most);
    const least = Number(range.least) * 2;
    return (value) => {
      if (typeof value !== 'string') return UNFIT;
      // A character has one or two units.
      const { length } = value;
      return length <= most && length >= least ? value : whole(value);
    };
  }
  if (one.type === 'Integer' && limits.ranges.length === 1) {
    const { least, most } = range;
    return (value) => (typeof value === 'number' && value >= least && value <= most ? value : UNFIT);
  }
  return (value, level) => {
    const made = read(value, level);
    return made !== UNFIT && isWithinLimits(limits, made) === true ? made : UNFIT;
  };
}

function unlimited({ type, inner }: Alternative): Quick {
  if (type instanceof RecordType) return quickly(type);
  if (isPlainEnum(type)) {
    const members = new Set<Value>(type.members);
    return (value) => (members.has(value) ? value : UNFIT);
  }
  switch (type) {
    case 'String':
      return (value) => (typeof value === 'string' ? value : UNFIT);
    case 'Boolean':
      return (value) => (typeof value === 'boolean' ? value : UNFIT);
    case 'Nil':
      return (value) => (value === null ? value : UNFIT);
    case 'Integer':
      return (value) => (typeof value === 'number' || typeof value === 'bigint' ? value : UNFIT);
    case 'Float':
      return (value) => (value instanceof Float ? value : typeof value === 'number' ? new Float(value) : UNFIT);
    case 'Vector':
      return vectorReader(inner[0] ?? null);
    case 'Set':
      return setReader(inner[0] ?? null);
    case 'Hash':
      return inner.length === 2 ? hashReader(inner[0], inner[1]) : (value) => (value instanceof Hash ? value : UNFIT);
    default:
      return (value) => {
        if (fits(type, value)) return value;
        return (typeof type === 'string' ? CONVERTERS.get(type)?.(value) : undefined) ?? UNFIT;
      };
  }
}

function vectorReader(type: FieldType): Quick {
  if (type === null) return (value) => (Array.isArray(value) ? value : UNFIT);
  const read = quickReader(type);
  return (value, level) => {
    if (!Array.isArray(value) || level > MAX_LEVELS) return UNFIT;
    const out: Value[] = [];
    for (const item of value) {
      const made = read(item, level + 1);
      if (made === UNFIT) return UNFIT;
      out.push(made);
    }
    return out;
  };
}

function setReader(type: FieldType): Quick {
  const read = vectorReader(type);
  return (value, level) => {
    const items = read(value instanceof SetValue ? value.items() : value, level);
    return Array.isArray(items) ? (setFrom(items) ?? UNFIT) : UNFIT;
  };
}

function hashReader(keys: FieldType, values: FieldType): Quick {
  const readKey = quickReader(keys);
  const readValue = quickReader(values);
  return (value, level) => {
    if (!(value instanceof Hash) || level > MAX_LEVELS) return UNFIT;
    const out = new Hash();
    for (const [key, item] of value.entries()) {
      const name = readKey(key, level + 1);
      const made = readValue(item, level + 1);
      if (name === UNFIT || made === UNFIT) return UNFIT;
      out.set(name, made);
    }
    return out;
  };
}

/** Readers of missing fields: the default of each, or nil if it may be nil. UNFIT for fields that must be given. */
export function missingOf(type: RecordType): readonly (() => Read)[] {
  const optional = optionalOf(type);
  return defaultsOf(type).map((make, i) => {
    if (make === undefined) return unfit;
    return make ?? (optional[i] ? () => null : unfit);
  });
}

function unfit(): typeof UNFIT {
  return UNFIT;
}

function recordReader(type: RecordType): Quick {
  refuseUnknown(type);
  const { fields } = type;
  const types = typesOf(type);
  const readers = types.map(quickReader);
  const missing = missingOf(type);
  const count = fields.length;
  // Data mostly has the same keys in the same order, and then the same shape.
  let lastShape: Shape | null = null;
  let slots: number[] = [];
  return (data, level) => {
    if (!(data instanceof Hash) || level > MAX_LEVELS) return UNFIT;
    const found = data instanceof Fields ? null : data.shape;
    const given = found === null ? null : data.firstValues(data.size);
    if (found !== null && found !== lastShape) {
      lastShape = found;
      slots = fields.map((field) => found.index.get(field) ?? -1);
    }
    const values: Value[] = [];
    for (let i = 0; i < count; i++) {
      const value = given === null ? data.get(fields[i]) : slots[i] < 0 ? undefined : given[slots[i]];
      const made = value === undefined ? missing[i]() : readers[i](value, level + 1);
      if (made === UNFIT) return UNFIT;
      values.push(made);
    }
    return RecordValue.of(type, values);
  };
}
