import { stat } from 'node:fs/promises';

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
    const { ino, size, mtimeMs } = await stat(path);
    return { state: `${ino} ${size} ${mtimeMs}`, changedAt: mtimeMs };
  } catch {
    return { state: '', changedAt: 0 };
  }
}

/**
 * Polls files every 80 ms, which works in mounted folders as well. A usual watcher records a file's first state when it
 * starts; this one knows when the file was read, so it also detects changes between the two.
 */
export class FileWatch {
  private readonly states = new Map<string, string>();
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  /** `changed` is called for each changed file, once per poll that detects a change. */
  constructor(private readonly changed: (path: string) => void) {
    this.next();
  }

  /**
   * Watches files that were read after `readAt`, in milliseconds of the wall clock. Files that are already watched keep
   * their state.
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

  close(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private next(): void {
    this.timer = setTimeout(() => {
      void this.lookAtAll().then(() => {
        if (!this.closed) this.next();
      });
    }, POLL_MS);
  }

  private async lookAtAll(): Promise<void> {
    for (const [path, known] of [...this.states]) {
      const { state } = await look(path);
      if (state === known) continue;
      this.states.set(path, state);
      this.tell(path);
    }
  }

  private tell(path: string): void {
    if (!this.closed) this.changed(path);
  }
}
