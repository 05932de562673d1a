import type { Frame } from './frame.js';
import { Signal, type ErrorValue, type SvcError } from '../values/error.js';
import type { Value } from '../values/value.js';
import type { Timer } from './timers.js';

export type FiberState = 'ready' | 'running' | 'waiting' | 'done' | 'failed' | 'cancelled';

/** What ended a fiber other than a value. */
export type Thrown = SvcError | Signal;

/** Result of a fiber for those who wait for it. */
export type Outcome = { ok: true; value: Value } | { ok: false; error: Thrown };

/** Marks that no value waits to be delivered to the top frame. */
export const NO_VALUE: object = Object.freeze({ noValue: true });

/** One running `timeout` block. */
export class Deadline {
  /** Its signal has been thrown in the fiber. */
  delivered = false;
  timer: Timer | null = null;
  /** The number of seconds as the program wrote it, for the error text. */
  label = '';

  constructor(readonly seconds: number) {}
}

/** Who ends a wait: another thread, the clock, a signal that stops the server, or something outside of the process. */
export type EndedBy = 'thread' | 'clock' | 'signal' | 'outside';

/** A green thread. */
export class Fiber {
  state: FiberState = 'ready';
  /** Top of the stack while it does not run. */
  frame: Frame | null;
  /** Frames on the stack. */
  depth = 1;
  /** Value for the instruction that `frame` waits in, or NO_VALUE. */
  value: Value = NO_VALUE;
  /** What to throw at `frame` when it goes on. */
  thrown: Thrown | null = null;
  /** The error that the innermost running `rescue` clause handles. */
  handling: ErrorValue | null = null;
  /** A signal that arrived while the fiber was not waiting; thrown at the next safepoint. */
  pending: Signal | null = null;
  /** Slices of processor time that it has had. */
  slices = 0;
  /** Fuel that lasts it for about a slice; 0: not known yet. */
  fuel = 0;
  /** Growth of the heap during its slices since memory is short, in bytes. */
  allocated = 0;
  /** When it last met a shortage of memory, in the host's milliseconds. */
  shortAt = -Infinity;
  /** It has run at least once. */
  started = false;
  /** Somebody wants it to end. */
  cancelled = false;
  /** Ends `ensure` blocks that take too long after a cancellation. */
  grace: Timer | null = null;
  /** Cancels the operation that the fiber waits for. */
  cancelWait: (() => void) | null = null;
  /** What it waits for, for people; empty while it does not wait. */
  waitsFor = '';
  /** Who ends its wait. */
  waitEndedBy: EndedBy = 'outside';
  readonly deadlines: Deadline[] = [];
  outcome: Outcome | null = null;
  /** What to take back when the fiber fails or is cancelled: nobody is left who would. */
  private leftovers: (() => void)[] = [];
  private watchers: ((outcome: Outcome) => void)[] = [];
  /** Counts waits, so that a late answer to a cancelled one is ignored. */
  waitNumber = 0;
  /** Its neighbours among those that live. */
  older: Fiber | null = null;
  younger: Fiber | null = null;

  constructor(
    readonly id: number,
    readonly name: string,
    frame: Frame,
    readonly startedAt: number,
  ) {
    this.frame = frame;
  }

  get finished(): boolean {
    return this.outcome !== null;
  }

  /** Calls `watcher` when the fiber has ended, at once when it has already. Returns a function that takes it back. */
  onEnd(watcher: (outcome: Outcome) => void): () => void {
    if (this.outcome !== null) {
      watcher(this.outcome);
      return () => {};
    }
    this.watchers.push(watcher);
    return () => {
      this.watchers = this.watchers.filter((w) => w !== watcher);
    };
  }

  /** Calls `undo` when the fiber ends with an error or is cancelled. */
  onFailure(undo: () => void): void {
    this.leftovers.push(undo);
  }

  /** Whether somebody waits for the result, so that an error is not lost. */
  get watched(): boolean {
    return this.watchers.length > 0;
  }

  /** Ends the fiber. */
  finish(outcome: Outcome): void {
    const cancelled = !outcome.ok && outcome.error instanceof Signal && outcome.error.kind === 'cancel';
    this.state = outcome.ok ? 'done' : cancelled ? 'cancelled' : 'failed';
    this.outcome = outcome;
    this.frame = null;
    const { watchers } = this;
    this.watchers = [];
    if (!outcome.ok) for (const undo of this.leftovers) undo();
    this.leftovers = [];
    for (const watcher of watchers) watcher(outcome);
  }
}

/**
 * Fibers in the order of their start, linked through their own fields. In a Set that grows and shrinks with each request the tables that it has left
 * behind refer to one another, and once one is old all that they held survives until the next full collection.
 */
export class FiberList {
  size = 0;
  private first: Fiber | null = null;
  private last: Fiber | null = null;

  add(fiber: Fiber): void {
    fiber.older = this.last;
    if (this.last === null) this.first = fiber;
    else this.last.younger = fiber;
    this.last = fiber;
    this.size++;
  }

  /** Takes out a fiber that is in the list. */
  delete(fiber: Fiber): void {
    const { older, younger } = fiber;
    if (older === null) this.first = younger;
    else older.younger = younger;
    if (younger === null) this.last = older;
    else younger.older = older;
    fiber.older = fiber.younger = null;
    this.size--;
  }

  /** Oldest first. Not for loops that end fibers: they go over a copy. */
  *[Symbol.iterator](): Generator<Fiber> {
    for (let fiber = this.first; fiber !== null; fiber = fiber.younger) yield fiber;
  }
}
