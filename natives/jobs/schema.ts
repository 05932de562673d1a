/** The tables of jobs, which are created on first use. */
import { Cancellation, type Driver, lacksTable, type Session, USUAL_TRANSACTION } from '../data/driver.js';

const TABLES = ['svc_jobs', 'svc_jobs_workers', 'svc_jobs_schedules'];

/** The names of the tables in a list of SQL. */
const NAMES = TABLES.map((name) => `'${name}'`).join(', ');

/** Key of the advisory lock while tables are created: the bytes of "svc jobs". */
const LOCK = '8319395793566789477';

/** Definitions of tables for an engine. Times are milliseconds since 1970 by the clock of the engine. */
function definitions(engine: Driver['engine']): string[] {
  const id =
    engine === 'sqlite' ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY';
  const integer = engine === 'sqlite' ? 'INTEGER' : 'int8';
  return [
    `CREATE TABLE IF NOT EXISTS svc_jobs (
       id ${id},
       name TEXT NOT NULL,
       data TEXT NOT NULL,
       key TEXT,
       waiting_key TEXT,
       priority ${integer} NOT NULL,
       state TEXT NOT NULL CHECK (state IN ('waiting', 'scheduled', 'running', 'dead')),
       attempt ${integer} NOT NULL DEFAULT 0,
       crashes ${integer} NOT NULL DEFAULT 0,
       worker TEXT,
       created_at ${integer} NOT NULL,
       run_at ${integer} NOT NULL,
       ended_at ${integer},
       error TEXT)`,
    `CREATE INDEX IF NOT EXISTS svc_jobs_waiting ON svc_jobs (name, priority DESC, id) WHERE state = 'waiting'`,
    `CREATE INDEX IF NOT EXISTS svc_jobs_scheduled ON svc_jobs (run_at) WHERE state = 'scheduled'`,
    `CREATE INDEX IF NOT EXISTS svc_jobs_running ON svc_jobs (worker) WHERE state = 'running'`,
    `CREATE INDEX IF NOT EXISTS svc_jobs_dead ON svc_jobs (ended_at) WHERE state = 'dead'`,
    `CREATE UNIQUE INDEX IF NOT EXISTS svc_jobs_keys ON svc_jobs (name, waiting_key) WHERE waiting_key IS NOT NULL`,
    `CREATE TABLE IF NOT EXISTS svc_jobs_workers (id TEXT PRIMARY KEY, beat ${integer} NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS svc_jobs_schedules (
       name TEXT PRIMARY KEY, cron TEXT NOT NULL, zone TEXT NOT NULL, next_at ${integer} NOT NULL)`,
  ];
}

async function make(session: Session, engine: Driver['engine'], cancel: Cancellation): Promise<void> {
  if (engine === 'postgres') await session.run({ sql: `SELECT pg_advisory_xact_lock(${LOCK})`, params: [] }, cancel);
  for (const text of definitions(engine)) await session.script(text, cancel);
}

async function exist(driver: Driver, session: Session): Promise<boolean> {
  const text =
    driver.engine === 'sqlite'
      ? `SELECT name FROM sqlite_master WHERE type = 'table' AND name IN (${NAMES})`
      : `SELECT name FROM unnest(ARRAY[${NAMES}]) AS name WHERE to_regclass(name) IS NOT NULL`;
  const { pieces } = await session.run({ sql: text, params: [] }, new Cancellation());
  return pieces.flat().length === TABLES.length;
}

/** Databases whose tables exist. */
const ready = new WeakSet<Driver>();

/**
 * Creates the tables if they are missing. Rejects with SqlFailure.
 * @param own the transaction of the caller; null: use a new one
 */
export async function ensureTables(driver: Driver, own: Session | null): Promise<void> {
  if (ready.has(driver)) return;
  const cancel = new Cancellation();
  if (own !== null) {
    // Do not remember that they exist: a rollback of the transaction would remove them.
    if (!(await exist(driver, own))) await make(own, driver.engine, cancel);
    return;
  }
  if (!(await exist(driver, driver))) {
    const transaction = await driver.begin(USUAL_TRANSACTION, cancel);
    try {
      await make(transaction, driver.engine, cancel);
      await transaction.commit();
    } catch (failure) {
      await transaction.rollback();
      throw failure;
    }
  }
  ready.add(driver);
}

/** Remembers that the tables exist. Called after the commit of a transaction that may have created them. */
export function tablesExist(driver: Driver): void {
  ready.add(driver);
}

/** Makes the next call of `ensureTables` look for the tables, because the database has lost them. */
export function forgetTables(driver: Driver): void {
  ready.delete(driver);
}

/**
 * Runs an operation on the tables, after creating them if they are missing. If the database has lost them since, it
 * creates them again and repeats the operation; in a transaction, which PostgreSQL has aborted, it rejects.
 * @param own the transaction of the caller, or null
 */
export async function onTables<T>(driver: Driver, own: Session | null, operation: () => Promise<T>): Promise<T> {
  await ensureTables(driver, own);
  try {
    return await operation();
  } catch (failure) {
    if (!lacksTable(failure)) throw failure;
    forgetTables(driver);
    if (own !== null) throw failure;
  }
  await ensureTables(driver, null);
  return operation();
}
