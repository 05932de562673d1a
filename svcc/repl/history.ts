import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Number of inputs that are kept. */
export const MAX_ENTRIES = 1000;
/** Maximum characters of an input that is kept. */
const MAX_LENGTH = 10_000;

/** Milliseconds after which the lock of a session that shortens is that of one that was killed. */
const LOCK_MS = 60_000;
/** How often an input is appended if the file is replaced each time. */
const MAX_TRIES = 10;

/** Where the history of a user is; null if the environment names no directory. */
export function historyPath({ XDG_STATE_HOME: state }: NodeJS.ProcessEnv): string | null {
  if (state !== undefined && state.startsWith('/')) return join(state, 'svc/history');
  const home = homedir();
  return home === '' ? null : join(home, '.local/state/svc/history');
}

/** An input as a line of the file. */
function toLine(input: string): string {
  return `${input.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`;
}

function fromLine(line: string): string {
  return line.replace(/\\([n\\])/g, (_, c: string) => (c === 'n' ? '\n' : '\\'));
}

/**
 * Inputs of earlier sessions, in a file that sessions share. Each appends to it. One that finds it too long replaces it,
 * if no other does so at the same time, and then looks at the old file for what others have appended meanwhile; those
 * look whether the file has been replaced. A history that cannot be read or written is not kept.
 */
export class History {
  constructor(private readonly path: string | null) {}

  /** Earlier inputs, the newest first. */
  load(): string[] {
    if (this.path === null) return [];
    try {
      const lines = linesOf(readFileSync(this.path, 'utf8'));
      if (lines.length > 2 * MAX_ENTRIES) this.shorten(this.path);
      return lines.slice(-MAX_ENTRIES).map(fromLine).reverse();
    } catch {
      return [];
    }
  }

  add(input: string): void {
    if (this.path === null || input.length > MAX_LENGTH) return;
    const bytes = Buffer.from(toLine(input));
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      // Once more as long as another session replaces the file meanwhile.
      for (let tries = 0; tries < MAX_TRIES && !append(this.path, bytes); tries++);
    } catch {
      // The session works without.
    }
  }

  /** Only one session shortens: of two, the second would replace what others appended to the file of the first. */
  private shorten(path: string): void {
    const lock = `${path}.lock`;
    if (!lockWith(lock)) return;
    try {
      this.replace(path);
    } finally {
      rmSync(lock, { force: true });
    }
  }

  private replace(path: string): void {
    const old = openSync(path, 'r');
    try {
      const before = readFileSync(old);
      const kept = linesOf(before.toString('utf8')).slice(-MAX_ENTRIES);
      const temporary = `${path}.${process.pid}`;
      writeFileSync(temporary, kept.map((line) => `${line}\n`).join(''), { mode: 0o600 });
      renameSync(temporary, path);
      const added = Buffer.alloc(fstatSync(old).size - before.length);
      readSync(old, added, 0, added.length, before.length);
      if (added.length > 0) append(path, added);
    } finally {
      closeSync(old);
    }
  }
}

/** Creates a file that other sessions respect. @returns whether there was none, or only one that a killed session left */
function lockWith(path: string): boolean {
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (since !== undefined && Date.now() - since > LOCK_MS) rmSync(path, { force: true });
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch {
    return false;
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** Appends to a file. @returns whether the path still leads to that file */
function append(path: string, bytes: Buffer): boolean {
  const file = openSync(path, 'a', 0o600);
  try {
    writeSync(file, bytes);
    return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino;
  } finally {
    closeSync(file);
  }
}
