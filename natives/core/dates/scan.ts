import { Errors, fail } from '../../../vm/values/error.js';
import type { DateValue } from './date.js';
import { COMPOSITES, monthNumber } from './calendarnames.js';
import { MAX_TEXT } from './dateparse.js';
import { dateOfParts, msOf, offsetOf, type Parts } from './parts.js';

/** A directive of a format: the characters it matches, and a function that stores them. */
type Reader = readonly [pattern: RegExp, store: (parts: Parts, text: string) => void];

const NAME = /[A-Za-z]+/y;
const month: Reader = [
  NAME,
  (parts, text) => {
    parts.month = monthNumber(text);
  },
];
const weekday: Reader = [NAME, () => {}];
const half: Reader = [
  /[AP]M/iy,
  (parts, text) => {
    parts.afternoon = /p/i.test(text);
  },
];

function number(pattern: RegExp, field: keyof Parts): Reader {
  return [
    pattern,
    (parts, text) => {
      (parts[field] as number) = Number(text);
    },
  ];
}

const TWO = / ?\d{1,2}/y;

const READERS: Readonly<Record<string, Reader>> = {
  Y: number(/\d{4}/y, 'year'),
  // As in POSIX: 69 to 99 are in the 20th century.
  y: [
    /\d\d/y,
    (parts, text) => {
      parts.year = Number(text) + (Number(text) < 69 ? 2000 : 1900);
    },
  ],
  m: number(TWO, 'month'),
  d: number(TWO, 'day'),
  e: number(TWO, 'day'),
  H: number(TWO, 'hour'),
  k: number(TWO, 'hour'),
  I: number(TWO, 'hour'),
  l: number(TWO, 'hour'),
  M: number(TWO, 'minute'),
  S: number(TWO, 'second'),
  L: [
    /\d{1,9}/y,
    (parts, text) => {
      parts.ms = msOf(text);
    },
  ],
  N: [
    /\d{1,9}/y,
    (parts, text) => {
      parts.ms = msOf(text);
    },
  ],
  s: number(/-?\d{1,12}/y, 'epoch'),
  j: [
    /\d{1,3}/y,
    (parts, text) => {
      [parts.month, parts.day] = dayOfYear(parts.year, Number(text));
    },
  ],
  B: month,
  b: month,
  h: month,
  A: weekday,
  a: weekday,
  p: half,
  P: half,
  z: [
    /Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?/iy,
    (parts, text) => {
      parts.offset = offsetOf(text);
    },
  ],
  Z: [
    /UTC|GMT|Z/iy,
    (parts) => {
      parts.offset = 0;
    },
  ],
  '%': [/%/y, () => {}],
};

function dayOfYear(year: number | undefined, day: number): [month: number, day: number] {
  const date = new Date(0);
  date.setUTCFullYear(year ?? new Date().getFullYear(), 0, day);
  // Day 0, or 366 of a common year, is in another year: return a day that no month has, which `checkFields` refuses.
  return date.getUTCFullYear() === (year ?? new Date().getFullYear())
    ? [date.getUTCMonth() + 1, date.getUTCDate()]
    : [1, day];
}

/** Directives, blanks (any number of them matches any number) and other characters of a format. */
const PIECE = /%[-0^#_]*\d*:{0,2}([A-Za-z+%])|(\s+)|([^])/g;

/** Parses a date in a format of strptime's directives, from left to right without backtracking. @throws ValueError */
export function scanDate(text: string, format: string): DateValue {
  if (text.length > MAX_TEXT || format.length > MAX_TEXT)
    fail(Errors.ValueError, `date_parse(): text and format must not be longer than ${MAX_TEXT} characters`);
  const parts: Parts = {};
  let at = 0;
  for (const [piece, directive, blank] of expanded(format).matchAll(PIECE)) {
    if (blank !== undefined) at += /^\s*/.exec(text.slice(at))![0].length;
    else at = directive === undefined ? literal(text, at, piece) : read(parts, text, at, directive, piece);
    if (at < 0) break;
  }
  if (at !== text.length || parts.month === 0)
    fail(
      Errors.ValueError,
      `date_parse(): ${JSON.stringify(text)} is not a date of the format ${JSON.stringify(format)}`,
    );
  return dateOfParts(parts);
}

function expanded(format: string): string {
  return format.replace(/%([A-Za-z+%])/g, (directive, name: string) =>
    Object.hasOwn(COMPOSITES, name) ? COMPOSITES[name] : directive,
  );
}

function literal(text: string, at: number, character: string): number {
  return text.startsWith(character, at) ? at + character.length : -1;
}

/** Reads a directive at `at`. Returns the offset after it, or −1 when it does not match. */
function read(parts: Parts, text: string, at: number, name: string, piece: string): number {
  if (!Object.hasOwn(READERS, name))
    return fail(Errors.ValueError, `date_parse(): '${piece}' is not a directive; write %% for a percent sign`);
  const [pattern, store] = READERS[name];
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) return -1;
  store(parts, match[0]);
  return at + match[0].length;
}
