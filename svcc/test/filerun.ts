import { describeThread } from '../../natives/testing/running.js';
import { obsoleteSnapshots } from '../../natives/testing/snapshots.js';
import {
  type Failure,
  TESTS,
  type TestInfo,
  type TestOutcome,
  type TestReporter,
  type TestRun,
} from '../../natives/testing/run.js';
import { TEST_RESULTS } from '../../natives/core/testresults.js';
import type { CoverageFile } from '../../compiler/index.js';
import { COUNTERS } from '../../natives/testing/coverage.js';
import type { Program } from '../../vm/bytecode/program.js';
import { createCoreVm, execute, jitOf } from '../execute.js';
import { nodeHost } from '../host.js';
import { installParts, libraryNames } from '../library.js';
import { type Covered, loadCached, loadCovered, loadSource } from '../load.js';
import { LoadError } from '../loaderror.js';
import { sourceFrame } from '../report.js';
import type { Simulation } from '../simulation.js';
import { isExit, SvcError } from '../../vm/values/error.js';
import type { VM } from '../../vm/vm.js';
import { countsOf } from './coverage/merge.js';
import { Capture } from './capture.js';
import type { DoneRecord, FailureRecord, Job, TestEvent } from './protocol.js';

/** Milliseconds that threads get to end by themselves when all tests have run. */
const LINGER_MS = 100;
/** Milliseconds after which the process ends although threads do not. */
const STUBBORN_MS = 2000;

export const NOTHING: DoneRecord = {
  code: 0,
  isComplete: true,
  isCut: false,
  output: '',
  refused: null,
  left: [],
  obsolete: [],
  removed: [],
  filtered: 0,
  coverage: [],
};

/** Receives what happens. */
export type Emit = (event: TestEvent) => void;

/** Turns outcomes of tests into events. */
class Events implements TestReporter {
  constructor(
    private readonly vm: VM,
    private readonly capture: Capture,
    private readonly outside: Capture,
    private readonly emit: Emit,
    private readonly example: RunOfExample | null,
  ) {}

  started({ names, place, timeoutMs }: TestInfo): void {
    this.outside.add(this.capture.take());
    this.example?.started(this.vm);
    this.emit({ is: 'start', names, file: place?.file ?? '', line: place?.line ?? 0, timeoutMs });
  }

  phase(): void {
    this.emit({ is: 'phase' });
  }

  ended({ names, place }: TestInfo, outcome: TestOutcome): void {
    const failures = outcome.failures.map((failure) => this.recordOf(failure));
    if (failures.length === 0 && outcome.skipped === null) {
      const failure = this.example?.failure() ?? null;
      if (failure !== null) {
        TEST_RESULTS.of(this.vm).failed++;
        failures.push({ ...failure, source: this.sourceOf(failure.trace) });
      }
    }
    this.emit({
      is: 'end',
      names,
      file: place?.file ?? '',
      line: place?.line ?? 0,
      failures,
      skipped: outcome.skipped,
      left: outcome.left,
      written: outcome.written,
      ms: outcome.ms,
      output: this.capture.take(),
    });
  }

  private recordOf(failure: Failure): FailureRecord {
    return { ...failure, source: this.sourceOf(failure.trace) };
  }

  private sourceOf([first]: Failure['trace']): readonly string[] {
    const text = first === undefined ? null : this.vm.sourceText(first.file);
    return text === null ? [] : sourceFrame(text, first.line, first.column);
  }
}

/** An example of a documentation that is run in place of a file of tests. */
export interface RunOfExample {
  /** Compiles it. @throws LoadError */
  load(warn: (text: string) => void): Covered;
  /** Called when the VM exists, and when the example itself begins. */
  prepare(vm: VM): void;
  started(vm: VM): void;
  printed(text: string): void;
  /** Why it failed although it ended without an error; null if it did not. */
  failure(): FailureRecord | null;
}

/** Loads the compiler and the parts of the library that a file of tests needs. */
export async function warmUp(file: string): Promise<void> {
  const vm = createCoreVm(nodeHost({ stdout: () => {}, stderr: () => {} }), {
    process: { args: [], env: {}, isTerminal: () => false },
  });
  try {
    const { program } = await loadSource(file, libraryNames(), () => {});
    await installParts(vm, program);
  } catch (error) {
    // The run itself reports it.
    if (!(error instanceof LoadError)) throw error;
  }
}

/** One run of a program with tests. */
export class FileRun {
  private readonly capture = new Capture();
  private readonly outside = new Capture();
  /** What the program counts. */
  private points: readonly CoverageFile[] = [];
  /** Whether such an error is being printed, which is not output of the test that runs. */
  private isReporting = false;

  constructor(
    private readonly job: Job,
    private readonly simulation: Simulation | undefined,
    private readonly emit: Emit,
    private readonly example: RunOfExample | null = null,
  ) {}

  async run(): Promise<DoneRecord> {
    const jit = jitOf(process.env);
    if (typeof jit === 'string') throw new LoadError(jit);
    const keep = (text: string): void => (this.isReporting ? this.outside : this.capture).add(text);
    const print = (text: string): void => {
      keep(text);
      this.example?.printed(text);
    };
    const vm = createCoreVm(nodeHost({ stdout: print, stderr: keep }), {
      slice: this.simulation?.slice ?? 0,
      jit,
      simulation: this.simulation,
      process: { args: [], env: process.env, isTerminal: () => false },
      stdin: { readLine: () => Promise.resolve(null) },
    });
    const program = await this.load(vm);
    if (typeof program === 'string') return this.done({ code: 1, refused: program });
    const tests = this.prepare(vm);
    this.example?.prepare(vm);
    let left: string[] = [];
    let isComplete = false;
    const whenOver = (then: () => void): void => {
      isComplete = true;
      // A program without tests runs until its threads have ended.
      if (!hasTests(vm)) vm.scheduler.whenIdle(then);
      else
        endThreads(vm, (threads) => {
          left = threads;
          then();
        });
    };
    let isCut = false;
    const running = execute(vm, program, { whenOver });
    this.separateErrors(vm, () => (isCut = !isComplete && mayTest(program)));
    const code = await running;
    return this.done({
      code,
      isComplete,
      isCut,
      left,
      ...(isComplete && this.example === null ? this.unused(tests) : {}),
      filtered: tests.filtered,
      coverage: countsOf(this.points, COUNTERS.of(vm)),
    });
  }

  /**
   * Keeps reports of errors in threads that no test started apart from the output of the test that runs.
   *
   * @param onExit called when `exit` in a thread other than the first one, outside of tests, ends the program
   */
  private separateErrors(vm: VM, onExit: () => void): void {
    const { report } = vm;
    vm.report = (fiber, error) => {
      if (isExit(error)) onExit();
      this.isReporting = true;
      report(fiber, error);
      this.isReporting = false;
    };
  }

  private async load(vm: VM): Promise<Program | string> {
    try {
      const warn = (text: string): void => this.capture.add(text);
      const program = await this.compiled(warn);
      await installParts(vm, program);
      this.emit({ is: 'sources', paths: program.sources.map(({ path }) => path).filter((path) => path !== '') });
      return program;
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      if (this.example !== null) throw error;
      this.emit({ is: 'sources', paths: [...error.diagnostics.map(({ file }) => file), ...error.absent] });
      return error.message;
    }
  }

  private async compiled(warn: (text: string) => void): Promise<Program> {
    const { file } = this.job;
    if (this.example === null && !this.job.coverage) return (await loadCached(file, libraryNames, warn)).program;
    const { program, coverage } = this.example?.load(warn) ?? (await loadCovered(file, libraryNames(), warn));
    this.points = coverage;
    return program;
  }

  private prepare(vm: VM) {
    const { filter, bail, update } = this.job;
    const tests = TESTS.of(vm);
    tests.reporter = new Events(vm, this.capture, this.outside, this.emit, this.example);
    tests.filter = filter === null ? null : new RegExp(filter, 'u');
    tests.bails = bail;
    tests.updates = update;
    tests.isStrict = (process.env.CI ?? '') !== '' && process.env.CI !== 'false';
    return tests;
  }

  private unused(tests: TestRun): Pick<DoneRecord, 'removed'> | Pick<DoneRecord, 'obsolete'> {
    try {
      const names = obsoleteSnapshots(tests, this.job.file);
      return tests.updates ? { removed: names } : { obsolete: names };
    } catch (error) {
      if (error instanceof SvcError) throw new LoadError(error.value.message);
      throw error;
    }
  }

  private done(record: Partial<DoneRecord>): DoneRecord {
    this.outside.add(this.capture.take());
    return { ...NOTHING, output: this.outside.take(), ...record };
  }
}

/** Whether the program has declared tests, also if the filter left all of them out. */
function hasTests(vm: VM): boolean {
  const { passed, failed } = TEST_RESULTS.of(vm);
  return passed + failed + TESTS.of(vm).filtered > 0;
}

/** Whether the text of a program declares tests, also if none has run. */
function mayTest({ natives }: Program): boolean {
  return ['test', 'test_each'].some((name) => natives.includes(name));
}

/** Ends the threads that run when all tests have run, such as servers; `then` gets what they are. */
function endThreads(vm: VM, then: (left: string[]) => void): void {
  const { scheduler } = vm;
  let left: string[] = [];
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;
  const over = (): void => {
    if (timer !== null) clearTimeout(timer);
    if (!isOver) then(left);
    isOver = true;
  };
  timer = setTimeout(() => {
    const fibers = [...scheduler.live];
    left = fibers.map(describeThread);
    timer = setTimeout(over, STUBBORN_MS);
    for (const fiber of fibers) scheduler.cancel(fiber);
  }, LINGER_MS);
  scheduler.whenIdle(over);
}
