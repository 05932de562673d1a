import { type ErrorValue, Signal, type SvcError, type TraceLine } from '../vm/values/error.js';
import { visible } from '../vm/values/text/visible.js';

/** Returns the text of a source file; null if it is not available. */
export type SourceLookup = (path: string) => string | null;

/** Number of repetitions of a line of a backtrace from which they are left out. */
const FOLDED = 3;

/** A source line with a caret under `column`: two lines of text, or none if the source has no such line. */
export function sourceFrame(text: string, line: number, column: number): string[] {
  const source = text.split('\n', line)[line - 1];
  if (source === undefined || line < 1) return [];
  const number = String(line);
  const start = Math.max(0, column - 60);
  const shown = source
    .slice(start, start + 120)
    .replace(/\r$/, '')
    .replaceAll('\t', ' ');
  return [`  ${number} | ${shown}`, `  ${' '.repeat(number.length)} | ${' '.repeat(Math.max(0, column - 1 - start))}^`];
}

/**
 * Formats an uncaught error: type and message, source line with a caret, backtrace, causes. Never shows a JavaScript
 * stack.
 */
export function describeError(error: SvcError | Signal, source: SourceLookup): string {
  if (error instanceof Signal) return error.kind === 'halt' ? 'RuntimeError: halt() outside a request\n' : '';
  return describeValue(error.value, source, '');
}

function describeValue(error: ErrorValue, source: SourceLookup, prefix: string): string {
  const trace = error.trace ?? [];
  const [first] = trace;
  const lines = [`${prefix}${error.type.name}: ${visible(error.message)}`];
  if (first !== undefined) {
    const text = source(first.file);
    if (text !== null) lines.push(...sourceFrame(text, first.line, first.column));
  }
  lines.push(...folded(trace.map(traceText)));
  const cause = error.cause === null ? '' : describeValue(error.cause, source, 'caused by ');
  return `${lines.join('\n')}\n${cause}`;
}

/** Lines with runs of equal ones, as recursion leaves, shortened to the first. */
function folded(lines: readonly string[]): string[] {
  const shown: string[] = [];
  for (let at = 0; at < lines.length;) {
    let end = at + 1;
    while (lines[end] === lines[at]) end++;
    const more = end - at - 1;
    if (more < FOLDED) shown.push(...lines.slice(at, end));
    else shown.push(lines[at], '  … the same line repeats');
    at = end;
  }
  return shown;
}

function traceText({ file, line, name }: TraceLine): string {
  return `  ${file}:${line} in ${name}`;
}
