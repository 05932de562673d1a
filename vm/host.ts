/** What the VM needs from the outside world. The VM itself touches no clock, timer, stream or random source. */
export interface Host {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Milliseconds since 1970 in UTC. */
  wallClock(): number;
  /** Bytes of memory that values take, and the most they may; read at the ends of slices. */
  heap(): { used: number; limit: number };
  /** Frees all memory that nothing refers to; takes up to a second. */
  collect(): void;
  /** Runs `callback` after the event loop has had a turn. */
  defer(callback: () => void): void;
  /** Runs `callback` after `ms`; returns a function that cancels. */
  setTimer(ms: number, callback: () => void): () => void;
  /** Uniform number in [0, 1). */
  random(): number;
  stdout(text: string): void;
  stderr(text: string): void;
}
