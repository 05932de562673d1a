/** How jobs ended, kept until it is stored. */
import type { Store } from './store.js';

interface Failed {
  readonly worker: string;
  readonly id: bigint;
  readonly error: string;
  readonly delay: number | null;
}

/** Ids of jobs by the lease under which they were claimed. */
type Ids = Map<string, bigint[]>;

function add(all: Ids, worker: string, id: bigint): void {
  const list = all.get(worker);
  if (list === undefined) all.set(worker, [id]);
  else list.push(id);
}

/** Collects how jobs ended, so that the jobs of one turn are stored together. */
export class Outcomes {
  private finished: Ids = new Map();
  private returned: Ids = new Map();
  private failures: Failed[] = [];

  constructor(private readonly store: Store) {}

  get isEmpty(): boolean {
    return this.finished.size + this.returned.size + this.failures.length === 0;
  }

  /** Whether failures wait to be stored. */
  get hasFailures(): boolean {
    return this.failures.length > 0;
  }

  /** The jobs whose end is not stored yet. */
  get ids(): bigint[] {
    const ended = [...this.finished.values(), ...this.returned.values()].flat();
    return [...ended, ...this.failures.map(({ id }) => id)];
  }

  done(worker: string, id: bigint): void {
    add(this.finished, worker, id);
  }

  /** Notes a job that was cancelled or not begun: it waits again. */
  released(worker: string, id: bigint): void {
    add(this.returned, worker, id);
  }

  /** Notes a failed attempt. @param delay milliseconds before the next attempt; null: there is none */
  failed(worker: string, id: bigint, error: string, delay: number | null): void {
    this.failures.push({ worker, id, error, delay });
  }

  /** Stores all outcomes; those that could not be stored are kept for the next call. Rejects with SqlFailure. */
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
