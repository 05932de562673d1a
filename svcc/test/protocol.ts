import type { DiffLine } from '../../natives/testing/diff.js';
import type { Phase } from '../../natives/testing/run.js';
import type { TraceLine } from '../../vm/values/error.js';
import type { FileCounts } from './coverage/merge.js';

/** Milliseconds that a process gets beyond the time limit of a test before it is killed. */
export const GRACE_MS = 20_000;

/** What the process of a file is to do. */
export interface Job {
  readonly file: string;
  /** Source of a regular expression for names of tests; null for all tests. */
  readonly filter: string | null;
  readonly bail: boolean;
  readonly update: boolean;
  /** Number of seeds; null runs the file once, under the clock that the environment selects. */
  readonly seeds: number | null;
  readonly coverage: boolean;
  /** Whether the tests are the examples in the file's documentation. */
  readonly doc: boolean;
}

/** Why a test failed. */
export interface FailureRecord {
  readonly phase: Phase;
  readonly type: string;
  readonly message: string;
  readonly trace: readonly TraceLine[];
  readonly diff: readonly DiffLine[];
  /** The source line with a caret below; empty if there is none. */
  readonly source: readonly string[];
}

/** A test that has ended. */
export interface TestRecord {
  readonly names: readonly string[];
  readonly file: string;
  /** 0 if it is unknown. */
  readonly line: number;
  readonly failures: readonly FailureRecord[];
  /** Why it was skipped; null if it was not. */
  readonly skipped: string | null;
  readonly left: readonly string[];
  readonly written: number;
  readonly ms: number;
  /** What the test has printed, shortened. */
  readonly output: string;
}

/** How the run of a file has ended. */
export interface DoneRecord {
  /** Exit code of the program. */
  readonly code: number;
  /** Whether its statements ran to their end: it ended neither by an error nor by `exit`. */
  readonly isComplete: boolean;
  /** Whether `exit` in a thread ended the statements of a program that has tests. */
  readonly isCut: boolean;
  /** What was printed outside of tests, shortened. */
  readonly output: string;
  /** Diagnostics, if the program could not be loaded; else null. */
  readonly refused: string | null;
  /** Threads that were still running at the end. */
  readonly left: readonly string[];
  /** Names of snapshots that no test used. */
  readonly obsolete: readonly string[];
  /** Names of such snapshots that `--update` has removed. */
  readonly removed: readonly string[];
  /** Number of tests that the filter left out. */
  readonly filtered: number;
  /** Counts of the program's files; empty without coverage. */
  readonly coverage: readonly FileCounts[];
}

/** A line that the process of a file writes. */
export type TestEvent =
  | { readonly is: 'begin' }
  | { readonly is: 'sources'; readonly paths: readonly string[] }
  | { readonly is: 'seed'; readonly seed: number }
  | {
      readonly is: 'start';
      readonly names: readonly string[];
      readonly file: string;
      readonly line: number;
      readonly timeoutMs: number;
    }
  | { readonly is: 'phase' }
  | ({ readonly is: 'end' } & TestRecord)
  | ({ readonly is: 'done' } & DoneRecord);

/** A file that has been run. */
export interface FileResult {
  readonly file: string;
  readonly tests: readonly TestRecord[];
  /** Why the file failed apart from its tests; null if it did not. */
  readonly problem: string | null;
  /** What was printed outside of tests. */
  readonly output: string;
  readonly left: readonly string[];
  readonly obsolete: readonly string[];
  readonly removed: readonly string[];
  readonly filtered: number;
  /** The seed of these results; null without seeds. */
  readonly seed: number | null;
  /** Whether the tests are the examples in the file's documentation. */
  readonly doc: boolean;
  readonly ms: number;
}

/** Whether a file has failed. */
export function hasFailed({ problem, tests }: FileResult): boolean {
  return problem !== null || tests.some(({ failures }) => failures.length > 0);
}
