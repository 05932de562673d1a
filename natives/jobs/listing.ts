/** Reads the tables for programs and for the page: counts, lists; and retries jobs. */
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { inspect, quote } from '../../vm/values/text/text.js';
import type { Value } from '../../vm/values/value.js';
import { DateValue } from '../core/dates/date.js';
import type { Int } from '../core/declare.js';
import { MAX_STEP_CHARACTERS, parseJson, parseSteps } from '../core/json/jsonparse.js';
import { ask, type Asking, atOnce } from '../data/asking.js';
import { type Session, type Cancellation, type SqlValue } from '../data/driver.js';
import { transactionOf } from '../data/database.js';
import type { Engine } from '../data/sqltext.js';
import { toInteger } from '../data/values.js';
import { isName } from './handlers.js';
import type { JobQueue } from './queue.js';
import { onTables } from './schema.js';
import { type Fragment, sql, statementOf } from './sql.js';
import { countsIn, nowOf, restoreKey } from './store.js';
import { JOB_COLUMNS, type StoredJob, storedJob } from './storedjob.js';

/** States of jobs. */
export const STATES = ['waiting', 'scheduled', 'running', 'dead'] as const;

const MAX_LISTED = 1000;
/** Ids are 64-bit integers from 1. */
const MAX_ID = 2n ** 63n - 1n;

/** For natives: as `ask`, after creating the tables if they are missing. Return the result of this call. */
export function askTables<T>(
  vm: NativeContext,
  { db }: JobQueue,
  label: string,
  operation: (asking: Asking) => Promise<T>,
  shape: (result: T) => Generator<void, Value, void>,
): undefined {
  return ask(vm, db, label, (asking) => onTables(asking.driver, asking.transaction, () => operation(asking)), shape);
}

/** Native `counts`: a Hash with the number of jobs in each state. @param name null: jobs of all names */
export function counts(vm: NativeContext, queue: JobQueue, name: string | null): undefined {
  return askTables(
    vm,
    queue,
    'SELECT state, count(*) FROM svc_jobs',
    ({ session, cancel }) => countsIn(session, queue.db.engine, cancel),
    atOnce((all) => {
      const numbers = new Map<string, number>(STATES.map((state) => [state, 0]));
      for (const { name: own, state, count } of all)
        if (name === null || own === name) numbers.set(state, (numbers.get(state) ?? 0) + count);
      return Hash.from([...numbers]);
    }),
  );
}

/** Selects the jobs of a list. */
export interface Wanted {
  readonly state: string;
  readonly name: string | null;
  readonly limit: number;
  readonly offset: number;
}

/** A job in a list. */
export interface ListedJob extends StoredJob {
  /** When its last attempt ended, in milliseconds since 1970; null before. */
  readonly endedAt: number | null;
  /** The error of its last attempt that failed, with its backtrace. */
  readonly error: string | null;
}

const ORDER: Readonly<Record<string, Fragment>> = {
  waiting: sql`priority DESC, id`,
  scheduled: sql`run_at, id`,
  running: sql`id`,
  dead: sql`ended_at DESC, id DESC`,
};

/** Reads jobs in the order in which they run; dead ones begin with the last that died. Rejects with SqlFailure. */
export async function listed(
  session: Session,
  engine: Engine,
  { state, name, limit, offset }: Wanted,
  cancel: Cancellation,
): Promise<ListedJob[]> {
  // Engines refuse texts that no job has as its name, such as one with NUL.
  if (name !== null && !isName(name)) return [];
  const named = name === null ? sql`` : sql`AND name = ${name}`;
  const text = sql`SELECT ${JOB_COLUMNS}, ended_at, error FROM svc_jobs
    WHERE state = ${state} ${named} ORDER BY ${ORDER[state]} LIMIT ${BigInt(limit)} OFFSET ${BigInt(offset)}`;
  const result = await session.run(statementOf(text, engine), cancel);
  return result.pieces.flat().map(listedJob);
}

function listedJob(row: SqlValue[]): ListedJob {
  const [endedAt, error] = row.slice(-2);
  return { ...storedJob(row), endedAt: endedAt === null ? null : Number(endedAt), error: error as string | null };
}

function* hashes(jobs: readonly ListedJob[], state: string): Generator<void, Value, void> {
  const out: Value[] = [];
  let left = MAX_STEP_CHARACTERS;
  for (const job of jobs) {
    left -= job.data.length;
    if (left < 0) {
      left = MAX_STEP_CHARACTERS;
      yield;
    }
    const data = job.data.length > MAX_STEP_CHARACTERS ? yield* parseSteps(job.data) : parseJson(job.data);
    out.push(
      Hash.from([
        ['id', toInteger(job.id)],
        ['name', job.name],
        ['data', data],
        ['state', state],
        ['attempt', job.attempt],
        ['key', job.key],
        ['priority', job.priority],
        ['pushed_at', new DateValue(job.createdAt)],
        ['due_at', new DateValue(job.runAt)],
        ['ended_at', job.endedAt === null ? null : new DateValue(job.endedAt)],
        ['error', job.error],
      ]),
    );
  }
  return out;
}

function bounded(what: string, value: Int, least: number, most: number): number {
  const n = Number(value);
  return n >= least && n <= most
    ? n
    : fail(Errors.ArgumentError, `JobQueue.list(): ${what} must be from ${least} to ${most}, got ${inspect(value)}`);
}

/** Native `list`: jobs in a state as hashes. @throws ArgumentError */
export function list(
  vm: NativeContext,
  queue: JobQueue,
  state: string,
  name: string | null,
  limit: Int,
  offset: Int,
): undefined {
  if (!STATES.some((known) => known === state))
    fail(
      Errors.ArgumentError,
      `JobQueue.list(): the state must be one of ${STATES.map(quote).join(', ')}, got ${quote(state)}`,
    );
  const wanted = {
    state,
    name,
    limit: bounded('limit', limit, 1, MAX_LISTED),
    offset: bounded('offset', offset, 0, Number.MAX_SAFE_INTEGER),
  };
  return askTables(
    vm,
    queue,
    'SELECT FROM svc_jobs',
    ({ session, cancel }) => listed(session, queue.db.engine, wanted, cancel),
    (jobs) => hashes(jobs, state),
  );
}

/** Reserves the key of a job, also in a transaction of PostgreSQL, which a failed statement would abort. */
async function reserveKey({ session, transaction, cancel }: Asking, engine: Engine, id: bigint): Promise<void> {
  if (transaction === null || engine === 'sqlite') {
    await restoreKey(session, engine, id, cancel);
    return;
  }
  await transaction.script('SAVEPOINT svc_jobs_key', cancel);
  if (!(await restoreKey(transaction, engine, id, cancel)))
    await transaction.script('ROLLBACK TO SAVEPOINT svc_jobs_key', cancel);
  await transaction.script('RELEASE SAVEPOINT svc_jobs_key', cancel);
}

/** Makes a dead or scheduled job run now. Resolves with its name; with null if there is none. Rejects with SqlFailure. */
async function runAgain(asking: Asking, engine: Engine, now: Fragment, id: bigint): Promise<string | null> {
  const text = sql`UPDATE svc_jobs SET state = 'waiting', run_at = ${now}, crashes = 0,
      attempt = CASE WHEN state = 'dead' THEN 0 ELSE attempt END
    WHERE id = ${id} AND state IN ('dead', 'scheduled') RETURNING name, key, waiting_key`;
  const { pieces } = await asking.session.run(statementOf(text, engine), asking.cancel);
  const [row] = pieces.flat();
  if (row === undefined) return null;
  const [name, key, reserved] = row as (string | null)[];
  if (key !== null && reserved === null) await reserveKey(asking, engine, id);
  return name;
}

/**
 * For natives: makes a dead or scheduled job run now. It reserves its key again, unless another job with the key waits.
 * The native returns the result of `then`, which receives whether there is such a job. Return the result of this call.
 */
export function retryJob(vm: NativeContext, queue: JobQueue, id: bigint, then: (isFound: boolean) => Value): undefined {
  const { db } = queue;
  const open = transactionOf(vm, db);
  return askTables(
    vm,
    queue,
    'UPDATE svc_jobs',
    (asking) => runAgain(asking, db.engine, nowOf(vm, db.engine), id),
    atOnce((name) => {
      if (name !== null && open === null) queue.pushed(name, false);
      if (name !== null) open?.onCommit(() => queue.pushed(name, false));
      return then(name !== null);
    }),
  );
}

/** Native `retry`: returns whether there is such a job. */
export function retry(vm: NativeContext, queue: JobQueue, id: Int): Value | undefined {
  if (id < 1 || id > MAX_ID) return false;
  return retryJob(vm, queue, BigInt(id), (isFound) => isFound);
}
