/**
 * A service with a database: clients that leave, other threads beside long statements, metrics. Migrations of PostgreSQL
 * (those of SQLite: test/svcc/migrate.test.ts).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { happens, until } from '../patience.js';
import { type Outcome, svcc } from '../svcc/svcc.js';
import { Connection } from '../web/support/connection.js';
import { get, serve } from '../web/support/serve.js';
import { findPostgres, PostgresServer } from './postgresserver.js';

type Test = typeof t;

/** A statement that runs until it is cancelled. */
const ENDLESS = {
  sqlite: 'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r',
  postgres: 'SELECT pg_sleep(100000)',
};

/** Writes `ended` when a statement of /endless is over, however that happened. */
const program = (url: string, endless: string): string => `
db = database(${JSON.stringify(url)}, pool: 2)
app = web_app()
app.metrics("/metrics")
app.get("/endless") do |req|
  begin
    puts "begun"
    db.transaction { db.value(${JSON.stringify(endless)}) }
  ensure
    puts "ended"
  end
end
app.get("/quick/:n") { |req| "#{db.value("SELECT 40 + 2")}" }
app.run(0)
`;

async function serviceCases(t: Test, url: string, endless: string): Promise<void> {
  const { server, port } = await serve(t, program(url, endless));
  t.equal((await get(port, '/quick/0')).body, '42');

  // More clients than the pool has connections: each that leaves gives its connection back.
  for (let round = 1; round <= 6; round++) {
    const connection = await Connection.open(port);
    connection.send('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('a statement to begin', () => (server.stdout.match(/^begun$/gm)?.length ?? 0) === round);
    t.equal((await get(port, `/quick/${round}`)).body, '42', 'others are answered beside it');
    connection.socket.destroy();
    await until('the statement to end', () => (server.stdout.match(/^ended$/gm)?.length ?? 0) === round);
  }
  const { body: metrics } = await get(port, '/metrics');
  t.match(metrics, /^svc_database_connections\{database=/m);
  t.match(metrics, /^svc_database_seconds_count\{.*statement="SELECT 40 \+ 2"\} 7$/m);
  t.notMatch(metrics, 'p@ss');
}

t.test('SQLite', (t) => serviceCases(t as Test, join(t.testdir({}), 'app.db'), ENDLESS.sqlite));

t.test('a program with many databases: stderr has only what it prints', async (t) => {
  const path = join(t.testdir({}), 'many.svc');
  writeFileSync(path, 'all = (1..12).map { database(":memory:") }\nall.each { it.value("SELECT 1") }\nwarn "done"\n');
  t.strictSame(await svcc(['run', path]), { stdout: '', stderr: 'done\n', exitCode: 0 });
});

/** Megabytes of the heap of programs whose rows do not fit into it. */
const HEAP_MB = 100;

/** The numbers from 1 to `count` as a table with the column `n`, and a text of `length` characters. */
interface Dialect {
  readonly numbers: (count: number) => string;
  readonly text: (length: number) => string;
}

const DIALECTS: Readonly<Record<keyof typeof ENDLESS, Dialect>> = {
  sqlite: {
    numbers: (count) =>
      `(WITH RECURSIVE r(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM r LIMIT ${count}) SELECT n FROM r)`,
    text: (length) => `printf('%.*c', ${length}, 'x')`,
  },
  postgres: {
    numbers: (count) => `(SELECT generate_series(1, ${count}) AS n) AS s`,
    text: (length) => `repeat('x', ${length})`,
  },
};

/** Asks for results and a value that do not fit into the heap, then for ones that do. */
const overfull = (url: string, { numbers, text }: Dialect): string => `
db = database(${JSON.stringify(url)})
def refused(ask)
  ask.()
  puts "no error"
rescue MemoryError => e
  puts e.message.split(";")[0].gsub(/\\d+ MB/, "N MB")
end
refused { db.query("SELECT n, ${text(100)} AS x FROM ${numbers(1e7)}") }
refused { db.value("SELECT n FROM ${numbers(1e7)}") }
refused { db.query("SELECT n, ${text(1e5)} AS x FROM ${numbers(1e7)}") }
refused { db.value("SELECT ${text(9e7)}") }
puts db.query("SELECT n, ${text(100)} AS x FROM ${numbers(1000)}").size
count = 0
db.each("SELECT n, ${text(1000)} AS x FROM ${numbers(200_000)}") { count += 1 }
puts count
`;

/** A query for more rows than the process can hold is an error of its thread, and the process continues. */
async function overfullCase(t: Test, url: string, dialect: Dialect): Promise<void> {
  const path = join(t.testdir({}), 'overfull.svc');
  writeFileSync(path, overfull(url, dialect));
  const { stdout, stderr, exitCode } = await svcc(['run', path], {
    env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
  });
  const rows = 'the rows do not fit into the memory of the process: N MB have arrived';
  const row = 'a row of N MB does not fit into the memory of the process';
  t.strictSame([stdout.split('\n'), stderr, exitCode], [[rows, rows, rows, row, '1000', '200000', ''], '', 0]);
}

t.test('SQLite: results larger than the memory of the process', (t) =>
  overfullCase(t as Test, join(t.testdir({}), 'app.db'), DIALECTS.sqlite),
);

/** Ends while its threads read, and statements are cancelled. */
const reading = (after: number): string => `
db = database("app.db")
def read(db, seconds)
  loop do
    timeout(seconds) { db.query("SELECT n, ${DIALECTS.sqlite.text(1000)} AS x FROM ${DIALECTS.sqlite.numbers(1e6)}") }
  rescue TimeoutError
    nil
  end
end
4.times { |i| spawn { read(db, 0.01 * (i + 1)) } }
sleep(${after})
puts "end"
exit(0)
`;

t.test('SQLite: a program that ends while its threads read says nothing', async (t) => {
  const root = t.testdir({});
  // When threads were ended in the middle of a statement, or while they opened the database, libsql printed a panic in one
  // of ten such runs, and some ended with its exit code.
  for (const after of [0.08, 0.09, 0.1, 0.11, 0.12, 0.13, 0.14, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]) {
    const folder = join(root, String(after));
    mkdirSync(folder);
    writeFileSync(join(folder, 'reading.svc'), reading(after));
    t.strictSame(await svcc(['run', 'reading.svc'], { cwd: folder }), { stdout: 'end\n', stderr: '', exitCode: 0 });
  }
});

const MIGRATIONS = {
  '0001_notes.sql': `CREATE TABLE notes (id bigserial PRIMARY KEY, title text NOT NULL);
CREATE FUNCTION shout(t text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN upper(t) || '!;'; END $$;
INSERT INTO notes (title) VALUES (shout('one'));
`,
  '0002_tags.sql': 'CREATE TABLE tags (name text PRIMARY KEY);\n-- down\nDROP TABLE tags;\n',
  '0003_index.sql': '-- no transaction\nCREATE INDEX CONCURRENTLY notes_title ON notes (title);\n',
};

/** Ten processes migrate at once; then each command of `svcc migrate`. */
async function migrationCases(t: Test, server: PostgresServer): Promise<void> {
  const name = await server.createDatabase();
  const cwd = t.testdir({ db: { migrations: MIGRATIONS } });
  const migrate = (...args: string[]): Promise<Outcome> =>
    svcc(['migrate', ...args], { cwd, env: { DATABASE_URL: server.url(name) } });
  const tables = async (): Promise<unknown[]> =>
    (await server.query(name, "SELECT relname FROM pg_class WHERE relname IN ('notes', 'tags')")).map(
      (row) => row.relname,
    );
  const failed = (outcome: Outcome): string => {
    t.equal(outcome.exitCode, 1);
    t.notMatch(outcome.stderr, 'p@ss');
    return outcome.stderr;
  };

  const outcomes = await Promise.all(Array.from({ length: 10 }, () => migrate()));
  for (const { stderr, exitCode } of outcomes) t.strictSame([stderr, exitCode], ['', 0]);
  const ran = outcomes.map(({ stdout }) => stdout).filter((stdout) => stdout.startsWith('ran'));
  t.strictSame(ran, ['ran 0001_notes.sql\nran 0002_tags.sql\nran 0003_index.sql\n'], 'one process runs each once');
  t.strictSame(await server.query(name, 'SELECT title FROM notes'), [{ title: 'ONE!;' }]);
  t.match(
    (await migrate('status')).stdout,
    /0001_notes\.sql {2}applied .*\n0002_tags\.sql {3}applied .*\n0003_index\.sql {2}applied /,
  );

  t.match(failed(await migrate('down')), /0003_index\.sql has no statements after `-- down`/);
  const path = (file: string): string => join(cwd, 'db/migrations', file);
  writeFileSync(
    path('0004_more.sql'),
    "CREATE TABLE more (n int);\nINSERT INTO more VALUES ('x');\n-- down\nDROP TABLE more;\n",
  );
  t.match(failed(await migrate()), /^svcc: db\/migrations\/0004_more\.sql:2: invalid input syntax for type integer/);
  t.strictSame(await server.query(name, "SELECT 1 FROM pg_class WHERE relname = 'more'"), [], 'undone');
  writeFileSync(path('0004_more.sql'), 'CREATE TABLE more (n int);\n-- down\nDROP TABLE more;\n');
  t.equal((await migrate()).stdout, 'ran 0004_more.sql\n');
  t.equal((await migrate('down')).stdout, 'undid 0004_more.sql\n');
  t.strictSame(new Set(await tables()), new Set(['notes', 'tags']));
  writeFileSync(path('0002_tags.sql'), 'CREATE TABLE tags (other text);\n');
  t.match(failed(await migrate()), /0002_tags\.sql has changed since it ran/);
  t.match(failed(await migrate('--database', server.url('nothing'))), /database "nothing" does not exist/);
}

const programs = findPostgres();
t.test('PostgreSQL', { skip: programs === null && 'PostgreSQL is not installed' }, async (t) => {
  const server = await PostgresServer.start(programs as string);
  t.teardown(() => server.stop());
  await t.test('migrations', (t) => migrationCases(t as Test, server));
  const name = await server.createDatabase();
  await t.test('results larger than the memory of the process', (t) =>
    overfullCase(t as Test, server.url(name), DIALECTS.postgres),
  );
  await serviceCases(t as Test, server.url(name), ENDLESS.postgres);
  const left = async (): Promise<boolean> => {
    const rows = await server.query(
      name,
      "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(100%' AND pid <> pg_backend_pid() AND state = 'active'",
    );
    return rows.length === 0;
  };
  t.ok(await happens(left), 'no statement runs on the server');
});
