import { Duplex, PassThrough } from 'node:stream';
import t from 'tap';
import { ChannelError, type Channel } from '../../../natives/cluster/channel.js';
import { Services } from '../../../natives/cluster/services.js';
import { channelOver } from '../../../natives/cluster/stream.js';

/** The two ends of a connection; what is written to one in pieces of `size` bytes arrives at the other. */
function pair(size = Infinity): [Duplex, Duplex] {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const end = (out: PassThrough, input: PassThrough): Duplex => {
    const stream = Duplex.from({ readable: input, writable: out });
    if (size === Infinity) return stream;
    const write = out.write.bind(out);
    // Each piece arrives in an event of its own.
    out.write = ((chunk: Buffer, ...rest: unknown[]): boolean => {
      for (let at = 0; at + size < chunk.length; at += size) write(chunk.subarray(at, at + size));
      const last = chunk.length % size === 0 ? size : chunk.length % size;
      return (write as (...args: unknown[]) => boolean)(chunk.subarray(-last), ...rest);
    }) as typeof out.write;
    return stream;
  };
  return [end(there, back), end(back, there)];
}

function channels(size?: number): [Channel, Channel, Duplex] {
  const [a, b] = pair(size);
  return [channelOver(a, 1, () => {}), channelOver(b, 2, () => {}), a];
}

const received = async (list: unknown[], n: number): Promise<void> => {
  while (list.length < n) await new Promise(setImmediate);
};

for (const size of [1, 3, Infinity])
  t.test(`messages arrive in order, also in pieces of ${size} bytes`, async (t) => {
    const [a, b] = channels(size);
    const seen: unknown[] = [];
    b.on('numbers', (message) => seen.push(message));
    for (let i = 0; i < 100; i++) a.post('numbers', i);
    a.post('numbers', { text: 'ä€😀', bytes: new Uint8Array([1, 2]), big: 2n ** 70n });
    await received(seen, 101);
    t.strictSame(seen.slice(0, 100), [...Array(100).keys()]);
    t.strictSame(seen[100], { text: 'ä€😀', bytes: new Uint8Array([1, 2]), big: 2n ** 70n });
  });

t.test('questions are answered in any order, by values, promises and errors', async (t) => {
  const [a, b] = channels();
  b.on('wait', (ms) => new Promise((resolve) => setTimeout(() => resolve(ms), ms as number)));
  b.on('double', (n) => (n as number) * 2);
  b.on('fail', () => {
    throw new Error('no luck');
  });
  b.on('reject', () => Promise.reject(new Error('no luck later')));
  const order: unknown[] = [];
  const slow = a.request('wait', 20).then((value) => order.push(value));
  const quick = a.request('double', 4).then((value) => order.push(value));
  await Promise.all([slow, quick]);
  t.strictSame(order, [8, 20]);
  await t.rejects(a.request('fail', null), new ChannelError('no luck'));
  await t.rejects(a.request('reject', null), new ChannelError('no luck later'));
  await t.rejects(a.request('nothing', null), new ChannelError("there is no service 'nothing'"));
});

t.test('many messages in one turn become few packets, and all arrive', async (t) => {
  const [a, b] = channels();
  const seen: unknown[] = [];
  b.on('n', (message) => seen.push(message));
  for (let i = 0; i < 50_000; i++) a.post('n', i);
  t.equal(a.backlog, 50_000, 'nothing is sent before the end of the turn');
  await received(seen, 50_000);
  t.strictSame(seen, [...Array(50_000).keys()]);
  t.equal(a.backlog, 0);
});

t.test('a peer that does not read holds up messages in this process', async (t) => {
  const stuck = new Duplex({ read: () => {}, write: () => {} });
  const channel = channelOver(stuck, 1, () => {});
  for (let i = 0; i < 30_000; i++) channel.post('n', i);
  await new Promise(setImmediate);
  t.equal(channel.backlog, 14_000, '16 packets of 1,000 messages are on their way');
});

t.test('the end of the stream fails open questions and drops later messages', async (t) => {
  const [a, b, stream] = channels();
  b.on('never', () => new Promise(() => {}));
  const question = a.request('never', null);
  await new Promise(setImmediate);
  stream.destroy();
  await t.rejects(question, new ChannelError('the other process has ended'));
  await t.rejects(a.request('never', null), new ChannelError('the other process has ended'));
  a.post('never', 1);
  t.equal(a.backlog, 0);
});

t.test('a service is loaded once, on first use; messages wait for it in order', async (t) => {
  let loads = 0;
  const seen: unknown[] = [];
  const left: number[] = [];
  const services = new Services({
    list: async () => {
      loads++;
      await new Promise((resolve) => setTimeout(resolve, 10));
      return { receive: (message) => seen.push(message), left: (worker) => left.push(worker.pid) };
    },
  });
  const workers = [1, 2].map((pid) => {
    const [here, there] = pair();
    services.attach(there, pid);
    return { channel: channelOver(here, 0, () => {}), stream: here };
  });
  t.equal(loads, 0);
  workers[0].channel.post('list', 'a');
  workers[0].channel.post('list', 'b');
  t.equal(await workers[0].channel.request('list', 'c'), 3);
  t.equal(await workers[1].channel.request('list', 'd'), 4);
  t.strictSame([loads, seen], [1, ['a', 'b', 'c', 'd']]);
  await t.rejects(workers[1].channel.request('liszt', ''), new ChannelError("there is no service 'liszt'"));
  workers[1].stream.destroy();
  await received(left, 1);
  t.strictSame(left, [2]);
});
