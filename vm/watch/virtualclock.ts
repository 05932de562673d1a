import type { Host } from '../host.js';
import type { VM } from '../vm.js';
import { quietness, whenSettled } from './quiet.js';

/** Start of a virtual clock: 2000-01-01T00:00:00Z. */
const EPOCH = Date.UTC(2000, 0, 1);
/** Virtual milliseconds of a used-up slice, so that time also passes in loops that never wait. */
const SLICE_MS = 1;

/**
 * A clock that stands still while threads run and jumps to the next timer when all of them wait. So `sleep(3600)` takes
 * no time, and a program sees the same times in every run.
 */
export class VirtualClock {
  private time = 0;

  private alarm: { at: number; callback: () => void } | null = null;
  /** Whether an alarm rings: what it does may make the VM quiet. */
  private isRinging = false;

  /** @param start milliseconds since 1970 at which the program starts */
  constructor(private readonly start = EPOCH) {}

  /** A host like `real`, except for its clock. */
  around(real: Host): Host {
    return {
      ...real,
      behind: real,
      now: () => this.time,
      wallClock: () => this.start + Math.floor(this.time),
      // One alarm suffices: the VM multiplexes its timers on one.
      setTimer: (ms, callback) => {
        const alarm = (this.alarm = { at: this.time + ms, callback });
        return () => {
          if (this.alarm === alarm) this.alarm = null;
        };
      },
    };
  }

  /** Lets the clock drive `vm`, which must run on a host made by `around`. */
  drive(vm: VM): void {
    const { scheduler } = vm;
    const { onQuiet, onSpent } = scheduler;
    scheduler.onSpent = (fiber) => {
      this.advance(this.time + SLICE_MS);
      onSpent(fiber);
    };
    scheduler.onQuiet = () => {
      if (this.isRinging) return;
      // A timer may wake no fiber; then no turn follows, so advance in a loop.
      while (scheduler.isQuiet && this.alarm !== null && !vm.timers.endNoWait && quietness(vm) === 'inside')
        this.advance(this.alarm.at);
      if (!scheduler.isQuiet) return;
      if (this.alarm !== null && !vm.timers.endNoWait && quietness(vm) === 'loop') this.advanceLater(vm);
      onQuiet();
    };
  }

  /** Advances once no data is on its way between threads. */
  private advanceLater(vm: VM): void {
    whenSettled(vm, () => {
      if (this.alarm === null || vm.timers.endNoWait || quietness(vm) === 'outside') return;
      this.advance(this.alarm.at);
      if (vm.scheduler.isQuiet) vm.scheduler.onQuiet();
    });
  }

  private advance(to: number): void {
    this.time = Math.max(this.time, to);
    const { alarm } = this;
    if (alarm === null || alarm.at > this.time) return;
    this.alarm = null;
    this.isRinging = true;
    alarm.callback();
    this.isRinging = false;
  }
}
