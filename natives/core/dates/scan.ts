import { Errors, fail } from '../../../vm/values/error.js';
import { quote } from '../../../vm/values/text/text.js';
import type { DateValue } from './date.js';
import { offsetOf } from './calendar.js';
import { COMPOSITES, monthNumber, weekdayNumber } from './calendarnames.js';
import { MAX_TEXT } from './dateparse.js';
import { dateOfParts, msOf, type Parts } from './parts.js';
import { LOCAL } from './zone.js';

/**
 * A directive of a format: the characters it matches, a function that stores them, which returns false if they mean
 * nothing, and what messages call them.
 */
type Reader = readonly [pattern: RegExp, store: (parts: Parts, text: string) => boolean | void, what: string];

const NAME = /[A-Za-z]+/y;
const ONE = /\d/y;
const TWO = / ?\d{1,2}/y;
const FOUR = /\d{4}/y;

function number(pattern: RegExp, field: keyof Parts, what: string): Reader {
  return [
    pattern,
    (parts, text) => {
      (parts[field] as number) = Number(text);
    },
    what,
  ];
}

const month: Reader = [NAME, (parts, text) => (parts.month = monthNumber(text)) > 0, 'the name of a month'];
const weekday: Reader = [NAME, (parts, text) => (parts.weekday = weekdayNumber(text)) >= 0, 'the name of a weekday'];
const half: Reader = [
  /[AP]M/iy,
  (parts, text) => {
    parts.afternoon = /p/i.test(text);
  },
  'AM or PM',
];
const fraction: Reader = [
  /\d{1,9}/y,
  (parts, text) => {
    parts.ms = msOf(text);
  },
  'the fraction of a second',
];
const hour = number(TWO, 'hour', 'an hour');
const day = number(TWO, 'day', 'a day');
const blank: Reader = [/\s+/y, () => {}, 'a blank'];

const READERS: Readonly<Record<string, Reader>> = {
  Y: number(FOUR, 'year', 'a year of four digits'),
  C: number(/\d\d/y, 'century', 'a century of two digits'),
  y: number(/\d\d/y, 'yearOfCentury', 'a year of two digits'),
  m: number(TWO, 'month', 'a month'),
  d: day,
  e: day,
  j: number(/\d{1,3}/y, 'yearDay', 'a day of the year'),
  H: hour,
  k: hour,
  I: hour,
  l: hour,
  M: number(TWO, 'minute', 'a minute'),
  S: number(TWO, 'second', 'a second'),
  L: fraction,
  N: fraction,
  s: number(/-?\d{1,12}/y, 'epoch', 'a number of seconds'),
  G: number(FOUR, 'weekYear', 'a year of four digits'),
  g: [
    /\d\d/y,
    (parts, text) => {
      parts.weekYear = Number(text) + (Number(text) < 69 ? 2000 : 1900);
    },
    'a year of two digits',
  ],
  V: number(TWO, 'week', 'a week'),
  U: number(TWO, 'sundayWeek', 'a week'),
  W: number(TWO, 'mondayWeek', 'a week'),
  u: [ONE, (parts, text) => (parts.weekday = Number(text)) >= 1 && Number(text) <= 7, 'a weekday from 1 to 7'],
  w: [ONE, (parts, text) => (parts.weekday = Number(text)) <= 6, 'a weekday from 0 to 6'],
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
    'an offset such as +01:00',
  ],
  Z: [
    /UTC|GMT|Z/iy,
    (parts) => {
      parts.offset = 0;
    },
    'UTC or GMT',
  ],
  n: blank,
  t: blank,
  '%': [/%/y, () => {}, '"%"'],
};

/** Directives, blanks (any number of them matches any number) and other characters of a format. */
const PIECE = /%[-0^#_]*\d*:{0,2}([A-Za-z+%])|(\s+)|([^])/gu;

/** Reads a text by a format, from left to right without backtracking. */
class Scanner {
  private readonly parts: Parts = {};
  private at = 0;

  /** @param caller name of the native in messages */
  constructor(
    private readonly text: string,
    private readonly format: string,
    private readonly caller: string,
  ) {}

  read(): Parts {
    for (const [piece, directive, blanks] of expanded(this.format).matchAll(PIECE)) {
      if (blanks !== undefined) this.at += /^\s*/.exec(this.text.slice(this.at))![0].length;
      else if (directive !== undefined) this.directive(directive, piece);
      else if (this.text.startsWith(piece, this.at)) this.at += piece.length;
      else this.unexpected(quote(piece));
    }
    if (this.at < this.text.length) this.unexpected('the end of the text');
    return this.parts;
  }

  private directive(name: string, piece: string): void {
    if (!Object.hasOwn(READERS, name))
      fail(Errors.ValueError, `${this.caller}(): '${piece}' is not a directive; write %% for a percent sign`);
    const [pattern, store, what] = READERS[name];
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match === null || store(this.parts, match[0]) === false) this.unexpected(`${what} (${piece})`);
    else this.at += match[0].length;
  }

  private unexpected(wanted: string): never {
    const [got] = /^(?:\d+|\p{L}+|[^])/u.exec(this.text.slice(this.at)) ?? [];
    // Characters are counted as programs count them.
    const place = [...this.text.slice(0, this.at)].length + 1;
    fail(
      Errors.ValueError,
      `${this.caller}(): ${quote(this.text)} is not a date of the format ${quote(this.format)}: expected ${wanted} at character ${place}, got ${got === undefined ? 'the end of the text' : quote(got)}`,
    );
  }
}

/** Parses a date in a format of strptime's directives. @throws ValueError, OverflowError */
export function scanDate(text: string, format: string, zone = LOCAL, caller = 'date_parse'): DateValue {
  if (text.length > MAX_TEXT || format.length > MAX_TEXT)
    fail(Errors.ValueError, `${caller}(): text and format must not be longer than ${MAX_TEXT} characters`);
  return dateOfParts(new Scanner(text, format, caller).read(), zone);
}

function expanded(format: string): string {
  return format.replace(/%([A-Za-z+%])/g, (directive, name: string) =>
    Object.hasOwn(COMPOSITES, name) ? COMPOSITES[name] : directive,
  );
}
