import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';

/** One turn of the event loop: start, end and processor time in milliseconds. */
interface Turn {
  start: number;
  end: number;
  processor: number;
}

/** Turns of fewer milliseconds are ignored. */
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

  /** Runs `work` and returns its longest turn in milliseconds of processor time, without collections of garbage. */
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

  /** Bound of the time on this thread: the time that passed, and the processor time of all threads. */
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
