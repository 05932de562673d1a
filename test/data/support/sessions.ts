/** Short forms of what tests do with databases and transactions. */
import { insertMany } from '../../../natives/data/inserting.js';
import {
  Cancellation,
  type Cursor,
  type Driver,
  type Row,
  type Session,
  SqlFailure,
  type SqlValue,
} from '../../../natives/data/driver.js';

/** Runs a statement. Returns its rows. */
export async function rows(session: Session, sql: string, ...params: SqlValue[]): Promise<SqlValue[][]> {
  return (await session.run({ sql, params }, new Cancellation())).pieces.flat();
}

/** The first value of the first row. */
export async function value(session: Session, sql: string, ...params: SqlValue[]): Promise<SqlValue> {
  return (await rows(session, sql, ...params))[0][0];
}

export function script(session: Session, sql: string): Promise<number> {
  return session.script(sql, new Cancellation());
}

export function cursor(session: Session, sql: string, ...params: SqlValue[]): Promise<Cursor> {
  return session.open({ sql, params }, new Cancellation());
}

/** Inserts rows in a transaction of their own. */
export function inserted(
  db: Driver,
  table: string,
  columns: readonly string[],
  rows: Iterable<Row>,
  cancel = new Cancellation(),
): Promise<number> {
  return insertMany(db, { table, columns, rows }, cancel);
}

/** Number of rows that a cursor still returns. */
export async function counted(cursor: Cursor): Promise<number> {
  let count = 0;
  for (let piece = await cursor.next(); piece !== null; piece = await cursor.next()) count += piece.length;
  return count;
}

/** The failure of an operation. */
export async function failure(operation: Promise<unknown>): Promise<SqlFailure> {
  try {
    await operation;
  } catch (error) {
    if (error instanceof SqlFailure) return error;
    throw error;
  }
  throw new Error('the operation did not fail');
}
