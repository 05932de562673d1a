/** What the VM needs from the outside world. The VM itself touches no clock, timer, stream or random source. */
export interface Host {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Runs `callback` after the event loop has had a turn. */
  defer(callback: () => void): void;
  /** Runs `callback` after `ms`; returns a function that cancels. */
  setTimer(ms: number, callback: () => void): () => void;
  /** Uniform number in [0, 1). */
  random(): number;
  stdout(text: string): void;
  stderr(text: string): void;
}
