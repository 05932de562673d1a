import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import {
  Cancellation,
  type Driver,
  type DriverOptions,
  PIECE,
  SqlDate,
  SqlDecimal,
  type SqlFailure,
  SqlJson,
  type SqlValue,
  type Transaction,
} from '../../natives/data/driver.js';
import { openSqlite } from '../../natives/data/sqlite/index.js';
import type { LibraryName } from '../../natives/data/sqlite/protocol.js';
import { until } from '../patience.js';
import { RUNS_ALL } from '../share.js';
import { Asker, CONCURRENT, testDriver } from './cases.js';
import { largeCases } from './largecases.js';
import { builtClient, killClients, printed } from './support/program.js';
import { counted, cursor, failure, inserted, script } from './support/sessions.js';

const LIBRARIES: LibraryName[] = isBuiltin('node:sqlite') ? ['node:sqlite', 'libsql'] : ['libsql'];

const OPTIONS: DriverOptions = { readonly: false, pool: 10, timeout: 60, durable: false };

const folder = t.testdir();

const client = await builtClient(t);

/** Options of tests of permissions, which bind any user but root. */
const BOUND = { skip: client.bound === null && 'as root without a user nobody who can read the tests' };

let files = 0;

function newFile(): string {
  return join(folder, `${++files}.db`);
}

async function success(child: ChildProcess): Promise<boolean> {
  child.stdout?.resume();
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

/**
 * Mounts a file system of two megabytes, of which a file `ballast` takes a quarter; null where this is not permitted.
 * Outside of the test's folder, which is removed before a mount in it would end.
 */
function mounted(t: Test): string | null {
  const place = mkdtempSync(join(tmpdir(), 'svc-full-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'svc-test', place]);
  t.teardown(() => {
    if (status === 0) spawnSync('umount', ['-l', place]);
    rmdirSync(place);
  });
  if (status !== 0) return null;
  writeFileSync(join(place, 'ballast'), Buffer.alloc(2 ** 19));
  return place;
}

for (const library of LIBRARIES) {
  const open = async (options: Partial<DriverOptions> = {}, path = newFile()): Promise<Driver> => {
    const db = openSqlite(path, { ...OPTIONS, ...options }, library);
    t.teardown(() => db.close());
    return db;
  };

  let shared: Promise<Driver> | null = null;
  /** A database for several cases, each with tables of its own. */
  const common = (): Promise<Driver> => (shared ??= open());

  testDriver(library, 'sqlite', () => open());
  if (RUNS_ALL) testDriver(`${library} in memory`, 'sqlite', () => open({}, ':memory:'), CONCURRENT);

  void t.test(`${library}: large values and results`, (t) => {
    largeCases(t, 'sqlite', (_t, room) => open({ room }));
    t.end();
  });

  t.test(`${library}: values are read by the declared type of their column`, async (t) => {
    const db = await common();
    const ask = new Asker(db, 'sqlite');
    await ask.run(
      'CREATE TABLE v (b BOOLEAN, d DATE, t TIMESTAMP, n NUMERIC(10, 2), m DECIMAL, j JSON, i INTEGER, r REAL)',
    );
    await ask.run("INSERT INTO v VALUES (1, '2026-11-23', '2026-11-23 05:10:00', 1.5, 7, '{}', 1, 1)");
    await ask.run("INSERT INTO v VALUES (2, 'soon', '2026-11-23T05:10:00.5+02:00', 'much', 1e-7, 5, 2, 2.5)");
    t.same(await ask.rows('SELECT * FROM v'), [
      [
        true,
        new SqlDate(Date.UTC(2026, 10, 23)),
        new SqlDate(Date.UTC(2026, 10, 23, 5, 10)),
        new SqlDecimal('1.5'),
        new SqlDecimal('7'),
        new SqlJson('{}'),
        1n,
        1,
      ],
      [
        2n,
        'soon',
        new SqlDate(Date.UTC(2026, 10, 23, 3, 10, 0, 500)),
        'much',
        new SqlDecimal('0.0000001'),
        5n,
        2n,
        2.5,
      ],
    ]);
    t.equal(await ask.value('SELECT typeof(?)', new SqlDate(0)), 'text');
    t.equal(await ask.value('SELECT ?', new SqlDate(0)), '1970-01-01T00:00:00.000Z');
  });

  t.test(`${library}: what SQLite cannot store is refused`, async (t) => {
    const ask = new Asker(await common(), 'sqlite');
    t.match(await failure(ask.run('SELECT ?', 2n ** 63n)), { kind: 'database', message: /^parameter 1: the integer/ });
    t.match(await failure(ask.run('SELECT 1, ?', NaN)), { kind: 'database', message: /NaN/ });
    t.match(await failure(ask.run('SELECT ?', [1n])), { kind: 'database', message: /arrays/ });
    t.match(await failure(ask.run('SELECT ?', new SqlDate(NaN))), { kind: 'database', message: /date/ });
    t.match(await failure(ask.run('SELECT ?', 'a\0b')), { kind: 'database', message: /NUL/ });
  });

  t.test(`${library}: statements of transactions belong to db.transaction`, async (t) => {
    const db = await common();
    const ask = new Asker(db, 'sqlite');
    for (const sql of ['BEGIN', 'COMMIT', ' -- x\n END', 'ROLLBACK', 'SAVEPOINT s'])
      t.match(await failure(ask.run(sql)), { kind: 'database', message: /db\.transaction/ });
    t.match(await failure(ask.run("ATTACH 'x' AS y")), { kind: 'database', message: /^ATTACH/ });
    t.match(await failure(db.script('CREATE TABLE a (n); BEGIN', new Cancellation())), { message: /db\.transaction/ });
    t.match(await failure(ask.run('')), { kind: 'database', message: 'the statement is empty' });
    t.match(await failure(ask.run('SELECT 1; SELECT 2')), { kind: 'database', message: /found several/ });
    const transaction = await db.begin({ isolation: null, readonly: false }, new Cancellation());
    const inside = new Asker(transaction, 'sqlite');
    t.match(await failure(inside.run('COMMIT')), { message: /db\.transaction/ });
    await inside.run('INSERT INTO a VALUES (1)');
    t.match(await failure(script(transaction, 'INSERT INTO a VALUES (2); \0')), { message: /NUL/ });
    await transaction.commit();
    t.equal(await ask.value('SELECT count(*) FROM a'), 1n);
  });

  t.test(`${library}: a cursor has the columns of a table that another process has changed`, async (t) => {
    const path = newFile();
    const [reader, writer] = [await open({}, path), new Asker(await open({}, path), 'sqlite')];
    await writer.run('CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, pin TEXT)');
    await writer.run("INSERT INTO people VALUES (1, 'ann', '1234')");
    t.same((await cursor(reader, 'SELECT * FROM people')).columns, ['id', 'name', 'pin']);
    await writer.run('ALTER TABLE people DROP COLUMN name');
    const changed = await cursor(reader, 'SELECT * FROM people');
    t.same([changed.columns, await changed.next()], [['id', 'pin'], [[1n, '1234']]]);
  });

  t.test(`${library}: in memory, transactions end while rows are read`, async (t) => {
    const db = await open({}, ':memory:');
    await script(db, 'CREATE TABLE a (n INTEGER PRIMARY KEY, done INTEGER)');
    await inserted(
      db,
      'a',
      ['n'],
      Array.from({ length: 5_000 }, (_, n) => [BigInt(n)]),
    );
    const begun = (readonly = false): Promise<Transaction> =>
      db.begin({ isolation: null, readonly }, new Cancellation());
    const rows = await cursor(db, 'SELECT n FROM a');
    t.equal((await rows.next())?.length, PIECE);
    const committed = await begun();
    await script(committed, 'UPDATE a SET done = 1; CREATE TABLE b (n INTEGER)');
    const [first, second] = [await cursor(committed, 'SELECT n FROM a'), await cursor(committed, 'SELECT n FROM a')];
    await committed.commit();
    t.equal((await rows.next())?.length, PIECE);
    await (await begun(true)).commit();
    const undone = await begun();
    await script(undone, 'UPDATE a SET done = 2');
    await undone.rollback();
    t.equal(await counted(rows), 5_000 - 2 * PIECE);
    // Two pieces have been fetched at most.
    for (const ended of [first, second])
      t.match(await failure(counted(ended)), { kind: 'database', message: /^the transaction whose rows .* has ended/ });
    t.same(await new Asker(db, 'sqlite').rows('SELECT done, count(*) FROM a GROUP BY done'), [[1n, 5_000n]]);
    const last = await cursor(db, 'SELECT n FROM a');
    const schema = await begun();
    await script(schema, 'CREATE TABLE c (n INTEGER)');
    await schema.rollback();
    t.match(await failure(counted(last)), { message: /changed the schema was rolled back meanwhile; read them with/ });
    t.equal(await counted(await cursor(db, 'SELECT n FROM a')), 5_000);
  });

  t.test(`${library}: cursors that are cancelled while they open need no more threads than the pool has`, async (t) => {
    const db = await open({ pool: 1 });
    await script(db, 'CREATE TABLE a (n INTEGER); INSERT INTO a VALUES (1)');
    // Threads of the operating system, of which a connection has more than one.
    const threads = (): number => readdirSync('/proc/self/task').length;
    const before = threads();
    await (await cursor(db, 'SELECT n FROM a')).close();
    const limit = threads() + Math.max(1, threads() - before);
    for (let i = 0; i < 40; i++) {
      const cancel = new Cancellation();
      const opening = db.open({ sql: 'SELECT n FROM a', params: [] }, cancel);
      if (i % 2 === 0) await nextTurn();
      cancel.cancel();
      t.match(await failure(opening), { kind: 'cancelled' });
    }
    t.ok(threads() <= limit, `${threads()} threads; at first ${before}`);
    t.equal(await counted(await cursor(db, 'SELECT n FROM a')), 1);
  });

  t.test(`${library}: a cursor ends with its transaction`, async (t) => {
    const db = await common();
    for (const readonly of [false, true]) {
      const transaction = await db.begin({ isolation: null, readonly }, new Cancellation());
      const sql = 'WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n LIMIT 5000) SELECT x FROM n';
      const rows = await cursor(transaction, sql);
      await rows.next();
      await transaction.commit();
      t.match(await failure(counted(rows)), { message: /has ended/ });
    }
  });

  t.test(`${library}: short statements that are asked together have outcomes of their own`, async (t) => {
    const path = newFile();
    const ask = new Asker(await open({}, path), 'sqlite');
    const writer = new Asker(await open({}, path), 'sqlite');
    await writer.run('CREATE TABLE q (id INTEGER PRIMARY KEY, n INTEGER)');
    await writer.run('INSERT INTO q VALUES (1, 0)');
    const absolute = (n: bigint): Promise<unknown> => ask.value('SELECT abs(?)', n);
    await absolute(1n);
    const settled = await Promise.allSettled([-1n, -(2n ** 63n), -3n].map(absolute));
    t.match(settled, [
      { status: 'fulfilled', value: 1n },
      { status: 'rejected', reason: { kind: 'database', message: /overflow/ } },
      { status: 'fulfilled', value: 3n },
    ]);
    for (let n = 1n; n <= 20n; n++) {
      await writer.run('UPDATE q SET n = ?', n);
      const seen = await Promise.all([1n, 1n, 1n].map((id) => ask.value('SELECT n FROM q WHERE id = ?', id)));
      t.same(seen, [n, n, n], 'they see what was acknowledged before');
    }
  });

  t.test(`${library}: a statement that ends the common transaction loses nothing of others`, async (t) => {
    const ask = new Asker(await common(), 'sqlite');
    await ask.run('CREATE TABLE u (n INTEGER UNIQUE)');
    await ask.run('CREATE TABLE child (u INTEGER REFERENCES u (n) DEFERRABLE INITIALLY DEFERRED)');
    const insert = (n: bigint): Promise<unknown> => ask.run('INSERT INTO u VALUES (?)', n);
    const settled = await Promise.allSettled([
      ...[1n, 2n].map(insert),
      ask.run('INSERT OR ROLLBACK INTO u VALUES (1)'),
      insert(3n),
      ask.run('INSERT INTO child VALUES (77)'),
      insert(4n),
    ]);
    t.same(
      settled.map(({ status }) => status === 'fulfilled'),
      [true, true, false, true, false, true],
    );
    t.same(await ask.rows('SELECT n FROM u ORDER BY n'), [[1n], [2n], [3n], [4n]]);
    t.equal(await ask.value('SELECT count(*) FROM child'), 0n);
  });

  t.test(`${library}: nothing runs in a transaction that an error has ended`, async (t) => {
    const db = await common();
    const ask = new Asker(db, 'sqlite');
    await ask.run('CREATE TABLE e (n INTEGER UNIQUE)');
    const transaction = await db.begin({ isolation: null, readonly: false }, new Cancellation());
    const inside = new Asker(transaction, 'sqlite');
    await inside.run('INSERT INTO e VALUES (1)');
    await failure(inside.run('INSERT OR ROLLBACK INTO e VALUES (1)'));
    t.match(await failure(inside.run('INSERT INTO e VALUES (2)')), { message: /rolled back/ });
    t.match(await failure(transaction.commit()), { message: /rolled back/ });
    t.equal(await ask.value('SELECT count(*) FROM e'), 0n);
    await ask.run('INSERT INTO e VALUES (3)');
  });

  t.test(`${library}: writers wait for a transaction, readers do not`, async (t) => {
    const db = await open({ timeout: 0.05 });
    const ask = new Asker(db, 'sqlite');
    await ask.run('CREATE TABLE w (n INTEGER)');
    const transaction = await db.begin({ isolation: null, readonly: false }, new Cancellation());
    t.match(await failure(ask.run('INSERT INTO w VALUES (1)')), { kind: 'timeout' });
    const begin = db.begin({ isolation: null, readonly: false }, new Cancellation());
    t.match(await failure(begin), { kind: 'timeout' });
    t.equal(await ask.value('SELECT count(*) FROM w'), 0n);
    const reading = await db.begin({ isolation: null, readonly: true }, new Cancellation());
    t.match(await failure(new Asker(reading, 'sqlite').run('INSERT INTO w VALUES (1)')), { code: 'SQLITE_READONLY' });
    await reading.rollback();
    const cancel = new Cancellation();
    const cancelled = failure(db.run({ sql: 'INSERT INTO w VALUES (2)', params: [] }, cancel));
    cancel.cancel();
    t.match(await cancelled, { kind: 'cancelled' });
    await transaction.rollback();
    await ask.run('INSERT INTO w VALUES (3)');
    t.same(await ask.rows('SELECT n FROM w'), [[3n]]);
  });

  t.test(`${library}: a cancelled change is undone`, async (t) => {
    const db = await common();
    const ask = new Asker(db, 'sqlite');
    await ask.run('CREATE TABLE c (n INTEGER)');
    const cancel = new Cancellation();
    const sql = `INSERT INTO c WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n LIMIT 3000000) SELECT x FROM n`;
    await ask.run('INSERT INTO c VALUES (0)');
    const operation = failure(db.run({ sql, params: [] }, cancel));
    await new Promise((resolve) => setTimeout(resolve, 100));
    cancel.cancel();
    const next = ask.run('INSERT INTO c VALUES (0)');
    t.match(await operation, { kind: 'cancelled' });
    await next;
    t.equal(await ask.value('SELECT count(*) FROM c'), 2n);
  });

  t.test(`${library}: errors name files that are no databases`, async (t) => {
    const text = newFile();
    writeFileSync(text, 'This is a text and no database. '.repeat(100));
    const damaged = newFile();
    const made = await open({}, damaged);
    await new Asker(made, 'sqlite').run('CREATE TABLE d (n INTEGER)');
    await made.close();
    const bytes = readFileSync(damaged);
    writeFileSync(damaged, bytes.fill(0x5a, 100, 400));
    mkdirSync(join(folder, `folder-${library.length}`));
    const cases: [string, RegExp, Partial<DriverOptions>?][] = [
      [text, /is not an SQLite database/],
      [damaged, /is damaged/],
      [join(folder, `folder-${library.length}`), /is a folder/],
      [join(folder, 'nowhere/x.db'), /there is no folder/],
      [join(folder, 'nothing.db'), /there is no database/, { readonly: true }],
    ];
    for (const [path, message, options] of cases) {
      const error = await failure(new Asker(await open(options, path), 'sqlite').value('SELECT 1'));
      t.match(error, { kind: 'database', message });
      t.ok(error.message.includes(path), error.message);
    }
  });

  t.test(`${library}: a database that is opened to read cannot be changed`, async (t) => {
    const path = newFile();
    const db = await open({}, path);
    await new Asker(db, 'sqlite').run('CREATE TABLE r (n INTEGER)');
    const ask = new Asker(await open({ readonly: true }, path), 'sqlite');
    t.equal(await ask.value('SELECT count(*) FROM r'), 0n);
    t.match(await failure(ask.run('INSERT INTO r VALUES (1)')), { kind: 'database', code: 'SQLITE_READONLY' });
  });

  t.test(`${library}: a full disk is an error of the statements that need room`, async (t) => {
    const db = await open();
    const ask = new Asker(db, 'sqlite');
    await ask.run('CREATE TABLE f (x BLOB)');
    await script(db, 'PRAGMA max_page_count = 50');
    const settled = await Promise.allSettled([
      ask.run('INSERT INTO f VALUES (zeroblob(10))'),
      ask.run('INSERT INTO f VALUES (zeroblob(1000000))'),
      ask.run('INSERT INTO f VALUES (zeroblob(20))'),
    ]);
    t.match(settled, [
      { status: 'fulfilled' },
      { status: 'rejected', reason: { kind: 'database', code: 'SQLITE_FULL' } },
      { status: 'fulfilled' },
    ]);
    t.equal(await ask.value('SELECT count(*) FROM f'), 2n);
  });

  t.test(`${library}: a full file system loses nothing`, async (t) => {
    const disk = mounted(t);
    if (disk === null) return void t.pass('a full file system', { skip: 'only root may mount a file system' });
    const path = join(disk, 'app.db');
    const db = await open({}, path);
    const ask = new Asker(db, 'sqlite');
    await ask.run('CREATE TABLE f (id INTEGER PRIMARY KEY, x BLOB)');
    const acknowledged: bigint[] = [];
    const errors: SqlFailure[] = [];
    let id = 0n;
    const write = async (): Promise<void> => {
      for (let own = ++id; errors.length < 20; own = ++id)
        await ask.run('INSERT INTO f VALUES (?, zeroblob(10000))', own).then(
          () => void acknowledged.push(own),
          (error: SqlFailure) => void errors.push(error),
        );
    };
    await Promise.all(Array.from({ length: 10 }, write));
    t.ok(acknowledged.length > 50, `${acknowledged.length} rows fit`);
    for (const { kind, code } of errors) t.match([kind, code], ['database', /^SQLITE_(FULL|IOERR\w*)$/]);
    t.match(errors[0].message, /full/);
    const stored = async (): Promise<Set<unknown>> => new Set((await ask.rows('SELECT id FROM f')).map(([n]) => n));
    const before = await stored();
    t.same(
      acknowledged.filter((own) => !before.has(own)),
      [],
      'what was acknowledged is there',
    );
    t.equal(before.size, acknowledged.length, 'and nothing else');
    unlinkSync(join(disk, 'ballast'));
    await ask.run('INSERT INTO f VALUES (?, zeroblob(10000))', -1n);
    await db.close();
    const again = new Asker(await open({}, path), 'sqlite');
    t.equal(await again.value('PRAGMA integrity_check'), 'ok');
    t.equal(await again.value('SELECT count(*) FROM f'), BigInt(acknowledged.length + 1));
  });

  t.test(`${library}: a read-only file system is named`, async (t) => {
    const disk = mounted(t);
    if (disk === null) return void t.pass('a read-only file system', { skip: 'only root may mount a file system' });
    const path = join(disk, 'app.db');
    const db = await open({}, path);
    await new Asker(db, 'sqlite').run('CREATE TABLE f (n INTEGER)');
    await db.close();
    t.equal(spawnSync('mount', ['-o', 'remount,ro', disk]).status, 0);
    for (const readonly of [false, true]) {
      const ask = new Asker(await open({ readonly }, path), 'sqlite');
      t.match(await failure(ask.run('INSERT INTO f VALUES (1)')), {
        kind: 'database',
        code: /^SQLITE_(?:CANTOPEN|READONLY)/,
        message: `cannot open the database ${path}: its folder is read-only, and SQLite keeps a journal beside the file`,
      });
    }
    const missing = new Asker(await open({}, join(disk, 'new.db')), 'sqlite');
    t.match(await failure(missing.run('SELECT 1')), { kind: 'database', message: /new\.db: its folder is read-only/ });
  });

  t.test(`${library}: files and folders without the right to write`, BOUND, async (t) => {
    const place = mkdtempSync(join(folder, 'rights-'));
    const path = join(place, 'app.db');
    const rollback = join(place, 'rollback.db');
    const db = await open({}, path);
    await script(db, 'CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)');
    // A copy has no journal of its own kind yet.
    await script(db, `VACUUM INTO '${rollback}'`);
    await db.close();
    const rights = (ofFolder: number, ofFile: number): void => {
      for (const file of [path, rollback]) chmodSync(file, ofFile);
      chmodSync(place, ofFolder);
    };
    t.teardown(() => rights(0o777, 0o666));
    /** What a process reads, gets for a write, and reads then. */
    const attempts = async (file: string, ...options: string[]): Promise<unknown[]> => {
      const { lines, ended } = printed(
        (client.bound as NonNullable<typeof client.bound>)('attempt', file, library, ...options),
      );
      await ended;
      return lines().map((line) => JSON.parse(line) as unknown);
    };
    const refused = { kind: 'database', code: 'SQLITE_READONLY', message: 'attempt to write a readonly database' };
    const closed = (file: string, why: string): object => ({
      kind: 'database',
      code: 'SQLITE_CANTOPEN',
      message: `cannot open the database ${file}${why}`,
    });

    rights(0o777, 0o444);
    t.strictSame(await attempts(path), [{ value: '1' }, refused, { value: '1' }], 'a file');
    t.strictSame(await attempts(path, 'readonly'), [{ value: '1' }, refused, { value: '1' }], 'a file, to read');
    const toWrite = closed(rollback, ' for writing: the file is read-only; open it with readonly: true');
    t.strictSame(await attempts(rollback), [toWrite, toWrite, toWrite], 'a file whose journal would change');
    t.strictSame(await attempts(rollback, 'readonly'), [{ value: '1' }, refused, { value: '1' }]);
    // SQLite gives the files of the journal the rights of the database.
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`);

    for (const ofFile of [0o666, 0o444])
      for (const options of [[], ['readonly']]) {
        rights(0o555, ofFile);
        const found = closed(path, ': its folder is read-only, and SQLite keeps a journal beside the file');
        t.strictSame(await attempts(path, ...options), [found, found, found], `a folder ${ofFile} ${options}`);
      }

    rights(0o777, 0o666);
    t.strictSame(await attempts(path), [{ value: '1' }, { value: 'undefined' }, { value: '2' }]);
    const again = new Asker(await open({}, path), 'sqlite');
    t.same(await again.rows('SELECT n FROM t ORDER BY n'), [[1n], [2n]]);
    t.equal(await again.value('PRAGMA integrity_check'), 'ok');
  });

  t.test(`${library}: large rows pass in pieces, also those of statements that write`, async (t) => {
    const db = await open();
    const ask = new Asker(db, 'sqlite');
    await ask.run('CREATE TABLE big (n INTEGER)');
    await ask.run('CREATE TABLE u (n INTEGER UNIQUE)');
    await ask.run('INSERT INTO u VALUES (1)');
    const inserting = (rows: number): string =>
      `INSERT INTO big WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n LIMIT ${rows})
        SELECT x FROM n RETURNING n, printf('%.*c', 100000, 'x')`;
    // More than fits into the thread's heap.
    const { pieces, changes } = await ask.run(inserting(3_000));
    t.equal(changes, 3_000);
    t.equal(pieces.flat().length, 3_000);
    t.ok(Math.max(...pieces.map(({ length }) => length)) < 100, 'pieces are limited by the length of their texts');
    // The second statement undoes the first one, which runs again after its rows were sent.
    const [again, refused] = await Promise.allSettled([
      ask.run(inserting(200)),
      ask.run('INSERT OR ROLLBACK INTO u VALUES (1)'),
    ]);
    t.equal(refused.status, 'rejected');
    const rows = again.status === 'fulfilled' ? again.value.pieces.flat() : [];
    t.same(
      rows.map(([n]) => n),
      Array.from({ length: 200 }, (_, index) => BigInt(index + 1)),
    );
    t.equal(await ask.value('SELECT count(*) FROM big'), 3_200n);
    await ask.run('CREATE TABLE texts (x TEXT)');
    const given = Array.from({ length: 400 }, () => ['x'.repeat(1_000_000)]);
    t.equal(await inserted(db, 'texts', ['x'], given), 400, 'insertMany sends pieces of limited length');
  });

  t.test(`${library}: a change is undone that is cancelled while its rows are read`, async (t) => {
    const db = await open();
    const ask = new Asker(db, 'sqlite');
    await ask.run('CREATE TABLE big (n INTEGER)');
    const cancel = new Cancellation();
    const sql = `INSERT INTO big WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n LIMIT 1000)
      SELECT x FROM n RETURNING printf('%.*c', 1000000, 'x')`;
    const cancelled = failure(db.run({ sql, params: [] }, cancel));
    const other = ask.run('INSERT INTO big VALUES (0)');
    await new Promise((resolve) => setTimeout(resolve, 200));
    cancel.cancel();
    t.match(await cancelled, { kind: 'cancelled' });
    await other;
    t.equal(await ask.value('SELECT count(*) FROM big'), 1n);
  });

  t.test(`${library}: a thread that dies is replaced`, async (t) => {
    const db = await open();
    const ask = new Asker(db, 'sqlite');
    await ask.run('CREATE TABLE big (x TEXT)');
    // Values that do not fit into the thread's heap.
    const values = Array.from({ length: 400 }, () => 'x'.repeat(1_000_000));
    const sql = `INSERT INTO big VALUES ${values.map(() => '(?)').join(', ')}`;
    t.match(await failure(ask.run(sql, ...values)), { kind: 'connection', message: /memory/ });
    t.equal(await ask.value('SELECT count(*) FROM big'), 0n);
    await ask.run("INSERT INTO big VALUES ('x')");
  });

  t.test(`${library}: kill -9 loses nothing that was acknowledged`, async (t) => {
    await killClients(t, async () => {
      const path = newFile();
      const stored = async (): Promise<SqlValue[]> => {
        const db = await open({}, path);
        // Within a transaction of the thread that writes: one thread less to start.
        const transaction = await db.begin({ isolation: null, readonly: false }, new Cancellation());
        const ask = new Asker(transaction, 'sqlite');
        const ids = (await ask.rows('SELECT id FROM kept')).map(([id]) => id);
        t.equal(await ask.value('PRAGMA integrity_check'), 'ok');
        await db.close();
        return ids;
      };
      return { child: client('insert', path, library), stored };
    });
  });

  t.test(`${library}: processes share a file`, async (t) => {
    const path = newFile();
    const ask = new Asker(await open({}, path), 'sqlite');
    await ask.run('CREATE TABLE counter (n INTEGER)');
    await ask.run('INSERT INTO counter VALUES (0)');
    const clients = [1, 2].map(() => success(client('count', path, library)));
    t.same(await Promise.all(clients), [true, true]);
    t.equal(await ask.value('SELECT n FROM counter'), 200n);
  });

  t.test(`${library}: a lock is held by one process at a time, and not by one that was killed`, async (t) => {
    const path = newFile();
    const holder = client('lock', path, library, 'hold');
    const { lines, ended } = printed(holder);
    await until('the lock', () => lines().length > 0);
    const others = Array.from({ length: 10 }, () => success(client('lock', path, library)));
    holder.kill('SIGKILL');
    await ended;
    t.same(
      await Promise.all(others),
      others.map(() => true),
    );
    const [, ...log] = readFileSync(`${path}.log`, 'utf8').trim().split('\n');
    t.equal(log.length, 20);
    for (let index = 0; index < log.length; index += 2) t.equal(log[index + 1], log[index]?.replace('in', 'out'));
  });
}

t.test('the process ends when no operation is under way', async (t) => {
  t.ok(await success(client('once', ':memory:', LIBRARIES[0])));
});
