import { Errors, fail } from '../../../vm/values/error.js';

/** Milliseconds of a second, a minute, an hour and a day of 24 hours. */
export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Year, month from 1, day, hour, minute, second, millisecond. */
export type Fields = readonly [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  ms: number,
];

/** Valid range of each field, for checks and error messages. */
// prettier-ignore
export const BORDERS: readonly (readonly [name: string, low: number, high: number])[] = [
  ['year', 1, 9999], ['month', 1, 12], ['day', 1, 31], ['hour', 0, 23], ['minute', 0, 59], ['second', 0, 59], ['millisecond', 0, 999],
];

/** Date.UTC and `new Date` map years below this one to the 20th century; the setters, which are slower, do not. */
export const FIRST_PLAIN_YEAR = 100;

/** Milliseconds since the epoch if the fields were in UTC: a wall time. On this scale all days are equally long. */
export function wallOf([year, month, day, hour, minute, second, ms]: Fields): number {
  if (year >= FIRST_PLAIN_YEAR) return Date.UTC(year, month - 1, day, hour, minute, second, ms);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second, ms);
}

/** The fields of a wall time. */
export function fieldsOf(wall: number): Fields {
  const d = new Date(wall);
  return [
    d.getUTCFullYear(),
    d.getUTCMonth() + 1,
    d.getUTCDate(),
    d.getUTCHours(),
    d.getUTCMinutes(),
    d.getUTCSeconds(),
    d.getUTCMilliseconds(),
  ];
}

/** The wall time `months` months later; on the last day of a month that is too short. */
export function addMonths(wall: number, months: number): number {
  if (months === 0) return wall;
  const date = new Date(wall);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months);
  // A day that the month does not have leads into the next one.
  return date.getUTCDate() === day ? date.getTime() : date.setUTCDate(0);
}

/** Number of days of a month. */
export function daysIn(year: number, month: number): number {
  return new Date(wallOf([year, month + 1, 0, 0, 0, 0, 0])).getUTCDate();
}

/** Checks the fields. @throws ValueError naming the wrong one */
export function checkFields(fields: Fields): void {
  fields.forEach((value, i) => {
    const [name, low, high] = BORDERS[i];
    if (value < low || value > high)
      fail(Errors.ValueError, `no such date: ${name} must be from ${low} to ${high}, got ${value}`);
  });
  const [year, month, day] = fields;
  if (day > daysIn(year, month))
    fail(
      Errors.ValueError,
      `no such date: ${pad(year, 4)}-${pad(month, 2)} has ${daysIn(year, month)} days, got day ${day}`,
    );
}

/** Days since the epoch. */
export function dayNumber(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) / DAY_MS;
}

/** Day of the week of a wall time; 0 is Sunday. */
export function weekdayOf(wall: number): number {
  return new Date(wall).getUTCDay();
}

/** Day of the year; 1 is the first of January. */
export function dayOfYear([year, month, day]: Fields): number {
  return dayNumber(year, month, day) - dayNumber(year, 1, 1) + 1;
}

/** Week according to ISO 8601: weeks start on Monday and belong to the year that contains their Thursday. */
export function isoWeek([year, month, day]: Fields): { year: number; week: number } {
  const today = dayNumber(year, month, day);
  const thursday = today - ((weekdayOf(today * DAY_MS) + 6) % 7) + 3;
  const weekYear = new Date(thursday * DAY_MS).getUTCFullYear();
  return { year: weekYear, week: Math.floor((thursday - dayNumber(weekYear, 1, 1)) / 7) + 1 };
}

/** Wall time of the Monday of a year's first week according to ISO 8601. */
export function firstMonday(year: number): number {
  const fourth = dayNumber(year, 1, 4);
  return (fourth - ((weekdayOf(fourth * DAY_MS) + 6) % 7)) * DAY_MS;
}

/** A number with leading zeros. */
export function pad(n: number, width: number): string {
  return String(n).padStart(width, '0');
}

/** An offset in seconds as `+01:00`, with any separator, optionally with seconds. */
export function offsetText(offset: number, separator: string, withSeconds = false): string {
  const size = Math.abs(offset);
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60];
  return (
    (offset < 0 ? '-' : '+') +
    parts
      .slice(0, withSeconds ? 3 : 2)
      .map((part) => pad(part, 2))
      .join(separator)
  );
}

/** Offset in seconds of a zone text: `Z`, `UTC`, `GMT`, `+01:00`, `+0100`, `+01`. @throws ValueError */
export function offsetOf(text: string): number {
  const [, sign, hours, minutes = '0', seconds = '0'] = /^([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59)
    fail(Errors.ValueError, `no such time zone: ${text}`);
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}
