/** The ends of transactions and cursors of PostgreSQL that are interrupted. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { Cancellation, type Driver, type SqlValue, USUAL_TRANSACTION } from '../../natives/data/driver.js';
import { openPostgres } from '../../natives/data/postgres/index.js';
import type { PostgresServer } from './postgresserver.js';
import { stallingProxy, type StallingProxy } from './support/stalling.js';
import { until } from '../patience.js';
import { cursor, failure, inserted, rows, script, value } from './support/sessions.js';

type OpenWith = (t: Test, options?: object) => Promise<Driver>;

/** A table for whose rows a COMMIT takes as many seconds as they say. */
const SLOW_COMMIT = `
  CREATE TABLE t (n int);
  CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(NEW.n); RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wait()`;

/** What tests with a proxy need. */
interface Stalling {
  readonly db: Driver;
  readonly proxy: StallingProxy;
  /** Waits until the proxy has stopped a connection. */
  stalls(): Promise<unknown>;
  comesBack(): Promise<void>;
}

const OPTIONS = { readonly: false, pool: 1, timeout: 30, durable: false };

export function endCases(t: Test, server: PostgresServer, open: OpenWith): void {
  /** A database behind a proxy, with one connection in its pool, which must come back in the end. */
  const stalling = async (t: Test): Promise<Stalling> => {
    const proxy = await stallingProxy(t, server.port);
    const db = openPostgres(server.url(await server.createDatabase(), { port: proxy.port }), OPTIONS);
    t.teardown(() => db.close());
    const comesBack = async (): Promise<void> => {
      const next = await db.begin(USUAL_TRANSACTION, new Cancellation());
      t.equal(await value(next, 'SELECT 1'), 1n, 'a connection is free');
      await next.rollback();
    };
    const stalls = (): Promise<boolean> => until('a stall', () => proxy.stalls === null);
    return { db, proxy, stalls, comesBack };
  };

  t.test('a COMMIT that is cancelled', async (t) => {
    const db = await open(t, { pool: 1 });
    await script(db, SLOW_COMMIT);
    const transaction = await db.begin(USUAL_TRANSACTION, new Cancellation());
    await rows(transaction, 'INSERT INTO t VALUES (60)');
    const cancel = new Cancellation();
    setTimeout(() => cancel.cancel(), 50);
    t.equal((await failure(transaction.commit(cancel))).kind, 'cancelled');
    const late = new Cancellation();
    setTimeout(() => late.cancel(), 50);
    t.equal((await failure(inserted(db, 't', ['n'], [[60n]], late))).kind, 'cancelled', 'the COMMIT after a COPY');
    const early = await db.begin(USUAL_TRANSACTION, new Cancellation());
    await rows(early, 'INSERT INTO t VALUES (60)');
    t.equal((await failure(early.commit(cancel))).kind, 'cancelled', 'one that was cancelled before');
    t.equal(await value(db, 'SELECT count(*) FROM t'), 0n);
    const next = await db.begin(USUAL_TRANSACTION, new Cancellation());
    await rows(next, 'INSERT INTO t VALUES (0)');
    await next.commit(new Cancellation());
    t.equal(await value(db, 'SELECT count(*) FROM t'), 1n, 'the connection is usable');
  });

  t.test('a COMMIT that is cancelled too late has succeeded', async (t) => {
    const db = await open(t, { pool: 1 });
    await script(db, 'CREATE TABLE t (n int)');
    for (let i = 0n; i < 20n; i++) {
      const transaction = await db.begin(USUAL_TRANSACTION, new Cancellation());
      await rows(transaction, 'INSERT INTO t VALUES ($1)', i);
      const cancel = new Cancellation();
      const committed = transaction.commit(cancel).then(() => 1n, () => 0n); // prettier-ignore
      cancel.cancel();
      t.equal(await committed, await value(db, 'SELECT count(*) FROM t WHERE n = $1', i));
    }
  });

  t.test('a COMMIT that is cancelled on a server that does not answer', async (t) => {
    const { db, proxy, stalls, comesBack } = await stalling(t);
    const transaction = await db.begin(USUAL_TRANSACTION, new Cancellation());
    proxy.stalls = /COMMIT/;
    const cancel = new Cancellation();
    const committed = failure(transaction.commit(cancel));
    await stalls();
    cancel.cancel();
    await comesBack();
    t.equal((await committed).kind, 'cancelled');
  });

  for (const [what, isWaiting, sent] of [
    ['the end of a portal', true, /^C.*P/s],
    ['the end of a portal for which no thread waits', false, /^C.*P/s],
    ['the COMMIT of a cursor', true, /COMMIT/],
  ] as const) {
    t.test(`${what}, on a server that does not answer`, async (t) => {
      const { db, proxy, stalls, comesBack } = await stalling(t);
      const rows = await cursor(db, 'SELECT g FROM generate_series(1, 20000) g');
      await rows.next();
      // The next rows are fetched ahead.
      await sleep(200);
      proxy.stalls = sent;
      const cancel = new Cancellation();
      const closed = rows.close(isWaiting ? cancel : undefined);
      await stalls();
      cancel.cancel();
      await comesBack();
      await closed;
    });
  }

  t.test('the last rows of a cursor whose COMMIT is cancelled', async (t) => {
    const { db, proxy, stalls, comesBack } = await stalling(t);
    const rows = await cursor(db, 'SELECT 1');
    proxy.stalls = /COMMIT/;
    const last = failure(rows.next());
    await stalls();
    void rows.close();
    await comesBack();
    t.equal((await last).kind, 'cancelled');
  });

  t.test('a script that is cancelled on a server that does not answer', async (t) => {
    const { db, proxy, stalls, comesBack } = await stalling(t);
    proxy.stalls = /pg_sleep/;
    const cancel = new Cancellation();
    const ended = failure(db.script('SELECT 1; SELECT pg_sleep(60)', cancel));
    await stalls();
    cancel.cancel();
    await comesBack();
    t.equal((await ended).kind, 'cancelled');
  });

  t.test('a cursor whose connection breaks before its end', async (t) => {
    const { db, comesBack } = await stalling(t);
    const rows = await cursor(db, 'SELECT pg_backend_pid() FROM generate_series(1, 20000) g');
    const [[pid]] = (await rows.next()) as SqlValue[][];
    await sleep(200);
    await server.query('postgres', 'SELECT pg_terminate_backend($1)', [pid]);
    await sleep(200);
    await rows.close();
    await comesBack();
  });

  t.test('connections that the server ends say so in one form', async (t) => {
    const name = await server.createDatabase();
    const db = openPostgres(server.url(name), OPTIONS);
    t.teardown(() => db.close());
    await script(db, SLOW_COMMIT);
    await script(
      db,
      'CREATE TABLE slow (n int); CREATE TRIGGER slow BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION wait()',
    );
    const broke = `the connection to 127.0.0.1:${server.port} broke: terminating connection due to administrator command`;
    /**
     * Ends the connection whose statement sleeps, and returns how that fails. A client that still sends meets a closed
     * connection, and node then drops what the server has said.
     */
    const ended = async (text: string, running: Promise<unknown>): Promise<string[]> => {
      const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = $1 AND wait_event = 'PgSleep' AND query LIKE $2`;
      const failed = failure(running);
      await until('the statement', async () => (await server.query('postgres', sql, [name, text])).length > 0);
      const { kind, code, message } = await failed;
      return [kind, code, message];
    };
    const expected = ['connection', '57P01', broke];
    t.strictSame(await ended('%pg_sleep(60)%', value(db, 'SELECT pg_sleep(60)')), expected);
    t.strictSame(await ended('SELECT 1;%', script(db, 'SELECT 1; SELECT pg_sleep(61)')), expected);
    t.strictSame(await ended('COPY%', inserted(db, 'slow', ['n'], [[60n]])), expected);
    const transaction = await db.begin(USUAL_TRANSACTION, new Cancellation());
    await rows(transaction, 'INSERT INTO t VALUES (60)');
    const doubt = `${broke}; it is not known whether the transaction was committed`;
    t.strictSame(await ended('COMMIT', transaction.commit()), ['connection', '57P01', doubt]);
    t.equal(await value(db, 'SELECT count(*) FROM t'), 0n);
  });

  t.test('who waits for too long for a server that cannot be reached learns why', async (t) => {
    const waits = async (url: string, reason: RegExp): Promise<void> => {
      const db = openPostgres(url, { ...OPTIONS, timeout: 2 });
      t.teardown(() => db.close());
      const waiting = [value(db, 'SELECT 1'), ...[1, 2].map(() => db.begin(USUAL_TRANSACTION, new Cancellation()))];
      for (const failed of await Promise.all(waiting.map(failure))) {
        t.equal(failed.kind, 'connection');
        t.match(failed.message, reason);
      }
    };
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    t.teardown(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await waits(`postgres://u:p@127.0.0.1:${port}/x`, /^cannot connect to 127\.0\.0\.1:\d+: no answer within/);
    const name = await server.createDatabase();
    await server.query('postgres', `CREATE ROLE crowded LOGIN PASSWORD 'p' CONNECTION LIMIT 0`);
    await waits(`postgres://crowded:p@127.0.0.1:${server.port}/${name}`, /: too many connections for role "crowded"$/);
    const db = openPostgres(server.url(name), { ...OPTIONS, timeout: 2 });
    t.teardown(() => db.close());
    const held = await db.begin(USUAL_TRANSACTION, new Cancellation());
    t.equal((await failure(db.begin(USUAL_TRANSACTION, new Cancellation()))).kind, 'timeout', 'the pool is in use');
    await held.rollback();
  });
}
