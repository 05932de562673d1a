import { Errors, fail } from '../../../vm/values/error.js';
import { DAY_MS, dayNumber, fieldsOf, firstMonday, isoWeek, pad, weekdayOf } from './calendar.js';
import { dateOf, DateValue } from './date.js';
import type { Zone } from './zone.js';

/** The parts of a moment found in a text; missing ones are filled in. */
export interface Parts {
  year?: number;
  /** The year by its first digits and its last two; replaced by `year`. */
  century?: number;
  yearOfCentury?: number;
  month?: number;
  day?: number;
  /** Day of the year, from 1; replaces month and day. */
  yearDay?: number;
  /** Week and its year according to ISO 8601; replace year, month and day. */
  week?: number;
  weekYear?: number;
  /** Week of the year that starts on Sunday or Monday; week 1 starts at the year's first such day. */
  sundayWeek?: number;
  mondayWeek?: number;
  /** Day of the week from 0, Sunday, to 7, also Sunday; only used with a week. */
  weekday?: number;
  hour?: number;
  minute?: number;
  second?: number;
  ms?: number;
  /** Whether the hour, from 1 to 12, is in the afternoon. */
  afternoon?: boolean;
  /** Seconds ahead of UTC; without it, the zone decides. */
  offset?: number;
  /** Seconds since the epoch; replaces all other parts. */
  epoch?: number;
}

type Day = readonly [year: number, month: number, day: number];

/**
 * The moment described by the parts, in a zone. A time without a day is today's; a day without a time is its start; hour
 * 24 is the end of the day.
 * @throws ValueError, OverflowError
 */
export function dateOfParts(parts: Parts, zone: Zone): DateValue {
  if (parts.epoch !== undefined) return new DateValue(parts.epoch * 1000 + (parts.ms ?? 0), zone);
  const [hour, minute, second, ms] = [hourOf(parts), parts.minute ?? 0, parts.second ?? 0, parts.ms ?? 0];
  const atEnd = hour === 24 && minute === 0 && second === 0 && ms === 0;
  const day = dayOf(parts, zone);
  const date = dateOf([...day, atEnd ? 0 : hour, minute, second, ms], parts.offset ?? null, zone);
  return atEnd ? date.addDays(1) : date;
}

function dayOf(parts: Parts, zone: Zone): Day {
  const { month, day, yearDay, week, weekYear, sundayWeek, mondayWeek } = parts;
  const given = yearOf(parts);
  const isPlain = (yearDay ?? week ?? weekYear ?? sundayWeek ?? mondayWeek) === undefined;
  if (isPlain && given !== undefined) return [given, month ?? 1, day ?? 1];
  const [thisYear, thisMonth, thisDay] = new DateValue(Date.now(), zone).fields;
  if (isPlain && month === undefined && day === undefined) return [thisYear, thisMonth, thisDay];
  const year = given ?? thisYear;
  if (week !== undefined || weekYear !== undefined) return dayOfWeek(weekYear ?? year, week ?? 1, parts);
  if (yearDay !== undefined) return dayOfYear(year, yearDay);
  if (sundayWeek !== undefined) return dayFromWeek(year, sundayWeek, 0, parts);
  if (mondayWeek !== undefined) return dayFromWeek(year, mondayWeek, 1, parts);
  return [year, month ?? 1, day ?? 1];
}

function yearOf({ year, century, yearOfCentury }: Parts): number | undefined {
  if (year !== undefined || (century === undefined && yearOfCentury === undefined)) return year;
  const last = yearOfCentury ?? 0;
  // As in POSIX: without a century, 69 to 99 are in the 20th.
  return last + 100 * (century ?? (last < 69 ? 20 : 19));
}

function dayOfYear(year: number, day: number): Day {
  const days = dayNumber(year + 1, 1, 1) - dayNumber(year, 1, 1);
  if (day < 1 || day > days) fail(Errors.ValueError, `no such date: ${year} has ${days} days, got day ${day}`);
  return dayAt(dayNumber(year, 1, day) * DAY_MS);
}

/** The day of a week according to ISO 8601. */
function dayOfWeek(year: number, week: number, { weekday = 1 }: Parts): Day {
  if (year < 1 || year > 9999)
    fail(Errors.ValueError, `no such date: year must be from 1 to 9999, got ${pad(year, 4)}`);
  const { week: weeks } = isoWeek([year, 12, 28, 0, 0, 0, 0]);
  if (week < 1 || week > weeks) fail(Errors.ValueError, `no such date: ${year} has ${weeks} weeks, got week ${week}`);
  return dayAt(firstMonday(year) + ((week - 1) * 7 + (weekday || 7) - 1) * DAY_MS);
}

/** The day of a week that starts on weekday `first`, in a year. */
function dayFromWeek(year: number, week: number, first: number, { weekday = first }: Parts): Day {
  const start = dayNumber(year, 1, 1);
  const firstDay = start + ((first - weekdayOf(start * DAY_MS) + 7) % 7);
  const day = dayAt((firstDay + (week - 1) * 7 + ((weekday - first + 7) % 7)) * DAY_MS);
  if (day[0] !== year) fail(Errors.ValueError, `no such date: week ${week} of ${year} has no such day`);
  return day;
}

function dayAt(wall: number): Day {
  const [year, month, day] = fieldsOf(wall);
  return [year, month, day];
}

function hourOf({ hour = 0, afternoon }: Parts): number {
  if (afternoon === undefined) return hour;
  if (hour < 1 || hour > 12)
    fail(Errors.ValueError, `no such date: with AM or PM the hour must be from 1 to 12, got ${hour}`);
  return (hour % 12) + (afternoon ? 12 : 0);
}

/** Milliseconds from the digits after a second's decimal point. */
export function msOf(digits: string): number {
  return Number(digits.padEnd(3, '0').slice(0, 3));
}
