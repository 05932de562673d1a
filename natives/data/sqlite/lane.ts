import type { Worker } from 'node:worker_threads';
import { SqlFailure } from '../driver.js';
import { failureOf } from './failures.js';
import type { Job } from './job.js';
import type { ConnectionSettings, FromConnection, Request, ToConnection } from './protocol.js';
import { startThread } from './start.js';

/** Milliseconds in which a thread should answer that it has cancelled a request. */
const GRACE_MS = 100;

/** Milliseconds in which a thread should end. */
const CLOSE_MS = 1_000;

/** A connection on a thread of its own, as the main thread sees it. Requests of one turn travel in one message. */
export class Lane {
  /** Rejects if the connection cannot be opened. */
  readonly opened: Promise<void>;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  private readonly worker: Worker;
  /** Requests that are not answered, in their order. */
  private readonly jobs = new Map<number, Job>();
  private requests: Request[] = [];
  private cancelled: number[] = [];
  private received = 0;
  private isFlushing = false;
  private isOpen = false;
  private failure: SqlFailure | null = null;
  private grace: NodeJS.Timeout | null = null;
  /** When the first of the unanswered requests became the first, in milliseconds. */
  private since = 0;

  /**
   * @param onEnd the thread has ended, or cannot be used any more
   * @param onStuck a cancelled statement does not end; returns whether the thread is abandoned
   */
  constructor(
    settings: ConnectionSettings,
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
    this.worker.on('error', (error) => refuse(this.end(new SqlFailure('connection', this.endMessage(error)))));
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

  /** Milliseconds for which the first request has been waiting for its answer. */
  get delay(): number {
    return this.jobs.size === 0 ? 0 : performance.now() - this.since;
  }

  send(job: Job): void {
    if (job.isSettled) return;
    if (this.failure !== null) return job.fail(this.failure);
    if (this.jobs.size === 0) {
      this.worker.ref();
      this.since = performance.now();
    }
    const { id } = job.request;
    this.jobs.set(id, job);
    this.requests.push(job.request);
    job.onCancel = () => this.cancel(id);
    this.flushLater();
  }

  /** Takes back all requests but the first, so that other threads can answer them. */
  takeRest(): Job[] {
    const rest = [...this.jobs.values()].slice(1);
    for (const job of rest) this.withdraw(job.request.id);
    return rest.filter((job) => !job.isSettled);
  }

  /** Fails all requests and ends the thread; waits for it for a second at most. */
  async close(failure: SqlFailure): Promise<void> {
    this.cancelled.push(...this.jobs.keys());
    this.end(failure);
    this.worker.ref();
    this.worker.postMessage(this.message(true));
    let timer: NodeJS.Timeout | null = null;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.worker.unref();
        void this.worker.terminate();
        resolve();
      }, CLOSE_MS);
    });
    await Promise.race([this.ended, late]);
    if (timer !== null) clearTimeout(timer);
  }

  /** Gives up on a thread whose statement does not end. */
  abandon(failure: SqlFailure): void {
    this.end(failure);
    void this.worker.terminate();
  }

  private endMessage(error: unknown): string {
    const { code, message } = error as { code?: string; message?: string };
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') return 'the thread of the database ran out of memory';
    return `the thread of the database failed: ${message}`;
  }

  private end(failure: SqlFailure): SqlFailure {
    if (this.failure !== null) return this.failure;
    this.failure = failure;
    const jobs = [...this.jobs.values()];
    this.jobs.clear();
    for (const job of jobs) job.fail(failure);
    if (this.grace !== null) clearTimeout(this.grace);
    this.worker.unref();
    this.onEnd(this);
    return failure;
  }

  private withdraw(id: number): void {
    this.jobs.delete(id);
    this.cancelled.push(id);
    this.flushLater();
  }

  private cancel(id: number): void {
    const unsent = this.requests.findIndex((request) => request.id === id);
    if (unsent >= 0) {
      this.requests.splice(unsent, 1);
      this.finish(id);
      return;
    }
    this.cancelled.push(id);
    this.flushLater();
    this.grace ??= setTimeout(() => this.checkStuck(), GRACE_MS);
  }

  /** The first request is the one that runs: if it has been cancelled, its statement does not end. */
  private checkStuck(): void {
    this.grace = null;
    const [first] = this.jobs.values();
    if (first === undefined || ![...this.jobs.values()].some((job) => job.isSettled)) return;
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
    const message = { requests: this.requests, cancelled: this.cancelled, received: this.received, close };
    this.requests = [];
    this.cancelled = [];
    this.received = 0;
    return message;
  }

  private receive({ answers, heavy }: FromConnection): void {
    if (heavy) {
      this.received++;
      this.flushLater();
    }
    for (const answer of answers) {
      const job = this.jobs.get(answer.id);
      if (!answer.more) this.finish(answer.id);
      job?.answer(answer);
    }
    if (this.jobs.size === 0) this.worker.unref();
  }

  private finish(id: number): void {
    const [first] = this.jobs.keys();
    this.jobs.delete(id);
    if (id === first) this.since = performance.now();
    if (this.jobs.size === 0) this.worker.unref();
  }
}
