/** `equal` and `compare` in steps, for values that are large. */
import { STEP } from '../longwork.js';
import { RecordValue } from './compound.js';
import { compare, equal } from './equal.js';
import { Errors, fail } from './error.js';
import { Hash } from './hash.js';
import { MAX_DEPTH } from './text.js';
import type { Value } from './value.js';
import { isLarge } from './weight.js';

/** Characters that are compared at a time. */
const CHARACTERS = 1 << 16;

/** Whether one step is enough to compare two values: the work ends where the smaller one does. */
function isShort(a: Value, b: Value): boolean {
  return typeof a !== typeof b || typeof a === 'number' || !isLarge(a) || !isLarge(b);
}

/** `equal` in steps; others may change the values between two of them. @throws what it throws */
export function* equalSteps(a: Value, b: Value, depth = 0): Generator<void, boolean, void> {
  if (typeof a !== 'object' || isShort(a, b)) return equal(a, b);
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot compare values nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(a) && Array.isArray(b)) return yield* vectorsEqual(a as Value[], b as Value[], depth + 1);
  if (a instanceof Hash && b instanceof Hash) return yield* hashesEqual(a, b, depth + 1);
  if (a instanceof RecordValue && b instanceof RecordValue) return a.type === b.type && (yield* hashesEqual(a.fields, b.fields, depth + 1));
  return equal(a, b);
}

function* vectorsEqual(a: readonly Value[], b: readonly Value[], depth: number): Generator<void, boolean, void> {
  let work = 0;
  for (let i = 0; a.length === b.length && i < a.length; i++) {
    if (typeof a[i] !== 'object' ? !equal(a[i], b[i]) : !(yield* equalSteps(a[i], b[i], depth))) return false;
    if (++work % STEP === 0) yield;
  }
  return a.length === b.length;
}

function* hashesEqual(a: Hash, b: Hash, depth: number): Generator<void, boolean, void> {
  if (a.size !== b.size) return false;
  const keys = a.keys();
  for (let i = 0; i < keys.length; i++) {
    const [own, other] = [a.get(keys[i]), b.get(keys[i])];
    if (own === undefined || other === undefined || !(yield* equalSteps(own, other, depth))) return false;
    if (i % STEP === STEP - 1) yield;
  }
  return true;
}

/** `compare` in steps, as above. @throws what it throws */
export function* compareSteps(a: Value, b: Value, depth = 0): Generator<void, number, void> {
  if (isShort(a, b)) return compare(a, b);
  if (typeof a === 'string' && typeof b === 'string') return yield* compareTexts(a, b);
  if (!Array.isArray(a) || !Array.isArray(b) || depth >= MAX_DEPTH) return compare(a, b);
  const [x, y] = [a as Value[], b as Value[]];
  for (let i = 0; i < x.length && i < y.length; i++) {
    const order = yield* compareSteps(x[i], y[i], depth + 1);
    if (order !== 0) return order;
    if (i % STEP === STEP - 1) yield;
  }
  return Math.sign(x.length - y.length);
}

function* compareTexts(a: string, b: string): Generator<void, number, void> {
  for (let lo = 0; lo < a.length && lo < b.length; lo += CHARACTERS) {
    const [x, y] = [a.slice(lo, lo + CHARACTERS), b.slice(lo, lo + CHARACTERS)];
    if (x !== y) return compare(x, y);
    yield;
  }
  return Math.sign(a.length - b.length);
}
