/** The ends of transactions and cursors of PostgreSQL that are interrupted. */
import type { Test } from 'tap';
import { Cancellation, type Driver, USUAL_TRANSACTION } from '../../natives/data/driver.js';
import { failure, inserted, rows, script, value } from './support/sessions.js';

type OpenWith = (t: Test, options?: object) => Promise<Driver>;

export function endCases(t: Test, open: OpenWith): void {
  t.test('a COMMIT that is cancelled', async (t) => {
    const db = await open(t, { pool: 1 });
    await script(
      db,
      `CREATE TABLE t (n int);
       CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(NEW.n); RETURN NULL; END $$;
       CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION wait()`,
    );
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
}
