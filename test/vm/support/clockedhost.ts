import { FakeHost } from './host.js';

/** A host whose clock is the real one, and which notes how much processor time each callback took. */
export class ClockedHost extends FakeHost {
  /** Milliseconds of processor time of the longest callback so far. */
  longest = 0;

  override now(): number {
    return performance.now();
  }

  /** One callback at a time, as the event loop would: what it took is noted. */
  override turn(): boolean {
    const callback = this.deferred.shift();
    if (callback === undefined) return false;
    const before = process.cpuUsage();
    callback();
    const { user, system } = process.cpuUsage(before);
    this.longest = Math.max(this.longest, (user + system) / 1000);
    return true;
  }
}
