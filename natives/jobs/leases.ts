/**
 * Leases show that workers are alive. A lease is a number in a table; its worker increments it every few seconds, which
 * is a beat. Another worker that sees the same number for several beats of its own ends the lease. Clocks of different
 * machines are not compared. While the database accepts no writes, no lease ends.
 */
import { SqlFailure } from '../data/driver.js';
import type { Store } from './store.js';

/** Milliseconds between two beats. */
const BEAT_MS = 4000;
/** A lease ends after its number has not changed for this many beats of another worker: about 20 seconds. */
const MAX_MISSES = 5;
/**
 * Milliseconds without a turn of the event loop, or without PostgreSQL, after which a worker gives up its own lease,
 * because others may end it soon. SQLite needs no such limit: if this process cannot write the file, no other one can.
 */
const SURELY_LOST_MS = 16_000;
/** Milliseconds between two removals of old dead jobs. */
const PURGE_MS = 3_600_000;

/** Called by a lease. */
export interface LeaseEvents {
  /** The lease was lost: others may have its jobs. */
  lost(): void;
  /** Jobs of workers that died are waiting again. */
  reclaimed(): void;
}

/** The lease of one worker. It also checks the leases of others. */
export class Lease {
  /** The last number of each other worker, and for how many own beats it has not changed. */
  private readonly misses = new Map<string, { beat: bigint; count: number }>();
  private timer: NodeJS.Timeout | null = null;
  /** Ends the lease while a beat has no answer. */
  private limit: NodeJS.Timeout | null = null;
  /** When the next beat is due, by `performance.now()`. */
  private dueAt = 0;
  private purgedAt = -Infinity;
  private isOver = false;

  private constructor(
    readonly id: string,
    private readonly store: Store,
    private readonly events: LeaseEvents,
  ) {}

  /** Registers a worker and begins to renew its lease. Rejects with SqlFailure. */
  static async begin(store: Store, events: LeaseEvents): Promise<Lease> {
    const lease = new Lease(globalThis.crypto.randomUUID(), store, events);
    await store.register(lease.id);
    lease.renewed(performance.now());
    lease.later();
    return lease;
  }

  /** Ends the lease, so that other workers can claim the jobs that this one still has. Rejects with SqlFailure. */
  async end(): Promise<void> {
    this.forget();
    await this.store.unregister(this.id);
  }

  /** Stops renewing the lease, which stays in the table. */
  forget(): void {
    this.isOver = true;
    for (const timer of [this.timer, this.limit]) if (timer !== null) clearTimeout(timer);
  }

  /** Called when the database has answered. @param sentAt when it was asked, by `performance.now()` */
  private renewed(sentAt: number): void {
    if (this.isOver || this.store.driver.engine !== 'postgres') return;
    if (this.limit !== null) clearTimeout(this.limit);
    this.limit = setTimeout(() => this.lose(), sentAt + SURELY_LOST_MS - performance.now());
    this.limit.unref();
  }

  private later(): void {
    if (this.isOver) return;
    this.dueAt = performance.now() + BEAT_MS;
    this.timer = setTimeout(() => void this.beat(), BEAT_MS);
    this.timer.unref();
  }

  private async beat(): Promise<void> {
    const sentAt = performance.now();
    const stoodStill = sentAt - this.dueAt > SURELY_LOST_MS;
    if (stoodStill) return this.lose();
    try {
      if (!(await this.store.beat(this.id))) return this.lose();
      this.renewed(sentAt);
      await this.watch();
      if (sentAt - this.purgedAt > PURGE_MS) {
        this.purgedAt = sentAt;
        await this.store.purge();
      }
    } catch (failure) {
      // The worker reports that the database cannot be reached.
      if (!(failure instanceof SqlFailure)) throw failure;
    }
    this.later();
  }

  private lose(): void {
    if (this.isOver) return;
    this.forget();
    this.events.lost();
  }

  /** Ends the leases of workers that died. Their jobs wait again. */
  private async watch(): Promise<void> {
    const beats = await this.store.beats();
    for (const id of [...this.misses.keys()]) if (!beats.has(id)) this.misses.delete(id);
    for (const [id, beat] of beats) {
      const seen = this.misses.get(id);
      if (seen === undefined || seen.beat !== beat) this.misses.set(id, { beat, count: 0 });
      else if (++seen.count >= MAX_MISSES) await this.store.bury(id, beat);
    }
    if ((await this.store.reclaim()) > 0) this.events.reclaimed();
  }
}
