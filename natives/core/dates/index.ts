import { toDouble } from '../../../vm/values/numbers/arithmetic.js';
import type { Natives } from '../../../vm/values/methodgroup.js';
import type { Hash } from '../../../vm/values/hash.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { functions, methodGroup, methodsOf, type Int, type Num, type Row } from '../declare.js';
import { BORDERS, dayOfYear, daysIn, HOUR_MS, isoWeek, MINUTE_MS, SECOND_MS, type Fields } from './calendar.js';
import { DATE, dateOf, DateValue } from './date.js';
import { DurationValue, wholeOrFloat } from './duration.js';
import { DURATION, durations } from './durations.js';
import { formatDate } from './format.js';
import { WEEKDAYS } from './calendarnames.js';
import { parseDate } from './dateparse.js';
import { beginningOf, beginningOfHour, between, endOf, PERIOD_NAMES, withFields, type Period } from './periods.js';
import { scanDate } from './scan.js';
import { LOCAL, UTC, zoneOf } from './zone.js';

const FIELD_DOCS = [
  'The year.',
  'The month, from 1 to 12.',
  'The day of the month, from 1.',
  'The hour, from 0 to 23.',
  'The minute, from 0 to 59.',
  'The second, from 0 to 59.',
  'The millisecond, from 0 to 999.',
];

/** The current moment in a zone, the local one if it is null. */
function current(vm: NativeContext, zone: string | null = null): DateValue {
  return new DateValue(vm.host.wallClock(), zoneOf(zone));
}

function today(vm: NativeContext, zone: string | null = null): DateValue {
  return beginningOf(current(vm, zone), 'day');
}

function fromFields(zone: string | null, fields: Int[]): DateValue {
  return dateOf([...fields.map(Number), 0] as unknown as Fields, null, zoneOf(zone));
}

function parsed(text: string, format: string | null, zone: string | null, caller: string): DateValue {
  return format === null ? parseDate(text, zoneOf(zone), caller) : scanDate(text, format, zoneOf(zone), caller);
}

/** ISO 8601 with the given number of decimals of the second; nil for as many as are needed. */
function iso(date: DateValue, digits: Int | null): string {
  return digits === null ? date.describe() : date.iso(Math.max(0, Math.min(Number(digits), 9)));
}

/** A method that adds a number of units of the given length. */
function adding(name: string, unit: number, doc: string): Row {
  return [name, 'n: Number', 'Date', doc, (_: unknown, date: DateValue, n: Num) => date.addMs(toDouble(n) * unit)];
}

function bounds(period: Period): Row[] {
  const start = period === 'week' ? 'week, which starts on Monday' : period;
  // prettier-ignore
  return [
    [`beginning_of_${period}`, '', 'Date', `The first moment of the ${start}.`, (_: unknown, date: DateValue) => beginningOf(date, period)],
    [`end_of_${period}`, '', 'Date', `The last millisecond of the ${start}.`, (_: unknown, date: DateValue) => endOf(date, period)],
  ];
}

/** `next_day(n)` and `prev_day(n)`: what `months` and `days` say, n times. */
function steps(unit: string, months: number, days: number): Row[] {
  const row = (name: string, sign: number, when: string): Row => [
    `${name}_${unit}`,
    'n: Integer = 1',
    'Date',
    `The same time of day ${months > 0 ? `and, if the month has it, the same day, ` : ''}\`n\` ${unit}s ${when}.`,
    (_: unknown, date: DateValue, n: Int) =>
      date.shifted(DurationValue.of(months * sign * Number(n), days * sign * Number(n), 0)),
  ];
  return [row('next', 1, 'later'), row('prev', -1, 'earlier')];
}

// prettier-ignore
const dateMethods = methodGroup('Date', () => [
  ...BORDERS.map(([name], i): Row => [name, '', 'Integer', FIELD_DOCS[i], (_: unknown, date: DateValue) => date.fields[i]]),
  ['weekday', '', 'Integer', 'The day of the week, from 0 for Sunday to 6.', (_: unknown, date: DateValue) => date.weekday],
  ['weekday_name', '', 'String', 'English name of the day of the week.', (_: unknown, date: DateValue) => WEEKDAYS[date.weekday]],
  ['day_of_year yday', '', 'Integer', 'The day of the year, from 1.', (_: unknown, date: DateValue) => dayOfYear(date.fields)],
  ['week', '', 'Integer', 'The week according to ISO 8601, from 1 to 53.', (_: unknown, date: DateValue) => isoWeek(date.fields).week],
  ['days_in_month', '', 'Integer', 'Number of days of the month.', (_: unknown, date: DateValue) => daysIn(date.fields[0], date.fields[1])],
  ['leap_year?', '', 'Boolean', 'Whether the year has 366 days.', (_: unknown, date: DateValue) => daysIn(date.fields[0], 2) === 29],
  ['timestamp to_i', '', 'Integer', 'Whole seconds since the start of 1970 in UTC.', (_: unknown, date: DateValue) => Math.floor(date.ms / 1000)],
  ['in_zone', 'zone: String', 'Date', 'The same moment in another time zone: a name such as "Europe/Berlin", "UTC", "local", or an offset such as "+02:00". ValueError for other names.', (_: unknown, date: DateValue, zone: string) => date.inZone(zoneOf(zone))],
  ['utc', '', 'Date', 'The same moment in UTC.', (_: unknown, date: DateValue) => date.inZone(UTC)],
  ['local', '', 'Date', 'The same moment in the time zone of the computer.', (_: unknown, date: DateValue) => date.inZone(LOCAL)],
  ['zone', '', 'String', 'Name of the time zone.', (_: unknown, date: DateValue) => date.zone.name],
  ['utc_offset', '', 'Integer', 'Seconds by which the clocks of the zone are ahead of UTC.', (_: unknown, date: DateValue) => date.offset],
  ['with', '**fields', 'Date', 'The date with other fields, as in `date.with(day: 1, hour: 9)`; ValueError when it does not exist.', (_: unknown, date: DateValue, fields: Hash) => withFields(date, fields)],
  ...PERIOD_NAMES.flatMap(bounds),
  ['beginning_of_hour', '', 'Date', 'The first moment of the hour.', (_: unknown, date: DateValue) => beginningOfHour(date)],
  ['end_of_hour', '', 'Date', 'The last millisecond of the hour.', (_: unknown, date: DateValue) => beginningOfHour(date).addMs(HOUR_MS - 1)],
  ...steps('day', 0, 1), ...steps('week', 0, 7), ...steps('month', 1, 0), ...steps('year', 12, 0),
  ['format strftime', 'pattern: String = "%Y-%m-%d %H:%M:%S"', 'String', 'Formats the date with the directives of strftime, such as `%d.%m.%Y`.', (_: unknown, date: DateValue, pattern: string) => formatDate(date, pattern)],
  ['iso8601 rfc3339', 'digits: Integer? = nil', 'String', 'ISO 8601 text with the offset of the time zone, and `digits` decimals of the second, up to 9; without `digits` three, or none if they are zeros.', (_: unknown, date: DateValue, digits: Int | null) => iso(date, digits)],
  ['rfc1123 http_date', '', 'String', 'The form of HTTP and RFC 1123, in UTC: `Wed, 28 Feb 2024 10:00:00 GMT`.', (_: unknown, date: DateValue) => formatDate(date.inZone(UTC), '%a, %d %b %Y %H:%M:%S GMT')],
  ['since', 'other: Date, largest: String = "hours"', 'Duration', 'The Duration from another date to this one, in time that passes. `other + date.since(other)` is `date`. With the largest unit "days" or "months" it counts those by the calendar of `other` first.', (_: unknown, date: DateValue, other: DateValue, largest: string) => between(other, date, largest)],
  ['until', 'other: Date, largest: String = "hours"', 'Duration', 'The Duration from this date to another one, as `other.since(date)`.', (_: unknown, date: DateValue, other: DateValue, largest: string) => between(date, other, largest)],
  ['add_days', 'n: Number', 'Date', 'The same time of day `n` days later.', (_: unknown, date: DateValue, n: Num) => date.addDays(toDouble(n))],
  adding('add_hours', HOUR_MS, 'The moment `n` hours later.'),
  adding('add_minutes', MINUTE_MS, 'The moment `n` minutes later.'),
  adding('add_seconds', SECOND_MS, 'The moment `n` seconds later.'),
  ['diff_days', 'other: Date', 'Integer', 'Whole days by the calendar from another date to this one; negative when this one is earlier.', (_: unknown, date: DateValue, other: DateValue) => Math.trunc(date.daysSince(other)) + 0],
  ['diff_seconds', 'other: Date', 'Number', 'Seconds from another date to this one; negative when this one is earlier.', (_: unknown, date: DateValue, other: DateValue) => wholeOrFloat((date.ms - other.ms) / 1000)],
  ['is_before', 'other: Date', 'Boolean', 'Whether the date is before another.', (_: unknown, date: DateValue, other: DateValue) => date.ms < other.ms],
  ['is_after', 'other: Date', 'Boolean', 'Whether the date is after another.', (_: unknown, date: DateValue, other: DateValue) => date.ms > other.ms],
  ['to_s', '', 'String', 'ISO 8601 text with the offset of the time zone; `date_parse` reads it back.', (_: unknown, date: DateValue) => date.describe()],
]);
DATE.add(dateMethods);

// prettier-ignore
const statics = methodsOf('Date', [
  ['parse', 'text: String, format: String? = nil, zone: String? = nil', 'Date', 'As `date_parse`; the date is in the given time zone, which also applies to texts that name none. Of a time that clocks show twice it is the first; a time that they skip is moved by as much as they skip.', (_: unknown, _type: unknown, text: string, format: string | null, zone: string | null) => parsed(text, format, zone, 'Date.parse')],
  ['now', 'zone: String? = nil', 'Date', 'The current date and time, in a time zone.', (vm: NativeContext, _type: unknown, zone: string | null) => current(vm, zone)],
  ['today', 'zone: String? = nil', 'Date', 'The start of the current day, in a time zone.', (vm: NativeContext, _type: unknown, zone: string | null) => today(vm, zone)],
  ['at', 'timestamp: Number, zone: String? = nil', 'Date', 'The moment a number of seconds after the start of 1970 in UTC, in a time zone.', (_: unknown, _type: unknown, timestamp: Num, zone: string | null) => new DateValue(toDouble(timestamp) * 1000, zoneOf(zone))],
]);
for (const fn of statics) DATE.statics.set(fn.name, fn);

const PARTS =
  'year: Integer, month: Integer, day: Integer, hour: Integer = 0, minute: Integer = 0, second: Integer = 0';

const [constructor] = functions([
  [
    'Date',
    `${PARTS}, zone: String? = nil`,
    'Date',
    'A date from its parts, in a time zone; ValueError when it does not exist.',
    (_: unknown, ...args: (Int | string | null)[]) => fromFields(args[6] as string | null, args.slice(0, 6) as Int[]),
  ],
]);
DATE.make = constructor;

/** Functions that make dates and durations, and their methods. */
// prettier-ignore
export const dates: Natives = [
  ...functions([
    ['now', '', 'Date', 'The current date and time.', (vm: NativeContext) => current(vm)],
    ['today', '', 'Date', 'The start of the current day.', (vm: NativeContext) => today(vm)],
    ['date_from', PARTS, 'Date', 'A date in the local time zone from its parts; ValueError when it does not exist.', (_: unknown, ...fields: Int[]) => fromFields(null, fields)],
    ['date_parse', 'text: String, format: String? = nil', 'Date', 'The date of a text in ISO 8601 or another common form, or in a given format of strptime; local time unless the text names a zone.', (_: unknown, text: string, format: string | null) => parsed(text, format, null, 'date_parse')],
  ]),
  constructor,
  ...statics,
  dateMethods,
  ...durations,
];

export { DATE, DURATION };
