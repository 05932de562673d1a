import { Errors, fail } from '../../../vm/values/error.js';
import type { DateValue } from './date.js';
import { offsetOf } from './calendar.js';
import { monthNumber } from './calendarnames.js';
import { dateOfParts, msOf, type Parts } from './parts.js';
import { LOCAL } from './zone.js';

/** Maximum characters of a date text; longer ones are refused before any pattern is tried. */
export const MAX_TEXT = 200;

const MONTH =
  '(?<name>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?';
const WEEKDAY = '(?:(?:Sun|Mon|Tue|Tues|Wed|Wednes|Thu|Thur|Thurs|Fri|Sat|Satur)(?:day)?\\.?,? )?';
const DAY = '(?<day>\\d{1,2})(?:st|nd|rd|th)?';
const TIME =
  '(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,9}))?)?(?: ?(?<half>[AP])\\.?M\\.?)?';
const ZONE = '(?: ?(?<zone>Z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d(?::?\\d\\d)?)?))?';

/** A time after a date without separators. */
const BASIC_TIME = `(?:T(?<hour>\\d\\d):?(?<minute>\\d\\d)(?::?(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,9}))?)?${ZONE})?`;

/** A date form, optionally followed by a time. `10/11/2024` is deliberately missing: day and month are ambiguous. */
function form(date: string, time = `(?:(?:T|,? | at )${TIME}${ZONE})?`): RegExp {
  return new RegExp(`^${date}${time}$`, 'i');
}

// prettier-ignore
const FORMS: readonly RegExp[] = [
  form('(?<year>\\d{4})-(?<month>\\d{1,2})(?:-(?<day>\\d{1,2}))?'),
  form('(?<year>\\d{4})/(?<month>\\d{1,2})/(?<day>\\d{1,2})'),
  form('(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)', BASIC_TIME),
  // Weeks and days of the year as in ISO 8601.
  form('(?<weekYear>\\d{4})-W(?<week>\\d\\d)(?:-(?<weekday>[1-7]))?'),
  form('(?<weekYear>\\d{4})W(?<week>\\d\\d)(?<weekday>[1-7])?', BASIC_TIME),
  form('(?<year>\\d{4})-(?<yearDay>\\d{3})'),
  form('(?<year>\\d{4})(?<yearDay>\\d{3})', BASIC_TIME),
  form('(?<day>\\d{1,2})\\.(?<month>\\d{1,2})\\.(?<year>\\d{4})'),
  form(`${WEEKDAY}${DAY}[ -]${MONTH},?[ -](?<year>\\d{4})`),
  form(`${WEEKDAY}${MONTH} ${DAY},? (?<year>\\d{4})`),
  // The form written by C's asctime.
  form(`${WEEKDAY}${MONTH} ${DAY}`, ` ${TIME}(?: (?:UTC|GMT))? (?<year>\\d{4})`),
];

type Groups = Record<string, string | undefined>;

function optional(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function toParts({ year, month, name, day, hour, minute, second, fraction, half, zone, ...rest }: Groups): Parts {
  return {
    year: optional(year),
    weekYear: optional(rest.weekYear),
    week: optional(rest.week),
    weekday: optional(rest.weekday),
    yearDay: optional(rest.yearDay),
    month: name === undefined ? optional(month) : monthNumber(name),
    day: optional(day),
    hour: optional(hour),
    minute: optional(minute),
    second: optional(second),
    ms: fraction === undefined ? undefined : msOf(fraction),
    afternoon: half === undefined ? undefined : half.toUpperCase() === 'P',
    offset: zone === undefined ? undefined : offsetOf(zone),
  };
}

/**
 * Parses a date in ISO 8601 or another unambiguous form; `caller` is the name of the native in messages. @throws
 * ValueError, OverflowError
 */
export function parseDate(text: string, zone = LOCAL, caller = 'date_parse'): DateValue {
  const plain = text.length > MAX_TEXT ? '' : text.trim().replace(/\s+/g, ' ');
  for (const pattern of FORMS) {
    const groups = pattern.exec(plain)?.groups;
    if (groups !== undefined) return dateOfParts(toParts(groups), zone);
  }
  const shown = text.length > MAX_TEXT ? `a text of ${text.length} characters` : JSON.stringify(text);
  const hint = /^\d{1,2}[/-]\d{1,2}[/-]\d+/.test(plain)
    ? '; the order of its parts is ambiguous; give the format: "%d/%m/%Y"'
    : '';
  return fail(
    Errors.ValueError,
    `${caller}(): ${shown} is not a date${hint || ', such as "2024-02-28" or "2024-02-28T10:30:00Z"'}`,
  );
}
