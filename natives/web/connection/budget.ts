/** Milliseconds that a connection has to move something before it may be called slow. */
const GRACE_MS = 5000;
/** Bytes a second below which a connection counts as slow. */
const SLOW_RATE = 4096;
/** Milliseconds between two looks for slow connections. */
const LOOK_MS = 100;
/** Milliseconds until those that wait for room look for slow connections again. */
const RETRY_MS = 1000;

/** A connection that holds bytes of a budget. */
export interface Holder {
  /** Bytes that it has moved, ever; the rate follows from two calls. */
  moved(): number;
  /** Closes the connection and gives back what it holds. */
  evict(): void;
}

interface Mark {
  at: number;
  moved: number;
}

/**
 * Bytes that all connections of a server may hold together. When they are used up, connections that move less than `SLOW_RATE` are closed, the
 * slowest first, until what is asked for fits: those that do read or send keep their connections.
 */
export class Budget {
  private bytes = 0;
  private readonly holders = new Map<Holder, Mark>();
  private waiting: (() => void)[] = [];
  private lookAt = 0;
  private retry: NodeJS.Timeout | null = null;

  /** @param limit the most bytes, asked each time: settings change until the server runs */
  constructor(private readonly limit: () => number) {}

  /** Bytes held. */
  get used(): number {
    return this.bytes;
  }

  /** Whether `bytes` more fit; a single holder may have more than the limit. */
  private fits(bytes: number): boolean {
    return this.bytes === 0 || this.bytes + bytes <= this.limit();
  }

  /** Whether `bytes` more fit, if need be after slow connections have been closed. */
  makeRoom(bytes: number): boolean {
    if (this.fits(bytes)) return true;
    this.evictSlow(bytes);
    return this.fits(bytes);
  }

  /** Notes that what `holder` has went from `before` to `after` bytes. */
  change(holder: Holder, before: number, after: number): void {
    if (before === 0 && after > 0) this.holders.set(holder, { at: performance.now(), moved: holder.moved() });
    else if (after === 0) this.holders.delete(holder);
    this.bytes += after - before;
    if (after < before) this.wake();
  }

  /** Calls `then` once when there is room again. */
  whenRoom(then: () => void): void {
    this.waiting.push(then);
    this.retryLater();
  }

  /** Connections become slow with time alone, so that nothing else may tell of it. */
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
