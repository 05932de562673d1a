/**
 * Leases of workers. A lease is a number that its worker increments every few seconds. Another worker that has seen the
 * same number for several beats of its own ends the lease. No clock is compared with another one: neither the time of
 * day nor its changes matter, and a database that accepts no writes ends no lease.
 */
import { SqlFailure } from '../data/driver.js';
import type { Store } from './store.js';

/** Milliseconds between two beats. */
const BEAT_MS = 4000;
/** Own beats during which another worker's number must not change before its lease ends: after about 20 seconds. */
const MAX_MISSES = 5;
/**
 * Milliseconds for which a worker may stand still, or be cut off from PostgreSQL, before it takes its own lease for
 * lost: others may end it soon. A file of SQLite that this process cannot write is one that no other one can.
 */
const SURELY_LOST_MS = 16_000;
/** Milliseconds between two removals of old dead jobs. */
const PURGE_MS = 3_600_000;

/** What a worker does about leases. */
export interface LeaseEvents {
  /** The lease was lost: others may have its jobs. */
  lost(): void;
  /** Jobs of other workers wait again. */
  reclaimed(): void;
}

/** The lease of one worker, and its watch over those of others. */
export class Lease {
  /** Own beats for which the number of each other worker has not changed. */
  private readonly misses = new Map<string, { beat: bigint; count: number }>();
  private timer: NodeJS.Timeout | null = null;
  private renewedAt = performance.now();
  /** When the next beat is due. */
  private dueAt = 0;
  private purgedAt = -Infinity;
  private isOver = false;

  private constructor(
    readonly id: string,
    private readonly store: Store,
    private readonly events: LeaseEvents,
  ) {}

  /** Begins a lease. Rejects with SqlFailure. */
  static async begin(store: Store, events: LeaseEvents): Promise<Lease> {
    const lease = new Lease(globalThis.crypto.randomUUID(), store, events);
    await store.register(lease.id);
    lease.later();
    return lease;
  }

  /** Ends the lease: jobs that the worker still has are given to others. */
  async end(): Promise<void> {
    this.forget();
    await this.store.unregister(this.id);
  }

  /** Stops renewing. */
  forget(): void {
    this.isOver = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private later(): void {
    if (this.isOver) return;
    this.dueAt = performance.now() + BEAT_MS;
    this.timer = setTimeout(() => void this.beat(), BEAT_MS);
    this.timer.unref();
  }

  private async beat(): Promise<void> {
    const sentAt = performance.now();
    const isCutOff = this.store.driver.engine === 'postgres' && sentAt - this.renewedAt > SURELY_LOST_MS;
    const stoodStill = sentAt - this.dueAt > SURELY_LOST_MS;
    if (isCutOff || stoodStill) return this.lose();
    try {
      if (!(await this.store.beat(this.id))) return this.lose();
      this.renewedAt = sentAt;
      await this.watch();
      if (sentAt - this.purgedAt > PURGE_MS) {
        this.purgedAt = sentAt;
        await this.store.purge();
      }
    } catch (failure) {
      // The worker itself reports a database that cannot be reached.
      if (!(failure instanceof SqlFailure)) throw failure;
    }
    this.later();
  }

  private lose(): void {
    if (this.isOver) return;
    this.forget();
    this.events.lost();
  }

  /** Ends the leases of workers that are gone, and gives their jobs back. */
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
