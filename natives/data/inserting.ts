import { type Cancellation, type Driver, type Insertion, USUAL_TRANSACTION } from './driver.js';

/** Inserts rows in a transaction of their own, all or none; resolves with their number. Rejects with SqlFailure. */
export async function insertMany(driver: Driver, insertion: Insertion, cancel: Cancellation): Promise<number> {
  const transaction = await driver.begin(USUAL_TRANSACTION, cancel);
  try {
    const count = await transaction.insertMany(insertion, cancel);
    await transaction.commit();
    return count;
  } catch (failure) {
    await transaction.rollback();
    throw failure;
  }
}
