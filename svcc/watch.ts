import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
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

/** The names that `list` returns; none if the directory cannot be read. */
function namesBy(list: () => string[]): string[] {
  try {
    return list();
  } catch {
    return [];
  }
}

/** The names of a folder's files that end in `end`, sorted. */
function filesOf(folder: string, end: string): string[] {
  return namesBy(() => readdirSync(folder).filter((name) => name.endsWith(end) && !name.startsWith('.'))).sort();
}

/** A folder whose files a program has used, and their names. */
interface Folder {
  readonly end: string;
  names: string[];
}

/**
 * Polls files every 80 ms, which works in mounted folders as well. A usual watcher records a file's first state when it
 * starts; this one knows when the file was read, so it also detects changes between the two.
 */
export class FileWatch {
  private readonly states = new Map<string, string>();
  /** The templates of directories when a program was compiled. */
  private listings: Listing[] = [];
  private readonly folders = new Map<string, Folder>();
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

  /** Watches the files of a folder whose names end in `end`, also those that are added, and the folder if it is missing. */
  addFolder(folder: string, end: string, readAt: number): void {
    const names = filesOf(folder, end);
    if (!this.folders.has(folder)) this.folders.set(folder, { end, names });
    void this.add(
      names.map((name) => join(folder, name)),
      readAt,
    );
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
      const names = namesBy(() => templateFiles(known.directory));
      if (names.join('\n') === known.names.join('\n')) continue;
      this.listings[i] = { ...known, names };
      this.tell(known.directory);
    }
    for (const [path, folder] of this.folders) {
      const names = filesOf(path, folder.end);
      if (names.join('\n') === folder.names.join('\n')) continue;
      folder.names = names;
      this.tell(path);
    }
  }

  private tell(path: string): void {
    if (!this.closed) this.changed(path);
  }
}
