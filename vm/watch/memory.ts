import { Fiber } from '../fibers/fiber.js';
import { Errors, Signal, SvcError, errorOf } from '../values/error.js';
import { setRoom, type Job, type RoomWatch } from '../values/heaproom.js';
import type { VM } from '../vm.js';

/** Parts of the heap's limit: growth is noted for each thread from the first on; at the second the heap is collected; the third is too much even with garbage. */
const ALERT = 0.5;
const FULL = 0.7;
const OVERFULL = 0.8;
/** The part of the limit that values are to take when those that were ended have freed what they had allocated. */
const ENOUGH = 0.6;
/** The part of the limit that one must have allocated to be ended: others are not to blame. */
const LEAST = 1 / 256;
/** The part of what the greediest one has allocated that makes another one to blame as well. */
const SHARE = 1 / 4;
/** Milliseconds between looks at the heap while there is room: a thread may allocate ten megabytes in each. */
const LOOK_MS = 2;
/** Milliseconds until what a thread held that was told to end is free: others may have to learn of its end first. */
const ENDING_MS = 200;
/** Milliseconds between collections. */
const COLLECT_MS = 2000;
/** The same when a native asks for room: it must not be refused for garbage, nor collect again and again. */
const ROOM_COLLECT_MS = 300;
/** Milliseconds within which a thread must not meet a second shortage of memory. */
const AGAIN_MS = 60_000;

/**
 * Ends the thread that allocates most with MemoryError before the process runs out of memory. Slices count, and pieces of long work; natives that make
 * something large at once ask for room. A thread that meets a second shortage soon after the first is ended by a signal, which no `rescue` sees.
 */
export function watchMemory(vm: VM): void {
  const watch = new MemoryWatch(vm);
  vm.scheduler.onSlice = (fiber) => watch.look(fiber);
  setRoom(watch);
}

class MemoryWatch implements RoomWatch {
  private lookAt = 0;
  private collectedAt = -Infinity;
  private roomCollectedAt = -Infinity;
  /** When a thread was last told to end. */
  private endedAt = -Infinity;
  /** An error that long work has failed with, until the thread that waits for it is known. */
  private unclaimed: SvcError | null = null;
  /** Bytes in use at the last look while memory was short; 0: there was room. */
  private last = 0;
  /** One of those that were last told to end, and the error it was given. */
  private victim: { fiber: Fiber; error: SvcError } | null = null;
  /** Long work that was done since memory is short. */
  private readonly jobs = new Set<Job>();

  constructor(private readonly vm: VM) {}

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

  /** Finds the thread that is to get an error. */
  private claim(error: SvcError): void {
    this.unclaimed = null;
    for (const fiber of this.vm.scheduler.live) {
      if (fiber.thrown !== error) continue;
      this.victim = { fiber, error };
      this.strike(fiber, error);
    }
  }

  /** Notes that a thread has met a shortage. */
  private strike(fiber: Fiber, { value }: SvcError): void {
    const now = this.vm.host.now();
    if (now - fiber.shortAt < AGAIN_MS) this.vm.scheduler.interrupt(fiber, new Signal('memory', value));
    fiber.shortAt = now;
  }

  /** After a slice or a piece of work of whoever may have allocated. */
  look(consumer: Fiber | Job): void {
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
    if (used < limit * FULL || (used < limit * OVERFULL && (this.isEnding() || now - this.endedAt < ENDING_MS))) return;
    if (!this.hasRoomAfterAll(now, used, limit)) this.end(limit);
  }

  isRoomFor(bytes: number): boolean {
    const { host } = this.vm;
    const { used, limit } = host.heap();
    if (used + bytes < limit * OVERFULL) return true;
    const now = host.now();
    if (bytes >= limit * OVERFULL || now - this.roomCollectedAt < ROOM_COLLECT_MS) return false;
    host.collect();
    this.roomCollectedAt = host.now();
    return host.heap().used + bytes < limit * OVERFULL;
  }

  /** What a thread holds is free only once it has had its turn and taken its error: until then nobody else is to blame. */
  private isEnding(): boolean {
    if (this.victim !== null && this.victim.fiber.thrown !== this.victim.error) this.victim = null;
    return this.victim !== null;
  }

  /** Most of what is in use may be garbage, such as what a thread held that was ended. */
  private hasRoomAfterAll(now: number, used: number, limit: number): boolean {
    if (now - this.collectedAt < COLLECT_MS) return used < limit * OVERFULL;
    this.collectedAt = now;
    this.vm.host.collect();
    this.last = this.vm.host.heap().used;
    return this.last < limit * FULL;
  }

  /** Ends those that have allocated most, until what they have allocated is enough. */
  private end(limit: number): void {
    const { scheduler } = this.vm;
    const text = `out of memory: values take ${megabytes(this.last)} of ${megabytes(limit)}, and this thread has allocated most`;
    let wanted = this.last - limit * ENOUGH;
    const least = limit * LEAST;
    const consumers = [...innocent(scheduler.live), ...this.jobs].filter(({ allocated }) => allocated >= least);
    const most = Math.max(...consumers.map(({ allocated }) => allocated));
    for (const consumer of consumers.sort((a, b) => b.allocated - a.allocated)) {
      if (consumer.allocated < most * SHARE) break;
      const error = errorOf(Errors.MemoryError, text);
      if (consumer instanceof Fiber) scheduler.raise(consumer, error);
      else consumer.end(error);
      this.claim(error);
      wanted -= consumer.allocated;
      consumer.allocated = 0;
      this.endedAt = this.vm.host.now();
      this.jobs.delete(consumer as Job);
      // What it held is free at the next collection.
      this.collectedAt = -Infinity;
      if (wanted <= 0) break;
    }
  }

  /** There is room again: nobody is to blame for anything. */
  private forget(): void {
    this.last = 0;
    this.jobs.clear();
    for (const fiber of this.vm.scheduler.live) fiber.allocated = 0;
  }
}

/** Those that have not been told to end yet. */
function* innocent(fibers: Iterable<Fiber>): Generator<Fiber> {
  for (const fiber of fibers) if (fiber.thrown === null && fiber.pending === null) yield fiber;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
