import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { within } from '../../natives/within.js';

/** Longer than any test runs. */
const LONG_MS = 600_000;

const never = new Promise<never>(() => {});

/** Number of timers that keep the process alive. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

t.test('a promise in time decides, and its timer ends', async (t) => {
  const before = timers();
  t.equal(await within(LONG_MS, Promise.resolve(1), () => 2), 1);
  await t.rejects(
    within(LONG_MS, Promise.reject(new Error('failed')), () => 2),
    { message: 'failed' },
  );
  t.equal(timers(), before);
});

t.test('later, a function decides', async (t) => {
  t.equal(await within(1, never, () => 'late'), 'late');
  await t.rejects(
    within(1, never, () => {
      throw new Error('late');
    }),
    { message: 'late' },
  );
});

t.test('a promise that rejects after its time is no unhandled rejection', async (t) => {
  let reject = (_error: Error): void => {};
  const rejected = new Promise<string>((_, no) => (reject = no));
  t.equal(await within(1, rejected, () => 'late'), 'late');
  reject(new Error('dropped'));
  await sleep(20);
});
