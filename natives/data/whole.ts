import { Cancellation, type Driver, type Transaction, USUAL_TRANSACTION } from './driver.js';

/** Runs `work` in a transaction of its own: all of it or nothing. Rejects with SqlFailure. */
export async function inTransaction<T>(
  driver: Driver,
  cancel: Cancellation,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const transaction = await driver.begin(USUAL_TRANSACTION, cancel);
  try {
    const value = await work(transaction);
    await transaction.commit(cancel);
    return value;
  } catch (failure) {
    await transaction.rollback();
    throw failure;
  }
}

/**
 * Runs `work` in a savepoint, which a failure and a cancellation undo. After a cancellation the thread may continue at
 * once, so what undoes is sent before its next statement. Rejects with SqlFailure.
 * @param name of the savepoint
 * @param work its cancellation ends with `cancel`
 */
export async function inSavepoint<T>(
  transaction: Transaction,
  name: string,
  cancel: Cancellation,
  work: (inner: Cancellation) => Promise<T>,
): Promise<T> {
  const inner = new Cancellation(cancel.context);
  const run = (sql: string, until = new Cancellation()): Promise<unknown> => {
    const running = transaction.run({ sql, params: [] }, until);
    // Each of them fails if an error has ended the transaction; then `work` fails too.
    running.catch(() => {});
    return running;
  };
  let undone: Promise<unknown> | null = null;
  const undo = (): Promise<unknown> => {
    if (undone !== null) return undone;
    inner.cancel();
    void run(`ROLLBACK TO ${name}`);
    return (undone = run(`RELEASE ${name}`).catch(() => {}));
  };
  if (cancel.isCancelled) inner.cancel();
  else cancel.onCancel(() => void undo());
  void run(`SAVEPOINT ${name}`);
  try {
    const value = await work(inner);
    await run(`RELEASE ${name}`, inner);
    return value;
  } catch (failure) {
    await undo();
    throw failure;
  } finally {
    cancel.onCancel(null);
  }
}
