import { native, nativeLike } from '../../vm/calls/native.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { Thrown } from '../../vm/fibers/fiber.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Fields } from '../../vm/values/fields.js';
import { NameList } from '../../vm/values/function.js';
import { Hash, Shape } from '../../vm/values/hash.js';
import { finish, type Steps } from '../../vm/values/steps.js';
import { EnumType, RecordType, RecordValue } from '../../vm/values/structured.js';
import { BUILTIN_TYPES, kindName, typeName, TypeValue } from '../../vm/values/types.js';
import { isLarge } from '../../vm/values/weight.js';
import { Float, isInteger, type Value } from '../../vm/values/value.js';

/** Values of a step. */
const STEP_VALUES = 1000;
/** Maximum nesting of the data. */
const MAX_LEVELS = 500;

/** The type of a field: alternatives, or null if every value fits. */
type FieldType = readonly Alternative[] | null;

interface Alternative {
  /** A declared type of the program, or the name of a built-in one. */
  type: Value | string;
  /** Types of the elements of a vector, or of the keys and the values of a hash; empty if every value fits. */
  inner: readonly FieldType[];
}

const parsed = new WeakMap<RecordType, readonly FieldType[]>();

/** The types of a record's fields, parsed when they are needed first. */
function typesOf(record: RecordType): readonly FieldType[] {
  let types = parsed.get(record);
  if (types === undefined) {
    const { texts = [], types: declared = [] } = record.annotations ?? {};
    types = record.fields.map((_, i) => new TypeReader(texts[i] ?? '', declared).read());
    parsed.set(record, types);
  }
  return types;
}

/** Reads the text of a type: `Vector<#2>|Nil`. */
class TypeReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly declared: readonly Value[],
  ) {}

  read(): FieldType {
    const out: Alternative[] = [];
    do {
      const name = /^[^<>,|]*/.exec(this.text.slice(this.at))?.[0] ?? '';
      this.at += name.length;
      const inner: FieldType[] = [];
      if (this.take('<')) {
        do inner.push(this.read());
        while (this.take(','));
        this.take('>');
      }
      out.push({ type: name.startsWith('#') ? this.declared[Number(name.slice(1))] : name, inner });
    } while (this.take('|'));
    return out.some(({ type }) => type === '' || type === 'Any') ? null : out;
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }
}

/** A type as messages name it. */
function describe(type: FieldType): string {
  return (type ?? [])
    .map(({ type: one }) => {
      if (typeof one === 'string') return one === 'Nil' ? 'nil' : one;
      return one instanceof RecordType || one instanceof EnumType || one instanceof TypeValue ? one.name : 'Any';
    })
    .join(' or ');
}

/** A record whose constructor must still compute the defaults of missing fields. */
interface Incomplete {
  record: RecordValue;
  given: readonly string[];
}

/** Makes records of data, and checks the data against the types of their fields. */
class Reader {
  readonly incomplete: Incomplete[] = [];
  private count = 0;

  constructor(
    private readonly name: string,
    private readonly strict: boolean,
  ) {}

  private fail(message: string): never {
    return fail(Errors.ValueError, `${this.name}.from_json(): ${message}`);
  }

  *record(type: RecordType, data: Hash, path: string, level: number): Generator<void, RecordValue, void> {
    if (level > MAX_LEVELS) this.fail(`'${path.slice(0, 40)}…' is nested too deeply`);
    const types = typesOf(type);
    const kinds = type.make?.fn.params ?? [];
    if (this.strict) this.refuseOthers(type, data, path);
    const given: string[] = [];
    const values: Value[] = [];
    for (const [i, field] of type.fields.entries()) {
      const value = data.get(field);
      const inner = path === '' ? field : `${path}.${field}`;
      if (value !== undefined) {
        given.push(field);
        values.push(yield* this.value(types[i], value, inner, level + 1));
      } else if (kinds[i].kind === 'optional' || kinds[i].kind === 'namedOptional') values.push(null);
      else if (types[i]?.some((one) => one.type === 'Nil') === true) {
        given.push(field);
        values.push(null);
      } else this.fail(`field '${inner}' is missing`);
    }
    const record = new RecordValue(type, Fields.of(type.shape, type.fields, values));
    if (given.length < type.fields.length) this.incomplete.push({ record, given });
    return record;
  }

  private refuseOthers({ fields }: RecordType, data: Hash, path: string): void {
    const others = [...data.keys()].filter((key) => typeof key !== 'string' || !fields.includes(key));
    if (others.length === 0) return;
    const names = others.slice(0, 5).map((key) => `'${path === '' ? '' : `${path}.`}${String(key)}'`);
    this.fail(`there is no field ${names.join(', ')}${others.length > names.length ? ' …' : ''}`);
  }

  private *value(type: FieldType, value: Value, path: string, level: number): Generator<void, Value, void> {
    if (++this.count % STEP_VALUES === 0) yield;
    if (type === null) return value;
    for (const one of type) {
      if (one.type instanceof RecordType && value instanceof Hash)
        return yield* this.record(one.type, value, path, level);
      if (!fits(one.type, value)) continue;
      if (one.inner.length === 1 && Array.isArray(value)) return yield* this.vector(one.inner[0], value, path, level);
      if (one.inner.length === 2 && value instanceof Hash) return yield* this.hash(one.inner, value, path, level);
      return value;
    }
    // An Integer is a Float without decimals: JSON does not distinguish 5 from 5.0.
    if (isInteger(value) && type.some((one) => one.type === 'Float')) return new Float(Number(value));
    return this.fail(`field '${path}' must be ${describe(type)}, got ${kindName(value)}`);
  }

  private *vector(type: FieldType, list: Value[], path: string, level: number): Generator<void, Value, void> {
    const out: Value[] = [];
    for (const [i, item] of list.entries()) out.push(yield* this.value(type, item, `${path}[${i}]`, level));
    return out;
  }

  private *hash(types: readonly FieldType[], hash: Hash, path: string, level: number): Generator<void, Value, void> {
    const out = new Hash();
    for (const [key, item] of hash.entries()) {
      const name = typeof key === 'string' ? JSON.stringify(key) : kindName(key);
      const read = yield* this.value(types[0], key, `${path}[${name}]`, level);
      out.set(read, yield* this.value(types[1], item, `${path}[${name}]`, level));
    }
    return out;
  }
}

/** Whether a value is of a type. */
function fits(type: Value | string, value: Value): boolean {
  if (typeof type === 'string') return BUILTIN_TYPES.get(type)?.matches(value) ?? typeName(value) === type;
  if (type instanceof RecordType) return value instanceof RecordValue && value.type === type;
  if (type instanceof EnumType) return type.all().includes(value) || isVariant(type, value);
  return !(type instanceof TypeValue) || type.matches(value);
}

function isVariant({ variants }: EnumType, value: Value): boolean {
  return value instanceof RecordValue && [...variants.values()].includes(value.type);
}

const CONSTRUCT = native('construct', '', 'Any', 'Calls the constructor of a record.', () => null);
const READ = native('read', '', 'Any', 'Reads the data of a record.', () => null);

/** Calls the constructor of an incomplete record for the defaults of its missing fields. */
function complete(vm: NativeContext, { record, given }: Incomplete): Value | undefined {
  const { make, fields } = record.type;
  const args = given.map((name) => record.fields.get(name) ?? null);
  const construct = nativeLike(CONSTRUCT, () => vm.invoke(make, args, new NameList(given, Shape.of(given))));
  return vm.callThen(construct, [], {
    done: (made) => {
      if (made instanceof RecordValue)
        for (const name of fields) if (!given.includes(name)) record.fields.set(name, made.fields.get(name) ?? null);
      return null;
    },
    failed,
  });
}

/** Completes the records from `lo` to `hi`. Halves their number, because each continuation takes a frame. */
function completeAll(vm: NativeContext, records: readonly Incomplete[], lo: number, hi: number): Value | undefined {
  if (lo === hi) return null;
  if (hi - lo === 1) return complete(vm, records[lo]);
  const middle = (lo + hi) >> 1;
  const first = nativeLike(CONSTRUCT, () => completeAll(vm, records, lo, middle));
  return vm.callThen(first, [], { done: () => completeAll(vm, records, middle, hi), failed });
}

function failed(thrown: Thrown): never {
  throw thrown;
}

/** A record made of a hash, as of JSON. @throws ValueError that names the field that does not fit */
export function fromJson(vm: NativeContext, type: Value, data: Hash, strict: boolean): Value | undefined {
  if (!(type instanceof RecordType))
    return fail(Errors.AttributeError, `only records have the method 'from_json', got ${kindName(type)}`);
  const reader = new Reader(type.name, strict);
  const steps: Steps = reader.record(type, data, '', 0);
  const finished = (record: Value): Value | undefined => {
    const { incomplete } = reader;
    if (incomplete.length === 0) return record;
    const completing = nativeLike(CONSTRUCT, () => completeAll(vm, incomplete, 0, incomplete.length));
    return vm.callThen(completing, [], { done: () => record, failed });
  };
  if (!isLarge(data)) return finished(finish(steps));
  return vm.callThen(
    nativeLike(READ, () => vm.inPieces('from_json', steps)),
    [],
    { done: finished, failed },
  );
}
