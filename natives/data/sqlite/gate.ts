import type { Linked } from '../../../vm/fibers/linkedlist.js';
import { WaitingLine } from '../../../vm/fibers/waitingline.js';
import { SqlFailure } from '../driver.js';
import type { Job } from './job.js';

/** A job that waits, and what lets it pass. */
class Entry implements Linked<Entry> {
  older: Entry | null = null;
  younger: Entry | null = null;
  timer: NodeJS.Timeout | undefined;

  constructor(
    readonly job: Job,
    readonly holds: boolean,
    readonly go: () => void,
  ) {}

  get context(): object | null {
    return this.job.context;
  }
}

/** Lets jobs pass, those of different requests in turns. A job that holds a place keeps it until `release`. */
export class Gate {
  private held = 0;
  /** Whether no further job passes. */
  isLeft = false;
  private readonly line = new WaitingLine<Entry>();

  /**
   * @param seconds how long a job waits for a place before it fails
   * @param hasRoom whether there is room behind the gate; call `serve` when there is some again
   */
  constructor(
    private readonly places: number,
    private readonly seconds: number,
    private readonly hasRoom: () => boolean = () => true,
  ) {}

  get waiting(): number {
    return this.line.length;
  }

  /** Calls `go` when the job may pass. */
  pass(job: Job, holds: boolean, go: () => void): void {
    if (job.isSettled || this.isLeft) return;
    const entry = new Entry(job, holds, go);
    if (this.line.length === 0 && this.isOpen()) this.admit(entry);
    else this.wait(entry);
  }

  release(): void {
    this.held--;
    this.serve();
  }

  /** Lets pass those for whom there is room. */
  serve(): void {
    while (this.line.length > 0 && !this.isLeft && this.isOpen()) {
      const entry = this.line.next() as Entry;
      clearTimeout(entry.timer);
      entry.job.waitsInside(false);
      this.admit(entry);
    }
  }

  /** Lets no further job pass. */
  leave(): void {
    this.isLeft = true;
  }

  /** Fails all jobs that wait. */
  close(failure: SqlFailure): void {
    for (const entry of [...this.line]) this.fail(entry, failure);
  }

  private isOpen(): boolean {
    return this.held < this.places && this.hasRoom();
  }

  private admit({ holds, go }: Entry): void {
    if (holds) this.held++;
    go();
  }

  private wait(entry: Entry): void {
    this.line.add(entry);
    entry.job.holder = { cancel: () => this.remove(entry) };
    if (this.held < this.places) return;
    entry.job.waitsInside(true);
    const late = (): void =>
      this.fail(entry, new SqlFailure('timeout', `no connection was free within ${this.seconds} seconds`));
    entry.timer = setTimeout(late, this.seconds * 1000);
  }

  private fail(entry: Entry, failure: SqlFailure): void {
    this.remove(entry);
    entry.job.fail(failure);
  }

  private remove(entry: Entry): void {
    clearTimeout(entry.timer);
    this.line.leave(entry);
  }
}
