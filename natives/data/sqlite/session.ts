import {
  type Cancellation,
  type ColumnInfo,
  type Cursor,
  type Result,
  type Session,
  SqlFailure,
  type Statement,
} from '../driver.js';
import { columnsOf, tablesOf } from './catalogue.js';
import { ArrayCursor } from './cursor.js';
import type { Job, Wish } from './job.js';
import { wishFor } from './statement.js';

/** Runs statements as requests. Subclasses choose the thread that answers them. */
export abstract class SqliteSession implements Session {
  /** @param isInside whether the session is a transaction */
  constructor(private readonly isInside: boolean) {}

  /** Sends a request. @throws SqlFailure if the session has ended */
  protected abstract send(wish: Wish, cancel: Cancellation): Job;

  /** Sends the request of a statement that reads, and returns its first rows and a place for the rest. */
  protected abstract cursor(wish: Wish, cancel: Cancellation): Promise<Cursor>;

  run(statement: Statement, cancel: Cancellation): Promise<Result> {
    // Not an async function, which would make one more promise for each statement.
    try {
      const job = this.send(wishFor('run', statement, this.isInside), cancel);
      job.sink = statement.sink ?? null;
      return job.promise;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async open(statement: Statement, cancel: Cancellation): Promise<Cursor> {
    const wish = wishFor('open', statement, this.isInside);
    if (wish.reads) return this.cursor(wish, cancel);
    // A statement that writes runs to its end first.
    return new ArrayCursor(await this.send({ ...wish, kind: 'run' }, cancel).promise);
  }

  async script(sql: string, cancel: Cancellation): Promise<number> {
    if (sql.includes('\0')) throw new SqlFailure('database', 'the script contains a NUL character');
    return (await this.send({ kind: 'script', sql, inside: this.isInside }, cancel).promise).changes;
  }

  tables(cancel: Cancellation): Promise<string[]> {
    return tablesOf((statement) => this.run(statement, cancel));
  }

  columns(table: string, cancel: Cancellation): Promise<ColumnInfo[]> {
    return columnsOf((statement) => this.run(statement, cancel), table);
  }
}
