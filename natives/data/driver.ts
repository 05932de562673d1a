/**
 * The interface between the database functions of programs and the engines, SQLite and PostgreSQL. A driver knows no
 * values of the language and nothing of its threads.
 */

/** A point in time, in milliseconds since 1970. */
export class SqlDate {
  constructor(readonly ms: number) {}
}

/** A decimal number as text, without an exponent. */
export class SqlDecimal {
  constructor(readonly text: string) {}
}

/** A value as JSON text. */
export class SqlJson {
  constructor(readonly text: string) {}
}

/** What a column of SQLite that is declared JSON holds, which may be any text. */
export class SqlLooseJson extends SqlJson {}

/** A parameter that is an array or JSON, as its column wants it. What is made throws if a value has no such form. */
export class SqlVector {
  constructor(
    readonly elements: () => SqlValue[],
    readonly json: () => string,
  ) {}
}

/** Values of parameters and columns: integers are bigints, floating-point numbers are numbers. */
export type SqlValue =
  null | boolean | bigint | number | string | Uint8Array | SqlDate | SqlDecimal | SqlJson | SqlVector | SqlValue[];

/** Takes rows over as they arrive, so that they need not be kept until the last one is there. */
export interface RowSink {
  /** The answer begins, perhaps anew: what arrived before does not count. */
  begin(columns: readonly string[]): void;
  /** Takes a piece over; false if the result must keep it and those after it. */
  add(piece: readonly SqlValue[][]): boolean;
}

/** A statement with positional parameters, in the engine's own notation. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** Engines may pass it the first pieces of the result, which then lacks them. */
  readonly sink?: RowSink;
}

/** What a statement returned. `columns` is empty for one that returns no rows. */
export interface Result {
  readonly columns: readonly string[];
  /** Rows in pieces of at most PIECE rows, so that they can be handled in several turns of the event loop. */
  readonly pieces: readonly SqlValue[][][];
  /** Number of rows that the statement inserted, changed or deleted. */
  readonly changes: number;
  /** The rowid of the last inserted row; null if the engine has none. */
  readonly lastId: bigint | null;
}

/** Maximum number of rows in a piece. */
export const PIECE = 500;

/** Rows that are fetched while they are used. */
export interface Cursor {
  readonly columns: readonly string[];
  /** The next rows, at most PIECE; null at the end. Rejects with SqlFailure. */
  next(): Promise<SqlValue[][] | null>;
  /**
   * Ends the statement on the server; also after an error or the end, when it does nothing.
   * @param cancel ends the wait for it; without it, no thread waits
   */
  close(cancel?: Cancellation): Promise<void>;
}

/** Cancels an operation, which then rejects with a failure of kind "cancelled". */
export class Cancellation {
  private callback: (() => void) | null = null;
  isCancelled = false;
  /** Called when the operation begins or ends to wait until another one of this process returns a connection. */
  waitsInside: (isWaiting: boolean) => void = () => {};

  /** @param context for what the operation is done, mostly a request: where many wait, contexts take turns */
  constructor(readonly context: object | null = null) {}

  /** Calls `callback` when the operation is cancelled; it replaces the one set before. */
  onCancel(callback: (() => void) | null): void {
    this.callback = callback;
  }

  cancel(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.callback?.();
  }
}

/** A row to insert: values in the order of its columns. */
export type Row = readonly SqlValue[];

/** Rows to insert into a table. */
export interface Insertion {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: Iterable<Row>;
}

/** Runs statements: a database in autocommit mode, or a transaction. All operations reject with SqlFailure. */
export interface Session {
  /** Runs one statement and fetches all its rows. */
  run(statement: Statement, cancel: Cancellation): Promise<Result>;
  /** Runs one statement whose rows are fetched piece by piece. */
  open(statement: Statement, cancel: Cancellation): Promise<Cursor>;
  /** Runs any number of statements without parameters; resolves with the number of changed rows. */
  script(sql: string, cancel: Cancellation): Promise<number>;
  /** Names of the tables, in order of names; none of the engine's own. */
  tables(cancel: Cancellation): Promise<string[]>;
  /** The columns of a table, in their order; empty if there is no such table. */
  columns(table: string, cancel: Cancellation): Promise<ColumnInfo[]>;
}

/** Names of isolation levels. */
export const ISOLATIONS = ['read uncommitted', 'read committed', 'repeatable read', 'serializable'] as const;

export interface TransactionOptions {
  /** null: the engine's usual level. */
  readonly isolation: (typeof ISOLATIONS)[number] | null;
  readonly readonly: boolean;
}

export const USUAL_TRANSACTION: TransactionOptions = { isolation: null, readonly: false };

/** A transaction on a connection of its own. Nested ones are savepoints, which `transacting.ts` sets by statements. */
export interface Transaction extends Session {
  /** Inserts rows as fast as the engine can; resolves with their number. After a failure some of them may remain. */
  insertMany(insertion: Insertion, cancel: Cancellation): Promise<number>;
  /**
   * Ends the transaction and returns the connection. Rejects if the transaction could not be committed.
   * @param cancel asks the engine to roll back instead, if it can still do so; resolves if it could not
   */
  commit(cancel?: Cancellation): Promise<void>;
  /** Ends the transaction and returns the connection; never rejects: a connection that fails is discarded. */
  rollback(): Promise<void>;
}

/** A column of a table. */
export interface ColumnInfo {
  readonly name: string;
  /** Type as the engine writes it. */
  readonly type: string;
  readonly nullable: boolean;
  /** The default as SQL text, or null. */
  readonly fallback: string | null;
  readonly primary: boolean;
}

/** Gauges for metrics. */
export interface DriverStats {
  /** Open connections. */
  connections: number;
  /** Operations that wait for a connection. */
  waiting: number;
}

/** One database. It connects when it is first used. */
export interface Driver extends Session {
  readonly engine: 'sqlite' | 'postgres';
  /** Text of the database for messages, without a password. */
  readonly label: string;
  /** Called when another process may have changed tables, as far as the engine tells it. */
  onTablesChange: () => void;
  /** Begins a transaction; waits for a free connection for at most the `timeout` of the options. */
  begin(options: TransactionOptions, cancel: Cancellation): Promise<Transaction>;
  /** Runs `work` while no other process runs the same for this database. */
  locked<T>(name: string, work: () => Promise<T>): Promise<T>;
  stats(): DriverStats;
  /** Closes all connections; operations under way are rejected with kind "closed". */
  close(): Promise<void>;
  /**
   * Called when the program ends: ends statements that read, without an answer. Otherwise Node.js would end their
   * threads, and libsql ends the process with a message of its own if a statement fails in a thread that is being ended.
   */
  leave(): Promise<void>;
}

/** Limits of values and rows that arrive. */
export interface RowLimits {
  /** Maximum length of a text, in UTF-16 units, and of Bytes. */
  readonly maxValue: number;
  /** Maximum length of a row's texts together, in UTF-16 units, where the row cannot be refused before it arrives. */
  readonly maxRow: number;
}

/** The room that the process has for rows. V8 ends a process that has none. */
export interface RowRoom extends RowLimits {
  /** Whether memory has room for `bytes` more. Takes long if memory is short. */
  readonly fits: (bytes: number) => boolean;
}

export const UNLIMITED: RowRoom = { maxValue: Infinity, maxRow: Infinity, fits: () => true };

/** Options of `database`, checked. */
export interface DriverOptions {
  readonly readonly: boolean;
  /** Maximum number of connections for transactions. */
  readonly pool: number;
  /** Seconds to wait for a connection. */
  readonly timeout: number;
  /** SQLite: whether each commit reaches the disk before it is acknowledged (synchronous=FULL). */
  readonly durable: boolean;
  /** UNLIMITED if it is missing. */
  readonly room?: RowRoom;
}

/** Why an operation failed. */
export type FailureKind =
  /** The engine refused the statement, or could not run it. */
  | 'database'
  | 'constraint'
  /** A serialization failure or a deadlock: the same transaction may succeed when it runs again. */
  | 'serialization'
  /** The server could not be reached, or the connection broke. */
  | 'connection'
  /** A value has no counterpart in the language, or none in the type of a column. */
  | 'type'
  /** Rows do not fit into the memory of the process, or a value into one of the language. */
  | 'memory'
  /** No connection became free in time. */
  | 'timeout'
  | 'cancelled'
  | 'closed';

/** The parts of a violated constraint, as far as the engine tells. */
export interface Violation {
  readonly kind: 'unique' | 'foreign' | 'check' | 'not null';
  readonly table: string | null;
  readonly columns: readonly string[];
  readonly constraint: string | null;
}

/** A failed operation. The message is for programs: no password, no values of parameters, the engine's own words. */
export class SqlFailure extends Error {
  /**
   * @param code SQLSTATE, or SQLite's extended code such as `SQLITE_CONSTRAINT_UNIQUE`; empty for failures of the driver
   * @param position index of the character of the statement at which the engine stopped reading, or −1
   */
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly code = '',
    readonly violation: Violation | null = null,
    readonly position = -1,
  ) {
    super(message);
  }
}

/** SQLSTATE of a statement on a table that PostgreSQL does not have. */
const UNDEFINED_TABLE = '42P01';

/** SQLSTATE of a statement that names a column that PostgreSQL does not have. */
const UNDEFINED_COLUMN = '42703';

/** Whether a statement was refused, and so had no effect, because it names a column that does not exist. */
export function lacksColumn({ code, message }: SqlFailure): boolean {
  return code === UNDEFINED_COLUMN || (code === 'SQLITE_ERROR' && message.includes('no such column'));
}

/** Whether PostgreSQL refused a statement because it has no such table, as after a loss of its data. */
export function lacksTable(failure: unknown): boolean {
  return failure instanceof SqlFailure && failure.code === UNDEFINED_TABLE;
}
