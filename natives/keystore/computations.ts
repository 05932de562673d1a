import type { Fiber } from '../../vm/fibers/fiber.js';

/** A value that a thread of this process computes. */
interface Computation {
  readonly fiber: Fiber | null;
  /** Called when it ends. */
  readonly waiting: Set<() => void>;
}

/** The values that `fetch` is computing in this process, by their keys. */
export class Computations {
  private readonly byKey = new Map<string, Computation>();

  /** Begins the computation of a key's value by a thread. Returns false if one is under way. */
  begin(key: string, fiber: Fiber | null): boolean {
    if (this.byKey.has(key)) return false;
    this.byKey.set(key, { fiber, waiting: new Set() });
    return true;
  }

  /** Whether this thread computes the value. */
  isComputing(key: string, fiber: Fiber | null): boolean {
    return fiber !== null && this.byKey.get(key)?.fiber === fiber;
  }

  /** Calls `ended` when the computation has succeeded or failed. Returns a function that ends the wait. */
  wait(key: string, ended: () => void): () => void {
    const computation = this.byKey.get(key);
    if (computation === undefined) {
      ended();
      return () => {};
    }
    computation.waiting.add(ended);
    return () => computation.waiting.delete(ended);
  }

  end(key: string): void {
    const computation = this.byKey.get(key);
    this.byKey.delete(key);
    for (const ended of computation?.waiting ?? []) ended();
  }
}
