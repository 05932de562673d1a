import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FORMAT, type Recording } from './recording.js';

/** Folder of recordings, relative to the folder in which a program runs. */
export const FOLDER = join('.svc', 'recordings');

/** Maximum recordings kept of each route. */
const PER_ROUTE = 100;
/** Maximum bytes of all recordings; the oldest are removed first. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum recordings, and bytes of their bodies, that wait to be written. Further recordings are dropped. */
const MAX_WAITING = 5000;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** Permissions: other users must not read requests. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

const NAME = /^(\d{1,12})-([0-9a-f]{8})\.json$/;

/** A file of a recording. */
interface Entry {
  readonly id: number;
  /** Hash of its route. */
  readonly hash: string;
  readonly bytes: number;
}

function hashOf(route: string): string {
  return createHash('sha256').update(route).digest('hex').slice(0, 8);
}

function pathOf({ id, hash }: Pick<Entry, 'id' | 'hash'>): string {
  return join(FOLDER, `${id}-${hash}.json`);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Lists the files of recordings, oldest first. Ignores other files. */
async function entries(): Promise<Entry[]> {
  const names = await readdir(FOLDER).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const found: Entry[] = [];
  for (const name of names) {
    const [, id, hash] = NAME.exec(name) ?? [];
    if (id === undefined) continue;
    const stats = await stat(join(FOLDER, name)).catch(() => null);
    if (stats?.isFile() === true) found.push({ id: Number(id), hash, bytes: stats.size });
  }
  return found.sort((a, b) => a.id - b.id);
}

/** Writes recordings one after another, and removes old ones. */
export class RecordingWriter {
  private known: Entry[] | null = null;
  private waiting = 0;
  private waitingBytes = 0;
  private hasFailed = false;
  private queue: Promise<void> = Promise.resolve();

  /** @param failed called once if a recording cannot be written */
  constructor(private readonly failed: (error: unknown) => void) {}

  /** Resolves when everything has been written. */
  get written(): Promise<void> {
    return this.queue;
  }

  /** Adds the recording that `make` resolves with. @param bytes size of its bodies */
  add(bytes: number, make: () => Promise<Recording>): void {
    if (this.hasFailed || this.waiting >= MAX_WAITING || this.waitingBytes + bytes > MAX_WAITING_BYTES) return;
    this.waiting++;
    this.waitingBytes += bytes;
    this.queue = this.queue
      .then(async () => {
        if (!this.hasFailed) await this.write(await make());
      })
      .catch((error: unknown) => {
        this.hasFailed = true;
        this.failed(error);
      })
      .finally(() => {
        this.waiting--;
        this.waitingBytes -= bytes;
      });
  }

  private async write(recording: Recording): Promise<void> {
    await mkdir(FOLDER, { recursive: true, mode: PRIVATE_FOLDER });
    this.known ??= await entries();
    const text = JSON.stringify(recording);
    const hash = hashOf(recording.route);
    for (let id = (this.known.at(-1)?.id ?? 0) + 1; ; id++) {
      const entry = { id, hash, bytes: Buffer.byteLength(text) };
      if (await this.created(entry, text)) {
        this.known.push(entry);
        break;
      }
    }
    await this.prune(hash);
  }

  /** Writes a new file. Returns false if another process has taken its number. */
  private async created(entry: Entry, text: string): Promise<boolean> {
    try {
      await writeFile(pathOf(entry), text, { flag: 'wx', mode: PRIVATE_FILE });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      if (!isMissing(error)) throw error;
      // The folder was removed while the program was running.
      this.known = [];
      await mkdir(FOLDER, { recursive: true, mode: PRIVATE_FOLDER });
      return this.created(entry, text);
    }
  }

  private async prune(hash: string): Promise<void> {
    const known = this.known ?? [];
    const ofRoute = known.filter((entry) => entry.hash === hash);
    const old = new Set(ofRoute.slice(0, -PER_ROUTE));
    let bytes = known.reduce((sum, entry) => (old.has(entry) ? sum : sum + entry.bytes), 0);
    for (const entry of known) {
      if (bytes <= MAX_BYTES) break;
      if (old.has(entry)) continue;
      old.add(entry);
      bytes -= entry.bytes;
    }
    this.known = known.filter((entry) => !old.has(entry));
    for (const entry of old) await unlink(pathOf(entry)).catch(() => {});
  }
}

function isRecording(value: unknown): value is Recording {
  return typeof value === 'object' && value !== null && (value as Partial<Recording>).format === FORMAT;
}

async function read(entry: Entry): Promise<Recording | null> {
  try {
    const value = JSON.parse(await readFile(pathOf(entry), 'utf8')) as unknown;
    return isRecording(value) ? value : null;
  } catch {
    // Removed since it was listed, or not yet fully written.
    return null;
  }
}

/** Reads the recording with a number; null if there is none that this version can read. */
export async function readRecording(id: number): Promise<Recording | null> {
  const entry = (await entries()).find((other) => other.id === id);
  return entry === undefined ? null : read(entry);
}

/** Reads the latest recordings with their numbers, oldest first. `all` is the number of all recordings. */
export async function listRecordings(most: number): Promise<{ all: number; latest: [number, Recording][] }> {
  const all = await entries();
  const latest: [number, Recording][] = [];
  for (const entry of most >= all.length ? all : all.slice(-most)) {
    const recording = await read(entry);
    if (recording !== null) latest.push([entry.id, recording]);
  }
  return { all: all.length, latest };
}
