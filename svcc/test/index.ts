import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { exitWhenWritten, type Streams } from '../host.js';
import { LoadError } from '../loaderror.js';
import { FileProcess } from './fileprocess.js';
import { type FileCounts, merged } from './coverage/merge.js';
import { coverageTable, writeReports } from './coverage/report.js';
import { findTests, isTestFile } from './find.js';
import { type FileResult, hasFailed, type Job } from './protocol.js';
import { reporterNamed } from './reporters/index.js';
import type { Reporter } from './reporters/reporter.js';

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
}

/** Exit codes. */
const FAILED = 1;
const USAGE = 2;

/** Runs files of tests, several at once, and reports them in their order. */
class Runner {
  private readonly running = new Set<FileProcess>();
  private readonly counts: FileCounts[] = [];
  private stopped = false;

  constructor(
    private readonly flags: TestFlags,
    private readonly reporter: Reporter,
  ) {}

  async run(files: readonly string[]): Promise<FileResult[]> {
    const startedAt = performance.now();
    const results = new Map<string, FileResult>();
    let reported = 0;
    const report = (): void => {
      for (; reported < files.length; reported++) {
        const result = results.get(files[reported]);
        if (result === undefined) return;
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
    for (const result of done.slice(reported)) this.reporter.file(result);
    this.reporter.end(done, this.stopped, performance.now() - startedAt);
    return done;
  }

  /** Counts of the files of programs, without the tests themselves. */
  coverageOf(files: readonly string[]): FileCounts[] {
    const tests = new Set(files.map((file) => resolve(file)));
    return merged(this.counts).filter(({ path }) => !isTestFile(path) && !tests.has(resolve(path)));
  }

  /** Ends all processes. */
  stop(): void {
    this.stopped = true;
    for (const one of this.running) one.kill();
  }

  /** The result of a file; null if another one's failure has stopped it. */
  private async one(file: string): Promise<FileResult | null> {
    const { filter = null, bail = false, update = false, seeds = null, coverage = false } = this.flags;
    const job: Job = { file, filter, bail, update, seeds, coverage };
    const one = new FileProcess(job, () => {});
    this.running.add(one);
    const result = await one.ended;
    this.running.delete(one);
    this.counts.push(...one.coverage);
    return this.stopped ? null : result;
  }
}

/** @throws LoadError */
function checkFilter(filter: string | undefined): void {
  if (filter === undefined) return;
  try {
    new RegExp(filter, 'u');
  } catch (error) {
    throw new LoadError(
      `--filter is not a regular expression: ${(error as Error).message.replace(/^Invalid regular expression: /, '')}`,
    );
  }
}

/** `svcc test`: runs tests. @returns the exit code */
export async function runTests(paths: readonly string[], flags: TestFlags, streams: Streams): Promise<number> {
  try {
    checkFilter(flags.filter);
    const files = findTests(paths);
    if (files.length === 0)
      throw new LoadError('no tests found: they are in files named *_test.svc, or below a folder test');
    const hasColours = isatty(1) && (process.env.NO_COLOR ?? '') === '';
    const runner = new Runner(flags, reporterNamed(flags.reporter, streams.stdout, hasColours));
    for (const [name, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const)
      process.on(name, () => {
        runner.stop();
        exitWhenWritten(code);
      });
    const results = await runner.run(files);
    if (flags.coverage === true) {
      const counts = runner.coverageOf(files);
      writeReports(counts);
      const print = flags.reporter === 'spec' ? streams.stdout : streams.stderr;
      print(`\n${coverageTable(counts)}`);
    }
    return codeOf(results, flags, streams);
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    streams.stderr(`svcc: ${error.message}\n`);
    return error.exitCode;
  }
}

function codeOf(results: readonly FileResult[], { filter }: TestFlags, streams: Streams): number {
  if (results.some(hasFailed)) return FAILED;
  const hasRun = results.some(({ tests }) => tests.length > 0);
  if (filter !== undefined && !hasRun) streams.stderr(`svcc: no test matches --filter ${filter}\n`);
  return filter !== undefined && !hasRun ? USAGE : 0;
}
