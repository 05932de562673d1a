import { Fiber } from '../fibers/fiber.js';
import { Errors, Signal, SvcError, errorOf } from '../values/error.js';
import { setRoom, type Job, type RoomWatch } from '../values/heaproom.js';
import type { VM } from '../vm.js';

/**
 * Fractions of the heap limit. ALERT: attribute growth to threads. FULL: force a collection. OVERFULL: force one sooner,
 * or end a thread even if garbage remains. LAST: wait for no thread that is ending.
 */
const ALERT = 0.5;
const FULL = 0.7;
const OVERFULL = 0.8;
const LAST = 0.9;
/** Fraction of the heap limit that should remain in use after the ended threads have freed their memory. */
const TARGET = 0.6;
/**
 * What is taken from that fraction each time that memory is short again within SOON_MS, and the smallest fraction. With
 * many threads that all allocate, the process would else spend most of its time on collections, each for the end of a few.
 */
const TARGET_STEP = 0.1;
const LEAST_TARGET = 0.3;
const SOON_MS = 1000;
/** Minimum fraction of the heap limit that a thread, or those of a request together, must have allocated to be ended. */
const LEAST = 1 / 256;
/** Those that allocated at least this fraction of the largest amount may be ended, too. */
const SHARE = 1 / 4;
/**
 * Minimum fraction of the heap limit that all threads together must have allocated. Then, if each request has allocated
 * only a little, threads of any request are ended.
 */
const CROWD = 1 / 16;
/** Milliseconds between heap checks while there is room; a thread may allocate ten megabytes in that time. */
const LOOK_MS = 2;
/** Milliseconds until the first check, for which node loads a module: short programs end before. */
const FIRST_LOOK_MS = 10;
/** Milliseconds until the memory of an ended thread counts as free: other threads may have to handle its end first. */
const ENDING_MS = 200;
/** Milliseconds between collections. */
const COLLECT_MS = 2000;
/**
 * When memory is overfull, the next collection may follow after this share of the time that the last one took: garbage
 * fills the rest of a small heap within some ten milliseconds, and on Node 24 young objects alone take most of it.
 */
const OVERFULL_SHARE = 1 / 4;
/**
 * Milliseconds between collections for natives that ask for room: garbage must not cause a refusal, but collections
 * must stay rare.
 */
const ROOM_COLLECT_MS = 300;
/** A second shortage of memory within this many milliseconds ends a thread for good. */
const AGAIN_MS = 60_000;

/**
 * Ends the threads that allocate most with a MemoryError before the process runs out of memory. Growth is measured over
 * slices and pieces of long work; natives that allocate much at once ask for room first. A thread that meets a second
 * shortage soon after the first is ended by a signal, which no `rescue` sees.
 */
export function watchMemory(vm: VM): void {
  const watch = new MemoryWatch(vm);
  vm.scheduler.onSlice = (fiber) => watch.look(fiber);
  setRoom(watch);
}

/** What allocates memory and can be ended. */
type Consumer = Fiber | Job;

/** What belongs together. */
interface Group<T> {
  /** Bytes that all members have allocated. */
  readonly allocated: number;
  /** Those that have allocated most first. */
  readonly members: readonly T[];
}

class MemoryWatch implements RoomWatch {
  private lookAt: number;
  private collectedAt = -Infinity;
  private roomCollectedAt = -Infinity;
  /** Milliseconds that the last collection took. */
  private collecting = 0;
  /** When a thread was last told to end. */
  private endedAt = -Infinity;
  /** Fraction of the heap limit that the next threads told to end should leave in use. */
  private target = TARGET;
  /** An error of failed long work, until the fiber that waits for it is found. */
  private unclaimed: SvcError | null = null;
  /** Bytes in use at the last check while memory was short; 0: there was room. */
  private last = 0;
  /** Bytes in use after the last collection. */
  private kept = 0;
  /** The fiber last told to end, and its error. */
  private victim: { fiber: Fiber; error: SvcError } | null = null;
  /** When threads last met a shortage, in the host's milliseconds. */
  private readonly shortAt = new WeakMap<Fiber, number>();
  /** Long work done since memory became short. */
  private readonly jobs = new Set<Job>();

  constructor(private readonly vm: VM) {
    this.lookAt = vm.host.now() + FIRST_LOOK_MS;
  }

  afterPiece(job: Job): void {
    this.look(job);
    if (this.last > 0) this.jobs.add(job);
  }

  afterJob(job: Job, error?: unknown): void {
    this.jobs.delete(job);
    if (error instanceof SvcError && error === this.unclaimed) this.claim(error);
  }

  missed(error: SvcError): void {
    const { current } = this.vm.scheduler;
    if (current !== null) this.strike(current, error);
    else this.unclaimed = error;
  }

  /** Finds the fiber that receives an error. */
  private claim(error: SvcError): void {
    this.unclaimed = null;
    for (const fiber of this.vm.scheduler.live) if (fiber.thrown === error) this.told(fiber, error);
  }

  private told(fiber: Fiber, error: SvcError): void {
    this.victim = { fiber, error };
    this.strike(fiber, error);
  }

  /** Records that a fiber met a shortage; a second one soon after ends it by a signal. */
  private strike(fiber: Fiber, { value }: SvcError): void {
    const now = this.vm.host.now();
    if (now - (this.shortAt.get(fiber) ?? -Infinity) < AGAIN_MS)
      this.vm.scheduler.interrupt(fiber, new Signal('memory', value));
    this.shortAt.set(fiber, now);
  }

  /** Called after a slice or a piece of work: `consumer` may have allocated. */
  look(consumer: Consumer): void {
    const { host } = this.vm;
    const now = host.now();
    if (now < this.lookAt) return;
    const { used, limit } = host.heap();
    if (used < limit * ALERT) {
      this.lookAt = now + LOOK_MS;
      if (this.last > 0) this.forget();
      return;
    }
    if (this.last > 0) consumer.allocated += Math.max(0, used - this.last);
    this.last = used;
    if (used < limit * FULL || (used < limit * OVERFULL && now - this.endedAt < ENDING_MS)) return;
    if (used < limit * LAST && this.isEnding()) return;
    if (!this.hasRoomAfterAll(now, used, limit)) this.end(limit);
  }

  limit(): number {
    return this.vm.host.heap().limit;
  }

  isRoomFor(bytes: number, isPatient = false): boolean {
    const { host } = this.vm;
    const { used, limit } = host.heap();
    if (used + bytes < limit * OVERFULL) return true;
    const now = host.now();
    if (bytes >= limit * OVERFULL || (!isPatient && now - this.roomCollectedAt < ROOM_COLLECT_MS)) return false;
    host.collect();
    this.roomCollectedAt = host.now();
    return host.heap().used + bytes < limit * OVERFULL;
  }

  /**
   * Whether a fiber told to end has not taken its error yet: its memory is not free, so no other fiber should be ended.
   */
  private isEnding(): boolean {
    if (this.victim !== null && this.victim.fiber.thrown !== this.victim.error) this.victim = null;
    return this.victim !== null;
  }

  /** Collects garbage if the last collection is long enough ago. Returns whether there is room. */
  private hasRoomAfterAll(now: number, used: number, limit: number): boolean {
    const { host } = this.vm;
    const isOverfull = used >= limit * OVERFULL;
    const wait = isOverfull ? Math.min(this.collecting * OVERFULL_SHARE, COLLECT_MS) : COLLECT_MS;
    if (now - this.collectedAt < wait) return !isOverfull;
    host.collect();
    this.collectedAt = host.now();
    this.collecting = this.collectedAt - now;
    this.kept = this.last = host.heap().used;
    return this.last < limit * FULL;
  }

  /**
   * Ends threads until what they have allocated adds up to what must become free: the largest threads of the largest
   * requests. If the largest threads of a request have allocated less than half of what it has, its smaller ones may end,
   * too. Likewise, if the largest requests have allocated less than half of everything, smaller ones may be hit.
   */
  private end(limit: number): void {
    const state = `out of memory: values take ${megabytes(this.last)} of ${megabytes(limit)}, and`;
    const least = limit * LEAST;
    const consumers = [...innocent(this.vm.scheduler.live), ...this.jobs].filter(({ allocated }) => allocated > 0);
    const all = groupOf(byContext(consumers));
    const isCrowd = this.kept >= limit * FULL && all.allocated >= limit * CROWD && isEven(all, least);
    const groups = isCrowd ? all.members : largest(all, least);
    if (groups.length === 0) return;
    const isSoon = this.vm.host.now() - this.endedAt < SOON_MS;
    this.target = isSoon ? Math.max(LEAST_TARGET, this.target - TARGET_STEP) : TARGET;
    let wanted = this.last - limit * this.target;
    for (const group of groups) {
      const isShared = isEven(group, least);
      const most = isShared ? 'this thread and others of the same request or job have' : 'this thread has';
      const text = `${state} ${isCrowd ? 'many threads have allocated a little' : `${most} allocated most`}`;
      for (const consumer of isShared ? group.members : largest(group, least)) {
        wanted -= consumer.allocated;
        this.endOne(consumer, errorOf(Errors.MemoryError, text));
        if (wanted <= 0) return;
      }
    }
  }

  private endOne(consumer: Consumer, error: SvcError): void {
    consumer.allocated = 0;
    if (consumer instanceof Fiber) {
      this.vm.scheduler.raise(consumer, error);
      if (consumer.thrown === error) this.told(consumer, error);
    } else {
      consumer.end(error);
      this.jobs.delete(consumer);
      this.claim(error);
    }
    this.endedAt = this.vm.host.now();
    // Its memory is freed by the next collection, so allow one soon.
    this.collectedAt = -Infinity;
  }

  /** Called when there is room again: resets all measurements. */
  private forget(): void {
    this.last = 0;
    this.jobs.clear();
    for (const fiber of this.vm.scheduler.live) fiber.allocated = 0;
  }
}

/** Fibers that have not been told to end yet. */
function* innocent(fibers: Iterable<Fiber>): Generator<Fiber> {
  for (const fiber of fibers) if (fiber.thrown === null && fiber.pending === null) yield fiber;
}

/** Puts those that have allocated most first. */
function groupOf<T extends Consumer | Group<Consumer>>(members: T[]): Group<T> {
  return {
    allocated: members.reduce((sum, { allocated }) => sum + allocated, 0),
    members: members.sort((a, b) => b.allocated - a.allocated),
  };
}

/** Consumers by what they run for. */
function byContext(consumers: readonly Consumer[]): Group<Consumer>[] {
  const groups = new Map<object | null, Consumer[]>();
  for (const consumer of consumers) {
    const members = groups.get(consumer.context);
    if (members === undefined) groups.set(consumer.context, [consumer]);
    else members.push(consumer);
  }
  return [...groups.values()].map(groupOf);
}

/** The members that have allocated at least `least` bytes, and not much less than the first one. */
function largest<T extends { readonly allocated: number }>({ members }: Group<T>, least: number): T[] {
  return members.filter(({ allocated }) => allocated >= Math.max(least, members[0].allocated * SHARE));
}

/** Whether the largest members have allocated less than half of it all. */
function isEven<T extends { readonly allocated: number }>(group: Group<T>, least: number): boolean {
  return largest(group, least).reduce((sum, { allocated }) => sum + allocated, 0) < group.allocated / 2;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
