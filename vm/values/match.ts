import { Bytes } from './bytes.js';
import { add } from './numbers/arithmetic.js';
import { EnumType, Range, RecordType, RecordValue, Regex } from './structured.js';
import { charge } from './cost.js';
import { compare, equal } from './equal.js';
import { compareSteps, equalSteps } from './equalsteps.js';
import { Errors, ErrorType, ErrorValue, fail, SvcError } from './error.js';
import { Handle, HandleType } from './handle.js';
import { Hash } from './hash.js';
import { occursIn, searchesAtOnce, searchInSteps } from './regex/index.js';
import { MAX_DEPTH } from './text/text.js';
import { TypeValue } from './types.js';
import { Float, isInteger, type Value } from './value.js';

/** Whether `value` matches the pattern of a `when` or `rescue`. */
export function matches(pattern: Value, value: Value): boolean {
  if (typeof pattern !== 'object' || pattern === null) return equal(pattern, value);
  if (pattern instanceof RecordType) return value instanceof RecordValue && value.type === pattern;
  if (pattern instanceof TypeValue) return pattern.matches(value);
  if (pattern instanceof Range) return inRange(pattern, value);
  if (pattern instanceof Regex) return matchesText(pattern, value instanceof ErrorValue ? value.message : value);
  if (pattern instanceof ErrorType) return value instanceof ErrorValue && value.type.is(pattern);
  if (pattern instanceof EnumType) return pattern.includes(value);
  if (pattern instanceof HandleType) return value instanceof Handle && value.type === pattern;
  return equal(pattern, value);
}

function matchesText(pattern: Regex, value: Value): boolean {
  if (typeof value !== 'string') return false;
  // Ends the attempt: the search must be done in steps.
  if (!searchesAtOnce(pattern, value)) charge(Infinity);
  return occursIn(pattern, value);
}

/** Kind of a value whose order depends on its JavaScript type alone; null for handles and other objects. */
function plainKind(value: Value): string | null {
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Float) return 'number';
  if (value === null || Array.isArray(value) || value instanceof Hash) return 'other';
  return typeof value === 'object' ? null : typeof value;
}

/** Whether two values certainly have no order. An error of `compare` takes a hundred times as long. */
function haveNoOrder(a: Value, b: Value): boolean {
  const [kind, other] = [plainKind(a), plainKind(b)];
  return kind !== null && other !== null && kind !== other;
}

/** Whether the range contains `value`; false for values that cannot be compared with its bounds. */
export function inRange(range: Range, value: Value): boolean {
  if (haveNoOrder(range.lo ?? range.hi, value)) return false;
  try {
    if (range.lo !== null && !(compare(range.lo, value) <= 0)) return false;
    if (range.hi === null) return true;
    const order = compare(value, range.hi);
    return range.exclusive ? order < 0 : order <= 0;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}

/** Whether every value between the bounds of `inner` is in `outer`; false for bounds that cannot be compared. */
export function coversRange(outer: Range, inner: Range): boolean {
  const { lo, hi, exclusive } = inner;
  if ((outer.lo !== null && lo === null) || (outer.hi !== null && hi === null)) return false;
  try {
    if (lo !== null && hi !== null && compare(lo, hi) > (exclusive ? -1 : 0)) return false;
    if (lo !== null && !inRange(outer, lo)) return false;
    if (outer.hi === null || hi === null) return true;
    const order = compare(outer.hi, hi);
    if (order > 0 || (order === 0 && (exclusive || !outer.exclusive))) return true;
    // Of Integers `1...6` has no element beyond 5.
    return !outer.exclusive && exclusive && isInteger(lo) && isInteger(hi) && compare(outer.hi, add(hi, -1)) >= 0;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}

/** Whether `value` has all keys, with matching values, of a hash literal after `when`. */
export function matchesShape(pattern: Hash, value: Value, depth = 0): boolean {
  charge(pattern.size + 1);
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot match a shape nested deeper than ${MAX_DEPTH} levels`);
  if (!(value instanceof Hash || value instanceof RecordValue)) return false;
  return pattern.entries().every(([key, expected]) => {
    const actual = value.get(key);
    return (
      actual !== undefined &&
      (expected instanceof Hash ? matchesShape(expected, actual, depth + 1) : matches(expected, actual))
    );
  });
}

/** `matches` in steps. */
export function* matchSteps(pattern: Value, value: Value): Generator<void, boolean, void> {
  if (pattern instanceof Regex) {
    const text = value instanceof ErrorValue ? value.message : value;
    return typeof text === 'string' && (yield* searchInSteps(pattern, text)) >= 0;
  }
  if (pattern instanceof Range) return yield* rangeSteps(pattern, value);
  return Array.isArray(pattern) || pattern instanceof Hash || pattern instanceof RecordValue || pattern instanceof Bytes
    ? yield* equalSteps(pattern, value)
    : matches(pattern, value);
}

function* rangeSteps({ lo, hi, exclusive }: Range, value: Value): Generator<void, boolean, void> {
  if (haveNoOrder(lo ?? hi, value)) return false;
  try {
    if (lo !== null && !((yield* compareSteps(lo, value)) <= 0)) return false;
    const order = hi === null ? -1 : yield* compareSteps(value, hi);
    return exclusive ? order < 0 : order <= 0;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}

/** `matchesShape` in steps. */
export function* shapeSteps(pattern: Hash, value: Value, depth = 0): Generator<void, boolean, void> {
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot match a shape nested deeper than ${MAX_DEPTH} levels`);
  if (!(value instanceof Hash || value instanceof RecordValue)) return false;
  for (const [key, expected] of pattern.pairs()) {
    const actual = value.get(key);
    if (actual === undefined) return false;
    if (
      !(expected instanceof Hash ? yield* shapeSteps(expected, actual, depth + 1) : yield* matchSteps(expected, actual))
    )
      return false;
    yield;
  }
  return true;
}
