import type { NativeFunction } from '../../vm/values/function.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import type { Value } from '../../vm/values/value.js';
import { DateValue } from '../core/dates/date.js';
import { methodsOf } from '../core/declare.js';
import type { Work } from '../core/work.js';
import { toInteger } from '../data/values.js';
import type { StoredJob } from './storedjob.js';

const JOB = new HandleType('Job');

/** A running job: the argument of its handler and the context of its thread. */
export class Job extends Handle implements Work {
  readonly requestId: string;
  readonly label: string;
  fuelUsed = 0;
  data: Value = null;

  constructor(readonly row: StoredJob) {
    super();
    this.requestId = `job-${row.id}`;
    this.label = `job ${row.name}`;
  }

  get type(): HandleType {
    return JOB;
  }

  override describe(): string {
    return `<Job ${this.row.id} ${this.row.name}>`;
  }
}

/** The attributes of jobs. */
// prettier-ignore
export const jobMethods: NativeFunction[] = methodsOf('Job', [
  ['id', '', 'Integer', 'Number of the job, as `push` returned it.', (_vm, { row }: Job) => toInteger(row.id)],
  ['name', '', 'String', 'Name of the job.', (_vm, { row }: Job) => row.name],
  ['data', '', 'Any', 'What was pushed, read from JSON; nil for a tick of a schedule.', (_vm, job: Job) => job.data],
  ['attempt', '', 'Integer', 'Number of this attempt: 1 for the first. An attempt does not count if its process died.', (_vm, { row }: Job) => row.attempt],
  ['key', '', 'String?', 'The key that it was pushed with, or nil.', (_vm, { row }: Job) => row.key],
  ['priority', '', 'Integer', 'The priority that it was pushed with.', (_vm, { row }: Job) => row.priority],
  ['pushed_at', '', 'Date', 'When it was pushed.', (_vm, { row }: Job) => new DateValue(row.createdAt)],
  ['due_at', '', 'Date', 'When it was due: the time of the push, of `delay` or `at`, of the tick of its schedule, or of this attempt.', (_vm, { row }: Job) => new DateValue(row.runAt)],
]);
for (const fn of jobMethods) JOB.methods.set(fn.name, fn);
