import t from 'tap';
import { parseDate } from '../../../../natives/core/dates/dateparse.js';
import { scanDate } from '../../../../natives/core/dates/scan.js';
import { formatDate } from '../../../../natives/core/dates/format.js';
import { DateValue } from '../../../../natives/core/dates/date.js';
import fc from '../../../property.js';
import { shown } from '../support.js';
import { inZone } from './zone.js';

/** Texts and their dates in Berlin. */
const FORMS: [string, string][] = [
  ['2024-02-28', '2024-02-28T00:00:00+01:00'],
  ['2024-2-8', '2024-02-08T00:00:00+01:00'],
  ['2024-02', '2024-02-01T00:00:00+01:00'],
  [' 2024-02-28\n', '2024-02-28T00:00:00+01:00'],
  ['2024-02-28T10:11', '2024-02-28T10:11:00+01:00'],
  ['2024-02-28t10:11:12z', '2024-02-28T11:11:12+01:00'],
  ['2024-07-01 10:11:12.5', '2024-07-01T10:11:12.500+02:00'],
  ['2024-07-01 10:11:12,123456789', '2024-07-01T10:11:12.123+02:00'],
  ['2024-02-28T10:11:12+05:30', '2024-02-28T05:41:12+01:00'],
  ['2024-02-28T10:11:12 -0800', '2024-02-28T19:11:12+01:00'],
  ['2024-02-28T10:11:12-08', '2024-02-28T19:11:12+01:00'],
  ['2024-02-28 10:11 UTC', '2024-02-28T11:11:00+01:00'],
  ['20240228', '2024-02-28T00:00:00+01:00'],
  ['20240228T101112Z', '2024-02-28T11:11:12+01:00'],
  ['20240228T1011', '2024-02-28T10:11:00+01:00'],
  ['2024/2/28 9:05', '2024-02-28T09:05:00+01:00'],
  ['28.2.2024', '2024-02-28T00:00:00+01:00'],
  ['28.02.2024, 09:05', '2024-02-28T09:05:00+01:00'],
  ['Wed, 28 Feb 2024 10:00:00 GMT', '2024-02-28T11:00:00+01:00'],
  ['Wednesday, 28-Feb-2024 10:00:00 GMT', '2024-02-28T11:00:00+01:00'],
  ['Wed Feb 28 10:00:00 2024', '2024-02-28T10:00:00+01:00'],
  ['28 February 2024', '2024-02-28T00:00:00+01:00'],
  ['February 28, 2024', '2024-02-28T00:00:00+01:00'],
  ['feb 3rd, 2024 at 3:04 pm', '2024-02-03T15:04:00+01:00'],
  ['Sept. 1 2024 12:00 AM', '2024-09-01T00:00:00+02:00'],
  ['1 May 2024 12:30 p.m.', '2024-05-01T12:30:00+02:00'],
  ['0099-01-01T00:00:00Z', '0099-01-01T00:53:28+00:53:28'],
  ['2020-W53-7', '2021-01-03T00:00:00+01:00'],
  ['2020-W53', '2020-12-28T00:00:00+01:00'],
  ['2021W017T1011', '2021-01-10T10:11:00+01:00'],
  ['2024-060T10:11:12Z', '2024-02-29T11:11:12+01:00'],
  ['2024366', '2024-12-31T00:00:00+01:00'],
  ['2024-12-31T24:00:00', '2025-01-01T00:00:00+01:00'],
];

/** Texts that are no date, or ambiguous. */
const NONE = [
  '',
  ' ',
  'x',
  '2024',
  '2024-',
  '2024-02-28T',
  '2024-02-28T10',
  '2024-02-28T10:1',
  '2024-02-28Z',
  '2024-02-28 10:11:12.',
  '2024-02-28 10:11+1',
  '-2024-02-28',
  '202402281',
  '2024-02-28x',
  'x2024-02-28',
  '10:30',
  '2024-02-28T10:11:12+05:30x',
  '28 Febr 2024',
  'Wed',
  'Feb 2024',
  '٢٠٢٤-٠٢-٢٨',
  '2024-02-28\u0000',
  '2024-02-28 2024-02-28',
  '1709078400',
];

t.test('common forms', async (t) => {
  inZone('Europe/Berlin', () => {
    for (const [text, iso] of FORMS)
      t.equal(
        shown(() => parseDate(text)),
        iso,
        text,
      );
  });
});

t.test('other texts are refused', async (t) => {
  for (const text of NONE)
    t.match(
      shown(() => parseDate(text)),
      /^ValueError: date_parse\(\): .* is not a date, such as "2024-02-28"/,
      JSON.stringify(text),
    );
  for (const text of ['10/11/2024', '28/02/2024', '1-2-24', '24-02-28'])
    t.match(
      shown(() => parseDate(text)),
      /the order of its parts is ambiguous; give the format/,
      text,
    );
  t.equal(
    shown(() => parseDate('2024-02-30')),
    'ValueError: no such date: 2024-02 has 29 days, got day 30',
  );
  t.equal(
    shown(() => parseDate('2021-W53-1')),
    'ValueError: no such date: 2021 has 52 weeks, got week 53',
  );
  t.equal(
    shown(() => parseDate('2023-366')),
    'ValueError: no such date: 2023 has 365 days, got day 366',
  );
  t.equal(
    shown(() => parseDate('2024-02-28 24:01')),
    'ValueError: no such date: hour must be from 0 to 23, got 24',
  );
  t.equal(
    shown(() => parseDate('2024-02-28 25:00')),
    'ValueError: no such date: hour must be from 0 to 23, got 25',
  );
  t.equal(
    shown(() => parseDate('2024-02-28 13:00 PM')),
    'ValueError: no such date: with AM or PM the hour must be from 1 to 12, got 13',
  );
  t.equal(
    shown(() => parseDate('2024-02-28T10:00+25:00')),
    'ValueError: no such time zone: +25:00',
  );
  t.equal(
    shown(() => parseDate('2024-02-28T10:00+01:00:75')),
    'ValueError: no such time zone: +01:00:75',
  );
  t.equal(
    shown(() => parseDate('2'.repeat(1_000_000))),
    'ValueError: date_parse(): a text of 1000000 characters is not a date, such as "2024-02-28" or "2024-02-28T10:30:00Z"',
  );
});

/** Text, format, date in Berlin. */
// prettier-ignore
const FORMATS: [string, string, string][] = [
  ['28/02/2024', '%d/%m/%Y', '2024-02-28T00:00:00+01:00'],
  ['2/28/24', '%D', '2024-02-28T00:00:00+01:00'],
  ['69-01-01', '%y-%m-%d', '1969-01-01T00:00:00+01:00'],
  ['2024-02-28 10:11:12.345', '%F %T.%L', '2024-02-28T10:11:12.345+01:00'],
  ['2024-02-28T10:11:12+0530', '%Y-%m-%dT%H:%M:%S%z', '2024-02-28T05:41:12+01:00'],
  ['Wed Feb  7 10:00:00 2024', '%c', '2024-02-07T10:00:00+01:00'],
  ['Wednesday,   7 February 2024', '%A, %e %B %Y', '2024-02-07T00:00:00+01:00'],
  ['12:05 AM 2024-01-01', '%I:%M %p %F', '2024-01-01T00:05:00+01:00'],
  ['2024 060', '%Y %j', '2024-02-29T00:00:00+01:00'],
  ['1709078400', '%s', '2024-02-28T01:00:00+01:00'],
  ['100% 2024-01-01', '100%% %F', '2024-01-01T00:00:00+01:00'],
  ['am 1. März 2024', 'am %d. März %Y', '2024-01-01T00:00:00+01:00'],
  ['20 24 2 7', '%C %y %m %d', '2024-02-07T00:00:00+01:00'],
  ['19 69 02 07', '%C %y %m %d', '1969-02-07T00:00:00+01:00'],
  ['2020-W53-7', '%G-W%V-%u', '2021-01-03T00:00:00+01:00'],
  ['20-W53', '%g-W%V', '2020-12-28T00:00:00+01:00'],
  ['2024 week 5, Wed', '%Y week %U, %a', '2024-02-07T00:00:00+01:00'],
  ['2024 week 6, Wednesday', '%Y week %W, %A', '2024-02-07T00:00:00+01:00'],
  ['2024 06 3', '%Y %W %w', '2024-02-07T00:00:00+01:00'],
  ['2024-02-07 24:00', '%F %R', '2024-02-08T00:00:00+01:00'],
];

// prettier-ignore
const NOT: [string, string, string][] = [
  ['2024-02-28', '%d/%m/%Y', 'expected "/" at character 3, got "24"'],
  ['2024-02-28x', '%F', 'expected the end of the text at character 11, got "x"'],
  ['2024-02', '%F', 'expected "-" at character 8, got the end of the text'],
  ['', '%F', 'expected a year of four digits (%Y) at character 1, got the end of the text'],
  ['Xyz 1 2024', '%b %d %Y', 'expected the name of a month (%b) at character 1, got "Xyz"'],
  ['2024-02-28', '%F %T', 'expected an hour (%H) at character 11, got the end of the text'],
  ['24-01-01', '%F', 'expected a year of four digits (%Y) at character 1, got "24"'],
  ['12:30 xm', '%H:%M %p', 'expected AM or PM (%p) at character 7, got "xm"'],
  ['😀 2024 13', '😀 %Y %jx', 'expected "x" at character 10, got the end of the text'],
  ['2024 W10 8', '%G W%V %u', 'expected a weekday from 1 to 7 (%u) at character 10, got "8"'],
  ['2024-02-28 +1', '%F %z', 'expected an offset such as +01:00 (%z) at character 12, got "+"'],
];

t.test('formats', async (t) => {
  inZone('Europe/Berlin', () => {
    for (const [text, format, iso] of FORMATS)
      t.equal(
        shown(() => scanDate(text, format)),
        iso,
        `${text} ${format}`,
      );
    for (const [text, format, place] of NOT)
      t.equal(
        shown(() => scanDate(text, format)),
        `ValueError: date_parse(): ${JSON.stringify(text)} is not a date of the format ${JSON.stringify(format)}: ${place}`,
      );
    t.equal(
      shown(() => scanDate('x', '%Q')),
      "ValueError: date_parse(): '%Q' is not a directive; write %% for a percent sign",
    );
    t.equal(
      shown(() => scanDate('2023 366', '%Y %j')),
      'ValueError: no such date: 2023 has 365 days, got day 366',
    );
    const today = new Date();
    t.match(
      shown(() => scanDate('10:30', '%H:%M')),
      `${today.getFullYear()}-${String(today.getMonth() + 1).padStart(2, '0')}-${String(today.getDate()).padStart(2, '0')}T10:30:00`,
    );
  });
});

t.test('formatted dates read back', async (t) => {
  inZone('America/New_York', () => {
    t.doesNotThrow(() =>
      fc.assert(
        fc.property(
          fc.integer({ min: 0, max: 4e12 }),
          fc.constantFrom(
            '%F %T.%L %z',
            '%a, %d %b %Y %H:%M:%S.%N %z',
            '%s.%L',
            '%Y%m%d%H%M%S%L%:z',
            '%-d %B %Y %I:%M:%S.%3N %p%z',
          ),
          (ms, format) => {
            return scanDate(formatDate(new DateValue(ms), format), format).ms === ms;
          },
        ),
      ),
    );
  });
});
