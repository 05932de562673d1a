import crc from 'crc-32';
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
import { isAbsolute, join, resolve } from 'node:path';
import { builtin } from '../natives/builtin.js';
import { BUILD } from './version.js';

/** Bytes that all entries may take together; the least recently used go first. */
const MAX_BYTES = 64 * 1024 * 1024;
/** When entries have to go, so much stays. */
const KEPT = 0.75;
/** Milliseconds after which an entry's use is noted anew, and a temporary file is one that a dead process left. */
const HOUR_MS = 3_600_000;

/** Names of entries, and of the temporary files that become entries. Whatever else lies in the folder is none of ours. */
const ENTRY = /^[0-9a-f]{8}\.svcc$/;
const TEMPORARY = /^[0-9a-f]{8}\.svcc\.\d+\.[0-9a-z]+$/;
/** Permission of group or others to write. */
const OTHERS_WRITE = 0o022;
/** Checksum and size of the manifest, 4 bytes each, little-endian. */
const HEAD_BYTES = 8;

/** A file that a program was made of. */
export interface SourceRecord {
  /** As messages name it. */
  shown: string;
  path: string;
  bytes: Buffer;
}

/** What an entry depends on. */
export interface Sources {
  files: SourceRecord[];
  /** Files that would have been taken instead, had they been there. */
  absent: string[];
}

/** What stands before the bytes of the sources and the artefact in an entry. */
interface Manifest {
  /** Build, working directory and program: entries of two programs may have one name. */
  key: string[];
  files: { shown: string; path: string; size: number }[];
  absent: string[];
}

/** The folder of the cache: `$SVC_CACHE_DIR`, else `svc` in the user's cache folder; null for a user who has none. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.SVC_CACHE_DIR !== undefined && env.SVC_CACHE_DIR !== '') return resolve(env.SVC_CACHE_DIR);
  // A relative path would scatter caches over the folders that programs are started in.
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

/** What tells programs apart: `entry` is named by messages as it was given. What it was compiled from is checked by content. */
function keyOf(entry: string): string[] {
  return [String(BUILD), process.cwd(), entry];
}

/** The file for the program that starts in `entry`. Two may meet in one: each takes it for none of its own, and compiles. */
function entryFile(folder: string, entry: string): string {
  return join(folder, `${(crc.buf(Buffer.from(keyOf(entry).join('\0'))) >>> 0).toString(16).padStart(8, '0')}.svcc`);
}

/** A file's bytes if it belongs to this user and nobody else can write it, else null. */
function ownBytes(path: string): Buffer | null {
  // Without O_NONBLOCK a pipe in the entry's place would be waited for.
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

function noteUse(fd: number): void {
  try {
    futimesSync(fd, new Date(), new Date());
  } catch {
    // An entry on a medium that is only read is as good as any.
  }
}

/** Texts of the files by the names that messages use, if they are what they were; `content` holds them from `start` on. Else null. */
function unchanged({ files, absent }: Manifest, content: Buffer, start: number): Map<string, string> | null {
  const texts = new Map<string, string>();
  let from = start;
  for (const { shown, path, size } of files) {
    const bytes = readFileSync(path);
    if (!bytes.equals(content.subarray(from, (from += size)))) return null;
    texts.set(shown, new TextDecoder().decode(bytes));
  }
  return absent.some((path) => statSync(path, { throwIfNoEntry: false }) !== undefined) ? null : texts;
}

function isKey(key: string[], entry: string): boolean {
  return keyOf(entry).every((part, i) => part === key[i]);
}

/** The artefact of a program and the texts of its files, if all is as it was when it was compiled. Whatever is wrong with the entry: null. */
export function fromCache(entry: string): { artefact: Buffer; texts: Map<string, string> } | null {
  if (BUILD === null) return null;
  try {
    const folder = cacheFolder();
    if (folder === null) return null;
    const bytes = ownBytes(entryFile(folder, entry));
    if (bytes === null || bytes.length < HEAD_BYTES || crc.buf(bytes.subarray(4)) !== bytes.readInt32LE(0)) return null;
    const start = HEAD_BYTES + bytes.readUInt32LE(4);
    const manifest = JSON.parse(bytes.toString('utf8', HEAD_BYTES, start)) as Manifest;
    const texts = isKey(manifest.key, entry) ? unchanged(manifest, bytes, start) : null;
    return texts === null
      ? null
      : { artefact: bytes.subarray(manifest.files.reduce((end, { size }) => end + size, start)), texts };
  } catch {
    return null;
  }
}

/** Keeps a program's artefact. A cache that cannot be written is no error. */
export function intoCache(entry: string, sources: Sources, artefact: Buffer): void {
  if (BUILD === null) return;
  try {
    const folder = cacheFolder();
    if (folder === null) return;
    const path = entryFile(folder, entry);
    const files = sources.files.map(({ shown, path: from, bytes }) => ({ shown, path: from, size: bytes.length }));
    const manifest = Buffer.from(
      JSON.stringify({ key: keyOf(entry), files, absent: sources.absent } satisfies Manifest),
    );
    const bytes = Buffer.concat([
      Buffer.alloc(HEAD_BYTES),
      manifest,
      ...sources.files.map((file) => file.bytes),
      artefact,
    ]);
    bytes.writeUInt32LE(manifest.length, 4);
    bytes.writeInt32LE(crc.buf(bytes.subarray(4)), 0);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    install(path, bytes);
    evict(folder, path);
  } catch {
    // Without an entry the program is compiled again.
  }
}

/** The file appears whole or not at all, even when the machine stops. */
function install(path: string, bytes: Buffer): void {
  const temporary = `${path}.${process.pid}.${Date.now().toString(36)}`;
  const fd = openSync(temporary, 'wx', 0o600);
  try {
    try {
      writeFileSync(fd, bytes);
      fsyncSync(fd);
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
}

function stored(folder: string): Stored[] {
  const out: Stored[] = [];
  for (const name of readdirSync(folder)) {
    const isEntry = ENTRY.test(name);
    if (!isEntry && !TEMPORARY.test(name)) continue;
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true) out.push({ path, bytes: stats.size, usedAt: stats.mtimeMs, isEntry });
  }
  return out;
}

/** Bytes that all entries may take: `$SVC_CACHE_BYTES` if that is a number. */
function limitOf(env: NodeJS.ProcessEnv = process.env): number {
  return /^\d+$/.test(env.SVC_CACHE_BYTES ?? '') ? Number(env.SVC_CACHE_BYTES) : MAX_BYTES;
}

/** Removes what dead processes left, and the entries that were not used for longest, when all take too much; the one in `newest` stays. */
function evict(folder: string, newest: string): void {
  const all = stored(folder);
  for (const { path, usedAt, isEntry } of all)
    if (!isEntry && Date.now() - usedAt > HOUR_MS) rmSync(path, { force: true });
  const entries = all.filter(({ isEntry }) => isEntry).sort((a, b) => a.usedAt - b.usedAt);
  const limit = limitOf();
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= limit) return;
  for (const { path, bytes } of entries) {
    if (total <= limit * KEPT) return;
    if (path === newest) continue;
    rmSync(path, { force: true });
    total -= bytes;
  }
}

/** What the cache holds. */
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
    // No folder: nothing was cached yet.
    return [];
  }
}

/** Removes all entries; how many there were. Other files in the folder stay. */
export function clearCache(): number {
  const folder = cacheFolder();
  const all = folder === null ? [] : storedIfAny(folder);
  for (const { path } of all) rmSync(path, { force: true });
  return all.filter(({ isEntry }) => isEntry).length;
}
