import { Handover, type Thrown } from '../../vm/fibers/fiber.js';
import type { Timer } from '../../vm/fibers/timers.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors, errorOf } from '../../vm/values/error.js';
import { toText } from '../../vm/values/text/text.js';
import { Float, type Value } from '../../vm/values/value.js';

/** A thread that waits in `recv`, until something gives it a value or its time is over. */
export abstract class Receiver extends Handover {
  private readonly timer: Timer | null;

  /**
   * @param goOn continues the thread with a value
   * @param timeout seconds after which it gets a TimeoutError; null: it waits without a limit
   */
  constructor(
    private readonly vm: NativeContext,
    private readonly goOn: (value: Value) => void,
    failed: (thrown: Thrown) => void,
    timeout: Value,
  ) {
    super();
    this.timer = timeout === null ? null : this.startTimer(timeout, failed);
  }

  private startTimer(timeout: Value, failed: (thrown: Thrown) => void): Timer {
    const seconds = timeout instanceof Float ? timeout.n : Number(timeout);
    return this.vm.timers.add(seconds * 1000, () => {
      this.cancel();
      failed(errorOf(Errors.TimeoutError, `timed out after ${toText(timeout)}s`));
    });
  }

  resume(value: Value): void {
    this.stopTimer();
    this.goOn(value);
  }

  cancel(): void {
    this.stopTimer();
    this.leave();
  }

  /** Takes it out of the list of those that wait. */
  protected abstract leave(): void;

  private stopTimer(): void {
    if (this.timer !== null) this.vm.timers.cancel(this.timer);
  }
}
