import { EnumType, Range, RecordType, RecordValue, Regex } from './values/compound.js';
import { compare, equal } from './values/equal.js';
import { Errors, ErrorType, ErrorValue, fail, SvcError } from './values/error.js';
import { Handle, HandleType } from './values/handle.js';
import { Hash } from './values/hash.js';
import { occursIn } from './values/regex/index.js';
import { MAX_DEPTH } from './values/text.js';
import { TypeValue } from './values/types.js';
import type { Value } from './values/value.js';

/** Whether `value` matches the pattern of a `when` or `rescue`. */
export function matches(pattern: Value, value: Value): boolean {
  if (typeof pattern !== 'object' || pattern === null) return equal(pattern, value);
  if (pattern instanceof Range) return inRange(pattern, value);
  if (pattern instanceof Regex) return matchesText(pattern, value instanceof ErrorValue ? value.message : value);
  if (pattern instanceof TypeValue) return pattern.matches(value);
  if (pattern instanceof ErrorType) return value instanceof ErrorValue && value.type.is(pattern);
  if (pattern instanceof RecordType) return value instanceof RecordValue && value.type === pattern;
  if (pattern instanceof EnumType) return typeof value === 'string' && pattern.members.includes(value);
  if (pattern instanceof HandleType) return value instanceof Handle && value.type === pattern;
  return equal(pattern, value);
}

function matchesText(pattern: Regex, value: Value): boolean {
  return typeof value === 'string' && occursIn(pattern, value);
}

/** Membership of a range; false for values that have no order with its borders. */
export function inRange(range: Range, value: Value): boolean {
  try {
    if (!(compare(range.lo, value) <= 0)) return false;
    if (range.hi === null) return true;
    const order = compare(value, range.hi);
    return range.exclusive ? order < 0 : order <= 0;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}

/** Whether `value` has all that a hash literal after `when` lists. */
export function matchesShape(pattern: Hash, value: Value, depth = 0): boolean {
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot match a shape nested deeper than ${MAX_DEPTH} levels`);
  const hash = value instanceof RecordValue ? value.fields : value;
  if (!(hash instanceof Hash)) return false;
  return pattern.entries().every(([key, expected]) => {
    const actual = hash.get(key);
    return actual !== undefined && (expected instanceof Hash ? matchesShape(expected, actual, depth + 1) : matches(expected, actual));
  });
}
