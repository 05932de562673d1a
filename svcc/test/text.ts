import { visible } from '../../vm/values/text/visible.js';
import { type FailureRecord, type FileResult, hasFailed, type TestRecord } from './protocol.js';

/** The whole name of a test. */
export function titleOf({ names }: Pick<TestRecord, 'names'>): string {
  return visible(names.join(' › '));
}

/** What went wrong, in a line or more. */
export function messageOf({ phase, type, message }: FailureRecord): string {
  const text = type === '' || type === 'AssertionError' ? message : `${type}: ${message}`;
  return phase === 'test' ? text : `${phase}: ${text}`;
}

/** Where it went wrong, as `file:line`; empty if that is unknown. */
export function placeOf({ trace }: FailureRecord): string {
  return trace.length === 0 ? '' : `${trace[0].file}:${trace[0].line}`;
}

/** What the marks of differing lines mean. */
export const LEGEND = '- expected  + actual';

/** The lines that explain a failure after its message: values, source, backtrace. */
export function detailsOf(failure: FailureRecord): string[] {
  const { diff, source, trace } = failure;
  return [
    ...(diff.length === 0 ? [] : [LEGEND, ...diff.map(({ mark, text }) => `${mark} ${text}`)]),
    ...source,
    ...trace.map(({ file, line, name }) => `  ${file}:${line} in ${name}`),
  ];
}

/** Counts of tests and files. */
export interface Summary {
  passed: number;
  failed: number;
  skipped: number;
  /** Files that failed apart from their tests. */
  broken: number;
  files: number;
  filtered: number;
}

export function summaryOf(results: readonly FileResult[]): Summary {
  const summary: Summary = { passed: 0, failed: 0, skipped: 0, broken: 0, files: results.length, filtered: 0 };
  for (const { tests, problem, filtered } of results) {
    if (problem !== null) summary.broken++;
    summary.filtered += filtered;
    for (const { failures, skipped } of tests)
      if (failures.length > 0) summary.failed++;
      else if (skipped !== null) summary.skipped++;
      else summary.passed++;
  }
  return summary;
}

/** The command that repeats a failure under its seed; null for files that passed or ran without seeds. */
export function repeatOf(result: FileResult): string | null {
  const { file, seed, doc } = result;
  if (seed === null || !hasFailed(result)) return null;
  return `SVC_CLOCK=virtual SVC_SEED=${seed} svcc test ${doc ? '--doc ' : ''}${file}`;
}

/** `1 test`, `2 tests`. */
export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
