import { stat } from 'node:fs/promises';
import { type Listing, templateFiles } from './templatefiles.js';

/** Milliseconds between two polls. */
const POLL_MS = 80;

/** Maximum milliseconds by which a file's time may lag behind the clock. */
const CLOCK_STEP_MS = 10;

interface Look {
  /** Fingerprint that differs after a change; empty for a missing file. */
  state: string;
  changedAt: number;
}

async function look(path: string): Promise<Look> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    // A file that was moved to its place keeps the time at which it was written.
    return { state: `${ino} ${size} ${mtimeMs}`, changedAt: Math.max(mtimeMs, ctimeMs) };
  } catch {
    return { state: '', changedAt: 0 };
  }
}

/** The templates of a directory now; none if it cannot be read. */
function listed(directory: string): Listing {
  try {
    return { directory, names: templateFiles(directory) };
  } catch {
    return { directory, names: [] };
  }
}

/**
 * Polls files every 80 ms, which works in mounted folders as well. A usual watcher records a file's first state when it
 * starts; this one knows when the file was read, so it also detects changes between the two.
 */
export class FileWatch {
  private readonly states = new Map<string, string>();
  /** The templates of directories when a program was compiled. */
  private listings: Listing[] = [];
  private timer: NodeJS.Timeout | null = null;
  /** The last poll. */
  private polling = Promise.resolve();
  private closed = false;

  /** `changed` is called for each changed file, once per poll that detects a change. */
  constructor(private readonly changed: (path: string) => void) {
    this.next();
  }

  /**
   * Watches files that were read, or found missing, after `readAt`, in milliseconds of the wall clock. Files that are
   * already watched keep their state.
   */
  async add(paths: readonly string[], readAt: number): Promise<void> {
    for (const path of paths) {
      if (this.states.has(path)) continue;
      const { state, changedAt } = await look(path);
      if (this.states.has(path)) continue;
      this.states.set(path, state);
      if (changedAt >= readAt - CLOCK_STEP_MS) this.tell(path);
    }
  }

  /** Watches the names of templates in directories, in place of those before. */
  setListings(listings: readonly Listing[]): void {
    this.listings = [...listings];
  }

  close(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private next(): void {
    this.timer = setTimeout(() => {
      void this.poll().then(() => {
        if (!this.closed) this.next();
      });
    }, POLL_MS);
  }

  /** Looks at all files and directories once, after a poll that is under way: two at once would tell a change twice. */
  poll(): Promise<void> {
    return (this.polling = this.polling.then(() => this.lookAtAll()));
  }

  private async lookAtAll(): Promise<void> {
    for (const [path, known] of [...this.states]) {
      const { state } = await look(path);
      if (state === known) continue;
      this.states.set(path, state);
      this.tell(path);
    }
    for (const [i, known] of this.listings.entries()) {
      const now = listed(known.directory);
      if (now.names.join('\n') === known.names.join('\n')) continue;
      this.listings[i] = now;
      this.tell(known.directory);
    }
  }

  private tell(path: string): void {
    if (!this.closed) this.changed(path);
  }
}
