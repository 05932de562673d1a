import type { ErrorType, ErrorValue } from './error.js';
import type { Closure, NativeFunction } from './function.js';
import type { Handle, HandleType } from './handle.js';
import type { Hash } from './hash.js';
import type { Iterator } from './iterator.js';
import type { EnumType, Range, RecordType, RecordValue, Regex } from './structured.js';
import type { TypeValue } from './types.js';

/**
 * A Svc value. Integers are numbers within ±(2^53−1) and bigints outside. Vectors are arrays. Floats, hashes and the
 * rest are instances of the classes in this folder. `undefined` is never a value: to the interpreter it means
 * "suspended".
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Value[]
  | Hash
  | Range
  | Regex
  | Closure
  | NativeFunction
  | TypeValue
  | RecordType
  | RecordValue
  | EnumType
  | ErrorType
  | ErrorValue
  | Handle
  | HandleType
  | Cell
  | Iterator
  | Internal;

/** Data of the VM that registers and constants can hold. No program sees it. */
export abstract class Internal {
  /** Distinguishes the type from all others; has no value. */
  declare private readonly internal: never;
}

/** A register's content that stands for no value. */
export class Mark extends Internal {}

/** Marks an argument that was not given; only parameter registers can hold it. */
export const ABSENT: Mark = new Mark();

/** An IEEE double, distinct from Integer. Immutable. */
export class Float {
  constructor(readonly n: number) {}
}
// Makes V8 represent the field as a double before it sees an integral value.
new Float(0.5);

/** A captured variable that is reassigned after its capture. */
export class Cell {
  constructor(public value: Value) {}
}

/** Whether `value` counts as true in a condition. */
export function truthy(value: Value): boolean {
  return value !== null && value !== false;
}

export function isInteger(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

export function isNumber(value: Value): value is number | bigint | Float {
  return typeof value === 'number' || value instanceof Float || typeof value === 'bigint';
}
