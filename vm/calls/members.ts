import { HandleType, Handle } from '../values/handle.js';
import { EnumType, Range, RecordType, RecordValue, Regex } from '../values/structured.js';
import { charge } from '../values/cost.js';
import { characterAt, length, slice } from '../values/text/codepoints.js';
import { Errors, ErrorType, ErrorValue, fail, failForNil } from '../values/error.js';
import { Closure, NativeFunction } from '../values/function.js';
import { Hash } from '../values/hash.js';
import { failTooManyElements, MAX_ELEMENTS } from '../values/limits.js';
import { MethodTable, type Natives } from '../values/methodgroup.js';
import { hashKey } from '../values/keys.js';
import { nativeLike } from './native.js';
import { methodHint } from '../bytecode/foreignmethods.js';
import { TypeValue, kindName } from '../values/types.js';
import { Float, isInteger, type Value } from '../values/value.js';

const NO_METHODS: ReadonlyMap<string, NativeFunction> = new Map();

/** Method tables by receiver kind. `Any` holds the methods of all values. */
export class MethodTables {
  private readonly tables = new Map<string, MethodTable>();

  /** Adds methods; the `owner` of each names its table. */
  add(natives: Natives): void {
    for (const one of natives) {
      let table = this.tables.get(one.owner);
      if (table === undefined) this.tables.set(one.owner, (table = new MethodTable()));
      table.add(one);
    }
  }

  /** The methods of a kind of receiver, by name. */
  table(kind: string): ReadonlyMap<string, NativeFunction> {
    return this.tables.get(kind)?.methods ?? NO_METHODS;
  }

  /** All methods, by kind of receiver and name. Makes those that nobody has looked up. */
  get byKind(): Map<string, ReadonlyMap<string, NativeFunction>> {
    return new Map([...this.tables].map(([kind, { methods }]) => [kind, methods]));
  }

  /** The method `name` of `value`, or undefined. */
  find(value: Value, name: string): NativeFunction | undefined {
    const own = value instanceof Handle ? value.type.methods.get(name) : this.table(kindOf(value)).get(name);
    return (
      (value instanceof HandleType || value instanceof TypeValue ? value.statics.get(name) : undefined) ??
      own ??
      (value instanceof NativeFunction ? value.members?.methods.get(name) : undefined) ??
      (value instanceof ErrorValue ? this.ofMessage(name) : undefined) ??
      this.table('Any').get(name)
    );
  }

  /** A method of String that an error applies to its message. */
  private ofMessage(name: string): NativeFunction | undefined {
    const method = this.table('String').get(name);
    if (method === undefined) return undefined;
    return nativeLike(method, (vm: unknown, error: ErrorValue, ...args: unknown[]) =>
      method.impl(vm, error.message, ...args),
    );
  }

  /** Names of all methods of `value`, for suggestions. */
  names(value: Value): string[] {
    const own = value instanceof Handle ? value.type.methods : this.table(kindOf(value));
    const statics = value instanceof HandleType ? value.statics.keys() : [];
    const members = value instanceof NativeFunction ? (value.members?.methods.keys() ?? []) : [];
    return [...statics, ...members, ...own.keys(), ...this.table('Any').keys()];
  }
}

/** The name of the method table for a value. */
export function kindOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'String';
    case 'number':
    case 'bigint':
      return 'Integer';
    case 'boolean':
      return 'Boolean';
    default:
      break;
  }
  if (value === null) return 'Nil';
  if (Array.isArray(value)) return 'Vector';
  if (value instanceof Hash) return 'Hash';
  if (value instanceof RecordValue) return 'Record';
  return otherKind(value);
}

function otherKind(value: object): string {
  if (value instanceof Float) return 'Float';
  if (value instanceof Range) return 'Range';
  if (value instanceof ErrorValue) return 'Error';
  if (value instanceof Closure || value instanceof NativeFunction) return 'Function';
  if (value instanceof Regex) return 'Regex';
  if (value instanceof EnumType) return 'Enum';
  if (
    value instanceof TypeValue ||
    value instanceof RecordType ||
    value instanceof ErrorType ||
    value instanceof HandleType
  )
    return 'Type';
  return 'Any';
}

/** The fields of a hash or record, or null for other values. */
export function fieldsOf(value: Value): Hash | null {
  return value instanceof Hash ? value : value instanceof RecordValue ? value.fields : null;
}

/** Operators that are methods. */
const BIT_OPERATORS: ReadonlySet<string> = new Set(['&', '^', '>>', '~']);

/** Raises AttributeError: `nil has no method 'upcase'`, with a suggestion if a similar name exists. */
export function noSuchMethod(tables: MethodTables, value: Value, name: string): never {
  if (name === '[]')
    failForNil(
      Errors.TypeError,
      `cannot take a slice of ${kindName(value)}: x[start, count] is for vectors and strings`,
      value === null ? 'indexed' : null,
    );
  if (BIT_OPERATORS.has(name)) {
    const hint = typeof value === 'boolean' && name !== '>>' ? '; for conditions there are `and`, `or` and `not`' : '';
    failForNil(Errors.TypeError, `${kindName(value)} has no operator ${name}${hint}`, value === null ? 'left' : null);
  }
  if (name === 'new' && isCallable(value))
    fail(Errors.AttributeError, `${value.name} has no method 'new': call it, ${value.name}(…)`);
  if (value instanceof Hash && value.get(name) !== undefined)
    fail(Errors.AttributeError, `Hash has no method '${name}'; its key is read with ["${name}"]`);
  if (value instanceof EnumType)
    fail(
      Errors.AttributeError,
      `${value.name} has no value or method '${name}'; its values are ${value.members.join(', ')}`,
    );
  const what = value instanceof RecordValue ? 'field or method' : 'method';
  const names =
    value instanceof RecordValue
      ? [...value.type.fields, ...(value.type.methods?.keys() ?? []), ...tables.names(value)]
      : tables.names(value);
  return failForNil(
    Errors.AttributeError,
    `${kindName(value)} has no ${what} '${name}'${methodHint(kindName(value), name, names)}`,
    value === null ? 'receiver' : null,
    name,
  );
}

/** Whether a value is a type that makes values when it is called. */
function isCallable(value: Value): value is ErrorType | RecordType | HandleType {
  return (
    value instanceof ErrorType || value instanceof RecordType || (value instanceof HandleType && value.make !== null)
  );
}

/** Whether a name after a dot can be a hash key: names that end in `?` or `!` are only methods. */
export function mayBeKey(name: string): boolean {
  return !name.endsWith('?') && !name.endsWith('!');
}

/**
 * Reads `value.name` without a call: a record field, a hash key that is not a method, or an enum member. undefined:
 * call the method.
 */
export function readField(tables: MethodTables, value: Value, name: string): Value | undefined {
  if (!mayBeKey(name)) return undefined;
  if (value instanceof RecordValue) return value.get(name);
  if (value instanceof EnumType) return value.member(name);
  if (!(value instanceof Hash) || tables.table('Hash').has(name)) return undefined;
  // A key takes precedence over a method that every value has.
  return value.get(name) ?? (tables.find(value, name) === undefined ? null : undefined);
}

/** Whether `hash.name` reads a key that the hash does not have. */
export function isMissingKey(tables: MethodTables, hash: Hash, name: string): boolean {
  return mayBeKey(name) && hash.get(name) === undefined && tables.find(hash, name) === undefined;
}

/** `recv[index]` for built-in values; undefined if `[]` is a method of the receiver. */
export function indexValue(recv: Value, index: Value): Value | undefined {
  if (Array.isArray(recv)) return indexVector(recv, index);
  const fields = fieldsOf(recv);
  if (fields !== null) return fields.get(index) ?? null;
  return undefined;
}

/** `text[index]` for an Integer or a Range; undefined for other indexes. */
export function indexText(text: string, index: Value): Value | undefined {
  if (typeof index === 'number') return characterAt(text, index);
  if (!(index instanceof Range)) return undefined;
  const bounds = sliceBounds(index, length(text));
  return bounds === null ? null : slice(text, bounds.start, bounds.end - bounds.start);
}

function indexVector(vector: Value[], index: Value): Value {
  if (index instanceof Range) {
    const bounds = sliceBounds(index, vector.length);
    return bounds === null ? null : vector.slice(bounds.start, bounds.end);
  }
  const at = vectorIndex(index);
  return vector[at < 0 ? at + vector.length : at] ?? null;
}

/** An index as a number. @throws TypeError */
export function vectorIndex(index: Value): number {
  if (typeof index === 'number') return index;
  if (isInteger(index)) return Number(index);
  if (index instanceof Range) return fail(Errors.TypeError, 'index must be Integer here, got Range');
  return fail(Errors.TypeError, `index must be Integer or Range, got ${kindName(index)}`);
}

/** Start and end of a slice of a sequence of `length` elements; null if it starts outside. */
export function sliceBounds(range: Range, length: number): { start: number; end: number } | null {
  const lo = range.lo === null ? 0 : vectorIndex(range.lo);
  const start = lo < 0 ? lo + length : lo;
  if (start < 0 || start > length) return null;
  if (range.hi === null) return { start, end: length };
  const hi = vectorIndex(range.hi);
  const last = hi < 0 ? hi + length : hi;
  return { start, end: Math.max(start, Math.min(length, range.exclusive ? last : last + 1)) };
}

/** Stores `recv[index] = value` for built-in values; returns false if `[]=` is a method of the receiver. */
export function storeIndex(recv: Value, index: Value, value: Value): boolean {
  if (Array.isArray(recv)) {
    if (index instanceof Range) return false;
    storeElement(recv, index, value);
    return true;
  }
  if (recv instanceof RecordValue) {
    storeField(recv, index, value);
    return true;
  }
  if (!(recv instanceof Hash)) return false;
  recv.set(hashKey(index), value);
  return true;
}

/** Maximum number of nils that an assignment past the end of a vector may insert. */
const MAX_GAP = 1_000_000;

/** Fills a vector with nil up to index `at` past its end. @throws IndexError if that is too far */
export function fillUpTo(vector: Value[], at: number): void {
  if (at - vector.length > MAX_GAP)
    fail(Errors.IndexError, `index ${at} is too far past the end of a vector with ${vector.length} elements`);
  charge(Math.max(0, at - vector.length));
  while (vector.length < at) vector.push(null);
}

function storeElement(vector: Value[], index: Value, value: Value): void {
  const given = vectorIndex(index);
  const at = given < 0 ? given + vector.length : given;
  if (at < 0) fail(Errors.IndexError, `index ${given} is before the start of a vector with ${vector.length} elements`);
  if (at >= MAX_ELEMENTS) failTooManyElements();
  fillUpTo(vector, at);
  vector[at] = value;
}

function storeField(record: RecordValue, name: Value, value: Value): void {
  if (!record.set(name, value)) fail(Errors.AttributeError, `${record.type.name} has no field '${String(name)}'`);
}

/** Stores `recv.name = value` for hashes and records; returns false for other receivers. */
export function storeNamed(recv: Value, name: string, value: Value): boolean {
  if (recv instanceof Hash) {
    recv.set(name, value);
    return true;
  }
  if (!(recv instanceof RecordValue)) return false;
  storeField(recv, name, value);
  return true;
}
