/**
 * Operators on values too large for one step, in steps, using `attempt` on parts. Results and errors are the same as
 * without steps. Each part is read when it is processed; other threads may change the values before that.
 */
import { SvcError } from './error.js';
import {
  checkProduct,
  floorDivide,
  modulo,
  multiply,
  negate,
  normalize,
  power,
  type Operation,
} from './numbers/arithmetic.js';
import { Bytes, joinSteps } from './bytes.js';
import * as big from './numbers/bigsteps.js';
import { attempt, unitsOfAttempt } from './cost.js';
import { formatSteps } from './text/format.js';
import { type Hash } from './hash.js';
import { checkRoom } from './heaproom.js';
import { isInteger, type Value } from './value.js';
import { failTooManyElements, MAX_NESTED_ELEMENTS } from './limits.js';

/** Elements processed in one attempt. */
const CHUNK = 1024;
/** Maximum bytes per element of a new vector. */
const BYTES = 32;
/** An operation on two Integers for which V8 would take long. undefined if the operation is always fast. */
function* integerSteps(
  operation: Operation,
  a: number | bigint,
  b: number | bigint,
): Generator<void, Value | undefined, void> {
  const [x, y] = [BigInt(a), BigInt(b)];
  if (operation === multiply) {
    checkProduct(a, b);
    return normalize(yield* big.product(x, y));
  }
  if (operation === power) return normalize(yield* big.power(x, y));
  if (operation !== floorDivide && operation !== modulo) return undefined;
  const { quotient, rest } = yield* big.division(x, y);
  const isBelow = rest !== 0n && x < 0n !== y < 0n;
  if (operation === modulo) return normalize(isBelow ? rest + y : rest);
  return normalize(isBelow ? quotient - 1n : quotient);
}

/** `operation` on two values in steps: element by element for vectors, in parts for Integers. */
export function* operationSteps(
  operation: Operation,
  a: Value,
  b: Value,
  result: Size | null = null,
): Generator<void, Value, void> {
  const known = attempt(operation, a, b);
  if (result !== null) grow(result, known === undefined ? 0 : unitsOfAttempt());
  if (known !== undefined) return known;
  yield;
  if (isInteger(a) && isInteger(b)) return (yield* integerSteps(operation, a, b)) ?? operation(a, b);
  if (operation === modulo && typeof a === 'string') return yield* formatSteps(a, Array.isArray(b) ? b : [b]);
  if (operation === multiply && Array.isArray(a) && isInteger(b)) return yield* repeated(a, Number(b));
  // Only sums of Bytes may be long.
  if (a instanceof Bytes && b instanceof Bytes) return yield* joinSteps([a.data, b.data]);
  if (!Array.isArray(a) && !Array.isArray(b)) return operation(a, b);
  const out: Value[] = [];
  const size = result ?? { count: 0 };
  const count = Array.isArray(a) ? a.length : (b as Value[]).length;
  for (let lo = 0; lo < count; lo += CHUNK) {
    asked(Math.min(CHUNK, count - lo));
    const [own, other] = [part(a, lo), part(b, lo)];
    const some = attempt(operation, own, other);
    if (some !== undefined) for (const item of some as Value[]) out.push(item);
    else
      for (let i = 0; i < CHUNK && lo + i < count; i++) {
        out.push(yield* elementSteps(operation, at(own, i), at(other, i), size));
        yield;
      }
    yield;
  }
  return out;
}

/** `operationSteps` for elements: a nil among them is no expression of the program. */
function* elementSteps(operation: Operation, a: Value, b: Value, size: Size): Generator<void, Value, void> {
  try {
    return yield* operationSteps(operation, a, b, size);
  } catch (error) {
    if (error instanceof SvcError) error.value.nil = null;
    throw error;
  }
}

function part(value: Value, lo: number): Value {
  return Array.isArray(value) ? value.slice(lo, lo + CHUNK) : value;
}

function at(value: Value, i: number): Value {
  return Array.isArray(value) ? (value[i] ?? null) : value;
}

/**
 * Counts elements of nested vectors before they are added: vectors that contain each other would make the result
 * endless.
 * @throws MemoryError
 */
function grow(result: Size, count: number): void {
  result.count += count;
  if (result.count > MAX_NESTED_ELEMENTS) failTooManyElements(MAX_NESTED_ELEMENTS);
  asked(count);
}

/** Number of elements of the nested vectors in a result so far. */
interface Size {
  count: number;
}

/** Elements between two heap checks, and elements added since the last one. */
const ASKED = 1 << 16;
let added = 0;

/** Call before elements are added; checks the heap every ASKED elements. @throws MemoryError */
function asked(count: number): void {
  if ((added += count) < ASKED) return;
  added = 0;
  checkRoom(ASKED * BYTES, 'the vector would not fit');
}

function* repeated(list: readonly Value[], times: number): Generator<void, Value[], void> {
  const items = list.slice();
  const out: Value[] = [];
  // Copy blocks of about CHUNK elements, whether there are few elements or many.
  const block =
    items.length >= CHUNK
      ? items
      : Array.from({ length: Math.min(times, Math.ceil(CHUNK / items.length)) }, () => items).flat();
  for (const total = items.length * times; out.length < total;) {
    const from = out.length % items.length;
    yield* extended(out, block.slice(from, Math.min(from + CHUNK, block.length, from + total - out.length)));
  }
  return out;
}

/** `-vector` in steps. */
export function* negateSteps(value: Value): Generator<void, Value, void> {
  return yield* operationSteps((list) => negate(list), value, null);
}

/** Appends the elements of a vector to `out`, which must have no other user. */
export function* extended(out: Value[], items: readonly Value[]): Generator<void, Value[], void> {
  for (let lo = 0; lo < items.length; lo += CHUNK) {
    asked(CHUNK);
    for (let i = lo; i < lo + CHUNK && i < items.length; i++) out.push(items[i]);
    yield;
  }
  return out;
}

/** Adds the pairs of a hash to `out`, which must have no other user. */
export function* mergedInto(out: Hash, source: Hash): Generator<void, Hash, void> {
  let count = 0;
  for (const [key, value] of source.pairs()) {
    out.set(key, value);
    if (++count % CHUNK === 0) yield;
  }
  return out;
}

/** The keys of a hash, in steps. */
export function* keysSteps(hash: Hash): Generator<void, Value[], void> {
  const keys: Value[] = [];
  for (const [key] of hash.pairs()) {
    keys.push(key);
    if (keys.length % CHUNK === 0) yield;
  }
  return keys;
}
