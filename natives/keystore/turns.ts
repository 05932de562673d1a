import type { Fiber } from '../../vm/fibers/fiber.js';
import type { Timers } from '../../vm/fibers/timers.js';

/** Milliseconds that a thread waits for its turn: a block that takes longer holds up nobody, it may have to run again. */
const TURN_MS = 50;

/** A thread that changes a value. */
export interface Turn {
  readonly key: string;
  /** Whether others wait for the end of this turn. */
  isFirst: boolean;
}

interface Waiting {
  readonly turn: Turn;
  readonly go: () => void;
}

/** Lets the threads of this process change a value one after the other, so that compare-and-set rarely fails. */
export class Turns {
  private readonly queues = new Map<string, Waiting[]>();
  private readonly keysOf = new WeakMap<Fiber, Set<string>>();

  constructor(private readonly timers: Timers) {}

  /** Whether a thread is changing the value of a key. */
  has(fiber: Fiber | null, key: string): boolean {
    return fiber !== null && this.keysOf.get(fiber)?.has(key) === true;
  }

  /** Begins a turn. Returns it with a function that waits for it; null if it has begun at once. */
  begin(fiber: Fiber | null, key: string): { turn: Turn; wait: ((go: () => void) => () => void) | null } {
    if (fiber !== null) {
      const keys = this.keysOf.get(fiber) ?? new Set();
      this.keysOf.set(fiber, keys.add(key));
    }
    const queue = this.queues.get(key);
    const turn: Turn = { key, isFirst: queue === undefined };
    if (queue !== undefined) return { turn, wait: (go) => this.wait(queue, turn, go) };
    this.queues.set(key, []);
    return { turn, wait: null };
  }

  private wait(queue: Waiting[], turn: Turn, go: () => void): () => void {
    const leave = (): void => {
      this.timers.cancel(timer);
      const at = queue.indexOf(waiting);
      if (at >= 0) queue.splice(at, 1);
    };
    const waiting: Waiting = {
      turn,
      go: () => {
        leave();
        go();
      },
    };
    const timer = this.timers.add(TURN_MS, waiting.go);
    // The turn before may have ended meanwhile.
    if (this.queues.get(turn.key) === queue) queue.push(waiting);
    else waiting.go();
    return leave;
  }

  end(fiber: Fiber | null, { key, isFirst }: Turn): void {
    if (fiber !== null) this.keysOf.get(fiber)?.delete(key);
    if (!isFirst) return;
    const next = this.queues.get(key)?.[0];
    if (next === undefined) {
      this.queues.delete(key);
      return;
    }
    next.turn.isFirst = true;
    next.go();
  }
}
