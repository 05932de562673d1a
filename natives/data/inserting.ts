import type { Cancellation, Driver, Insertion, Transaction } from './driver.js';
import { inSavepoint, inTransaction } from './whole.js';

const SAVEPOINT = 'svc_rows';

/** Inserts rows in a transaction of their own, all or none; resolves with their number. Rejects with SqlFailure. */
export function insertMany(driver: Driver, insertion: Insertion, cancel: Cancellation): Promise<number> {
  return inTransaction(driver, cancel, (transaction) => transaction.insertMany(insertion, cancel));
}

/** Inserts rows in the transaction of a thread, all or none; resolves with their number. Rejects with SqlFailure. */
export function insertManyInside(
  transaction: Transaction,
  engine: Driver['engine'],
  insertion: Insertion,
  cancel: Cancellation,
): Promise<number> {
  // PostgreSQL inserts all rows in one statement, and undoes it.
  if (engine === 'postgres') return transaction.insertMany(insertion, cancel);
  return inSavepoint(transaction, SAVEPOINT, cancel, (inner) => transaction.insertMany(insertion, inner));
}
