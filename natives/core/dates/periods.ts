import { Errors, fail } from '../../../vm/values/error.js';
import type { Hash } from '../../../vm/values/hash.js';
import { quote, toText } from '../../../vm/values/text/text.js';
import { isInteger } from '../../../vm/values/value.js';
import { nearest } from '../../../vm/bytecode/nearest.js';
import { addMonths, BORDERS, DAY_MS, fieldsOf, HOUR_MS, wallOf, weekdayOf, type Fields } from './calendar.js';
import { dateOf, type DateValue } from './date.js';
import { DurationValue } from './duration.js';

/** Periods of the calendar: the wall time of their start, and of the start of the next one. */
const PERIODS = {
  day: [(wall: number) => wall, (start: number) => start + DAY_MS],
  week: [(wall: number) => wall - ((weekdayOf(wall) + 6) % 7) * DAY_MS, (start: number) => start + 7 * DAY_MS],
  month: [(wall: number) => inMonth(wall, 1), (start: number) => addMonths(start, 1)],
  quarter: [(wall: number) => inMonth(wall, 3), (start: number) => addMonths(start, 3)],
  year: [(wall: number) => inMonth(wall, 12), (start: number) => addMonths(start, 12)],
} as const;
export type Period = keyof typeof PERIODS;
export const PERIOD_NAMES = Object.keys(PERIODS) as Period[];

/** The first of the month, or of a group of months. */
function inMonth(wall: number, months: number): number {
  const [year, month] = fieldsOf(wall);
  return wallOf([year, month - ((month - 1) % months), 1, 0, 0, 0, 0]);
}

function startOf(date: DateValue, period: Period): number {
  return PERIODS[period][0](Math.floor(date.wall / DAY_MS) * DAY_MS);
}

/** The first moment of the period that contains a date. */
export function beginningOf(date: DateValue, period: Period): DateValue {
  return date.at(startOf(date, period));
}

/** The last millisecond of the period that contains a date. */
export function endOf(date: DateValue, period: Period): DateValue {
  const start = startOf(date, period);
  const next = PERIODS[period][1](start);
  // The year after 9999 has no dates.
  return fieldsOf(next)[0] > 9999 ? date.at(next - 1) : date.at(next).addMs(-1);
}

/** The start of the hour, also of one that clocks repeat. */
export function beginningOfHour(date: DateValue): DateValue {
  return date.addMs(-(((date.wall % HOUR_MS) + HOUR_MS) % HOUR_MS));
}

/** The date with some fields changed. @throws ArgumentError, ValueError */
export function withFields(date: DateValue, changes: Hash): DateValue {
  const fields = [...date.fields];
  const names = BORDERS.map(([name]) => name);
  changes.each((key, value) => {
    const name = toText(key);
    const at = names.indexOf(name);
    if (at < 0) {
      const near = nearest(name, names);
      fail(
        Errors.ArgumentError,
        `Date.with() has no parameter ${quote(name)}${near === null ? `; it takes ${names.join(', ')}` : `, did you mean '${near}'?`}`,
      );
    }
    if (!isInteger(value)) fail(Errors.TypeError, `Date.with(): ${name} must be Integer`);
    fields[at] = Number(value);
  });
  return dateOf(fields as unknown as Fields, null, date.zone);
}

/** Largest units of differences, by the names that programs use. */
const LARGEST = ['hours', 'days', 'months'];

/**
 * The duration that, added to `from`, leads to `to`: time that passes, or first as many whole days, or months and days,
 * as fit by the calendar of `from`.
 * @throws ValueError
 */
export function between(from: DateValue, to: DateValue, largest: string): DurationValue {
  if (!LARGEST.includes(largest))
    fail(
      Errors.ValueError,
      `the largest unit of a difference is ${LARGEST.map(quote).join(', ')}, got ${quote(largest.slice(0, 40))}`,
    );
  if (largest === 'hours') return DurationValue.of(0, 0, to.ms - from.ms);
  const wall = to.inZone(from.zone).wall;
  const months = largest === 'months' ? monthsBetween(from.wall, wall) : 0;
  let days = Math.trunc((wall - addMonths(from.wall, months)) / DAY_MS);
  const rest = (): number => to.ms - from.shifted(DurationValue.of(months, days, 0)).ms;
  // Where clocks change, the last day may not be complete.
  if (days !== 0 && rest() * days < 0) days -= Math.sign(days);
  return DurationValue.of(months, days, rest());
}

/** Whole months from one wall time to another. */
function monthsBetween(from: number, to: number): number {
  const [a, b] = [fieldsOf(from), fieldsOf(to)];
  const months = (b[0] - a[0]) * 12 + b[1] - a[1];
  const sign = Math.sign(to - from);
  return (addMonths(from, months) - to) * sign > 0 ? months - sign : months;
}
