import type { Fiber } from '../../vm/fibers/fiber.js';
import type { Timers } from '../../vm/fibers/timers.js';

/** Maximum milliseconds that a thread waits for its turn. Then it begins, too; the slower block may run again. */
const TURN_MS = 50;

/** The turn of a thread that changes a value. */
export interface Turn {
  readonly key: string;
  /** Whether the end of this turn lets the next thread begin. */
  isFirst: boolean;
}

interface Waiting {
  readonly turn: Turn;
  readonly go: () => void;
}

/** Lets threads of this process change a value one after another, so that compare-and-set rarely fails. */
export class Turns {
  private readonly queues = new Map<string, Waiting[]>();
  private readonly keysOf = new WeakMap<Fiber, Set<string>>();

  constructor(private readonly timers: Timers) {}

  /** Whether a thread is changing the value of a key. */
  has(fiber: Fiber | null, key: string): boolean {
    return fiber !== null && this.keysOf.get(fiber)?.has(key) === true;
  }

  /** Requests a turn. Returns it with a function that waits for its beginning; null if it has begun. */
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
    // The previous turn may have ended since `begin`.
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
