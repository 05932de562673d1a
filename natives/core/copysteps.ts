import { RecordValue } from '../../vm/values/structured.js';
import { Hash } from '../../vm/values/hash.js';
import { SetValue, setOf } from '../../vm/values/set.js';
import { STEP } from '../../vm/values/steps.js';
import { MAX_DEPTH } from '../../vm/values/text/text.js';
import { Cell, Float, type Value } from '../../vm/values/value.js';
import { isLarge, weigh } from '../../vm/values/weight.js';
import { deepCopy } from '../../vm/values/deepcopy.js';

/** Values copied since the last pause, across all copies in progress. */
let work = 0;

/** Whether copying a value may take long. */
export function isLong(value: Value): boolean {
  return isLarge(value instanceof Cell ? value.value : value);
}

/**
 * `deepCopy` in steps. Each vector and hash is copied in its state when its turn comes.
 * @param seen copies made so far
 */
export function* deepCopySteps(value: Value, seen: Map<object, Value>, depth = 0): Generator<void, Value, void> {
  if (value instanceof Cell) return new Cell(yield* deepCopySteps(value.value, seen, depth + 1));
  const known = typeof value === 'object' && value !== null ? seen.get(value) : undefined;
  if (known !== undefined) return known;
  if (!isLarge(value) || depth > MAX_DEPTH) return deepCopy(value, seen, depth);
  if (Array.isArray(value)) return yield* copyVector(value, seen, depth);
  if (value instanceof RecordValue) return yield* copyRecord(value, seen, depth);
  if (value instanceof SetValue) return yield* copySet(value, seen);
  return value instanceof Hash ? yield* copyHash(value, seen, depth) : value;
}

/** Copies a nested value, at once if it is small. Pauses when a step's worth has been copied since the last pause. */
function* copyInside(value: Value, seen: Map<object, Value>, depth: number): Generator<void, Value, void> {
  work += weigh(value) + 1;
  const copy = isLarge(value) ? yield* deepCopySteps(value, seen, depth + 1) : deepCopy(value, seen, depth + 1);
  if (work >= STEP) {
    work = 0;
    yield;
  }
  return copy;
}

function* copyVector(vector: Value[], seen: Map<object, Value>, depth: number): Generator<void, Value, void> {
  const copy = vector.slice();
  seen.set(vector, copy);
  for (let i = 0; i < copy.length; i++) {
    const item = copy[i];
    if (typeof item === 'object' && item !== null && !(item instanceof Float))
      copy[i] = yield* copyInside(item, seen, depth);
    if (i % STEP === STEP - 1) yield;
  }
  return copy;
}

function* copyRecord(record: RecordValue, seen: Map<object, Value>, depth: number): Generator<void, Value, void> {
  const copy = record.copy();
  seen.set(record, copy);
  yield* copyPairs(record.fields, copy.fields, seen, depth);
  return copy;
}

function* copySet(set: SetValue, seen: Map<object, Value>): Generator<void, SetValue, void> {
  const copy = new SetValue();
  seen.set(set, copy);
  return yield* setOf(set.items(), copy);
}

/** From this many keys, a hash gets no shape. */
const SHAPE_THRESHOLD = 1024;

function* copyHash(hash: Hash, seen: Map<object, Value>, depth: number): Generator<void, Value, void> {
  // A hash that is large because of its contents may have few keys and keep its shape.
  const copy = hash.size > SHAPE_THRESHOLD ? hash.empty(null) : hash.empty();
  seen.set(hash, copy);
  yield* copyPairs(hash, copy, seen, depth);
  return copy;
}

function* copyPairs(hash: Hash, copy: Hash, seen: Map<object, Value>, depth: number): Generator<void, void, void> {
  const keys = hash.keys();
  const values = hash.values();
  for (let i = 0; i < keys.length; i++) {
    copy.set(keys[i], typeof values[i] === 'object' ? yield* copyInside(values[i], seen, depth) : values[i]);
    if (i % STEP === STEP - 1) yield;
  }
}
