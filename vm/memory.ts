import type { Fiber } from './fiber.js';
import { Errors, ErrorValue, SvcError } from './values/error.js';
import { setRoom } from './values/room.js';
import type { VM } from './vm.js';

/** Parts of the heap's limit: growth is noted for each thread from the first on; at the second the heap is collected; the third is too much even with garbage. */
const ALERT = 0.5;
const FULL = 0.7;
const OVERFULL = 0.8;
/** Milliseconds between looks at the heap while there is room, and between collections. */
const LOOK_MS = 20;
const COLLECT_MS = 2000;

/**
 * Ends the thread that allocates most with MemoryError before the process runs out of memory. Only slices that were used up count: what
 * waits often allocates little between two waits, and large natives have bounds of their own.
 */
export function watchMemory(vm: VM): void {
  const watch = new MemoryWatch(vm);
  vm.scheduler.onSpent = (fiber) => watch.look(fiber);
  setRoom((bytes) => watch.isRoomFor(bytes));
}

class MemoryWatch {
  private lookAt = 0;
  private collectedAt = -Infinity;
  /** Bytes in use at the last look while memory was short; 0: there was room. */
  private last = 0;
  /** Who was last told to end, and the error it was given. */
  private victim: { fiber: Fiber; error: SvcError } | null = null;

  constructor(private readonly vm: VM) {}

  look(fiber: Fiber): void {
    const { host } = this.vm;
    const now = host.now();
    if (now < this.lookAt || this.isEnding()) return;
    const { used, limit } = host.heap();
    if (used < limit * ALERT) {
      this.lookAt = now + LOOK_MS;
      this.last = 0;
      return;
    }
    if (this.last > 0) fiber.allocated += Math.max(0, used - this.last);
    this.last = used;
    if (used >= limit * FULL && !this.hasRoomAfterAll(now, used, limit)) this.end(limit);
  }

  /** Before a table of `bytes` is made: a large one leaves the next slice's look no time. */
  isRoomFor(bytes: number): boolean {
    const { host } = this.vm;
    const { used, limit } = host.heap();
    if (used + bytes < limit * OVERFULL) return true;
    if (bytes < limit * OVERFULL) host.collect();
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
    const victim = greediest(scheduler.live);
    const message = `out of memory: values take ${megabytes(this.last)} of ${megabytes(limit)}, and this thread has allocated most`;
    if (victim !== null) {
      const error = new SvcError(new ErrorValue(Errors.MemoryError, message));
      scheduler.raise(victim, error);
      this.victim = { fiber: victim, error };
    }
    for (const other of scheduler.live) other.allocated = 0;
    this.last = 0;
    // What the thread held is free at the next collection.
    this.collectedAt = -Infinity;
  }
}

function greediest(fibers: Iterable<Fiber>): Fiber | null {
  let most: Fiber | null = null;
  for (const fiber of fibers) if (fiber.state === 'ready' && (most === null || fiber.allocated > most.allocated)) most = fiber;
  return most;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
