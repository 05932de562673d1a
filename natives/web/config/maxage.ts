/** `max_age` of headers for browsers and caches. */

import { inspect } from '../../../vm/values/text/text.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { inSeconds, type DurationValue } from '../../core/dates/duration.js';
import type { Num } from '../../core/declare.js';

/** Argument of a native: seconds, a Duration, or nil. */
export type MaxAge = Num | DurationValue | null;

/** Largest number of seconds that all caches understand (RFC 9111, section 1.2.2). */
const MOST = 0x7fffffff;

/** The seconds of a `max_age`, or null if it is missing. @throws ArgumentError if they are not whole or out of range */
export function secondsOf(given: MaxAge): number | null {
  const seconds = inSeconds(given);
  if (seconds === null || (typeof seconds === 'number' && seconds >= 0 && seconds <= MOST)) return seconds;
  fail(
    Errors.ArgumentError,
    `max_age must be a Duration or a number of seconds from 0 to ${MOST}, got ${inspect(given)}`,
  );
}
