import { type FailureKind, SqlFailure, type Violation } from '../driver.js';
import { CANCELLED, type Fault, TOO_LARGE } from './protocol.js';

/** Names of SQLite's primary result codes (https://sqlite.org/rescode.html), by number. */
// prettier-ignore
const PRIMARY = [
  'OK', 'ERROR', 'INTERNAL', 'PERM', 'ABORT', 'BUSY', 'LOCKED', 'NOMEM', 'READONLY', 'INTERRUPT', 'IOERR', 'CORRUPT',
  'NOTFOUND', 'FULL', 'CANTOPEN', 'PROTOCOL', 'EMPTY', 'SCHEMA', 'TOOBIG', 'CONSTRAINT', 'MISMATCH', 'MISUSE', 'NOLFS',
  'AUTH', 'FORMAT', 'RANGE', 'NOTADB',
];

/** Names of the extended codes of a primary code; the number of a code is its index plus one, times 256. */
// prettier-ignore
const EXTENDED: Readonly<Record<string, readonly string[]>> = {
  ERROR: ['MISSING_COLLSEQ', 'RETRY', 'SNAPSHOT'],
  ABORT: ['', 'ROLLBACK'],
  BUSY: ['RECOVERY', 'SNAPSHOT', 'TIMEOUT'],
  LOCKED: ['SHAREDCACHE', 'VTAB'],
  READONLY: ['RECOVERY', 'CANTLOCK', 'ROLLBACK', 'DBMOVED', 'CANTINIT', 'DIRECTORY'],
  IOERR: [
    'READ', 'SHORT_READ', 'WRITE', 'FSYNC', 'DIR_FSYNC', 'TRUNCATE', 'FSTAT', 'UNLOCK', 'RDLOCK', 'DELETE', 'BLOCKED',
    'NOMEM', 'ACCESS', 'CHECKRESERVEDLOCK', 'LOCK', 'CLOSE', 'DIR_CLOSE', 'SHMOPEN', 'SHMSIZE', 'SHMLOCK', 'SHMMAP',
    'SEEK', 'DELETE_NOENT', 'MMAP', 'GETTEMPPATH', 'CONVPATH', 'VNODE', 'AUTH', 'BEGIN_ATOMIC', 'COMMIT_ATOMIC',
    'ROLLBACK_ATOMIC', 'DATA', 'CORRUPTFS', 'IN_PAGE',
  ],
  CORRUPT: ['VTAB', 'SEQUENCE', 'INDEX'],
  CANTOPEN: ['NOTEMPDIR', 'ISDIR', 'FULLPATH', 'CONVPATH', 'DIRTYWAL', 'SYMLINK'],
  CONSTRAINT: [
    'CHECK', 'COMMITHOOK', 'FOREIGNKEY', 'FUNCTION', 'NOTNULL', 'PRIMARYKEY', 'TRIGGER', 'UNIQUE', 'VTAB', 'ROWID',
    'PINNED', 'DATATYPE',
  ],
};

/** Name of a result code, such as SQLITE_CONSTRAINT_UNIQUE; empty for 0. */
function codeName(code: number): string {
  if (code <= 0) return '';
  const primary = PRIMARY[code & 0xff] ?? `ERROR ${code}`;
  const extended = EXTENDED[primary]?.[(code >> 8) - 1];
  return `SQLITE_${primary}${extended ? `_${extended}` : ''}`;
}

/** "t.a, t.b": a table and its columns; "index 'name'" for an index on expressions. */
function unique(what: string): Violation {
  const index = /^index '(.*)'$/.exec(what);
  if (index !== null) return { kind: 'unique', table: null, columns: [], constraint: index[1] };
  return { kind: 'unique', ...tableAndColumns(what), constraint: null };
}

function tableAndColumns(what: string): { table: string | null; columns: string[] } {
  const names = what.split(', ');
  const dot = names[0]?.lastIndexOf('.') ?? -1;
  if (dot < 0) return { table: null, columns: names };
  return { table: what.slice(0, dot), columns: names.map((name) => name.slice(dot + 1)) };
}

/** Reads which constraint a message of SQLite names. */
function violationOf(message: string): Violation | null {
  const [, kind, what = ''] = /^(UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed(?:: (.*))?$/s.exec(message) ?? [];
  switch (kind) {
    case 'UNIQUE':
      return unique(what);
    case 'NOT NULL':
      return { kind: 'not null', ...tableAndColumns(what), constraint: null };
    case 'CHECK':
      return { kind: 'check', table: null, columns: [], constraint: what };
    case 'FOREIGN KEY':
      return { kind: 'foreign', table: null, columns: [], constraint: null };
    default:
      return null;
  }
}

const SERIALIZATION = new Set(['SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED_SHAREDCACHE', 'SQLITE_BUSY_RECOVERY']);

function kindOf(name: string): FailureKind {
  if (SERIALIZATION.has(name)) return 'serialization';
  return name.startsWith('SQLITE_CONSTRAINT') ? 'constraint' : 'database';
}

export function failureOf({ code, message }: Fault): SqlFailure {
  if (code === CANCELLED) return cancelled();
  if (code === TOO_LARGE) return new SqlFailure('memory', message);
  const name = codeName(code);
  const kind = kindOf(name);
  return new SqlFailure(kind, message, name, kind === 'constraint' ? violationOf(message) : null);
}

export function cancelled(): SqlFailure {
  return new SqlFailure('cancelled', 'the statement was cancelled');
}
