/** What is ready to run, in the order in which it became ready. Holds nothing longer than until it runs. */
export class RunQueue<T> {
  /** Those that came last, in order. */
  private incoming: T[] = [];
  /** Those before them, the next one last. */
  private outgoing: T[] = [];

  get length(): number {
    return this.incoming.length + this.outgoing.length;
  }

  push(item: T): void {
    this.incoming.push(item);
  }

  /** Takes the next one; undefined if there is none. */
  shift(): T | undefined {
    if (this.outgoing.length === 0) this.turnOver();
    return this.outgoing.pop();
  }

  /** Takes the one at an index from 0, where 0 is the next one. */
  take(index: number): T {
    this.turnOver();
    return this.outgoing.splice(this.outgoing.length - 1 - index, 1)[0];
  }

  /** Takes one out. Returns whether it was there. */
  remove(item: T): boolean {
    for (const part of [this.incoming, this.outgoing]) {
      const at = part.indexOf(item);
      if (at < 0) continue;
      part.splice(at, 1);
      return true;
    }
    return false;
  }

  /** Moves all that came last to the others. */
  private turnOver(): void {
    const { incoming, outgoing } = this;
    if (incoming.length === 0) return;
    incoming.reverse();
    if (outgoing.length > 0) for (const item of outgoing) incoming.push(item);
    outgoing.length = 0;
    this.incoming = outgoing;
    this.outgoing = incoming;
  }
}
