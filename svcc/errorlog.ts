import type { Host } from '../vm/host.js';

/** Number of times in a row that the same error is printed in full. */
const SHOWN = 10;
/** Milliseconds between two reports of the count. */
const INTERVAL_MS = 1000;

/**
 * Writes errors to stderr. An error that repeats, as in a loop that starts threads, is printed ten times and then
 * counted, so that the log stays readable and the disk does not fill.
 */
export class ErrorLog {
  private last = '';
  /** Number of times in a row that the last error occurred. */
  private times = 0;
  /** Occurrences that are not reported yet. */
  private untold = 0;
  private cancelTimer: (() => void) | null = null;

  constructor(private readonly host: Host) {}

  tell(text: string): void {
    if (text !== this.last) {
      this.flush();
      this.last = text;
      this.times = 0;
    }
    if (++this.times <= SHOWN) this.host.stderr(text);
    else {
      this.untold++;
      this.cancelTimer ??= this.host.setTimer(INTERVAL_MS, () => this.flush());
    }
  }

  /** Reports how often the last error occurred since the last report. Its next occurrence is printed in full. */
  flush(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    if (this.untold > 0) this.host.stderr(`(the same error ${this.untold} more times)\n`);
    this.untold = 0;
    this.times = 0;
  }
}
