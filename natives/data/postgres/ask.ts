import { type Cancellation, SqlFailure } from '../driver.js';
import type { Connection, Exchange } from './connection.js';
import { cancelledFailure } from './failures.js';
import type { Outcome } from './exchanges.js';

/** Milliseconds after which a cancelled operation ends, also if the server has not answered. */
const GRACE_MS = 1000;

/** Milliseconds after which a connection is closed on which a transaction, or what a script has set, does not end. */
export const END_MS = 5000;

/** Closes a connection whose server does not end something in time. Call the result when it has ended. */
export function limitEnd(connection: Connection, what: string): () => void {
  const destroy = (): void => connection.destroy(new SqlFailure('connection', `the server does not ${what}`));
  const timer = setTimeout(destroy, END_MS);
  return () => clearTimeout(timer);
}

/** A promise of an operation's outcome. @param begin begins the operation and returns what cancels it */
export function cancellable<T>(cancel: Cancellation, begin: (outcome: Outcome<T>) => () => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (cancel.isCancelled) {
      reject(cancelledFailure());
      return;
    }
    let isSettled = false;
    const settling =
      <V>(settle: (value: V) => void) =>
      (value: V): void => {
        isSettled = true;
        cancel.onCancel(null);
        settle(value);
      };
    const end = begin({ done: settling(resolve), failed: settling(reject) });
    if (!isSettled) cancel.onCancel(end);
  });
}

/** Cancels an exchange that was sent. Its outcome follows; `failed` is called if it takes too long. */
export function cancelExchange(
  connection: Connection,
  exchange: Exchange,
  failed: (failure: SqlFailure, isUndone: boolean) => void,
): void {
  connection.cancel(exchange);
  setTimeout(() => failed(cancelledFailure(), false), GRACE_MS).unref();
}

/** Sends an exchange on a connection that the caller holds, and returns its result. */
export function ask<T>(
  connection: Connection,
  cancel: Cancellation,
  make: (outcome: Outcome<T>) => Exchange,
): Promise<T> {
  return cancellable<T>(cancel, (outcome) => {
    const exchange = make(outcome);
    connection.send(exchange);
    return () => cancelExchange(connection, exchange, outcome.failed);
  });
}
