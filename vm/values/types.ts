import { ErrorType, ErrorValue } from './error.js';
import { Closure, NativeFunction } from './function.js';
import { Handle } from './handle.js';
import { Hash } from './hash.js';
import { EnumType, Range, RecordType, RecordValue, Regex } from './structured.js';
import { Float, type Value } from './value.js';

/** A built-in type as a value: the pattern of `when Integer`. */
export class TypeValue {
  /** Methods of the type itself, such as `Hash.new`. */
  readonly statics = new Map<string, NativeFunction>();

  constructor(
    readonly name: string,
    private readonly test: (value: Value) => boolean,
  ) {}

  matches(value: Value): boolean {
    return this.test(value);
  }
}

/** What messages call a value: `nil`, or the name of its type. */
export function kindName(value: Value): string {
  return value === null ? 'nil' : typeName(value);
}

/** The type's name for messages and `type(x)`: `Integer`, `Nil`, a record's own name, a handle's type. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'String';
    case 'number':
    case 'bigint':
      return 'Integer';
    case 'boolean':
      return 'Boolean';
    default:
      return value === null ? 'Nil' : objectTypeName(value);
  }
}

function objectTypeName(value: object): string {
  if (Array.isArray(value)) return 'Vector';
  if (value instanceof Float) return 'Float';
  if (value instanceof Hash) return 'Hash';
  if (value instanceof RecordValue) return value.type.name;
  if (value instanceof Closure || value instanceof NativeFunction) return 'Function';
  if (value instanceof Range) return 'Range';
  if (value instanceof Regex) return 'Regex';
  if (value instanceof ErrorValue) return value.type.name;
  if (value instanceof Handle) return value.type.name;
  if (value instanceof EnumType) return 'Enum';
  return 'Type';
}

const isFunction = (v: Value): boolean => v instanceof Closure || v instanceof NativeFunction;

/** Built-in types by the name a program uses. */
export const BUILTIN_TYPES: ReadonlyMap<string, TypeValue> = new Map(
  (
    [
      ['Nil', (v) => v === null],
      ['Boolean', (v) => typeof v === 'boolean'],
      ['Integer', (v) => typeof v === 'number' || typeof v === 'bigint'],
      ['Float', (v) => v instanceof Float],
      ['Number', (v) => typeof v === 'number' || typeof v === 'bigint' || v instanceof Float],
      ['String', (v) => typeof v === 'string'],
      ['Vector', (v) => Array.isArray(v)],
      ['Hash', (v) => v instanceof Hash],
      ['Range', (v) => v instanceof Range],
      ['Function', isFunction],
      ['Record', (v) => v instanceof RecordValue],
      ['Regex', (v) => v instanceof Regex],
      ['Enum', (v) => v instanceof EnumType],
      ['Type', (v) => v instanceof TypeValue || v instanceof RecordType || v instanceof ErrorType],
    ] as [string, (value: Value) => boolean][]
  ).map(([name, test]) => [name, new TypeValue(name, test)]),
);
