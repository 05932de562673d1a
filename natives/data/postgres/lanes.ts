import type { Linked } from '../../../vm/fibers/linkedlist.js';
import { WaitingLine } from '../../../vm/fibers/waitingline.js';
import { SqlFailure, type Cancellation } from '../driver.js';
import { cancelExchange, cancellable } from './ask.js';
import type { Connection, Exchange } from './connection.js';
import type { Connector } from './connector.js';
import { ProbeExchange, type Outcome } from './exchanges.js';
import { cancelledFailure } from './failures.js';
import { AHEAD_MS, Pace } from '../pace.js';

/** Connections that are opened when several statements wait; more only if these are busy for long. */
const USUAL_LANES = 4;

/** Milliseconds after which a running statement is slow: nothing more is sent after it. */
const SLOW_MS = 50;

/** Pending statements on the least busy connection from which another one is opened. */
const CROWDED = 2;

/** Maximum number of statements of a connection that have no answer yet. */
const MAX_PENDING = 100;

/**
 * Milliseconds from the loss of a connection until the others are tested, also new ones. A server that restarts ends its
 * connections one after the other, on a busy machine within 50 ms, and still accepts new ones when a backend has just
 * been killed.
 */
const PROBE_MS = 100;

/** Milliseconds before another connection is tried after one could not be opened, while others work. */
const REOPEN_MS = 1000;

/** Sends jobs, and sends them again. */
interface Dispatcher {
  add(job: Job): void;
  remove(job: Job): void;
  note(sql: string, ms: number): void;
}

/** A statement outside of transactions: on its way to a connection, or on one. */
class Job implements Outcome<unknown>, Linked<Job> {
  readonly queuedAt = performance.now();
  older: Job | null = null;
  younger: Job | null = null;
  private exchange: Exchange | null = null;
  private connection: Connection | null = null;
  private wasRepeated = false;
  private isSettled = false;

  constructor(
    readonly sql: string,
    private readonly make: (outcome: Outcome<never>) => Exchange,
    private readonly dispatcher: Dispatcher,
    private readonly outcome: Outcome<never>,
    readonly context: object | null,
  ) {}

  /** @param ms milliseconds that it is likely to take */
  sendOn(connection: Connection, ms: number): void {
    this.connection = connection;
    this.exchange = this.make(this);
    this.exchange.expected = ms;
    connection.send(this.exchange);
  }

  readonly done = (value: unknown): void => {
    this.dispatcher.note(this.sql, this.exchange?.duration ?? 0);
    if (this.isSettled) return;
    this.isSettled = true;
    this.outcome.done(value as never);
  };

  readonly failed = (failure: SqlFailure, isUndone: boolean): void => {
    if (this.isSettled) return;
    if (isUndone && this.mayRepeat(failure)) {
      this.connection = null;
      this.dispatcher.add(this);
      return;
    }
    this.isSettled = true;
    this.outcome.failed(failure, isUndone);
  };

  /** A statement that a cancel request for another one has hit is repeated each time, others once. */
  private mayRepeat({ kind }: SqlFailure): boolean {
    if (kind === 'database' || kind === 'serialization') return true;
    if (kind !== 'connection' || this.wasRepeated) return false;
    this.wasRepeated = true;
    return true;
  }

  cancel(): void {
    if (this.isSettled) return;
    if (this.connection === null || this.exchange === null) {
      this.dispatcher.remove(this);
      this.failed(cancelledFailure(), false);
    } else {
      cancelExchange(this.connection, this.exchange, this.failed);
    }
  }
}

/** A connection for statements outside of transactions. */
class Lane {
  /** Whether the last statement sent was new or slow: until its answer nothing is sent after it. */
  isTaken = false;
  /** Whether it has got so much work that it gets no more until half of it is done: few packets instead of many. */
  private isFull = false;
  /** Whether another connection has broken since this one last answered: the server could be stopping. */
  private isSuspect = false;

  constructor(readonly connection: Connection) {}

  /** Whether statements sent now would not wait for long. */
  isFree(now: number): boolean {
    const { connection } = this;
    if (connection.pending === 0) this.isTaken = false;
    const share = Math.max(connection.pending / MAX_PENDING, connection.backlog / AHEAD_MS);
    this.isFull = connection.pending > 0 && share >= (this.isFull ? 0.5 : 1);
    return connection.isOpen && !this.isTaken && !this.isSuspect && !this.isFull && connection.busyFor(now) < SLOW_MS;
  }

  /** Sends nothing more until the connection has shown, after some milliseconds, that it works. */
  suspect(after: number): void {
    if (this.isSuspect) return;
    this.isSuspect = true;
    const trust = (): void => {
      this.isSuspect = false;
    };
    setTimeout(() => {
      if (this.connection.failure === null) this.connection.send(new ProbeExchange({ done: trust, failed: trust }));
    }, after);
  }
}

/**
 * Sends each statement to the least busy of a few connections, without waiting for the answers to earlier ones. Nothing
 * is sent after a statement that is new or known to be slow, so that others do not wait for it. Those of different
 * requests take turns.
 */
export class Lanes implements Dispatcher {
  private readonly lanes = new Set<Lane>();
  private readonly queue = new WaitingLine<Job>();
  private readonly pace = new Pace();
  private opening = 0;
  private openAgainAt = 0;
  /** When connections are tested after the last loss. */
  private testAt = -Infinity;
  private timer: NodeJS.Timeout | null = null;
  private closed: SqlFailure | null = null;

  /**
   * @param most maximum number of connections
   * @param timeout milliseconds that a statement waits for one
   */
  constructor(
    private readonly connector: Connector,
    private readonly most: number,
    private readonly timeout: number,
  ) {}

  get waiting(): number {
    return this.queue.length;
  }

  run<T>(sql: string, cancel: Cancellation, make: (outcome: Outcome<T>) => Exchange): Promise<T> {
    return cancellable<T>(cancel, (outcome) => {
      const job = new Job(sql, make, this, outcome, cancel.context);
      this.add(job);
      return () => job.cancel();
    });
  }

  add(job: Job): void {
    if (this.closed !== null) {
      job.failed(this.closed, false);
      return;
    }
    this.queue.add(job);
    this.drain();
  }

  remove(job: Job): void {
    this.queue.leave(job);
  }

  note(sql: string, ms: number): void {
    this.pace.of(sql).note(ms);
  }

  close(failure: SqlFailure): void {
    this.closed = failure;
    if (this.timer !== null) clearTimeout(this.timer);
    this.rejectAll(failure);
    for (const { connection } of [...this.lanes]) {
      if (connection.pending === 0) connection.end(failure);
      else connection.destroy(failure);
    }
  }

  private rejectAll(failure: SqlFailure): void {
    for (const job of this.queue.takeAll()) job.failed(failure, false);
  }

  /** Sends what can be sent, and opens connections for the rest. */
  private drain(): void {
    const now = performance.now();
    while (this.queue.length > 0) {
      const lane = this.leastBusy(now);
      if (lane === null) break;
      const job = this.queue.next() as Job;
      const { ms } = this.pace.of(job.sql);
      if (lane.connection.pending >= CROWDED) this.openMore(USUAL_LANES);
      lane.isTaken = ms >= SLOW_MS;
      job.sendOn(lane.connection, Math.min(ms, SLOW_MS));
    }
    if (this.queue.length === 0) return;
    this.openMore(this.isBusyForLong(now) ? this.most : USUAL_LANES);
    this.watch();
  }

  private leastBusy(now: number): Lane | null {
    let best: Lane | null = null;
    for (const lane of this.lanes) {
      if (!lane.isFree(now)) continue;
      if (best === null || lane.connection.pending < best.connection.pending) best = lane;
      if (best.connection.pending === 0) break;
    }
    return best;
  }

  private isBusyForLong(now: number): boolean {
    return [...this.lanes].every(({ connection }) => !connection.isOpen || connection.busyFor(now) >= SLOW_MS);
  }

  private openMore(most: number): void {
    const now = performance.now();
    const limit = Math.min(most, this.most);
    if (this.closed !== null || this.opening > 0 || this.lanes.size >= limit || now < this.openAgainAt) return;
    // Those that are there may still work: they are about to be tested.
    if (this.lanes.size > 0 && now < this.testAt) return;
    const wanted = Math.max(1, Math.min(limit - this.lanes.size, this.queue.length));
    for (let i = 0; i < wanted; i++) void this.open();
  }

  private async open(): Promise<void> {
    this.opening++;
    try {
      const connection = await this.connector.connect();
      this.opening--;
      this.join(connection);
    } catch (failure) {
      this.opening--;
      if (this.lanes.size > 0) this.openAgainAt = performance.now() + REOPEN_MS;
      else if (this.opening === 0) this.rejectAll(failure as SqlFailure);
    }
    this.drain();
  }

  private join(connection: Connection): void {
    if (this.closed !== null) {
      connection.end(this.closed);
      return;
    }
    const lane = new Lane(connection);
    this.lanes.add(lane);
    const early = this.testAt - performance.now();
    if (early > 0) lane.suspect(early);
    connection.onProgress = () => {
      if (connection.status !== 'I' && connection.failure === null) this.discard(connection);
      if (this.queue.length > 0) this.drain();
    };
    connection.onLost = () => {
      this.lanes.delete(lane);
      if (this.closed === null) {
        this.testAt = performance.now() + PROBE_MS;
        for (const other of this.lanes) other.suspect(PROBE_MS);
      }
      if (this.queue.length > 0) this.drain();
    };
  }

  /** A statement has left a transaction open, for example by a procedure: others must not become a part of it. */
  private discard(connection: Connection): void {
    connection.destroy(new SqlFailure('connection', 'a statement left a transaction open on a shared connection'));
  }

  /** The failure of a statement that has waited for too long. */
  private lateFailure({ queuedAt }: Job): SqlFailure {
    const isFull = this.lanes.size >= this.most;
    return (isFull ? null : this.connector.failureSince(queuedAt)) ?? timeoutFailure(this.timeout);
  }

  /** Looks at the queue again later: running statements become slow, and waiting ones too old. */
  private watch(): void {
    if (this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      // Connecting takes as long as waiting, at most: the attempt under way is about to say why it fails.
      const limit = performance.now() - this.timeout - (this.lanes.size === 0 ? LATE_MS : 0);
      for (const job of [...this.queue]) {
        if (job.queuedAt > limit) continue;
        this.queue.leave(job);
        job.failed(this.lateFailure(job), false);
      }
      this.drain();
    }, SLOW_MS);
  }
}

/** Milliseconds that the reason is awaited why there is no connection at all. */
export const LATE_MS = 100;

export function timeoutFailure(ms: number): SqlFailure {
  return new SqlFailure('timeout', `no connection to the database became free within ${ms / 1000} s`);
}
