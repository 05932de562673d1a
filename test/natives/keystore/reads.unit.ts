import t from 'tap';
import { RedisReads } from '../../../natives/keystore/drivers/redisreads.js';

const read = (reads: RedisReads, count: number): Promise<(string | null)[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => reads.get(`k${i}`)));

t.test('reads of a turn leave in commands of at most 100 keys', async (t) => {
  const sizes: number[] = [];
  const reads = new RedisReads((keys) => {
    sizes.push(keys.length);
    return Promise.resolve(keys.map((key) => (key === 'k7' ? null : Buffer.from(`value of ${key}`))));
  });
  const texts = await read(reads, 250);
  t.strictSame(sizes, [100, 100, 50]);
  t.equal(texts[7], null);
  t.strictSame([texts[0], texts[249]], ['value of k0', 'value of k249']);
  t.equal(await reads.get('k'), 'value of k');
  t.strictSame(sizes, [100, 100, 50, 1], 'one alone leaves in its own turn');
});

t.test('all reads of a command get its error', async (t) => {
  const reads = new RedisReads(() => Promise.reject(new Error('gone')));
  const outcomes = await Promise.allSettled([reads.get('a'), reads.get('b')]);
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
});

t.test('other work runs between large values', async (t) => {
  const large = Buffer.alloc(1 << 20, 'é');
  const reads = new RedisReads((keys) => Promise.resolve(keys.map(() => large)));
  let arrived = 0;
  let most = 0;
  let before = 0;
  const look = (): void => {
    most = Math.max(most, arrived - before);
    before = arrived;
    if (arrived < 20) setImmediate(look);
  };
  setImmediate(look);
  const all = Array.from({ length: 20 }, async (_, i) => {
    const text = await reads.get(`k${i}`);
    arrived++;
    return text?.length;
  });
  t.strictSame(await Promise.all(all), Array<number>(20).fill(1 << 19));
  t.ok(most <= 2, `at most two of them in a turn, got ${most}`);
});
