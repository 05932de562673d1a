import type { Outcome } from '#embed';
import type { ExpectedCompileError, ExpectedError, Expectations } from './program.js';

/** Two texts, equal if the outcome is as expected. Their difference shows what is wrong. */
export interface Comparison {
  actual: string;
  expected: string;
}

/** Compares a run of the program `file` (a name without folders) with its expectations. */
export function compare(file: string, expected: Expectations, outcome: Outcome): Comparison {
  const complaints = stderrComplaints(file, expected, outcome.stderr);
  return {
    actual: render(outcome.exitCode, linesOf(outcome.stdout), [
      ...complaints,
      ...(complaints.length > 0 ? [outcome.stderr] : []),
    ]),
    expected: render(expectedExitCode(expected), expected.stdout, []),
  };
}

/** Compares the output of a run with a text. */
export function compareExactly(stdout: string, outcome: Outcome): Comparison {
  const complaints = outcome.stderr === '' ? [] : ['stderr should be empty:', outcome.stderr];
  return {
    actual: render(outcome.exitCode, outcome.stdout.split('\n'), complaints),
    expected: render(0, stdout.split('\n'), []),
  };
}

function render(exitCode: number, stdout: string[], complaints: string[]): string {
  return [`exit code ${exitCode}`, ...stdout.map((line) => `| ${line}`), ...complaints].join('\n');
}

function linesOf(stdout: string): string[] {
  return stdout === '' ? [] : stdout.replace(/\n$/, '').split('\n');
}

function expectedExitCode({ exitCode, error, compileErrors }: Expectations): number {
  if (exitCode !== null) return exitCode;
  if (compileErrors.length > 0) return 2;
  return error === null ? 0 : 1;
}

function stderrComplaints(file: string, expected: Expectations, shown: string): string[] {
  // Errors show their source line, whose comment would satisfy the expectations in it.
  const stderr = shown.replaceAll(/# expect\b.*/g, '');
  const { error, compileErrors } = expected;
  const complaints = expected.stderr.filter((part) => !stderr.includes(part)).map((part) => `stderr lacks: ${part}`);
  if (error !== null) complaints.push(...errorComplaints(file, error, stderr));
  for (const compileError of compileErrors) complaints.push(...compileErrorComplaints(file, compileError, stderr));
  if (/\bat .*\.[cm]?[jt]s:\d+|node:internal/.test(stderr)) complaints.push('stderr shows a JavaScript stack:');
  const silent = error === null && compileErrors.length === 0 && expected.stderr.length === 0;
  if (silent && stderr !== '') complaints.push('stderr should be empty:');
  return complaints;
}

function errorComplaints(file: string, { line, type, message }: ExpectedError, stderr: string): string[] {
  const complaints = [];
  if (!new RegExp(`\\b${type}\\b\\W*${escape(message)}`).test(stderr))
    complaints.push(`stderr lacks the error: ${type} ${message}`);
  const reported = new RegExp(`${escape(file)}:(\\d+)`).exec(stderr)?.[1] ?? 'none';
  if (reported !== String(line))
    complaints.push(`the error should be in line ${line}, the first one reported is ${reported}`);
  return complaints;
}

function compileErrorComplaints(file: string, { position, message }: ExpectedCompileError, stderr: string): string[] {
  const complaints = [];
  if (!new RegExp(`${escape(file)}:${position || '\\d+'}(?!\\d)`).test(stderr))
    complaints.push(`stderr lacks a compile error at ${position || file}`);
  if (!stderr.includes(message)) complaints.push(`stderr lacks: ${message}`);
  return complaints;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
