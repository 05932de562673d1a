/** Messages between the main thread and a thread that holds one connection. */
import type { RowLimits } from '../driver.js';

/** Values as they travel. Integers are bigints, so that floating-point numbers stay what they are. */
export type Wire = null | bigint | number | string | Uint8Array;

/** How values of a column are read, by the column's declared type; null: as they are. */
export type ColumnKind = 'boolean' | 'date' | 'decimal' | 'json' | null;

export type LibraryName = 'node:sqlite' | 'libsql';

/** What a thread is started with. */
export interface ConnectionSettings {
  readonly library: LibraryName;
  /** Absolute path, or ":memory:". */
  readonly path: string;
  /** "readonly" opens the file without the right to write; "read" is a reader beside a writer; "lock" locks a file. */
  readonly access: 'write' | 'read' | 'readonly' | 'lock';
  readonly durable: boolean;
  readonly limits: RowLimits;
}

/** What the thread of a connection is started with. */
export interface ThreadSettings extends ConnectionSettings {
  /** Whether libsql may not have opened a connection in this process. */
  readonly isFirst: boolean;
}

export type RequestKind =
  /** Runs one statement. */
  | 'run'
  /** Runs one statement whose rows are asked for with "next". */
  | 'open'
  | 'next'
  | 'close'
  /** Runs several statements without parameters. */
  | 'script'
  /** Runs one statement for each of many rows. */
  | 'many'
  /** Runs a statement that ends the transaction, after closing the cursors that were opened in it. */
  | 'end';

export interface Request {
  readonly id: number;
  readonly kind: RequestKind;
  readonly sql: string;
  readonly params: readonly Wire[];
  /** Whether the statement certainly writes nothing. */
  readonly reads: boolean;
  /** Whether the statement may share a COMMIT with its neighbours. */
  readonly grouped: boolean;
  /** Whether the request belongs to a transaction, without which it must not run. */
  readonly inside: boolean;
  readonly cursor: number;
  readonly rows: readonly (readonly Wire[])[] | null;
}

export interface ToConnection {
  /** Requests, written by `RequestWriter`. */
  readonly requests: readonly unknown[];
  readonly cancelled: readonly number[];
  /** Number of heavy messages that have been received since the last message. */
  readonly received: number;
  /** Number of requests without an answer, with those of this message. */
  readonly load: number;
  readonly close: boolean;
}

/** An error of SQLite, or of ours if the code is 0. */
export interface Fault {
  readonly code: number;
  readonly message: string;
}

/** Code of the fault of a cancelled request. */
export const CANCELLED = -1;

/** Code of the fault of a request whose rows are larger than the limits. */
export const TOO_LARGE = -2;

/** The columns of a statement: the same object for each of its answers, so that it travels once. */
export interface Header {
  readonly columns: readonly string[];
  readonly kinds: readonly ColumnKind[] | null;
}

/** What a request came to, or a part of it. */
export interface Part {
  readonly header: Header | null;
  readonly rows: Wire[][] | null;
  /** Whether further parts follow. */
  readonly more: boolean;
  readonly changes: number;
  readonly lastId: bigint | null;
  /** Whether the cursor may have more rows. */
  readonly rest: boolean;
}

/** A part of nothing. */
export const NOTHING: Part = { header: null, rows: null, more: false, changes: 0, lastId: null, rest: false };

/** A part of the answer to a request, or its fault. */
export interface Answer extends Part {
  readonly id: number;
  readonly fault: Fault | null;
}

export interface FromConnection {
  /** Answers, written by `AnswerWriter`. */
  readonly answers: readonly unknown[];
  /** Milliseconds of work since the last message. */
  readonly ms: number;
  /** Whether the receiver must report that it received the message. */
  readonly heavy: boolean;
  /** Version of the schema that the statements found; null before the first one. */
  readonly schema: number | null;
  /** Set in the first message of a thread: whether the connection could be opened. */
  readonly opened: { readonly fault: Fault | null } | null;
}
