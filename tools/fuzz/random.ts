/** A small seeded generator (mulberry32): the same seed yields the same numbers everywhere. */
export class Random {
  constructor(private state: number) {}

  /** A whole number from 0 to `n` − 1. */
  below(n: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  }

  /** True with a probability of `part` per cent. */
  chance(part: number): boolean {
    return this.below(100) < part;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }
}
