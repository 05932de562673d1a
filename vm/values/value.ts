/**
 * A Svc value. Integers are numbers within ±(2^53−1) and bigints outside. Vectors are arrays. Floats, hashes and the
 * rest are instances of the classes in this folder. `undefined` is never a value: to the interpreter it means
 * "suspended".
 */
export type Value = null | boolean | number | bigint | string | object;

/** Marks an argument that was not given; only parameter registers can hold it. */
export const ABSENT: object = Object.freeze({ absent: true });

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
