import { RecordValue } from '../../vm/values/compound.js';
import { Hash } from '../../vm/values/hash.js';
import { Cell, type Value } from '../../vm/values/value.js';
import { deepCopy } from './deepcopy.js';
import { isLarge, STEPPED_LEVELS } from './json/steps.js';

/** Items that are copied in one step: each may hold some others. */
const STEP = 1024;

/** Whether copying a value may take long. */
export function isLong(value: Value): boolean {
  return isLarge(value instanceof Cell ? value.value : value);
}

/** The deeper a value is, the fewer of the levels below it are looked at. */
function isLargeAt(value: Value, depth: number): boolean {
  return isLarge(value, Math.min(depth, STEPPED_LEVELS));
}

/**
 * `deepCopy` in steps: what is large gets one when it is not too deep inside. Each vector and hash is copied as it is when its turn comes.
 * @param seen copies made so far
 */
export function* deepCopySteps(value: Value, seen: Map<object, object>, depth = 0): Generator<void, Value, void> {
  if (value instanceof Cell) return new Cell(yield* deepCopySteps(value.value, seen, depth + 1));
  const known = typeof value === 'object' && value !== null ? seen.get(value) : undefined;
  if (known !== undefined) return known;
  if (!isLargeAt(value, depth)) return deepCopy(value, seen, depth);
  if (Array.isArray(value)) return yield* copyVector(value as Value[], seen, depth);
  return value instanceof RecordValue ? yield* copyRecord(value, seen, depth) : yield* copyHash(value as Hash, seen, depth);
}

function* copyVector(vector: Value[], seen: Map<object, object>, depth: number): Generator<void, Value, void> {
  const copy = vector.slice();
  seen.set(vector, copy);
  for (let i = 0; i < copy.length; i++) {
    const item = copy[i];
    if (typeof item === 'object' && item !== null) copy[i] = isLargeAt(item, depth + 1) ? yield* deepCopySteps(item, seen, depth + 1) : deepCopy(item, seen, depth + 1);
    if (i % STEP === STEP - 1) yield;
  }
  return copy;
}

function* copyRecord(record: RecordValue, seen: Map<object, object>, depth: number): Generator<void, Value, void> {
  const copy = new RecordValue(record.type, record.fields.duplicate());
  seen.set(record, copy);
  yield* copyPairs(record.fields, copy.fields, seen, depth);
  return copy;
}

function* copyHash(hash: Hash, seen: Map<object, object>, depth: number): Generator<void, Value, void> {
  // A hash that is large for what it holds may have few keys: those keep their shape.
  const copy = hash.size > STEP ? new Hash(null) : new Hash();
  seen.set(hash, copy);
  yield* copyPairs(hash, copy, seen, depth);
  return copy;
}

function* copyPairs(hash: Hash, copy: Hash, seen: Map<object, object>, depth: number): Generator<void, void, void> {
  const keys = hash.keys();
  const values = hash.values();
  for (let i = 0; i < keys.length; i++) {
    copy.set(keys[i], isLargeAt(values[i], depth + 1) ? yield* deepCopySteps(values[i], seen, depth + 1) : deepCopy(values[i], seen, depth + 1));
    if (i % STEP === STEP - 1) yield;
  }
}
