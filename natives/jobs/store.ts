/** The statements on the tables of jobs. All functions reject with SqlFailure. */
import type { NativeContext } from '../../vm/nativecontext.js';
import { Cancellation, type Driver, type Result, type Session, SqlFailure, type SqlValue } from '../data/driver.js';
import type { Engine } from '../data/sqltext.js';
import { type Fragment, ids, names, sql, statementOf } from './sql.js';
import { JOB_COLUMNS, type StoredJob, storedJob } from './storedjob.js';

/** Days that dead jobs are kept. */
const DEAD_DAYS = 30;
const DAY_MS = 86_400_000;

/** Number of processes that may die while they run a job. After that the job is dead, because it may be the cause. */
const MAX_CRASHES = 10;

/** The error stored for such a job. */
const CRASHED = `the process that ran the job died, ${MAX_CRASHES} times`;

/** A job to push. */
export interface Pushed {
  readonly name: string;
  readonly data: string;
  readonly key: string | null;
  readonly priority: number;
  /** Milliseconds from now; null: `at` counts. */
  readonly delay: number | null;
  /** Milliseconds since 1970; null: `delay` counts. */
  readonly at: number | null;
}

/** Number of jobs of a name in a state. */
export interface Count {
  readonly name: string;
  readonly state: string;
  readonly count: number;
}

/** The result of a search for work. */
export interface Look {
  /** Names that have waiting jobs. */
  readonly names: readonly string[];
  /** Milliseconds until the next scheduled job; null without one. */
  readonly nextIn: number | null;
}

const rowsOf = ({ pieces }: Result): SqlValue[][] => (pieces.length === 1 ? pieces[0] : pieces.flat());

/**
 * Returns an expression for the current time, in milliseconds since 1970: that of the database server, which all
 * processes share; for SQLite, and with a virtual clock, that of the program.
 */
export function nowOf(vm: NativeContext, engine: Engine): Fragment {
  const isVirtual = vm.host.behind !== undefined;
  if (engine === 'postgres' && !isVirtual) return sql`(extract(epoch FROM clock_timestamp()) * 1000)::int8`;
  const now = BigInt(Math.floor(vm.host.wallClock()));
  return engine === 'postgres' ? sql`${now}::int8` : sql`${now}`;
}

/** Inserts a job. Resolves with its id, or with null if a job with its key waits already. @param now of `nowOf` */
export async function insertJob(
  session: Session,
  engine: Engine,
  now: Fragment,
  { name, data, key, priority, delay, at }: Pushed,
  cancel: Cancellation,
): Promise<bigint | null> {
  const later = sql`${now} + ${BigInt(delay ?? 0)}`;
  const runAt = at === null ? (delay === null || delay === 0 ? now : later) : sql`${BigInt(at)}`;
  const state = at === null && (delay === null || delay === 0) ? 'waiting' : 'scheduled';
  const result = await session.run(
    statementOf(
      sql`INSERT INTO svc_jobs (name, data, key, waiting_key, priority, state, created_at, run_at)
        VALUES (${name}, ${data}, ${key}, ${key}, ${BigInt(priority)}, ${state}, ${now}, ${runAt})
        ON CONFLICT DO NOTHING RETURNING id`,
      engine,
    ),
    cancel,
  );
  const [row] = rowsOf(result);
  return row === undefined ? null : (row[0] as bigint);
}

/**
 * Reserves the key of a job that waits again, unless another job with the key was pushed meanwhile. Resolves with false
 * if that job was pushed at the same time: the statement has failed then. Rejects with SqlFailure.
 */
export async function restoreKey(session: Session, engine: Engine, id: bigint, cancel: Cancellation): Promise<boolean> {
  const text = sql`UPDATE svc_jobs SET waiting_key = key WHERE id = ${id} AND state IN ('waiting', 'scheduled')
    AND NOT EXISTS (SELECT 1 FROM svc_jobs AS other WHERE other.name = svc_jobs.name AND other.waiting_key = svc_jobs.key)`;
  try {
    await session.run(statementOf(text, engine), cancel);
    return true;
  } catch (failure) {
    if (!(failure instanceof SqlFailure) || failure.kind !== 'constraint') throw failure;
    return false;
  }
}

/** The operations of a worker on the jobs of one database. */
export class Store {
  constructor(
    private readonly vm: NativeContext,
    readonly driver: Driver,
  ) {}

  private get engine(): Engine {
    return this.driver.engine;
  }

  private now(): Fragment {
    return nowOf(this.vm, this.engine);
  }

  private run(fragment: Fragment, session: Session = this.driver): Promise<Result> {
    return session.run(statementOf(fragment, this.engine), new Cancellation());
  }

  /** Milliseconds since 1970 by the clock of the engine. */
  async time(): Promise<number> {
    const [row] = rowsOf(await this.run(sql`SELECT ${this.now()}`));
    return Number(row[0]);
  }

  /** Registers a worker. */
  async register(worker: string): Promise<void> {
    await this.run(sql`INSERT INTO svc_jobs_workers (id, beat) VALUES (${worker}, 0)`);
  }

  async unregister(worker: string): Promise<void> {
    await this.run(sql`DELETE FROM svc_jobs_workers WHERE id = ${worker}`);
  }

  /** Renews the lease of a worker. Resolves with false if it has none any more. */
  async beat(worker: string): Promise<boolean> {
    return (await this.run(sql`UPDATE svc_jobs_workers SET beat = beat + 1 WHERE id = ${worker}`)).changes > 0;
  }

  /** Reads the numbers of the leases, by worker. */
  async beats(): Promise<Map<string, bigint>> {
    const rows = rowsOf(await this.run(sql`SELECT id, beat FROM svc_jobs_workers`));
    return new Map(rows.map(([id, beat]) => [id as string, beat as bigint]));
  }

  /** Ends the lease of a worker if its number is still `beat`. */
  async bury(worker: string, beat: bigint): Promise<void> {
    await this.run(sql`DELETE FROM svc_jobs_workers WHERE id = ${worker} AND beat = ${beat}`);
  }

  /** Makes the jobs of workers without a lease wait again, or dead after MAX_CRASHES. Resolves with their number. */
  async reclaim(): Promise<number> {
    const result = await this.run(
      sql`UPDATE svc_jobs SET worker = NULL, crashes = crashes + 1,
          attempt = attempt - CASE WHEN crashes + 1 < ${BigInt(MAX_CRASHES)} THEN 1 ELSE 0 END,
          state = CASE WHEN crashes + 1 < ${BigInt(MAX_CRASHES)} THEN 'waiting' ELSE 'dead' END,
          error = CASE WHEN crashes + 1 < ${BigInt(MAX_CRASHES)} THEN error ELSE ${CRASHED} END,
          ended_at = ${this.now()}
        WHERE state = 'running' AND worker NOT IN (SELECT id FROM svc_jobs_workers)
        RETURNING id, key, state`,
    );
    const rows = rowsOf(result);
    await this.restoreKeys(
      rows.filter(([, key, state]) => key !== null && state !== 'dead').map(([id]) => id as bigint),
    );
    return rows.length;
  }

  /** Finds the names of `wanted` that have waiting jobs, after making scheduled jobs that are due wait. */
  async look(wanted: readonly string[]): Promise<Look> {
    let nextIn = await this.nextIn();
    if (nextIn !== null && nextIn <= 0) {
      await this.run(sql`UPDATE svc_jobs SET state = 'waiting' WHERE state = 'scheduled' AND run_at <= ${this.now()}`);
      nextIn = await this.nextIn();
    }
    const found = await this.run(
      sql`SELECT name FROM ${names(this.engine, wanted)}
        WHERE EXISTS (SELECT 1 FROM svc_jobs WHERE svc_jobs.state = 'waiting' AND svc_jobs.name = wanted.name)`,
    );
    return { names: rowsOf(found).map(([name]) => name as string), nextIn };
  }

  /** Milliseconds until the next scheduled job, negative if it is due; null without one. */
  private async nextIn(): Promise<number | null> {
    const [[nextIn]] = rowsOf(
      await this.run(sql`SELECT min(run_at) - ${this.now()} FROM svc_jobs WHERE state = 'scheduled'`),
    );
    return nextIn === null ? null : Number(nextIn);
  }

  /** Claims up to `count` waiting jobs of a name: larger priorities first, then in the order of pushes. */
  async claim(worker: string, name: string, count: number): Promise<StoredJob[]> {
    const next = sql`SELECT id FROM svc_jobs WHERE state = 'waiting' AND name = ${name}
      ORDER BY priority DESC, id LIMIT ${BigInt(count)}`;
    const chosen =
      this.engine === 'sqlite' ? sql`id IN (${next})` : sql`id = ANY (ARRAY(${next} FOR UPDATE SKIP LOCKED))`;
    const result = await this.run(
      sql`UPDATE svc_jobs SET state = 'running', worker = ${worker}, attempt = attempt + 1, waiting_key = NULL
        WHERE ${chosen} AND EXISTS (SELECT 1 FROM svc_jobs_workers WHERE svc_jobs_workers.id = ${worker})
        RETURNING ${JOB_COLUMNS}`,
    );
    return rowsOf(result)
      .map(storedJob)
      .sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1));
  }

  /** Removes jobs that are done, except those that the worker has lost. */
  async finish(worker: string, done: readonly bigint[]): Promise<void> {
    await this.run(
      sql`DELETE FROM svc_jobs WHERE id IN ${ids(this.engine, done)} AND worker = ${worker} AND state = 'running'`,
    );
  }

  /** Makes jobs wait again that were cancelled or not begun. The attempt does not count. */
  release(worker: string, all: readonly bigint[]): Promise<void> {
    return this.releaseThose(sql`worker = ${worker} AND id IN ${ids(this.engine, all)}`);
  }

  /** Makes all jobs of a worker wait again, except for some. Their attempt does not count. */
  releaseAllBut(worker: string, kept: readonly bigint[]): Promise<void> {
    return this.releaseThose(sql`worker = ${worker} AND id NOT IN ${ids(this.engine, kept)}`);
  }

  private async releaseThose(condition: Fragment): Promise<void> {
    const result = await this.run(
      sql`UPDATE svc_jobs SET state = 'waiting', worker = NULL, attempt = attempt - 1
        WHERE ${condition} AND state = 'running' RETURNING id, key`,
    );
    await this.restoreKeys(
      rowsOf(result)
        .filter(([, key]) => key !== null)
        .map(([id]) => id as bigint),
    );
  }

  /** Stores a failed attempt. @param delay milliseconds before the next one; null: the job is dead */
  async fail(worker: string, id: bigint, error: string, delay: number | null): Promise<void> {
    const now = this.now();
    const next = delay === null ? sql`state = 'dead'` : sql`state = 'scheduled', run_at = ${now} + ${BigInt(delay)}`;
    const result = await this.run(
      sql`UPDATE svc_jobs SET ${next}, worker = NULL, error = ${error}, ended_at = ${now}
        WHERE id = ${id} AND worker = ${worker} AND state = 'running' RETURNING key`,
    );
    if (delay !== null && rowsOf(result).some(([key]) => key !== null)) await this.restoreKeys([id]);
  }

  /** Reserves the keys of jobs that wait again. */
  private async restoreKeys(all: readonly bigint[]): Promise<void> {
    for (const id of all) await restoreKey(this.driver, this.engine, id, new Cancellation());
  }

  /** Removes dead jobs after DEAD_DAYS. */
  async purge(): Promise<void> {
    await this.run(
      sql`DELETE FROM svc_jobs WHERE state = 'dead' AND ended_at < ${this.now()} - ${BigInt(DEAD_DAYS * DAY_MS)}`,
    );
  }

  /** Reads the number of jobs by name and state. */
  async counts(): Promise<Count[]> {
    return countsIn(this.driver, this.engine, new Cancellation());
  }

  /** Reads the next tick of a schedule, in milliseconds since 1970; null if its pattern or zone is not stored. */
  async scheduled(name: string, cron: string, zone: string): Promise<number | null> {
    const rows = rowsOf(
      await this.run(
        sql`SELECT next_at FROM svc_jobs_schedules WHERE name = ${name} AND cron = ${cron} AND zone = ${zone}`,
      ),
    );
    return rows.length === 0 ? null : Number(rows[0][0]);
  }

  /** Stores a schedule with its next tick. Changes nothing if it is stored with the same pattern and zone. */
  async schedule(name: string, cron: string, zone: string, nextAt: number): Promise<void> {
    await this.run(
      sql`INSERT INTO svc_jobs_schedules (name, cron, zone, next_at) VALUES (${name}, ${cron}, ${zone}, ${BigInt(nextAt)})
        ON CONFLICT (name) DO UPDATE SET cron = excluded.cron, zone = excluded.zone, next_at = excluded.next_at
        WHERE svc_jobs_schedules.cron <> excluded.cron OR svc_jobs_schedules.zone <> excluded.zone`,
    );
  }

  /**
   * Pushes the job of a tick and stores the next tick, in one transaction. Resolves with false if another process has
   * done so. Pushes no job while the job of an earlier tick still waits.
   */
  async tick(name: string, dueAt: number, nextAt: number): Promise<boolean> {
    const cancel = new Cancellation();
    const transaction = await this.driver.begin({ isolation: null, readonly: false }, cancel);
    try {
      const moved = await this.run(
        sql`UPDATE svc_jobs_schedules SET next_at = ${BigInt(nextAt)} WHERE name = ${name} AND next_at = ${BigInt(dueAt)}`,
        transaction,
      );
      if (moved.changes > 0) {
        const job = { name, data: 'null', key: 'schedule', priority: 0, delay: null, at: dueAt };
        await insertJob(transaction, this.engine, this.now(), job, cancel);
      }
      await transaction.commit();
      return moved.changes > 0;
    } catch (failure) {
      await transaction.rollback();
      throw failure;
    }
  }
}

/** Reads the number of jobs by name and state. Rejects with SqlFailure. */
export async function countsIn(session: Session, engine: Engine, cancel: Cancellation): Promise<Count[]> {
  const text = sql`SELECT name, state, count(*) FROM svc_jobs GROUP BY name, state ORDER BY name, state`;
  const result = await session.run(statementOf(text, engine), cancel);
  return rowsOf(result).map(([name, state, count]) => ({
    name: name as string,
    state: state as string,
    count: Number(count),
  }));
}
