/** Threads that are ended while they subscribe. */
import t from 'tap';
import { until } from '../patience.js';
import { findRedis, NO_REDIS, RedisServer } from '../redisserver.js';
import { Svcc } from '../svcc/svcc.js';

const redis = findRedis();

const PROGRAM = `bus = message_bus(env("BUS_URL"))
got = shared(0)
bus.subscribe("warm") { |msg| nil }
puts "ready"
input()
3.times do
  timeout(0.2) { bus.subscribe("news") { |msg| got.update(&.succ) } }
rescue TimeoutError
  puts "late"
end
input()
sleep(0.1) until bus.connected?
task = bus.subscribe("news") { |msg| got.update(&.succ) }
bus.publish("news", 1)
sleep(0.01) until got.get > 0
sleep(0.2)
puts "received: #{got.get}"
exit(0)
`;

t.test(
  'a subscription whose thread is ended before it has the task',
  { skip: redis === null && NO_REDIS },
  async (t) => {
    const server = await RedisServer.start(redis as string);
    t.teardown(() => server.stop());
    const program = new Svcc(['run', 'app.svc'], {
      cwd: t.testdir({ 'app.svc': PROGRAM }),
      env: { BUS_URL: server.url() },
    });
    const shown = (text: string): Promise<unknown> => until(text, () => program.stdout.endsWith(text));
    await shown('ready\n');
    server.pause();
    program.child.stdin?.write('\n');
    await shown('late\nlate\nlate\n');
    server.resume();
    program.child.stdin?.write('\n');
    await shown('received: 1\n');
  },
);

/** The second MemoryError ends the thread. */
const GREEDY = `bus = message_bus("local:")
task = bus.subscribe("t") do |msg|
  3.times do
    begin
      list = [0] * 15_000_000
      list + list
    rescue MemoryError
      nil
    end
  end
end
bus.publish("t", 1)
sleep(0.05) until task.done?
exit(0)
`;

t.test('a subscription that a lack of memory ends says so', async (t) => {
  const program = new Svcc(['run', 'app.svc'], {
    cwd: t.testdir({ 'app.svc': GREEDY }),
    env: { NODE_OPTIONS: '--max-old-space-size=100' },
  });
  const { exitCode, stderr } = await program.finished();
  t.equal(exitCode, 0);
  t.match(stderr, /^the subscription to "t" has ended:\nMemoryError: out of memory/);
});
