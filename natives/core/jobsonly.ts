import { ModuleState } from '../../vm/calls/modulestate.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';

/** A queue of jobs that a program has made. */
export interface Workable {
  /** Works off jobs until the process is told to end. Rejects with SvcError if it cannot begin. */
  work(): Promise<void>;
}

/** What `svcc run --jobs` needs to know about a program. */
interface JobsOnly {
  /** Whether the program only runs jobs, and serves nothing. */
  isOn: boolean;
  /** The queues of the program. */
  readonly queues: Workable[];
  /** The work that has begun; null before. */
  work: Promise<void> | null;
}

/** The queues of jobs of a VM, and whether it does nothing else. */
export const JOBS_ONLY = new ModuleState<JobsOnly, NativeContext>(() => ({ isOn: false, queues: [], work: null }));

/** Works off the jobs of all queues until the process is told to end. Rejects with SvcError, also without a queue. */
export function workOffJobs(vm: NativeContext): Promise<void> {
  const state = JOBS_ONLY.of(vm);
  return (state.work ??= (async () => {
    if (state.queues.length === 0) fail(Errors.RuntimeError, '--jobs needs a program that makes a job_queue');
    await Promise.all(state.queues.map((queue) => queue.work()));
  })());
}
