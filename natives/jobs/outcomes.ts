/** How jobs ended, until it is stored. */
import type { Store } from './store.js';

interface Failed {
  readonly worker: string;
  readonly id: bigint;
  readonly error: string;
  readonly delay: number | null;
}

/** Ids by the worker's lease. */
type Ids = Map<string, bigint[]>;

function add(all: Ids, worker: string, id: bigint): void {
  const list = all.get(worker);
  if (list === undefined) all.set(worker, [id]);
  else list.push(id);
}

/** Collects outcomes, so that those of one turn are stored together. */
export class Outcomes {
  private finished: Ids = new Map();
  private returned: Ids = new Map();
  private failures: Failed[] = [];

  constructor(private readonly store: Store) {}

  get isEmpty(): boolean {
    return this.finished.size + this.returned.size + this.failures.length === 0;
  }

  /** Whether jobs have failed. */
  get hasFailures(): boolean {
    return this.failures.length > 0;
  }

  done(worker: string, id: bigint): void {
    add(this.finished, worker, id);
  }

  /** The job was ended before its time, or not begun. */
  released(worker: string, id: bigint): void {
    add(this.returned, worker, id);
  }

  /** @param delay milliseconds before the next attempt; null: there is none */
  failed(worker: string, id: bigint, error: string, delay: number | null): void {
    this.failures.push({ worker, id, error, delay });
  }

  /** Stores all; what could not be stored is kept for the next time. Rejects with SqlFailure. */
  async write(): Promise<void> {
    const { finished, returned, failures } = this;
    this.finished = new Map();
    this.returned = new Map();
    this.failures = [];
    const results = await Promise.allSettled([
      ...[...finished].map(([worker, ids]) =>
        this.store.finish(worker, ids).catch((error: unknown) => {
          for (const id of ids) this.done(worker, id);
          throw error;
        }),
      ),
      ...[...returned].map(([worker, ids]) =>
        this.store.release(worker, ids).catch((error: unknown) => {
          for (const id of ids) this.released(worker, id);
          throw error;
        }),
      ),
      ...failures.map((failure) =>
        this.store.fail(failure.worker, failure.id, failure.error, failure.delay).catch((error: unknown) => {
          this.failures.push(failure);
          throw error;
        }),
      ),
    ]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}
