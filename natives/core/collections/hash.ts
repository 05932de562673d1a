import { eachInSteps, STEP, type Steps } from '../../../vm/values/steps.js';
import { hashKey } from '../../../vm/values/keys.js';
import { neverSuspends } from '../../../vm/calls/native.js';
import { Hash } from '../../../vm/values/hash.js';
import { typeName } from '../../../vm/values/types.js';
import { isLarge } from '../../../vm/values/weight.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Int, Row } from '../declare.js';
import { countOf } from '../limits.js';
import { stepped, tabulated } from '../steps.js';
import { dig, found, givenOr, includes, missingKey } from './access.js';
import { copied, copySteps, deepMerged, merged, pairsOf, replace, update, type Pairs } from './merging.js';

/** The value of `key`, else the default, else KeyError. */
function fetch(hash: Hash, key: Value, rest: Value[]): Value {
  const value = hash.get(key);
  return value === undefined ? givenOr(rest, 'fetch', () => missingKey(hash, key)) : value;
}

/** The first key that has this value, or nil. */
function keyOf(vm: NativeContext, hash: Hash, value: Value): Value | undefined {
  const keys = hash.keys();
  return found(vm, 'key', hash.values(), value, (at) => (at < 0 ? null : keys[at]));
}

function invert(vm: NativeContext, hash: Hash): Value | undefined {
  if (isLarge(hash)) return vm.inPieces('invert', invertSteps(pairsOf(hash)));
  const out = new Hash();
  hash.each((key, value) => out.set(hashKey(value), key));
  return out;
}

function* invertSteps({ keys, values }: Pairs): Steps {
  const out = new Hash();
  yield* eachInSteps(keys.length, (i) => out.set(hashKey(values[i]), keys[i]));
  return out;
}

function slice(vm: NativeContext, hash: Hash, keys: Value[]): Value | undefined {
  if (keys.length > STEP) return vm.inPieces('slice', sliceSteps(hash, keys));
  const out = new Hash();
  for (const key of keys) setFrom(out, hash, key);
  return out;
}

function setFrom(out: Hash, hash: Hash, key: Value): void {
  const value = hash.get(key);
  if (value !== undefined) out.set(key, value);
}

function* sliceSteps(hash: Hash, keys: readonly Value[]): Steps {
  const out = new Hash();
  yield* eachInSteps(keys.length, (i) => setFrom(out, hash, keys[i]));
  return out;
}

function except(vm: NativeContext, hash: Hash, keys: Value[]): Value | undefined {
  if (hash.size > STEP || keys.length > STEP) return vm.inPieces('except', exceptSteps(hash, keys));
  const out = hash.copy();
  for (const key of keys) out.delete(key);
  return out;
}

function* exceptSteps(hash: Hash, keys: readonly Value[]): Steps {
  const out = yield* copySteps(hash);
  yield* eachInSteps(keys.length, (i) => {
    out.delete(keys[i]);
  });
  return out;
}

function compact(vm: NativeContext, hash: Hash): Value | undefined {
  if (hash.size > STEP) return vm.inPieces('compact', compactSteps(pairsOf(hash)));
  const out = new Hash();
  hash.each((key, value) => {
    if (value !== null) out.set(key, value);
  });
  return out;
}

function* compactSteps({ keys, values }: Pairs): Steps {
  const out = new Hash();
  yield* eachInSteps(keys.length, (i) => {
    if (values[i] !== null) out.set(keys[i], values[i]);
  });
  return out;
}

/** All pairs, as vectors. */
function toPairs(vm: NativeContext, hash: Hash): Value | undefined {
  return hash.size <= STEP ? hash.entries() : pairsUpTo(vm, hash, hash.size);
}

/** The first `count` pairs as they are now, in pieces. */
function pairsUpTo(vm: NativeContext, hash: Hash, count: number): Value | undefined {
  const { keys, values } = pairsOf(hash);
  return tabulated(vm, 'pairs', count, (i) => [keys[i], values[i]]);
}

function store(hash: Hash, key: Value, value: Value): Value {
  hash.set(hashKey(key), value);
  return value;
}

function remove(vm: NativeContext, hash: Hash, key: Value, block: Value): Value | undefined {
  if (block === null || hash.has(key)) return hash.delete(key) ?? null;
  return vm.call(block, [key]);
}

/** The first pair, nil if there are none; with `n` the first `n`, as a vector. */
export function leading(vm: NativeContext, hash: Hash, n: Int | null): Value | undefined {
  const count = n === null ? 1 : Math.min(countOf(n, 'n'), hash.size);
  if (count > STEP) return pairsUpTo(vm, hash, count);
  const some: Value[] = [];
  for (const pair of hash.pairs()) {
    if (some.length === count) break;
    some.push(pair);
  }
  return n === null ? (some[0] ?? null) : some;
}

/** What methods that ask whether pairs are neither nil nor false answer for a number of pairs. */
const OF_SIZE: Readonly<Record<string, (size: number) => Value>> = {
  count: (size) => size,
  'any?': (size) => size > 0,
  'all?': () => true,
  'none?': (size) => size === 0,
  'one?': (size) => size === 1,
};

/** The same rows of methods with one optional argument, without which they look at no pair. */
export function ofSize(rows: readonly Row[]): Row[] {
  return rows.map(([name, signature, result, doc, impl]) => [
    name,
    signature,
    result,
    doc,
    (vm: NativeContext, hash: Hash, given: Value[]) =>
      given.length === 0 ? OF_SIZE[name](hash.size) : (impl(vm, hash, given) as Value | undefined),
  ]);
}

/** Removes the first pair; with `n` the first `n`, returned as a vector. */
function shift(vm: NativeContext, hash: Hash, n: Value): Value | undefined {
  if (n === null) return hash.shift() ?? null;
  const count = Math.min(countOf(n as Int, 'n'), hash.size);
  return stepped(vm, 'shift', count, shiftSteps(hash, count));
}

function* shiftSteps(hash: Hash, count: number): Steps {
  const out: Value[] = [];
  yield* eachInSteps(count, () => {
    const pair = hash.shift();
    if (pair !== undefined) out.push(pair);
  });
  return out;
}

/** The pair of a key, or nil. */
function pairOf(hash: Hash, key: Value): Value {
  const value = hash.get(key);
  return value === undefined ? null : [key, value];
}

/** The first pair that has this value, or nil. */
function pairWith(vm: NativeContext, hash: Hash, value: Value): Value | undefined {
  const keys = hash.keys();
  return found(vm, 'rassoc', hash.values(), value, (at) => (at < 0 ? null : [keys[at], hash.get(keys[at]) ?? null]));
}

function clear(hash: Hash): Hash {
  hash.clear();
  return hash;
}

/**
 * A method whose name is often a key of data. Without arguments the key takes precedence, so that `person.first` reads
 * the data.
 */
export function keyFirst(
  name: string,
  otherwise: (vm: NativeContext, hash: Hash, ...args: Value[]) => Value | undefined,
): Row[4] {
  return (vm: NativeContext, hash: Hash, ...args: Value[]) => {
    const own = args.every((arg) => arg === null) ? hash.get(name) : undefined;
    return own === undefined ? otherwise(vm, hash, ...args) : own;
  };
}

/** Reading methods of hashes and records. */
// prettier-ignore
export const hashReadingRows: readonly Row[] = [
  ['keys each_key transform_keys', '', 'Vector', 'All keys.', (_: unknown, hash: Hash) => hash.keys()],
  ['values each_value transform_values', '', 'Vector', 'All values.', (_: unknown, hash: Hash) => hash.values()],
  ['length size', '', 'Integer', 'Number of pairs.', neverSuspends((_: unknown, hash: Hash) => hash.size)],
  ['empty?', '', 'Boolean', 'Whether there are no pairs.', neverSuspends((_: unknown, hash: Hash) => hash.size === 0)],
  ['has_key? key? include? member?', 'key: Any', 'Boolean', 'Whether a key exists.', neverSuspends((_: unknown, hash: Hash, key: Value) => hash.has(key))],
  ['has_value? value?', 'value: Any', 'Boolean', 'Whether a key has a value.', (vm: NativeContext, hash: Hash, value: Value) => includes(vm, hash.values(), value)],
  ['fetch', 'key: Any, *default: Any', 'Any', 'The value of a key, or the default; KeyError when neither exists.', (_: unknown, hash: Hash, key: Value, rest: Value[]) => fetch(hash, key, rest)],
  ['dig', '*keys: Any', 'Any', 'The value found by following keys and indexes into nested values; nil if one is missing.', (_: unknown, hash: Hash, keys: Value[]) => dig(hash, keys)],
  ['values_at', '*keys: Any', 'Vector', 'The values of these keys, nil for missing ones.', (_: unknown, hash: Hash, keys: Value[]) => keys.map((key) => hash.get(key) ?? null)],
  ['fetch_values', '*keys: Any', 'Vector', 'The values of these keys; KeyError when one is missing.', (_: unknown, hash: Hash, keys: Value[]) => keys.map((key) => fetch(hash, key, []))],
  ['merge', '*others: Hash', 'Hash', 'A new hash with the pairs of this and other hashes; later ones override.', (vm: NativeContext, hash: Hash, others: Hash[]) => merged(vm, hash, others)],
  ['deep_merge', 'other: Hash', 'Hash', 'Like `merge`, for hashes within hashes too.', (vm: NativeContext, hash: Hash, other: Hash) => deepMerged(vm, hash, other)],
  ['invert', '', 'Hash', 'A hash with keys and values exchanged.', (vm: NativeContext, hash: Hash) => invert(vm, hash)],
  ['slice', '*keys: Any', 'Hash', 'The pairs with these keys.', (vm: NativeContext, hash: Hash, keys: Value[]) => slice(vm, hash, keys)],
  ['except', '*keys: Any', 'Hash', 'The pairs without these keys.', (vm: NativeContext, hash: Hash, keys: Value[]) => except(vm, hash, keys)],
  ['compact', '', 'Hash', 'The pairs whose value is not nil.', (vm: NativeContext, hash: Hash) => compact(vm, hash)],
  ['to_h', '', 'Hash', 'The pairs as a hash: itself, or a record’s fields.', (_: unknown, hash: Hash) => hash],
  ['assoc', 'key: Any', 'Vector?', 'The pair of a key, or nil.', (_: unknown, hash: Hash, key: Value) => pairOf(hash, key)],
  ['rassoc', 'value: Any', 'Vector?', 'The first pair with a value, or nil.', (vm: NativeContext, hash: Hash, value: Value) => pairWith(vm, hash, value)],
  ['to_a', '', 'Vector', 'All pairs.', (vm: NativeContext, hash: Hash) => toPairs(vm, hash)],
];

/** Methods of hashes only. */
// prettier-ignore
export const hashRows: readonly Row[] = [
  ['store', 'key: Any, value: Any', 'Any', 'Sets the value of a key and returns it.', (_: unknown, hash: Hash, key: Value, value: Value) => store(hash, key, value)],
  ['delete', 'key: Any, &block: Function?', 'Any', 'Removes a key and returns its value; when it was missing, the value of the block, which gets the key, or nil.', remove],
  ['select! filter! keep_if reject! delete_if', '', 'Vector', 'Without a block: all pairs.', toPairs],
  ['merge! update', '*others: Hash', 'Hash', 'Adds the pairs of other hashes, which override existing ones, and returns the hash.', (vm: NativeContext, hash: Hash, others: Hash[]) => update(vm, hash, others)],
  ['shift', 'n: Integer? = nil', 'Any', 'Removes and returns the first pair, nil if there are none; or a vector of the first `n` pairs. Without an argument the value of the key `shift` when there is one.', keyFirst('shift', shift)],
  ['replace', 'other: Hash', 'Hash', 'Replaces all pairs with those of another hash and returns the hash.', (vm: NativeContext, hash: Hash, other: Hash) => replace(vm, hash, other)],
  ['clear', '', 'Hash', 'Removes all pairs and returns the hash.', (_: unknown, hash: Hash) => clear(hash)],
  ['copy dup', '', 'Hash', 'A copy; values are shared.', (vm: NativeContext, hash: Hash) => copied(vm, hash)],
  ['key', 'value: Any = nil', 'Any', 'The first key that has a value, or nil; without an argument the value of the key `key`.', keyFirst('key', keyOf)],
  ['type', '', 'String', 'The value of the key `type`, or the name of the type.', keyFirst('type', (_vm, hash) => typeName(hash))],
];
