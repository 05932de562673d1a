import { RecordValue } from './structured.js';
import { Errors, fail } from './error.js';
import { Hash } from './hash.js';
import { SetValue } from './set.js';
import { MAX_DEPTH } from './text/text.js';
import { Cell, Float, type Value } from './value.js';

/**
 * A deep copy of vectors, hashes, sets and records; parts shared inside stay shared. All other values are immutable or meant
 * to be shared.
 * @param seen copies made so far, so that several values can be copied as one
 */
export function deepCopy(value: Value, seen = new Map<object, Value>(), depth = 0): Value {
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot copy a value nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return copyVector(value, seen, depth);
  if (value instanceof Hash) return copyHash(value, seen, depth);
  if (value instanceof RecordValue) return copyRecord(value, seen, depth);
  if (value instanceof SetValue) return copySet(value, seen);
  return value instanceof Cell ? new Cell(deepCopy(value.value, seen, depth + 1)) : value;
}

function copyVector(vector: Value[], seen: Map<object, Value>, depth: number): Value {
  const copy = vector.slice();
  seen.set(vector, copy);
  copyItems(copy, seen, depth);
  return copy;
}

function copyHash(hash: Hash, seen: Map<object, Value>, depth: number): Hash {
  const copy = hash.copy();
  seen.set(hash, copy);
  copyValues(copy, seen, depth);
  return copy;
}

/** The elements of a set are keys, which nobody can change: they need no copy. */
function copySet(set: SetValue, seen: Map<object, Value>): SetValue {
  const copy = new SetValue(set.elements.copy());
  seen.set(set, copy);
  return copy;
}

function copyRecord(record: RecordValue, seen: Map<object, Value>, depth: number): RecordValue {
  const copy = record.copy();
  seen.set(record, copy);
  if (record.layout === null) copyValues(copy.fields, seen, depth);
  else
    for (let slot = 0; slot < record.size; slot++) {
      const value = copy.boxed(slot);
      if (typeof value === 'object' && value !== null) copy.store(slot, deepCopy(value, seen, depth + 1));
    }
  return copy;
}

/** Replaces the values of a hash by copies. */
function copyValues(hash: Hash, seen: Map<object, Value>, depth: number): void {
  if (hash.shape === null) {
    // Only existing keys are set, so the order stays.
    hash.each((key, value) => {
      if (typeof value === 'object' && value !== null) hash.set(key, deepCopy(value, seen, depth + 1));
    });
    return;
  }
  copyItems(hash.slots, seen, depth);
}

/** Replaces items by copies. */
function copyItems(items: Value[], seen: Map<object, Value>, depth: number): void {
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item === 'object' && item !== null) items[i] = deepCopy(item, seen, depth + 1);
  }
}
