import { toDouble } from '../../../vm/values/numbers/arithmetic.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { functions, methodsOf, type Int, type Num } from '../declare.js';
import { DATE, dateOf, DateValue, type Fields, UNITS, wholeOrFloat } from './date.js';
import { formatDate } from './format.js';
import { WEEKDAYS } from './calendarnames.js';
import { parseDate } from './dateparse.js';
import { scanDate } from './scan.js';

type Field = readonly [name: string, doc: string];

// prettier-ignore
const FIELDS: readonly Field[] = [
  ['year', 'The year.'], ['month', 'The month, from 1 to 12.'], ['day', 'The day of the month, from 1.'], ['hour', 'The hour, from 0 to 23.'],
  ['minute', 'The minute, from 0 to 59.'], ['second', 'The second, from 0 to 59.'], ['millisecond', 'The millisecond, from 0 to 999.'],
];

function today(vm: NativeContext): DateValue {
  const [year, month, day] = new DateValue(vm.host.wallClock()).fields;
  return dateOf([year, month, day, 0, 0, 0, 0], null);
}

function fromFields(_vm: unknown, ...fields: Int[]): DateValue {
  return dateOf([...fields.map(Number), 0] as unknown as Fields, null);
}

/** A method that adds a number of units of the given length. */
function adding(
  name: string,
  unit: number,
  doc: string,
): readonly [string, string, string, string, NativeFunction['impl']] {
  return [name, 'n: Number', 'Date', doc, (_: unknown, date: DateValue, n: Num) => date.addMs(toDouble(n) * unit)];
}

// prettier-ignore
const dateMethods = methodsOf('Date', [
  ...FIELDS.map(([name, doc], i) => [name, '', 'Integer', doc, (_: unknown, date: DateValue) => date.fields[i]] as const),
  ['weekday', '', 'Integer', 'The day of the week, from 0 for Sunday to 6.', (_: unknown, date: DateValue) => date.weekday],
  ['weekday_name', '', 'String', 'English name of the day of the week.', (_: unknown, date: DateValue) => WEEKDAYS[date.weekday]],
  ['timestamp to_i', '', 'Integer', 'Whole seconds since the start of 1970 in UTC.', (_: unknown, date: DateValue) => Math.floor(date.ms / 1000)],
  ['format strftime', 'pattern: String = "%Y-%m-%d %H:%M:%S"', 'String', 'Formats the date with the directives of strftime, such as `%d.%m.%Y`.', (_: unknown, date: DateValue, pattern: string) => formatDate(date, pattern)],
  ['add_days', 'n: Number', 'Date', 'The same time of day `n` days later.', (_: unknown, date: DateValue, n: Num) => date.addDays(toDouble(n))],
  adding('add_hours', UNITS.hour, 'The moment `n` hours later.'),
  adding('add_minutes', UNITS.minute, 'The moment `n` minutes later.'),
  adding('add_seconds', UNITS.second, 'The moment `n` seconds later.'),
  ['diff_days', 'other: Date', 'Integer', 'Whole days by the calendar from another date to this one; negative when this one is earlier.', (_: unknown, date: DateValue, other: DateValue) => Math.trunc(date.daysSince(other)) + 0],
  ['diff_seconds', 'other: Date', 'Number', 'Seconds from another date to this one; negative when this one is earlier.', (_: unknown, date: DateValue, other: DateValue) => wholeOrFloat((date.ms - other.ms) / 1000)],
  ['is_before', 'other: Date', 'Boolean', 'Whether the date is before another.', (_: unknown, date: DateValue, other: DateValue) => date.ms < other.ms],
  ['is_after', 'other: Date', 'Boolean', 'Whether the date is after another.', (_: unknown, date: DateValue, other: DateValue) => date.ms > other.ms],
  ['to_s', '', 'String', 'ISO 8601 text with the offset of the time zone; `date_parse` reads it back.', (_: unknown, date: DateValue) => date.describe()],
]);
for (const fn of dateMethods) DATE.methods.set(fn.name, fn);

/** Functions that make dates, and their methods. */
// prettier-ignore
export const dates: readonly NativeFunction[] = [
  ...functions([
    ['now', '', 'Date', 'The current date and time.', (vm: NativeContext) => new DateValue(vm.host.wallClock())],
    ['today', '', 'Date', 'The start of the current day.', today],
    ['date_from', 'year: Integer, month: Integer, day: Integer, hour: Integer = 0, minute: Integer = 0, second: Integer = 0', 'Date', 'A date in the local time zone from its parts; ValueError when it does not exist.', fromFields],
    ['date_parse', 'text: String, format: String? = nil', 'Date', 'The date of a text in ISO 8601 or another common form, or in a given format of strptime; local time unless the text names a zone.', (_: unknown, text: string, format: string | null) => (format === null ? parseDate(text) : scanDate(text, format))],
  ]),
  ...dateMethods,
];

export { DATE };
