import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { type Options, type Outcome, svcc } from '../svcc.js';

/** A test as the JSON reporter prints it. */
export interface ReportedTest {
  name: string;
  names: string[];
  status: 'passed' | 'failed' | 'skipped';
  line: number;
  failures: {
    phase: string;
    type: string;
    message: string;
    diff: { mark: string; text: string }[];
    source: string[];
    trace: { file: string; line: number }[];
  }[];
  skipped: string | null;
  left: string[];
  written: number;
  output: string;
}

export interface ReportedFile {
  file: string;
  passed: boolean;
  problem: string | null;
  output: string;
  left: string[];
  obsolete: string[];
  removed: string[];
  seed: number | null;
  tests: ReportedTest[];
}

export interface Report {
  summary: { passed: number; failed: number; skipped: number; broken: number; files: number; stopped: boolean };
  files: ReportedFile[];
}

/** A folder with files, in which `svcc test` runs. */
export function project(test: Test, files: Record<string, string>) {
  const cwd = test.testdir();
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const run = (args: string[] = [], env: Options['env'] = {}): Promise<Outcome> =>
    svcc(['test', ...args], { cwd, env });
  return {
    cwd,
    run,
    write,
    /** Runs the tests with the JSON reporter. */
    report: async (args: string[] = [], env: Options['env'] = {}): Promise<Report & { exitCode: number | null }> => {
      const { stdout, stderr, exitCode } = await run([...args, '--reporter', 'json'], env);
      test.equal(stderr, '');
      return { ...(JSON.parse(stdout) as Report), exitCode };
    },
  };
}

/** One file of tests, run with the JSON reporter. */
export async function reportOf(test: Test, source: string, args: string[] = []): Promise<ReportedFile> {
  const { files } = await project(test, { 'a_test.svc': source }).report(args);
  return files[0];
}

/** The outcome of each test: its name, and its failure if it failed. */
export function outcomes({ tests }: ReportedFile): string[] {
  return tests.map(({ name, status, failures }) => {
    const reasons = failures.map(({ phase, type, message }) =>
      [phase === 'test' ? '' : phase, type, message].filter((part) => part !== '').join(': '),
    );
    return [`${status} ${name}`, ...reasons].join(' | ');
  });
}
