import { Hash } from '../../../vm/values/hash.js';
import type { Natives } from '../../../vm/values/methodgroup.js';
import { toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { Float } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { functions, methodGroup, type Num, type Row } from '../declare.js';
import { clamp } from '../numbers/maths.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './calendar.js';
import { DateValue } from './date.js';
import { DURATION, DurationValue, MONTH_MS, UNITS, wholeOrFloat, type Unit } from './duration.js';
import { parseDuration } from './durationparse.js';

/** A Duration of seconds, of a text, or itself. @throws ValueError */
function toDuration(value: string | Num | DurationValue): DurationValue {
  if (value instanceof DurationValue) return value;
  return typeof value === 'string' ? parseDuration(value) : DurationValue.ofParts([['second', toDouble(value)]]);
}

/** What a unit is, where that is not obvious. */
const NOTES: Partial<Record<Unit, string>> = {
  year: ', by the calendar',
  month: ', by the calendar; ValueError for fractions of a month',
  week: ', by the calendar',
  day: ', by the calendar: at the same time of day, even if the clocks change in between',
};

/** `5.minutes` and `1.minute` for all units. */
const numberRows = (Object.keys(UNITS) as Unit[]).map((unit): Row => [
  `${unit}s ${unit}`,
  '',
  'Duration',
  `A Duration of this many ${unit}s${NOTES[unit] ?? ''}.`,
  (_: unknown, n: Num) => DurationValue.ofParts([[unit, toDouble(n)]]),
]);

/** Units to which durations are converted, in milliseconds. */
const LENGTHS: readonly (readonly [unit: string, length: number, note: string])[] = [
  ['seconds', SECOND_MS, ''],
  ['minutes', MINUTE_MS, ''],
  ['hours', HOUR_MS, ''],
  ['days', DAY_MS, ' of 24 hours'],
  ['weeks', 7 * DAY_MS, ' of 7 days'],
  ['months', MONTH_MS, ' of average length'],
  ['years', 12 * MONTH_MS, ' of average length'],
];

function inUnits([unit, length, note]: (typeof LENGTHS)[number]): Row {
  const doc = `The whole duration in ${unit}${note}.`;
  return [`in_${unit}`, '', 'Number', doc, (_: unknown, d: DurationValue) => wholeOrFloat(d.length / length)];
}

function moved(vm: NativeContext, by: DurationValue, from: DateValue | null): DateValue {
  return (from ?? new DateValue(vm.host.wallClock())).shifted(by);
}

const make = functions([
  [
    'Duration',
    'value: String|Number|Duration',
    'Duration',
    'A duration of a text, such as "P1Y2M10DT2H30M", "2 hours 30 minutes" or "2h 30m", or of a number of seconds. ValueError for other texts.',
    (_: unknown, value: string | Num | DurationValue) => toDuration(value),
  ],
]);

// prettier-ignore
const durationMethods = methodGroup('Duration', () => [
  ...LENGTHS.map(inUnits),
  ['to_i', '', 'Integer', 'The whole duration in seconds, without a fraction.', (_: unknown, d: DurationValue) => Math.trunc(d.seconds) + 0],
  ['to_f', '', 'Float', 'The whole duration in seconds.', (_: unknown, d: DurationValue) => new Float(d.seconds)],
  ['parts', '', 'Hash', 'What it consists of, by unit: `years`, `months`, `days`, `hours`, `minutes` and `seconds`.', (_: unknown, d: DurationValue) => Hash.from(d.parts.map(([unit, amount]) => [`${unit}s`, wholeOrFloat(amount)]))],
  ['ago before', 'date: Date? = nil', 'Date', 'The moment earlier than now, or than a date, by this duration.', (vm: NativeContext, d: DurationValue, date: DateValue | null) => moved(vm, d.negated(), date)],
  ['from_now after', 'date: Date? = nil', 'Date', 'The moment later than now, or than a date, by this duration.', (vm: NativeContext, d: DurationValue, date: DateValue | null) => moved(vm, d, date)],
  ['abs', '', 'Duration', 'The duration without its sign.', (_: unknown, d: DurationValue) => (d.length < 0 ? d.negated() : d)],
  ['clamp', 'low: Duration, high: Duration', 'Duration', 'The duration limited to the range from `low` to `high`.', (_: unknown, d: DurationValue, low: DurationValue, high: DurationValue) => clamp(d, low, high)],
  ['zero?', '', 'Boolean', 'Whether the duration is 0.', (_: unknown, d: DurationValue) => d.length === 0],
  ['positive?', '', 'Boolean', 'Whether the duration is longer than 0.', (_: unknown, d: DurationValue) => d.length > 0],
  ['negative?', '', 'Boolean', 'Whether the duration is shorter than 0.', (_: unknown, d: DurationValue) => d.length < 0],
  ['iso8601', '', 'String', 'ISO 8601 text, such as `PT1H30M`; `Duration` reads it back.', (_: unknown, d: DurationValue) => d.iso()],
  ['to_s', '', 'String', 'Text such as `2 hours 30 minutes`; `Duration` reads it back.', (_: unknown, d: DurationValue) => d.describe()],
]);
DURATION.add(durationMethods);
[DURATION.make] = make;

/** The type, which makes durations when it is called, their methods, and those of numbers that make them. */
export const durations: Natives = [
  ...make,
  methodGroup('Integer', () => numberRows),
  methodGroup('Float', () => numberRows),
  durationMethods,
];

export { DURATION };
