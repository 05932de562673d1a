import type { ErrorValue, TraceLine } from '../../vm/values/error.js';
import { methodsOf } from './declare.js';

function traceText({ file, line, name }: TraceLine): string {
  return `${file}:${line} in ${name}`;
}

function backtrace({ trace }: ErrorValue): string[] {
  return (trace ?? []).map(traceText);
}

/** Type, message and backtrace, and those of the causes. There is no cycle: a cause exists before its error. */
function fullMessage(error: ErrorValue): string {
  const lines = [`${error.type.name}: ${error.message}`, ...backtrace(error).map((line) => `  ${line}`)];
  for (let { cause } = error; cause !== null; { cause } = cause)
    lines.push(`caused by ${cause.type.name}: ${cause.message}`, ...backtrace(cause).map((line) => `  ${line}`));
  return lines.join('\n');
}

/** Methods of errors. In all others an error behaves like its message. */
// prettier-ignore
export const errorMethods = methodsOf('Error', [
  ['message', '', 'String', 'What happened.', (_: unknown, error: ErrorValue) => error.message],
  ['type', '', 'String', 'Name of the error’s type.', (_: unknown, error: ErrorValue) => error.type.name],
  ['code', '', 'String?', 'What went wrong, for programs. Database errors: SQLSTATE, or SQLite’s name such as `SQLITE_CONSTRAINT_UNIQUE`; JwtError, MailError and OidcError: a word. nil for other errors.', (_: unknown, error: ErrorValue) => error.details?.code ?? null],
  ['line', '', 'Integer?', 'Source line that raised the error.', (_: unknown, error: ErrorValue) => error.trace?.[0]?.line ?? null],
  ['file', '', 'String?', 'File that raised the error.', (_: unknown, error: ErrorValue) => error.trace?.[0]?.file ?? null],
  ['backtrace', '', 'Vector', 'The calls that led to the error, innermost first, as `file:line in name`.', (_: unknown, error: ErrorValue) => backtrace(error)],
  ['cause', '', 'Error?', 'The error that was being rescued when this one was raised.', (_: unknown, error: ErrorValue) => error.cause],
  ['full_message', '', 'String', 'Type, message and backtrace, with those of the causes.', (_: unknown, error: ErrorValue) => fullMessage(error)],
]);
