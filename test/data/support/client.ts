/**
 * A process that uses a database: `insert`, `count`, `lock`, `once` or `attempt`, the file and the library of SQLite, or
 * for `insert` the URL of PostgreSQL. Prints what it has done.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cancellation, type SqlFailure } from '../../../natives/data/driver.js';
import { openPostgres } from '../../../natives/data/postgres/index.js';
import { openSqlite } from '../../../natives/data/sqlite/index.js';
import type { LibraryName } from '../../../natives/data/sqlite/protocol.js';

const [job, path, library, argument = ''] = process.argv.slice(2) as [string, string, LibraryName, string?];
const options = { readonly: argument === 'readonly', pool: 10, timeout: 60, durable: false };
const isServer = path.startsWith('postgres:');
const db = isServer ? openPostgres(path, options) : openSqlite(path, options, library);
const cancel = new Cancellation();

/** Inserts numbers, 20 at a time, and prints each when it has been acknowledged. */
async function insert(): Promise<void> {
  let next = 0n;
  const writer = async (): Promise<void> => {
    for (;;) {
      const id = next++;
      await db.run({ sql: `INSERT INTO kept VALUES (${isServer ? '$1' : '?'})`, params: [id] }, cancel);
      process.stdout.write(`${id}\n`);
    }
  };
  await db.run({ sql: 'CREATE TABLE kept (id INTEGER PRIMARY KEY)', params: [] }, cancel);
  await Promise.all(Array.from({ length: 20 }, writer));
}

async function count(): Promise<void> {
  for (let round = 0; round < 100; round++) {
    const transaction = await db.begin({ isolation: null, readonly: false }, cancel);
    const { pieces } = await transaction.run({ sql: 'SELECT n FROM counter', params: [] }, cancel);
    const n = pieces[0]?.[0]?.[0] as bigint;
    await transaction.run({ sql: 'UPDATE counter SET n = ?', params: [n + 1n] }, cancel);
    await transaction.commit();
  }
}

/** Writes when it has the lock, and when it returns it; with the argument "hold", it never returns it. */
async function lock(): Promise<void> {
  await db.locked('migrations', async () => {
    appendFileSync(`${path}.log`, `${process.pid} in\n`);
    process.stdout.write('locked\n');
    await sleep(argument === 'hold' ? 1e6 : 5);
    appendFileSync(`${path}.log`, `${process.pid} out\n`);
  });
}

async function once(): Promise<void> {
  await db.run({ sql: 'SELECT 1', params: [] }, cancel);
}

/** Reads, writes, and reads again. Prints a line for each: the value, or the failure. With `readonly`, opens the file so. */
async function attempt(): Promise<void> {
  for (const sql of ['SELECT count(*) FROM t', 'INSERT INTO t VALUES (2)', 'SELECT count(*) FROM t']) {
    const line = await db.run({ sql, params: [] }, cancel).then(
      ({ pieces }) => ({ value: String(pieces[0]?.[0]?.[0]) }),
      ({ kind, code, message }: SqlFailure) => ({ kind, code, message }),
    );
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
  await db.close();
}

const jobs: Readonly<Record<string, () => Promise<void>>> = { insert, count, lock, once, attempt };
await jobs[job]?.();
