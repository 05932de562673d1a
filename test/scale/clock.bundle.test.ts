/** A time of day that jumps by an hour, forward and back: that of a program's host, and that of an engine's. */
import t from 'tap';
import { findPostgres, PostgresServer } from '../data/postgresserver.js';
import type { Test } from '../jobs/support.js';
import { until } from '../patience.js';
import { findRedis, NO_REDIS, RedisServer } from '../redisserver.js';
import { Svcc } from '../svcc/svcc.js';
import { Program } from './program.js';
import { findFaketime, NO_FAKETIME, ShiftedClock } from './shiftedclock.js';

t.setTimeout(300_000);
t.jobs = 2;

const HOUR = 3600;

const library = findFaketime();
const redis = findRedis();
const postgres = findPostgres();
const skip =
  (library === null && NO_FAKETIME) ||
  (redis === null && NO_REDIS) ||
  (postgres === null && 'PostgreSQL is not installed');

/** `half` is a minute that is half an hour away. */
const PROGRAM = `
stores = {"redis" => key_store(env("REDIS_URL")), "postgres" => key_store(env("DATABASE_URL")), "sqlite" => key_store("sqlite:store.db"), "memory" => key_store("memory:")}
queues = {"postgres" => job_queue(database(env("DATABASE_URL"))), "sqlite" => job_queue(database("jobs.db"))}
half = (now().utc.minute + 30) % 60
queues.each do |engine, jobs|
  jobs.handle("long") do |job|
    puts "long #{engine} #{job.attempt}"
    sleep(0.05) until stores["redis"].get("end")
    puts "ended #{engine}"
  end
  jobs.every("hour", "#{half} * * * *") { |job| puts "hour #{engine}" }
  jobs.every("second", "* * * * * *") { |job| puts "second #{engine}" }
  jobs.start() if env("WORKS")
end

commands = {
  "hold" => ->(name) {
    spawn do
      stores[name].lock("l", ttl: 2) do |token|
        puts "token #{name} #{token}"
        sleep(0.05) until stores["redis"].get("end")
        puts "held #{name}"
      end
    rescue LockError => e
      puts "lost #{name}"
    end
  },
  "try" => ->(name) { stores[name].lock("l", wait: 0) { |token| token } },
  "limit" => ->(name) { rate_limit("key", max: 1, window: 600, store: stores[name]) },
  "keep" => ->(name) { stores[name].set("kept", 1, ttl: 600) },
  "kept" => ->(name) { stores[name].get("kept") },
  "brief" => ->(name) { stores[name].set("brief", 1, ttl: 1) },
  "expired" => ->(name) { stores[name].get("brief") == nil },
  "wait" => ->(name) {
    spawn do
      start = clock_ms()
      sleep(2)
      timeout(1) { sleep(1000) } rescue nil
      puts "waited #{name} #{clock_ms() - start}"
    end
    name
  },
  "push" => ->(engine) { queues[engine].push("long") },
  "end" => ->(_) { stores["redis"].set("end", true) },
  "now" => ->(_) { now().to_i }
}
`;

/** Remembers a name in a session in the cookie, and another one in a session in a store. */
const SERVER = `
store = key_store(env("REDIS_URL"))
SECRET = "a secret for tests, of 32 bytes or more"
app = web_app()
app.sessions(secret: SECRET, name: "own")
app.get("/login") do |req|
  req.session["name"] = "ann"
  res = response("ok")
  kept = session(req, res, secret: SECRET, store: store)
  kept["name"] = "bob"
  kept.save
  res
end
app.get("/me") { |req| "#{req.session["name"]} #{session(req, secret: SECRET, store: store)["name"]}" }
app.run(0, "127.0.0.1")
`;

/** Starts servers for a test. Returns their URLs. @param env is added to the environment of PostgreSQL */
async function servers(
  t: Test,
  env: Record<string, string> = {},
): Promise<{ REDIS_URL: string; DATABASE_URL: string }> {
  const [store, database] = await Promise.all([
    RedisServer.start(redis as string),
    PostgresServer.start(postgres as string, env),
  ]);
  t.teardown(() => store.stop());
  t.teardown(() => database.stop());
  return { REDIS_URL: store.url(), DATABASE_URL: database.url(await database.createDatabase()) };
}

const ENGINES = ['redis', 'postgres'];
const ALL = [...ENGINES, 'memory'];

// Each test gets a copy: tap keeps the output of a buffered test in its options.
t.test("the clock of a program's host", { skip, buffered: true }, async (t) => {
  const urls = await servers(t as Test);
  const clock = new ShiftedClock(t as Test, library as string);
  const first = await Program.start(t as Test, PROGRAM, { ...urls, ...clock.env, WORKS: 'yes' });
  const second = await Program.start(t as Test, PROGRAM, urls);
  const server = new Svcc(['-e', SERVER], { env: { ...urls, ...clock.env } });
  t.teardown(() => server.child.kill('SIGKILL'));
  const base = `http://127.0.0.1:${await server.port()}`;
  const login = await fetch(`${base}/login`);
  const Cookie = login.headers.getSetCookie().map((text) => text.split(';', 1)[0]).join('; '); // prettier-ignore

  for (const name of ALL) {
    await first.does('hold', name);
    await first.prints(new RegExp(`^token ${name} `, 'm'));
    t.equal(await first.does('limit', name), 'true');
    await first.does('keep', name);
  }
  for (const engine of ['postgres', 'sqlite']) {
    await first.does('push', engine);
    await first.prints(new RegExp(`^long ${engine} 1\\n`, 'm'));
    await first.prints(new RegExp(`^second ${engine}\\n`, 'm'));
  }

  await first.does('hold', 'sqlite');
  await first.prints(/^token sqlite /m);

  for (const shift of [HOUR, -HOUR]) {
    first.mark();
    await first.does('wait', `${shift}`);
    clock.shift(shift);
    t.ok(Math.abs(Number(await first.does('now')) - Number(await second.does('now')) - shift) < 60, 'it has jumped');
    const [, ms] = await first.prints(/^waited \S+ (\d+)\n/m);
    t.ok(Number(ms) >= 3000, `sleep and timeout took ${ms} ms`);
    for (const name of ALL) {
      t.equal(await first.does('limit', name), 'false', 'a rate limit counts on');
      t.equal(await first.does('kept', name), '1', 'a value is kept');
      await first.does('brief', name);
      await until('the end of a brief value', async () => (await first.does('expired', name)) === 'true');
    }
    for (const name of ENGINES) t.match(await second.does('try', name), /^LockError .*another .* has it/);
    t.equal(await (await fetch(`${base}/me`, { headers: { Cookie } })).text(), 'ann bob', 'sessions are valid');
    await until('ticks on PostgreSQL', () => first.count(/^second postgres\n/gm) >= 3);
    t.equal(first.count(/^hour postgres\n/gm), 0, 'schedules on PostgreSQL follow its clock');
    if (shift > 0) {
      await first.prints(/^lost sqlite\n/m);
      await first.prints(/^hour sqlite\n/m);
      await until('ticks on SQLite', () => first.count(/^second sqlite\n/gm) >= 3);
    } else {
      t.equal(first.count(/^hour sqlite\n/gm), 0, 'schedules on SQLite follow the clock of the program');
      t.ok(first.count(/^second sqlite\n/gm) <= 1, 'and wait until it reaches the last tick again');
    }
  }

  await first.does('end');
  for (const name of ALL) await first.prints(new RegExp(`^held ${name}\\n`, 'm'));
  for (const engine of ['postgres', 'sqlite']) {
    await first.prints(new RegExp(`^ended ${engine}\\n`, 'm'));
    t.notMatch(first.svcc.stdout, new RegExp(`long ${engine} 2`));
  }
  t.equal(first.svcc.stdout.match(/^hour sqlite$/gm)?.length, 1, 'a tick that was jumped over runs once');
  for (const { stderr } of [first.svcc, second.svcc, server]) t.equal(stderr, '');
});

// Redis cannot be tested like this: its memory allocator fails with libfaketime.
t.test("the clock of PostgreSQL's host", { skip, buffered: true }, async (t) => {
  const clock = new ShiftedClock(t as Test, library as string);
  const urls = await servers(t as Test, clock.env);
  const [first, second] = [
    await Program.start(t as Test, PROGRAM, urls),
    await Program.start(t as Test, PROGRAM, urls),
  ];
  const taken = async (): Promise<number> => Number((await first.prints(/^token postgres (\d+)\n/m))[1]);
  await first.does('hold', 'postgres');
  const before = await taken();
  clock.shift(HOUR);
  await first.prints(/^lost postgres\n/m);
  const ahead = Number(await second.does('try', 'postgres'));
  clock.shift(0);
  first.mark();
  await first.does('hold', 'postgres');
  const after = await taken();
  t.ok(before < ahead && ahead < after, `tokens grow: ${before}, ${ahead}, ${after}`);
  for (const { svcc } of [first, second]) t.equal(svcc.stderr, '');
});
