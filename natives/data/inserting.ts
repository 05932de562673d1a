import type { Cancellation, Driver, Insertion } from './driver.js';
import { inTransaction } from './whole.js';

/** Inserts rows in a transaction of their own, all or none; resolves with their number. Rejects with SqlFailure. */
export function insertMany(driver: Driver, insertion: Insertion, cancel: Cancellation): Promise<number> {
  return inTransaction(driver, cancel, (transaction) => transaction.insertMany(insertion, cancel));
}
