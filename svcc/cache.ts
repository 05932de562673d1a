import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { builtin } from '../natives/builtin.js';
import type { CodeShelf } from '../vm/interpreter/tier.js';
import { checksumOf } from './checksum.js';
import { isSameListing, type Listing } from './templatefiles.js';
import { BUILD } from './version.js';

/** Maximum bytes of all entries; the least recently used are removed first. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Fraction of the limit that remains after entries are removed. */
const KEPT = 0.75;
/**
 * Milliseconds between updates of an entry's time of use, and the age at which a temporary file counts as left by a
 * dead process.
 */
const HOUR_MS = 3_600_000;

/**
 * Names of entries and of the generated code that belongs to them, and of the temporary files that become one of both.
 * Other files in the folder are left alone.
 */
const ENTRY = /^[0-9a-f]{8}\.svcc$/;
const ENTRY_OR_CODE = /^[0-9a-f]{8}\.(svcc|code)$/;
const TEMPORARY = /^[0-9a-f]{8}\.(svcc|code)\.\d+\.[0-9a-z]+$/;
/** Mode bits: writable by group or others. */
const OTHERS_WRITE = 0o022;
/** A checksum at the start of a file, little-endian; in an entry followed by the size of the manifest, 4 bytes. */
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

/** Header of an entry, before the bytes of the sources and the artefact. */
interface Manifest {
  /** Build, working directory and program. Entries of two programs may have the same file name. */
  key: string[];
  files: { shown: string; path: string; size: number }[];
  absent: string[];
  listings: Listing[];
  /** Differs from that of every other entry: generated code belongs to the entry whose id it has. */
  id: string;
}

/** The cache folder: `$SVC_CACHE_DIR`, else `svc` in the user's cache folder; null if the user has none. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.SVC_CACHE_DIR !== undefined && env.SVC_CACHE_DIR !== '') return resolve(env.SVC_CACHE_DIR);
  // A relative path would put a cache into every folder that a program is started in.
  if (env.XDG_CACHE_HOME !== undefined && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, 'svc');
  const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homeFolder();
  return isAbsolute(home) ? join(home, '.cache', 'svc') : null;
}

function homeFolder(): string {
  try {
    return builtin('node:os').homedir();
  } catch {
    // In a container the user may have neither $HOME nor a line in /etc/passwd.
    return '';
  }
}

/** Identifies a program by `entry` as given, which messages show. Its sources are compared by content. */
function keyOf(entry: string): string[] {
  return [String(BUILD), process.cwd(), entry];
}

/**
 * The cache file of the program that starts in `entry`. If two programs share one, each ignores the other's entry and
 * compiles.
 */
function entryFile(folder: string, entry: string): string {
  return join(
    folder,
    `${checksumOf(Buffer.from(keyOf(entry).join('\0')))
      .toString(16)
      .padStart(8, '0')}.svcc`,
  );
}

/** A file's bytes if it belongs to this user and no other user can write it, else null. */
function ownBytes(path: string): Buffer | null {
  // Without O_NONBLOCK, opening a pipe in place of the entry would block.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return null;
    if (process.getuid !== undefined && (stats.uid !== process.getuid() || (stats.mode & OTHERS_WRITE) !== 0))
      return null;
    if (Date.now() - stats.mtimeMs > HOUR_MS) noteUse(fd);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** As `ownBytes`; also null if the file is shorter than `least` bytes or its checksum is wrong. */
function soundBytes(path: string, least: number): Buffer | null {
  const bytes = ownBytes(path);
  const isSound =
    bytes !== null && bytes.length >= least && checksumOf(bytes.subarray(SUM_BYTES)) === bytes.readUInt32LE(0);
  return isSound ? bytes : null;
}

function noteUse(fd: number): void {
  try {
    futimesSync(fd, new Date(), new Date());
  } catch {
    // Its time cannot be updated on a read-only medium; the entry is still valid.
  }
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
 * A program's artefact and the texts of its files, if nothing has changed since it was compiled. null for any problem
 * with the entry.
 */
export function fromCache(entry: string): { artefact: Buffer; texts: Map<string, string>; shelf: CodeShelf } | null {
  if (BUILD === null) return null;
  try {
    const folder = cacheFolder();
    if (folder === null) return null;
    const path = entryFile(folder, entry);
    const bytes = soundBytes(path, HEAD_BYTES);
    if (bytes === null) return null;
    const start = HEAD_BYTES + bytes.readUInt32LE(4);
    const manifest = JSON.parse(bytes.toString('utf8', HEAD_BYTES, start)) as Manifest;
    const texts = isKey(manifest.key, entry) ? unchanged(manifest, bytes, start) : null;
    return texts === null
      ? null
      : {
          artefact: bytes.subarray(manifest.files.reduce((end, { size }) => end + size, start)),
          texts,
          shelf: new Shelf(path, manifest.id),
        };
  } catch {
    return null;
  }
}

/** Stores a program's artefact. Failing to write the cache is not an error. @returns where its code is kept */
export function intoCache(entry: string, sources: Sources, artefact: Buffer): CodeShelf | null {
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
      artefact,
    ]);
    bytes.writeUInt32LE(manifest.length, SUM_BYTES);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    install(path, bytes);
    evict(folder, path);
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

/** Generated code of an entry's program, in a file beside the entry. */
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
      const bytes = soundBytes(this.path, SUM_BYTES);
      if (bytes === null) return null;
      const text = bytes.toString('utf8', SUM_BYTES);
      const end = text.indexOf('\n');
      return text.slice(0, end) === this.id ? text.slice(end + 1) : null;
    } catch {
      // Most programs have none yet.
      return null;
    }
  }

  store(text: string): void {
    try {
      const bytes = Buffer.concat([Buffer.alloc(SUM_BYTES), Buffer.from(`${this.id}\n${text}`)]);
      // After a power cut its checksum tells whether it is whole.
      install(this.path, bytes, false);
      evict(dirname(this.path), this.path);
    } catch {
      // The next run generates it again.
    }
  }
}

/**
 * Writes a file atomically, with its checksum in the first bytes: it appears whole or not at all; if `isSafe`, even if
 * the machine stops.
 */
function install(path: string, bytes: Buffer, isSafe = true): void {
  bytes.writeUInt32LE(checksumOf(bytes.subarray(SUM_BYTES)), 0);
  const temporary = `${path}.${process.pid}.${Date.now().toString(36)}`;
  const fd = openSync(temporary, 'wx', 0o600);
  try {
    try {
      writeFileSync(fd, bytes);
      if (isSafe) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

interface Stored {
  path: string;
  bytes: number;
  usedAt: number;
  isEntry: boolean;
  isTemporary: boolean;
}

function stored(folder: string): Stored[] {
  const out: Stored[] = [];
  for (const name of readdirSync(folder)) {
    const isEntry = ENTRY.test(name);
    const isTemporary = TEMPORARY.test(name);
    if (!isTemporary && !ENTRY_OR_CODE.test(name)) continue;
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true) out.push({ path, bytes: stats.size, usedAt: stats.mtimeMs, isEntry, isTemporary });
  }
  return out;
}

/** Maximum bytes of all entries: `$SVC_CACHE_BYTES` if that is a number. */
function limitOf(env: NodeJS.ProcessEnv = process.env): number {
  return /^\d+$/.test(env.SVC_CACHE_BYTES ?? '') ? Number(env.SVC_CACHE_BYTES) : MAX_BYTES;
}

/**
 * Removes files of dead processes. Over the limit, also removes the least recently used entries, each with its code,
 * except the one that `newest` belongs to.
 */
function evict(folder: string, newest: string): void {
  const all = stored(folder);
  for (const { path, usedAt, isTemporary } of all)
    if (isTemporary && Date.now() - usedAt > HOUR_MS) rmSync(path, { force: true });
  const units = new Map<string, { paths: string[]; bytes: number; usedAt: number }>();
  for (const { path, bytes, usedAt } of all.filter(({ isTemporary }) => !isTemporary)) {
    const unit = units.get(stemOf(path)) ?? { paths: [], bytes: 0, usedAt: 0 };
    unit.paths.push(path);
    unit.bytes += bytes;
    unit.usedAt = Math.max(unit.usedAt, usedAt);
    units.set(stemOf(path), unit);
  }
  const limit = limitOf();
  let total = [...units.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= limit) return;
  units.delete(stemOf(newest));
  for (const { paths, bytes } of [...units.values()].sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= limit * KEPT) return;
    for (const path of paths) rmSync(path, { force: true });
    total -= bytes;
  }
}

/** The path that an entry and its code have in common. */
function stemOf(path: string): string {
  return path.slice(0, -extname(path).length);
}

/** Figures for `svcc cache info`. */
export function cacheInfo(): { folder: string; entries: number; bytes: number; limit: number } {
  const folder = cacheFolder();
  const all = folder === null ? [] : storedIfAny(folder);
  return {
    folder: folder ?? 'none: there is no home folder; set SVC_CACHE_DIR',
    entries: all.filter(({ isEntry }) => isEntry).length,
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    limit: limitOf(),
  };
}

function storedIfAny(folder: string): Stored[] {
  try {
    return stored(folder);
  } catch {
    // No folder: nothing is cached yet.
    return [];
  }
}

/** Removes all entries and returns their number. Leaves other files in the folder. */
export function clearCache(): number {
  const folder = cacheFolder();
  const all = folder === null ? [] : storedIfAny(folder);
  for (const { path } of all) rmSync(path, { force: true });
  return all.filter(({ isEntry }) => isEntry).length;
}
