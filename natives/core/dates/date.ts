import { Errors, fail } from '../../../vm/values/error.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Float, isNumber, type Value } from '../../../vm/values/value.js';
import { toDouble } from '../../../vm/values/numbers/arithmetic.js';
import type { Num } from '../declare.js';

export const DATE = new HandleType('Date');

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

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
const BORDERS: readonly (readonly [name: string, low: number, high: number])[] = [
  ['year', 1, 9999], ['month', 1, 12], ['day', 1, 31], ['hour', 0, 23], ['minute', 0, 59], ['second', 0, 59], ['millisecond', 0, 999],
];

/** A moment as seen by programs, to the millisecond; its fields are in the process's time zone. Immutable. */
export class DateValue extends Handle {
  private readonly local: Date;

  /** @throws OverflowError outside the years 1 to 9999 */
  constructor(ms: number) {
    super();
    this.local = new Date(Math.round(ms));
    const year = this.local.getFullYear();
    if (!(year >= 1 && year <= 9999)) fail(Errors.OverflowError, 'the date would be outside the years 1 to 9999');
  }

  get type(): HandleType {
    return DATE;
  }

  /** Milliseconds since the epoch. */
  get ms(): number {
    return this.local.getTime();
  }

  get fields(): Fields {
    const d = this.local;
    return [
      d.getFullYear(),
      d.getMonth() + 1,
      d.getDate(),
      d.getHours(),
      d.getMinutes(),
      d.getSeconds(),
      d.getMilliseconds(),
    ];
  }

  /** 0 is Sunday. */
  get weekday(): number {
    return this.local.getDay();
  }

  /** Seconds by which local time is ahead of UTC. */
  get offset(): number {
    return (this.wall - this.ms) / 1000;
  }

  /** Milliseconds since the epoch if the fields were in UTC. On this scale all days are equally long. */
  private get wall(): number {
    return wallOf(this.fields);
  }

  override describe(): string {
    const [year, month, day, hour, minute, second, ms] = this.fields;
    const fraction = ms === 0 ? '' : `.${pad(ms, 3)}`;
    return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction}${zoneText(this.offset)}`;
  }

  /** The JSON form: ISO 8601. */
  toJsonValue(): Value {
    return this.describe();
  }

  override equals(other: object): boolean {
    return other instanceof DateValue && other.ms === this.ms;
  }

  override equalityKey(): string | null {
    return Number.isNaN(this.ms) ? null : String(this.ms);
  }

  override compare(other: Handle): number | null {
    return other instanceof DateValue ? Math.sign(this.ms - other.ms) : null;
  }

  override plus(other: Value): Value | null {
    return isNumber(other) ? this.addDays(toDouble(other)) : null;
  }

  override minus(other: Value): Value | null {
    if (isNumber(other)) return this.addDays(-toDouble(other));
    return other instanceof DateValue ? wholeOrFloat(this.daysSince(other)) : null;
  }

  /** The same time of day `days` days later; a fraction of a day is added as hours. */
  addDays(days: number): DateValue {
    const whole = Math.trunc(days);
    const moved = new Date(this.ms);
    moved.setDate(moved.getDate() + whole);
    return new DateValue(moved.getTime() + (days - whole) * DAY_MS);
  }

  addMs(ms: number): DateValue {
    return new DateValue(this.ms + ms);
  }

  /** Days from `other` to this date by the calendar; a day on which the clocks change counts as one. */
  daysSince(other: DateValue): number {
    return (this.wall - other.wall) / DAY_MS;
  }
}

/** Converts a whole number to an Integer, any other to a Float. */
export function wholeOrFloat(n: number): Num {
  return Number.isSafeInteger(n) ? n + 0 : new Float(n);
}

/** A number with leading zeros. */
export function pad(n: number, width: number): string {
  return String(n).padStart(width, '0');
}

/** An offset as `+01:00`, with any separator, optionally with seconds. */
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

/** `Z` or the offset; historical zones include seconds. */
function zoneText(offset: number): string {
  return offset === 0 ? 'Z' : offsetText(offset, ':', offset % 60 !== 0);
}

// Date.UTC and `new Date` map years below 100 to the 20th century; the setters do not.
function wallOf([year, month, day, hour, minute, second, ms]: Fields): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second, ms);
}

/** Milliseconds of a local time. A time skipped by a clock change yields the moment as much later. */
function localMs([year, month, day, hour, minute, second, ms]: Fields): number {
  const date = new Date(2000, 0, 1);
  date.setFullYear(year, month - 1, day);
  return date.setHours(hour, minute, second, ms);
}

function daysIn(year: number, month: number): number {
  return new Date(wallOf([year, month + 1, 0, 0, 0, 0, 0])).getUTCDate();
}

/** Checks the fields. @throws ValueError naming the wrong one */
function checkFields(fields: Fields): void {
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

/** The moment with these fields, in local time or in a zone `offset` seconds ahead of UTC. @throws ValueError */
export function dateOf(fields: Fields, offset: number | null): DateValue {
  checkFields(fields);
  return new DateValue(offset === null ? localMs(fields) : wallOf(fields) - offset * 1000);
}

/** Milliseconds of a second, a minute and an hour. */
export const UNITS = { second: 1000, minute: MINUTE_MS, hour: 60 * MINUTE_MS } as const;
