/** Subscribers that do not read: bounded memory, and no effect on others. */
import t from 'tap';
import { memoryOf } from '../memory.js';
import { until } from '../patience.js';
import { Svcc } from '../svcc/svcc.js';
import { serve } from '../web/support/serve.js';
import { type Engine, ENGINES } from './engines.js';
import { Service } from './service.js';

type Test = typeof t;

t.setTimeout(600_000);

/** 9,500 subscriptions, of which one in ten takes more than its first message. */
const SUBSCRIBERS = `app = web_app()
app.set("threads", 20_000)
bus = message_bus(env("BUS_URL"))
counts = {quick: 0, ended: 0}
tasks = []
9500.times do |i|
  if i % 10 > 0
    tasks.push(bus.subscribe("news") { |msg| sleep(100_000) })
  else
    bus.subscribe("news") { |msg| counts["quick"] += 1 }
  end
end
app.get("/state") { |req| {quick: counts["quick"], ended: tasks.select { |task| task.done? }.length} }
app.run(0)
`;

/**
 * Sends messages of 10 kB, slowly enough for a process with 950 subscriptions that read: on a busy machine, those get
 * time until they are at most 20 messages behind.
 */
const PUBLISHER = `bus = message_bus(env("BUS_URL"))
150.times do |i|
  bus.publish("news", {number: i, text: "x" * 10_000})
  sleep(0.05)
  while i % 10 == 9 && http_get(env("STATE_URL")).json["quick"] < 950 * (i - 20)
    sleep(0.05)
  end
end
`;

const [redis] = ENGINES;
void t.test(
  'thousands of subscriptions, of which some never read',
  { skip: redis.start === null && redis.missing },
  async (t) => {
    const engine = await (redis.start as () => Promise<Engine>)();
    t.teardown(() => engine.stop());
    const env = { BUS_URL: engine.url() };
    const { server, port } = await serve(t as Test, SUBSCRIBERS, { env });
    const before = memoryOf(server.child);
    const folder = t.testdir({ 'publish.svc': PUBLISHER });
    const STATE_URL = `http://127.0.0.1:${port}/state`;
    const publisher = new Svcc(['run', 'publish.svc'], { cwd: folder, env: { ...env, STATE_URL } });
    t.equal((await publisher.ended).exitCode, 0);
    const state = async (): Promise<{ quick: number; ended: number }> =>
      (await (await fetch(STATE_URL)).json()) as { quick: number; ended: number };
    await until('all messages at those that read', async () => (await state()).quick === 950 * 150);
    t.equal((await state()).ended, 8550, 'those that do not read have ended');
    const grown = memoryOf(server.child) - before;
    t.ok(grown < 300, `the memory has grown by ${grown.toFixed(0)} MB`);
    t.match(server.stderr, /bus redis:.*: the subscription to "news" is too slow: \d+ messages wait, more than 1 MiB;/);
  },
);

void t.test('a worker that is stopped', async (t) => {
  const service = await Service.workers(t as Test);
  const first = service.servers[0].child;
  const [a, b] = [await service.open(0, '/rooms/stop'), await service.open(1, '/rooms/stop')];
  const [, stopped] = service.ids;
  process.kill(stopped, 'SIGSTOP');
  t.teardown(() => process.kill(stopped, 'SIGCONT'));
  const before = memoryOf(first);
  const text = 'x'.repeat(500_000);
  for (let i = 0; i < 200; i++) {
    a.send(text);
    t.equal(await a.next(), 'reached 0');
  }
  const grown = memoryOf(first) - before;
  t.ok(grown < 150, `the first process has grown by ${grown.toFixed(0)} MB for 100 MB of messages`);
  process.kill(stopped, 'SIGCONT');
  await until('a message at a connection that opens after what had been kept', async () => {
    const c = await service.open(1, '/rooms/stop');
    a.send('awake');
    await a.next();
    const message = await c.nextIfAny();
    c.ws.terminate();
    return message === 'awake';
  });
  t.ok(b.messages.length < 202, 'a member there has missed some');
  await service.servers[0].printed(/gap true/);
});
