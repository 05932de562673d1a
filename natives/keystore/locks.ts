import { randomBytes } from 'node:crypto';
import { type EndedBy, type Fiber, Handover } from '../../vm/fibers/fiber.js';
import type { Timer } from '../../vm/fibers/timers.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Internal, type Value } from '../../vm/values/value.js';
import type { Acquired, Answer, StoreDriver } from './drivers/driver.js';

/** Maximum milliseconds between two attempts to take a lock, because its release may not be reported. */
const LOOK_MS = 500;

/** Milliseconds between the end of a lease and the next attempt. */
const SLACK_MS = 2;

/** A lock is renewed after a third of its time to live; a failed renewal is repeated after a tenth of it. */
const RENEWALS = 3;
const REPEATS = 10;

/** Time to live of a lock in a program with a virtual clock. */
const ENDLESS_MS = 100 * 365 * 86_400_000;

/** The names of this process's owners of locks begin with this text, and end with a number. */
const PROCESS_NAME = randomBytes(12).toString('base64url');
let owners = 0;

/** Prefix of the owners of locks that this process takes. */
function ownerPrefix(): string {
  return `${PROCESS_NAME}.`;
}

/** Called when an attempt to take a lock ends. */
export interface Outcomes {
  obtained(lease: Lease): void;
  /** The lock was not free in time. */
  late(): void;
  failed(error: unknown): void;
}

/** Calls `done` or `failed` with an answer: at once if it is no promise. */
function settle<T>(answer: () => Answer<T>, done: (result: T) => void, failed: (error: unknown) => void): void {
  let result: Answer<T>;
  try {
    result = answer();
  } catch (error) {
    failed(error);
    return;
  }
  if (result instanceof Promise) result.then(done, failed);
  else done(result);
}

/** An attempt of a thread of this process to take a lock. */
class Attempt extends Handover {
  readonly owner = `${ownerPrefix()}${++owners}`;
  private isAsking = false;
  private asksAgain = false;
  private isLate = false;
  private isOver = false;
  private wasExtended = false;
  /** Whether the thread has the lock. */
  isHolding = false;
  private left = false;
  private stopWatching: (() => void) | null = null;
  private look: Timer | null = null;
  private readonly limit: Timer | null;

  readonly ttl: number;

  /** @param wait milliseconds; null: without a limit */
  constructor(
    private readonly locks: Locks,
    readonly name: string,
    ttl: number,
    wait: number | null,
    readonly fiber: Fiber | null,
    private readonly outcomes: Outcomes,
  ) {
    super();
    // A virtual clock advances while an engine answers, so the lock could not be renewed in time.
    this.ttl = locks.vm.host.behind === undefined || locks.isLocal ? ttl : ENDLESS_MS;
    this.limit = wait === null ? null : locks.vm.timers.add(wait, () => this.expire());
  }

  /** Whether the thread has given up or released the lock, which the engine may not yet know. */
  get isLeft(): boolean {
    return this.left;
  }

  /** The thread gives up, or releases the lock. */
  noteLeft(): void {
    this.left = true;
    this.isHolding = false;
    this.locks.noteHolder(this.name);
  }

  /** Asks the engine for the lock. */
  ask(): void {
    if (this.isOver) return;
    if (this.isAsking) {
      this.asksAgain = true;
      return;
    }
    this.isAsking = true;
    this.asksAgain = false;
    const { locks, name, owner, ttl } = this;
    const askedAt = locks.vm.host.now();
    settle(
      () => locks.perform((driver) => driver.acquire(name, owner, ttl)),
      (acquired) => this.answered(acquired, askedAt),
      (error) => this.fail(error),
    );
  }

  private answered(acquired: Acquired, askedAt: number): void {
    this.isAsking = false;
    if ('token' in acquired) {
      if (this.extend(askedAt)) return;
      const lease = new Lease(this.locks, this, acquired.token, askedAt);
      if (this.isOver) lease.release();
      else {
        this.end();
        this.isHolding = true;
        this.locks.noteHolder(this.name);
        this.outcomes.obtained(lease);
      }
      return;
    }
    if (this.isLate) this.expire();
    if (this.isOver) {
      this.locks.leave(this);
      return;
    }
    this.watch();
    if (this.asksAgain) this.ask();
    else this.lookAfter(Math.min(acquired.busyFor + SLACK_MS, LOOK_MS));
  }

  /**
   * Asks once more if the answer took so long that the lease would soon end, as after an outage: its time counts from
   * the question, because the engine may have answered at once.
   */
  private extend(askedAt: number): boolean {
    const { isOver, wasExtended, locks, ttl } = this;
    if (isOver || wasExtended || locks.vm.host.now() - askedAt < ttl / RENEWALS) return false;
    this.wasExtended = true;
    this.ask();
    return true;
  }

  private watch(): void {
    if (this.stopWatching !== null) return;
    this.stopWatching = () => {};
    settle(
      () => this.locks.perform((driver) => driver.watch(this.name, () => this.ask())),
      (stop) => {
        if (this.isOver) stop();
        else this.stopWatching = stop;
      },
      (error) => this.fail(error),
    );
  }

  private lookAfter(ms: number): void {
    const { timers } = this.locks.vm;
    if (this.look !== null) timers.cancel(this.look);
    this.look = timers.addBackground(ms, () => this.ask());
  }

  /** Ends the attempt, because the lock was not free in time; if the engine is being asked, after its answer. */
  private expire(): void {
    this.isLate = true;
    if (this.isAsking || this.isOver) return;
    this.end();
    this.locks.leave(this);
    this.outcomes.late();
  }

  fail(error: unknown): void {
    this.isAsking = false;
    const wasOver = this.isOver;
    this.end();
    this.locks.leave(this, error);
    if (!wasOver) this.outcomes.failed(error);
  }

  /** Ends the attempt, because its thread has stopped waiting. Releases the lock if the engine still grants it. */
  cancel(): void {
    if (this.isOver) return;
    this.noteLeft();
    this.end();
    if (!this.isAsking) this.locks.leave(this);
  }

  /** Releases the lock, which the thread did not receive. */
  giveBack(lease: Value): void {
    (lease as Lease).release();
  }

  private end(): void {
    const { timers } = this.locks.vm;
    this.isOver = true;
    if (this.limit !== null) timers.cancel(this.limit);
    if (this.look !== null) timers.cancel(this.look);
    this.stopWatching?.();
  }
}

/** A lock that a thread of this process holds. It is renewed until it is released or lost. */
export class Lease extends Internal {
  /** Whether others may have the lock. */
  isLost = false;
  /** Called when the lock is lost. */
  onLost: () => void = () => {};
  private timer: Timer | null = null;
  private isReleased = false;
  /** When others can take the lock unless it is renewed, by `host.now()`. */
  private until: number;

  constructor(
    private readonly locks: Locks,
    private readonly attempt: Attempt,
    readonly token: number,
    askedAt: number,
  ) {
    super();
    this.until = askedAt + attempt.ttl;
    this.renewAfter(attempt.ttl / RENEWALS);
  }

  /** Releases the lock, then calls `then`. If the engine cannot be reached, the lock expires. */
  release(then: () => void = () => {}): void {
    const { locks, attempt } = this;
    if (this.isReleased) return;
    this.isReleased = true;
    attempt.noteLeft();
    this.stop();
    const done = (): void => {
      locks.releasing.delete(this);
      locks.leave(attempt);
      locks.onReleased();
      then();
    };
    locks.releasing.add(this);
    settle(() => locks.perform((driver) => driver.release(attempt.name, attempt.owner)), done, done);
  }

  private stop(): void {
    if (this.timer !== null) this.locks.vm.timers.cancel(this.timer);
    this.timer = null;
  }

  /** Renews after `ms` milliseconds, at the latest when the lease ends. */
  private renewAfter(ms: number): void {
    const left = Math.max(0, this.until - this.locks.vm.host.now());
    this.timer = this.locks.vm.timers.addBackground(Math.min(ms, left), () => this.renew());
  }

  private renew(): void {
    const { locks, attempt } = this;
    const now = locks.vm.host.now();
    if (now >= this.until) {
      this.lose();
      return;
    }
    // In case no answer comes; an answer replaces this timer.
    this.renewAfter(attempt.ttl / REPEATS);
    settle(
      () => locks.perform((driver) => driver.renew(attempt.name, attempt.owner, attempt.ttl)),
      (isHeld) => {
        if (this.isReleased || this.isLost) return;
        if (!isHeld) {
          this.lose();
          return;
        }
        this.stop();
        this.until = Math.max(this.until, now + attempt.ttl);
        this.renewAfter(attempt.ttl / RENEWALS);
      },
      () => {},
    );
  }

  private lose(): void {
    this.stop();
    this.isLost = true;
    this.locks.leave(this.attempt);
    this.onLost();
  }
}

/** The locks of a store. Each lock has a queue of threads of this process; the first one asks the engine. */
export class Locks {
  /** Leases that are being released. */
  readonly releasing = new Set<Lease>();
  /** Called when a lock has been released. */
  onReleased: () => void = () => {};
  private readonly queues = new Map<string, Attempt[]>();

  constructor(
    readonly vm: NativeContext,
    private readonly driver: () => Answer<StoreDriver>,
  ) {}

  /** Who ends the wait for a lock. Of an engine, see `noteHolder`. */
  get endedBy(): EndedBy {
    return this.isLocal ? 'thread' : 'outside';
  }

  /**
   * Notes for a virtual clock, which advances while all wait for each other: those behind a thread that has the lock of
   * an engine wait for that thread.
   */
  noteHolder(name: string): void {
    if (this.vm.host.behind === undefined || this.isLocal) return;
    const [first, ...others] = this.queues.get(name) ?? [];
    for (const { fiber } of others)
      if (fiber?.state === 'waiting') fiber.waitEndedBy = first.isHolding ? 'thread' : 'outside';
  }

  get isLocal(): boolean {
    const driver = this.driver();
    if (!(driver instanceof Promise)) return driver.isLocal;
    driver.catch(() => {});
    return false;
  }

  /** Runs an operation of the engine. */
  perform<T>(operation: (driver: StoreDriver) => Answer<T>): Answer<T> {
    const driver = this.driver();
    return driver instanceof Promise ? driver.then(operation) : operation(driver);
  }

  /** Whether this thread is the first of the queue: it holds the lock, or asks for it. */
  isFirst(name: string, fiber: Fiber | null): boolean {
    const first = this.queues.get(name)?.[0];
    return fiber !== null && first !== undefined && first.fiber === fiber && !first.isLeft;
  }

  /** Resolves when no lock is being released. */
  async settled(): Promise<void> {
    while (this.releasing.size > 0) await new Promise<void>((resolve) => (this.onReleased = resolve));
  }

  /** Begins an attempt of the running thread, which waits for it. @param wait milliseconds; null: without a limit */
  acquire(name: string, ttl: number, wait: number | null, outcomes: Outcomes): Handover {
    const attempt = new Attempt(this, name, ttl, wait, this.vm.scheduler.current, outcomes);
    const queue = this.queues.get(name);
    if (queue !== undefined) {
      queue.push(attempt);
      this.noteHolder(name);
    } else {
      this.queues.set(name, [attempt]);
      attempt.ask();
    }
    return attempt;
  }

  /** Removes an attempt from its queue; the next one asks. @param error of the engine: all others fail with it, too */
  leave(attempt: Attempt, error?: unknown): void {
    const queue = this.queues.get(attempt.name) ?? [];
    const at = queue.indexOf(attempt);
    if (at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0 || error !== undefined) this.queues.delete(attempt.name);
    if (error !== undefined) for (const other of queue) other.fail(error);
    else if (at === 0) queue.at(0)?.ask();
  }
}
