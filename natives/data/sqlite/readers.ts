import { type RowRoom, SqlFailure } from '../driver.js';
import { WaitingLine } from '../../../vm/fibers/waitingline.js';
import type { Pace } from '../pace.js';
import { Gate } from './gate.js';
import type { Holder, Job } from './job.js';
import { Lane } from './lane.js';
import type { ConnectionSettings } from './protocol.js';

/** Maximum number of threads that share statements that read. */
const SHARED = 4;

/** Milliseconds that statements wait for another one before they move to another thread. */
const PATIENCE_MS = 20;

/** Maximum number of threads whose statement does not end although it was cancelled. */
const ABANDONED = 8;

/** The threads that read: a few that share statements, and others that are lent to one cursor or transaction. */
export class Readers implements Holder {
  private readonly shared: Lane[] = [];
  private readonly leased = new Set<Lane>();
  /** Statements for which no thread has time yet. */
  private readonly line = new WaitingLine<Job>();
  /** A thread for the next cursor or transaction. */
  private idle: Lane | null = null;
  /** All threads that have not ended. */
  private readonly threads = new Set<Lane>();
  private abandoned = 0;
  private timer: NodeJS.Timeout | null = null;
  readonly gate: Gate;

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly room: RowRoom,
    private readonly pace: Pace,
    pool: number,
    seconds: number,
  ) {
    this.gate = new Gate(pool, seconds);
  }

  get connections(): number {
    return this.shared.length + this.leased.size + (this.idle === null ? 0 : 1);
  }

  /** Number of statements, cursors and transactions that wait for a thread. */
  get waiting(): number {
    return this.gate.waiting + this.line.length;
  }

  /** Runs a statement as soon as a thread has time for it. */
  send(job: Job): void {
    if (job.isSettled || this.gate.isLeft) return;
    const lane = this.line.length === 0 ? this.free() : null;
    if (lane !== null) lane.send(job);
    else {
      this.line.add(job);
      job.holder = this;
    }
    this.timer ??= setTimeout(() => this.spread(), PATIENCE_MS).unref();
  }

  /** Takes out a statement that waits and has been cancelled. */
  cancel(job: Job): void {
    this.line.leave(job);
  }

  /** A thread for one user, to be returned with `giveBack`. */
  lease(): Lane {
    const lane = this.idle ?? this.start();
    this.idle = null;
    this.leased.add(lane);
    return lane;
  }

  giveBack(lane: Lane): void {
    this.leased.delete(lane);
    if (!lane.isUsable) return;
    if (this.idle === null && lane.load === 0) this.idle = lane;
    else void lane.close(new SqlFailure('closed', 'the connection was closed'));
  }

  async close(failure: SqlFailure): Promise<void> {
    this.gate.close(failure);
    if (this.timer !== null) clearTimeout(this.timer);
    for (const job of this.line.takeAll()) job.fail(failure);
    const lanes = [...this.shared, ...this.leased, ...(this.idle === null ? [] : [this.idle])];
    await Promise.all(lanes.map((lane) => lane.close(failure)));
  }

  /** At the end of the process: ends what runs and waits for it. No request gets an answer any more. */
  async leave(failure: SqlFailure): Promise<void> {
    this.gate.leave();
    const busy = [...this.threads].filter((lane) => !lane.isIdle || this.leased.has(lane));
    await Promise.all(busy.map((lane) => (lane.isUsable ? lane.leave(failure, true) : lane.over())));
  }

  private start(): Lane {
    const lane = new Lane(
      this.settings,
      this.room,
      this.pace,
      (lane) => this.remove(lane),
      (lane) => this.abandon(lane),
    );
    this.threads.add(lane);
    void lane.ended.then(() => this.threads.delete(lane));
    return lane;
  }

  private share(): Lane {
    const lane = this.start();
    lane.onProgress = () => this.serve();
    this.shared.push(lane);
    return lane;
  }

  /** The first thread that has little to do: threads that share work send more and smaller messages. */
  private free(): Lane | null {
    if (this.shared.length === 0) return this.share();
    return this.shared.find((lane) => lane.hasRoom && lane.delay < PATIENCE_MS) ?? null;
  }

  /** Gives threads that have time the statements that wait. */
  private serve(): void {
    while (this.line.length > 0 && !this.gate.isLeft) {
      const lane = this.free();
      if (lane === null) return;
      lane.send(this.line.next() as Job);
    }
  }

  private remove(lane: Lane): void {
    const index = this.shared.indexOf(lane);
    if (index >= 0) this.shared.splice(index, 1);
    if (this.idle === lane) this.idle = null;
    this.serve();
  }

  /** Takes back statements that wait for a slow one: other threads answer them, if necessary a new one. */
  private spread(): void {
    this.timer = null;
    for (const lane of [...this.shared]) {
      if (lane.delay < PATIENCE_MS || (lane.load < 2 && this.line.length === 0)) continue;
      if (this.shared.length < SHARED && !this.shared.some(({ load }) => load === 0)) this.share();
      for (const job of lane.takeRest()) this.send(job);
    }
    this.serve();
    if (this.shared.some(({ load }) => load > 0)) this.timer = setTimeout(() => this.spread(), PATIENCE_MS).unref();
  }

  private abandon(lane: Lane): boolean {
    if (this.abandoned >= ABANDONED) return false;
    this.abandoned++;
    void lane.ended.then(() => this.abandoned--);
    const waiting = lane.takeRest();
    lane.abandon(
      new SqlFailure('connection', 'the connection was given up, because a cancelled statement did not end'),
    );
    for (const job of waiting) this.send(job);
    return true;
  }
}
