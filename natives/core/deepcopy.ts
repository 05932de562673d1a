import { RecordValue } from '../../vm/values/compound.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { MAX_DEPTH } from '../../vm/values/text.js';
import { Cell, type Value } from '../../vm/values/value.js';

/**
 * A deep copy of vectors, hashes and records; parts that are shared inside stay shared. Everything else is immutable or meant to be shared.
 * @param seen copies made so far, so that several values can be copied as one (language.md §5)
 */
export function deepCopy(value: Value, seen = new Map<object, object>(), depth = 0): Value {
  if (typeof value !== 'object' || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot copy a value nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return copyVector(value, seen, depth);
  if (value instanceof Hash) return copyHash(value, seen, depth);
  if (value instanceof RecordValue) return copyRecord(value, seen, depth);
  return value instanceof Cell ? new Cell(deepCopy(value.value, seen, depth + 1)) : value;
}

function copyVector(vector: Value[], seen: Map<object, object>, depth: number): Value {
  const copy: Value[] = [];
  seen.set(vector, copy);
  for (const item of vector) copy.push(deepCopy(item, seen, depth + 1));
  return copy;
}

function copyHash(hash: Hash, seen: Map<object, object>, depth: number): Hash {
  const copy = hash.copy();
  seen.set(hash, copy);
  for (const [key, value] of hash.entries()) if (typeof value === 'object' && value !== null) copy.set(key, deepCopy(value, seen, depth + 1));
  return copy;
}

function copyRecord(record: RecordValue, seen: Map<object, object>, depth: number): RecordValue {
  const copy = new RecordValue(record.type, new Hash());
  seen.set(record, copy);
  for (const [key, value] of record.fields.entries()) copy.fields.set(key, deepCopy(value, seen, depth + 1));
  return copy;
}
