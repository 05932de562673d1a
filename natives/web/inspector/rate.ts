/** Seconds over which the rate is averaged. */
const SECONDS = 10;

/** Counts events of the last seconds. */
export class Rate {
  private readonly counts = new Uint32Array(SECONDS);
  /** The second of each count. */
  private readonly seconds = new Float64Array(SECONDS).fill(-1);

  /** Counts an event. @param now monotonic milliseconds */
  add(now: number): void {
    const second = Math.floor(now / 1000);
    const at = second % SECONDS;
    if (this.seconds[at] !== second) {
      this.seconds[at] = second;
      this.counts[at] = 0;
    }
    this.counts[at]++;
  }

  /** Returns the events per second. @param begun when counting began, in monotonic milliseconds */
  perSecond(now: number, begun: number): number {
    const first = Math.floor(now / 1000) - SECONDS + 1;
    let sum = 0;
    for (let i = 0; i < SECONDS; i++) if (this.seconds[i] >= first) sum += this.counts[i];
    return sum / Math.max(1, Math.min((now - begun) / 1000, now / 1000 - first));
  }
}
