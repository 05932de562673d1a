import t from 'tap';
import { DurationValue, type Unit } from '../../../../natives/core/dates/duration.js';
import { parseDuration } from '../../../../natives/core/dates/durationparse.js';
import { add, divide, multiply, negate, subtract } from '../../../../vm/values/numbers/arithmetic.js';
import { compare, equal } from '../../../../vm/values/equal.js';
import { Float } from '../../../../vm/values/value.js';
import fc from '../../../property.js';
import { shown } from '../support.js';

const DAY = 86_400_000;

const durations = fc
  .tuple(
    fc.integer({ min: -50_000, max: 50_000 }),
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    // Microseconds.
    fc.integer({ min: -1e15, max: 1e15 }),
  )
  .map(([months, days, us]) => DurationValue.of(months, days, us / 1000));

function sameAmounts(a: DurationValue, b: DurationValue): boolean {
  return a.months === b.months && a.days === b.days && a.ms === b.ms;
}

/** Asserts a property of two durations. */
function holds(name: string, property: (a: DurationValue, b: DurationValue) => boolean): void {
  t.doesNotThrow(() => fc.assert(fc.property(durations, durations, property)), name);
}

holds('ISO 8601 reads back', (a) => sameAmounts(parseDuration(a.iso()), a));
holds('texts read back', (a) => sameAmounts(parseDuration(a.describe()), a));
holds('a + b is b + a', (a, b) => equal(add(a, b), add(b, a)));
holds('a - b is a + -b', (a, b) => sameAmounts(subtract(a, b) as DurationValue, add(a, negate(b)) as DurationValue));
holds('-(-a) is a', (a) => sameAmounts(negate(negate(a)) as DurationValue, a));
holds('a * 2 is a + a', (a) => {
  const [twice, sum] = [multiply(a, 2), add(a, a)] as DurationValue[];
  return sameAmounts(twice, sum) && sameAmounts(divide(twice, 2) as DurationValue, a);
});
holds('order and equality agree', (a, b) => {
  const order = compare(a, b);
  return order === -compare(b, a) + 0 && (order === 0) === equal(a, b) && equal(a, a);
});
holds('equal ones have one key', (a, b) => (a.equalityKey() === b.equalityKey()) === equal(a, b));

t.test('limits', async (t) => {
  const tooLong = 'ValueError: a Duration has at most 10000 years';
  for (const unit of ['year', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'] as Unit[])
    for (const n of [1e15, -1e18, 1e300, Infinity])
      t.equal(
        shown(() => DurationValue.ofParts([[unit, n]])),
        tooLong,
        `${n} ${unit}s`,
      );
  t.equal(
    shown(() => DurationValue.ofParts([['year', 10_000]])),
    '10000 years',
  );
  t.equal(
    shown(() => DurationValue.ofParts([['year', 10_001]])),
    tooLong,
  );
  t.equal(
    shown(() => add(DurationValue.of(120_000, 0, 0), DurationValue.of(1, 0, 0))),
    tooLong,
  );
  t.equal(
    shown(() => DurationValue.ofParts([['hour', NaN]])),
    'ValueError: a Duration needs a number, got nan',
  );
  t.equal(
    shown(() => multiply(DurationValue.of(1, 0, 0), new Float(NaN))),
    'ValueError: a Duration needs a number, got nan',
  );
  t.equal(
    shown(() => divide(DurationValue.of(0, 1, 0), new Float(0))),
    'ZeroDivisionError: division by zero',
  );
  t.equal(
    shown(() => divide(DurationValue.of(0, 1, 0), DurationValue.of(0, 0, 0))),
    'ZeroDivisionError: division by zero',
  );
});

t.test('fractions', async (t) => {
  const text = (unit: Unit, n: number): string => shown(() => DurationValue.ofParts([[unit, n]]));
  t.equal(text('week', 0.5), '3 days 12 hours');
  t.equal(text('day', -1.25), '-1 day -6 hours');
  t.equal(text('year', 0.25), '3 months');
  t.equal(text('month', 1.5), 'ValueError: a Duration has a whole number of months, got 1.5: count days instead');
  t.equal(text('hour', 1.1), '1 hour 6 minutes', 'binary fractions are rounded');
  t.equal(text('millisecond', 0.001), '0.000001 seconds');
  t.equal(text('millisecond', 0.0001), '0 seconds');
  t.equal(DurationValue.of(0, 0.5, -DAY / 2).ms, 0);
  t.ok(Object.is(DurationValue.of(-0, -0, -0).days, 0), 'there is no negative zero');
});
