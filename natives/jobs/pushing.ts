/** The native `push` of queues. */
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import { inspect } from '../../vm/values/text/text.js';
import { Float, type Value } from '../../vm/values/value.js';
import type { DateValue } from '../core/dates/date.js';
import { type DurationValue, inSeconds } from '../core/dates/duration.js';
import type { Int, Num } from '../core/declare.js';
import { withJson } from '../core/json/index.js';
import { ask, atOnce } from '../data/asking.js';
import { transactionOf } from '../data/database.js';
import { toInteger } from '../data/values.js';
import { checkedName } from './handlers.js';
import type { JobQueue } from './queue.js';
import { onTables, tablesExist } from './schema.js';
import { insertJob, nowOf } from './store.js';

const PLACE = 'JobQueue.push()';
/** Maximum characters of the data of a job as JSON. */
const MAX_DATA = 262_144;
/** Maximum seconds of a delay: about 100 years. */
const MAX_DELAY = 100 * 366 * 86_400;
/** Priorities are 32-bit integers. */
const MAX_PRIORITY = 2 ** 31 - 1;

function delayOf(given: Num | DurationValue | null): number | null {
  if (given === null) return null;
  const value = inSeconds(given);
  const n = value instanceof Float ? value.n : Number(value);
  return n >= 0 && n <= MAX_DELAY
    ? Math.round(n * 1000)
    : fail(
        Errors.ArgumentError,
        `${PLACE}: delay must be 0 or more seconds and at most 100 years, got ${inspect(given)}`,
      );
}

function priorityOf(given: Int): number {
  return Math.abs(Number(given)) <= MAX_PRIORITY
    ? Number(given)
    : fail(Errors.ArgumentError, `${PLACE}: priority must be an Integer of 32 bits, got ${inspect(given)}`);
}

/**
 * Native `push`: stores a job, in the transaction of the thread if it has one. Returns its id, or nil if a job with its
 * key waits already. @throws ArgumentError, ValueError, TypeError
 */
export function push(
  vm: NativeContext,
  queue: JobQueue,
  name: string,
  data: Value,
  delaying: Num | DurationValue | null,
  at: DateValue | null,
  key: string | null,
  givenPriority: Int,
): Value | undefined {
  checkedName(PLACE, 'the name', name);
  if (key !== null) checkedName(PLACE, 'key', key);
  const delay = delayOf(delaying);
  const priority = priorityOf(givenPriority);
  if (delay !== null && at !== null) fail(Errors.ArgumentError, `${PLACE}: delay and at exclude each other`);
  return withJson(vm, data, false, (json) => {
    if (json.length > MAX_DATA)
      fail(
        Errors.ValueError,
        `${PLACE}: the data of a job may have ${MAX_DATA} characters as JSON, got ${json.length}; store it in a table and push its id`,
      );
    return store(vm, queue, { name, data: json, key, priority, delay, at: at?.ms ?? null });
  });
}

function store(vm: NativeContext, queue: JobQueue, job: Parameters<typeof insertJob>[3]): undefined {
  const { db } = queue;
  const open = transactionOf(vm, db);
  const isDelayed = job.delay !== null || job.at !== null;
  return ask(
    vm,
    db,
    'INSERT INTO svc_jobs',
    async ({ session, transaction, driver, cancel }) => {
      const id = await onTables(driver, transaction, () =>
        insertJob(session, db.engine, nowOf(vm, db.engine), job, cancel),
      );
      if (open === null) queue.pushed(job.name, isDelayed);
      else
        open.onCommit(() => {
          tablesExist(driver);
          queue.pushed(job.name, isDelayed);
        });
      return id;
    },
    atOnce((id) => (id === null ? null : toInteger(id))),
  );
}
