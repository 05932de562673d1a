import t from 'tap';
import { MAX_KEYS } from '../../../natives/auth/ratelimit.js';
import type { Value } from '../../../vm/values/value.js';
import { Float } from '../../../vm/values/value.js';
import { call, callWaiting, pass } from './support.js';

let keys = 0;
/** A key that no other test uses. */
const newKey = (): string => `key ${keys++}`;

const limit = (key: Value, max: Value, window: Value): Promise<Value> => callWaiting('rate_limit', key, max, window);

async function answers(count: number, key: Value, max: Value, window: Value): Promise<Value[]> {
  const all: Value[] = [];
  for (let i = 0; i < count; i++) all.push(await limit(key, max, window));
  return all;
}

t.test('a key has `max` calls in its window', async (t) => {
  const key = newKey();
  t.same(await answers(5, key, 3, 60), [true, true, true, false, false]);
  t.same(await answers(2, newKey(), 3, 60), [true, true], 'another key counts for itself');
  t.same(await answers(2, newKey(), 1, new Float(0.5)), [true, false]);
  t.same(await answers(3, newKey(), 2n, 60n), [true, true, false]);
});

t.test('calls with different limits are counted separately', async (t) => {
  const key = newKey();
  t.same(await answers(2, key, 1, 60), [true, false]);
  t.same(await answers(2, key, 1, 61), [true, false]);
  t.same(await answers(3, key, 2, 60), [true, true, false]);
  t.same(await answers(2, `1 60 ${key}`, 1, 60), [true, false]);
  t.same(await answers(2, 1234567, 1, 60), [true, false]);
  t.equal(await limit('1234567', 1, 60), false, 'a number is its text');
});

t.test('after the window calls are allowed again', async (t) => {
  const key = newKey();
  t.same(await answers(2, key, 1, new Float(0.5)), [true, false]);
  pass(600);
  t.same(await answers(2, key, 1, new Float(0.5)), [true, false]);
});

t.test('calls of several threads are all counted', async (t) => {
  const key = newKey();
  const all = await Promise.all(Array.from({ length: 200 }, () => limit(key, 50, 60)));
  t.equal(all.filter(Boolean).length, 50);
});

t.test('keys may be long and contain any character', async (t) => {
  const long = 'x'.repeat(1 << 20);
  t.same(await answers(2, long, 1, 60), [true, false]);
  t.equal(await limit(`${long}y`, 1, 60), true);
  for (const key of ['', '\0', '__proto__', 'constructor', 'é', 'e\u0301'])
    t.same(await answers(2, key, 1, 60), [true, false], key);
});

t.test('rate_limit_required halts with the time until the next call', async (t) => {
  const key = newKey();
  t.equal(await callWaiting('rate_limit_required', key, 1, 60), null);
  t.equal(
    await callWaiting('rate_limit_required', key, 1, 60),
    'halt 429 Too Many Requests (text/plain; charset=utf-8) Retry-After: 60',
  );
  t.equal(await limit(key, 1, 60), false, 'both count the same calls');
  const short = newKey();
  await limit(short, 1, new Float(0.3));
  t.match(await callWaiting('rate_limit_required', short, 1, new Float(0.3)), /Retry-After: 1$/);
});

t.test('windows do not depend on the time of day', async (t) => {
  const { now } = Date;
  t.teardown(() => (Date.now = now));
  for (const shift of [3_600_000, -3_600_000]) {
    const key = newKey();
    await limit(key, 1, 60);
    Date.now = () => now() + shift;
    t.match(await callWaiting('rate_limit_required', key, 1, 60), /Retry-After: 60$/);
    pass(61_000);
    t.equal(await limit(key, 1, 60), true);
    Date.now = now;
  }
});

t.test('wrong arguments', async (t) => {
  t.equal(
    call('rate_limit', 'a', 0, 60),
    'ArgumentError: rate_limit(): max must be a number of calls, 1 or more, got 0',
  );
  t.equal(
    call('rate_limit_required', 'a', -1n, 60),
    'ArgumentError: rate_limit_required(): max must be a number of calls, 1 or more, got -1',
  );
  t.match(call('rate_limit', 'a', 10n ** 30n, 60), /^ArgumentError/);
  for (const window of [0, -1, 2_147_484, 10n ** 30n, new Float(0), new Float(NaN), new Float(Infinity)])
    t.match(
      call('rate_limit', 'a', 1, window),
      /^ArgumentError: rate_limit\(\): window must be more than 0 and at most 2147483 seconds, got /,
    );
  t.same(await answers(2, newKey(), 1, 2_147_483), [true, false]);
  t.equal(call('rate_limit', null, 1, 60), 'TypeError: rate_limit(): key must be String or Integer, got Nil');
  t.equal(call('rate_limit', 'a', '1', 60), 'TypeError: rate_limit(): max must be Integer, got String');
});

t.test('the number of keys is limited: the oldest are forgotten', async (t) => {
  const [first, second] = [newKey(), newKey()];
  await limit(first, 1, 600);
  for (let i = 0; i < MAX_KEYS - 1; i++) await limit(`filler ${i}`, 1, 600);
  await limit(second, 1, 600);
  t.equal(await limit(second, 1, 600), false);
  t.equal(await limit(`filler ${MAX_KEYS - 2}`, 1, 600), false);
  t.equal(await limit(first, 1, 600), true, 'it was the oldest');
});
