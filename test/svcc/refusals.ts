import type { Test } from 'tap';
import { readArtefact } from '../../svcc/artefact.js';
import { libraryNames } from '../../svcc/library.js';
import { LoadError } from '../../svcc/loaderror.js';
import type { Outcome } from './svcc.js';

/** A frame of a JavaScript stack, or the name of a source file of Svc or Node. */
const JAVASCRIPT = /^\s+at |\.[cm]?[jt]s:\d|node:|internal error/m;

/** Asserts that a run ended with one message: the given exit code and stdout, and no JavaScript stack. */
export function assertRefused(
  test: Test,
  outcome: Outcome,
  exitCode: 1 | 2,
  message: RegExp,
  { stdout = '', lines = 1 } = {},
): void {
  test.match(outcome.stderr, message);
  test.notMatch(outcome.stderr, JAVASCRIPT, 'no JavaScript stack');
  test.equal(outcome.exitCode, exitCode, 'exit code', { stderr: outcome.stderr });
  test.equal(outcome.stdout, stdout, 'stdout');
  const printed = outcome.stderr.split('\n').length - 1;
  test.ok(printed <= lines && outcome.stderr.endsWith('\n'), `at most ${lines} whole lines on stderr`, {
    stderr: outcome.stderr,
  });
}

/** Asserts that the program was not compiled: one error at `position` with source line and caret, and no output. */
export function assertNotCompiled(test: Test, outcome: Outcome, position: string, message: RegExp): void {
  assertRefused(test, outcome, 2, message, { lines: 6 });
  test.ok(new RegExp(`\\bapp\\.svc:${position}\\b`).test(outcome.stderr), `the error is at ${position}`, {
    stderr: outcome.stderr,
  });
  test.equal(outcome.stderr.match(/app\.svc:\d/g)?.length, 1, 'one message', { stderr: outcome.stderr });
}

/** The message with which the bytes of an artefact are refused, or null if they are accepted. */
export function artefactProblem(bytes: Buffer): string | null {
  try {
    readArtefact('app.svcb', bytes, libraryNames());
    return null;
  } catch (error) {
    if (error instanceof LoadError && error.exitCode === 3) return error.message;
    throw error;
  }
}
