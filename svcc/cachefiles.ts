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
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { builtin } from '../natives/builtin.js';
import { checksumOf } from './checksum.js';

/** Maximum bytes of all files; the least recently used are removed first. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Fraction of the limit that remains after entries are removed. */
const KEPT = 0.75;
/** Small files that are stored, on average, until all sizes are added up: up to 40 µs for each file in the folder. */
const STORED_PER_SUM = 16;
/**
 * Milliseconds between updates of a file's time of use, and the age at which a temporary file counts as left by a
 * dead process.
 */
const HOUR_MS = 3_600_000;

/**
 * Names of entries, of the generated code that belongs to them, of V8's code of the bundle, and of the temporary files
 * that become one of these. Other files in the folder are left alone.
 */
const ENTRY = /^[0-9a-f]{8}\.svcc$/;
const KEPT_FILE = /^[0-9a-f]{8}\.(svcc|code|v8)$/;
const TEMPORARY = /^[0-9a-f]{8}\.(svcc|code|v8)\.\d+\.[0-9a-z]+$/;
/** Mode bits: writable by group or others. */
const OTHERS_WRITE = 0o022;

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

/** Path of the file for `key` in `folder`. Two keys may share one: the file has to tell which one it is for. */
export function cacheFile(folder: string, key: readonly string[], extension: string): string {
  const sum = checksumOf(Buffer.from(key.join('\0')));
  return join(folder, `${sum.toString(16).padStart(8, '0')}.${extension}`);
}

/** The first `size` bytes of an open file, in `room` if there is one of that size. */
export function contentOf(fd: number, size: number, room?: Buffer): Buffer {
  const content = room !== undefined && size <= room.length ? room.subarray(0, size) : Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (let count = 1; at < size && count > 0; at += count) count = readSync(fd, content, at, size - at, at);
  return content.subarray(0, at);
}

/** Gives `use` a file open for reading, with its size, if it belongs to this user and no other user can write it; else null. */
export function ownFile<T>(path: string, use: (fd: number, size: number) => T): T | null {
  // Without O_NONBLOCK, opening a pipe in place of the file would block.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return null;
    if (process.getuid !== undefined && (stats.uid !== process.getuid() || (stats.mode & OTHERS_WRITE) !== 0))
      return null;
    if (Date.now() - stats.mtimeMs > HOUR_MS) noteUse(fd);
    return use(fd, stats.size);
  } finally {
    closeSync(fd);
  }
}

function noteUse(fd: number): void {
  try {
    futimesSync(fd, new Date(), new Date());
  } catch {
    // Its time cannot be updated on a read-only medium; the file is still valid.
  }
}

/**
 * Writes a file atomically: it appears whole or not at all; if `isSafe`, even if the machine stops. Removes files of
 * dead processes. Over the limit, removes others as well: at once if this one is large, otherwise mostly at a later call.
 */
export function store(path: string, bytes: Buffer, isSafe: boolean): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  install(path, bytes, isSafe);
  const names = readdirSync(folder);
  removeAbandoned(folder, names);
  const isLarge = bytes.length * STORED_PER_SUM > maxBytes();
  if (isLarge || Math.random() * STORED_PER_SUM < 1) evict(folder, names, path);
}

function install(path: string, bytes: Buffer, isSafe: boolean): void {
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
}

/** The files of `folder` among `names`; those removed meanwhile are left out. */
function filesOf(folder: string, names: readonly string[]): Stored[] {
  const out: Stored[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true) out.push({ path, bytes: stats.size, usedAt: stats.mtimeMs });
  }
  return out;
}

/** Removes temporary files of dead processes. */
function removeAbandoned(folder: string, names: readonly string[]): void {
  const temporary = names.filter((name) => TEMPORARY.test(name));
  for (const { path, usedAt } of filesOf(folder, temporary))
    if (Date.now() - usedAt > HOUR_MS) rmSync(path, { force: true });
}

/** Maximum bytes of all files, from the environment variable SVC_CACHE_BYTES. A string is an error message. */
export function limitOf({ SVC_CACHE_BYTES: text }: NodeJS.ProcessEnv): number | string {
  if (text === undefined || text === '') return MAX_BYTES;
  return /^\d{1,15}$/.test(text)
    ? Number(text)
    : `svcc: the environment variable SVC_CACHE_BYTES must be a number of bytes, got '${text}'`;
}

function maxBytes(): number {
  const limit = limitOf(process.env);
  // Commands that refuse the value have done so.
  return typeof limit === 'number' ? limit : MAX_BYTES;
}

/**
 * Over the limit, removes those that were not used for the longest time, entries with their code, except what `newest`
 * belongs to.
 */
function evict(folder: string, names: readonly string[], newest: string): void {
  const units = new Map<string, { paths: string[]; bytes: number; usedAt: number }>();
  const kept = names.filter((name) => KEPT_FILE.test(name));
  for (const { path, bytes, usedAt } of filesOf(folder, kept)) {
    const unit = units.get(stemOf(path)) ?? { paths: [], bytes: 0, usedAt: 0 };
    unit.paths.push(path);
    unit.bytes += bytes;
    unit.usedAt = Math.max(unit.usedAt, usedAt);
    units.set(stemOf(path), unit);
  }
  const limit = maxBytes();
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
export function stemOf(path: string): string {
  return path.slice(0, -extname(path).length);
}

/** Figures for `svcc cache info`. */
export function cacheInfo(): { folder: string; entries: number; bytes: number; limit: number } {
  const folder = cacheFolder();
  const all = storedIfAny(folder);
  return {
    folder: folder ?? 'none: there is no home folder; set SVC_CACHE_DIR',
    entries: entriesOf(all),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    limit: maxBytes(),
  };
}

/** All files of the cache, temporary ones as well. */
function storedIfAny(folder: string | null): Stored[] {
  if (folder === null) return [];
  try {
    return filesOf(
      folder,
      readdirSync(folder).filter((name) => TEMPORARY.test(name) || KEPT_FILE.test(name)),
    );
  } catch {
    // No folder: nothing is cached yet.
    return [];
  }
}

function entriesOf(files: readonly Stored[]): number {
  return files.filter(({ path }) => ENTRY.test(basename(path))).length;
}

/** Removes all entries and all kept code, and returns the number of entries. Leaves other files in the folder. */
export function clearCache(): number {
  const all = storedIfAny(cacheFolder());
  for (const { path } of all) rmSync(path, { force: true });
  return entriesOf(all);
}
