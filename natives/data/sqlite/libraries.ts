/** The two libraries that contain SQLite, as one interface. Only the threads that hold connections load them. */
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import type { ConnectionSettings, ThreadSettings, Wire } from './protocol.js';

export interface Column {
  readonly name: string;
  /** The declared type; null for an expression. */
  readonly type: string | null;
}

export interface Changes {
  readonly changes: number;
  readonly lastId: bigint;
}

export interface Prepared {
  /** Columns of the rows; empty for a statement that returns none. */
  columns(): Column[];
  /** Runs a statement that returns no rows. */
  run(params: readonly Wire[]): Changes | Promise<Changes>;
  rows(params: readonly Wire[]): Iterator<Wire[]> | Promise<Iterator<Wire[]>>;
  /** The only row of a statement that certainly takes no time, in a vector; null if the statement may take long. */
  row(params: readonly Wire[]): Wire[][] | null;
  /** Ends the statement before its last row. `alone`: whether no other statement of the connection has rows left. */
  reset(rows: Iterator<Wire[]>, alone: boolean): void;
}

export interface Library {
  prepare(sql: string): Prepared | Promise<Prepared>;
  exec(sql: string): void | Promise<void>;
  isInTransaction(): boolean;
  /** Ends the running statement, if the library can do so. */
  interrupt(): void;
  close(): void;
}

const load = createRequire(import.meta.url) as (name: string) => unknown;

interface NodeStatement {
  columns(): { name: string; type: string | null }[];
  run(...params: readonly Wire[]): { changes: bigint | number; lastInsertRowid: bigint | number };
  iterate(...params: readonly Wire[]): Iterator<Wire[]>;
  setReadBigInts(enabled: boolean): void;
  setReturnArrays?(enabled: boolean): void;
}

interface NodeDatabase {
  prepare(sql: string): NodeStatement;
  exec(sql: string): void;
  close(): void;
  readonly isTransaction?: boolean;
}

type NodeDatabaseClass = new (path: string, options: { readOnly: boolean }) => NodeDatabase;

/** Arrays of the values of rows, for versions of Node.js whose statements return objects only. */
function* arrays(rows: Iterator<Wire[]>): Iterator<Wire[]> {
  for (let row = rows.next(); row.done !== true; row = rows.next()) yield Object.values(row.value);
}

/**
 * The same parameters, if texts among them come back whole: libsql cuts them at a NUL, and so does Node.js 22 when it
 * reads. @throws Error for a text with NUL
 */
function storable(params: readonly Wire[]): readonly Wire[] {
  for (const value of params)
    if (typeof value === 'string' && value.includes('\0'))
      throw new Error('SQLite cannot store a text that contains NUL; use Bytes');
  return params;
}

/** No bytes, in memory that has an address: Node.js 22 stores NULL for an empty blob that came from another thread. */
const NO_BYTES = new Uint8Array(new ArrayBuffer(1), 0, 0);

/** Parameters as `node:sqlite` takes them. @throws Error for a text with NUL */
function bindable(params: readonly Wire[]): readonly Wire[] {
  return storable(params).map((value) => (value instanceof Uint8Array && value.length === 0 ? NO_BYTES : value));
}

class NodePrepared implements Prepared {
  constructor(private readonly statement: NodeStatement) {
    statement.setReadBigInts(true);
    statement.setReturnArrays?.(true);
  }

  columns(): Column[] {
    return this.statement.columns().map(({ name, type }) => ({ name, type }));
  }

  run(params: readonly Wire[]): Changes {
    const { changes, lastInsertRowid } = this.statement.run(...bindable(params));
    return { changes: Number(changes), lastId: BigInt(lastInsertRowid) };
  }

  rows(params: readonly Wire[]): Iterator<Wire[]> {
    const rows = this.statement.iterate(...bindable(params));
    return this.statement.setReturnArrays === undefined ? arrays(rows) : rows;
  }

  row(): null {
    return null;
  }

  reset(rows: Iterator<Wire[]>): void {
    rows.return?.();
  }
}

class NodeLibrary implements Library {
  private readonly database: NodeDatabase;

  constructor({ path, access }: ConnectionSettings) {
    const { DatabaseSync } = load('node:sqlite') as { DatabaseSync: NodeDatabaseClass };
    this.database = new DatabaseSync(path, { readOnly: access === 'readonly' });
  }

  prepare(sql: string): Prepared {
    return new NodePrepared(this.database.prepare(sql));
  }

  exec(sql: string): void {
    this.database.exec(sql);
  }

  isInTransaction(): boolean {
    return this.database.isTransaction ?? this.refusesBegin();
  }

  /** For versions of Node.js that do not say whether a transaction is open. */
  private refusesBegin(): boolean {
    try {
      this.database.exec('BEGIN');
    } catch {
      return true;
    }
    this.database.exec('ROLLBACK');
    return false;
  }

  interrupt(): void {}

  close(): void {
    this.database.close();
  }
}

interface LibsqlStatement {
  columns(): { name: string; type: string | null }[];
  run(params: readonly Wire[]): { changes: number; lastInsertRowid: number };
  get(params: readonly Wire[]): Wire[] | undefined;
  iterate(params: readonly Wire[]): Promise<Iterator<Wire[]>>;
  raw(enabled: boolean): this;
  safeIntegers(enabled: boolean): this;
}

interface LibsqlDatabase {
  prepare(sql: string): Promise<LibsqlStatement>;
  exec(sql: string): Promise<void>;
  interrupt(): void;
  close(): void;
  readonly inTransaction: boolean;
}

/** Plans of statements that touch one row at most, which is not worth another thread. */
const POINT = /^(?:SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid=\?\)|SCAN CONSTANT ROW)$/;

/** Statements that are short without a plan. */
const CONTROL = /^(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA schema_version$)/;

/** Rows of an EXPLAIN. libsql leaves it unfinished, so that no COMMIT is possible, unless it is reset. */
async function explained(statement: LibsqlStatement): Promise<Wire[][]> {
  const rows = await statement.raw(true).iterate([]);
  const lines = [...{ [Symbol.iterator]: () => rows }];
  statement.get([]);
  return lines;
}

/**
 * A statement of libsql. Short statements run on this thread; others take their first step, which is all of a
 * statement that writes, on a thread of libsql's, so that `interrupt` can end them.
 */
class LibsqlPrepared implements Prepared {
  constructor(
    private readonly statement: LibsqlStatement,
    private readonly library: LibsqlLibrary,
    private readonly sql: string,
    private readonly isShort: boolean,
  ) {}

  columns(): Column[] {
    return this.statement.columns().map(({ name, type }) => ({ name, type }));
  }

  async run(params: readonly Wire[]): Promise<Changes> {
    if (this.isShort) this.statement.run(storable(params));
    // An error comes from the first step, not from the iterator.
    else (await this.statement.iterate(storable(params))).next();
    const { changes, lastId } = await this.library.changes();
    // SQLite keeps the number of the statement before one that cannot change rows.
    return { changes: /^\W*(?:insert|replace|update|delete|with)\b/i.test(this.sql) ? changes : 0, lastId };
  }

  rows(params: readonly Wire[]): Iterator<Wire[]> | Promise<Iterator<Wire[]>> {
    if (/^\s*explain\b/i.test(this.sql)) return explained(this.statement).then((rows) => rows.values());
    return this.row(params)?.values() ?? this.statement.iterate(storable(params));
  }

  row(params: readonly Wire[]): Wire[][] | null {
    if (!this.isShort) return null;
    const row = this.statement.get(storable(params));
    return row === undefined ? [] : [row];
  }

  reset(rows: Iterator<Wire[]>, alone: boolean): void {
    if (this.isShort) return;
    // One more step resets the statement: an interrupted one takes no time, but interrupts all others as well.
    if (alone) this.library.interrupt();
    try {
      if (alone) while (rows.next().done !== true);
      else this.statement.get([]);
    } catch {
      // The interruption.
    }
  }
}

/**
 * Descriptors that must be free when libsql opens its first connection in a process. It takes six for good, and ends the
 * process if it does not get them; two are for other threads that open files at the same time.
 */
const FIRST_DESCRIPTORS = 8;

/** @throws Error with the system's code if fewer descriptors are free */
function requireDescriptors(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

class LibsqlLibrary implements Library {
  private readonly database: LibsqlDatabase;
  private lastChanges: Promise<LibsqlStatement> | null = null;

  constructor({ path, access, isFirst }: ThreadSettings) {
    const Database = load('libsql/promise') as new (path: string) => LibsqlDatabase;
    if (isFirst) requireDescriptors(FIRST_DESCRIPTORS);
    const uri = `file:${path.split('/').map(encodeURIComponent).join('/')}?mode=ro`;
    this.database = new Database(access === 'readonly' ? uri : path);
  }

  async prepare(sql: string): Promise<Prepared> {
    const statement = await this.database.prepare(sql);
    const hasRows = statement.columns().length > 0;
    if (hasRows) statement.raw(true);
    statement.safeIntegers(true);
    return new LibsqlPrepared(statement, this, sql, await this.isShort(sql, hasRows));
  }

  /** Whether the statement inserts given values, or finds its rows by the rowid. */
  private async isShort(sql: string, hasRows: boolean): Promise<boolean> {
    if (CONTROL.test(sql)) return true;
    const [, verb = ''] = /^\s*(select|insert|update|delete)\b/i.exec(sql) ?? [];
    if ((verb.toLowerCase() === 'select') !== hasRows || verb === '') return false;
    if (verb.toLowerCase() === 'insert') return !/\bselect\b/i.test(sql);
    const lines = await explained(await this.database.prepare(`EXPLAIN QUERY PLAN ${sql}`));
    return lines.length === 1 && POINT.test(String(lines[0][3]));
  }

  async changes(): Promise<Changes> {
    this.lastChanges ??= this.database
      .prepare('SELECT changes(), last_insert_rowid()')
      .then((statement) => statement.raw(true).safeIntegers(true));
    const [changes, lastId] = (await this.lastChanges).get([]) as [bigint, bigint];
    return { changes: Number(changes), lastId };
  }

  exec(sql: string): Promise<void> {
    return this.database.exec(sql);
  }

  isInTransaction(): boolean {
    return this.database.inTransaction;
  }

  interrupt(): void {
    this.database.interrupt();
  }

  close(): void {
    this.database.close();
  }
}

export function openLibrary(settings: ThreadSettings): Library {
  return settings.library === 'libsql' ? new LibsqlLibrary(settings) : new NodeLibrary(settings);
}
