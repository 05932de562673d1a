import { FakeHost } from './host.js';

/** A host with the real clock, which measures how long each callback keeps its thread. */
export class ClockedHost extends FakeHost {
  /** Milliseconds of the longest callback so far. */
  longest = 0;

  /**
   * With `exact`, a callback takes no more than the processor time of all threads of the process: other processes do
   * not count. Reading that takes longer than most callbacks.
   */
  constructor(private readonly exact: boolean) {
    super();
  }

  override now(): number {
    return performance.now();
  }

  /** Runs and measures one callback. */
  override turn(): boolean {
    const callback = this.deferred.shift();
    if (callback === undefined) return false;
    const before = this.exact ? process.cpuUsage() : undefined;
    const start = performance.now();
    callback();
    const passed = performance.now() - start;
    const { user, system } = this.exact ? process.cpuUsage(before) : { user: Infinity, system: 0 };
    this.longest = Math.max(this.longest, Math.min(passed, (user + system) / 1000));
    return true;
  }
}
