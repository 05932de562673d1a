import { readFileSync, writeSync } from 'node:fs';
import { LoadError } from '../loaderror.js';
import { Simulation, simulationOf } from '../simulation.js';
import { type Emit, FileRun, NOTHING, warmUp } from './filerun.js';
import type { DoneRecord, Job, TestEvent } from './protocol.js';
import { JOBS } from './standby.js';

/** File descriptor for events. */
const EVENTS = 3;

/** Milliseconds between looks at whether the parent still runs. */
const PARENT_MS = 1000;

/**
 * Ends this process when its parent has been killed. `emit` notices that as well, but a program that runs for ever may
 * never emit another event.
 */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, PARENT_MS).unref();
}

/** Writes an event at once, so that none is lost if the process dies. */
function emit(event: TestEvent): void {
  let rest = Buffer.from(`${JSON.stringify(event)}\n`);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(EVENTS, rest));
  } catch {
    // The process that wanted the events has gone.
    process.exit(1);
  }
}

/** @throws LoadError for invalid values in the environment */
function simulationOfEnvironment(): Simulation | undefined {
  const simulation = simulationOf(process.env);
  if (typeof simulation === 'string') throw new LoadError(simulation);
  return simulation;
}

/** Runs the tests of a file, or its examples. @throws LoadError */
async function runFile(job: Job, simulation: () => Simulation | undefined, emit: Emit): Promise<DoneRecord> {
  if (job.doc) return (await import('./exampleruns.js')).runExamples(job, simulation, emit);
  return new FileRun(job, simulation(), emit).run();
}

/** Runs a file with the seeds 1 to N under a virtual clock, up to the first that fails; emits the events of the last one. */
async function runSeeds(job: Job, seeds: number): Promise<void> {
  for (let seed = 1; seed <= seeds; seed++) {
    const events: TestEvent[] = [{ is: 'seed', seed }];
    // The parent must know which test runs; results count when the seed has ended.
    const keep: Emit = (event) => {
      events.push(event);
      emit(event.is === 'start' ? event : { is: 'phase' });
    };
    const done = await runFile(job, () => new Simulation(true, seed), keep);
    const isLast = seed === seeds || done.code !== 0 || done.isCut;
    if (!isLast) continue;
    for (const event of events) emit(event);
    emit({ is: 'done', ...done });
    return;
  }
}

/** Runs one file of tests in this process. Results go to file descriptor 3. */
export async function runChild(text: string): Promise<never> {
  const job = JSON.parse(text) as Job;
  endWithParent();
  emit({ is: 'begin' });
  try {
    if (job.seeds !== null) await runSeeds(job, job.seeds);
    else {
      emit({ is: 'done', ...(await runFile(job, simulationOfEnvironment, emit)) });
    }
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    emit({ is: 'done', ...NOTHING, code: 1, refused: error.message });
  }
  process.exit(0);
}

/** Loads what a file of tests needs, then runs the job that comes, or ends when nobody can send one any more. */
export async function runWaiting(file: string): Promise<never> {
  await warmUp(file);
  const job = readFileSync(JOBS, 'utf8');
  return job === '' ? process.exit(0) : runChild(job);
}
