import type { Cancellation } from '../driver.js';
import type { Connection, Exchange } from './connection.js';
import { cancelledFailure } from './failures.js';
import type { Outcome } from './exchanges.js';

/** Milliseconds after which a cancelled operation ends, also if the server has not answered. */
const GRACE_MS = 1000;

/** Sends an exchange on a connection that the caller holds, and returns what it came to. */
export function ask<T>(
  connection: Connection,
  cancel: Cancellation,
  make: (outcome: Outcome<T>) => Exchange,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (cancel.isCancelled) {
      reject(cancelledFailure());
      return;
    }
    const exchange = make({
      done: (value) => {
        cancel.onCancel(null);
        resolve(value);
      },
      failed: (failure) => {
        cancel.onCancel(null);
        reject(failure);
      },
    });
    cancel.onCancel(() => {
      connection.cancel(exchange);
      setTimeout(() => reject(cancelledFailure()), GRACE_MS).unref();
    });
    connection.send(exchange);
  });
}
