import type { Transaction } from './driver.js';

/** Runs work in a transaction, which is committed after it, or rolled back if it fails. */
export async function committed<T>(
  transaction: Transaction,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  try {
    const value = await work(transaction);
    await transaction.commit();
    return value;
  } catch (failure) {
    await transaction.rollback();
    throw failure;
  }
}
