import t from 'tap';
import { addMonths, wallOf, type Fields } from '../../../../natives/core/dates/calendar.js';
import { dateOf, DateValue } from '../../../../natives/core/dates/date.js';
import { parseDate } from '../../../../natives/core/dates/dateparse.js';
import { DurationValue } from '../../../../natives/core/dates/duration.js';
import { beginningOf, between, endOf, PERIOD_NAMES } from '../../../../natives/core/dates/periods.js';
import { zoneOf } from '../../../../natives/core/dates/zone.js';
import { installZones } from '../../../../natives/zones/index.js';
import fc from '../../../property.js';
import { shown } from '../support.js';
import { inZone } from './zone.js';

installZones();

// prettier-ignore
const ZONES = [
  'UTC', 'Europe/Berlin', 'Europe/London', 'Europe/Dublin', 'Europe/Moscow', 'America/New_York', 'America/St_Johns', 'America/Sao_Paulo', 'America/Havana',
  'America/Santiago', 'Africa/Monrovia', 'Africa/Casablanca', 'Africa/Cairo', 'Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Tehran', 'Asia/Tokyo',
  'Australia/Lord_Howe', 'Australia/Sydney', 'Pacific/Apia', 'Pacific/Kiritimati', 'Pacific/Chatham', 'Antarctica/Troll',
];
const zones = fc.constantFrom(...ZONES);
const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Moments of all years, more often of those in which clocks change. */
const moments = fc.oneof(
  fc.integer({ min: Date.UTC(1850, 0), max: Date.UTC(2100, 0) }),
  fc.integer({ min: new Date('0001-01-03T00:00:00Z').getTime(), max: Date.UTC(9999, 11, 29) }),
);
/** Moments at which the clocks of some zone change, and those around them. */
const changes = fc
  .tuple(
    fc.constantFrom(
      '2026-03-29T01:00Z',
      '2026-10-25T01:00Z',
      '2026-10-03T15:30Z',
      '2026-04-04T15:00Z',
      '2011-12-30T10:00Z',
      '2018-11-04T03:00Z',
    ),
    fc.integer({ min: -2 * DAY, max: 2 * DAY }),
  )
  .map(([text, ms]) => Date.parse(text) + ms);
const anyMoment = fc.oneof(moments, changes);

const formats = new Map<string, Intl.DateTimeFormat>();

/** Seconds by which Intl shows a zone's clocks ahead of UTC. Its fields before 1582 are those of the Julian calendar. */
function offsetOfIntl(zone: string, ms: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formats.set(zone, format);
  }
  const [, sign, hours, minutes, seconds = '0'] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(ms)) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

/** Asserts a property for many values. */
function holds<T extends [unknown, ...unknown[]]>(
  t: Tap,
  name: string,
  values: { [K in keyof T]: fc.Arbitrary<T[K]> },
  property: (...args: T) => boolean,
): void {
  const tried = fc.property(fc.tuple(...values), (args) => property(...(args as T)));
  t.doesNotThrow(() => fc.assert(tried, { numRuns: process.env.SVC_LONG === '1' ? 5000 : 400 }), name);
}
type Tap = Pick<typeof t, 'doesNotThrow'>;

t.test('offsets and fields are those of Intl', async (t) => {
  for (const name of ZONES)
    holds<[number]>(t, name, [anyMoment], (ms) => {
      const date = new DateValue(ms, zoneOf(name));
      const offset = offsetOfIntl(name, ms);
      const iso = new Date(ms + offset * 1000).toISOString().slice(0, 19);
      return date.offset === offset && date.describe().startsWith(iso);
    });
});

t.test('a text reads back as the same moment', async (t) => {
  holds<[string, number]>(t, 'ISO 8601', [zones, anyMoment], (zone, ms) => {
    const date = new DateValue(ms, zoneOf(zone));
    return parseDate(date.describe()).ms === ms && parseDate(date.iso(3), date.zone).describe() === date.describe();
  });
});

t.test('fields lead back to the moment, or to another one with these fields', async (t) => {
  holds<[string, number]>(t, 'fields', [zones, anyMoment], (zone, ms) => {
    const date = new DateValue(ms, zoneOf(zone));
    const again = dateOf(date.fields, null, date.zone);
    // Of two moments with the same fields the first is meant; clocks are set back by at most a day.
    return again.wall === date.wall && again.ms <= ms && again.ms > ms - 26 * HOUR;
  });
  holds<[string, number]>(t, 'skipped times', [zones, anyMoment], (zone, wall) => {
    const date = new DateValue(0, zoneOf(zone)).at(wall);
    // A time that exists is kept; one that is skipped is moved by as much as the clocks are.
    const skipped = date.wall - wall;
    return skipped >= 0 && skipped <= DAY && (skipped === 0 || new DateValue(date.ms - skipped, date.zone).wall < wall);
  });
});

t.test('a zone of the process and a given zone agree', async (t) => {
  for (const zone of ZONES)
    inZone(zone, () => {
      holds<[number, number]>(t, zone, [anyMoment, fc.integer({ min: -400, max: 400 })], (ms, days) => {
        const [local, given] = [new DateValue(ms), new DateValue(ms, zoneOf(zone))];
        const moved = [local, given].map((date) => shown(() => date.shifted(DurationValue.of(days, days, days))));
        return local.describe() === given.describe() && moved[0] === moved[1];
      });
    });
});

t.test('sums with durations', async (t) => {
  const amounts = fc.integer({ min: -2000, max: 2000 });
  const recent = fc.oneof(fc.integer({ min: Date.UTC(1950, 0), max: Date.UTC(2100, 0) }), changes);
  holds<[string, number, number, number]>(t, 'the wall time', [zones, recent, amounts, amounts], (zone, ms, m, d) => {
    const date = new DateValue(ms, zoneOf(zone));
    const wall = addMonths(date.wall, m) + d * DAY;
    const moved = date.shifted(DurationValue.of(m, d, 0));
    return m === 0 && d === 0 ? moved === date : moved.ms === date.at(wall).ms;
  });
  holds<[string, number, number]>(t, 'time that passes', [zones, recent, amounts], (zone, ms, hours) => {
    const date = new DateValue(ms, zoneOf(zone));
    return date.shifted(DurationValue.of(0, 0, hours * HOUR)).ms === ms + hours * HOUR;
  });
  holds<[string, string, number, number]>(t, 'differences', [zones, zones, recent, recent], (zone, other, a, b) => {
    const [from, to] = [new DateValue(a, zoneOf(zone)), new DateValue(b, zoneOf(other))];
    return ['hours', 'days', 'months'].every((unit) => from.shifted(between(from, to, unit)).ms === b);
  });
  holds<[number, number]>(t, 'differences in UTC have one sign', [recent, recent], (a, b) => {
    const { months, days, ms } = between(new DateValue(a, zoneOf('UTC')), new DateValue(b, zoneOf('UTC')), 'months');
    const signs = new Set([months, days, ms].map(Math.sign).filter((sign) => sign !== 0));
    return signs.size <= 1 && Math.abs(days) < 31 && Math.abs(ms) < DAY;
  });
});

t.test('months end where the calendar ends them', async (t) => {
  holds<[number, number]>(t, 'in UTC', [moments, fc.integer({ min: -600, max: 600 })], (ms, months) => {
    const date = new DateValue(Math.min(Math.max(ms, Date.UTC(1000, 0)), Date.UTC(9000, 0)), zoneOf('UTC'));
    const moved = date.shifted(DurationValue.of(months, 0, 0));
    const [year, month, day] = date.fields;
    const index = year * 12 + month - 1 + months;
    const last = new Date(Date.UTC(Math.floor(index / 12), (((index % 12) + 12) % 12) + 1, 0)).getUTCDate();
    const expected: Fields = [Math.floor(index / 12), (((index % 12) + 12) % 12) + 1, Math.min(day, last), 0, 0, 0, 0];
    return Math.floor(moved.wall / DAY) * DAY === wallOf(expected);
  });
});

t.test('periods contain their dates, and follow each other', async (t) => {
  const middle = fc.oneof(fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) }), changes);
  for (const period of PERIOD_NAMES)
    holds<[string, number]>(t, period, [zones, middle], (zone, ms) => {
      const date = new DateValue(ms, zoneOf(zone));
      const [start, end] = [beginningOf(date, period), endOf(date, period)];
      const next = end.addMs(1);
      return (
        start.ms <= ms && ms <= end.ms && beginningOf(next, period).ms === next.ms && endOf(start, period).ms === end.ms
      );
    });
});

/** Zone, local time, moment in that zone. */
// prettier-ignore
const LOCAL_TIMES: [string, string, string][] = [
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T03:30:00+02:00'],
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T02:30:00+02:00'],
  ['America/New_York', '2026-03-08T02:30', '2026-03-08T03:30:00-04:00'],
  ['America/New_York', '2026-11-01T01:30', '2026-11-01T01:30:00-04:00'],
  ['Australia/Sydney', '2026-10-04T02:30', '2026-10-04T03:30:00+11:00'],
  ['Australia/Sydney', '2026-04-05T02:30', '2026-04-05T02:30:00+11:00'],
  ['America/Santiago', '2026-09-06T00:30', '2026-09-06T01:30:00-03:00'],
  ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-04T02:45:00+11:00'],
  ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-05T01:45:00+11:00'],
  ['Pacific/Kiritimati', '1994-12-31T12:00', '1995-01-01T12:00:00+14:00'],
  ['Pacific/Apia', '2011-12-30T12:00', '2011-12-31T12:00:00+14:00'],
  ['Africa/Monrovia', '1960-01-01', '1960-01-01T00:00:00-00:44:30'],
  ['Europe/Berlin', '1893-01-01', '1893-01-01T00:00:00+00:53:28'],
  ['Pacific/Kiritimati', '9999-12-31T23:59:59', '9999-12-31T23:59:59+14:00'],
  ['Pacific/Niue', '9999-12-31T23:59:59', '9999-12-31T23:59:59-11:00'],
  ['America/New_York', '0001-01-01', '0001-01-01T00:00:00-04:56:02'],
  ['+14:00', '0001-01-01', '0001-01-01T00:00:00+14:00'],
];

t.test('times that clocks skip or repeat, and the ends of the calendar', async (t) => {
  for (const [zone, text, iso] of LOCAL_TIMES)
    t.equal(parseDate(text, zoneOf(zone)).describe(), iso, `${zone} ${text}`);
  t.equal(
    shown(() => parseDate('9999-12-31T23:59:59Z', zoneOf('Asia/Tokyo'))),
    'OverflowError: the date would be outside the years 1 to 9999',
  );
  t.equal(
    shown(() => parseDate('0001-01-01T00:00:00Z', zoneOf('America/New_York'))),
    'OverflowError: the date would be outside the years 1 to 9999',
  );
  for (const days of [1e7, -1e7, 1e15, -1e300, Infinity, NaN])
    for (const zone of ['UTC', 'Europe/Berlin', 'local'])
      t.match(
        shown(() => new DateValue(0, zoneOf(zone)).addDays(days)),
        /^OverflowError: the date would be outside the years/,
        `${days} ${zone}`,
      );
});

t.test('names of zones', async (t) => {
  t.equal(zoneOf('europe/BERLIN').name, 'Europe/Berlin');
  t.equal(zoneOf('Asia/Kolkata').name, 'Asia/Kolkata');
  t.equal(zoneOf('Europe/Berlin'), zoneOf('Europe/Berlin'), 'zones are kept');
  for (const name of ['UTC', 'utc', 'Z', 'GMT', '+00:00', '-0000']) t.equal(zoneOf(name).name, 'UTC', name);
  t.equal(zoneOf('-03').name, '-03:00');
  for (let i = 0; i < 3000; i++) zoneOf(`+${String(i % 24).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}`);
  for (const name of ['../etc/passwd', 'Europe', 'Europe/', '[', '\u0000', '😀', '+1', '+99:00'])
    t.match(
      shown(() => zoneOf(name).name),
      /^ValueError: (unknown|no such) time zone/,
      name,
    );
});
