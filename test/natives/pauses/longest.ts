import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';

/** One turn of the event loop: when it began and ended, and the processor time it took, in milliseconds. */
interface Turn {
  start: number;
  end: number;
  processor: number;
}

/** Turns that took fewer milliseconds are not looked at. */
const SHORT = 1;

/** Measures turns of the event loop while natives run. */
export class Turns {
  private turns: Turn[] = [];
  private start = 0;
  private used = 0;
  private running = false;
  private readonly collections: PerformanceEntry[] = [];
  private readonly observer = new PerformanceObserver((list) => this.collections.push(...list.getEntries()));

  constructor() {
    this.observer.observe({ entryTypes: ['gc'] });
  }

  /** Does `work` and gives the longest turn it took, in milliseconds of processor time; collections of garbage are not counted. */
  async longest(work: () => Promise<void> | void): Promise<number> {
    this.turns = [];
    this.collections.length = 0;
    this.running = true;
    this.begin();
    try {
      const promise = work();
      this.tick();
      await promise;
    } finally {
      this.running = false;
      this.finish();
    }
    this.collections.push(...this.observer.takeRecords());
    return this.turns.reduce((longest, turn) => Math.max(longest, this.took(turn)), 0);
  }

  private begin(): void {
    this.used = processorTime();
    this.start = performance.now();
  }

  private finish(): void {
    const end = performance.now();
    if (end - this.start > SHORT) this.turns.push({ start: this.start, end, processor: processorTime() - this.used });
  }

  private readonly tick = (): void => {
    if (!this.running) return;
    this.finish();
    this.begin();
    setImmediate(this.tick);
  };

  /** Time on this thread is no more than the time that passed, nor than that of all threads of the process. */
  private took({ start, end, processor }: Turn): number {
    let collecting = 0;
    for (const { startTime, duration } of this.collections)
      if (startTime >= start && startTime < end) collecting += duration;
    return Math.min(end - start, processor) - collecting;
  }
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
