import { Errors, fail } from '../../../vm/values/error.js';
import { checkText } from '../limits.js';
import { dayOfYear, isoWeek, offsetText, pad } from './calendar.js';
import type { DateValue } from './date.js';
import { COMPOSITES, MONTHS, WEEKDAYS } from './calendarnames.js';
import { LOCAL, UTC } from './zone.js';

/** Maximum width of a directive. */
const MAX_WIDTH = 1000;

const DIRECTIVE = /%([-0^#_]*)(\d*)(:{0,2}z|[A-Za-z+%])/g;

/** A numeric directive: its value, padding character and width. */
type Numeric = readonly [value: (date: DateValue) => number, fill: '0' | ' ', width: number];

const NUMERIC: Readonly<Record<string, Numeric>> = {
  Y: [({ fields }) => fields[0], '0', 4],
  C: [({ fields }) => Math.floor(fields[0] / 100), '0', 2],
  y: [({ fields }) => fields[0] % 100, '0', 2],
  m: [({ fields }) => fields[1], '0', 2],
  d: [({ fields }) => fields[2], '0', 2],
  e: [({ fields }) => fields[2], ' ', 2],
  j: [({ fields }) => dayOfYear(fields), '0', 3],
  H: [({ fields }) => fields[3], '0', 2],
  k: [({ fields }) => fields[3], ' ', 2],
  I: [({ fields }) => half(fields[3]), '0', 2],
  l: [({ fields }) => half(fields[3]), ' ', 2],
  M: [({ fields }) => fields[4], '0', 2],
  S: [({ fields }) => fields[5], '0', 2],
  u: [({ weekday }) => weekday || 7, '0', 1],
  w: [({ weekday }) => weekday, '0', 1],
  s: [({ ms }) => Math.floor(ms / 1000), '0', 1],
  U: [(date) => weekFrom(date, 0), '0', 2],
  W: [(date) => weekFrom(date, 1), '0', 2],
  V: [(date) => isoWeek(date.fields).week, '0', 2],
  G: [(date) => isoWeek(date.fields).year, '0', 4],
  g: [(date) => isoWeek(date.fields).year % 100, '0', 2],
};

const TEXTUAL: Readonly<Record<string, (date: DateValue) => string>> = {
  B: ({ fields }) => MONTHS[fields[1] - 1],
  b: ({ fields }) => MONTHS[fields[1] - 1].slice(0, 3),
  h: ({ fields }) => MONTHS[fields[1] - 1].slice(0, 3),
  A: ({ weekday }) => WEEKDAYS[weekday],
  a: ({ weekday }) => WEEKDAYS[weekday].slice(0, 3),
  p: ({ fields }) => (fields[3] < 12 ? 'AM' : 'PM'),
  P: ({ fields }) => (fields[3] < 12 ? 'am' : 'pm'),
  Z: zoneName,
  z: ({ offset }) => offsetText(offset, ''),
  ':z': ({ offset }) => offsetText(offset, ':'),
  '::z': ({ offset }) => offsetText(offset, ':', true),
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
};

function half(hour: number): number {
  return hour % 12 || 12;
}

/** Week of the year. Week 1 starts at the year's first `weekday`; the days before it are in week 0. */
function weekFrom(date: DateValue, weekday: number): number {
  return Math.floor((dayOfYear(date.fields) + 6 - ((date.weekday - weekday + 7) % 7)) / 7);
}

/**
 * The platform's short name of the zone at that moment, such as `UTC`, `CET`, `EST`; its offset if there is none.
 */
function zoneName({ ms, offset, zone }: DateValue): string {
  if (zone === UTC) return 'UTC';
  if (/^[+-]/.test(zone.name)) return zone.name;
  const timeZone = zone === LOCAL ? undefined : zone.name;
  // Each locale knows only the short names of its own region, and writes GMT+1 for others.
  for (const locale of ['en-US', 'en-GB', 'en-AU', 'en-IN']) {
    const name = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })
      .formatToParts(ms)
      .find(({ type }) => type === 'timeZoneName')?.value;
    if (name !== undefined && !/\d/.test(name)) return name;
  }
  return offsetText(offset, ':');
}

/** Milliseconds as the first digits of a fraction of a second. */
function fraction(ms: number, digits: number): string {
  return pad(ms, 3).padEnd(digits, '0').slice(0, digits);
}

/** Formats a date with strftime's directives, as in Ruby. @throws ValueError for unknown ones */
export function formatDate(date: DateValue, pattern: string): string {
  const text = pattern.replace(DIRECTIVE, (directive, flags: string, width: string, name: string) => {
    if (Number(width) > MAX_WIDTH)
      fail(Errors.ValueError, `Date.format(): '${directive}' is wider than ${MAX_WIDTH} characters`);
    if (name === 'L' || name === 'N') return fraction(date.fields[6], Number(width) || (name === 'L' ? 3 : 9));
    if (Object.hasOwn(NUMERIC, name)) return numberText(NUMERIC[name], date, flags, Number(width));
    return styled(textOf(date, name, directive), flags, Number(width));
  });
  checkText(text.length);
  return text;
}

function numberText([value, fill, width]: Numeric, date: DateValue, flags: string, wanted: number): string {
  if (flags.includes('-')) return String(value(date));
  const character = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : fill;
  return String(value(date)).padStart(wanted || width, character);
}

function textOf(date: DateValue, name: string, directive: string): string {
  if (Object.hasOwn(COMPOSITES, name)) return formatDate(date, COMPOSITES[name]);
  if (Object.hasOwn(TEXTUAL, name)) return TEXTUAL[name](date);
  return fail(Errors.ValueError, `Date.format(): '${directive}' is not a directive; write %% for a percent sign`);
}

function styled(text: string, flags: string, width: number): string {
  const cased = flags.includes('^') ? text.toUpperCase() : flags.includes('#') ? swapped(text) : text;
  return cased.padStart(width, flags.includes('0') ? '0' : ' ');
}

/** Swaps the letter case: upper case becomes lower case, anything else upper case. */
function swapped(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
}
