/** A PostgreSQL that loses its data under a running program: what becomes of stores, locks, jobs, schedules and messages. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { processorTime } from '../clock.js';
import { findPostgres, PostgresServer } from '../data/postgresserver.js';
import type { Test } from '../jobs/support.js';
import { until } from '../patience.js';
import { Program } from './program.js';

t.setTimeout(300_000);
t.jobs = 2;

/** Milliseconds for which a database is away, and processor time that a program may use meanwhile. */
const AWAY_MS = 2000;
const BUSY_MS = 1000;
/** Maximum number of lines on stderr for one loss. */
const LINES = 10;

/** Messages of more than 8,000 bytes are in a table. */
const PROGRAM = `
url = env("DATABASE_URL")
store = key_store(url, timeout: 60)
bus = message_bus(url)
db = database(url)
jobs = job_queue(db, drain_seconds: 2)

bus.subscribe("texts") { |text| puts "received #{text[0]} #{text.size}" }
jobs.handle("note") { |job| puts "job #{job.id} #{job.data}" }
jobs.handle("long") do |job|
  puts "long begins"
  sleep(1000)
ensure
  puts "long ends"
end
jobs.every("tick", "* * * * * *") { |job| puts "tick" }
jobs.start() if env("WORKS")

commands = {
  "lock" => ->(_) {
    spawn do
      store.lock("l", ttl: 3) { |token| puts "token #{token}"; sleep(1000) }
    rescue LockError => e
      puts "LockError #{e.message}"
    end
    "lock"
  },
  "add" => ->(key) { store.add(key, 1) },
  "get" => ->(key) { store.get(key) },
  "increment" => ->(key) { store.increment(key) },
  "push" => ->(data) { jobs.push("note", data) },
  "push_all" => ->(data) { db.transaction { jobs.push("note", data) } },
  "long" => ->(_) { jobs.push("long") },
  "counts" => ->(_) { jobs.counts["dead"] },
  "publish" => ->(letter) { bus.publish("texts", letter * 9000) },
  "connected" => ->(_) { bus.connected? }
}
`;

/** Starts the program. @param works whether it runs jobs */
const start = (t: Test, url: string, works: boolean): Promise<Program> =>
  Program.start(t, PROGRAM, { DATABASE_URL: url, ...(works ? { WORKS: 'yes' } : {}) });

/** Takes the lock, which the program keeps. Returns the token. */
async function lock(program: Program): Promise<number> {
  await program.does('lock');
  return Number((await program.prints(/^token (\d+)\n/m))[1]);
}

const programs = findPostgres();
const skip =
  (programs === null && 'PostgreSQL is not installed') ||
  (process.platform !== 'linux' && 'needs the processes in /proc');

/** The server of all tests but the one that ends its own. */
const common = skip === false ? PostgresServer.start(programs as string) : null;
t.teardown(async () => (await common)?.stop());

/** How a database is lost. It calls `away`, if at all, while there is no such database. */
type Loss = (server: PostgresServer, database: string, away: () => Promise<void>) => Promise<unknown>;

/** @param isOwn whether a server is lost, and not a part of one that runs */
function afterLoss(title: string, isOwn: boolean, lose: Loss): void {
  // Each test gets a copy: tap keeps the output of a buffered test in its options.
  t.test(title, { skip, buffered: true }, async (t) => {
    const server = isOwn ? await PostgresServer.start(programs as string) : ((await common) as PostgresServer);
    if (isOwn) t.teardown(() => server.stop());
    const database = await server.createDatabase();
    const first = await start(t as Test, server.url(database), true);
    const second = await start(t as Test, server.url(database), false);
    const both = [first, second];

    t.equal(await first.does('add', 'k'), 'true');
    await first.does('publish', 'a');
    await second.prints(/^received a 9000\n/m);
    await first.does('long');
    await first.prints(/^long begins\n/m);
    const token = await lock(first);

    let busy = 0;
    await lose(server, database, async () => {
      const before = processorTime(first.svcc.child);
      await sleep(AWAY_MS);
      busy = processorTime(first.svcc.child) - before;
      if (isOwn) return;
      const answer = await second.does('get', 'k');
      t.ok(answer.startsWith('ConnectionError') && answer.includes(`database "${database}" does not exist`), answer);
    });
    t.ok(busy < BUSY_MS, `${busy} ms of processor time while the database is away`);

    await first.prints(/^LockError lock\("l"\): the lock was lost/m);
    await first.prints(/^long ends\n/m);
    for (const program of both) program.mark();
    for (const program of both) await until('the bus', async () => (await program.does('connected')) === 'true');
    t.equal(await first.does('get', 'k'), 'nil');
    t.equal(await second.does('add', 'k'), 'true');
    t.equal(await first.does('get', 'k'), '1');
    t.equal(await second.does('increment', 'n'), '1');
    t.match(await second.does('push', 'x'), /^\d+$/);
    t.match(await first.does('push', 'y'), /^\d+$/);
    for (const data of ['x', 'y']) await first.prints(new RegExp(`^job \\d+ ${data}\\n`, 'm'));
    t.equal(await second.does('counts'), '0');
    await first.prints(/^tick\n/m);
    await first.does('publish', 'b');
    await second.prints(/^received b 9000\n/m);
    await second.does('publish', 'c');
    await first.prints(/^received c 9000\n/m);
    t.ok((await lock(first)) > token, 'tokens grow');

    // Where the loss takes long, the lease ends before it is noticed.
    t.match(first.svcc.stderr, /creates the tables svc_jobs… again, because the database has lost them; running jobs that are cancelled: \d+\n|lost its lease, .*; running jobs that are left to others: \d+\n/); // prettier-ignore
    for (const { svcc } of both) {
      t.notMatch(svcc.stderr, /node:|at .*\.js/);
      t.ok(svcc.stderr.split('\n').length <= LINES, svcc.stderr);
    }
    first.svcc.child.kill('SIGTERM');
    await first.svcc.ended;
    t.strictSame(await server.query(database, 'SELECT id FROM svc_jobs_workers'), [], 'its lease has ended');
  });
}

const TABLES = 'svc_store, svc_locks, svc_jobs, svc_jobs_workers, svc_jobs_schedules, svc_bus_messages';

afterLoss('tables that are dropped', false, (server, database) =>
  // A statement of the program may wait for this one, and this one for the program.
  until('the end of the tables', () => server.query(database, `DROP TABLE ${TABLES}`).catch(() => null)),
);

afterLoss('a database that is dropped, and created again', false, async (server, database, away) => {
  await server.query('postgres', `DROP DATABASE ${database} WITH (FORCE)`);
  await away();
  await server.query('postgres', `CREATE DATABASE ${database}`);
});

afterLoss('a server that is replaced by an empty one', true, async (server, database, away) => {
  await server.halt();
  await away();
  await server.replace();
  await server.query('postgres', `CREATE DATABASE ${database}`);
});

t.test('tables of jobs that are dropped, without a worker', { skip, buffered: true }, async (t) => {
  const server = (await common) as PostgresServer;
  const database = await server.createDatabase();
  const program = await start(t as Test, server.url(database), false);
  const drop = (tables: string): Promise<unknown> => server.query(database, `DROP TABLE ${tables}`);
  t.equal(await program.does('push', 'x'), '1');
  await drop('svc_jobs, svc_jobs_workers, svc_jobs_schedules');
  t.equal(await program.does('push', 'x'), '1', 'the tables are new');
  t.equal(await program.does('push', 'x'), '2');
  await drop('svc_jobs');
  t.equal(await program.does('counts'), '0', 'one of them is new');
  await drop('svc_jobs');
  t.match(await program.does('push_all', 'x'), /^DatabaseError .*"svc_jobs" does not exist/);
  t.equal(await program.does('push_all', 'x'), '1', 'the next transaction creates them');
  t.equal(program.svcc.stderr, '');
});
