import type { Host } from '../host.js';

/** Called with nil, so that the function that resumes a thread can be passed as it is. */
export type TimerCallback = (value: null) => void;

/** A callback scheduled for a time. Cancelled entries stay in the heap and are dropped when they reach its top. */
export interface Timer {
  at: number;
  /** Orders timers of the same time: first added, first run. */
  order: number;
  callback: TimerCallback;
  cancelled: boolean;
}

/** All timers of a VM, multiplexed on one timer of the host; a binary heap by time. */
export class Timers {
  private readonly heap: Timer[] = [];
  private cancelHost: (() => void) | null = null;
  private armedFor = Infinity;
  private count = 0;

  constructor(private readonly host: Host) {}

  get isEmpty(): boolean {
    return this.heap.length === 0;
  }

  /** Runs `callback` after `ms` milliseconds. */
  add(ms: number, callback: TimerCallback): Timer {
    const timer: Timer = { at: this.host.now() + ms, order: this.count++, callback, cancelled: false };
    this.heap.push(timer);
    this.up(this.heap.length - 1);
    this.arm();
    return timer;
  }

  cancel(timer: Timer): void {
    timer.cancelled = true;
    while (this.heap.length > 0 && this.heap[0].cancelled) this.pop();
    if (this.heap.length === 0) this.disarm();
  }

  private disarm(): void {
    this.cancelHost?.();
    this.cancelHost = null;
    this.armedFor = Infinity;
  }

  private arm(): void {
    const first = this.heap[0];
    if (first === undefined || first.at >= this.armedFor) return;
    this.disarm();
    this.armedFor = first.at;
    this.cancelHost = this.host.setTimer(Math.max(0, first.at - this.host.now()), () => this.fire());
  }

  private fire(): void {
    this.cancelHost = null;
    this.armedFor = Infinity;
    const now = this.host.now();
    while (this.heap.length > 0 && (this.heap[0].cancelled || this.heap[0].at <= now)) {
      const timer = this.pop();
      if (!timer.cancelled) timer.callback(null);
    }
    this.arm();
  }

  /** Moves the timer at `i` towards the top, to its place. */
  private up(i: number): void {
    const { heap } = this;
    const timer = heap[i];
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(timer, heap[parent])) break;
      heap[i] = heap[parent];
      i = parent;
    }
    heap[i] = timer;
  }

  private pop(): Timer {
    const top = this.heap[0];
    const last = this.heap.pop() as Timer;
    if (this.heap.length > 0) this.sink(last);
    return top;
  }

  /** Puts a timer in the place of the first one, and moves it down to its own. */
  private sink(timer: Timer): void {
    const { heap } = this;
    let i = 0;
    for (let child = 1; child < heap.length; child = 2 * i + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], timer)) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = timer;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
