import type { Host } from '../../../vm/host.js';

/** Milliseconds of processor time after which a program counts as one that does not end. */
const PATIENCE_MS = 8000;

interface HostTimer {
  at: number;
  callback: () => void;
}

/** A host with a clock and an event loop that a test turns by hand. */
export class FakeHost implements Host {
  time = 0;
  out = '';
  err = '';
  /** What the event loop is going to call, in order. */
  readonly deferred: (() => void)[] = [];
  readonly timers = new Set<HostTimer>();
  /** Timers set so far. */
  timersSet = 0;
  /** Milliseconds that each look at the clock takes: lets code that asks for the time use some up. */
  tick = 0;

  now(): number {
    return (this.time += this.tick);
  }

  wallClock(): number {
    return this.time;
  }

  heap(): { used: number; limit: number } {
    return { used: 0, limit: 1 };
  }

  collect(): void {}

  defer(callback: () => void): void {
    this.deferred.push(callback);
  }

  setTimer(ms: number, callback: () => void): () => void {
    const timer = { at: this.time + ms, callback };
    this.timersSet++;
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  random(): number {
    return 0.5;
  }

  stdout(text: string): void {
    this.out += text;
  }

  stderr(text: string): void {
    this.err += text;
  }

  /** The printed lines since the last call. */
  lines(): string[] {
    const { out } = this;
    this.out = '';
    return out.split('\n').slice(0, -1);
  }

  /** One turn of the event loop: what has been deferred until now. False when there was nothing. */
  turn(): boolean {
    const callbacks = this.deferred.splice(0);
    for (const callback of callbacks) callback();
    return callbacks.length > 0;
  }

  /** Turns until nothing is deferred; `limit` turns at most. */
  settle(limit = 10_000): void {
    for (let n = 0; n < limit; n++) if (!this.turn()) return;
  }

  /** Lets time pass and runs the timers that come due, in their order, all at the end: a late event loop. */
  advance(ms: number): void {
    this.time += ms;
    const due = [...this.timers].filter((timer) => timer.at <= this.time).sort((a, b) => a.at - b.at);
    for (const timer of due) if (this.timers.delete(timer)) timer.callback();
  }

  /** Runs until nothing is left to do; while somebody is busy the clock stands still, else it jumps from timer to timer. */
  runAll(): void {
    let limit = Infinity;
    for (let n = 1; ; n++) {
      // Asking for the processor time takes longer than most programs.
      if (n % 1000 === 0) {
        const { user } = process.cpuUsage();
        if (limit === Infinity) limit = user + PATIENCE_MS * 1000;
        else if (user > limit) throw new Error(`not at rest after ${PATIENCE_MS} ms`);
      }
      this.advance(0);
      if (this.turn()) continue;
      const next = Math.min(...[...this.timers].map((timer) => timer.at));
      if (next === Infinity) return;
      this.advance(Math.max(0, next - this.time));
    }
  }
}
