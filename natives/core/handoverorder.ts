/** The order of the values of a queue that are passed to threads, some of which end before they have received theirs. */
export class HandoverOrder {
  private passed = 0;
  /** Numbers of the values at the start of the queue that were given back. */
  private readonly returned: number[] = [];

  /** The number of the first value of the queue, or, if the queue is empty, of a new one. Call it to pass on the value. */
  next(): number {
    return this.returned.shift() ?? this.passed++;
  }

  /** Inserts a value at the start of its queue, after those that were passed on before it and have been given back. */
  giveBack<T>(queue: T[], value: T, number: number): void {
    const at = this.returned.filter((before) => before < number).length;
    this.returned.splice(at, 0, number);
    queue.splice(at, 0, value);
  }
}
