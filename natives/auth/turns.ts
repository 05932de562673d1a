/** Limits how many operations run at once; the others wait in order of arrival. */
export class Turns {
  private readonly waiting = new Set<() => void>();

  constructor(private free: number) {}

  /**
   * Runs an operation when its turn comes. If aborted before, it leaves the queue. @throws what the operation throws
   */
  async run<T>(operation: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.turn(signal);
    try {
      return await operation();
    } finally {
      this.pass();
    }
  }

  private turn(signal: AbortSignal): Promise<void> | undefined {
    signal.throwIfAborted();
    if (this.free > 0) {
      this.free--;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(start);
        reject(signal.reason);
      };
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.waiting.add(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  private pass(): void {
    const [next] = this.waiting;
    if (next === undefined) this.free++;
    else {
      this.waiting.delete(next);
      next();
    }
  }
}
