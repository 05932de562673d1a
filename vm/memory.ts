import type { Fiber } from './fiber.js';
import { Errors, ErrorValue, Signal, SvcError } from './values/error.js';
import { setRoom, type Job, type RoomWatch } from './values/room.js';
import type { VM } from './vm.js';

/** Parts of the heap's limit: growth is noted for each thread from the first on; at the second the heap is collected; the third is too much even with garbage. */
const ALERT = 0.5;
const FULL = 0.7;
const OVERFULL = 0.8;
/** Milliseconds between looks at the heap while there is room: a thread may allocate ten megabytes in each. */
const LOOK_MS = 2;
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
  /** An error that long work has failed with, until the thread that waits for it is known. */
  private unclaimed: SvcError | null = null;
  /** Bytes in use at the last look while memory was short; 0: there was room. */
  private last = 0;
  /** Who was last told to end, and the error it was given. */
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

  /** The thread that waited for work is to get an error that it failed with. */
  private claim(error: SvcError): void {
    this.unclaimed = null;
    for (const fiber of this.vm.scheduler.live) if (fiber.thrown === error) this.strike(fiber, error);
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
      this.last = 0;
      this.jobs.clear();
      return;
    }
    if (this.last > 0) consumer.allocated += Math.max(0, used - this.last);
    this.last = used;
    if (used < limit * FULL || (used < limit * OVERFULL && this.isEnding())) return;
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

  private end(limit: number): void {
    const { scheduler } = this.vm;
    const error = new SvcError(new ErrorValue(Errors.MemoryError, `out of memory: values take ${megabytes(this.last)} of ${megabytes(limit)}, and this thread has allocated most`));
    const fiber = greediest(innocent(scheduler.live));
    const job = greediest(this.jobs);
    if (job !== null && (fiber === null || job.allocated > fiber.allocated)) job.end(error);
    else if (fiber !== null) scheduler.raise(fiber, error);
    for (const other of scheduler.live) {
      if (other.thrown === error) this.victim = { fiber: other, error };
      other.allocated = 0;
    }
    if (this.victim?.error === error) this.strike(this.victim.fiber, error);
    this.jobs.clear();
    this.last = 0;
    // What the thread held is free at the next collection.
    this.collectedAt = -Infinity;
  }
}

/** Those that have not been told to end yet. */
function* innocent(fibers: Iterable<Fiber>): Generator<Fiber> {
  for (const fiber of fibers) if (fiber.allocated > 0 && fiber.thrown === null && fiber.pending === null) yield fiber;
}

function greediest<T extends { allocated: number }>(consumers: Iterable<T>): T | null {
  let most: T | null = null;
  for (const consumer of consumers) if (most === null || consumer.allocated > most.allocated) most = consumer;
  return most;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
