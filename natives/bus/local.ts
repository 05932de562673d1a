import type { BusDriver, BusStats } from './driver.js';

/** The driver of a program that runs as one process, and so has no other processes to reach. */
export class LocalBus implements BusDriver {
  readonly knowsEnds = true;
  readonly isAlone = true;

  publish(): boolean {
    return true;
  }

  subscribe(): Promise<void> {
    return Promise.resolve();
  }

  unsubscribe(): void {}

  flush(): Promise<void> {
    return Promise.resolve();
  }

  stats(): BusStats {
    return { connected: true, waiting: 0, dropped: 0 };
  }

  close(): void {}
}
