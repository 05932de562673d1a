/** Runs the jobs of a queue in this process. */
import type { Fiber, Outcome } from '../../vm/fibers/fiber.js';
import type { Timer } from '../../vm/fibers/timers.js';
import { native } from '../../vm/calls/native.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Signal, SvcError } from '../../vm/values/error.js';
import { ENDINGS } from '../core/ending.js';
import { type Span, TRACER } from '../core/tracing.js';
import { lacksTable, SqlFailure } from '../data/driver.js';
import { delayAfter, errorOfJob, storedText } from './failures.js';
import type { Durations } from './durations.js';
import type { Handler } from './handlers.js';
import { Job } from './job.js';
import { Lease } from './leases.js';
import { Outcomes } from './outcomes.js';
import { runJob } from './running.js';
import { ensureTables, forgetTables } from './schema.js';
import type { Store } from './store.js';
import type { StoredJob } from './storedjob.js';

/** Milliseconds between two searches for jobs that other processes pushed; doubled while there are none. */
const POLL_MS = { first: 100, most: 1000 };
/** Milliseconds before the next attempt to reach a database that failed; doubled each time. */
const OUTAGE_MS = { first: 250, most: 15_000 };
/** Maximum number of jobs claimed by one statement. */
const MAX_CLAIM = 100;
/** Milliseconds that cancelled jobs have for their `ensure` blocks before they are returned to the queue. */
const LAST_MS = 1000;

/** Milliseconds between two searches for jobs of the own lease that this process does not know. */
const UNKNOWN_MS = 4000;

/** Stored as the next tick of a schedule that has no further one. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** What a worker needs to know of its queue. */
export interface Workload {
  /** Name of the database, for messages. */
  readonly label: string;
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly durations: Durations;
  readonly drainSeconds: number;
}

interface Running {
  readonly job: Job;
  readonly handler: Handler;
  readonly fiber: Fiber;
  readonly span: Span | null;
  readonly startedAt: number;
}

/** Claims jobs, runs each in a thread of its own, and stores how it ended. */
export class Worker {
  private readonly running = new Map<bigint, Running>();
  /** Number of running jobs by name. */
  private readonly busy = new Map<string, number>();
  private readonly outcomes: Outcomes;
  /** Names that may have waiting jobs. */
  private readonly hot = new Set<string>();
  /** The next tick of each schedule, in milliseconds since 1970. */
  private readonly ticksAt = new Map<string, number>();
  private lease: Lease | null = null;
  /** A thread that waits while the worker runs, so that the program does not end. */
  private fiber: Fiber | null = null;
  private resume: (() => void) | null = null;
  private isAwake = false;
  private wakeUp: (() => void) | null = null;
  private mustLook = true;
  /**
   * Whether the answer to a claim got lost. The claim may have succeeded, also later, if the server still ran it: then
   * the lease has jobs that this process does not know.
   */
  private mayHoldUnknown = false;
  /** When such jobs are searched for again, by `performance.now()`. */
  private unknownAt = 0;
  private poll = POLL_MS.first;
  private outage = 0;
  private isStopping = false;
  private lastTimer: Timer | null = null;
  /** Timer for the next tick or scheduled job. */
  private due: Timer | null = null;
  /** Whether the worker ends without waiting for running jobs. */
  private isLast = false;
  private readonly whenOver: (() => void)[] = [];
  isOver = false;

  constructor(
    private readonly vm: NativeContext,
    private readonly load: Workload,
    private readonly store: Store,
  ) {
    this.outcomes = new Outcomes(store);
  }

  /** Begins a lease and starts the thread. Rejects with SqlFailure. */
  async start(): Promise<void> {
    await this.beginLease();
    const { vm } = this;
    const wait = native('jobs', '', 'Nil', 'Works off jobs.', (context: NativeContext) =>
      context.wait('jobs', (resume) => {
        this.resume = () => resume(null);
        if (this.isOver) this.resume();
        return () => this.stop(0);
      }),
    );
    this.fiber = vm.spawnNative('jobs', wait, () => this.stop(0));
    this.fiber.context = null;
    this.fiber.span = null;
    ENDINGS.of(vm).add(this.ending);
    void this.loop();
  }

  /** Called at the end of the program: returns running jobs to the queue. */
  private readonly ending = (): Promise<void> => {
    this.stop(0);
    return this.over();
  };

  /** Resolves when the worker has stopped. */
  over(): Promise<void> {
    return this.isOver ? Promise.resolve() : new Promise((resolve) => this.whenOver.push(resolve));
  }

  /** Called after a job was pushed in this process. */
  pushed(name: string, isDelayed: boolean): void {
    if (isDelayed) this.mustLook = true;
    else this.hot.add(name);
    this.wake();
  }

  /** Claims no further jobs. Running ones are cancelled after `seconds` and returned to the queue. */
  stop(seconds: number): void {
    if (this.isOver) return;
    this.isStopping = true;
    if (this.lastTimer !== null) this.vm.timers.cancel(this.lastTimer);
    if (seconds > 0) this.lastTimer = this.vm.timers.add(seconds * 1000, () => this.cancelAll());
    else this.cancelAll();
    this.wake();
  }

  private cancelAll(): void {
    for (const { fiber } of this.running.values()) this.vm.scheduler.cancel(fiber);
    const last = (): void => {
      this.isLast = true;
      this.wake();
    };
    // Not a timer of the program: its clock may be virtual, but `ensure` blocks may wait for real I/O.
    if (this.running.size > 0) setTimeout(last, LAST_MS).unref();
  }

  private async beginLease(): Promise<void> {
    await ensureTables(this.store.driver, null);
    this.mayHoldUnknown = false;
    this.lease = await Lease.begin(this.store, {
      lost: () =>
        this.loseAll(
          'lost its lease, because it stood still, did not reach the database, or the database lost its data',
          'left to others',
        ),
      reclaimed: () => this.lookAgain(),
    });
  }

  /**
   * Called when the lease is lost: cancels all jobs, because other workers may run them, and begins a new lease.
   * @param what what happened to this process, for the message
   * @param fate what becomes of its jobs
   */
  private loseAll(what: string, fate: string): void {
    this.vm.host.stderr(
      `warning: jobs of ${this.load.label}: this process ${what}; running jobs that are ${fate}: ${this.running.size}\n`,
    );
    this.lease = null;
    // The schedules may be lost, too: read them again.
    this.ticksAt.clear();
    for (const [id, { fiber }] of this.running) {
      this.remove(id);
      this.vm.scheduler.cancel(fiber);
    }
    this.lookAgain();
  }

  private lookAgain(): void {
    this.mustLook = true;
    this.wake();
  }

  private wake(): void {
    this.isAwake = true;
    // Set this first: a virtual clock must not advance while work is waiting.
    if (this.fiber?.state === 'waiting') this.fiber.waitEndedBy = 'outside';
    this.wakeUp?.();
  }

  private async loop(): Promise<void> {
    while (!this.isOver) {
      this.isAwake = false;
      try {
        await this.turn();
        this.outage = 0;
      } catch (failure) {
        if (!(failure instanceof SqlFailure)) throw failure;
        this.failed(failure);
      }
      if (this.isStopping && this.isDone) await this.end();
      else await this.rest();
    }
  }

  /** Whether a stopping worker can end: nothing is left, or only outcomes that the database does not accept. */
  private get isDone(): boolean {
    return this.isLast || (this.running.size === 0 && (this.outcomes.isEmpty || this.outage > 0));
  }

  private async turn(): Promise<void> {
    if (this.lease === null && !this.isStopping) await this.beginLease();
    if (this.mayHoldUnknown && performance.now() >= this.unknownAt) await this.releaseUnknown();
    if (this.mustLook && !this.isStopping) await this.look();
    const claims = this.isStopping ? [] : [...this.hot].map((name) => this.claim(name));
    const { hasFailures } = this.outcomes;
    const settled = await Promise.allSettled([this.outcomes.write(), ...claims]);
    for (const result of settled) if (result.status === 'rejected') throw result.reason;
    // Find out when their next attempts are due.
    if (hasFailures) this.lookAgain();
  }

  /** Returns jobs of the lease that this process does not know to the queue. Called while no claim is under way. */
  private async releaseUnknown(): Promise<void> {
    const { lease, running, outcomes } = this;
    if (lease !== null) await this.store.releaseAllBut(lease.id, [...running.keys(), ...outcomes.ids]);
    this.unknownAt = performance.now() + UNKNOWN_MS;
  }

  private async look(): Promise<void> {
    this.mustLook = false;
    let nextIn = await this.tick();
    const look = await this.store.look([...this.load.handlers.keys()]);
    for (const name of look.names) this.hot.add(name);
    this.poll = look.names.length > 0 ? POLL_MS.first : Math.min(this.poll * 2, POLL_MS.most);
    if (look.nextIn !== null) nextIn = Math.min(nextIn, Math.max(look.nextIn, 0));
    this.lookIn(nextIn);
  }

  /** Searches again after `ms` milliseconds of the program's clock. */
  private lookIn(ms: number): void {
    if (this.due !== null) this.vm.timers.cancel(this.due);
    this.due = ms === Infinity ? null : this.vm.timers.add(ms, () => this.lookAgain());
  }

  /** Pushes the jobs of ticks that are due. Resolves with the milliseconds until the next tick. */
  private async tick(): Promise<number> {
    const scheduled = [...this.load.handlers.values()].filter(({ ticks }) => ticks !== null);
    if (scheduled.length === 0) return Infinity;
    const now = await this.store.time();
    let next = Infinity;
    for (const { name, ticks } of scheduled) {
      let at = this.ticksAt.get(name) ?? (await this.scheduled(name, now));
      if (at <= now && ticks !== null) {
        await this.store.tick(name, at, ticks.after(now) ?? NEVER);
        // Read it again, because another process may have pushed the job first.
        at = await this.scheduled(name, now);
      }
      next = Math.min(next, at - now);
    }
    return Math.max(next, 0);
  }

  /** Reads the next tick of a schedule, in milliseconds since 1970. Stores a new schedule first. */
  private async scheduled(name: string, now: number): Promise<number> {
    const ticks = this.load.handlers.get(name)?.ticks;
    if (ticks == null) return Infinity;
    const { pattern, zone } = ticks;
    let at = await this.store.scheduled(name, pattern, zone);
    if (at === null) {
      await this.store.schedule(name, pattern, zone, ticks.after(now) ?? NEVER);
      at = (await this.store.scheduled(name, pattern, zone)) ?? Infinity;
    }
    this.ticksAt.set(name, at);
    return at;
  }

  private freeOf({ name, concurrency }: Handler): number {
    return concurrency - (this.busy.get(name) ?? 0);
  }

  private async claim(name: string): Promise<void> {
    const handler = this.load.handlers.get(name);
    const { lease } = this;
    if (handler === undefined) this.hot.delete(name);
    if (handler === undefined || lease === null) return;
    const wanted = Math.min(this.freeOf(handler), MAX_CLAIM);
    if (wanted === 0) return;
    this.hot.delete(name);
    const rows = await this.store.claim(lease.id, name, wanted).catch((failure: unknown) => {
      this.mayHoldUnknown = true;
      throw failure;
    });
    if (rows.length === wanted) this.hot.add(name);
    for (const row of rows) this.begin(row, handler, lease);
  }

  private begin(row: StoredJob, handler: Handler, lease: Lease): void {
    const { vm } = this;
    const job = new Job(row);
    // The lease was lost, or the worker ended, during the claim.
    if (lease !== this.lease || this.isLast) return this.outcomes.released(lease.id, row.id);
    let fiber: Fiber;
    try {
      vm.scheduler.checkSpawn();
      fiber = vm.spawnNative('job', runJob(job, handler), (outcome) => this.ended(job, lease, outcome));
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      // Too many threads: return the job to the queue.
      this.hot.delete(row.name);
      return this.outcomes.released(lease.id, row.id);
    }
    const span =
      TRACER.of(vm)?.start(
        job.label,
        'internal',
        {},
        { 'svc.job.id': String(row.id), 'svc.job.attempt': row.attempt },
      ) ?? null;
    fiber.context = job;
    fiber.span = span;
    this.busy.set(row.name, (this.busy.get(row.name) ?? 0) + 1);
    this.running.set(row.id, { job, handler, fiber, span, startedAt: performance.now() });
    if (this.isStopping) vm.scheduler.cancel(fiber);
  }

  private ended({ row }: Job, lease: Lease, outcome: Outcome): void {
    const entry = lease === this.lease ? this.remove(row.id) : undefined;
    // The lease under which it was claimed is lost.
    if (entry === undefined) return;
    const isReturned = !outcome.ok && outcome.error instanceof Signal && outcome.error.kind === 'cancel';
    const ending = outcome.ok ? 'done' : isReturned ? 'returned' : 'failed';
    this.load.durations.note(row.name, ending, (performance.now() - entry.startedAt) / 1000);
    if (outcome.ok) this.outcomes.done(lease.id, row.id);
    else if (isReturned) this.outcomes.released(lease.id, row.id);
    else this.jobFailed(entry, lease, errorOfJob(outcome.error));
    entry.span?.end();
    this.wake();
  }

  private remove(id: bigint): Running | undefined {
    const entry = this.running.get(id);
    if (entry === undefined) return undefined;
    const { name } = entry.handler;
    this.running.delete(id);
    this.busy.set(name, (this.busy.get(name) ?? 1) - 1);
    return entry;
  }

  private jobFailed({ job, handler, span }: Running, lease: Lease, error: SvcError): void {
    const { vm } = this;
    const { id, name, attempt } = job.row;
    const delay = attempt > handler.retries ? null : delayAfter(attempt, vm.host.random());
    const next = delay === null ? 'it is dead' : `the next one in ${(delay / 1000).toFixed(1)} s`;
    span?.failed(error.value);
    vm.host.stderr(`job ${id} ${name} failed in attempt ${attempt} of ${handler.retries + 1}, ${next}:\n`);
    vm.report(null, error);
    this.outcomes.failed(lease.id, id, storedText(error.value), delay);
  }

  private failed(failure: SqlFailure): void {
    if (failure.kind === 'closed') this.stopWithoutDatabase();
    else if (lacksTable(failure)) this.loseTables();
    else if (this.outage === 0)
      this.vm.host.stderr(`warning: jobs of ${this.load.label} wait for the database: ${failure.message}\n`);
    this.outage = Math.min(Math.max(this.outage * 2, OUTAGE_MS.first), OUTAGE_MS.most);
    this.mustLook = true;
  }

  /** Called when the database has lost its tables. The next turn creates them, and begins a new lease. */
  private loseTables(): void {
    forgetTables(this.store.driver);
    // A second statement on them may have failed at the same time.
    if (this.lease === null) return;
    this.lease.forget();
    this.loseAll('creates the tables svc_jobs… again, because the database has lost them', 'cancelled');
  }

  /** Called when the program has closed the database. */
  private stopWithoutDatabase(): void {
    this.isStopping = this.isLast = true;
    this.cancelAll();
  }

  /** Waits until there is something to do. */
  private async rest(): Promise<void> {
    const canGoOn =
      !this.isStopping && [...this.load.handlers.values()].some((h) => this.hot.has(h.name) && this.freeOf(h) > 0);
    if (this.outage === 0 && (this.isAwake || canGoOn || !this.outcomes.isEmpty)) return;
    const isPolling = !this.isStopping && this.outage === 0;
    if (this.outage === 0) this.idle();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.outage > 0 ? this.outage : this.poll);
      if (this.outage > 0) return;
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = null;
    if (isPolling && !this.isAwake) this.mustLook = true;
    if (this.fiber?.state === 'waiting') this.fiber.waitEndedBy = 'outside';
  }

  /** Lets a virtual clock advance, because there is nothing to do now. */
  private idle(): void {
    const { vm, fiber } = this;
    if (fiber?.state !== 'waiting') return;
    fiber.waitEndedBy = 'clock';
    if (vm.host.behind === undefined) return;
    vm.host.defer(() => {
      if (fiber.waitEndedBy === 'clock' && vm.scheduler.isQuiet) vm.scheduler.onQuiet();
    });
  }

  private async end(): Promise<void> {
    const { lease } = this;
    this.isLast = true;
    lease?.forget();
    try {
      await this.outcomes.write();
      // Jobs that are still running wait again.
      if (lease !== null) {
        await this.store.releaseAllBut(lease.id, []);
        await lease.end();
      }
    } catch (failure) {
      if (!(failure instanceof SqlFailure)) throw failure;
      if (failure.kind !== 'closed')
        this.vm.host.stderr(`warning: jobs of ${this.load.label} were not given back: ${failure.message}\n`);
    }
    if (this.due !== null) this.vm.timers.cancel(this.due);
    if (this.lastTimer !== null) this.vm.timers.cancel(this.lastTimer);
    this.lease = null;
    this.isOver = true;
    ENDINGS.of(this.vm).delete(this.ending);
    this.resume?.();
    for (const resolve of this.whenOver.splice(0)) resolve();
  }
}
