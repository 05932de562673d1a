/** What becomes of locks and jobs when an engine stops, forgets, or is cut off, and of workers without their first process. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Proxy } from '../bus/proxy.js';
import { findPostgres, PostgresServer } from '../data/postgresserver.js';
import { EFFECTS, notes, push, Site, type Test } from '../jobs/support.js';
import { until } from '../patience.js';
import { findRedis, NO_REDIS, RedisServer } from '../redisserver.js';
import { Svcc } from '../svcc/svcc.js';

t.setTimeout(600_000);
t.jobs = 2;

/** Milliseconds that an engine stands still. */
const AWAY_MS = 10_000;

const redis = findRedis();
const postgres = findPostgres();
const onLinux = process.platform !== 'linux' && 'needs the processes in /proc';
// Each test gets a copy: tap keeps the output of a buffered test in its options.
const REDIS = { skip: redis === null && NO_REDIS, buffered: true };
const POSTGRES = { skip: postgres === null ? 'PostgreSQL is not installed' : onLinux, buffered: true };

function run(t: Test, source: string, STORE_URL: string): Svcc {
  const process = new Svcc(['-e', `store = key_store(env("STORE_URL"), timeout: 60)\n${source}`], {
    env: { STORE_URL },
  });
  t.teardown(() => process.child.kill('SIGKILL'));
  return process;
}

/** Holds a lock for seconds, and prints its token, and what became of it. */
const holder = (ttl: number, seconds: number): string => `begin
  store.lock("l", ttl: ${ttl}) do |token|
    puts "token #{token}"
    sleep(${seconds})
    puts "held"
  end
rescue LockError => e
  puts e.message
end`;

const LOST = /^token (\d+)\nlock\("l"\): the lock was lost/;

async function token(process: Svcc): Promise<number> {
  return Number((await process.printed(/token (\d+)\n/))[1]);
}

t.test('locks, when Redis has lost its data', { ...REDIS }, async (t) => {
  const server = await RedisServer.start(redis as string);
  t.teardown(() => server.stop());
  const first = run(t as Test, holder(3, 1000), server.url());
  const before = await token(first);
  await server.restart();
  t.match((await first.finished()).stdout, LOST, 'the holder is told by its next renewal');
  const second = run(t as Test, holder(3, 0), server.url());
  t.ok((await token(second)) > before, 'tokens grow, although the last one is forgotten');
  t.match(await second.finished(), { stdout: /held/, stderr: '' });
});

t.test('locks, when the network between a holder and Redis stalls', { ...REDIS }, async (t) => {
  const server = await RedisServer.start(redis as string);
  t.teardown(() => server.stop());
  const proxy = await Proxy.start(server.port);
  t.teardown(() => proxy.close());
  const first = run(t as Test, holder(3, 1000), server.url().replace(`:${server.port}`, `:${proxy.port}`));
  const before = await token(first);
  const second = run(t as Test, holder(3, 0), server.url());
  proxy.stall();
  t.match((await first.finished()).stdout, LOST, 'the holder ends without an answer of the engine');
  t.ok((await token(second)) > before, 'the other one has the lock, with a larger token');
  t.match(await second.finished(), { stdout: /held/, stderr: '' });
});

t.test('locks, when Redis stands still for 10 s', { ...REDIS }, async (t) => {
  const server = await RedisServer.start(redis as string);
  t.teardown(() => server.stop());
  const first = run(t as Test, holder(60, 20), server.url());
  await token(first);
  server.pause();
  await sleep(AWAY_MS);
  server.resume();
  t.match(await first.finished(), { stdout: /held/, stderr: '' }, 'a longer lease outlives it');
});

t.test('locks that Redis grants late', { ...REDIS }, async (t) => {
  const server = await RedisServer.start(redis as string);
  t.teardown(() => server.stop());
  // The store waits longer than the lease.
  const first = run(t as Test, `puts "connected #{store.get("k")}"\ninput()\n${holder(2, 5)}`, server.url());
  await first.printed(/connected/);
  server.pause();
  first.child.stdin?.end('go\n');
  await sleep(4000);
  server.resume();
  t.match(await first.finished(), { stdout: /held/, stderr: '' }, 'the lease is extended before the block runs');
});

const WORKER = (name: string, seconds: number): string => `
jobs.handle("note", concurrency: 4) do |job|
  db.insert("effects", {n: job.data, worker: "${name} begins"})
  sleep(${seconds})
  db.insert("effects", {n: job.data, worker: "${name} ends"})
end
jobs.start()
puts "ready"
`;

async function siteOnPostgres(t: Test): Promise<[Site, PostgresServer]> {
  const server = await PostgresServer.start(postgres as string);
  t.teardown(() => server.stop());
  const site = await Site.postgres(t, server);
  await site.exec(EFFECTS.postgres);
  return [site, server];
}

t.test('jobs, when the network between a worker and PostgreSQL stalls', { ...POSTGRES }, async (t) => {
  const [site, server] = await siteOnPostgres(t as Test);
  const proxy = await Proxy.start(server.port);
  t.teardown(() => proxy.close());
  const env = { DATABASE_URL: site.url.replace(`:${server.port}/`, `:${proxy.port}/`) };
  const first = site.start('first', WORKER('first', 60), [], env);
  await first.printed(/ready/);
  await site.start('pusher', push(1)).ended;
  await site.reaches('the job', 'SELECT count(*) FROM effects', 1);
  proxy.stall();
  const second = site.start('second', WORKER('second', 0));
  await site.runsOut();
  t.strictSame(await notes(site), ['1 first begins', '1 second begins', '1 second ends'], 'another worker has the job');
  await until('the loss to be noticed', () => /lost its lease/.test(first.stderr));
  second.child.kill('SIGTERM');
  await second.ended;
  proxy.resume();
  await site.start('pusher', push(2)).ended;
  await site.reaches(
    'a job of the first worker',
    "SELECT count(*) FROM effects WHERE n = 2 AND worker = 'first begins'",
    1,
  );
  t.notMatch(first.stderr, /node:|at .*\.js/);
});

t.test('jobs, when the answer to a claim gets lost', { ...POSTGRES }, async (t) => {
  const [site, server] = await siteOnPostgres(t as Test);
  const proxy = await Proxy.start(server.port);
  t.teardown(() => proxy.close());
  await site.start('pusher', push(1, 2)).ended;
  const sent = proxy.loseAnswerTo("SET state = 'running'");
  const env = { DATABASE_URL: site.url.replace(`:${server.port}/`, `:${proxy.port}/`) };
  const worker = site.start('worker', WORKER('worker', 0), [], env);
  const cut = await sent;
  await site.reaches('the claim', "SELECT count(*) FROM svc_jobs WHERE state = 'running'", 2);
  cut();
  await site.runsOut();
  const ran = await notes(site);
  t.strictSame(
    [...ran].sort(),
    [1, 2].flatMap((n) => [`${n} worker begins`, `${n} worker ends`]),
    'each job ran once',
  );
  t.match(worker.stderr, /^warning: jobs of .* wait for the database: .*\n$/);
  worker.child.kill('SIGTERM');
  t.equal((await worker.ended).exitCode, 0);
});

/** Signals a PostgreSQL server and its children. */
function signal(server: PostgresServer, name: 'SIGSTOP' | 'SIGCONT'): void {
  const pid = Number(readFileSync(join(server.folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  // The first one starts no further ones while it is stopped.
  for (const each of [pid, ...children]) {
    try {
      process.kill(each, name);
    } catch (error) {
      // A worker of the server may have ended meanwhile.
      if (each === pid || (error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

t.test('jobs, when PostgreSQL stands still for 10 s', { ...POSTGRES }, async (t) => {
  const [site, server] = await siteOnPostgres(t as Test);
  const both = ['first', 'second'].map((name) => site.start(name, WORKER(name, 1)));
  for (const process of both) await process.printed(/ready/);
  const numbers = Array.from({ length: 40 }, (_, i) => i);
  await site.start('pusher', push(...numbers)).ended;
  await site.reaches('some jobs', "SELECT count(*) FROM effects WHERE worker LIKE '%ends'", 4);
  signal(server, 'SIGSTOP');
  await sleep(AWAY_MS);
  signal(server, 'SIGCONT');
  await site.runsOut();
  const ended = "FROM effects WHERE worker LIKE '%ends'";
  t.equal(await site.value(`SELECT count(DISTINCT n) ${ended}`), 40, 'each job ran');
  // On a slow machine the beats before and after the pause may be more than 16 s apart.
  const gaveUp = both.some(({ stderr }) => stderr.includes('lost its lease'));
  const runs = (await site.value(`SELECT count(*) ${ended}`)) as number;
  t.ok(
    runs <= (gaveUp ? 48 : 40),
    `${runs} runs; the jobs under way run again if a worker has given them up: ${gaveUp}`,
  );
  t.equal(await site.value('SELECT count(*) FROM svc_jobs'), 0, 'none is dead');
  for (const { stderr } of both) t.notMatch(stderr, /node:|at .*\.js/);
});

/** Parents of the processes that run, by /proc. */
function parents(): Map<number, number> {
  const found = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1].split(' ');
      found.set(Number(name), Number(parent));
    } catch {
      // It has ended.
    }
  }
  return found;
}

t.test('workers end when their first process is killed', { skip: onLinux, buffered: true }, async (t) => {
  const source =
    'app = web_app()\napp.get("/") { |req| "hello" }\napp.get("/slow") { |req| sleep(1000) }\napp.run(0, "127.0.0.1")\n';
  const server = new Svcc(['run', '--workers', '2', 'app.svc'], { cwd: t.testdir({ 'app.svc': source }) });
  const [, port] = await server.printed(/127\.0\.0\.1:(\d+)\n/);
  const workers = await until('two workers', () => {
    const found = [...parents()].filter(([, parent]) => parent === server.child.pid).map(([pid]) => pid);
    return found.length === 2 && found;
  });
  t.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'hello');
  const slow = fetch(`http://127.0.0.1:${port}/slow`).catch((error: unknown) => error);
  server.child.kill('SIGKILL');
  await server.ended;
  await until('the end of the workers', () => !workers.some((pid) => parents().has(pid)));
  t.ok((await slow) instanceof Error, 'a request under way breaks');
});
