import { nearest } from '../../../vm/bytecode/nearest.js';
import { indexValue, sliceBounds, vectorIndex } from '../../../vm/calls/members.js';
import { hashKey } from '../../../vm/values/keys.js';
import { inlined, quickly } from '../../../vm/calls/native.js';
import { attempt, charge } from '../../../vm/values/cost.js';
import { matches, matchSteps } from '../../../vm/values/match.js';
import { equal } from '../../../vm/values/equal.js';
import { Range } from '../../../vm/values/structured.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect } from '../../../vm/values/text/text.js';
import { brief } from '../brief.js';
import { typeName } from '../../../vm/values/types.js';
import { truthy, type Value } from '../../../vm/values/value.js';
import { isLarge } from '../../../vm/values/weight.js';
import { eachInSteps, type Steps } from '../../../vm/values/steps.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Int, Row } from '../declare.js';
import { atMost, countOf } from '../limits.js';
import { shownInteger } from '../numbers/digits.js';
import { comparing, isFoundAtOnce } from '../steps.js';

/** The first element, or a vector of the first `n`. */
function first(list: Value[], n: Int | null): Value {
  return n === null ? (list[0] ?? null) : list.slice(0, countOf(n, 'n'));
}

/** The last element, or a vector of the last `n`. */
export function lastOf(list: Value[], n: Int | null): Value {
  return n === null ? (list[list.length - 1] ?? null) : list.slice(Math.max(0, list.length - countOf(n, 'n')));
}

/** The default given to a `fetch`, possibly nil; without one, raises the error of `otherwise`. */
export function givenOr(rest: Value[], name: string, otherwise: () => never): Value {
  const given = atMost(rest, 1, name);
  return given.length === 1 ? given[0] : otherwise();
}

/** The element at `index`, else the default, else IndexError. */
function fetch(list: Value[], index: Int, rest: Value[]): Value {
  const at = index < 0 ? Number(index) + list.length : Number(index);
  if (at >= 0 && at < list.length) return list[at];
  return givenOr(rest, 'fetch', () =>
    fail(Errors.IndexError, `index ${shownInteger(index)} is outside of a vector with ${list.length} elements`),
  );
}

/** A part given by a range, `count` elements starting at an index, or one element. */
function slice(list: Value[], start: Value, count: Int | null): Value {
  if (start instanceof Range) {
    const bounds = sliceBounds(start, list.length);
    return bounds === null ? null : list.slice(bounds.start, bounds.end);
  }
  const at = vectorIndex(start);
  const from = at < 0 ? at + list.length : at;
  if (count === null) return list[from] ?? null;
  return from < 0 || from > list.length || count < 0 ? null : list.slice(from, from + Number(count));
}

/**
 * Follows keys and indexes into nested values; nil at the first missing one. @throws TypeError for a value without
 * elements
 */
export function dig(value: Value, keys: Value[]): Value {
  let at = value;
  for (const key of keys) {
    if (at === null) return null;
    const next = indexValue(at, key);
    if (next === undefined) fail(Errors.TypeError, `dig(): ${typeName(at)} has no elements`);
    at = next;
  }
  return at;
}

/** Raises KeyError for a missing key, suggesting a similar one if there is any. */
export function missingKey(hash: Hash, key: Value): never {
  const near =
    typeof key === 'string'
      ? nearest(
          key,
          hash.keys().filter((other) => typeof other === 'string'),
        )
      : null;
  return fail(Errors.KeyError, `no key ${brief(key)}${near === null ? '' : `, did you mean ${inspect(near)}?`}`);
}

/** Number of elements, or of those equal to one. */
function count(vm: NativeContext, list: Value[], rest: Value[]): Value | undefined {
  const given = atMost(rest, 1, 'count');
  return given.length === 0 ? list.length : countEqual(vm, list, given[0]);
}

/** Number of the elements equal to `item`. */
export function countEqual(vm: NativeContext, list: readonly Value[], item: Value): Value | undefined {
  let found = 0;
  return comparing(
    vm,
    'count',
    list,
    item,
    () => found++ >= 0,
    () => found,
  );
}

/** Returns `make(index)` for the first (or last) element equal to `item`; the index is −1 when there is none. */
export function found(
  vm: NativeContext,
  what: string,
  list: readonly Value[],
  item: Value,
  make: (at: number) => Value,
  backwards = false,
): Value | undefined {
  // Without the closures of a search that may take long: `include?` is often called for one character.
  return isFoundAtOnce(list, item)
    ? make(placeOf(list, item, backwards))
    : foundSlowly(vm, what, list, item, make, backwards);
}

function foundSlowly(
  vm: NativeContext,
  what: string,
  list: readonly Value[],
  item: Value,
  make: (at: number) => Value,
  backwards: boolean,
): Value | undefined {
  let at = -1;
  const take = (i: number): boolean => {
    at = i;
    return false;
  };
  return comparing(vm, what, list, item, take, () => make(at), backwards);
}

function placeOf(list: readonly Value[], item: Value, backwards: boolean): number {
  const { length } = list;
  for (let k = 0; k < length; k++) {
    const i = backwards ? length - 1 - k : k;
    if (equal(list[i], item)) return i;
  }
  return -1;
}

const indexOrNil = (at: number): Value => (at < 0 ? null : at);

/** Whether an element equals `item`. */
export function includes(vm: NativeContext, list: readonly Value[], item: Value): Value | undefined {
  return found(vm, 'include?', list, item, isPlace);
}

const isPlace = (at: number): boolean => at >= 0;

/** The first vector among the elements whose element at `place` equals `item`, or nil. */
function pairWith(
  vm: NativeContext,
  what: string,
  list: readonly Value[],
  item: Value,
  place: number,
): Value | undefined {
  const pairs = list.filter((element) => Array.isArray(element) && element.length > place) as Value[][];
  const parts = pairs.map((pair) => pair[place]);
  return found(vm, what, parts, item, (at) => (at < 0 ? null : pairs[at]));
}

/** A hash built from a vector of pairs. @throws TypeError */
export function pairsToHash(vm: NativeContext, list: readonly Value[]): Value | undefined {
  if (isLarge(list)) return vm.inPieces('to_h', pairSteps(list.slice()));
  const hash = new Hash();
  for (const pair of list) addPair(hash, pair);
  return hash;
}

function addPair(hash: Hash, pair: Value): void {
  if (!Array.isArray(pair) || pair.length !== 2)
    fail(Errors.TypeError, `to_h(): elements must be pairs [key, value], got ${brief(pair)}`);
  hash.set(hashKey(pair[0]), pair[1]);
}

function* pairSteps(list: readonly Value[]): Steps {
  const hash = new Hash();
  yield* eachInSteps(list.length, (i) => addPair(hash, list[i]));
  return hash;
}

/** Cost of matching one small element, in the units of `charge`. */
const MATCH_UNITS = 5;
/** Small elements matched in one step. */
const MATCHES_PER_STEP = 1024;

/**
 * Returns `make(count)` for the number of matching elements, counted up to `limit`; in pieces if that may take long. An
 * element matches a given pattern as in `when`; without one, if it is neither nil nor false.
 */
function matching(
  vm: NativeContext,
  name: string,
  list: readonly Value[],
  given: Value[],
  limit: number,
  make: (count: number) => boolean,
  expected = true,
): Value | undefined {
  const pattern = atMost(given, 1, name);
  if (pattern.length === 0) return make(countTruthy(list, limit, expected));
  const now = attempt((items, one) => countMatching(items, one, limit, expected), list, pattern[0]);
  return now !== undefined
    ? make(now)
    : vm.inPieces(name, matchingSteps(list.slice(), pattern[0], limit, expected, make));
}

function countTruthy(list: readonly Value[], limit: number, expected: boolean): number {
  let count = 0;
  for (let i = 0; i < list.length && count < limit; i++) if (truthy(list[i]) === expected) count++;
  return count;
}

function countMatching(list: readonly Value[], pattern: Value, limit: number, expected: boolean): number {
  let count = 0;
  for (let i = 0; i < list.length && count < limit; i++) {
    charge(MATCH_UNITS);
    if (matches(pattern, list[i]) === expected) count++;
  }
  return count;
}

function* matchingSteps(
  list: readonly Value[],
  pattern: Value,
  limit: number,
  expected: boolean,
  make: (count: number) => boolean,
): Generator<void, boolean, void> {
  let count = 0;
  for (let i = 0; i < list.length && count < limit; i++) {
    if ((yield* matchSteps(pattern, list[i])) === expected) count++;
    if (i % MATCHES_PER_STEP === MATCHES_PER_STEP - 1) yield;
  }
  return make(count);
}

const anyMatch = (vm: NativeContext, list: Value[], pattern: Value[]): Value | undefined =>
  matching(vm, 'any?', list, pattern, 1, (count) => count === 1);
const allMatch = (vm: NativeContext, list: Value[], pattern: Value[]): Value | undefined =>
  matching(vm, 'all?', list, pattern, 1, (count) => count === 0, false);
const noneMatch = (vm: NativeContext, list: Value[], pattern: Value[]): Value | undefined =>
  matching(vm, 'none?', list, pattern, 1, (count) => count === 0);
const oneMatches = (vm: NativeContext, list: Value[], pattern: Value[]): Value | undefined =>
  matching(vm, 'one?', list, pattern, 2, (count) => count === 1);

/** Reading methods of all collections. */
/** The element at one end, if it is asked for alone and is there. */
function edge(list: readonly Value[], at: number, n: Value): NonNullable<Value> | undefined {
  return n === null && list.length > 0 ? (list[at] ?? undefined) : undefined;
}

// prettier-ignore
export const accessRows: readonly Row[] = [
  ['length size', '', 'Integer', 'Number of elements.', inlined('$.length', (_: unknown, list: Value[]) => list.length)],
  ['empty?', '', 'Boolean', 'Whether there are no elements.', inlined('$.length===0', (_: unknown, list: Value[]) => list.length === 0)],
  ['first', 'n: Integer? = nil', 'Any', 'The first element, nil if there are none; or a vector of the first `n`.', quickly((list: Value, n: Value) => edge(list as Value[], 0, n), (_: unknown, list: Value[], n: Int | null) => first(list, n))],
  ['last', 'n: Integer? = nil', 'Any', 'The last element, nil if there are none; or a vector of the last `n`.', quickly((list: Value, n: Value) => edge(list as Value[], (list as Value[]).length - 1, n), (_: unknown, list: Value[], n: Int | null) => lastOf(list, n))],
  ['take', 'n: Integer', 'Vector', 'The first `n` elements.', (_: unknown, list: Value[], n: Int) => first(list, n)],
  ['drop', 'n: Integer', 'Vector', 'The elements without the first `n`.', (_: unknown, list: Value[], n: Int) => list.slice(countOf(n, 'n'))],
  ['count', '*item: Any', 'Integer', 'Number of elements, or of those equal to `item`.', count],
  ['include? member?', 'item: Any', 'Boolean', 'Whether an element equals `item`.', includes],
  ['index find_index', 'item: Any', 'Integer?', 'Index of the first element equal to `item`, or nil.', (vm: NativeContext, list: Value[], item: Value) => found(vm, 'index', list, item, indexOrNil)],
  ['rindex', 'item: Any', 'Integer?', 'Index of the last element equal to `item`, or nil.', (vm: NativeContext, list: Value[], item: Value) => found(vm, 'rindex', list, item, indexOrNil, true)],
  ['any?', '*pattern: Any', 'Boolean', 'Whether an element matches `pattern` as in `when`; without one, whether an element is neither nil nor false.', (vm: NativeContext, list: Value[], pattern: Value[]) => anyMatch(vm, list, pattern)],
  ['all?', '*pattern: Any', 'Boolean', 'Whether all elements match `pattern` as in `when`; without one, whether no element is nil or false.', (vm: NativeContext, list: Value[], pattern: Value[]) => allMatch(vm, list, pattern)],
  ['none?', '*pattern: Any', 'Boolean', 'Whether no element matches `pattern` as in `when`; without one, whether all elements are nil or false.', (vm: NativeContext, list: Value[], pattern: Value[]) => noneMatch(vm, list, pattern)],
  ['one?', '*pattern: Any', 'Boolean', 'Whether exactly one element matches `pattern` as in `when`; without one, whether exactly one is neither nil nor false.', (vm: NativeContext, list: Value[], pattern: Value[]) => oneMatches(vm, list, pattern)],
];

/** Reading methods that use indexes. */
// prettier-ignore
export const indexRows: readonly Row[] = [
  ['at', 'index: Integer', 'Any', 'The element at an index, or nil.', (_: unknown, list: Value[], index: Int) => slice(list, index, null)],
  ['[]', 'start: Integer|Range, count: Integer? = nil', 'Any', 'One element, the elements in a range, or `count` elements starting at an index.', (_: unknown, list: Value[], start: Value, n: Int | null) => slice(list, start, n)],
  ['slice', 'start: Integer|Range, count: Integer? = nil', 'Any', 'The elements in a range, `count` elements starting at an index, or one element.', (_: unknown, list: Value[], start: Value, n: Int | null) => slice(list, start, n)],
  ['fetch', 'index: Integer, *default: Any', 'Any', 'The element at an index, or the default; IndexError when neither exists.', (_: unknown, list: Value[], index: Int, rest: Value[]) => fetch(list, index, rest)],
  ['dig', '*keys: Any', 'Any', 'The value found by following indexes and keys into nested values; nil if one is missing.', (_: unknown, list: Value[], keys: Value[]) => dig(list, keys)],
  ['assoc', 'item: Any', 'Vector?', 'The first element that is a vector beginning with `item`, or nil.', (vm: NativeContext, list: Value[], item: Value) => pairWith(vm, 'assoc', list, item, 0)],
  ['rassoc', 'item: Any', 'Vector?', 'The first element that is a vector with `item` in second place, or nil.', (vm: NativeContext, list: Value[], item: Value) => pairWith(vm, 'rassoc', list, item, 1)],
  ['values_at', '*indexes: Integer', 'Vector', 'The elements at these indexes, nil for missing ones.', (_: unknown, list: Value[], indexes: Int[]) => indexes.map((index) => slice(list, index, null))],
];
