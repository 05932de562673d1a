/** Programs that give the same output on every engine, and some for PostgreSQL alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runFile } from '#embed';
import t from 'tap';
import { isInShare } from '../share.js';
import { readExpectations } from '../spec/program.js';
import { compare } from '../spec/report.js';
import { findPostgres, PostgresServer } from './postgresserver.js';
import { stallingProxy } from './support/stalling.js';

const FOLDER = join(import.meta.dirname, 'programs');
const POSTGRES_FOLDER = join(import.meta.dirname, 'postgresprograms');

/** Programs for every engine: of those, the share of this run. */
const COMMON = readdirSync(FOLDER).filter((name) => isInShare(name));

/** Runs programs of a folder, each with a database of its own. */
async function runAll(t: Tap, folder: string, files: string[], url: (name: string) => Promise<string>): Promise<void> {
  for (const file of files) {
    const expected = readExpectations(readFileSync(join(folder, file), 'utf8'));
    process.env.DATABASE_URL = await url(file);
    const outcome = await runFile(join(folder, file), { args: expected.args, stdin: expected.stdin });
    const { actual, expected: right } = compare(file, expected, outcome);
    t.equal(actual, right, file);
  }
}

type Tap = typeof t;

/** The end of a nested transaction waits for no server; a thread whose time ends where it does wait goes on. */
async function releaseCase(t: Tap, server: PostgresServer): Promise<void> {
  const proxy = await stallingProxy(t, server.port);
  proxy.stalls = /RELEASE SAVEPOINT/;
  const folder = t.testdir({
    'app.svc': `
      db = database(env("DATABASE_URL"))
      db.transaction do
        2.times do
          puts timeout(0.2) { db.transaction { db.value("SELECT 1") } }
        rescue TimeoutError
          puts "in time"
        end
        exit(0)
      end`,
  });
  process.env.DATABASE_URL = server.url(await server.createDatabase(), { port: proxy.port });
  t.equal((await runFile(join(folder, 'app.svc'))).stdout, '1\nin time\n');
}

/** Blocks that undo something when a thread's time ends in them. `stop()` lets the server hang. */
const UNDOING = {
  'a transaction in a transaction': 'db.transaction { db.transaction { db.value("SELECT 1"); stop(); sleep 60 } }',
  'the rows of a statement': 'db.each("SELECT g FROM generate_series(1, 1000000) g") { |row| stop() if row.g == 1 }',
  'a lock': 'key_store(argv()[0]).lock("late") { stop(); sleep 60 }',
};

/** A thread whose time is over goes on, also if its server does not answer to what undoes the thread's work. */
async function lateCase(t: Tap, server: PostgresServer, block: string): Promise<void> {
  const proxy = await stallingProxy(t, server.port);
  proxy.stalls = /SELECT 'stop'/;
  proxy.stallsAll = true;
  const folder = t.testdir({
    'app.svc': `
      db = database(argv()[0])
      db.value("SELECT 1")
      def stop()
        db = database(argv()[0])
        spawn { db.value("SELECT 'stop'") }
      end
      spawn do
        sleep 4
        puts "others"
      end
      begin
        timeout(0.5) { ${block} }
      rescue TimeoutError
        puts "in time"
      end
      sleep 4
      exit(0)`,
  });
  const url = server.url(await server.createDatabase(), { port: proxy.port });
  const { stdout, stderr } = await runFile(join(folder, 'app.svc'), { args: [url] });
  t.equal(stdout, 'in time\nothers\n');
  t.equal(stderr, '');
}

process.env.TZ = 'UTC';

t.test('SQLite', async (t) => {
  const folder = t.testdir({});
  await runAll(t as Tap, FOLDER, COMMON, (file) => Promise.resolve(join(folder, `${file}.db`)));
});

const programs = findPostgres();
t.test('PostgreSQL', { skip: programs === null && 'PostgreSQL is not installed' }, async (t) => {
  const server = await PostgresServer.start(programs as string);
  t.teardown(() => server.stop());
  const url = async (): Promise<string> => server.url(await server.createDatabase());
  await runAll(t as Tap, FOLDER, COMMON, url);
  await runAll(t as Tap, POSTGRES_FOLDER, readdirSync(POSTGRES_FOLDER), url);
  await t.test('the release of a savepoint', (t) => releaseCase(t as Tap, server));
  await t.test('timeouts on a server that hangs', { jobs: 3 }, (t) => {
    for (const [name, block] of Object.entries(UNDOING)) void t.test(name, (t) => lateCase(t as Tap, server, block));
    t.end();
  });
});
