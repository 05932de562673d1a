/** Ticks of schedules around changes of clocks, and patterns that are refused. */
import t from 'tap';
import { Ticks } from '../../../natives/jobs/schedules.js';
import { delayAfter } from '../../../natives/jobs/failures.js';
import { SvcError } from '../../../vm/values/error.js';

/** The ticks between two times. */
async function ticks(pattern: string, zone: string, from: string, to: string): Promise<string[]> {
  const schedule = await Ticks.read(pattern, zone);
  const out: string[] = [];
  for (let at = schedule.after(Date.parse(from)); at !== null && at < Date.parse(to); at = schedule.after(at))
    out.push(new Date(at).toISOString().slice(0, 16));
  return out;
}

t.test('a fixed time runs once a day: also where it does not exist, and where it comes twice', async (t) => {
  t.strictSame(await ticks('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', '2026-03-31T00:00Z'), [
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
  t.strictSame(await ticks('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z', '2026-10-27T00:00Z'), [
    '2026-10-24T00:30',
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
});

t.test('an interval runs at all times that exist', async (t) => {
  const spring = await ticks('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:00Z', '2026-03-29T03:00Z');
  t.equal(spring.length, 5);
  const autumn = await ticks('*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:00Z', '2026-10-25T03:00Z');
  t.equal(autumn.length, 5);
});

t.test('patterns and zones that are refused', async (t) => {
  for (const [pattern, zone, reason] of [
    ['61 * * * *', 'UTC', /"61 \* \* \* \*" is no pattern of cron .*61/],
    ['* * *', 'UTC', /it has 3 fields/],
    ['', 'UTC', /it has 0 fields/],
    ['@sometimes', 'UTC', /is no pattern of cron/],
    ['0 0 31 2 *', 'UTC', /never comes true/],
    ['@daily', 'Nowhere/Town', /"Nowhere\/Town" is no time zone/],
  ] as const) {
    const error: unknown = await Ticks.read(pattern, zone).catch((thrown: unknown) => thrown);
    t.ok(error instanceof SvcError, pattern);
    t.match((error as SvcError).value.message, reason);
  }
  t.strictSame(await ticks('@daily', 'UTC', '2026-01-01T00:00Z', '2026-01-03T00:00Z'), ['2026-01-02T00:00']);
});

t.test('waits before another attempt: min(2^n, 3600) seconds ± 20 %', async (t) => {
  t.strictSame(
    [1, 2, 3, 11, 12, 500].map((n) => delayAfter(n, 0.5)),
    [2000, 4000, 8000, 2048000, 3600000, 3600000],
  );
  t.strictSame([delayAfter(1, 0), delayAfter(1, 1)], [1600, 2400]);
});
