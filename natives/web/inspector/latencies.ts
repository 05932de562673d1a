/** Buckets per doubling of a latency: each bound is 9 % above the one before. */
const BUCKETS_PER_DOUBLING = 8;
/** Number of buckets, from a microsecond to two hours. */
const BUCKETS = 33 * BUCKETS_PER_DOUBLING;
/** Milliseconds of a window. Percentiles are those of the last two windows. */
const WINDOW_MS = 30_000;

/** Number of requests by latency: pairs of bucket and count, without empty buckets. */
export type LatencyCounts = readonly (readonly [number, number])[];

function bucketOf(ms: number): number {
  return Math.max(0, Math.min(BUCKETS - 1, Math.floor(Math.log2(ms * 1000) * BUCKETS_PER_DOUBLING)));
}

/** Returns the latency in milliseconds that the fraction `part` of requests did not exceed; 0 without requests. */
export function percentile(counts: LatencyCounts, part: number): number {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.ceil(total * part);
  for (const [bucket, count] of counts) {
    left -= count;
    if (left <= 0) return 2 ** ((bucket + 0.5) / BUCKETS_PER_DOUBLING) / 1000;
  }
  return 0;
}

/** Counts latencies of the last 30 to 60 seconds. */
export class RecentLatencies {
  private current = new Uint32Array(BUCKETS);
  private previous = new Uint32Array(BUCKETS);
  private until = 0;

  /** Counts a latency. @param now monotonic milliseconds */
  add(ms: number, now: number): void {
    this.turn(now);
    this.current[bucketOf(ms)]++;
  }

  private turn(now: number): void {
    if (now < this.until) return;
    const isLate = now >= this.until + WINDOW_MS;
    [this.current, this.previous] = [this.previous, this.current];
    this.current.fill(0);
    if (isLate) this.previous.fill(0);
    this.until = now + WINDOW_MS;
  }

  counts(now: number): LatencyCounts {
    this.turn(now);
    const all: [number, number][] = [];
    for (let i = 0; i < BUCKETS; i++) {
      const count = this.current[i] + this.previous[i];
      if (count > 0) all.push([i, count]);
    }
    return all;
  }
}
