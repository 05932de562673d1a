import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { assertRefused } from './refusals.js';
import { type Outcome, svcc } from './svcc.js';

t.jobs = 2;

const NOTES = 'CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL);\n\n-- down\nDROP TABLE notes;\n';
const TAGS = "CREATE TABLE tags (name TEXT PRIMARY KEY);\nINSERT INTO tags VALUES ('new');\n";

/** A folder with migrations, and a function that runs `svcc migrate` in it. */
function project(test: Test, files: Record<string, string>) {
  const cwd = test.testdir({ db: { migrations: files } });
  const migrate = (args: string[] = [], env: Record<string, string> = {}): Promise<Outcome> =>
    svcc(['migrate', ...args], { cwd, env });
  return { cwd, migrate, path: (name: string): string => join(cwd, 'db/migrations', name) };
}

/** Names and states of the table that `status` prints. */
function statesOf({ stdout }: Outcome): string[] {
  return stdout
    .split('\n')
    .slice(1, -1)
    .map((row) => row.split(/ {2,}/).slice(0, 2).join(' '));
}

function printed(stdout: string): Outcome {
  return { stdout, stderr: '', exitCode: 0 };
}

t.test('each migration runs once; the last one can be undone', async (t) => {
  const { cwd, migrate, path } = project(t, { '0001_notes.sql': NOTES });
  t.strictSame(statesOf(await migrate(['status'])), ['0001_notes.sql pending']);
  t.notOk(existsSync(join(cwd, 'app.db')), 'status creates no database');
  t.strictSame(await migrate(), printed('ran 0001_notes.sql\n'));
  t.strictSame(await migrate(), printed('nothing to do: the only migration has run in app.db\n'));
  writeFileSync(path('0002_tags.sql'), TAGS);
  t.strictSame(await migrate(), printed('ran 0002_tags.sql\n'));
  const status = await migrate(['status']);
  t.match(
    status.stdout,
    /^MIGRATION {7}STATE {4}APPLIED\n0001_notes\.sql {2}applied {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n/,
  );
  t.strictSame(statesOf(status), ['0001_notes.sql applied', '0002_tags.sql applied']);
  assertRefused(
    t,
    await migrate(['down']),
    1,
    /^svcc: db\/migrations\/0002_tags\.sql has no statements after `-- down`: what it did cannot be undone\n/,
  );
  rmSync(path('0002_tags.sql'));
  const rest = project(t, { '0001_notes.sql': NOTES });
  await rest.migrate();
  t.strictSame(await rest.migrate(['down']), printed('undid 0001_notes.sql\n'));
  assertRefused(t, await rest.migrate(['down']), 1, /^svcc: no migration has run in app\.db\n/);
  t.strictSame(await rest.migrate(), printed('ran 0001_notes.sql\n'), 'again');
});

t.test('a failing migration leaves nothing; earlier ones stay', async (t) => {
  const { cwd, migrate, path } = project(t, {
    '0001_notes.sql': NOTES,
    '0002_tags.sql': `-- Tags.\n${TAGS}\n\nINSERT INTO tagz\n  VALUES (1);\n`,
  });
  assertRefused(t, await migrate(), 1, /^svcc: db\/migrations\/0002_tags\.sql:[67]: .*tagz.*\n/, {
    stdout: 'ran 0001_notes.sql\n',
  });
  t.strictSame(statesOf(await migrate(['status'])), ['0001_notes.sql applied', '0002_tags.sql pending']);
  writeFileSync(join(cwd, 'app.svc'), 'puts database("app.db").tables\n');
  t.equal((await svcc(['run', 'app.svc'], { cwd })).stdout, '[notes, svc_migrations]\n');
  writeFileSync(path('0002_tags.sql'), TAGS);
  t.strictSame(await migrate(), printed('ran 0002_tags.sql\n'), 'once it is corrected');
});

t.test('files that have run must stay as they are', async (t) => {
  const { migrate, path } = project(t, { '0001_notes.sql': NOTES, '0002_tags.sql': TAGS });
  await migrate();
  writeFileSync(path('0001_notes.sql'), `${NOTES}-- more\n`);
  const changed =
    /svcc: db\/migrations\/0001_notes\.sql has changed since it ran: restore it, and write the change as a new migration\n$/;
  for (const words of [[], ['down']]) assertRefused(t, await migrate(words), 1, changed);
  const status = await migrate(['status']);
  t.match(status.stderr, changed);
  t.equal(status.exitCode, 1);
  t.strictSame(statesOf(status), ['0001_notes.sql changed', '0002_tags.sql applied']);
  writeFileSync(path('0001_notes.sql'), NOTES.replaceAll('\n', '\r\n'));
  t.equal((await migrate()).exitCode, 0, 'other ends of lines change nothing');
  rmSync(path('0002_tags.sql'));
  assertRefused(
    t,
    await migrate(),
    1,
    /^svcc: db\/migrations\/0002_tags\.sql has run, but the file is missing: restore it/,
  );
  t.strictSame(statesOf(await migrate(['status'])), ['0001_notes.sql applied', '0002_tags.sql missing']);
  writeFileSync(path('0002_other.sql'), TAGS);
  assertRefused(t, await migrate(), 1, /0002_tags\.sql has run, but the file is missing/);
});

t.test('new writes the next migration', async (t) => {
  const { cwd, migrate } = project(t, {});
  rmSync(join(cwd, 'db'), { recursive: true });
  assertRefused(t, await migrate(), 1, /^svcc: there is no folder \/.*\/db\/migrations; `svcc migrate new NAME` makes/);
  t.strictSame(await migrate(['new', 'Add notes']), printed('made db/migrations/0001_add_notes.sql\n'));
  t.strictSame(await migrate(['new', 'tags']), printed('made db/migrations/0002_tags.sql\n'));
  t.strictSame(await migrate(['new', 'a', '--folder', 'x/']), printed('made x/0001_a.sql\n'));
  assertRefused(t, await migrate(), 1, /^svcc: db\/migrations\/0001_add_notes\.sql has no statements\n/);
  for (const name of ['', 'a/b', 'é', '..'])
    assertRefused(t, await migrate(['new', name]), 2, /is no name of a migration: use letters, digits and _/);
});

t.test('the database is that of --database, DATABASE_URL, .env, or app.db', async (t) => {
  const { cwd, migrate } = project(t, { '0001_notes.sql': NOTES });
  writeFileSync(join(cwd, '.env'), 'DATABASE_URL=sqlite:settings.db\n');
  const made = (name: string): boolean => existsSync(join(cwd, name));
  await migrate();
  t.ok(made('settings.db') && !made('app.db'));
  await migrate([], { DATABASE_URL: 'environment.db' });
  t.ok(made('environment.db'));
  await migrate(['--database', 'flag.db'], { DATABASE_URL: 'other.db' });
  t.ok(made('flag.db') && !made('other.db'));
  t.strictSame(statesOf(await migrate(['status', '--database', 'flag.db'])), ['0001_notes.sql applied']);
  t.strictSame(statesOf(await migrate(['--database', 'flag.db', 'status'])), ['0001_notes.sql applied']);
  assertRefused(t, await migrate(['down', '--database', 'none.db']), 1, /^svcc: there is no database none\.db\n/);
  writeFileSync(join(cwd, '.env'), 'DATABASE_URL\n');
  assertRefused(t, await migrate(), 1, /^svcc: \.env: line 1: expected NAME=value\n/);
  assertRefused(t, await migrate(['--database', 'mysql://x']), 1, /^svcc: database\(\) does not know mysql:/);
  assertRefused(t, await migrate(['--database', '']), 2, /--database must not be empty/);
});

t.test('statements that end transactions, and files without one', async (t) => {
  const { cwd, migrate, path } = project(t, { '0001_a.sql': 'CREATE TABLE a (x);\n COMMIT;\n' });
  assertRefused(
    t,
    await migrate(),
    1,
    /^svcc: db\/migrations\/0001_a\.sql:2: a migration cannot contain COMMIT: it runs in a transaction/,
  );
  writeFileSync(path('0001_a.sql'), '-- no transaction\nCREATE TABLE a (x);\nVACUUM;\n');
  t.strictSame(await migrate(), printed('ran 0001_a.sql\n'));
  writeFileSync(path('0002_b.sql'), '-- no transaction\nCREATE TABLE b (x);\nCREATE TABLE a (x);\n');
  assertRefused(
    t,
    await migrate(),
    1,
    /^svcc: db\/migrations\/0002_b\.sql:3: .*a.* already exists; without a transaction, what the statements before it did stays\n/,
  );
  writeFileSync(path('0002_b.sql'), 'SELECT 1;\n-- down\nSELECT 1;\n-- down\n');
  assertRefused(t, await migrate(), 1, /0002_b\.sql:4: a second section `-- down`\n/);
  writeFileSync(path('0002_b.sql'), Buffer.from([0x2d, 0x2d, 0xff]));
  assertRefused(t, await migrate(), 1, /0002_b\.sql is not UTF-8/);
  t.ok(existsSync(join(cwd, 'app.db')));
});

t.test('words that are no commands', async (t) => {
  const { cwd, migrate } = project(t, { '0001_notes.sql': NOTES });
  const usage = 'usage: svcc migrate \\[options\\] \\[command\\]\n';
  const cases: [string[], string][] = [
    [['statsu'], `'statsu'\n\\(Did you mean status\\?\\)`],
    [['donw', '--database', 'app.db'], `'donw'\n\\(Did you mean down\\?\\)`],
    [['sideways'], `'sideways'`],
  ];
  for (const [words, expected] of cases)
    assertRefused(t, await migrate(words), 2, new RegExp(`^error: unknown command ${expected}\n${usage}`), {
      lines: 4,
    });
  t.notOk(existsSync(join(cwd, 'app.db')), 'nothing ran');
});

const PROGRAM = 'db = database("data.db")\nputs db.migrate\nputs db.migrate("db/migrations")\n';

t.test('an artefact contains the migrations that its program names', async (t) => {
  const { cwd } = project(t, { '0001_notes.sql': NOTES, '0002_tags.sql': TAGS });
  writeFileSync(join(cwd, 'app.svc'), PROGRAM);
  mkdirSync(join(cwd, 'elsewhere'));
  const compiled = await svcc(['compile', 'app.svc', '-o', 'elsewhere/app.svcb'], { cwd });
  t.equal(`${compiled.stderr}${compiled.exitCode}`, '0');
  const outcome = await svcc(['run', 'app.svcb'], { cwd: join(cwd, 'elsewhere') });
  t.strictSame(outcome, printed('[0001_notes.sql, 0002_tags.sql]\n[]\n'));
  t.ok(readFileSync(join(cwd, 'elsewhere/data.db')).length > 0);
});

t.test('compile warns of migrations that it cannot include', async (t) => {
  const { cwd } = project(t, {});
  const calls = ['db.migrate("no")', 'db.migrate("../up")', 'db.migrate(folder)', 'db.migrate("/absolute")'];
  writeFileSync(join(cwd, 'app.svc'), `folder = "x"\ndb = database("data.db")\n${calls.join('\n')}\n`);
  const { stderr, exitCode } = await svcc(['compile', 'app.svc'], { cwd });
  t.equal(exitCode, 0);
  t.strictSame(stderr.split('\n').sort(), [
    '',
    'app.svc:3: warning: there is no folder no beside the program; its migrations are not included',
    "app.svc:4: warning: the migrations in ../up are outside of the program's folder, and not included",
    'app.svc:5: warning: the folder of these migrations is known only when the program runs; include it with --assets',
  ]);
  writeFileSync(
    join(cwd, 'other.svc'),
    'record Bird(name) do\n  def migrate(to) = to\nend\nputs Bird("a").migrate("south")\n',
  );
  t.equal((await svcc(['compile', 'other.svc'], { cwd })).stderr, '', 'no database');
});

t.test('ten processes that start at once run each migration once', async (t) => {
  const { cwd } = project(t, { '0001_notes.sql': NOTES, '0002_tags.sql': TAGS });
  writeFileSync(join(cwd, 'app.svc'), 'puts database("data.db").migrate.join(" ")\n');
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => svcc(['run', 'app.svc'], { cwd })));
  t.strictSame(
    outcomes.map(({ stderr, exitCode }) => `${stderr}${exitCode}`),
    Array.from({ length: 10 }, () => '0'),
  );
  t.strictSame(
    outcomes.map(({ stdout }) => stdout).filter((stdout) => stdout !== '\n'),
    ['0001_notes.sql 0002_tags.sql\n'],
  );
});
