/** Errors of jobs, as they are logged and stored. */
import type { Thrown } from '../../vm/fibers/fiber.js';
import { Errors, errorOf, type ErrorValue, type SvcError, Signal } from '../../vm/values/error.js';
import { visible } from '../../vm/values/text/visible.js';

/** Maximum characters stored of an error with its backtrace. */
const MAX_STORED = 8000;
/** Maximum seconds before the next attempt. */
const MAX_DELAY = 3600;
/** Fraction by which the wait is randomly longer or shorter. */
const JITTER = 0.2;

/** Returns the milliseconds between a failed attempt and the next one: min(2^attempt, 3600) seconds ± 20 %. */
export function delayAfter(attempt: number, random: number): number {
  return Math.round(Math.min(2 ** attempt, MAX_DELAY) * 1000 * (1 - JITTER + 2 * JITTER * random));
}

/** The error that ended a job. */
export function errorOfJob(error: Thrown): SvcError {
  return error instanceof Signal
    ? errorOf(Errors.RuntimeError, `${error.kind}() in a job: it belongs in a request handler or in the program itself`)
    : error;
}

/** Returns type, message, backtrace and causes of an error, as a text of at most MAX_STORED characters. */
export function storedText(error: ErrorValue): string {
  const parts: string[] = [];
  for (let e: ErrorValue | null = error; e !== null; e = e.cause) {
    parts.push(`${e === error ? '' : 'caused by '}${e.type.name}: ${visible(e.message)}`);
    for (const { file, line, name } of e.trace ?? []) parts.push(`  ${file}:${line} in ${name}`);
  }
  // PostgreSQL stores no NUL.
  const text = parts.join('\n').replaceAll('\0', '');
  return text.length <= MAX_STORED ? text : `${text.slice(0, MAX_STORED)}…`;
}
