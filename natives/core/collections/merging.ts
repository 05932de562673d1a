import { eachInSteps, STEP, type Steps } from '../../../vm/values/steps.js';
import { equal } from '../../../vm/values/equal.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { MAX_DEPTH } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';

/** The keys and values of a hash at one time. */
export interface Pairs {
  keys: readonly Value[];
  values: readonly Value[];
}

/** The current pairs of a hash. */
export function pairsOf(hash: Hash): Pairs {
  return { keys: hash.keys(), values: hash.values() };
}

/** Sets pairs of a new hash that is not yet visible to others. */
function* setPairs(target: Hash, { keys, values }: Pairs): Generator<void, Hash, void> {
  yield* eachInSteps(keys.length, (i) => target.set(keys[i], values[i]));
  return target;
}

/** A shallow copy. */
export function copied(vm: NativeContext, hash: Hash): Value | undefined {
  return hash.size <= STEP ? hash.copy() : vm.inPieces('copy', copySteps(hash));
}

/** Like `copied`, in steps. */
export function* copySteps(hash: Hash): Generator<void, Hash, void> {
  return yield* setPairs(hash.empty(null), pairsOf(hash));
}

function sizeOf(hashes: readonly Hash[]): number {
  return hashes.reduce((sum, { size }) => sum + size, 0);
}

function mergeAll(target: Hash, others: readonly Hash[]): Hash {
  for (const other of others) if (other !== target) other.each((key, value) => target.set(key, value));
  return target;
}

/** A new hash with the pairs of several hashes; later ones override. */
export function merged(vm: NativeContext, hash: Hash, others: readonly Hash[]): Value | undefined {
  return hash.size + sizeOf(others) <= STEP
    ? mergeAll(hash.copy(), others)
    : vm.inPieces('merge', mergeSteps(hash.empty(), [hash, ...others].map(pairsOf)));
}

/** Adds pairs to a new hash. */
function* mergeSteps(out: Hash, sources: readonly Pairs[]): Generator<void, Hash, void> {
  for (const pairs of sources) yield* setPairs(out, pairs);
  return out;
}

/** Merge into a copy unless the hash has more than this many times the pairs that are added. */
const WORTH_COPY = 4;

/**
 * Adds the pairs of other hashes, which override. Others never see a partial result: many pairs are merged into a copy,
 * whose pairs the hash finally takes over.
 */
export function update(vm: NativeContext, hash: Hash, others: readonly Hash[]): Value | undefined {
  const added = sizeOf(others);
  return added <= STEP || added * WORTH_COPY < hash.size
    ? mergeAll(hash, others)
    : vm.inPieces('merge', updateSteps(hash, others));
}

function* updateSteps(hash: Hash, others: readonly Hash[]): Steps {
  const before = pairsOf(hash);
  const sources = others.filter((other) => other !== hash).map(pairsOf);
  const out = yield* mergeSteps(new Hash(), [before, ...sources]);
  if (holds(hash, before)) hash.take(out);
  // Someone changed the hash meanwhile: keep those changes.
  else for (const { keys, values } of sources) keys.forEach((key, i) => hash.set(key, values[i]));
  return hash;
}

/** Whether a hash still has the same pairs. */
function holds(hash: Hash, { keys, values }: Pairs): boolean {
  let i = 0;
  return (
    hash.size === keys.length &&
    hash.every((key, value) => (key === keys[i] || equal(key, keys[i])) && value === values[i++])
  );
}

/** Replaces all pairs with those of another hash. */
export function replace(vm: NativeContext, hash: Hash, other: Hash): Value | undefined {
  if (other === hash) return hash;
  if (other.size > STEP) return vm.inPieces('replace', replaceSteps(hash, other));
  hash.clear();
  return mergeAll(hash, [other]);
}

function* replaceSteps(hash: Hash, other: Hash): Steps {
  hash.take(yield* setPairs(new Hash(), pairsOf(other)));
  return hash;
}

/** Pairs that a deep merge processes in one step: each may be a hash to be merged itself. */
const DEEP_STEP = 2048;

/** Merges nested hashes too. The originals are not changed, and merged hashes are not shared. */
export function deepMerged(vm: NativeContext, hash: Hash, other: Hash): Value | undefined {
  return vm.inPieces('merge', deepMerge(hash, other, 0, { left: DEEP_STEP }));
}

function* deepMerge(hash: Hash, other: Hash, depth: number, step: { left: number }): Generator<void, Hash, void> {
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot merge hashes nested deeper than ${MAX_DEPTH} levels`);
  const { keys, values } = pairsOf(other);
  const out = hash.size <= STEP ? hash.copy() : yield* copySteps(hash);
  for (let i = 0; i < keys.length; i++) {
    const own = out.get(keys[i]);
    const value = values[i];
    out.set(
      keys[i],
      own instanceof Hash && value instanceof Hash ? yield* deepMerge(own, value, depth + 1, step) : value,
    );
    if (--step.left > 0) continue;
    step.left = DEEP_STEP;
    yield;
  }
  return out;
}
