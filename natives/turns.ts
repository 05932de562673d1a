import type { Linked } from '../vm/fibers/linkedlist.js';
import { contextOf } from '../vm/fibers/operations.js';
import { WaitingLine } from '../vm/fibers/waitingline.js';

interface Waiter extends Linked<Waiter> {
  readonly context: object;
  readonly start: () => void;
}

/** Limits how many operations run at once. Those of different requests take turns; a request's own wait in order of arrival. */
export class Turns {
  private readonly line = new WaitingLine<Waiter>();

  constructor(private free: number) {}

  /**
   * Runs an operation when its turn comes. If aborted before, it leaves the line. @throws what the operation throws
   * @param context whose turn it is
   */
  async run<T>(operation: () => Promise<T>, signal: AbortSignal, context = contextOf(signal)): Promise<T> {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.turn(signal, context);
    try {
      return await operation();
    } finally {
      this.pass();
    }
  }

  private turn(signal: AbortSignal, context: object): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.line.leave(waiter);
        reject(signal.reason);
      };
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiter: Waiter = { context, start, older: null, younger: null };
      this.line.add(waiter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  private pass(): void {
    const next = this.line.next();
    if (next === null) this.free++;
    else next.start();
  }
}
