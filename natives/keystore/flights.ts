import type { Fiber } from '../../vm/fibers/fiber.js';

/** A value that a thread of this process computes. */
interface Flight {
  readonly leader: Fiber | null;
  readonly waiting: Set<() => void>;
}

/** Values that are being computed by `fetch`, by their keys. */
export class Flights {
  private readonly flights = new Map<string, Flight>();

  /** Makes a thread the one that computes a value; returns false if there is one already. */
  begin(key: string, leader: Fiber | null): boolean {
    if (this.flights.has(key)) return false;
    this.flights.set(key, { leader, waiting: new Set() });
    return true;
  }

  /** Whether this thread computes the value. */
  isLeader(key: string, fiber: Fiber | null): boolean {
    return fiber !== null && this.flights.get(key)?.leader === fiber;
  }

  /** Calls `landed` when the value has been computed, or could not be. Returns a function that ends the wait. */
  wait(key: string, landed: () => void): () => void {
    const flight = this.flights.get(key);
    if (flight === undefined) {
      landed();
      return () => {};
    }
    flight.waiting.add(landed);
    return () => flight.waiting.delete(landed);
  }

  end(key: string): void {
    const flight = this.flights.get(key);
    this.flights.delete(key);
    for (const landed of flight?.waiting ?? []) landed();
  }
}
