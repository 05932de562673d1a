import type { Host } from '../host.js';
import type { VM } from '../vm.js';

/** When a virtual clock starts: 2000-01-01T00:00:00Z. */
const EPOCH = Date.UTC(2000, 0, 1);
/** Milliseconds that a slice takes which was used up: loops that never wait take time, too. */
const SLICE_MS = 1;

/**
 * A clock that stands while threads run and jumps to the next timer when all of them wait: `sleep(3600)` takes no time, and the times that a
 * program sees are the same in every run.
 */
export class VirtualClock {
  private time = 0;
  private alarm: { at: number; callback: () => void } | null = null;

  /** A host like `real`, but for its clock. */
  around(real: Host): Host {
    return {
      ...real,
      now: () => this.time,
      wallClock: () => EPOCH + Math.floor(this.time),
      // The VM keeps all its timers behind one.
      setTimer: (ms, callback) => {
        const alarm = (this.alarm = { at: this.time + ms, callback });
        return () => {
          if (this.alarm === alarm) this.alarm = null;
        };
      },
    };
  }

  /** Lets the clock drive `vm`, which runs on a host made by `around`. */
  drive(vm: VM): void {
    const { scheduler } = vm;
    const { onQuiet, onSpent } = scheduler;
    scheduler.onSpent = (fiber) => {
      this.advance(this.time + SLICE_MS);
      onSpent(fiber);
    };
    scheduler.onQuiet = () => {
      // A timer may wake nobody, and then no turn follows.
      while (scheduler.isQuiet && this.alarm !== null && onlyWaitsInside(vm)) this.advance(this.alarm.at);
      if (scheduler.isQuiet) onQuiet();
    };
  }

  private advance(to: number): void {
    this.time = Math.max(this.time, to);
    const { alarm } = this;
    if (alarm === null || alarm.at > this.time) return;
    this.alarm = null;
    alarm.callback();
  }
}

/** Whether no thread waits for anything outside. A server's main thread does not count while a request is answered. */
function onlyWaitsInside({ scheduler }: VM): boolean {
  let serves = false;
  let answers = false;
  for (const { waitEndedBy, name } of scheduler.live) {
    if (waitEndedBy === 'signal') serves = true;
    else if (waitEndedBy === 'outside') return false;
    else if (name === 'request' || name === 'websocket') answers = true;
  }
  return !serves || answers;
}
