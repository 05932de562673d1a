import { FakeHost } from './host.js';

/** A host whose clock is the real one, and which notes how long each callback kept its thread. */
export class ClockedHost extends FakeHost {
  /** Milliseconds of the longest callback so far: no more than passed, nor than all threads of the process have used of the processors. */
  longest = 0;

  override now(): number {
    return performance.now();
  }

  /** One callback at a time, as the event loop would: what it took is noted. */
  override turn(): boolean {
    const callback = this.deferred.shift();
    if (callback === undefined) return false;
    const before = process.cpuUsage();
    const start = performance.now();
    callback();
    const passed = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    this.longest = Math.max(this.longest, Math.min(passed, (user + system) / 1000));
    return true;
  }
}
