import { Errors, fail } from '../../../vm/values/error.js';
import { dateOf, DateValue } from './date.js';

/** The parts of a moment found in a text; missing ones are filled in. */
export interface Parts {
  year?: number;
  month?: number;
  day?: number;
  hour?: number;
  minute?: number;
  second?: number;
  ms?: number;
  /** Whether the hour, from 1 to 12, is in the afternoon. */
  afternoon?: boolean;
  /** Seconds ahead of UTC; without it, local time. */
  offset?: number;
  /** Seconds since the epoch; replaces all other parts. */
  epoch?: number;
}

/**
 * The moment described by the parts. A time without a day is today's; a day without a time is its start. @throws
 * ValueError
 */
export function dateOfParts(parts: Parts): DateValue {
  if (parts.epoch !== undefined) return new DateValue(parts.epoch * 1000 + (parts.ms ?? 0));
  const noDay = parts.year === undefined && parts.month === undefined && parts.day === undefined;
  const [year, month, day] = noDay || parts.year === undefined ? new DateValue(Date.now()).fields : [parts.year, 1, 1];
  const date = noDay
    ? ([year, month, day] as const)
    : ([parts.year ?? year, parts.month ?? 1, parts.day ?? 1] as const);
  return dateOf([...date, hourOf(parts), parts.minute ?? 0, parts.second ?? 0, parts.ms ?? 0], parts.offset ?? null);
}

function hourOf({ hour = 0, afternoon }: Parts): number {
  if (afternoon === undefined) return hour;
  if (hour < 1 || hour > 12)
    fail(Errors.ValueError, `no such date: with AM or PM the hour must be from 1 to 12, got ${hour}`);
  return (hour % 12) + (afternoon ? 12 : 0);
}

/** Offset in seconds of a zone text: `Z`, `UTC`, `GMT`, `+01:00`, `+0100`, `+01`. */
export function offsetOf(text: string): number {
  const [, sign, hours, minutes = '0', seconds = '0'] = /^([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59)
    fail(Errors.ValueError, `no such time zone: ${text}`);
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

/** Milliseconds from the digits after a second's decimal point. */
export function msOf(digits: string): number {
  return Number(digits.padEnd(3, '0').slice(0, 3));
}
