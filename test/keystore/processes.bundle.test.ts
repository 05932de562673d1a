/** Several processes with one key store; what becomes of a lock whose process dies or is stopped. */
import { join } from 'node:path';
import t from 'tap';
import { findPostgres, PostgresServer } from '../data/postgresserver.js';
import { findRedis, NO_REDIS, RedisServer } from '../redisserver.js';
import { until } from '../patience.js';
import { RUNS_ALL } from '../share.js';
import { Svcc } from '../svcc/svcc.js';

type Test = typeof t;

t.setTimeout(300_000);

const PROCESSES = 4;

/** Waits until all processes have come so far. */
const TOGETHER = `
store.increment("ready")
sleep(0.005) until store.get("ready") == ${PROCESSES}
`;

/** Starts a program with the store \`store\`; it is killed when the test ends. */
function start(t: Test, url: string, prefix: string, text: string): Svcc {
  const source = `store = key_store(env("STORE_URL"), prefix: ${JSON.stringify(prefix)})\n${text}\n`;
  const process = new Svcc(['-e', source], { env: { STORE_URL: url } });
  t.teardown(() => process.child.kill('SIGKILL'));
  return process;
}

/** What each of several processes with the same program prints. */
async function outputs(t: Test, url: string, prefix: string, text: string): Promise<string[]> {
  const processes = Array.from({ length: PROCESSES }, () => start(t, url, prefix, `${TOGETHER}${text}`));
  const ended = await Promise.all(processes.map((process) => process.finished()));
  for (const { stderr } of ended) t.equal(stderr, '');
  return ended.map(({ stdout }) => stdout.trim());
}

function changeCases(t: Test, url: string): void {
  void t.test('no update is lost', async (t) => {
    const text = `
      30.times { store.update("n", 0) { |n| n + 1 } }
      await((1..10).map { spawn { store.update("n", 0) { |n| n + 1 }; store.increment("m") } })
      store.increment("done")
      sleep(0.005) until store.get("done") == ${PROCESSES}
      puts store.get("n"), store.get("m")`;
    t.same(
      await outputs(t as Test, url, 'update:', text),
      Array(PROCESSES).fill(`${PROCESSES * 40}\n${PROCESSES * 10}`),
    );
  });

  void t.test('one process computes a missing value', async (t) => {
    const text = `
      value = store.fetch("page") { store.increment("computed"); sleep(0.2); "page \${store.get("computed")}" }
      puts value, store.get("computed")`.replace('${', '#{');
    t.same(await outputs(t as Test, url, 'fetch:', text), Array(PROCESSES).fill('page 1\n1'));
  });

  void t.test('one process at a time has a lock, and tokens grow', async (t) => {
    const text = `
      20.times do
        store.lock("l") do |token|
          inside = store.get("inside") || 0
          last = store.get("last") || 0
          puts "two at once" unless inside == 0
          puts "a smaller token" unless token > last
          store.set("inside", 1)
          store.set("last", token)
          store.set("inside", 0)
          store.set("count", (store.get("count") || 0) + 1)
        end
      end
      store.increment("done")
      sleep(0.005) until store.get("done") == ${PROCESSES}
      puts store.get("count")`;
    t.same(await outputs(t as Test, url, 'lock:', text), Array(PROCESSES).fill(String(PROCESSES * 20)));
  });
}

/** Takes a lock and keeps it; prints the token. */
const HOLDER = 'store.lock("l", ttl: 1) { |token| puts token; sleep(1000) }';

function deathCases(t: Test, url: string): void {
  void t.test('the lock of a killed process goes to the next', async (t) => {
    const holder = start(t as Test, url, 'killed:', HOLDER);
    const [, first] = await holder.printed(/(\d+)\n/);
    const next = start(
      t as Test,
      url,
      'killed:',
      'puts "asks"\nstore.lock("l", ttl: 1) { |token| puts "token #{token}" }',
    );
    await next.printed(/asks\n/);
    holder.child.kill('SIGKILL');
    const [, second] = await next.printed(/token (\d+)\n/);
    t.ok(BigInt(second) > BigInt(first), 'with a larger token');
  });

  void t.test('a process that was stopped for too long has lost its lock', async (t) => {
    const holder = start(
      t as Test,
      url,
      'stopped:',
      `begin
        store.lock("l", ttl: 1) do
          begin
            puts "has it"
            sleep(1000)
          rescue Error
            puts "rescued"
          ensure
            puts "ensured"
          end
        end
      rescue LockError => e
        puts e.message
      end`,
    );
    await holder.printed(/has it\n/);
    holder.child.kill('SIGSTOP');
    const next = start(t as Test, url, 'stopped:', 'store.lock("l", ttl: 60) { puts "has it"; sleep(1000) }');
    await next.printed(/has it\n/);
    holder.child.kill('SIGCONT');
    const { stdout } = await holder.finished();
    t.equal(
      stdout,
      'has it\nensured\nlock("l"): the lock was lost, because it could not be renewed in time; others may have it\n',
    );
  });

  void t.test('a value whose process is killed while it computes is computed by another', async (t) => {
    const text = (value: string): string => `puts store.fetch("k") { puts "computes"; ${value} }`;
    const killed = start(t as Test, url, 'dying:', text('sleep(1000)'));
    await killed.printed(/computes\n/);
    const next = start(t as Test, url, 'dying:', text('"value"'));
    killed.child.kill('SIGKILL');
    const { stdout } = await next.finished();
    t.equal(stdout, 'computes\nvalue\n');
  });

  void t.test('a lock is renewed while its block runs', async (t) => {
    const holder = start(
      t as Test,
      url,
      'renewed:',
      'store.lock("l", ttl: 2) { puts "has it"; sleep(4.5); store.set("ended", true) }',
    );
    await holder.printed(/has it\n/);
    const next = start(t as Test, url, 'renewed:', 'store.lock("l") { puts store.get("ended").inspect }');
    t.same(await next.finished(), { stdout: 'true\n', stderr: '', exitCode: 0 }, 'others wait until it has ended');
    t.equal((await holder.finished()).stderr, '');
  });
}

function cases(t: Test, url: string): void {
  changeCases(t, url);
  if (!RUNS_ALL) return;
  void t.test('death', { jobs: 4 }, (t) => {
    deathCases(t as Test, url);
    t.end();
  });
}

t.test('SQLite', (t) => {
  cases(t as Test, `sqlite:${join(t.testdir({}), 'store.db')}`);
  t.end();
});

const programs = findPostgres();
t.test('PostgreSQL', { skip: programs === null && 'PostgreSQL is not installed' }, async (t) => {
  const server = await PostgresServer.start(programs as string);
  t.teardown(() => server.stop());
  cases(t as Test, server.url(await server.createDatabase()));
});

const redis = findRedis();
t.test('Redis', { skip: redis === null && NO_REDIS }, async (t) => {
  const server = await RedisServer.start(redis as string, 'p@ss');
  t.teardown(() => server.stop());
  cases(t as Test, server.url());
});

// /proc tells a program its process number.
const ON_LINUX = { skip: process.platform !== 'linux' && 'needs /proc' };

/** Each worker has its own mark. */
const SERVICE = `
app = web_app()
store = key_store("memory:")
me = random_token(8)
app.get("/me") { |req| me }
app.get("/add") { |req| "#{store.update("n", 0) { |n| sleep(0.001); n + 1 }}" }
app.get("/n") { |req| "#{store.get("n")}" }
app.get("/lock") { |req| store.lock("l", ttl: 1000, wait: 60) { |token| "#{token}" } }
app.get("/hold") { |req| store.lock("l", ttl: 1000) { puts "held by #{file_read("/proc/self/stat").split(" ")[0]}"; sleep(1000) } }
app.run(0, "127.0.0.1")
`;

t.test('the workers of a program share memory:', ON_LINUX, async (t) => {
  const server = new Svcc(['run', '--workers', '2', 'app.svc'], { cwd: t.testdir({ 'app.svc': SERVICE }) });
  t.teardown(() => server.child.kill('SIGKILL'));
  const port = Number((await server.printed(/127\.0\.0\.1:(\d+)\n/))[1]);
  const ask = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).text();
  const marks = new Set<string>();
  await until('answers of both workers', async () => marks.add(await ask('/me')).size === 2);

  await Promise.all(Array.from({ length: 40 }, () => ask('/add')));
  t.equal(await ask('/n'), '40', 'no update of either is lost');
  const tokens = [];
  for (let i = 0; i < 10; i++) tokens.push(Number(await ask('/lock')));
  t.same(
    tokens,
    tokens.toSorted((a, b) => a - b),
    'tokens grow',
  );

  ask('/hold').catch(() => {});
  const [, pid] = await server.printed(/held by (\d+)\n/);
  const waiting = until('a worker that lives', () => ask('/lock').catch(() => null));
  process.kill(Number(pid), 'SIGKILL');
  t.ok(Number(await waiting) > tokens[9], 'the lock of a killed worker is free at once');
  t.equal(await ask('/n'), '40', 'values outlive a worker');
  await server.stop();
});
