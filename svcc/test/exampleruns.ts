import { SURVEY } from '../../natives/web/app/survey.js';
import { Errors, fail } from '../../vm/values/error.js';
import { TIMEOUT_MS } from '../../natives/testing/run.js';
import type { VM } from '../../vm/vm.js';
import { libraryNames } from '../library.js';
import { LoadError } from '../loaderror.js';
import type { Simulation } from '../simulation.js';
import { type Example, FileProblem, outputFailure, readExamples } from './examples.js';
import { type Emit, FileRun, NOTHING, type RunOfExample } from './filerun.js';
import type { DoneRecord, FailureRecord, Job } from './protocol.js';

/** Maximum characters of an example's output that are compared. */
const MAX_PRINTED = 1_000_000;

/** Watches the run of an example. */
class Watched implements RunOfExample {
  private text = '';
  private hasStarted = false;

  constructor(
    private readonly job: Job,
    private readonly example: Example,
  ) {}

  load(warn: (text: string) => void) {
    return this.example.load(libraryNames(), warn, this.job.coverage);
  }

  prepare(vm: VM): void {
    const { file } = this.job;
    SURVEY.set(vm, () =>
      fail(Errors.RuntimeError, `${file} serves when it is loaded: move app.run into a file that loads this one`),
    );
  }

  started(vm: VM): void {
    this.hasStarted = true;
    SURVEY.set(vm, null);
  }

  printed(text: string): void {
    if (this.hasStarted && this.text.length < MAX_PRINTED) this.text += text;
  }

  failure(): FailureRecord | null {
    return outputFailure(this.job.file, this.example.output, this.text);
  }
}

/** Runs the examples of a file, each as a program of its own. @throws LoadError if the file cannot be run */
export async function runExamples(job: Job, simulation: () => Simulation | undefined, emit: Emit): Promise<DoneRecord> {
  const filter = job.filter === null ? null : new RegExp(job.filter, 'u');
  const all = readExamples(job.file);
  const wanted = all.filter(({ name }) => filter?.test(name) !== false);
  const runs: DoneRecord[] = [];
  for (const example of wanted) {
    const done = await runExample({ ...job, filter: null }, example, simulation(), emit);
    runs.push(done);
    if (job.bail && done.code !== 0) break;
  }
  return {
    ...NOTHING,
    code: runs.some(({ code }) => code !== 0) ? 1 : 0,
    output: runs.map(({ output }) => output).join(''),
    left: runs.flatMap(({ left }) => left),
    filtered: all.length - wanted.length,
    coverage: runs.flatMap(({ coverage }) => coverage),
  };
}

async function runExample(
  job: Job,
  example: Example,
  simulation: Simulation | undefined,
  emit: Emit,
): Promise<DoneRecord> {
  let hasStarted = false;
  const watch: Emit = (event) => {
    if (event.is === 'start') hasStarted = true;
    emit(event);
  };
  try {
    const done = await new FileRun(job, simulation, watch, new Watched(job, example)).run();
    if (hasStarted) return done;
    const message = `${job.file} ended with exit code ${done.code} before the example began`;
    fails(job, example, message, done.output, emit);
    return { ...done, code: 1, isComplete: true, output: '' };
  } catch (error) {
    if (!(error instanceof LoadError) || error instanceof FileProblem) throw error;
    fails(job, example, error.message, '', emit);
    return { ...NOTHING, code: 1 };
  }
}

/** Reports an example that did not run. */
function fails({ file }: Job, { name, line }: Example, message: string, output: string, emit: Emit): void {
  const failure: FailureRecord = { phase: 'test', type: '', message, trace: [], diff: [], source: [] };
  const place = { names: [name], file, line };
  emit({ is: 'start', ...place, timeoutMs: TIMEOUT_MS });
  emit({ is: 'end', ...place, failures: [failure], skipped: null, left: [], written: 0, ms: 0, output });
}
