import { isatty } from 'node:tty';
import { exitWhenWritten, type Streams } from '../host.js';
import { LoadError } from '../loaderror.js';
import { reportCoverage } from './coverage/report.js';
import { findTests } from './find.js';
import { type FileResult, hasFailed } from './protocol.js';
import { reporterNamed } from './reporters/index.js';
import { SpecReporter } from './reporters/spec.js';
import { Runner, type TestFlags } from './runner.js';
import { TestWatch } from './watch.js';

/** Exit codes. */
const FAILED = 1;
const USAGE = 2;
/** Signals that end the tests, and the exit codes. */
const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

function hasColours(): boolean {
  return isatty(1) && (process.env.NO_COLOR ?? '') === '';
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

function nothingFound({ doc }: TestFlags): string {
  return doc === true
    ? 'no examples found: they stand in ## comments of programs, between ```svc and ```'
    : 'no tests found: they are in files named *_test.svc, or below a folder test';
}

/** `svcc test`: runs tests. @returns the exit code */
export async function runTests(paths: readonly string[], flags: TestFlags, streams: Streams): Promise<number> {
  try {
    checkFilter(flags.filter);
    if (flags.watch === true && flags.reporter !== 'spec')
      throw new LoadError('--watch prints results for people: leave out --reporter');
    const find = flags.doc === true ? (await import('./examples.js')).findExamples : findTests;
    const files = find(paths);
    if (files.length === 0) throw new LoadError(nothingFound(flags));
    let cancel = (): Promise<void> => Promise.resolve();
    let ending: number | null = null;
    for (const [name, code] of SIGNALS)
      process.on(name, () => {
        if (ending !== null) process.exit(ending);
        ending = code;
        void cancel().then(() => exitWhenWritten(code));
      });
    if (flags.watch === true) {
      const watch = new TestWatch(
        () => find(paths),
        flags,
        streams,
        () => new SpecReporter(streams.stdout, hasColours()),
      );
      cancel = () => watch.close();
      return await watch.run();
    }
    const runner = new Runner(flags, reporterNamed(flags.reporter, streams.stdout, hasColours()));
    cancel = () => runner.cancel();
    const results = await runner.run(files);
    if (ending !== null) return ending;
    if (flags.coverage === true)
      reportCoverage(runner.coverageOf(files), flags.reporter === 'spec' ? streams.stdout : streams.stderr);
    return codeOf(results, flags, streams);
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    streams.stderr(`svcc: ${error.message}\n`);
    return error.exitCode;
  }
}

function codeOf(results: readonly FileResult[], flags: TestFlags, streams: Streams): number {
  const { filter } = flags;
  if (results.some(hasFailed)) return FAILED;
  const hasRun = results.some(({ tests }) => tests.length > 0);
  if (filter !== undefined && !hasRun)
    streams.stderr(`svcc: no ${flags.doc === true ? 'example' : 'test'} matches --filter ${filter}\n`);
  return filter !== undefined && !hasRun ? USAGE : 0;
}
