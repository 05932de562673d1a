import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import t, { type Test } from 'tap';
import {
  Cancellation,
  SqlDate,
  type Driver,
  type SqlFailure,
  type Row,
  type SqlValue,
  SqlVector,
} from '../../natives/data/driver.js';
import { openPostgres } from '../../natives/data/postgres/index.js';
import { happens, until } from '../patience.js';
import { testDriver } from './cases.js';
import { largeCases } from './largecases.js';
import { failureCases, valueCases } from './postgrescases.js';
import { endCases } from './postgresends.js';
import { preparedCases } from './postgresprepared.js';
import { findPostgres, PostgresServer } from './postgresserver.js';
import { tlsCases } from './postgrestls.js';
import { builtClient, killClients } from './support/program.js';
import { counted, cursor, failure, inserted, rows, script, value } from './support/sessions.js';
import { longestTurn, MAX_TURN_MS } from './support/turns.js';

const LONG = process.env.SVC_LONG === '1';
const OPTIONS = { readonly: false, pool: 10, timeout: 30, durable: false };
const PLAIN = { isolation: null, readonly: false };

const programs = findPostgres();

if (programs === null)
  t.pass('PostgreSQL', { skip: 'initdb, pg_ctl and postgres are not installed (Debian: postgresql)' });
else await testWith(await PostgresServer.start(programs));

async function testWith(server: PostgresServer): Promise<void> {
  t.teardown(() => server.stop());
  const connect: Connect = (t, name, options = {}, query = '') => {
    const driver = openPostgres(server.url(name, { query }), { ...OPTIONS, ...options });
    t.teardown(() => driver.close());
    return driver;
  };
  const open: OpenWith = async (t, options = {}) => connect(t, await server.createDatabase(), options);

  // Transactions on different connections begin in any order; 'the pool is fair' tests the order of waiting.
  const except = ['transactions that wait are served in their order'];
  testDriver('PostgreSQL', 'postgres', async () => openPostgres(server.url(await server.createDatabase()), OPTIONS), except); // prettier-ignore
  valueCases(t, open);
  failureCases(t, open);
  void t.test('large values and results', (t) => {
    largeCases(t, 'postgres', (t, room) => open(t, { room }));
    t.end();
  });
  // Some of these wait for limits of a second, at the same time.
  void t.test('connections and transactions', { jobs: 8 }, (t) => {
    connectionCases(t, server, connect);
    cancellationCases(t, open);
    transactionCases(t, open);
    endCases(t, server, open);
    t.end();
  });
  streamCases(t, open);
  preparedCases(t, server, open);
  statementCases(t, server, open);
  // These end the server's processes: they come last.
  faultCases(t, server, open);
  tlsCases(t, server);
}

/** These open a database until the test ends. */
type Connect = (t: Test, name: string, options?: object, query?: string) => Driver;
type OpenWith = (t: Test, options?: object) => Promise<Driver>;

/** Runs a statement that can be cancelled. */
function start(db: Driver, sql: string, ...params: SqlValue[]): { cancel: Cancellation; done: Promise<SqlValue[][]> } {
  const cancel = new Cancellation();
  const done = db.run({ sql, params }, cancel).then(({ pieces }) => pieces.flat());
  done.catch(() => {});
  return { cancel, done };
}

/** Number of statements of this text that the server runs in this database. */
async function running(db: Driver, text: string): Promise<bigint> {
  const sql = `SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()`;
  return (await value(db, sql, `%${text}%`)) as bigint;
}

function connectionCases(t: Test, server: PostgresServer, connect: Connect): void {
  /** Fails if the password of a URL occurs in anything that could be printed. */
  const refused = async (t: Test, url: string, expected: RegExp): Promise<SqlFailure> => {
    let driver: Driver | null = null;
    const found = await failure(
      (async () => {
        driver = openPostgres(url, OPTIONS);
        await rows(driver, 'SELECT 1');
      })(),
    );
    t.equal(found.kind, 'connection');
    t.match(found.message, expected);
    t.notMatch(`${inspect(found, { depth: 9 })} ${found.stack} ${inspect(driver, { depth: 9 })}`, /s3cret/);
    await (driver as Driver | null)?.close();
    return found;
  };

  t.test('invalid URLs', async (t) => {
    await refused(t, 'postgres:s3cret', /expected 'postgres:/);
    await refused(t, 'postgres://u:s3cret@host:99999/x', /port/);
    await refused(t, 'postgres://u:s3cret%@host/x', /percent encoding of the password/);
    await refused(t, 'postgres://u:s3cret@host/x?sslmode=never', /sslmode must be one of/);
    await refused(t, 'postgres://u:s3cret@host/x?nonsense=1', /unknown parameter 'nonsense'/);
    await refused(t, 'postgres://u:s3cret@a,b/x', /more than one host/);
  });

  t.test('servers that refuse', async (t) => {
    const { port } = server;
    const place = `127\\.0\\.0\\.1:${port}`;
    const wrong = await refused(
      t,
      server.url('postgres', { password: 's3cret' }),
      new RegExp(`^cannot connect to ${place}: password`),
    );
    t.equal(wrong.code, '28P01');
    await refused(t, `postgres://svc@127.0.0.1:${port}/postgres`, /asks for a password/);
    const unknown = await refused(t, server.url('nothing'), /cannot connect to .*: database "nothing" does not exist/);
    t.equal(unknown.code, '3D000');
    await refused(t, 'postgres://u:s3cret@127.0.0.1:1/x', /^cannot connect to 127\.0\.0\.1:1: connection refused$/);
    await refused(t, 'postgres://u:s3cret@host.invalid/x', /^cannot connect to host\.invalid:5432: /);
    await refused(
      t,
      'postgres://u:s3cret@%2Fnowhere/x',
      /^cannot connect to \/nowhere\/\.s\.PGSQL\.5432: there is no such socket$/,
    );
    for (const mode of ['require', 'verify-full']) {
      await refused(t, server.url('postgres', { query: `?sslmode=${mode}` }), /the server refuses TLS/);
    }
  });

  t.test('a server that does not answer', async (t) => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    t.teardown(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const url = `postgres://u:s3cret@127.0.0.1:${port}/x?connect_timeout=1`;
    await refused(t, url, /no answer within 1 s/);
    const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    t.teardown(() => closing.close());
    await once(closing, 'listening');
    await refused(t, `postgres://u:s3cret@127.0.0.1:${(closing.address() as AddressInfo).port}/x`, /cannot connect/);
  });

  t.test('the parts of a URL', async (t) => {
    const db = connect(
      t,
      await server.createDatabase(),
      {},
      '?application_name=a%20b&options=-c%20work_mem=7MB&sslmode=disable',
    );
    t.strictSame(await rows(db, `SELECT current_setting('application_name'), current_setting('work_mem')`), [
      ['a b', '7MB'],
    ]);
    t.match(db.label, /^postgres:\/\/svc@127\.0\.0\.1:\d+\/test\d+$/);
    const socket = openPostgres(server.url('postgres', { host: encodeURIComponent(server.folder) }), OPTIONS);
    t.equal(await value(socket, 'SELECT inet_client_addr()'), null, 'a Unix socket');
    const slow = start(socket, 'SELECT pg_sleep(60)');
    await until('the statement', async () => (await running(socket, 'pg_sleep(60)')) === 1n);
    slow.cancel.cancel();
    t.equal((await failure(slow.done)).kind, 'cancelled', 'cancels through the socket');
    await socket.close();
  });

  t.test('a closed database', async (t) => {
    const name = await server.createDatabase();
    const db = connect(t, name);
    const slow = [start(db, 'SELECT pg_sleep(60)'), start(db, 'SELECT 2, pg_sleep(60)')];
    const transaction = await db.begin(PLAIN, new Cancellation());
    const inside = failure(rows(transaction, 'SELECT pg_sleep(60)'));
    await until('the statements', async () => (await running(db, 'pg_sleep(60)')) === 3n);
    await db.close();
    for (const { done } of slow) t.equal((await failure(done)).kind, 'closed');
    t.equal((await inside).kind, 'closed');
    t.equal((await failure(rows(db, 'SELECT 1'))).kind, 'closed');
    t.equal((await failure(db.begin(PLAIN, new Cancellation()))).kind, 'closed');
    const gone = `SELECT FROM pg_stat_activity WHERE datname = $1 AND query LIKE '%pg_sleep(60)%'`;
    t.ok(
      await happens(async () => (await server.query('postgres', gone, [name])).length === 0),
      'the server ends the statements',
    );
  });

  t.test('an idle database does not keep the process alive', async (t) => {
    const text = `
      const { openPostgres } = await import(${JSON.stringify(join(import.meta.dirname, '../../natives/data/postgres/index.ts'))});
      const { Cancellation } = await import(${JSON.stringify(join(import.meta.dirname, '../../natives/data/driver.ts'))});
      const db = openPostgres(process.argv[1], ${JSON.stringify(OPTIONS)});
      const { pieces } = await db.run({ sql: 'SELECT pg_sleep(0.2), 42', params: [] }, new Cancellation());
      const transaction = await db.begin({ isolation: null, readonly: true }, new Cancellation());
      await transaction.commit();
      console.log(String(pieces[0][0][1]));`;
    const args = ['--import', 'tsx', '--input-type=module', '-e', text, server.url('postgres')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += String(data)));
    await once(child, 'close');
    t.equal(output, '42\n');
  });
}

function cancellationCases(t: Test, open: OpenWith): void {
  t.test('a running statement is cancelled on the server', async (t) => {
    const db = await open(t);
    await value(db, 'SELECT 1');
    const slow = start(db, 'SELECT pg_sleep(60)');
    await until('the statement', async () => (await running(db, 'pg_sleep(60)')) === 1n);
    slow.cancel.cancel();
    t.strictSame((({ kind, code }) => [kind, code])(await failure(slow.done)), ['cancelled', '57014']);
    t.equal(await running(db, 'pg_sleep(60)'), 0n, 'gone when the failure is reported');
    t.equal(await value(db, 'SELECT 2'), 2n);
    const early = new Cancellation();
    early.cancel();
    t.equal((await failure(db.run({ sql: 'SELECT 1', params: [] }, early))).kind, 'cancelled');
    const transaction = await db.begin(PLAIN, new Cancellation());
    await rows(transaction, 'SET LOCAL statement_timeout = 20');
    const limited = await failure(rows(transaction, 'SELECT pg_sleep(60)'));
    t.strictSame([limited.kind, limited.code], ['database', '57014'], "the server's own limit is no cancellation");
    await transaction.rollback();
  });

  t.test('a statement does not wait for a slow one', async (t) => {
    const db = await open(t);
    const slow = Array.from({ length: 6 }, (_, i) => start(db, `SELECT ${i}, pg_sleep(60)`));
    await until('the statements', async () => (await running(db, 'pg_sleep(60)')) === 6n);
    for (let i = 0; i < 50; i++) t.equal(await value(db, 'SELECT $1::int', BigInt(i)), BigInt(i));
    for (const { cancel } of slow) cancel.cancel();
    for (const { done } of slow) t.equal((await failure(done)).kind, 'cancelled');
  });

  t.test('more slow statements than connections', async (t) => {
    const db = await open(t, { pool: 2, timeout: 2 });
    const slow = Array.from({ length: 2 }, (_, i) => start(db, `SELECT ${i}, pg_sleep(60)`));
    const late = await failure(rows(db, 'SELECT 1'));
    t.equal(late.kind, 'timeout');
    const queued = start(db, 'SELECT 2');
    queued.cancel.cancel();
    t.equal((await failure(queued.done)).kind, 'cancelled', 'a waiting statement is dropped');
    t.equal(db.stats().waiting, 0);
    slow[0].cancel.cancel();
    t.equal((await failure(slow[0].done)).kind, 'cancelled');
    t.equal(await value(db, 'SELECT 3'), 3n);
  });

  t.test('random cancellations harm no other statement', async (t) => {
    const db = await open(t, { pool: 3 });
    await script(
      db,
      'CREATE TABLE counts (id int PRIMARY KEY, n int); INSERT INTO counts SELECT g, 0 FROM generate_series(0, 9) g',
    );
    let isOver = false;
    let increments = 0;
    let cancelled = 0;
    const failures: unknown[] = [];
    const write = async (id: number): Promise<void> => {
      for (; !isOver; increments++) await rows(db, 'UPDATE counts SET n = n + 1 WHERE id = $1', BigInt(id));
    };
    const read = async (): Promise<void> => {
      while (!isOver) await rows(db, 'SELECT sum(g) FROM generate_series(1, $1) g', 2000n);
    };
    const others = [...Array.from({ length: 10 }, (_, i) => write(i)), read(), read(), read()].map((other) =>
      other.catch((error: unknown) => failures.push(error)),
    );
    // Durations near those of the other statements, so that requests often come late.
    const victims = async (): Promise<void> => {
      for (let i = 0; i < (LONG ? 500 : 50); i++) {
        const victim = start(
          db,
          'SELECT count(*) FROM generate_series(1, $1::int) g',
          BigInt(Math.floor(Math.random() * 30_000)),
        );
        await sleep(Math.random() * 6);
        victim.cancel.cancel();
        await victim.done.catch(({ kind }: SqlFailure) => kind === 'cancelled' && cancelled++);
      }
    };
    await Promise.all([victims(), victims(), victims(), victims()]);
    isOver = true;
    await Promise.all(others);
    t.strictSame(failures, []);
    t.ok(cancelled > 0, `${cancelled} cancelled, ${increments} increments`);
    t.equal(await value(db, 'SELECT sum(n) FROM counts'), BigInt(increments), 'each increment was made once');
  });
}

function transactionCases(t: Test, open: OpenWith): void {
  const begin = (db: Driver, options = {}) => db.begin({ ...PLAIN, ...options }, new Cancellation());

  t.test('transactions', async (t) => {
    const db = await open(t);
    await script(db, 'CREATE TABLE t (n int)');
    const first = await begin(db);
    t.equal((await first.run({ sql: 'INSERT INTO t VALUES (1), (2)', params: [] }, new Cancellation())).changes, 2);
    t.equal(await value(db, 'SELECT count(*) FROM t'), 0n);
    await first.commit();
    t.equal(await value(db, 'SELECT count(*) FROM t'), 2n);
    const second = await begin(db);
    await rows(second, 'DELETE FROM t');
    await rows(second, 'SAVEPOINT a');
    t.equal((await failure(rows(second, 'SELECT 1/0'))).code, '22012');
    t.equal((await failure(rows(second, 'SELECT 1'))).code, '25P02');
    await rows(second, 'ROLLBACK TO SAVEPOINT a');
    t.equal(await value(second, 'SELECT count(*) FROM t'), 0n);
    for (const sql of ['COMMIT', 'ROLLBACK', 'BEGIN', 'ABORT'])
      t.match((await failure(rows(second, sql))).message, /use db\.transaction/);
    await second.rollback();
    t.equal(await value(db, 'SELECT count(*) FROM t'), 2n);
    const third = await begin(db);
    await failure(rows(third, 'SELECT 1/0'));
    t.equal((await failure(third.commit())).code, '25P02', 'a failed transaction cannot be committed');
    t.equal((await failure(rows(third, 'SELECT 1'))).message, 'the transaction has ended');
    const reading = await begin(db, { readonly: true, isolation: 'serializable' });
    t.equal(await value(reading, 'SHOW transaction_isolation'), 'serializable');
    t.equal((await failure(rows(reading, 'DELETE FROM t'))).code, '25006');
    await reading.rollback();
    t.equal((await failure(begin(db, { isolation: 'x; DROP TABLE t' }))).kind, 'database');
  });

  t.test('serialization failures and deadlocks', async (t) => {
    const db = await open(t);
    await script(db, 'CREATE TABLE t (id int, n int); INSERT INTO t VALUES (1, 0), (2, 0)');
    const [a, b] = [
      await begin(db, { isolation: 'repeatable read' }),
      await begin(db, { isolation: 'repeatable read' }),
    ];
    for (const each of [a, b]) await rows(each, 'SELECT * FROM t');
    await rows(a, 'UPDATE t SET n = 1 WHERE id = 1');
    await a.commit();
    t.equal((await failure(rows(b, 'UPDATE t SET n = 2 WHERE id = 1'))).kind, 'serialization');
    await b.rollback();
    const [c, d] = [await begin(db), await begin(db)];
    await rows(c, 'UPDATE t SET n = 3 WHERE id = 1');
    await rows(d, 'UPDATE t SET n = 3 WHERE id = 2');
    const ends = await Promise.allSettled([
      rows(c, 'UPDATE t SET n = 4 WHERE id = 2'),
      rows(d, 'UPDATE t SET n = 4 WHERE id = 1'),
    ]);
    const lost = ends.filter((end) => end.status === 'rejected').map(({ reason }) => (reason as SqlFailure).kind);
    t.strictSame(lost, ['serialization'], 'one of two ends a deadlock');
    await Promise.all([c.rollback(), d.rollback()]);
  });

  t.test('who waits for a connection for too long gets an error', async (t) => {
    // To connect may take more than a second while other tests run.
    const db = await open(t, { pool: 2, timeout: 4 });
    const held = [await begin(db), await begin(db)];
    t.equal((await failure(begin(db))).kind, 'timeout');
    for (const transaction of held) await transaction.rollback();
  });

  t.test('the pool is fair', async (t) => {
    const db = await open(t, { pool: 2 });
    const held = [await begin(db), await begin(db)];
    const order: number[] = [];
    t.equal(await value(db, 'SELECT 1'), 1n, 'single statements need no transaction');
    const waiting = [1, 2, 3].map(async (i) => {
      const own = await begin(db);
      order.push(i);
      await own.commit();
    });
    const cancel = new Cancellation();
    const given = failure(db.begin(PLAIN, cancel));
    cancel.cancel();
    t.equal((await given).kind, 'cancelled');
    await held[0].commit();
    await Promise.all(waiting);
    t.strictSame(order, [1, 2, 3]);
    await held[1].rollback();
  });

  t.test('a transaction whose statement was cancelled', async (t) => {
    const db = await open(t, { pool: 1 });
    const transaction = await begin(db);
    const cancel = new Cancellation();
    const slow = transaction.run({ sql: 'SELECT pg_sleep(60)', params: [] }, cancel);
    setTimeout(() => cancel.cancel(), 50);
    t.equal((await failure(slow)).kind, 'cancelled');
    await transaction.rollback();
    const next = await begin(db);
    t.equal(await value(next, 'SELECT 1'), 1n);
    const abandoned = failure(rows(next, 'SELECT pg_sleep(60)'));
    await until('the statement', async () => (await running(db, 'pg_sleep(60)')) === 1n);
    await next.rollback();
    t.equal((await abandoned).kind, 'cancelled', 'a rollback ends what runs');
    const last = await begin(db);
    t.equal(await value(last, 'SELECT 2'), 2n);
    await last.commit();
  });

  t.test('scripts leave no traces', async (t) => {
    const db = await open(t, { pool: 1 });
    t.equal(
      await script(
        db,
        `CREATE TABLE t (n int); INSERT INTO t VALUES (1), (2); UPDATE t SET n = 3; SELECT set_config('search_path', '', false)`,
      ),
      4,
    );
    const transaction = await begin(db);
    t.equal(await value(transaction, 'SELECT count(*) FROM t'), 2n);
    t.equal(await script(transaction, `SET search_path = ''; DELETE FROM public.t`), 2);
    await transaction.commit();
    const next = await begin(db);
    t.equal(await value(next, 'SELECT count(*) FROM t'), 0n);
    t.match((await failure(script(next, 'COMMIT'))).message, /ended the transaction/);
    await next.rollback();
    const script42 = await failure(script(db, 'INSERT INTO t VALUES (9); SELECT wrong'));
    t.strictSame([script42.code, script42.position], ['42703', 'INSERT INTO t VALUES (9); SELECT '.length]);
    t.equal(await value(db, 'SELECT count(*) FROM t'), 0n, 'a script without BEGIN is one transaction');
  });
}

function streamCases(t: Test, open: OpenWith): void {
  t.test('cursors', async (t) => {
    const db = await open(t, { pool: 2 });
    const many = await cursor(db, `SELECT g, 'row ' || g AS text FROM generate_series(1, $1::int) g`, 1_200n);
    t.strictSame(many.columns, ['g', 'text']);
    t.equal(await counted(many), 1_200);
    await many.close();
    const broken = await cursor(
      db,
      'SELECT g, pg_sleep(CASE WHEN g > 600 THEN 60 ELSE 0 END) FROM generate_series(1, 1000) g',
    );
    t.equal((await broken.next())?.length, 500);
    await broken.close();
    t.equal(await running(db, 'pg_sleep(CASE'), 0n, 'the end of a cursor ends its statement');
    const failing = await cursor(db, 'SELECT 1 / (700 - g) FROM generate_series(1, 1000) g');
    await failing.next();
    t.equal((await failure(failing.next())).code, '22012');
    t.equal(await failing.next(), null);
    await failing.close();
    t.equal((await failure(cursor(db, 'SELECT wrong'))).code, '42703');
    const cancel = new Cancellation();
    const slow = await db.open(
      { sql: 'SELECT g, pg_sleep(CASE WHEN g > 600 THEN 60 ELSE 0 END) FROM generate_series(1, 1000) g', params: [] },
      cancel,
    );
    await slow.next();
    setTimeout(() => cancel.cancel(), 50);
    t.equal((await failure(slow.next())).kind, 'cancelled');
    const [a, b] = [await db.begin(PLAIN, new Cancellation()), await db.begin(PLAIN, new Cancellation())];
    await Promise.all([a.rollback(), b.rollback()]);
    t.pass('all connections came back');
  });

  t.test('cursors fetch fewer rows if these are long', async (t) => {
    const db = await open(t);
    const long = await cursor(db, `SELECT repeat('x', 1000000) FROM generate_series(1, 50)`);
    const lengths: number[] = [];
    for (let piece = await long.next(); piece !== null; piece = await long.next()) lengths.push(piece.length);
    const [first, ...others] = lengths;
    t.equal(first, 20);
    t.ok(Math.max(...others) <= 3, `pieces of ${lengths.join()} rows`);
    t.equal(
      lengths.reduce((sum, n) => sum + n),
      50,
    );
  });

  t.test('cursors that change rows, cursors in transactions', async (t) => {
    const db = await open(t, { pool: 1 });
    await script(db, `CREATE TYPE mood AS ENUM ('sad'); CREATE TABLE t (n int, m mood[])`);
    const inserting = await cursor(
      db,
      `INSERT INTO t SELECT g, '{sad}' FROM generate_series(1, 2000) g RETURNING m, n`,
    );
    t.strictSame((await inserting.next())?.[0], [['sad'], 1n]);
    await inserting.close();
    t.equal(await value(db, 'SELECT count(*) FROM t'), 2000n, 'what the statement did is kept');
    const transaction = await db.begin(PLAIN, new Cancellation());
    const outer = await cursor(transaction, 'SELECT n FROM t ORDER BY n');
    const inner = await cursor(transaction, 'SELECT n FROM t ORDER BY n DESC');
    t.strictSame((await outer.next())?.[0], [1n]);
    t.strictSame((await inner.next())?.[0], [2000n]);
    await rows(transaction, 'UPDATE t SET n = 0');
    t.strictSame((await outer.next())?.[0], [501n], 'a cursor sees its own time');
    await inner.close();
    await outer.close();
    t.equal(await value(transaction, 'SELECT max(n) FROM t'), 0n);
    await transaction.commit();
  });

  t.test('many rows are inserted at once', async (t) => {
    const db = await open(t);
    await script(db, 'CREATE TABLE "my table" (id int PRIMARY KEY, name text, "at" timestamptz, tags text[], j jsonb)');
    const json = new SqlVector(
      () => ['x'],
      () => '["x"]',
    );
    const make = function* (count: number): Iterable<Row> {
      for (let i = 0; i < count; i++) yield [BigInt(i), `n\t${i}\n\\`, new SqlDate(i), ['a', null], json];
    };
    const columns = ['id', 'name', 'at', 'tags', 'j'];
    const longest = await longestTurn(async () => {
      await script(db, 'TRUNCATE "my table"');
      t.equal(await inserted(db, 'my table', columns, make(100_000)), 100_000);
    });
    t.ok(longest < MAX_TURN_MS, `longest turn ${longest.toFixed(1)} ms of processor time`);
    t.strictSame(await rows(db, `SELECT count(*), min(name), max(j::text) FROM "my table"`), [
      [100_000n, 'n\t0\n\\', '["x"]'],
    ]);
    const duplicate = await failure(inserted(db, 'my table', columns, make(100_001)));
    t.match(duplicate, { kind: 'constraint', violation: { kind: 'unique', columns: ['id'] } });
    t.equal(await value(db, 'SELECT count(*) FROM "my table"'), 100_000n, 'all or none');
    const nul = await failure(inserted(db, 'my table', ['id', 'name'], [[-1n, 'a'], [-2n, 'secret\0']])); // prettier-ignore
    t.match(nul.message, /^column "name" of row 2 holds a NUL character/);
    const wrong = await failure(inserted(db, 'my table', ['id'], [['secret']]));
    t.match(wrong.message, /^invalid input syntax for type integer: "…"$/);
    t.match((await failure(inserted(db, 'my table', ['id'], [[1n, 2n]]))).message, /row 1 has 2 values for 1 columns/);
    t.match((await failure(inserted(db, 'my tabel', ['id'], [[1n]]))).message, /did you mean "my table"\?/);
    t.equal(await inserted(db, 'my table', ['id'], []), 0);
    const cancel = new Cancellation();
    const endless = (function* (): Iterable<Row> {
      for (let i = 1_000_000n; ; i++) {
        if (i === 1_100_000n) setImmediate(() => cancel.cancel());
        yield [i];
      }
    })();
    t.equal((await failure(inserted(db, 'my table', ['id'], endless, cancel))).kind, 'cancelled');
    t.equal(await value(db, 'SELECT count(*) FROM "my table"'), 100_000n);
  });
}

function statementCases(t: Test, server: PostgresServer, open: OpenWith): void {
  t.test('tables and columns', async (t) => {
    const db = await open(t);
    await script(
      db,
      `CREATE TABLE b (id serial PRIMARY KEY, name varchar(9) NOT NULL DEFAULT 'x', n numeric(5,2), g int GENERATED ALWAYS AS (1) STORED);
       CREATE TABLE "A a" (x int); CREATE SCHEMA s; CREATE TABLE s.t (y int, PRIMARY KEY (y)); CREATE VIEW v AS SELECT 1;
       CREATE TABLE p (k int) PARTITION BY RANGE (k); CREATE TABLE p1 PARTITION OF p DEFAULT`,
    );
    const none = new Cancellation();
    t.strictSame(await db.tables(none), ['A a', 'b', 'p', 's.t']);
    t.strictSame(await db.columns('b', none), [
      { name: 'id', type: 'integer', nullable: false, fallback: `nextval('b_id_seq'::regclass)`, primary: true },
      {
        name: 'name',
        type: 'character varying(9)',
        nullable: false,
        fallback: `'x'::character varying`,
        primary: false,
      },
      { name: 'n', type: 'numeric(5,2)', nullable: true, fallback: null, primary: false },
      { name: 'g', type: 'integer', nullable: true, fallback: null, primary: false },
    ]);
    t.strictSame(
      (await db.columns('s.t', none)).map(({ name, primary }) => [name, primary]),
      [['y', true]],
    );
    t.strictSame(await db.columns('nothing', none), []);
  });

  t.test('a read-only database', async (t) => {
    const db = await open(t, { readonly: true });
    t.equal((await failure(rows(db, 'CREATE TABLE t (n int)'))).code, '25006');
    t.equal((await failure(script(db, 'CREATE TABLE t (n int)'))).code, '25006');
    t.equal(await value(db, 'SELECT 1'), 1n);
    // Nothing makes it writable: statements, functions and blocks of a transaction, and scripts.
    const writable = 'CREATE TABLE t (n int)';
    const SWITCHES = [
      'SET TRANSACTION READ WRITE',
      'SET LOCAL transaction_read_only = off',
      `SELECT set_config('transaction_read_only', 'off', true)`,
      'DO $$ BEGIN SET TRANSACTION READ WRITE; END $$',
      'SAVEPOINT a; SET TRANSACTION READ WRITE',
      'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
      'SET default_transaction_read_only = off',
    ];
    const other = await open(t);
    for (const sql of [...SWITCHES, 'COMMIT; BEGIN READ WRITE', '/* */ ; end; START TRANSACTION']) {
      await failure(script(db, `${sql}; ${writable}`));
      for (const [of, options] of [
        [db, PLAIN],
        [other, { ...PLAIN, readonly: true }],
      ] as const) {
        const transaction = await of.begin(options, new Cancellation());
        await failure(script(transaction, `${sql}; ${writable}`));
        await transaction.rollback();
        if (!SWITCHES.includes(sql) || sql.includes(';')) continue;
        const single = await of.begin(options, new Cancellation());
        await rows(single, sql).catch(() => {});
        await failure(rows(single, writable));
        await single.rollback();
      }
    }
    for (const of of [db, other]) t.strictSame(await of.tables(new Cancellation()), []);
    t.equal((await failure(rows(db, writable))).code, '25006', 'the next statement');
    t.equal(await script(other, writable), 0);
  });

  t.test('locks between processes', async (t) => {
    const name = await server.createDatabase();
    const drivers = Array.from({ length: 10 }, () => openPostgres(server.url(name), OPTIONS));
    let holders = 0;
    let most = 0;
    const results = await Promise.all(
      drivers.map((db, i) =>
        db.locked('migrations', async () => {
          most = Math.max(most, ++holders);
          await value(db, 'SELECT pg_sleep(0.01)');
          holders--;
          return i;
        }),
      ),
    );
    t.strictSame(results, [...drivers.keys()]);
    t.equal(most, 1);
    await drivers[0].locked('a', () => drivers[1].locked('b', async () => t.pass('other names do not wait')));
    await t.rejects(
      drivers[0].locked('a', () => Promise.reject(new Error('work failed'))),
      { message: 'work failed' },
    );
    await drivers[1].locked('a', async () => t.pass('a failure frees the lock'));
    for (const driver of drivers) await driver.close();
  });

  t.test('many threads share few connections', async (t) => {
    const db = await open(t);
    await script(db, 'CREATE TABLE t AS SELECT g AS id FROM generate_series(1, 1000) g');
    const read = async (i: number): Promise<boolean> =>
      (await value(db, 'SELECT id FROM t WHERE id = $1', BigInt((i % 1000) + 1))) === BigInt((i % 1000) + 1);
    const found = await Promise.all(Array.from({ length: 2000 }, (_, i) => read(i)));
    t.ok(found.every(Boolean));
    t.ok(db.stats().connections <= 5, `${db.stats().connections} connections`);
  });
}

/** Writers that insert numbers into the table `t`, one after the other. Only lost connections may make them fail. */
class Load {
  readonly acknowledged: bigint[] = [];
  failed = 0;
  /** Whether no writer has failed twice between two calls of `goesOn`. */
  isFair = true;
  private readonly losers = new Set<number>();
  private readonly writers: Promise<void>[];
  private isOver = false;
  private id = 0n;

  constructor(
    private readonly db: Driver,
    count: number,
  ) {
    this.writers = Array.from({ length: count }, (_, writer) => this.write(writer));
  }

  /** Waits for 200 more writes. */
  async goesOn(): Promise<void> {
    const before = this.acknowledged.length;
    await until('writes', () => this.acknowledged.length > before + 200);
    this.losers.clear();
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.writers);
  }

  private async write(writer: number): Promise<void> {
    while (!this.isOver) {
      const id = ++this.id;
      try {
        await rows(this.db, 'INSERT INTO t VALUES ($1)', id);
        this.acknowledged.push(id);
      } catch (error) {
        if ((error as SqlFailure).kind !== 'connection') throw error;
        this.failed++;
        if (this.losers.has(writer)) this.isFair = false;
        this.losers.add(writer);
      }
    }
  }
}

function faultCases(t: Test, server: PostgresServer, open: OpenWith): void {
  t.test('kill -9 loses nothing that was acknowledged', async (t) => {
    const client = await builtClient(t);
    const names = [await server.createDatabase(), await server.createDatabase()];
    const databases = names.map((name) => openPostgres(server.url(name), OPTIONS));
    await killClients(t, async (side) => {
      const db = databases[side];
      await rows(db, 'DROP TABLE IF EXISTS kept');
      const stored = async (): Promise<SqlValue[]> => (await rows(db, 'SELECT id FROM kept')).map(([id]) => id);
      return { child: client('insert', server.url(names[side])), stored };
    });
    for (const db of databases) await db.close();
  });

  t.test('a backend that is killed', async (t) => {
    const db = await open(t);
    await script(db, 'CREATE TABLE t (n int)');
    const transaction = await db.begin(PLAIN, new Cancellation());
    await rows(transaction, 'INSERT INTO t VALUES (1)');
    const pid = Number(await value(transaction, 'SELECT pg_backend_pid()'));
    // The server restarts all backends after one of them has been killed.
    process.kill(pid, 'SIGKILL');
    t.equal((await failure(rows(transaction, 'SELECT 1'))).kind, 'connection');
    t.equal((await failure(transaction.commit())).kind, 'connection');
    await transaction.rollback();
    await until('the server', () => rows(db, 'SELECT 1').then(() => true, () => false)); // prettier-ignore
    t.equal(await value(db, 'SELECT count(*) FROM t'), 0n);
    const idle = Number(await value(db, 'SELECT pg_backend_pid()'));
    const { connections } = db.stats();
    await server.query('postgres', 'SELECT pg_terminate_backend($1)', [idle]);
    await until('the end of the connection', () => db.stats().connections < connections);
    t.equal(await value(db, 'SELECT 1'), 1n, 'an ended connection is replaced');
    const next = await db.begin(PLAIN, new Cancellation());
    t.equal(await value(next, 'SELECT 1'), 1n);
    await next.commit();
  });

  t.test('restarts under load', async (t) => {
    const db = await open(t);
    await script(db, 'CREATE TABLE t (id bigint)');
    const load = new Load(db, 20);
    for (const mode of ['immediate', 'fast', 'immediate'] as const) {
      await load.goesOn();
      await server.restart(mode);
    }
    await load.goesOn();
    await load.end();
    const stored = (await rows(db, 'SELECT id FROM t')).map(([found]) => found as bigint);
    const all = new Set(stored);
    t.equal(stored.length, all.size, 'no write was made twice');
    t.strictSame(
      load.acknowledged.filter((own) => !all.has(own)),
      [],
    );
    t.ok(load.isFair, `${load.failed} statements failed in three restarts, at most one of each writer for each`);
  });

  t.test('killed backends under load', async (t) => {
    const db = await open(t);
    await script(db, 'CREATE TABLE t (id bigint)');
    const load = new Load(db, 20);
    for (let i = 0; i < 5; i++) {
      await load.goesOn();
      const [[pid]] = await rows(db, 'SELECT pg_backend_pid()');
      process.kill(Number(pid), 'SIGKILL');
    }
    await load.goesOn();
    await load.end();
    t.ok(load.failed > 0);
    t.ok(load.isFair, `${load.failed} statements failed after five kills, at most one of each writer for each`);
  });
}
