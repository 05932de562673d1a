import type { Linked } from '../../../vm/fibers/linkedlist.js';
import { WaitingLine } from '../../../vm/fibers/waitingline.js';
import { type Cancellation, type SqlFailure } from '../driver.js';
import { cancellable } from './ask.js';
import type { Connection } from './connection.js';
import type { Connector } from './connector.js';
import { cancelledFailure } from './failures.js';
import { LATE_MS, timeoutFailure } from './lanes.js';

interface Waiter extends Linked<Waiter> {
  readonly context: object | null;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (failure: SqlFailure) => void;
}

/** Milliseconds after which an unused connection is closed. */
const IDLE_MS = 60_000;

/** Connections that are lent to one user at a time: transactions, cursors, scripts, COPY. */
export class Leases {
  /** Unused connections with the timers that close them; the last one was used last. */
  private readonly idle = new Map<Connection, NodeJS.Timeout>();
  private readonly lent = new Set<Connection>();
  private readonly waiters = new WaitingLine<Waiter>();
  private opening = 0;
  private closed: SqlFailure | null = null;

  /**
   * @param most maximum number of connections
   * @param timeout milliseconds that users wait for one
   */
  constructor(
    private readonly connector: Connector,
    private readonly most: number,
    private readonly timeout: number,
  ) {}

  get waiting(): number {
    return this.waiters.length;
  }

  /** Lends a connection. Requests take turns; users of the same one wait in the order in which they have come. */
  async acquire(cancel: Cancellation): Promise<Connection> {
    if (this.closed !== null) throw this.closed;
    return cancellable<Connection>(cancel, ({ done, failed }) => {
      const waiter: Waiter = {
        context: cancel.context,
        older: null,
        younger: null,
        resolve: (connection) => {
          clearTimeout(timer);
          cancel.waitsInside(false);
          done(connection);
        },
        reject: (failure) => {
          clearTimeout(timer);
          failed(failure, true);
        },
      };
      const leave = (failure: SqlFailure): void => {
        this.waiters.leave(waiter);
        waiter.reject(failure);
      };
      const since = performance.now();
      const late = (): void => {
        // Connecting takes as long as waiting, at most: the attempt under way is about to say why it fails.
        if (this.lent.size === 0 && performance.now() < since + this.timeout + LATE_MS)
          timer = setTimeout(late, LATE_MS);
        else leave(this.lateFailure(since));
      };
      let timer = setTimeout(late, this.timeout);
      this.waiters.add(waiter);
      if (this.lent.size >= this.most) cancel.waitsInside(true);
      this.serve();
      return () => leave(cancelledFailure());
    });
  }

  /** Takes a connection back. One that is broken or still busy is closed. */
  release(connection: Connection): void {
    if (!this.lent.delete(connection)) return;
    if (connection.failure === null) {
      if (this.closed === null && connection.status === 'I' && connection.pending === 0) this.keep(connection);
      else connection.destroy(this.closed ?? cancelledFailure());
    }
    this.serve();
  }

  close(failure: SqlFailure): void {
    this.closed = failure;
    for (const waiter of this.waiters.takeAll()) waiter.reject(failure);
    for (const connection of [...this.idle.keys()]) connection.end(failure);
    for (const connection of [...this.lent]) connection.destroy(failure);
  }

  /** The failure of a user who has waited for too long. */
  private lateFailure(since: number): SqlFailure {
    const isFull = this.lent.size >= this.most;
    return (isFull ? null : this.connector.failureSince(since)) ?? timeoutFailure(this.timeout);
  }

  private keep(connection: Connection): void {
    const timer = setTimeout(() => connection.end(cancelledFailure()), IDLE_MS);
    this.idle.set(connection, timer.unref());
    connection.onLost = () => this.unkeep(connection);
  }

  private unkeep(connection: Connection): void {
    clearTimeout(this.idle.get(connection));
    this.idle.delete(connection);
  }

  /** Passes idle connections to users, and opens more for the rest. */
  private serve(): void {
    while (this.waiters.length > 0) {
      const connection = [...this.idle.keys()].at(-1);
      if (connection === undefined) break;
      this.lend(connection, this.waiters.next() as Waiter);
    }
    const room = this.most - this.lent.size - this.idle.size - this.opening;
    const wanted = Math.min(room, this.waiters.length - this.opening);
    for (let i = 0; i < wanted; i++) void this.open();
  }

  private lend(connection: Connection, waiter: Waiter): void {
    this.unkeep(connection);
    connection.onLost = () => {};
    this.lent.add(connection);
    waiter.resolve(connection);
  }

  private async open(): Promise<void> {
    this.opening++;
    try {
      const connection = await this.connector.connect();
      this.opening--;
      if (this.closed === null) this.keep(connection);
      else connection.end(this.closed);
    } catch (failure) {
      this.opening--;
      this.waiters.next()?.reject(failure as SqlFailure);
    }
    this.serve();
  }
}
