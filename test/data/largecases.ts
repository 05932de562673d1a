/** Values, rows and results for which there is no room; each engine's test runs all of it. */
import type { Test } from 'tap';
import { Cancellation, type Driver, type RowRoom, USUAL_TRANSACTION } from '../../natives/data/driver.js';
import { until } from '../patience.js';
import { counted, cursor, failure, inserted, rows, value } from './support/sessions.js';

/** Opens a database with this room for rows until the test ends. */
export type OpenIn = (t: Test, room: RowRoom) => Promise<Driver>;

/** The engine's SQL. */
interface Dialect {
  /** The column type of Bytes. */
  readonly bytes: string;
  /** An expression for a text of `n` characters. */
  readonly text: (n: number | string) => string;
  /** An expression for `n` bytes. */
  readonly zeros: (n: number) => string;
  /** The integers from 1 to `count`, as a table with the column `n`. */
  readonly numbers: (count: number) => string;
}

const DIALECTS: Readonly<Record<Driver['engine'], Dialect>> = {
  sqlite: {
    bytes: 'BLOB',
    text: (n) => `printf('%.*c', ${n}, 'x')`,
    zeros: (n) => `zeroblob(${n})`,
    numbers: (count) =>
      `(WITH RECURSIVE r(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM r LIMIT ${count}) SELECT n FROM r)`,
  },
  postgres: {
    bytes: 'bytea',
    text: (n) => `repeat('x', ${n})`,
    zeros: (n) => `decode(repeat('00', ${n}), 'hex')`,
    // In the list of columns: in FROM, all rows would be written to a file first.
    numbers: (count) => `(SELECT generate_series(1, ${count}) AS n) AS s`,
  },
};

const UNLIMITED = { maxValue: Infinity, maxRow: Infinity, fits: () => true };

/** Longest value where values are limited. */
const LONGEST = 1_000;

/** Room that is limited for values only. */
const SHORT: RowRoom = { ...UNLIMITED, maxValue: LONGEST };

/** Characters of a row that takes more than its share of memory. */
const LONG_ROW = 2_000_000;

/** Room without any for such a row: SQLite compares it with `maxRow`, PostgreSQL asks before the row arrives. */
const NARROW: RowRoom = { ...UNLIMITED, maxRow: LONG_ROW / 2, fits: (bytes) => bytes < LONG_ROW };

/** Room that is used up when it is asked about for the third time. */
function shrinking(): RowRoom & { asked: number } {
  const room = { ...UNLIMITED, maxRow: 1_000_000, asked: 0, fits: () => ++room.asked < 3 };
  return room;
}

const ROWS_DO_NOT_FIT =
  /^the rows do not fit into the memory of the process: \d+ MB have arrived; read them with db\.each/;

const IS_LONG = process.env.SVC_LONG === '1';

const LONG_ONLY = 'takes gigabytes of memory: run it with SVC_LONG=1';

/** Why an engine's test with parameters of a gigabyte is skipped: SQLite copies them before it refuses them. */
const BOUND: Readonly<Record<Driver['engine'], string | false>> = {
  sqlite: !IS_LONG && LONG_ONLY,
  postgres: false,
};

/** @param engine whose SQL is used */
export function largeCases(t: Test, engine: Driver['engine'], open: OpenIn): void {
  const { bytes, text, zeros, numbers } = DIALECTS[engine];

  t.test(`${engine}: a value that is too long is refused with the name of its column`, async (t) => {
    const db = await open(t, SHORT);
    for (const [made, unit] of [
      [text, 'characters'],
      [zeros, 'bytes'],
    ] as const) {
      const fitting = await value(db, `SELECT ${made(LONGEST)} AS long`);
      t.equal((fitting as string | Uint8Array).length, LONGEST);
      for (let time = 0; time < 2; time++) {
        const sql = `SELECT n, ${made(LONGEST + 1)} AS long FROM ${numbers(3)}`;
        t.match(await failure(rows(db, sql)), {
          kind: 'memory',
          message: `column "long" holds 1001 ${unit}, but a value has at most 1000; read parts of it with substr()`,
        });
        t.equal((await rows(db, `SELECT n FROM ${numbers(3)}`)).length, 3, 'the connection is usable');
      }
    }
    const lengthening = `SELECT n, ${text('n')} AS long FROM ${numbers(2_000)}`;
    const sizes = await cursor(db, lengthening);
    t.match(await failure(counted(sizes)), { kind: 'memory', message: /^column "long" holds 1001 characters/ });
    t.match(await failure(rows(db, lengthening)), { kind: 'memory', message: /^column "long" holds 1001 characters/ });
    const transaction = await db.begin(USUAL_TRANSACTION, new Cancellation());
    t.match(await failure(rows(transaction, lengthening)), { kind: 'memory' });
    await transaction.rollback();
    t.equal((await rows(db, `SELECT n FROM ${numbers(3)}`)).length, 3);
    await until('no connection in use', () => db.stats().waiting === 0);
  });

  t.test(`${engine}: a row that is too large harms no statement beside it`, async (t) => {
    const db = await open(t, NARROW);
    const large = `SELECT n, ${text(LONG_ROW)} AS long FROM ${numbers(3)}`;
    const small = (): Promise<number> => rows(db, `SELECT n FROM ${numbers(3)}`).then(({ length }) => length);
    await small();
    const beside = Array.from({ length: 20 }, (_, i) => (i % 5 === 0 ? failure(rows(db, large)) : small()));
    for (const [i, outcome] of (await Promise.all(beside)).entries())
      if (i % 5 !== 0) t.equal(outcome, 3);
      else
        t.match(outcome, { kind: 'memory', message: /^a row of 2 MB does not fit into the memory of the process; / });
    t.match(await failure(cursor(db, large).then(counted)), { kind: 'memory' });
    t.equal(await small(), 3);
    t.equal(await value(db, `SELECT length(long) FROM (${large}) AS rows WHERE n = 3`), BigInt(LONG_ROW));
  });

  t.test(`${engine}: a result for which there is no room ends its statement`, async (t) => {
    const room = shrinking();
    const db = await open(t, room);
    const endless = `SELECT n, ${text(50)} AS x FROM ${numbers(1_000_000_000)}`;
    t.match(await failure(rows(db, endless)), { kind: 'memory', message: ROWS_DO_NOT_FIT });
    t.equal(room.asked, 3);
    room.asked = 0;
    t.equal((await rows(db, `SELECT n FROM ${numbers(1_000)}`)).length, 1_000);
    t.equal(room.asked, 0, 'nothing is checked for small results');
    const transaction = await db.begin(USUAL_TRANSACTION, new Cancellation());
    t.match(await failure(rows(transaction, endless)), { kind: 'memory', message: ROWS_DO_NOT_FIT });
    await transaction.rollback();
    room.asked = 3;
    t.equal(await counted(await cursor(db, `SELECT n, ${text(50)} FROM ${numbers(50_000)}`)), 50_000, 'db.each can');
  });

  t.test(`${engine}: nothing of a change remains whose rows do not fit`, async (t) => {
    const room = shrinking();
    const db = await open(t, room);
    await rows(db, 'CREATE TABLE made (n BIGINT, x TEXT)');
    const sql = `INSERT INTO made SELECT n, ${text(50)} FROM ${numbers(100_000)} RETURNING *`;
    const transaction = await db.begin(USUAL_TRANSACTION, new Cancellation());
    t.match(await failure(rows(transaction, sql)), { kind: 'memory', message: ROWS_DO_NOT_FIT });
    await transaction.rollback();
    t.equal(await value(db, 'SELECT count(*) FROM made'), 0n);
    room.asked = 0;
    t.match(await failure(rows(db, sql)), { kind: 'memory', message: ROWS_DO_NOT_FIT });
    // PostgreSQL has sent all rows, and committed, before the first ones are read.
    if (engine === 'sqlite') t.equal(await value(db, 'SELECT count(*) FROM made'), 0n);
  });

  t.test(
    `${engine}: parameters that are larger together than the engine's limit`,
    { skip: BOUND[engine] },
    async (t) => {
      const db = await open(t, UNLIMITED);
      const names = ['a', 'b', 'c', 'd'];
      await rows(db, `CREATE TABLE large (${names.map((name) => `${name} ${bytes}`).join(', ')})`);
      // The largest Bytes of a program; 2^30 bytes together.
      const largest = new Uint8Array(2 ** 28);
      const places = engine === 'sqlite' ? '?, ?, ?, ?' : '$1, $2, $3, $4';
      const row = [largest, largest, largest, largest];
      const sql = `INSERT INTO large VALUES (${places})`;
      t.match(await failure(rows(db, sql, ...row)), { kind: 'database', message: /too (?:big|large)/ });
      const transaction = await db.begin(USUAL_TRANSACTION, new Cancellation());
      t.match(await failure(rows(transaction, sql, ...row)), { kind: 'database', message: /too (?:big|large)/ });
      await transaction.rollback();
      t.match(await failure(inserted(db, 'large', names, [row])), { kind: 'database', message: /too (?:big|large)/ });
      t.equal(await value(db, 'SELECT count(*) FROM large'), 0n);
      if (engine === 'sqlite') return;
      const texts = Array.from({ length: 3 }, () => 'x'.repeat(2 ** 28));
      t.match(await failure(rows(db, 'SELECT cardinality($1::text[])', texts)), {
        kind: 'database',
        message: 'parameter $1 is too large: a statement of PostgreSQL has at most a gigabyte',
      });
      t.equal(await value(db, 'SELECT 1'), 1n);
    },
  );

  if (engine === 'postgres')
    t.test('a row that is longer than any text of V8', { skip: !IS_LONG && LONG_ONLY }, async (t) => {
      const db = await open(t, UNLIMITED);
      const found = await failure(rows(db, `SELECT ${text(600_000_000)}`));
      t.match(found, { kind: 'memory', message: /^a row of 572 MB does not fit/ });
      t.equal(await value(db, 'SELECT 1'), 1n);
    });

  t.test(`${engine}: a value that is larger than the engine's limit is an error of its statement`, async (t) => {
    const db = await open(t, UNLIMITED);
    await rows(db, `CREATE TABLE big (n BIGINT, x ${bytes}, s TEXT)`);
    // Both refuse before they make the value.
    const wrong =
      engine === 'sqlite'
        ? 'INSERT INTO big (x) VALUES (zeroblob(1000000001))'
        : `INSERT INTO big (s) VALUES (${text(1_100_000_000)})`;
    const code = engine === 'sqlite' ? 'SQLITE_TOOBIG' : '54000';
    const settled = await Promise.allSettled([
      rows(db, 'INSERT INTO big (n) VALUES (1)'),
      rows(db, wrong),
      rows(db, 'INSERT INTO big (n) VALUES (2)'),
    ]);
    t.match(settled, [
      { status: 'fulfilled' },
      { status: 'rejected', reason: { kind: 'database', code } },
      { status: 'fulfilled' },
    ]);
    t.same(await rows(db, 'SELECT n FROM big ORDER BY n'), [[1n], [2n]]);
    const transaction = await db.begin(USUAL_TRANSACTION, new Cancellation());
    await rows(transaction, 'INSERT INTO big (n) VALUES (3)');
    t.match(await failure(rows(transaction, wrong)), { kind: 'database', code });
    await transaction.rollback();
    t.equal(await inserted(db, 'big', ['n'], [[4n]]), 1);
    t.same(await rows(db, 'SELECT n FROM big ORDER BY n'), [[1n], [2n], [4n]]);
  });
}
