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
    const turn = this.enter(signal, context);
    if (turn !== null) await turn;
    try {
      return await operation();
    } finally {
      this.pass();
    }
  }

  /**
   * Waits for a turn; if aborted before, it leaves the line. @returns what ends the turn, and has no effect again
   * @throws the signal's reason if it is aborted
   */
  take(signal: AbortSignal, context = contextOf(signal)): (() => void) | Promise<() => void> {
    const turn = this.enter(signal, context);
    return turn === null ? this.taken() : turn.then(() => this.taken());
  }

  private taken(): () => void {
    let isOver = false;
    return () => {
      if (!isOver) this.pass();
      isOver = true;
    };
  }

  /** @returns null if it is the caller's turn at once */
  private enter(signal: AbortSignal, context: object): Promise<void> | null {
    signal.throwIfAborted();
    if (this.free === 0) return this.turn(signal, context);
    this.free--;
    return null;
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
