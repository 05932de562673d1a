import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import type { Workable } from '../core/jobsonly.js';
import { checkOpen, errorFor } from '../data/asking.js';
import type { Database } from '../data/database.js';
import { Durations } from './durations.js';
import type { Handler } from './handlers.js';
import { onEndOfProcess } from './signals.js';
import { type Count, Store } from './store.js';
import { Worker, type Workload } from './worker.js';

export const JOB_QUEUE = new HandleType('JobQueue');

/** The type JobQueue: the jobs of a database. */
export class JobQueue extends Handle implements Workload, Workable {
  readonly handlers = new Map<string, Handler>();
  readonly durations = new Durations();
  /** Number of jobs by name and state, as last read for metrics; null if unknown. */
  counts: readonly Count[] | null = null;
  private worker: Worker | null = null;
  private starting: Promise<void> | null = null;

  constructor(
    private readonly vm: NativeContext,
    readonly db: Database,
    readonly drainSeconds: number,
  ) {
    super();
  }

  get type(): HandleType {
    return JOB_QUEUE;
  }

  override describe(): string {
    return `<JobQueue ${this.db.label}>`;
  }

  get label(): string {
    return this.db.label;
  }

  /** Called after a job was pushed, or made to run again. */
  pushed(name: string, isDelayed: boolean): void {
    if (this.handlers.has(name)) this.worker?.pushed(name, isDelayed);
  }

  /** Called after a handler was added: jobs of its name may be waiting. */
  handlerAdded(name: string): void {
    this.worker?.pushed(name, true);
  }

  /** Begins to run jobs, unless it has begun already. Rejects with SvcError. */
  start(): Promise<void> {
    this.starting ??= this.begin().catch((error: unknown) => {
      this.starting = null;
      throw errorFor(error, '');
    });
    return this.starting;
  }

  private async begin(): Promise<void> {
    if (this.handlers.size === 0)
      fail(Errors.RuntimeError, 'the queue has no handlers: call handle or every before start');
    checkOpen(this.db);
    const driver = await this.db.driver();
    const worker = new Worker(this.vm, this, new Store(this.vm, driver));
    await worker.start();
    this.worker = worker;
    const release = onEndOfProcess(
      () => worker.stop(this.drainSeconds),
      () => worker.stop(0),
      () => this.vm.scheduler.live.size > 0,
    );
    void worker.over().then(() => {
      this.worker = null;
      this.starting = null;
      // Wait a turn: `stays` counts threads, and that of the worker ends in the next turn.
      setImmediate(release);
    });
  }

  /** Claims no more jobs. Resolves when running ones have ended, or were returned to the queue after `drainSeconds`. */
  async stop(): Promise<void> {
    // Await only if needed: a virtual clock could advance during an await.
    if (this.worker === null) await this.starting?.catch(() => {});
    this.worker?.stop(this.drainSeconds);
    await this.worker?.over();
  }

  async work(): Promise<void> {
    await this.start();
    await this.worker?.over();
  }
}
