import { hashKey } from '../../../vm/members.js';
import { equal } from '../../../vm/values/equal.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { MAX_DEPTH } from '../../../vm/values/text.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import type { Row } from '../declare.js';
import { dig, givenOr, missingKey } from './access.js';

/** The value of `key`, else the default, else KeyError. */
function fetch(hash: Hash, key: Value, rest: Value[]): Value {
  const value = hash.get(key);
  return value === undefined ? givenOr(rest, 'fetch', () => missingKey(hash, key)) : value;
}

function hasValue(hash: Hash, value: Value): boolean {
  return hash.values().some((other) => equal(other, value));
}

/** The first key with a value, or nil. */
function keyOf(hash: Hash, value: Value): Value {
  return hash.entries().find(([, other]) => equal(other, value))?.[0] ?? null;
}

function mergeAll(target: Hash, others: Hash[]): Hash {
  for (const other of others) if (other !== target) other.each((key, value) => target.set(key, value));
  return target;
}

/** Merges hashes within hashes too; nothing of the originals is changed or shared but plain values. */
function deepMerge(hash: Hash, other: Hash, depth = 0): Hash {
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot merge hashes nested deeper than ${MAX_DEPTH} levels`);
  const merged = hash.copy();
  other.each((key, value) => {
    const own = merged.get(key);
    merged.set(key, own instanceof Hash && value instanceof Hash ? deepMerge(own, value, depth + 1) : value);
  });
  return merged;
}

function invert(hash: Hash): Hash {
  const out = new Hash();
  hash.each((key, value) => out.set(hashKey(value), key));
  return out;
}

function slice(hash: Hash, keys: Value[]): Hash {
  const out = new Hash();
  for (const key of keys) {
    const value = hash.get(key);
    if (value !== undefined) out.set(key, value);
  }
  return out;
}

function except(hash: Hash, keys: Value[]): Hash {
  const out = hash.copy();
  for (const key of keys) out.delete(key);
  return out;
}

function compact(hash: Hash): Hash {
  const out = new Hash();
  hash.each((key, value) => {
    if (value !== null) out.set(key, value);
  });
  return out;
}

function store(hash: Hash, key: Value, value: Value): Value {
  hash.set(hashKey(key), value);
  return value;
}

function clear(hash: Hash): Hash {
  hash.clear();
  return hash;
}

/** Replaces all pairs by those of another hash. */
function replace(hash: Hash, other: Hash): Hash {
  if (other === hash) return hash;
  hash.clear();
  other.each((key, value) => hash.set(key, value));
  return hash;
}

/** A method of a name that data often use as a key: without arguments the key wins, so that `person.first` reads what it says. */
export function keyFirst(name: string, otherwise: (hash: Hash, ...args: Value[]) => Value): Row[4] {
  return (_: unknown, hash: Hash, ...args: Value[]) => {
    const own = args.every((arg) => arg === null) ? hash.get(name) : undefined;
    return own === undefined ? otherwise(hash, ...args) : own;
  };
}

/** Methods of hashes that read; records have them too. */
export const hashReadingRows: readonly Row[] = [
  ['keys each_key transform_keys', '', 'Vector', 'All keys.', (_: unknown, hash: Hash) => hash.keys()],
  ['values each_value transform_values', '', 'Vector', 'All values.', (_: unknown, hash: Hash) => hash.values()],
  ['length size', '', 'Integer', 'Number of pairs.', (_: unknown, hash: Hash) => hash.size],
  ['empty?', '', 'Boolean', 'Whether there are no pairs.', (_: unknown, hash: Hash) => hash.size === 0],
  ['has_key? key? include? member?', 'key: Any', 'Boolean', 'Whether there is a key.', (_: unknown, hash: Hash, key: Value) => hash.has(key)],
  ['has_value? value?', 'value: Any', 'Boolean', 'Whether a key has a value.', (_: unknown, hash: Hash, value: Value) => hasValue(hash, value)],
  ['fetch', 'key: Any, *default: Any', 'Any', 'The value of a key, else the default; KeyError without one.', (_: unknown, hash: Hash, key: Value, rest: Value[]) => fetch(hash, key, rest)],
  ['dig', '*keys: Any', 'Any', 'The value that a way of keys and indexes leads to; nil where it ends.', (_: unknown, hash: Hash, keys: Value[]) => dig(hash, keys)],
  ['values_at', '*keys: Any', 'Vector', 'The values of some keys, nil for missing ones.', (_: unknown, hash: Hash, keys: Value[]) => keys.map((key) => hash.get(key) ?? null)],
  ['fetch_values', '*keys: Any', 'Vector', 'The values of some keys; KeyError when one is missing.', (_: unknown, hash: Hash, keys: Value[]) => keys.map((key) => fetch(hash, key, []))],
  ['merge', '*others: Hash', 'Hash', 'A new hash with the pairs of this and other hashes; later ones win.', (_: unknown, hash: Hash, others: Hash[]) => mergeAll(hash.copy(), others)],
  ['deep_merge', 'other: Hash', 'Hash', 'Like `merge`, for hashes within hashes too.', (_: unknown, hash: Hash, other: Hash) => deepMerge(hash, other)],
  ['invert', '', 'Hash', 'Values made keys, and keys values.', (_: unknown, hash: Hash) => invert(hash)],
  ['slice', '*keys: Any', 'Hash', 'The pairs with some keys.', (_: unknown, hash: Hash, keys: Value[]) => slice(hash, keys)],
  ['except', '*keys: Any', 'Hash', 'The pairs without some keys.', (_: unknown, hash: Hash, keys: Value[]) => except(hash, keys)],
  ['compact', '', 'Hash', 'The pairs whose value is not nil.', (_: unknown, hash: Hash) => compact(hash)],
  ['to_h', '', 'Hash', 'The pairs as a hash: itself, or a record’s fields.', (_: unknown, hash: Hash) => hash],
  ['to_a', '', 'Vector', 'All pairs.', (_: unknown, hash: Hash) => hash.entries()],
];

/** Methods that hashes alone have. */
export const hashRows: readonly Row[] = [
  ['store', 'key: Any, value: Any', 'Any', 'Sets the value of a key and returns it.', (_: unknown, hash: Hash, key: Value, value: Value) => store(hash, key, value)],
  ['delete', 'key: Any', 'Any', 'Removes a key and returns its value, nil when it was missing.', (_: unknown, hash: Hash, key: Value) => hash.delete(key) ?? null],
  ['merge! update', '*others: Hash', 'Hash', 'Adds the pairs of other hashes, which win, and returns the hash.', (_: unknown, hash: Hash, others: Hash[]) => mergeAll(hash, others)],
  ['replace', 'other: Hash', 'Hash', 'Replaces all pairs by those of another hash and returns the hash.', (_: unknown, hash: Hash, other: Hash) => replace(hash, other)],
  ['clear', '', 'Hash', 'Removes all pairs and returns the hash.', (_: unknown, hash: Hash) => clear(hash)],
  ['copy dup', '', 'Hash', 'A copy; values are shared.', (_: unknown, hash: Hash) => hash.copy()],
  ['key', 'value: Any = nil', 'Any', 'The first key with a value, or nil; without an argument the value of the key `key`.', keyFirst('key', keyOf)],
  ['type', '', 'String', 'The value of the key `type`, else the name of the type.', keyFirst('type', (hash) => typeName(hash))],
];
