export type Output = 'stdout' | 'stderr';

/** What was printed and not yet taken by its reader, such as another process behind a pipe. */
export interface Backlog {
  /** Bytes that wait for the reader of `output`. */
  bytes(output: Output): number;
  /** Calls back once, when the reader has taken them all or has gone. */
  whenTaken(output: Output, callback: () => void): void;
}

/** Services that the VM needs from its environment. The VM itself uses no clock, timer, stream or random source. */
export interface Host {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Milliseconds since 1970 in UTC. */
  wallClock(): number;
  /** Bytes of memory that values use, and their limit; read at the ends of slices. */
  heap(): { used: number; limit: number };
  /** Collects garbage; takes up to a second. */
  collect(): void;
  /** Runs `callback` in the next turn of the event loop. */
  defer(callback: () => void): void;
  /** Runs `callback` after `ms` milliseconds; returns a function that cancels it. */
  setTimer(ms: number, callback: () => void): () => void;
  /** Uniform random number in [0, 1). */
  random(): number;
  /** The host whose clock is replaced by a virtual one; absent if the clock is real. */
  readonly behind?: Host;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Absent if output waits for nobody, or if threads must not depend on who reads it. */
  readonly backlog?: Backlog;
}
