import { type Cancellation, type Driver, type Transaction, USUAL_TRANSACTION } from './driver.js';

/** Runs `work` in a transaction of its own: all of it or nothing. Rejects with SqlFailure. */
export async function inTransaction<T>(
  driver: Driver,
  cancel: Cancellation,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const transaction = await driver.begin(USUAL_TRANSACTION, cancel);
  try {
    const value = await work(transaction);
    await transaction.commit();
    return value;
  } catch (failure) {
    await transaction.rollback();
    throw failure;
  }
}
