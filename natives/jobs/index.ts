/** Durable jobs and schedules: `job_queue(…)` and the methods of the queue that it returns. */
import type { EndedBy } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail, type SvcError } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { inspect } from '../../vm/values/text/text.js';
import { Float, type Value } from '../../vm/values/value.js';
import { type DurationValue, inSeconds } from '../core/dates/duration.js';
import { functions, methodsOf, type Num } from '../core/declare.js';
import { JOBS_ONLY } from '../core/jobsonly.js';
import { type Database, transactionOf } from '../data/database.js';
import { SURVEY } from '../web/app/survey.js';
import { addHandler, type GivenOptions, handlerOf } from './handlers.js';
import { Job, jobMethods } from './job.js';
import { counts, list, retry } from './listing.js';
import { reportMetrics } from './metrics.js';
import { push } from './pushing.js';
import { JOB_QUEUE, JobQueue } from './queue.js';
import { Ticks } from './schedules.js';

/** Maximum seconds for which jobs may continue while the process ends: a day. */
const MAX_DRAIN = 86_400;

/** Native `job_queue`. @throws ArgumentError */
function makeQueue(vm: NativeContext, db: Database, draining: Num | DurationValue): JobQueue {
  const value = inSeconds(draining);
  const seconds = value instanceof Float ? value.n : Number(value);
  if (!(seconds >= 0 && seconds <= MAX_DRAIN))
    fail(Errors.ArgumentError, `job_queue(): drain_seconds must be from 0 seconds to a day, got ${inspect(draining)}`);
  const queue = new JobQueue(vm, db, seconds);
  const { queues } = JOBS_ONLY.of(vm);
  queues.push(queue);
  reportMetrics(
    vm,
    queues.filter((each): each is JobQueue => each instanceof JobQueue),
  );
  return queue;
}

function handle(
  _vm: NativeContext,
  queue: JobQueue,
  name: string,
  fn: Value,
  retries: Value,
  timeout: GivenOptions['timeout'],
  concurrency: Value,
): void {
  const place = 'JobQueue.handle()';
  addHandler(queue.handlers, place, handlerOf(place, name, fn, { retries, timeout, concurrency }, null));
  queue.handlerAdded(name);
}

function every(
  vm: NativeContext,
  queue: JobQueue,
  name: string,
  cron: string,
  fn: Value,
  zone: string,
  retries: Value,
  timeout: GivenOptions['timeout'],
  concurrency: Value,
): undefined {
  const place = 'JobQueue.every()';
  return waitFor(vm, async () => {
    const ticks = await Ticks.read(cron, zone);
    addHandler(queue.handlers, place, handlerOf(place, name, fn, { retries, timeout, concurrency }, ticks));
    queue.handlerAdded(name);
  });
}

/** For natives: waits for an operation, which rejects with SvcError. Return the result of this call. */
function waitFor(vm: NativeContext, operation: () => Promise<void>, endedBy: EndedBy = 'outside'): undefined {
  return vm.wait(
    'jobs',
    (resume, failed) => {
      operation().then(
        () => resume(null),
        (error: unknown) => failed(error as SvcError),
      );
    },
    endedBy,
  );
}

/** Native `start` of queues. @throws RuntimeError, DatabaseError */
function start(vm: NativeContext, queue: JobQueue): Value | undefined {
  if (transactionOf(vm, queue.db) !== null) fail(Errors.RuntimeError, 'start() cannot run inside of a transaction');
  // `svcc routes` runs the program only to list its routes.
  if (SURVEY.of(vm) !== null) return null;
  return waitFor(vm, () => queue.start());
}

/** Native `stop` of queues. Does not wait if a job calls it, because that would wait for itself. */
function stop(vm: NativeContext, queue: JobQueue): Value | undefined {
  if (!(vm.scheduler.current?.context instanceof Job)) return waitFor(vm, () => queue.stop(), 'clock');
  void queue.stop();
  return null;
}

const OPTIONS = 'retries: Integer = 10, timeout: Number|Duration = 3600';

// prettier-ignore
const queueFunctions = functions([
  ['job_queue', 'db: Database, drain_seconds: Number|Duration = 10', 'JobQueue', 'The durable jobs of a database, whose tables `svc_jobs…` are created on first use. When the process ends, running jobs may continue for `drain_seconds`; then they are returned to the queue.', makeQueue],
]);

// prettier-ignore
const queueMethods = methodsOf('JobQueue', [
  ['handle', `name: String, &handler: Function, ${OPTIONS}, concurrency: Integer = 10`, 'Nil', 'Registers a function for the jobs of a name. It is called with a Job, in a thread of its own. A job that fails runs again after min(2^n, 3600) seconds ± 20 %, up to `retries` times; then it is dead, and kept for 30 days. `timeout` is for one attempt, `concurrency` for this process. Jobs may run twice if a process dies.', handle],
  ['every', `name: String, cron: String, &handler: Function, zone: String = "UTC", ${OPTIONS}, concurrency: Integer = 1`, 'Nil', 'As `handle`, for jobs that a schedule pushes: `minute hour day month weekday`, as in `"30 2 * * *"`, or `@daily`. All processes together push one job for each tick, and one job for all ticks that were missed while no process ran. ValueError for other patterns and time zones.', every],
  ['push', 'name: String, data: Any = nil, delay: Number|Duration? = nil, at: Date? = nil, key: String? = nil, priority: Integer = 0', 'Integer?', 'Stores a job and returns its id. Within `db.transaction` it exists only if the transaction is committed. It runs after `delay` (seconds), or at the time `at`; larger priorities run first. Returns nil, and stores nothing, if a job of this name and `key` is waiting already.', push],
  ['start', '', 'Nil', 'Begins to run jobs in this process, until it ends or `stop` is called.', start],
  ['stop', '', 'Nil', 'Claims no more jobs, and waits until running ones have ended, at most `drain_seconds`.', stop],
  ['counts', 'name: String? = nil', 'Hash', 'Number of jobs that are waiting, scheduled, running and dead; with a name of those alone.', counts],
  ['list', 'state: String, name: String? = nil, limit: Integer = 100, offset: Integer = 0', 'Vector', 'Jobs that are "waiting", "scheduled", "running" or "dead" as hashes: id, name, data, state, attempt, key, priority, pushed_at, due_at, ended_at, error. Dead jobs begin with the last that died.', list],
  ['retry', 'id: Integer', 'Boolean', 'Makes a dead job run again, with all its attempts, or one that waits for its next attempt run now. Returns false if there is no such job.', retry],
]);
for (const fn of queueMethods) JOB_QUEUE.methods.set(fn.name, fn);

/** Functions and methods of jobs. */
export const jobs: readonly NativeFunction[] = [...queueFunctions, ...queueMethods, ...jobMethods];

/** Defines the functions of jobs in a VM. */
export function installJobs(vm: NativeContext): void {
  vm.define(jobs);
}
