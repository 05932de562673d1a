/** Reads of a turn of the event loop leave in one command: a command and its promise take longer than the rest of a read. */

/** Maximum keys of a command. Redis serves no other client while it runs one. */
const KEYS = 100;

/** Bytes of values that are made texts before other work may run. */
const STEP_BYTES = 256 * 1024;

interface Read {
  readonly key: string;
  done(text: string | null): void;
  failed(error: unknown): void;
}

/** Collects keys and distributes the values of their commands. */
export class RedisReads {
  private reads: Read[] = [];

  /** @param fetch reads keys with one command, and returns a value for each */
  constructor(private readonly fetch: (keys: string[]) => Promise<(Buffer | null)[]>) {}

  /** Resolves with the text of a key, null without one. Rejects with the error of the command. */
  get(key: string): Promise<string | null> {
    return new Promise((done, failed) => {
      if (this.reads.push({ key, done, failed }) === 1) process.nextTick(() => this.send());
      else if (this.reads.length === KEYS) this.send();
    });
  }

  private send(): void {
    const { reads } = this;
    // Already sent, because they were many.
    if (reads.length === 0) return;
    this.reads = [];
    this.fetch(reads.map(({ key }) => key)).then(
      (values) => distribute(reads, values, 0),
      (error: unknown) => {
        for (const { failed } of reads) failed(error);
      },
    );
  }
}

/** Passes values to their reads, from number `from` on. A few large ones at a time. */
function distribute(reads: readonly Read[], values: readonly (Buffer | null)[], from: number): void {
  let bytes = 0;
  for (let i = from; i < reads.length; i++) {
    if (bytes >= STEP_BYTES) return void setImmediate(distribute, reads, values, i);
    const value = values[i];
    bytes += value === null ? 0 : value.length;
    reads[i].done(value === null ? null : value.toString());
  }
}
