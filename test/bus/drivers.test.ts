/** Messages between processes over real servers: order, sizes, outages, stalls. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { until } from '../patience.js';
import { findRedis, NO_REDIS, RedisServer } from '../redisserver.js';
import { type Engine, ENGINES, Process } from './engines.js';
import { Proxy } from './proxy.js';

type Test = typeof t;

const redis = findRedis();

t.setTimeout(300_000);

for (const { name, start, missing } of ENGINES)
  void t.test(name, { skip: start === null && missing }, async (t) => {
    const engine = await (start as () => Promise<Engine>)();
    t.teardown(() => engine.stop());
    await testMessages(t as Test, engine);
    await testOutages(t as Test, engine);
  });

t.test(
  'subscriptions that Redis does not permit are in force once it does',
  { skip: redis === null && NO_REDIS },
  async (t) => {
    const server = await RedisServer.start(redis as string);
    t.teardown(() => server.stop());
    await server.command('ACL', 'SETUSER', 'service', 'on', '>secret', '+@all', '~*', 'resetchannels');
    const url = server.url().replace('//', '//service:secret@');
    const [a, b] = processes(t as Test, 2, url);
    const subscribed = b.subscribe('t');
    await until('the refusal', () => b.lines.length > 0);
    t.match(b.lines, [/^bus test: messages are lost: NOPERM/]);
    await server.command('ACL', 'SETUSER', 'service', 'allchannels');
    await subscribed;
    a.bus.publish('t', 'arrives');
    await until('the message', () => b.got.length > 0);
    t.strictSame(b.got, ['arrives']);
  },
);

function processes(t: Test, count: number, url: string, prefix?: string): Process[] {
  const made = Array.from({ length: count }, () => new Process(url, prefix));
  t.teardown(() => made.forEach(({ bus }) => bus.close()));
  return made;
}

async function testMessages(t: Test, engine: Engine): Promise<void> {
  await t.test('messages arrive once and in order, at all others', async (t) => {
    const [a, b, c] = processes(t as Test, 3, engine.url());
    await Promise.all([a, b, c].map((process) => process.subscribe('numbers')));
    const sent = Array.from({ length: 5000 }, (_, i) => `${i} ${'ü'.repeat(i % 50)}`);
    for (const [i, text] of sent.entries()) {
      a.bus.publish('numbers', text);
      a.bus.publish('others', 'x');
      if (i % 700 === 0) await sleep(1);
    }
    await until('the last message', () => b.got.length >= sent.length && c.got.length >= sent.length);
    t.strictSame(b.got, sent);
    t.strictSame(c.got, sent);
    t.strictSame(a.got, [], 'not at the process that has sent them');
    t.strictSame([a.lines, b.lines], [[], []]);
    t.equal(a.bus.stats().dropped, 0);
  });

  await t.test('large messages keep their place', async (t) => {
    const [a, b] = processes(t as Test, 2, engine.url());
    await b.subscribe('large');
    const sent = [100, 7900, 8000, 20_000, 3_000_000, 5].map((size, i) => `${i}${'é'.repeat(size)}`);
    for (const text of sent) a.bus.publish('large', text);
    await until('the messages', () => b.got.length === sent.length);
    t.ok(b.got.every((text, i) => text === sent[i]));
  });

  await t.test('topics, prefixes, and the end of a subscription', async (t) => {
    const [a, b] = processes(t as Test, 2, engine.url());
    const [other] = processes(t as Test, 1, engine.url(), 'other');
    const topics = ['a', 'a b', 'ä', '"quoted"', "it's", '%d{}', 'long'.repeat(3000)];
    const stops = await Promise.all([...topics.map((topic) => b.subscribe(topic)), other.subscribe('a')]);
    for (const topic of topics) a.bus.publish(topic, topic);
    await until('the messages', () => b.got.length === topics.length);
    t.strictSame([...b.got].sort(), [...topics].sort());
    for (const stop of stops) stop();
    await b.subscribe('end');
    a.bus.publish('a', 'late');
    a.bus.publish('end', 'end');
    await until('the end', () => b.got.includes('end'));
    t.notOk(b.got.includes('late'));
    t.strictSame(other.got, []);
  });

  await t.test('a thousand topics', async (t) => {
    const [a, b] = processes(t as Test, 2, engine.url());
    const topics = Array.from({ length: 3000 }, (_, i) => `topic ${i}`);
    await Promise.all(topics.map((topic) => b.subscribe(topic)));
    for (const topic of topics) a.bus.publish(topic, topic);
    await until('the messages', () => b.got.length === topics.length);
    t.strictSame([...b.got].sort(), [...topics].sort());
  });
}

async function testOutages(t: Test, engine: Engine): Promise<void> {
  await t.test('after a restart of the server messages arrive again', async (t) => {
    const [a, b] = processes(t as Test, 2, engine.url());
    await b.subscribe('t');
    a.bus.publish('t', 'before');
    await until('the first message', () => b.got.length === 1);
    await engine.restart();
    await until('both gaps', () => a.gaps.length > 0 && b.gaps.length > 0);
    a.bus.publish('t', 'after');
    await until('the message after the restart', () => b.got.includes('after'));
    t.strictSame(b.got, ['before', 'after']);
    for (const { lines } of [a, b]) {
      t.equal(lines.length, 2, lines.join('\n'));
      t.match(lines[0], /^bus test: no connection \(.+\); until it is back, messages may be missing$/);
      t.match(lines[1], /^bus test: connected again after \d+\.\d s/);
    }
  });

  await t.test('a network that stalls is found within 10 s; the others hear of lost messages', async (t) => {
    const proxy = await Proxy.start(engine.port);
    t.teardown(() => proxy.close());
    const [a] = processes(t as Test, 1, engine.url(proxy.port));
    const [b] = processes(t as Test, 1, engine.url());
    await Promise.all([a.subscribe('t'), b.subscribe('t')]);
    await until('the connection that publishes', () => a.bus.isConnected);
    proxy.stall();
    const since = performance.now();
    a.bus.publish('t', 'lost');
    await until('the report', () => a.lines.length > 0);
    t.ok(performance.now() - since < 10_000, `found after ${performance.now() - since} ms`);
    t.match(a.lines[0], /no answer for 6 s/);
    b.bus.publish('t', 'unheard');
    proxy.resume();
    await until('the gap', () => a.gaps.length > 0);
    await until('the gap at the process whose connection held', () => b.gaps.length > 0);
    t.strictSame(b.lines, []);
    t.match(a.lines[1], /; 1 message of this process lost$/);
    b.bus.publish('t', 'heard');
    await until('a message', () => a.got.includes('heard'));
  });

  await t.test('messages of a long outage take bounded memory', async (t) => {
    const proxy = await Proxy.start(engine.port);
    t.teardown(() => proxy.close());
    const [a, b] = processes(t as Test, 2, engine.url(proxy.port));
    await b.subscribe('t');
    proxy.stall();
    const text = 'x'.repeat(100_000);
    let kept = 0;
    for (let i = 0; i < 1000; i++) if (a.bus.publish('t', text)) kept++;
    t.ok(kept > 100 && kept < 200, `${kept} messages of 100 kB kept`);
    t.ok(a.bus.stats().waiting <= 16 * 1024 * 1024);
    t.ok(a.bus.stats().dropped >= 800);
    proxy.resume();
    await until('the kept messages', () => b.got.length > 0);
  });

  await t.test('a server that comes later', async (t) => {
    const proxy = await Proxy.start(engine.port);
    proxy.close();
    const [a] = processes(t as Test, 1, engine.url(proxy.port));
    void a.subscribe('t');
    await until('the report', () => a.lines.length > 0);
    await sleep(500);
    t.equal(a.lines.length, 1, 'one line for all attempts');
    t.notOk(a.bus.isConnected);
  });
}
