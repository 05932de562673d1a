import type { NativeContext } from '../../vm/nativecontext.js';
import { METRIC_READERS, METRIC_SOURCES, metricLabel } from '../core/metricsources.js';
import { Cancellation, SqlFailure } from '../data/driver.js';
import type { JobQueue } from './queue.js';
import { countsIn } from './store.js';

/** Adds the jobs of the program's queues to the metrics of its applications. */
export function reportMetrics(vm: NativeContext, queues: readonly JobQueue[]): void {
  METRIC_READERS.of(vm).set('jobs', async () => {
    await Promise.all(queues.map(refresh));
  });
  METRIC_SOURCES.of(vm).set('jobs', () => lines(queues));
}

/** Reads the number of jobs of a queue by name and state. */
async function refresh(queue: JobQueue): Promise<void> {
  const { db } = queue;
  if (db.opened === null || db.closed) return;
  try {
    queue.counts = await countsIn(db.opened, db.engine, new Cancellation());
  } catch (failure) {
    // The database cannot be reached, or the tables do not exist yet: report no numbers.
    if (!(failure instanceof SqlFailure)) throw failure;
    queue.counts = null;
  }
}

function lines(queues: readonly JobQueue[]): string[] {
  const jobs: string[] = [];
  const times: string[] = [];
  for (const { counts, durations, label } of queues) {
    const database = `database="${metricLabel(label)}"`;
    for (const { name, state, count } of counts ?? [])
      jobs.push(`svc_jobs{${database},name="${metricLabel(name)}",state="${state}"} ${count}`);
    for (const { name, ending, count, seconds } of durations.entries.values()) {
      const key = `{${database},name="${metricLabel(name)}",ending="${ending}"}`;
      times.push(`svc_job_seconds_sum${key} ${seconds}`, `svc_job_seconds_count${key} ${count}`);
    }
  }
  return [
    '# HELP svc_jobs Jobs by state in all processes.',
    '# TYPE svc_jobs gauge',
    ...jobs,
    '# HELP svc_job_seconds Time of attempts in this process, by how they ended.',
    '# TYPE svc_job_seconds summary',
    ...times,
  ];
}
