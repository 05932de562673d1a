import t from 'tap';
import { encodeJson } from '../../../../natives/core/json/encode.js';
import type { Fields } from '../../../../natives/core/dates/calendar.js';
import { dateOf, DateValue } from '../../../../natives/core/dates/date.js';
import { parseDate } from '../../../../natives/core/dates/dateparse.js';
import { add, subtract } from '../../../../vm/values/numbers/arithmetic.js';
import { compare, equal } from '../../../../vm/values/equal.js';
import { unique } from '../../../../vm/values/unique.js';
import { Float, type Value } from '../../../../vm/values/value.js';
import fc from '../../../property.js';
import { shown } from '../support.js';
import { inZone } from './zone.js';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Africa/Monrovia',
  'Pacific/Apia',
];

/** Moments of the years 1 to 9999 in every zone. */
const moments = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2200, 0, 1) });

function at(text: string): DateValue {
  return parseDate(text);
}

t.test('a date prints as ISO 8601 and reads back, in every zone', async (t) => {
  for (const zone of ZONES) {
    inZone(zone, () => {
      t.doesNotThrow(
        () =>
          fc.assert(fc.property(moments, (ms) => equal(parseDate(new DateValue(ms).describe()), new DateValue(ms)))),
        zone,
      );
    });
  }
});

t.test('fields are local', async (t) => {
  inZone('Asia/Kolkata', () => {
    t.same(at('2024-02-28T20:15:30.123Z').fields, [2024, 2, 29, 1, 45, 30, 123]);
    t.equal(
      shown(() => at('2024-02-28T20:15:30.123Z')),
      '2024-02-29T01:45:30.123+05:30',
    );
    t.equal(encodeJson([at('2024-02-28')]), '["2024-02-28T00:00:00+05:30"]');
  });
});

/** Left, operation, right, result in Berlin, where clocks changed on 2024-03-31 and 2024-10-27. */
// prettier-ignore
const SUMS: [string, '+' | '-', Value | string, string][] = [
  ['2024-02-28', '+', 2, '2024-03-01T00:00:00+01:00'],
  ['2024-03-30T12:00', '+', 1, '2024-03-31T12:00:00+02:00'],
  ['2024-03-30T12:00', '+', new Float(0.5), '2024-03-31T00:00:00+01:00'],
  ['2024-03-30T02:30', '+', 1, '2024-03-31T03:30:00+02:00'],
  ['2024-04-01', '-', 2, '2024-03-30T00:00:00+01:00'],
  ['2024-04-01', '-', '2024-03-30', '2'],
  ['2024-10-28', '-', '2024-10-26', '2'],
  ['2024-03-30', '-', '2024-04-01', '-2'],
  ['2024-03-30T12:00', '-', '2024-03-29', '1.5'],
  ['2024-03-30', '-', '2024-03-30', '0'],
  ['9999-12-31', '+', 1, 'OverflowError: the date would be outside the years 1 to 9999'],
  ['2024-01-01', '+', 10n ** 30n, 'OverflowError: the date would be outside the years 1 to 9999'],
  ['2024-01-01', '+', new Float(NaN), 'OverflowError: the date would be outside the years 1 to 9999'],
  ['2024-01-01', '+', null, 'TypeError: cannot add Date and Nil'],
  ['2024-01-01', '-', true, 'TypeError: cannot subtract Boolean from Date'],
];

t.test('sums and differences follow the calendar', async (t) => {
  inZone('Europe/Berlin', () => {
    for (const [left, sign, right, result] of SUMS) {
      const other = typeof right === 'string' ? at(right) : right;
      t.equal(
        shown(() => (sign === '+' ? add : subtract)(at(left), other)),
        result,
        `${left} ${sign} ${String(right)}`,
      );
    }
    t.equal(
      shown(() => add(at('2024-01-01'), at('2024-01-01'))),
      'TypeError: cannot add Date and Date',
    );
    t.equal(
      shown(() => add(1, at('2024-01-01'))),
      'TypeError: cannot add Integer and Date',
    );
    t.equal(
      shown(() => add([at('2024-01-01'), at('2024-01-02')], 1)),
      '[2024-01-02T00:00:00+01:00, 2024-01-03T00:00:00+01:00]',
    );
    t.equal(
      shown(() => at('2024-03-30T12:00').addMs(24 * 3_600_000)),
      '2024-03-31T13:00:00+02:00',
      'hours are time that passes',
    );
  });
});

t.test('d + n - d is n', async (t) => {
  inZone('Europe/Berlin', () => {
    t.doesNotThrow(() =>
      fc.assert(
        fc.property(moments, fc.integer({ min: -20_000, max: 20_000 }), (ms, days) => {
          const date = new DateValue(ms);
          // A time that clocks skip on the other day is moved, so whole days may be missed there.
          const difference = subtract(add(date, days), date);
          return difference === days || (difference instanceof Float && Math.abs(difference.n - days) < 0.1);
        }),
      ),
    );
  });
});

t.test('order and equality', async (t) => {
  const [a, b] = [at('2024-01-01T12:00:00+01:00'), at('2024-01-01T11:00:00Z')];
  t.ok(equal(a, b), 'the same moment in two zones');
  t.equal(compare(a, at('2024-01-02')), -1);
  t.equal(unique([a, b, at('2024-01-02')]).length, 2);
  t.notOk(equal(a, a.describe()));
  t.equal(
    shown(() => compare(a, 1)),
    'TypeError: cannot compare Date and Integer',
  );
});

const WRONG: [Fields, string][] = [
  [[2024, 13, 1, 0, 0, 0, 0], 'month must be from 1 to 12, got 13'],
  [[2024, 0, 1, 0, 0, 0, 0], 'month must be from 1 to 12, got 0'],
  [[2023, 2, 29, 0, 0, 0, 0], '2023-02 has 28 days, got day 29'],
  [[1900, 2, 29, 0, 0, 0, 0], '1900-02 has 28 days, got day 29'],
  [[2024, 4, 31, 0, 0, 0, 0], '2024-04 has 30 days, got day 31'],
  [[2024, 1, 32, 0, 0, 0, 0], 'day must be from 1 to 31, got 32'],
  [[2024, 1, 1, 24, 0, 0, 0], 'hour must be from 0 to 23, got 24'],
  [[2024, 1, 1, 0, 60, 0, 0], 'minute must be from 0 to 59, got 60'],
  [[2024, 1, 1, 0, 0, 60, 0], 'second must be from 0 to 59, got 60'],
  [[0, 1, 1, 0, 0, 0, 0], 'year must be from 1 to 9999, got 0'],
  [[10000, 1, 1, 0, 0, 0, 0], 'year must be from 1 to 9999, got 10000'],
];

t.test('dates that do not exist', async (t) => {
  for (const [fields, message] of WRONG)
    t.equal(
      shown(() => dateOf(fields, null)),
      `ValueError: no such date: ${message}`,
    );
  t.equal(
    shown(() => dateOf([99, 2, 28, 1, 2, 3, 4], 0).ms),
    String(new Date('0099-02-28T01:02:03.004Z').getTime()),
    'year 99 is not 1999',
  );
});

t.test('times that clocks skip or repeat', async (t) => {
  inZone('Europe/Berlin', () => {
    t.equal(
      shown(() => at('2024-03-31T02:30')),
      '2024-03-31T03:30:00+02:00',
    );
    t.equal(
      shown(() => at('2024-10-27T02:30')),
      '2024-10-27T02:30:00+02:00',
    );
  });
  // This day has no midnight.
  inZone('America/Sao_Paulo', () =>
    t.equal(
      shown(() => at('2018-11-04T10:00')),
      '2018-11-04T10:00:00-02:00',
    ),
  );
  // This zone skipped a day.
  inZone('Pacific/Apia', () =>
    t.equal(
      shown(() => subtract(at('2011-12-31'), at('2011-12-29'))),
      '2',
    ),
  );
});
