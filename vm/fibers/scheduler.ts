import type { Limits } from './limits.js';
import {
  type Cancelable,
  Deadline,
  type EndedBy,
  Fiber,
  Handover,
  NO_VALUE,
  type OnEnd,
  type Outcome,
  type Thrown,
} from './fiber.js';
import { LinkedList } from './linkedlist.js';
import { FairQueue } from './fairqueue.js';
import type { Frame } from './frame.js';
import type { Host } from '../host.js';
import { isOutranked, isPast, noteThrown, outranks } from './signals.js';
import type { Alarm, Timer, Timers } from './timers.js';
import { chargeTo } from '../values/cost.js';
import { Errors, ErrorValue, isExit, Signal, SvcError } from '../values/error.js';
import type { Value } from '../values/value.js';

/** Target length of a slice in milliseconds. */
const SLICE_MS = 1;
/** Slices longer than this many milliseconds correct the fuel at once. */
const LONG_SLICE_MS = 5;
/** Fuel of the first slice, before any measurement. */
const FIRST_FUEL = 20_000;
const MAX_FIRST_FUEL = 100_000;
const MIN_FUEL = 500;
const MAX_FUEL = 2_000_000;
/** Woken fibers, and bytes of what arrived for them, from which `runBacklog` runs them. */
const BACKLOG_THRESHOLD = 100;
const BACKLOG_BYTES = 1024 * 1024;
/** Number of fibers that were woken or arrived from which requests take turns. With fewer, finding whose turn it is would take too long. */
const MANY_WOKEN = 64;
/**
 * Maximum number of rounds in a turn, in each of which the fibers run that were woken in the one before. Mostly the clock
 * ends a turn earlier, but a virtual one may stand still.
 */
const MAX_ROUNDS = 100;
/** Maximum fuel of a slice with a seed: short slices soon reveal code that depends on where they end. */
const SEEDED_FUEL = 300;
/** Milliseconds that `ensure` blocks may take, including waits, before they are ended as well. */
const GRACE_MS = 10_000;
/** Default maximum of live fibers. */
const DEFAULT_MAX_FIBERS = 10_000;

/** Fibers of a context that may start more while another one has started nearly all. */
const FEW = 32;

/** Starts an operation for a waiting fiber; may return what cancels it, or the timer that ends it. */
export type WaitStart = (
  resume: (value: Value) => void,
  fail: (thrown: Thrown) => void,
) => (() => void) | Timer | Cancelable | void;

/**
 * What a fiber waits for: an operation, by what starts it, or the clock, by the number of milliseconds; 0 waits for the
 * fibers that are ready.
 */
export type Waited = WaitStart | number;

/** Hears that the woken fibers of a turn have run. */
export interface Following {
  turnEnded(): void;
}

/**
 * Runs the top frame of a fiber until it ends (returns its value) or suspends (returns undefined, with the frame
 * saved). Throws the exception that ends the fiber.
 */
export type Runner = (fiber: Fiber) => Value | undefined;

/** Raised instead of starting a fiber when as many as allowed are alive. */
export class TooManyThreads extends SvcError {
  /** @param most how many are allowed */
  constructor(most: number) {
    super(
      new ErrorValue(
        Errors.RuntimeError,
        `too many threads: ${most} are running; wait for some to end before starting more`,
      ),
    );
  }
}

/** The part of the VM that the scheduler drives. */
export interface Machine {
  readonly limits: Limits;
  run: Runner;
  /**
   * The operation that the suspended fiber asked to wait for, or null if it only used up its slice. Reading clears it.
   */
  takeWait(): { start: Waited; what: string; endedBy: EndedBy } | null;
  /** Called for a fiber that failed and has no watcher. */
  unhandled(fiber: Fiber, error: Thrown): void;
}

/** How the length of slices is determined. */
export interface Slicing {
  /** Fuel of each slice, or 0 to follow the clock. */
  fixed: number;
  /**
   * A seeded source of numbers in [0, 1) that decides which fiber runs next and for how long; null: the usual order.
   */
  chance: (() => number) | null;
}

/** Counters for metrics. */
export interface SchedulerStats {
  started: number;
  slices: number;
  preempted: number;
}

/**
 * Runs ready fibers. Fibers that woke from a wait, or are new, run before those that used up their slice. Each turn of
 * the event loop runs at most one of the latter, so that a busy loop never delays the others by more than a slice. Those
 * that something from outside started or woke, such as a request, do not wait behind those that another fiber or the
 * clock did, which may be thousands.
 */
export class Scheduler {
  readonly live = new LinkedList<Fiber>();
  readonly stats: SchedulerStats = { started: 0, slices: 0, preempted: 0 };
  current: Fiber | null = null;
  /** Number of operations outside of the VM that must end although no fiber waits for them. */
  unattended = 0;
  maxFibers = DEFAULT_MAX_FIBERS;
  /**
   * The part of `maxFibers` that is kept for requests. Fibers that a program spawns may not use it, except half of it for
   * those of a context that has few.
   */
  reserved = 0;
  /** Fibers that something from outside started or woke. */
  private readonly arrived = new FairQueue<Fiber>(MANY_WOKEN);
  /** Fibers that another fiber or the clock started or woke. */
  private readonly woken = new FairQueue<Fiber>(MANY_WOKEN);
  /** Bytes of what has arrived for fibers, as told to `runBacklog`. */
  private backlogBytes = 0;
  /** Fibers told to end because memory is short. They run first: what they hold is free only after that. */
  private readonly ending: Fiber[] = [];
  private readonly spent = new FairQueue<Fiber>(2);
  private scheduled = false;
  private nextId = 1;
  /** Fuel of a fiber's first slice, according to the last measurement; later each fiber is measured separately. */
  private sliceFuel = FIRST_FUEL;
  /** Fuel of the running slice, and the time after which natives end it. */
  private given = 0;
  private endsAt = Infinity;
  private idleWatchers: (() => void)[] = [];
  /** What is called or told at the end of this run of the woken fibers. */
  private following: ((() => void) | Following)[] = [];
  /** Which fibers still run when the program ends; null before that. */
  private stays: ((fiber: Fiber) => boolean) | null = null;
  /** Called when no fiber is ready to run. */
  onQuiet: () => void = () => {};

  /** Called with the fiber after a slice that was used up, or that ended to let others run; advances a virtual clock. */
  onSpent: (fiber: Fiber) => void = () => {};

  /** Called with the fiber after each slice that did not end it; used to watch memory. */
  onSlice: (fiber: Fiber) => void = () => {};

  /** Called after each slice with the fiber and the fuel that it used; null: nothing counts fuel. */
  onFuel: ((fiber: Fiber, fuel: number) => void) | null = null;

  constructor(
    private readonly machine: Machine,
    private readonly host: Host,
    private readonly timers: Timers,
    private readonly slicing: Slicing,
  ) {
    if (slicing.fixed > 0) this.sliceFuel = slicing.fixed;
    // Timers that woke no fiber may have been the last ones.
    timers.onFired = () => {
      if (!this.scheduled && this.current === null) this.turnEnds();
    };
  }

  /**
   * Creates a fiber that starts with `frame` after those that are ready; if no fiber is running, in the next turn. So a
   * server reads all requests that have arrived before it answers any, and wakes its clients less often. Tells `watcher`
   * when the fiber ends.
   * @throws RuntimeError when there are too many
   */
  start(name: string, frame: Frame, watcher?: OnEnd): Fiber {
    this.checkRoom(this.maxFibers);
    // A whole number takes no memory of its own.
    const fiber = new Fiber(this.nextId++, name, frame, Math.trunc(this.host.now()));
    fiber.context = this.current?.context ?? null;
    fiber.span = this.current?.span ?? null;
    if (watcher !== undefined) fiber.onEnd(watcher);
    this.stats.started++;
    this.live.add(fiber);
    (this.current === null ? this.arrived : this.woken).push(fiber);
    this.wake();
    return fiber;
  }

  /**
   * Call after starting or waking a fiber for something that has arrived, of `bytes` bytes. Runs such fibers now if they
   * are many, or if much waits for them, which the garbage collector would have to copy.
   */
  runBacklog(bytes = 0): void {
    this.backlogBytes += bytes;
    if (this.arrived.length < BACKLOG_THRESHOLD && this.backlogBytes < BACKLOG_BYTES) return;
    if (this.current !== null || this.slicing.chance !== null) return;
    if (this.ending.length > 0) this.runEnding();
    else this.runWoken();
  }

  /**
   * Calls or tells `following` after all woken fibers have run. Responses sent together reach a client that is awake; if it falls
   * asleep in between, waking it costs more than the rest of the request.
   */
  afterTurn(following: (() => void) | Following): void {
    this.following.push(following);
    if (this.current === null) this.wake();
  }

  private runAfterTurn(): void {
    if (this.following.length === 0) return;
    const all = this.following;
    this.following = [];
    let next = 0;
    try {
      while (next < all.length) {
        const following = all[next++];
        if (typeof following === 'function') following();
        else following.turnEnded();
      }
    } finally {
      // One threw, which is a bug in Svc; run the others later.
      if (next < all.length) {
        this.following = all.slice(next).concat(this.following);
        this.wake();
      }
    }
  }

  /** Call before a native starts fibers for a program. @throws RuntimeError when there are too many */
  checkSpawn(): void {
    const most = this.maxFibers - this.reserved;
    if (this.live.size < most) return;
    // A request that has started nearly all must not keep others from starting any.
    if (this.live.size < this.maxFibers - this.reserved / 2 && this.hasFew(this.current?.context ?? null)) return;
    throw new TooManyThreads(most);
  }

  private hasFew(context: object | null): boolean {
    let count = 0;
    for (const fiber of this.live) if (fiber.context === context && ++count > FEW) return false;
    return true;
  }

  private checkRoom(most: number): void {
    if (this.live.size >= most) throw new TooManyThreads(most);
  }

  /** Throws `signal` in the fiber: immediately if it waits, else at its next safepoint. */
  interrupt(fiber: Fiber, signal: Signal): void {
    if (fiber.finished || isPast(fiber, signal)) return;
    if (fiber.state === 'waiting') {
      this.failWait(fiber, signal);
      return;
    }
    giveBack(fiber);
    if (fiber.pending === null || outranks(fiber, signal, fiber.pending)) fiber.pending = signal;
    if (fiber === this.current) this.endSlice();
  }

  /** Ends a fiber, if it has not been told to end; its `ensure` blocks run. */
  cancel(fiber: Fiber): void {
    if (fiber.finished || fiber.cancelled) return;
    fiber.cancelling = { grace: this.graceOf(fiber), thrownAt: 0 };
    this.interrupt(fiber, new Signal('cancel', null));
  }

  /** Repeats a cancellation after GRACE_MS, so that `ensure` blocks cannot run for ever. */
  private graceOf(fiber: Fiber): Timer {
    return this.timers.add(GRACE_MS, () => {
      fiber.cancelling!.grace = this.graceOf(fiber);
      this.interrupt(fiber, new Signal('cancel', null));
    });
  }

  /** Starts the deadline of a `timeout` block in the running fiber. */
  pushDeadline(seconds: number): Deadline {
    const deadline = new Deadline(seconds);
    deadline.timer = this.timers.add(seconds * 1000, () => this.expire(deadline));
    deadline.moveTo(this.current!);
    return deadline;
  }

  /** Starts a deadline in the running fiber that no time ends, only `expire`. */
  pushGuard(): Deadline {
    const deadline = new Deadline(Infinity);
    deadline.moveTo(this.current!);
    return deadline;
  }

  /** Ends the block of a deadline; again after GRACE_MS, so that its `ensure` blocks cannot run for ever. */
  expire(deadline: Deadline): void {
    const { fiber } = deadline;
    deadline.late = fiber === null;
    deadline.timer = fiber === null ? null : this.timers.add(GRACE_MS, () => this.expire(deadline));
    if (fiber !== null) this.interrupt(fiber, new Signal('deadline', deadline));
  }

  /** Takes back the end of the running fiber's block by a deadline: it ends later, unless it ends by itself first. */
  endLater(deadline: Deadline): void {
    deadline.thrownAt = 0;
    this.interrupt(this.current!, new Signal('deadline', deadline));
  }

  /**
   * Ends a deadline. Returns true if it ended its block; false if a signal that ends more than the block was thrown
   * during it, or is what it ends with now: `thrown`.
   */
  popDeadline(deadline: Deadline, thrown: unknown = null): boolean {
    const fiber = this.current!;
    const ended = deadline.thrownAt > 0 && !isExit(thrown) && !isOutranked(fiber, deadline);
    fiber.deadlines = fiber.deadlines.filter((other) => other !== deadline);
    if (deadline.timer !== null) this.timers.cancel(deadline.timer);
    if (fiber.pending?.payload === deadline) fiber.pending = null;
    return ended;
  }

  /** Ends all fibers where they are, except some: their code does not run again. */
  halt(stays: (fiber: Fiber) => boolean): void {
    this.stays = stays;
    this.onQuiet = () => {};
  }

  /** Whether no fiber can be started. */
  get isFull(): boolean {
    return this.live.size >= this.maxFibers;
  }

  /** Whether no fiber is ready to run. */
  get isQuiet(): boolean {
    return this.arrived.length === 0 && this.woken.length === 0 && this.spent.length === 0 && this.ending.length === 0;
  }

  /** Calls `watcher` once no fiber is alive. */
  whenIdle(watcher: () => void): void {
    if (this.live.size === 0) watcher();
    else this.idleWatchers.push(watcher);
  }

  private wake(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.host.defer(() => this.turn());
  }

  /** One turn: runs woken fibers for at most a slice's time, then one fiber that had used up its slice. */
  private turn(): void {
    this.scheduled = false;
    if (this.slicing.chance !== null) {
      this.chanceTurn(this.slicing.chance);
      return;
    }
    if (this.ending.length > 0) this.runEnding();
    else {
      this.runWoken();
      const spent = this.spent.shift();
      if (spent !== undefined) this.slice(spent);
    }
    this.runAfterTurn();
    this.turnEnds();
  }

  private runEnding(): void {
    const until = this.host.now() + SLICE_MS;
    do this.slice(this.ending.shift()!);
    while (this.ending.length > 0 && this.host.now() < until);
  }

  /**
   * Runs the fibers that something from outside woke for at most a slice's time, then as long those that another fiber
   * or the clock woke, and those that they wake: threads that pass values to each other then need no turn of the event
   * loop for each value, which takes longer than the rest.
   */
  private runWoken(): void {
    this.backlogBytes = 0;
    this.runQueue(this.arrived);
    if (this.woken.length > 0 && this.ending.length === 0) this.runQueue(this.woken);
    this.runAfterTurn();
  }

  private runQueue(queue: FairQueue<Fiber>): void {
    if (queue.length === 0) return;
    let now = this.host.now();
    const until = now + SLICE_MS;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (let left = queue.length; left > 0; left--) {
        this.slice(queue.shift()!, now);
        if (queue.length === 0 || this.ending.length > 0 || (now = this.host.now()) >= until) return;
      }
    }
  }

  private turnEnds(): void {
    if (!this.isQuiet) this.wake();
    else if (this.live.size > 0) this.onQuiet();
  }

  /** One turn with a seed: a slice of random length for a random ready fiber. */
  private chanceTurn(chance: () => number): void {
    const queues = [this.arrived, this.woken, this.spent];
    const ready = queues.reduce((sum, { length }) => sum + length, 0);
    if (ready > 0) {
      let at = Math.floor(chance() * ready);
      let from = 0;
      while (at >= queues[from].length) at -= queues[from++].length;
      this.sliceFuel = Math.floor(chance() ** 4 * SEEDED_FUEL);
      this.slice(queues[from].take(at));
    }
    this.runAfterTurn();
    this.turnEnds();
  }

  /** Raises an error in a fiber: immediately if it waits, else when it continues, which it does before others. */
  raise(fiber: Fiber, error: SvcError): void {
    if (fiber.state === 'waiting') this.failWait(fiber, error);
    else if (fiber.state === 'ready' && fiber.thrown === null) {
      giveBack(fiber);
      fiber.thrown = error;
    } else return;
    if (this.slicing.chance === null) this.runBeforeOthers(fiber);
  }

  /** Moves a ready fiber to those that run first. */
  private runBeforeOthers(fiber: Fiber): void {
    if ([this.spent, this.woken, this.arrived].some((queue) => queue.remove(fiber))) this.ending.push(fiber);
  }

  /** Cancels what a fiber waits for, and throws in it. */
  failWait(fiber: Fiber, thrown: Thrown): void {
    const { cancelWait } = fiber;
    if (typeof cancelWait === 'function') cancelWait();
    else if (cancelWait !== null && 'cancel' in cancelWait) cancelWait.cancel();
    else if (cancelWait !== null) this.timers.cancel(cancelWait);
    this.resume(fiber, fiber.waitNumber, NO_VALUE, thrown);
  }

  /**
   * Ends the running slice at its next safepoint if its time is over. Fuel counts safepoints, and code that calls large
   * natives or computes with large values may reach them a thousand times less often than when it was measured.
   */
  checkTime(): void {
    const { limits } = this.machine;
    if (limits.fuel <= 0 || this.endsAt === Infinity || this.host.now() < this.endsAt) return;
    this.endSlice();
  }

  /** Ends the running slice at its next safepoint. */
  private endSlice(): void {
    const { limits } = this.machine;
    if (limits.fuel <= 0) return;
    this.given -= limits.fuel;
    limits.fuel = 0;
  }

  /** Runs one fiber until it ends, waits, or uses up its slice. `startedAt` is now, in the host's milliseconds. */
  private slice(fiber: Fiber, startedAt = this.host.now()): void {
    if (this.stays !== null && !this.stays(fiber)) return;
    const { limits } = this.machine;
    this.current = fiber;
    fiber.state = 'running';
    this.takePending(fiber);
    fiber.cancelWait = null;
    if (fiber.slices === 0 && fiber.thrown !== null) {
      // Its first instruction may be in a protected range, whose `ensure` must not run: the fiber has not started.
      this.current = null;
      this.end(fiber, { ok: false, error: fiber.thrown });
      return;
    }
    const follows = this.slicing.fixed === 0 && this.slicing.chance === null;
    this.given = limits.fuel = follows ? fiber.fuel || Math.min(this.sliceFuel, MAX_FIRST_FUEL) : this.sliceFuel;
    this.stats.slices++;
    fiber.slices++;
    this.endsAt = follows ? startedAt + SLICE_MS : Infinity;
    chargeTo(this);
    try {
      const value = this.machine.run(fiber);
      if (value !== undefined) this.end(fiber, { ok: true, value });
      else {
        this.suspended(fiber, startedAt);
        this.onSlice(fiber);
      }
    } catch (error) {
      if (!(error instanceof SvcError) && !(error instanceof Signal)) throw error;
      this.end(fiber, { ok: false, error });
    } finally {
      this.current = null;
      if (this.onFuel !== null) this.onFuel(fiber, this.given - limits.fuel);
    }
  }

  /**
   * Decides what the fiber throws next: a pending signal replaces a thrown signal that it outranks; otherwise it stays
   * pending.
   */
  private takePending(fiber: Fiber): void {
    const { pending, thrown } = fiber;
    if (pending !== null && (thrown === null || !(thrown instanceof Signal) || outranks(fiber, pending, thrown))) {
      fiber.thrown = pending;
      fiber.pending = null;
    }
    if (fiber.thrown instanceof Signal) noteThrown(fiber, fiber.thrown);
    if (fiber.pending !== null && isPast(fiber, fiber.pending)) fiber.pending = null;
  }

  private suspended(fiber: Fiber, startedAt: number): void {
    const wait = this.machine.takeWait();
    if (wait === null) {
      fiber.state = 'ready';
      this.stats.preempted++;
      this.calibrate(fiber, startedAt);
      this.spent.push(fiber);
      this.wake();
      this.onSpent(fiber);
      return;
    }
    fiber.state = 'waiting';
    fiber.waitsFor = wait.what;
    fiber.waitEndedBy = wait.endedBy;
    fiber.waitNumber++;
    if (typeof wait.start !== 'number') this.startWait(fiber, wait.start);
    else if (wait.start <= 0) this.letOthersRun(fiber);
    else fiber.cancelWait = this.timers.add(wait.start, new Sleep(this, fiber));
    const signal = fiber.pending;
    if (signal === null) return;
    fiber.pending = null;
    this.interrupt(fiber, signal);
  }

  private startWait(fiber: Fiber, start: WaitStart): void {
    const number = fiber.waitNumber;
    const failed = (thrown: Thrown): void => this.resume(fiber, number, NO_VALUE, thrown);
    try {
      const cancel = start((value) => this.resume(fiber, number, value, null), failed);
      if (fiber.waitNumber !== number) return;
      // A value that has come at once may have to be given back as well.
      if (fiber.state === 'waiting' || (cancel instanceof Handover && fiber.thrown === null))
        fiber.cancelWait = cancel ?? null;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      failed(error);
    }
  }

  /** A fiber that waits for no time runs again after those that are ready. A virtual clock advances as in any loop. */
  private letOthersRun(fiber: Fiber): void {
    this.awake(fiber);
    this.onSpent(fiber);
  }

  /** Wakes a fiber whose sleep is over. */
  awake(fiber: Fiber): void {
    this.resume(fiber, fiber.waitNumber, null, null);
  }

  private resume(fiber: Fiber, number: number, value: Value, thrown: Thrown | null): void {
    if (fiber.state !== 'waiting' || fiber.waitNumber !== number) return;
    fiber.state = 'ready';
    if (thrown !== null || !(fiber.cancelWait instanceof Handover)) fiber.cancelWait = null;
    fiber.waitsFor = '';
    fiber.value = value;
    fiber.thrown = thrown;
    const { waitEndedBy } = fiber;
    (waitEndedBy === 'thread' || waitEndedBy === 'clock' ? this.woken : this.arrived).push(fiber);
    fiber.waitEndedBy = 'outside';
    this.wake();
  }

  private calibrate(fiber: Fiber, startedAt: number): void {
    if (this.endsAt === Infinity) return;
    const elapsed = Math.max(0.01, this.host.now() - startedAt);
    const wanted = (this.given * SLICE_MS) / elapsed;
    // Average with the last slice, so that one slice with a garbage collection does not shrink the next ones to
    // nothing. A slice that was far too long is corrected at once.
    const next = elapsed > LONG_SLICE_MS ? wanted : (this.given + wanted) / 2;
    fiber.fuel = this.sliceFuel = Math.round(Math.min(MAX_FUEL, Math.max(MIN_FUEL, next)));
  }

  private end(fiber: Fiber, outcome: Outcome): void {
    // For watchers it is an ordinary error.
    if (!outcome.ok && outcome.error instanceof Signal && outcome.error.kind === 'memory')
      outcome = { ok: false, error: new SvcError(outcome.error.payload as ErrorValue) };
    this.live.delete(fiber);
    if (fiber.cancelling !== null) this.timers.cancel(fiber.cancelling.grace);
    for (const deadline of fiber.deadlines) if (deadline.timer !== null) this.timers.cancel(deadline.timer);
    const unheard = !outcome.ok && !fiber.watched;
    fiber.finish(outcome);
    if (unheard && !outcome.ok) this.machine.unhandled(fiber, outcome.error);
    if (this.live.size === 0) {
      const watchers = this.idleWatchers;
      this.idleWatchers = [];
      for (const watcher of watchers) watcher();
    }
  }
}

/** Gives back the value of a wait that a fiber which has not run since will not receive. */
function giveBack(fiber: Fiber): void {
  const { state, cancelWait, value } = fiber;
  if (state !== 'ready' || !(cancelWait instanceof Handover)) return;
  fiber.cancelWait = null;
  cancelWait.giveBack(value);
}

/** The end of a fiber's sleep. Its timer is cancelled if the wait ends otherwise. */
class Sleep implements Alarm {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly fiber: Fiber,
  ) {}

  ring(): void {
    this.scheduler.awake(this.fiber);
  }
}
