/**
 * `equal` and `compare` in steps. Each step uses `attempt` on a part; other fibers may change the values between steps.
 */
import { Bytes } from './bytes.js';
import { RecordValue } from './structured.js';
import { attempt } from './cost.js';
import { compare, equal } from './equal.js';
import { Errors, fail } from './error.js';
import { Hash } from './hash.js';
import { SetValue } from './set.js';
import { MAX_DEPTH } from './text/text.js';
import type { Value } from './value.js';

/** Elements compared in one attempt. */
const CHUNK = 1024;

/** `equal` in steps. */
export function* equalSteps(a: Value, b: Value, depth = 0): Generator<void, boolean, void> {
  const known = attempt(equal, a, b);
  if (known !== undefined) return known;
  yield;
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot compare values nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(a) && Array.isArray(b)) return yield* vectorsEqual(a, b, depth);
  if (a instanceof RecordValue && b instanceof RecordValue)
    return a.type === b.type && (yield* hashesEqual(a.fields, b.fields, depth));
  if (a instanceof Hash && b instanceof Hash) return yield* hashesEqual(a, b, depth);
  if (a instanceof Bytes && b instanceof Bytes) return (yield* a.compareSteps(b)) === 0;
  if (a instanceof SetValue && b instanceof SetValue) return yield* hashesEqual(a.elements, b.elements, depth);
  return equal(a, b);
}

function* vectorsEqual(a: readonly Value[], b: readonly Value[], depth: number): Generator<void, boolean, void> {
  for (let lo = 0; lo < a.length; lo += CHUNK) {
    const [own, other] = [a.slice(lo, lo + CHUNK), b.slice(lo, lo + CHUNK)];
    const same = attempt(equal, own, other);
    if (same === false) return false;
    if (same === undefined) {
      for (let i = 0; i < own.length; i++) {
        if (i >= other.length || !(yield* equalSteps(own[i], other[i], depth + 1))) return false;
        yield;
      }
    }
    yield;
  }
  return a.length === b.length;
}

function* hashesEqual(a: Hash, b: Hash, depth: number): Generator<void, boolean, void> {
  if (a.size !== b.size) return false;
  const own: Value[] = [];
  const others: Value[] = [];
  for (const [key, value] of a.pairs()) {
    const other = b.get(key);
    if (other === undefined) return false;
    own.push(value);
    others.push(other);
    if (own.length % CHUNK === 0) yield;
  }
  return yield* vectorsEqual(own, others, depth);
}

/** `compare` in steps. */
export function* compareSteps(a: Value, b: Value, depth = 0): Generator<void, number, void> {
  const known = attempt(compare, a, b);
  if (known !== undefined) return known;
  yield;
  if (typeof a === 'string' && typeof b === 'string') return yield* compareTexts(a, b);
  if (a instanceof Bytes && b instanceof Bytes) return yield* a.compareSteps(b);
  if (!Array.isArray(a) || !Array.isArray(b) || depth >= MAX_DEPTH) return compare(a, b);
  const count = Math.min(a.length, b.length);
  for (let lo = 0; lo < count; lo += CHUNK) {
    const hi = Math.min(lo + CHUNK, count);
    const [own, other] = [a.slice(lo, hi), b.slice(lo, hi)];
    const order = attempt(compare, own, other);
    if (order !== undefined && order !== 0) return order;
    if (order === undefined) {
      for (let i = 0; i < own.length; i++) {
        const inner = yield* compareSteps(own[i], other[i] ?? null, depth + 1);
        if (inner !== 0) return inner;
        yield;
      }
    }
    yield;
  }
  return Math.sign(a.length - b.length);
}

/** UTF-16 units compared in one step. Parts may split a surrogate pair: the order is decided unit by unit. */
const TEXT_CHUNK = 1 << 16;

function* compareTexts(a: string, b: string): Generator<void, number, void> {
  const count = Math.min(a.length, b.length);
  for (let lo = 0; lo < count; lo += TEXT_CHUNK) {
    const order = compare(a.slice(lo, Math.min(lo + TEXT_CHUNK, count)), b.slice(lo, Math.min(lo + TEXT_CHUNK, count)));
    if (order !== 0) return order;
    yield;
  }
  return Math.sign(a.length - b.length);
}
