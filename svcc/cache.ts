import { readFileSync, statSync } from 'node:fs';
import type { CodeShelf } from '../vm/interpreter/tier.js';
import { cacheFile, cacheFolder, ownFile, stemOf, store } from './cachefiles.js';
import { checksumOf } from './checksum.js';
import { isSameListing, type Listing } from './templatefiles.js';
import { BUILD } from './version.js';

/** A checksum at the start of an entry, little-endian, followed by the size of the manifest, 4 bytes. */
const SUM_BYTES = 4;
const HEAD_BYTES = 8;

/** A source file of a program. */
export interface SourceRecord {
  /** The path as messages show it. */
  shown: string;
  path: string;
  bytes: Buffer;
}

/** What an entry depends on. */
export interface Sources {
  files: SourceRecord[];
  /** Paths that would take precedence over one of the files if they existed. */
  absent: string[];
  /** Directories of templates. */
  listings: Listing[];
}

/** What an entry depends on before anything was read. */
export function noSources(): Sources {
  return { files: [], absent: [], listings: [] };
}

/** Header of an entry, before the bytes of the sources and the program. */
interface Manifest {
  /** Build, working directory and program. Entries of two programs may have the same file name. */
  key: string[];
  files: { shown: string; path: string; size: number }[];
  absent: string[];
  listings: Listing[];
  /** Differs from that of every other entry: generated code belongs to the entry whose id it has. */
  id: string;
}

/** Identifies a program by `entry` as given, which messages show. Its sources are compared by content. */
function keyOf(entry: string): string[] {
  return [String(BUILD), process.cwd(), entry];
}

/** The file of the program that starts in `entry`. If two programs share one, each ignores the other's entry and compiles. */
function entryFile(folder: string, entry: string): string {
  return cacheFile(folder, keyOf(entry), 'svcc');
}

/** The bytes of an entry that `ownFile` accepts, if their checksum is right; else null. */
function soundBytes(path: string): Buffer | null {
  const bytes = ownFile(path, (fd) => readFileSync(fd));
  const isSound =
    bytes !== null && bytes.length >= HEAD_BYTES && checksumOf(bytes.subarray(SUM_BYTES)) === bytes.readUInt32LE(0);
  return isSound ? bytes : null;
}

/** Writes the checksum of an entry's bytes to its place among them. @returns the same bytes */
function seal(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(checksumOf(bytes.subarray(SUM_BYTES)), 0);
  return bytes;
}

/**
 * Texts of the files by the names that messages show, if all are unchanged; else null. `content` holds the recorded
 * bytes from `start`.
 */
function unchanged({ files, absent, listings }: Manifest, content: Buffer, start: number): Map<string, string> | null {
  const texts = new Map<string, string>();
  let from = start;
  for (const { shown, path, size } of files) {
    const bytes = readFileSync(path);
    if (!bytes.equals(content.subarray(from, (from += size)))) return null;
    texts.set(shown, new TextDecoder().decode(bytes));
  }
  if (absent.some((path) => statSync(path, { throwIfNoEntry: false }) !== undefined)) return null;
  return listings.every(isSameListing) ? texts : null;
}

function isKey(key: string[], entry: string): boolean {
  return keyOf(entry).every((part, i) => part === key[i]);
}

/**
 * A program as `encodeProgram` gave it, and the texts of its files, if nothing has changed since it was compiled. null
 * for any problem with the entry.
 */
export function fromCache(entry: string): { payload: Buffer; texts: Map<string, string>; shelf: CodeShelf } | null {
  if (BUILD === null) return null;
  try {
    const folder = cacheFolder();
    if (folder === null) return null;
    const path = entryFile(folder, entry);
    const bytes = soundBytes(path);
    if (bytes === null) return null;
    const start = HEAD_BYTES + bytes.readUInt32LE(4);
    const manifest = JSON.parse(bytes.toString('utf8', HEAD_BYTES, start)) as Manifest;
    const texts = isKey(manifest.key, entry) ? unchanged(manifest, bytes, start) : null;
    return texts === null
      ? null
      : {
          payload: bytes.subarray(manifest.files.reduce((end, { size }) => end + size, start)),
          texts,
          shelf: new Shelf(path, manifest.id),
        };
  } catch {
    return null;
  }
}

/** Stores an encoded program. Failing to write the cache is not an error. @returns where its code is kept */
export function intoCache(entry: string, sources: Sources, payload: Uint8Array): CodeShelf | null {
  if (BUILD === null) return null;
  try {
    const folder = cacheFolder();
    if (folder === null) return null;
    const path = entryFile(folder, entry);
    const id = newId();
    const files = sources.files.map(({ shown, path: from, bytes }) => ({ shown, path: from, size: bytes.length }));
    const manifest = Buffer.from(
      JSON.stringify({
        key: keyOf(entry),
        files,
        absent: sources.absent,
        listings: sources.listings,
        id,
      } satisfies Manifest),
    );
    const bytes = Buffer.concat([
      Buffer.alloc(HEAD_BYTES),
      manifest,
      ...sources.files.map((file) => file.bytes),
      payload,
    ]);
    bytes.writeUInt32LE(manifest.length, SUM_BYTES);
    store(path, seal(bytes), true);
    return new Shelf(path, id);
  } catch {
    // Without an entry, the program is compiled again.
    return null;
  }
}

/** A text of a fixed length that no other entry has. */
function newId(): string {
  return Date.now().toString(36) + Math.random().toString(36).slice(2, 12).padEnd(10, '0');
}

/**
 * Generated code of an entry's program, in a file beside the entry, twice: to compare the copies takes a tenth of a
 * checksum's time here, where V8 has optimised nothing yet.
 */
class Shelf implements CodeShelf {
  private readonly path: string;

  constructor(
    entry: string,
    private readonly id: string,
  ) {
    this.path = `${stemOf(entry)}.code`;
  }

  load(): string | null {
    try {
      const bytes = ownFile(this.path, (fd) => readFileSync(fd));
      const half = (bytes?.length ?? 0) / 2;
      if (bytes === null || !bytes.subarray(0, half).equals(bytes.subarray(half))) return null;
      const text = bytes.toString('utf8', 0, half);
      const end = text.indexOf('\n');
      return text.slice(0, end) === this.id ? text.slice(end + 1) : null;
    } catch {
      // Most programs have none yet.
      return null;
    }
  }

  store(text: string): void {
    try {
      const bytes = Buffer.from(`${this.id}\n${text}`);
      // After a power cut the copies tell whether it is whole.
      store(this.path, Buffer.concat([bytes, bytes]), false);
    } catch {
      // The next run generates it again.
    }
  }
}
