/**
 * A Svc value. Integers are numbers within ±(2^53−1) and bigints outside; Floats, hashes and the rest are instances of the classes of this
 * folder; vectors are arrays; `undefined` is never a value: it means "suspended" to the interpreter.
 */
export type Value = null | boolean | number | bigint | string | object;

/** The mark of an argument that was not given; only parameter registers ever hold it. */
export const ABSENT: object = Object.freeze({ absent: true });

/** IEEE double, distinct from Integer. Immutable. */
export class Float {
  constructor(readonly n: number) {}
}
// The first instance fixes the field's representation in V8 as a double, before an integral value is seen.
new Float(0.5);

/** A captured variable that is assigned again after its capture. */
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
