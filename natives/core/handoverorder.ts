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
    const at = this.countBelow(number);
    this.returned.splice(at, 0, number);
    queue.splice(at, 0, value);
  }

  /** How many of the returned numbers, which are in order, are below this one; by halving, for they may be thousands. */
  private countBelow(number: number): number {
    const { returned } = this;
    let [low, high] = [0, returned.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (returned[middle] < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
