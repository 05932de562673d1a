import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { RecordValue } from '../../vm/values/structured.js';
import type { Value } from '../../vm/values/value.js';
import { brief } from './brief.js';
import { checkElements } from './limits.js';

/** Whether a value is a vector with that many elements: at least `count`, or exactly (docs/language.md, "Patterns"). */
export function hasElements(value: Value, count: Value, exactly: Value): boolean {
  if (!Array.isArray(value)) return false;
  return exactly === true ? value.length === count : value.length >= (count as number);
}

/** The keys and values that a hash pattern looks at: a hash itself, the fields of a record; nil for other values. */
export function keysAndValues(value: Value): Value {
  if (value instanceof RecordValue) return value.fields.copy();
  return value instanceof Hash ? value : null;
}

export function hasKey(hash: Value, key: Value): boolean {
  return hash instanceof Hash && hash.get(key) !== undefined;
}

/** Whether a hash has no more keys than those that a pattern has found in it. */
export function hasOnly(hash: Value, count: Value): boolean {
  return hash instanceof Hash && hash.size === count;
}

/** The rest of a hash, without the keys that a pattern names. */
export function* without(hash: Hash, keys: readonly Value[]): Generator<void, Hash, void> {
  checkElements(hash.size);
  const rest = new Hash();
  let count = 0;
  for (const [key, value] of hash.pairs()) {
    if (!keys.includes(key)) rest.set(key, value);
    if (++count % 1000 === 0) yield;
  }
  return rest;
}

/** @throws NoMatchError */
export function noMatch(value: Value): never {
  return fail(Errors.NoMatchError, `no pattern fits ${brief(value)}`);
}
