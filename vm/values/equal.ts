import { charge, chargeText } from './cost.js';
import { Errors, ErrorValue, fail, failForNil, nilOperand } from './error.js';
import { Range, RecordValue, Regex } from './structured.js';
import { Handle } from './handle.js';
import { Hash } from './hash.js';
import { MAX_DEPTH } from './text/text.js';
import { typeName } from './types.js';
import { mixedHint, Numeric } from './numbers/numeric.js';
import { Float, isInteger, isNumber, type Value } from './value.js';
import { LONG_TEXT_THRESHOLD } from './limits.js';

/** Structural equality: `1 == 1.0` and `[1] == [1.0]`; hashes ignore order; an error equals its message. */
export function equal(a: Value, b: Value): boolean {
  if (typeof a === 'string' && typeof b === 'string') return textsEqual(a, b);
  if (typeof a !== 'object' && typeof b !== 'object') return a === b;
  if (a === b) return !(a instanceof Float) || a.n === a.n;
  return deepEqual(a, b, 0);
}

function deepEqual(a: Value, b: Value, depth: number): boolean {
  if (typeof a === 'string' && typeof b === 'string') return textsEqual(a, b);
  if (typeof a !== 'object' && typeof b !== 'object') return a === b;
  if (a === b) return !(a instanceof Float) || a.n === a.n;
  if (a instanceof Float) return isNumber(b) ? floatEquals(a.n, b) : b instanceof Numeric && b.equals(a);
  if (b instanceof Float) return isNumber(a) ? floatEquals(b.n, a) : a instanceof Numeric && a.equals(b);
  if (a instanceof ErrorValue)
    return typeof b === 'string'
      ? a.message === b
      : b instanceof ErrorValue && a.type === b.type && a.message === b.message;
  if (b instanceof ErrorValue) return b.message === a;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return numericEquals(a, b);
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot compare values nested deeper than ${MAX_DEPTH} levels`);
  return objectsEqual(a, b, depth + 1);
}

/** V8 compares texts of equal length unit by unit, so these are charged. */
function textsEqual(a: string, b: string): boolean {
  if (a.length > LONG_TEXT_THRESHOLD && a.length === b.length) chargeText(a.length);
  return a === b;
}

/** Equality of two values of which at least one is no object. */
function numericEquals(a: Value, b: Value): boolean {
  if (a instanceof Numeric) return isInteger(b) && a.equals(b);
  return b instanceof Numeric && isInteger(a) && b.equals(a);
}

function floatEquals(n: number, b: number | bigint | Float): boolean {
  return b instanceof Float ? n === b.n : typeof b === 'number' ? n === b : Number.isInteger(n) && BigInt(n) === b;
}

function objectsEqual(a: object, b: object, depth: number): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && vectorsEqual(a, b as Value[], depth);
  if (a instanceof Hash) return b instanceof Hash && hashesEqual(a, b, depth);
  if (a instanceof RecordValue) return b instanceof RecordValue && a.type === b.type && fieldsEqual(a, b, depth);
  if (a instanceof Range)
    return (
      b instanceof Range && a.exclusive === b.exclusive && deepEqual(a.lo, b.lo, depth) && deepEqual(a.hi, b.hi, depth)
    );
  if (a instanceof Regex) return b instanceof Regex && a.source === b.source && a.flags === b.flags;
  if (a instanceof Handle) return a.equals(b);
  return false;
}

function hashesEqual(a: Hash, b: Hash, depth: number): boolean {
  // Same keys in the same order: corresponding values are in the same slots.
  if (a.shape !== null && a.shape === b.shape) return vectorsEqual(a.slots, b.slots, depth);
  charge(a.size * 2);
  return a.everyBeside(b, (value, other) => deepEqual(value, other, depth));
}

function fieldsEqual(a: RecordValue, b: RecordValue, depth: number): boolean {
  if (a.layout === null) return hashesEqual(a.fields, b.fields, depth);
  charge(a.size + 1);
  for (let slot = 0; slot < a.size; slot++) if (!deepEqual(a.at(slot), b.at(slot), depth)) return false;
  return true;
}

function vectorsEqual(a: readonly Value[], b: readonly Value[], depth: number): boolean {
  if (a.length !== b.length) return false;
  charge(a.length + 1);
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i], depth)) return false;
  return true;
}

/** Returns −1, 0 or 1; NaN when a Float is NaN. @throws TypeError for values that cannot be ordered */
export function compare(a: Value, b: Value): number {
  return deepCompare(a, b, 0);
}

function deepCompare(a: Value, b: Value, depth: number): number {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (Array.isArray(a) && Array.isArray(b) && depth < MAX_DEPTH) return compareVectors(a, b, depth + 1);
  const numeric = numericOrder(a, b);
  if (numeric !== null) return numeric;
  if (a instanceof Handle && b instanceof Handle) {
    const order = a.compare(b);
    if (order !== null) return order;
  }
  if (a instanceof ErrorValue) return deepCompare(a.message, b, depth + 1);
  if (b instanceof ErrorValue) return deepCompare(a, b.message, depth + 1);
  return failForNil(
    Errors.TypeError,
    `cannot compare ${typeName(a)} and ${typeName(b)}${mixedHint(a, b)}`,
    depth === 0 ? nilOperand(a, b) : null,
  );
}

/** Compares by code points. UTF-16 order differs between surrogates and units from U+E000. */
function compareStrings(a: string, b: string): number {
  const n = Math.min(a.length, b.length);
  if (n > LONG_TEXT_THRESHOLD) charge(n >>> 2);
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return fixSurrogate(x) < fixSurrogate(y) ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

function fixSurrogate(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

function compareNumbers(a: number | bigint | Float, b: number | bigint | Float): number {
  const x = a instanceof Float ? a.n : a;
  const y = b instanceof Float ? b.n : b;
  return x < y ? -1 : x > y ? 1 : x == y ? 0 : NaN;
}

function numericOrder(a: Value, b: Value): number | null {
  if (a instanceof Numeric) return a.order(b);
  const order = b instanceof Numeric ? b.order(a) : null;
  return order === null ? null : -order;
}

function compareVectors(a: Value[], b: Value[], depth: number): number {
  const n = Math.min(a.length, b.length);
  charge(n + 1);
  for (let i = 0; i < n; i++) {
    const order = deepCompare(a[i], b[i], depth);
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}
