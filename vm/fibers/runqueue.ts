import type { Fiber } from './fiber.js';

/** Ready fibers in the order in which they became ready. Holds no fiber longer than until it runs. */
export class RunQueue {
  /** Those that came last, in order. */
  private incoming: Fiber[] = [];
  /** Those before them, the next one last. */
  private outgoing: Fiber[] = [];

  get length(): number {
    return this.incoming.length + this.outgoing.length;
  }

  push(fiber: Fiber): void {
    this.incoming.push(fiber);
  }

  /** Takes the next fiber; undefined if there is none. */
  shift(): Fiber | undefined {
    if (this.outgoing.length === 0) this.turnOver();
    return this.outgoing.pop();
  }

  /** Takes the fiber at an index from 0, where 0 is the next one. */
  take(index: number): Fiber {
    this.turnOver();
    return this.outgoing.splice(this.outgoing.length - 1 - index, 1)[0];
  }

  /** Takes a fiber out. Returns whether it was there. */
  remove(fiber: Fiber): boolean {
    for (const part of [this.incoming, this.outgoing]) {
      const at = part.indexOf(fiber);
      if (at < 0) continue;
      part.splice(at, 1);
      return true;
    }
    return false;
  }

  /** Moves all incoming fibers to the others. */
  private turnOver(): void {
    const { incoming, outgoing } = this;
    if (incoming.length === 0) return;
    incoming.reverse();
    if (outgoing.length > 0) for (const fiber of outgoing) incoming.push(fiber);
    outgoing.length = 0;
    this.incoming = outgoing;
    this.outgoing = incoming;
  }
}
