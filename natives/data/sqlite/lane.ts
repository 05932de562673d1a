import type { Worker } from 'node:worker_threads';
import { LinkedList } from '../../../vm/fibers/linkedlist.js';
import { within } from '../../within.js';
import { Cancellation, type RowRoom, SqlFailure } from '../driver.js';
import { AHEAD_MS, type Pace, type StatementPace } from '../pace.js';
import { failureOf } from './failures.js';
import { lacksDescriptors, TOO_MANY_FILES, unopened } from './faults.js';
import { Job, type Wish } from './job.js';
import { AnswerReader, RequestWriter } from './messages.js';
import type { ConnectionSettings, FromConnection, Request, ToConnection } from './protocol.js';
import { startThread } from './start.js';

/** Milliseconds after which a cancelled request without an answer is looked at. */
const GRACE_MS = 100;

/** Milliseconds for which the end of a thread is awaited when a database is closed. */
const CLOSE_MS = 1_000;

/** The same at the end of the process, which would end the thread otherwise; then libsql prints a panic, or aborts. */
const LEAVE_MS = 2_000;

/** Milliseconds that a statement is expected to take before it has run. */
const UNKNOWN_MS = 1;

/** A connection on a thread of its own, as the main thread sees it. Requests of one turn travel in one message. */
export class Lane {
  /** Rejects if the connection cannot be opened. */
  readonly opened: Promise<void>;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  private readonly worker: Worker;
  /** Requests that are not answered, in their order: usually the first one leaves. */
  private readonly jobs = new LinkedList<Job>();
  private requests: Request[] = [];
  private readonly writer = new RequestWriter();
  private readonly reader = new AnswerReader();
  private cancelled: number[] = [];
  private received = 0;
  private isFlushing = false;
  private isOpen = false;
  private isLeft = false;
  private failure: SqlFailure | null = null;
  private grace: NodeJS.Timeout | null = null;
  /** When the first of the unanswered requests became the first, in milliseconds. */
  private since = 0;
  /** Milliseconds of work that the unanswered requests are likely to take. */
  private backlog = 0;
  /** Called when requests have been answered or have left. */
  onProgress: () => void = () => {};
  /** Called before answers are handled, with the version of the schema. */
  onSchema: (version: number) => void = () => {};

  /**
   * @param pace how long statements take
   * @param onEnd the thread has ended, or cannot be used any more
   * @param onStuck a cancelled statement does not end; returns whether the thread is abandoned
   */
  constructor(
    settings: ConnectionSettings,
    private readonly room: RowRoom,
    private readonly pace: Pace,
    private readonly onEnd: (lane: Lane) => void,
    private readonly onStuck: (lane: Lane) => boolean = () => false,
  ) {
    this.worker = startThread(settings);
    let open!: () => void;
    let refuse!: (failure: SqlFailure) => void;
    this.opened = new Promise((resolve, reject) => {
      open = resolve;
      refuse = reject;
    });
    this.opened.catch(() => {});
    this.worker.on('message', (message: FromConnection) => {
      if (message.opened?.fault) refuse(this.end(failureOf(message.opened.fault)));
      else if (message.opened) this.isOpen = true;
      if (this.isOpen) open();
      this.receive(message);
    });
    this.worker.on('error', (error) => {
      const isUnopened = !this.isOpen && lacksDescriptors(error);
      const failure = isUnopened
        ? new SqlFailure('database', unopened(settings.path, TOO_MANY_FILES))
        : new SqlFailure('connection', this.endMessage(error));
      refuse(this.end(failure));
    });
    this.ended = new Promise((resolve) => {
      this.worker.on('exit', () => {
        refuse(this.end(new SqlFailure('connection', 'the thread of the database has ended')));
        resolve();
      });
    });
  }

  /** Number of unanswered requests. */
  get load(): number {
    return this.jobs.size;
  }

  get isUsable(): boolean {
    return this.failure === null;
  }

  /** Whether its thread does nothing: it has opened its connection and answered all requests. */
  get isIdle(): boolean {
    return this.isUsable && this.isOpen && this.jobs.size === 0;
  }

  /** Whether further requests would not wait for long. */
  get hasRoom(): boolean {
    return this.jobs.size === 0 || this.backlog < AHEAD_MS;
  }

  /** Milliseconds for which the first request has been waiting for its answer. */
  get delay(): number {
    return this.jobs.size === 0 ? 0 : performance.now() - this.since;
  }

  /** Makes a request and sends it. @param kinds how the columns of its rows are read, if its answer does not say it */
  ask(wish: Wish, cancellation = new Cancellation(), kinds: Job['columnKinds'] = null): Job {
    const job = new Job(wish, cancellation, kinds);
    this.send(job);
    return job;
  }

  send(job: Job): void {
    if (job.isSettled || this.isLeft) return;
    if (this.failure !== null) return job.fail(this.failure);
    if (this.jobs.size === 0) {
      this.worker.ref();
      this.since = performance.now();
    }
    this.add(job);
    this.requests.push(job.request);
    job.holder = this;
    this.flushLater();
  }

  /** Takes back all requests but the first, so that other threads can answer them. */
  takeRest(): Job[] {
    const [, ...rest] = this.jobs;
    for (const job of rest) this.withdraw(job);
    return rest.filter((job) => !job.isSettled);
  }

  /** Fails all requests and ends the thread; waits for it for a second at most. */
  async close(failure: SqlFailure): Promise<void> {
    this.abandon(failure);
    await this.over(CLOSE_MS);
  }

  /**
   * At the end of the process: ends the thread and waits for it. No request gets an answer any more.
   * @param interrupts whether the statement that runs is cancelled
   */
  async leave(failure: SqlFailure, interrupts: boolean): Promise<void> {
    this.isLeft = true;
    for (const job of [...this.jobs])
      if (interrupts) this.withdraw(job);
      else this.drop(job);
    this.abandon(failure);
    await this.over();
  }

  /** Waits for the end of the thread, for `ms` milliseconds at most. */
  async over(ms = LEAVE_MS): Promise<void> {
    this.worker.ref();
    await within(ms, this.ended, () => this.worker.unref());
  }

  /**
   * Fails all requests. The thread ends by itself as soon as its statement lets it: `terminate` would not end a statement
   * either, and if one fails in a thread that is being terminated, libsql ends the process.
   */
  abandon(failure: SqlFailure): void {
    for (const { request } of this.jobs) this.cancelled.push(request.id);
    this.end(failure);
    this.worker.postMessage(this.message(true));
  }

  /** A job of this thread has been cancelled. */
  cancel(job: Job): void {
    if (this.takeUnsent(job)) {
      this.finish(job);
      this.onProgress();
      return;
    }
    this.cancelled.push(job.request.id);
    this.flushLater();
    this.grace ??= setTimeout(() => this.checkStuck(), GRACE_MS);
  }

  private endMessage(error: unknown): string {
    const { code, message } = error as { code?: string; message?: string };
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') return 'the thread of the database ran out of memory';
    return `the thread of the database failed: ${message}`;
  }

  private end(failure: SqlFailure): SqlFailure {
    if (this.failure !== null) return this.failure;
    this.failure = failure;
    for (const job of [...this.jobs]) {
      this.drop(job);
      job.fail(failure);
    }
    if (this.grace !== null) clearTimeout(this.grace);
    this.worker.unref();
    this.onEnd(this);
    return failure;
  }

  /** Takes a request back. If it was sent, the thread still answers that it was cancelled, under its old number. */
  private withdraw(job: Job): void {
    this.drop(job);
    if (this.takeUnsent(job)) return;
    this.cancelled.push(job.request.id);
    job.renew();
    this.flushLater();
  }

  /** Returns false if the request of a job has been sent. */
  private takeUnsent({ request }: Job): boolean {
    const index = this.requests.indexOf(request);
    if (index >= 0) this.requests.splice(index, 1);
    return index >= 0;
  }

  /** The first request is the one that runs: if it has been cancelled, its statement does not end. */
  private checkStuck(): void {
    this.grace = null;
    const { first } = this.jobs;
    if (first === null || ![...this.jobs].some((job) => job.isSettled)) return;
    if (!first.isSettled || this.delay < GRACE_MS || !this.onStuck(this))
      this.grace = setTimeout(() => this.checkStuck(), GRACE_MS);
  }

  private flushLater(): void {
    if (this.isFlushing) return;
    this.isFlushing = true;
    setImmediate(() => {
      this.isFlushing = false;
      if (this.failure === null) this.worker.postMessage(this.message(false));
    });
  }

  private message(close: boolean): ToConnection {
    const requests = this.writer.write(this.requests);
    const message = { requests, cancelled: this.cancelled, received: this.received, load: this.jobs.size, close };
    this.requests = [];
    this.cancelled = [];
    this.received = 0;
    return message;
  }

  private receive({ answers, ms, heavy, schema }: FromConnection): void {
    if (schema !== null) this.onSchema(schema);
    if (heavy) {
      this.received++;
      this.flushLater();
    }
    let answered = 0;
    const paces: StatementPace[] = [];
    this.reader.read(answers, (answer) => {
      const job = this.find(answer.id);
      if (job === null) return;
      if (!answer.more) {
        answered++;
        if (job.pace !== null && job.pace !== paces.at(-1)) paces.push(job.pace);
        this.finish(job);
      }
      job.answer(answer, this.room);
    });
    for (const pace of paces) pace.note(ms / answered);
    if (this.jobs.size === 0) this.worker.unref();
    this.onProgress();
  }

  /** Answers come almost in the order of requests, so the first one is the usual result. */
  private find(id: number): Job | null {
    let job = this.jobs.first;
    while (job !== null && job.request.id !== id) job = job.younger;
    return job;
  }

  private add(job: Job): void {
    const pace = (job.pace = this.pace.of(job.request.sql));
    job.expected = pace.ms === Infinity ? UNKNOWN_MS : pace.ms;
    this.backlog += job.expected;
    this.jobs.add(job);
  }

  private drop(job: Job): void {
    this.jobs.delete(job);
    this.backlog = this.jobs.size === 0 ? 0 : this.backlog - job.expected;
  }

  private finish(job: Job): void {
    const wasFirst = this.jobs.first === job;
    this.drop(job);
    if (wasFirst) this.since = performance.now();
    if (this.jobs.size === 0) this.worker.unref();
  }
}
