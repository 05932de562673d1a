/** Statements of PostgreSQL that stay prepared while tables and types change. */
import type { Test } from 'tap';
import { Cancellation, type Driver, SqlDate, type SqlFailure, type SqlValue } from '../../natives/data/driver.js';
import { openPostgres } from '../../natives/data/postgres/index.js';
import type { PostgresServer } from './postgresserver.js';
import { failure, rows, script, value } from './support/sessions.js';

const OPTIONS = { readonly: false, pool: 10, timeout: 30, durable: false };
const PLAIN = { isolation: null, readonly: false };

/** @param open opens a database until the test ends */
export function preparedCases(
  t: Test,
  server: PostgresServer,
  open: (t: Test, options?: object) => Promise<Driver>,
): void {
  t.test('prepared statements', async (t) => {
    const db = await open(t, { pool: 1 });
    await script(db, 'CREATE TABLE t (n int); INSERT INTO t VALUES (1)');
    for (let i = 0; i < 600; i++) await rows(db, `SELECT ${i}`);
    t.equal(
      await value(db, 'SELECT count(*) FROM pg_prepared_statements'),
      500n,
      'the least recently used ones are removed',
    );
    t.equal(await value(db, 'SELECT 0'), 0n);
    for (let i = 0; i < 3; i++) t.strictSame(await rows(db, 'SELECT * FROM t'), [[1n]]);
    await script(db, `ALTER TABLE t ADD COLUMN text text DEFAULT 'x'`);
    t.strictSame(await rows(db, 'SELECT * FROM t'), [[1n, 'x']], 'a table that has changed');
    await script(db, 'ALTER TABLE t ALTER COLUMN n TYPE text');
    t.strictSame(await rows(db, 'SELECT * FROM t'), [['1', 'x']]);
    await rows(db, 'DEALLOCATE ALL');
    t.strictSame(await rows(db, 'SELECT * FROM t'), [['1', 'x']], 'forgotten statements are prepared again');
    t.strictSame(
      await Promise.all(Array.from({ length: 20 }, () => failure(rows(db, 'SELECT wrong')).then(({ code }) => code))),
      new Array(20).fill('42703'),
    );
  });

  t.test('prepared statements of tables that change, in transactions', async (t) => {
    const name = await server.createDatabase();
    const [db, other] = [1, 2].map(() => openPostgres(server.url(name), { ...OPTIONS, pool: 3 }));
    t.teardown(() => Promise.all([db.close(), other.close()]));
    await script(db, 'CREATE TABLE t (a int); INSERT INTO t VALUES (1)');
    const ALL = 'SELECT * FROM t';
    /** Reads in transactions on all connections. Returns the number of columns, or the kind of the failure. */
    const read = async (): Promise<unknown[]> => {
      const open = await Promise.all([1, 2, 3].map(() => db.begin(PLAIN, new Cancellation())));
      const seen: unknown[] = [];
      for (const transaction of open) {
        seen.push(await rows(transaction, ALL).then(([row]) => row.length, (error: SqlFailure) => error.kind)); // prettier-ignore
        await transaction.rollback();
      }
      return seen;
    };
    t.strictSame(await read(), [1, 1, 1]);
    await rows(other, 'ALTER TABLE t ADD COLUMN b int');
    t.strictSame(await read(), ['serialization', 2, 2], 'another process: once, for all connections');
    t.strictSame(await read(), [2, 2, 2]);
    await rows(db, 'ALTER TABLE t ADD COLUMN c int');
    t.strictSame(await read(), [3, 3, 3], 'a statement of this process');
    const transaction = await db.begin(PLAIN, new Cancellation());
    t.equal((await rows(transaction, ALL))[0].length, 3);
    await rows(transaction, 'ALTER TABLE t ADD COLUMN d int');
    t.equal((await rows(transaction, ALL))[0].length, 4);
    await rows(transaction, 'SAVEPOINT s');
    await rows(transaction, 'ALTER TABLE t DROP COLUMN a');
    t.equal((await rows(transaction, ALL))[0].length, 3);
    await rows(transaction, 'ROLLBACK TO s');
    t.equal((await rows(transaction, ALL))[0].length, 4);
    await script(transaction, 'DROP TABLE t; CREATE TABLE t (e int); INSERT INTO t VALUES (1)');
    t.equal((await rows(transaction, ALL))[0].length, 1);
    await transaction.rollback();
    t.strictSame(await read(), [3, 3, 3], 'what was rolled back');
    const last = await db.begin(PLAIN, new Cancellation());
    await rows(last, 'ALTER TABLE t DROP COLUMN a');
    await last.commit();
    t.strictSame(await read(), [2, 2, 2], 'what was committed');
    t.equal((await rows(db, ALL))[0].length, 2);
  });

  t.test('prepared statements whose columns get other types', async (t) => {
    const name = await server.createDatabase();
    const [db, other] = [1, 2].map(() => openPostgres(server.url(name), { ...OPTIONS, pool: 1 }));
    t.teardown(() => Promise.all([db.close(), other.close()]));
    const date = new SqlDate(Date.parse('2026-11-23T05:10:00.123Z'));
    const CHANGES: readonly [from: string, to: string, before: SqlValue, after: SqlValue][] = [
      ['date', 'timestamptz', date, date],
      ['real', 'double precision', 0.5, 0.1234567890123],
      ['char(3)', 'text', 'ab', 'ab '],
      ['date[]', 'timestamptz[]', [date], [date]],
      ['int', 'bigint', 1n, 2n ** 40n],
      ['int', 'text', 1n, 'one'],
      ['int', 'double precision', 1n, 0.5],
      ['mood', 'text', 'sad', 'other'],
    ];
    await script(other, `CREATE TYPE mood AS ENUM ('sad')`);
    for (const [i, [from, to, before, after]] of CHANGES.entries()) {
      const table = `c${i}`;
      const insert = `INSERT INTO ${table} VALUES ($1)`;
      await script(other, `CREATE TABLE ${table} (v ${from})`);
      for (let n = 0; n < 2; n++) await rows(db, insert, before);
      await script(other, `DELETE FROM ${table}; ALTER TABLE ${table} ALTER COLUMN v TYPE ${to} USING v::text::${to}`);
      await rows(db, insert, after);
      t.strictSame(await value(db, `SELECT v FROM ${table}`), after, `${from} to ${to}`);
    }
    // A type that is dropped and created again, and a table, also by the same process.
    await rows(db, `INSERT INTO e VALUES ($1)`, 'sad').catch(() => {});
    for (const by of [other, db]) {
      for (const column of ['mood', 'int']) {
        await script(by, `DROP TABLE IF EXISTS e; CREATE TABLE e (v ${column})`);
        for (let n = 0; n < 2; n++) await rows(db, 'INSERT INTO e VALUES ($1)', column === 'int' ? 1n : 'sad');
      }
      await script(
        by,
        `DROP TABLE e; DROP TYPE mood; CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE TABLE e (v mood)`,
      );
      await rows(db, 'INSERT INTO e VALUES ($1)', 'glad');
      t.strictSame(await rows(db, 'SELECT v FROM e'), [['glad']]);
    }
    // In a transaction, the statement that fails ends it; the next transaction succeeds.
    const insert = 'INSERT INTO w VALUES ($1)';
    await script(other, 'CREATE TABLE w (v int)');
    const inside = async (given: SqlValue): Promise<void> => {
      const transaction = await db.begin(PLAIN, new Cancellation());
      try {
        await rows(transaction, insert, given);
      } finally {
        await transaction.commit().catch(() => {});
      }
    };
    for (let n = 0; n < 2; n++) await inside(1n);
    await script(other, 'ALTER TABLE w ALTER COLUMN v TYPE bigint');
    t.match(await failure(inside(2n ** 40n)), { code: '22003' });
    await inside(2n ** 40n);
    // A value that is wrong for the column fails as before, also if several are sent at once.
    const wrong = Array.from({ length: 20 }, () => failure(rows(db, insert, 'one')).then(({ code }) => code));
    t.strictSame(await Promise.all(wrong), new Array(20).fill('22P02'));
    t.equal(await value(db, 'SELECT count(*) FROM w'), 3n);
  });
}
