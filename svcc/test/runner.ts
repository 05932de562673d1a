import type { ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type FileCounts, merged } from './coverage/merge.js';
import { FileProcess } from './fileprocess.js';
import { isTestFile } from './find.js';
import { type FileResult, hasFailed, type Job } from './protocol.js';
import type { Reporter } from './reporters/reporter.js';
import { startJob } from './standby.js';

/** Flags of `svcc test`. */
export interface TestFlags {
  filter?: string;
  reporter: string;
  seeds?: number;
  jobs?: number;
  bail?: boolean;
  update?: boolean;
  watch?: boolean;
  coverage?: boolean;
  doc?: boolean;
}

/** Runs files of tests, several at once, and reports them in their order. For one round. */
export class Runner {
  private readonly running = new Set<FileProcess>();
  private readonly counts: FileCounts[] = [];
  private stopped = false;
  private cancelled = false;

  get isCancelled(): boolean {
    return this.cancelled;
  }

  /**
   * @param loaded called with the files that a file of tests was compiled from
   * @param start starts the process of a job
   */
  constructor(
    private readonly flags: TestFlags,
    private readonly reporter: Reporter,
    private readonly loaded: (file: string, sources: readonly string[]) => void = () => {},
    private readonly start: (job: Job) => ChildProcess = startJob,
  ) {}

  async run(files: readonly string[]): Promise<FileResult[]> {
    const startedAt = performance.now();
    const results = new Map<string, FileResult>();
    let reported = 0;
    const report = (): void => {
      for (; reported < files.length; reported++) {
        const result = results.get(files[reported]);
        if (result === undefined || this.cancelled) return;
        this.reporter.file(result);
      }
    };
    this.reporter.begin();
    const rest = [...files];
    const work = async (): Promise<void> => {
      for (let file = rest.shift(); file !== undefined && !this.stopped; file = rest.shift()) {
        const result = await this.one(file);
        if (result === null) continue;
        results.set(file, result);
        report();
        if (this.flags.bail === true && hasFailed(result)) this.stop();
      }
    };
    const jobs = Math.min(this.flags.jobs ?? availableParallelism(), files.length);
    await Promise.all(Array.from({ length: jobs }, work));
    const done = files.flatMap((file) => results.get(file) ?? []);
    if (this.cancelled) return done;
    for (const result of done.slice(reported)) this.reporter.file(result);
    this.reporter.end(done, this.stopped, performance.now() - startedAt);
    return done;
  }

  /** Counts of the files of programs, without the tests themselves. */
  coverageOf(files: readonly string[]): FileCounts[] {
    const tests = new Set(this.flags.doc === true ? [] : files.map((file) => resolve(file)));
    return merged(this.counts).filter(({ path }) => !isTestFile(path) && !tests.has(resolve(path)));
  }

  /** Ends all processes; results that are still to come are not reported. Resolves when they have ended. */
  async cancel(): Promise<void> {
    this.cancelled = true;
    this.stop();
    await Promise.all([...this.running].map(({ ended }) => ended));
  }

  /** Ends all processes. */
  private stop(): void {
    this.stopped = true;
    for (const one of this.running) one.kill();
  }

  /** The result of a file; null if another one's failure has stopped it. */
  private async one(file: string): Promise<FileResult | null> {
    const { filter = null, bail = false, update = false, seeds = null, coverage = false, doc = false } = this.flags;
    const job: Job = { file, filter, bail, update, seeds, coverage, doc };
    const first = await this.runIn(this.start(job), job);
    // A process that had waited for a job may be ended by the system just when it gets one.
    const last = first.hasBegun || this.stopped ? first : await this.runIn(startJob(job), job);
    this.counts.push(...last.coverage);
    return this.stopped ? null : last.result;
  }

  private async runIn(
    child: ChildProcess,
    job: Job,
  ): Promise<{ result: FileResult; coverage: readonly FileCounts[]; hasBegun: boolean }> {
    const one = new FileProcess(job, child, (sources) => this.loaded(job.file, sources));
    this.running.add(one);
    const result = await one.ended;
    this.running.delete(one);
    return { result, coverage: one.coverage, hasBegun: one.hasBegun };
  }
}
