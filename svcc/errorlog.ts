import type { Host } from '../vm/host.js';

/** How often the same error is written before it is only counted. */
const SHOWN = 10;
/** Milliseconds between two words on errors that are counted. */
const INTERVAL_MS = 1000;

/**
 * Writes errors to stderr. One that comes again and again, as from a loop that starts threads, is written ten times and then counted: the log must stay
 * readable, and the disk must not fill.
 */
export class ErrorLog {
  private last = '';
  /** How often the last error came in a row. */
  private times = 0;
  /** How many of them nobody has been told of. */
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

  /** Writes how often the last error came again since the last word on it; it is written in full when it comes after that. */
  flush(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    if (this.untold > 0) this.host.stderr(`(the same error ${this.untold} more times)\n`);
    this.untold = 0;
    this.times = 0;
  }
}
