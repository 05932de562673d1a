import type { Frame } from './frame.js';
import { errorOf, Signal, type ErrorType, type ErrorValue, type SvcError } from '../values/error.js';
import { Internal, Mark, type Value } from '../values/value.js';
import { added, type Few, isList, listOf, without } from './few.js';
import type { Linked } from './linkedlist.js';
import type { Timer } from './timers.js';

export type FiberState = 'ready' | 'running' | 'waiting' | 'done' | 'failed' | 'cancelled';

/** An exception that ended a fiber. */
export type Thrown = SvcError | Signal;

/** Result of a fiber for its watchers. */
export type Outcome = { ok: true; value: Value } | { ok: false; error: Thrown };

/** Hears when a fiber has ended. */
export interface Watcher {
  ended(outcome: Outcome): void;
  /** Whether it only notes the end: an error that nobody else hears is reported. */
  readonly onlyNotes?: boolean;
}

/** What is called or told when a fiber has ended. */
export type OnEnd = ((outcome: Outcome) => void) | Watcher;

function tell(watcher: OnEnd, outcome: Outcome): void {
  if (typeof watcher === 'function') watcher(outcome);
  else watcher.ended(outcome);
}

/** Marks that there is no value to deliver to the top frame. */
export const NO_VALUE: Mark = new Mark();

/** In place of a result that nobody needs any more. */
const FORGOTTEN: Outcome = { ok: true, value: null };

/** The deadlines of all fibers that have none: an array takes 32 bytes. */
const NONE: readonly Deadline[] = [];

/** Numbers the beginnings of deadlines and the arrivals of signals, so that their order is known. */
let moment = 0;
export function nextMoment(): number {
  return ++moment;
}

/** A request to end a fiber. */
export interface Cancelling {
  /** Ends `ensure` blocks that take too long. */
  grace: Timer;
  /** When its signal was first thrown, as a number of `nextMoment`; 0: not yet. */
  thrownAt: number;
}

/** One running `timeout` block. */
export class Deadline extends Internal {
  /** When it began and when its signal was first thrown in the fiber, as numbers of `nextMoment`; 0: not yet. */
  readonly began = nextMoment();
  thrownAt = 0;
  /** The error that ended an `ensure` of its block; the first one of several. */
  error: ErrorValue | null = null;
  timer: Timer | null = null;
  /** The number of seconds as the program wrote it, for the error message. */
  label = '';
  /** The fiber that runs the block; null while a coroutine that runs it is parked. */
  fiber: Fiber | null = null;
  /** Whether the time was over while no fiber ran the block. */
  late = false;

  constructor(readonly seconds: number) {
    super();
  }

  /** The error to raise behind its block. An error that ended an `ensure` of the block becomes the cause. */
  raised(type: ErrorType, message: string): SvcError {
    const error = errorOf(type, message);
    if (this.error !== null) error.value.causedBy(this.error);
    return error;
  }

  /** Makes it the innermost deadline of a fiber. */
  moveTo(fiber: Fiber): void {
    this.fiber = fiber;
    fiber.deadlines = [...fiber.deadlines, this];
  }

  /** Takes it from its fiber, whose coroutine is parked. */
  leave(): void {
    const { fiber } = this;
    if (fiber === null) return;
    this.fiber = null;
    fiber.deadlines = fiber.deadlines.filter((other) => other !== this);
    if (fiber.pending?.payload !== this) return;
    fiber.pending = null;
    this.late = true;
  }
}

/**
 * Who ends a wait: another thread, directly or over a connection inside of the process, which takes turns of the event
 * loop; the clock; a signal that stops the server; or something outside of the process.
 */
export type EndedBy = 'thread' | 'loop' | 'clock' | 'signal' | 'outside';

/** A wait that can be given up. */
export interface Cancelable {
  cancel(): void;
}

/** A wait whose value is given back if a signal or error ends the fiber's code before it has received the value. */
export abstract class Handover implements Cancelable {
  abstract cancel(): void;
  abstract giveBack(value: Value): void;
}

/** A wait whose value is something that must be returned if the fiber does not receive it, such as a lock. */
export class Acquisition<T extends Value> extends Handover {
  /** @param stop ends the wait @param returned returns what was obtained */
  constructor(
    private readonly stop: () => void,
    private readonly returned: (value: T) => void,
  ) {
    super();
  }

  cancel(): void {
    this.stop();
  }

  giveBack(value: Value): void {
    this.returned(value as T);
  }
}

/** Measurements of a fiber that somebody watches. */
export interface FiberWatch {
  /** Fuel used since then. */
  fuelUsed: number;
  /** When its last wait began, in the host's milliseconds; 0 if that was before. */
  waitsSince: number;
}

/** A green thread, of which there may be 100,000: what few of them need is kept elsewhere. */
export class Fiber implements Linked<Fiber> {
  state: FiberState = 'ready';
  /** Top of the stack while the fiber is not running. */
  frame: Frame | null;
  /** Number of frames on the stack. */
  depth = 1;
  /** Value for the instruction at which `frame` waits, or NO_VALUE. */
  value: Value = NO_VALUE;
  /** Exception to throw in `frame` when the fiber continues. */
  thrown: Thrown | null = null;
  /** What natives attach to a thread and the threads that it starts, such as the request being answered; or null. */
  context: object | null = null;
  /** What the program holds to wait for the thread, while nobody has done so; null for other threads. */
  task: object | null = null;
  /** The innermost span of tracing that is open around the thread, which threads that it starts inherit; or null. */
  span: object | null = null;
  /** The error that the innermost running `rescue` clause handles. */
  handling: ErrorValue | null = null;
  /** A signal that arrived while the fiber was not waiting; thrown at the next safepoint. */
  pending: Signal | null = null;
  /** Number of slices it has run. */
  slices = 0;
  /** Fuel for about one slice; 0: not yet measured. */
  fuel = 0;
  /** What the inspector counts about it; null before it has looked. */
  watch: FiberWatch | null = null;
  /** Bytes by which the heap grew during its slices since memory became short. */
  allocated = 0;
  /** Set once the fiber has been told to end. */
  cancelling: Cancelling | null = null;
  /**
   * Cancels the operation that the fiber waits for, or the timer that ends its wait. A `Handover` stays until the fiber
   * has its value.
   */
  cancelWait: (() => void) | Timer | Cancelable | null = null;
  /** A short description of the operation it waits for, such as `task`; empty when not waiting. */
  waitsFor = '';
  /** Who ends its wait. */
  waitEndedBy: EndedBy = 'outside';
  /** The `timeout` blocks that run, innermost last. */
  deadlines: readonly Deadline[] = NONE;
  /** Marks of the running calls that `break` in their blocks can end, innermost last; null before the first one. */
  marks: number[] | null = null;
  outcome: Outcome | null = null;
  /** Cleanup functions to call if the fiber fails or is cancelled. */
  private leftovers: (() => void)[] | null = null;
  private watchers: Few<OnEnd> = null;
  /** Counts waits, so that a late answer to a cancelled wait is ignored. */
  waitNumber = 0;
  /** Neighbours in the list of live fibers. */
  older: Fiber | null = null;
  younger: Fiber | null = null;

  constructor(
    readonly id: number,
    readonly name: string,
    frame: Frame,
    /** When it was made, in whole milliseconds of the host. */
    readonly startedAt: number,
  ) {
    this.frame = frame;
  }

  /** Whether it has been asked to end. */
  get cancelled(): boolean {
    return this.cancelling !== null;
  }

  get finished(): boolean {
    return this.outcome !== null;
  }

  /** Drops the result of a fiber that has ended, once the only one that needs it has it. */
  forget(): void {
    if (this.outcome !== null) this.outcome = FORGOTTEN;
  }

  /** Tells `watcher` when the fiber ends; immediately if it already has. */
  onEnd(watcher: OnEnd): void {
    if (this.outcome === null) this.watchers = added(this.watchers, watcher);
    else tell(watcher, this.outcome);
  }

  /** Removes a watcher. */
  offEnd(watcher: OnEnd): void {
    this.watchers = without(this.watchers, watcher);
  }

  /** Calls `undo` if the fiber fails or is cancelled. */
  onFailure(undo: () => void): void {
    if (this.leftovers === null) this.leftovers = [undo];
    else this.leftovers.push(undo);
  }

  /** Whether anything waits for the result, so that an error is reported there. */
  get watched(): boolean {
    return listOf(this.watchers).some((watcher) => typeof watcher === 'function' || watcher.onlyNotes !== true);
  }

  /** Ends the fiber. */
  finish(outcome: Outcome): void {
    const cancelled = !outcome.ok && outcome.error instanceof Signal && outcome.error.kind === 'cancel';
    this.state = outcome.ok ? 'done' : cancelled ? 'cancelled' : 'failed';
    this.outcome = outcome;
    this.frame = null;
    const { watchers } = this;
    this.watchers = null;
    if (!outcome.ok) for (const undo of this.leftovers ?? []) undo();
    this.leftovers = null;
    if (isList(watchers)) for (const watcher of watchers) tell(watcher, outcome);
    else if (watchers !== null) tell(watchers, outcome);
  }
}
