import type { Host } from '../../../vm/host.js';

/** Milliseconds of processor time after which a program counts as endless. */
const PATIENCE_MS = 8000;

interface HostTimer {
  at: number;
  callback: () => void;
}

/** A host whose clock and event loop a test controls. */
export class FakeHost implements Host {
  time = 0;
  out = '';
  err = '';
  /** Pending callbacks of the event loop, in order. */
  readonly deferred: (() => void)[] = [];
  readonly timers = new Set<HostTimer>();
  /** Timers set so far. */
  timersSet = 0;
  /** Milliseconds that each reading of the clock takes. */
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

  /** Returns the printed lines since the last call. */
  lines(): string[] {
    const { out } = this;
    this.out = '';
    return out.split('\n').slice(0, -1);
  }

  /** Runs one turn of the event loop: the callbacks deferred so far. Returns whether there were any. */
  turn(): boolean {
    const callbacks = this.deferred.splice(0);
    for (const callback of callbacks) callback();
    return callbacks.length > 0;
  }

  /** Runs turns until no callback is deferred; `limit` turns at most. */
  settle(limit = 10_000): void {
    for (let n = 0; n < limit; n++) if (!this.turn()) return;
  }

  /** Advances the clock, then runs due timers in order, like a late event loop. */
  advance(ms: number): void {
    this.time += ms;
    const due = [...this.timers].filter((timer) => timer.at <= this.time).sort((a, b) => a.at - b.at);
    for (const timer of due) if (this.timers.delete(timer)) timer.callback();
  }

  /** Runs until nothing is left. While callbacks are deferred the clock stands still; otherwise it jumps to the next timer. */
  runAll(): void {
    let limit = Infinity;
    for (let n = 1; ; n++) {
      // Reading the processor time takes longer than most programs.
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
