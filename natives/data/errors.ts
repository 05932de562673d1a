import { ErrorValue, type ErrorType, Errors, SvcError } from '../../vm/values/error.js';
import { methodsOf } from '../core/declare.js';
import type { Value } from '../../vm/values/value.js';
import { type FailureKind, type SqlFailure } from './driver.js';

const TYPES: Readonly<Record<Exclude<FailureKind, 'cancelled'>, ErrorType>> = {
  database: Errors.DatabaseError,
  constraint: Errors.ConstraintError,
  serialization: Errors.SerializationError,
  connection: Errors.ConnectionError,
  type: Errors.TypeError,
  memory: Errors.MemoryError,
  timeout: Errors.TimeoutError,
  closed: Errors.DatabaseError,
};

/** Codes of SQLite for files that cannot be opened, whatever the statement is. */
const OF_FILE = /^SQLITE_(?:CANTOPEN|NOTADB)/;

/** Characters of a statement that a message shows. */
const SHOWN = 100;

/** The statement on one line, shortened, beginning a little before character `position`. */
function shown(sql: string, position: number): string {
  const start = position > SHOWN / 2 ? position - SHOWN / 4 : 0;
  const part = sql
    .slice(start, start + 2 * SHOWN)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const text = part.length > SHOWN ? part.slice(0, SHOWN) : part;
  return `${start > 0 ? '…' : ''}${text}${start + text.length < sql.trim().length && part.length > SHOWN ? '…' : ''}`;
}

/**
 * The error of the language for a failed operation. `sql` is the text that the engine read, `written` that of the
 * program; neither has values of parameters.
 */
export function databaseError(failure: SqlFailure, sql: string, written = sql): SvcError {
  const { kind, code, violation, position } = failure;
  const ofStatement = kind === 'database' && code !== '' && sql !== '' && !OF_FILE.test(code);
  const message = ofStatement ? `${failure.message} in: ${shown(sql, position)}` : failure.message;
  const value = new ErrorValue(kind === 'cancelled' ? Errors.DatabaseError : TYPES[kind], message);
  value.details = {
    code: code === '' ? null : code,
    sql: written === '' ? null : written,
    ...(violation === null
      ? {}
      : {
          kind: violation.kind,
          table: violation.table,
          columns: [...violation.columns],
          constraint: violation.constraint,
        }),
  };
  return new SvcError(value);
}

/** An attribute of an error; nil for errors that do not have it. */
function detail(name: string): (_vm: unknown, error: ErrorValue) => Value {
  return (_vm, { details }) => details?.[name] ?? null;
}

/** Attributes of the errors of databases. */
// prettier-ignore
export const databaseErrorMethods = methodsOf('Error', [
  ['sql', '', 'String?', 'The statement that a database refused, without the values of its parameters.', detail('sql')],
  ['kind', '', 'String?', 'The rule that a row violates: "unique", "foreign", "check" or "not null".', detail('kind')],
  ['table', '', 'String?', 'The table of a violated rule, if the database tells.', detail('table')],
  ['columns', '', 'Vector?', 'Names of the columns of a violated rule.', (vm, error: ErrorValue) => detail('columns')(vm, error)],
  ['constraint', '', 'String?', 'The name of the violated rule, if the database tells.', detail('constraint')],
]);
