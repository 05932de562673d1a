/** Milliseconds before a connection can count as slow. */
const GRACE_MS = 5000;
/** Bytes a second below which a connection counts as slow. */
const SLOW_RATE = 4096;
/** Minimum milliseconds between two searches for slow connections. */
const LOOK_MS = 100;
/** Milliseconds until waiting callers search for slow connections again. */
const RETRY_MS = 1000;

/** A connection that holds bytes counted in a budget. */
export interface Holder {
  /** Total bytes that the connection has moved so far; two calls yield the rate. */
  moved(): number;
  /** Closes the connection and releases its bytes. */
  evict(): void;
}

interface Mark {
  at: number;
  moved: number;
}

/**
 * Limits the bytes that all connections of a server hold together. When they are used up, connections slower than
 * `SLOW_RATE` are closed, slowest first, until the requested bytes fit. Connections that keep reading or sending stay
 * open.
 */
export class Budget {
  private bytes = 0;
  private readonly holders = new Map<Holder, Mark>();
  private waiting: (() => void)[] = [];
  private lookAt = 0;
  private retry: NodeJS.Timeout | null = null;

  /** @param limit returns the maximum bytes; called each time, since settings may change until the server runs */
  constructor(private readonly limit: () => number) {}

  /** Bytes held. */
  get used(): number {
    return this.bytes;
  }

  /** Whether `bytes` more fit. A single holder may exceed the limit. */
  private fits(bytes: number): boolean {
    return this.bytes === 0 || this.bytes + bytes <= this.limit();
  }

  /** Whether `bytes` more fit, after closing slow connections if necessary. */
  makeRoom(bytes: number): boolean {
    if (this.fits(bytes)) return true;
    this.evictSlow(bytes);
    return this.fits(bytes);
  }

  /** Records that the bytes held by `holder` changed from `before` to `after`. */
  change(holder: Holder, before: number, after: number): void {
    if (before === 0 && after > 0) this.holders.set(holder, { at: performance.now(), moved: holder.moved() });
    else if (after === 0) this.holders.delete(holder);
    this.bytes += after - before;
    if (after < before) this.wake();
  }

  /** Calls `then` once, as soon as there is room again. */
  whenRoom(then: () => void): void {
    this.waiting.push(then);
    this.retryLater();
  }

  /** A connection becomes slow as time passes, without an event, so poll while callers are waiting. */
  private retryLater(): void {
    this.retry ??= setTimeout(() => {
      this.retry = null;
      this.evictSlow(1);
      this.wake();
      if (this.waiting.length > 0) this.retryLater();
    }, RETRY_MS).unref();
  }

  private wake(): void {
    if (this.waiting.length === 0 || !this.fits(1)) return;
    const all = this.waiting;
    this.waiting = [];
    for (const then of all) then();
  }

  private evictSlow(bytes: number): void {
    const now = performance.now();
    if (now < this.lookAt) return;
    this.lookAt = now + LOOK_MS;
    const slow: { holder: Holder; rate: number }[] = [];
    for (const [holder, mark] of this.holders) {
      const ms = now - mark.at;
      if (ms < GRACE_MS) continue;
      const moved = holder.moved();
      const rate = ((moved - mark.moved) / ms) * 1000;
      if (rate < SLOW_RATE) slow.push({ holder, rate });
      else this.holders.set(holder, { at: now, moved });
    }
    slow.sort((a, b) => a.rate - b.rate);
    for (const { holder } of slow) {
      if (this.fits(bytes)) return;
      holder.evict();
    }
  }
}
