import { SqlFailure } from '../driver.js';
import type { Job } from './job.js';

interface Entry {
  readonly job: Job;
  readonly holds: boolean;
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
}

/** Lets jobs pass in order of arrival. A job that holds a place keeps it until `release`. */
export class Gate {
  private held = 0;
  /** Whether no further job passes. */
  isLeft = false;
  private entries: Entry[] = [];

  /** @param seconds how long a job waits before it fails */
  constructor(
    private readonly places: number,
    private readonly seconds: number,
  ) {}

  get waiting(): number {
    this.entries = this.entries.filter(({ job, timer }) => {
      if (job.isSettled) clearTimeout(timer);
      return !job.isSettled;
    });
    return this.entries.length;
  }

  pass(job: Job, holds: boolean, go: () => void): void {
    if (job.isSettled || this.isLeft) return;
    if (this.held < this.places && this.waiting === 0) {
      if (holds) this.held++;
      go();
      return;
    }
    const failure = new SqlFailure('timeout', `no connection was free within ${this.seconds} seconds`);
    const timer = setTimeout(() => job.fail(failure), this.seconds * 1000);
    this.entries.push({ job, holds, go, timer });
  }

  release(): void {
    this.held--;
    while (this.held < this.places && !this.isLeft) {
      const entry = this.entries.shift();
      if (entry === undefined) return;
      clearTimeout(entry.timer);
      if (entry.job.isSettled) continue;
      if (entry.holds) this.held++;
      entry.go();
    }
  }

  /** Lets no further job pass. */
  leave(): void {
    this.isLeft = true;
  }

  /** Fails all jobs that wait. */
  close(failure: SqlFailure): void {
    for (const { job, timer } of this.entries.splice(0)) {
      clearTimeout(timer);
      job.fail(failure);
    }
  }
}
