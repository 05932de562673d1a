import type { Host } from '../host.js';

/** Hears that its time has come. */
export interface Alarm {
  ring(): void;
}

/** What is called or told at its time. A function is called with nil, so that the one that resumes a thread can be passed as it is. */
export type TimerCallback = ((value: null) => void) | Alarm;

/** A callback scheduled for a time. */
export interface Timer {
  at: number;
  /** Orders timers of the same time: first added, first run. */
  order: number;
  callback: TimerCallback;
  /** Its place in the heap; −1 once it has run or is cancelled. */
  place: number;
}

/** All timers of a VM, multiplexed on one timer of the host; a binary heap by time. */
export class Timers {
  private readonly heap: Timer[] = [];
  private cancelHost: (() => void) | null = null;
  private armedFor = Infinity;
  private count = 0;
  /** Timers that end no wait. */
  private readonly background = new Set<Timer>();
  private isStopped = false;
  /** Called after timers have run. */
  onFired: () => void = () => {};

  constructor(private readonly host: Host) {}

  /** Whether no timer can end the wait of a thread. */
  get endNoWait(): boolean {
    return this.heap.length === this.background.size;
  }

  /** Runs `callback` after `ms` milliseconds. */
  add(ms: number, callback: TimerCallback): Timer {
    const timer: Timer = { at: this.host.now() + ms, order: this.count++, callback, place: -1 };
    if (this.isStopped) return timer;
    this.heap.push(timer);
    this.siftUp(timer, this.heap.length - 1);
    this.arm();
    return timer;
  }

  /** Like `add`, for what ends the wait of no thread, such as a warning. */
  addBackground(ms: number, callback: TimerCallback): Timer {
    const timer = this.add(ms, callback);
    if (timer.place >= 0) this.background.add(timer);
    return timer;
  }

  /** Removes a timer at once: an entry left behind would keep its thread in memory, for as long as the timer was to run. */
  cancel(timer: Timer): void {
    if (timer.place < 0) return;
    this.remove(timer);
    if (this.heap.length === 0) this.disarm();
  }

  /** Drops all timers, and those that are added later: the program has ended. */
  stop(): void {
    this.isStopped = true;
    for (const timer of this.heap.splice(0)) timer.place = -1;
    this.background.clear();
    this.disarm();
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
    while (this.heap.length > 0 && this.heap[0].at <= now) {
      const timer = this.heap[0];
      this.remove(timer);
      if (typeof timer.callback === 'function') timer.callback(null);
      else timer.callback.ring();
    }
    this.arm();
    this.onFired();
  }

  private remove(timer: Timer): void {
    if (this.background.size > 0) this.background.delete(timer);
    const { place } = timer;
    const last = this.heap.pop() as Timer;
    timer.place = -1;
    if (last === timer) return;
    // The last timer takes the place, and moves up or down from there.
    if (isBefore(last, timer)) this.siftUp(last, place);
    else this.siftDown(last, place);
  }

  /** Puts a timer at `i`, or above it where its place is. */
  private siftUp(timer: Timer, i: number): void {
    const { heap } = this;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(timer, heap[parent])) break;
      this.put(heap[parent], i);
      i = parent;
    }
    this.put(timer, i);
  }

  /** Puts a timer at `i`, or below it where its place is. */
  private siftDown(timer: Timer, i: number): void {
    const { heap } = this;
    for (let child = 2 * i + 1; child < heap.length; child = 2 * i + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], timer)) break;
      this.put(heap[child], i);
      i = child;
    }
    this.put(timer, i);
  }

  private put(timer: Timer, i: number): void {
    this.heap[i] = timer;
    timer.place = i;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
