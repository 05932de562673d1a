import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { BUILD } from './version.js';

/** Bytes that all entries may take together; the least recently used go first. */
const MAX_BYTES = 64 * 1024 * 1024;
/** When entries have to go, so much stays. */
const KEPT = 0.75;
/** Milliseconds after which an entry's use is noted anew, and a temporary file is one that a dead process left. */
const HOUR_MS = 3_600_000;

const ENTRY = '.svcc';
/** Permission of group or others to write. */
const OTHERS_WRITE = 0o022;
const HEX_BYTES = 64;

/** A file that a program was made of. */
export interface SourceRecord {
  /** As messages name it. */
  shown: string;
  path: string;
  /** SHA-256 of its bytes in hex. */
  hash: string;
}

/** What an entry depends on. */
export interface Sources {
  files: SourceRecord[];
  /** Files that would have been taken instead, had they been there. */
  absent: string[];
}

/** SHA-256 in hex. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The folder of the cache: `$SVC_CACHE_DIR`, else `svc` in the user's cache folder. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.SVC_CACHE_DIR !== undefined && env.SVC_CACHE_DIR !== '') return resolve(env.SVC_CACHE_DIR);
  return join(env.XDG_CACHE_HOME !== undefined && env.XDG_CACHE_HOME !== '' ? env.XDG_CACHE_HOME : join(homedir(), '.cache'), 'svc');
}

/** The file for the program that starts in `entry`. What it was compiled from is checked by content, not by name. */
function entryFile(folder: string, entry: string): string {
  return join(folder, `${hashOf([BUILD, process.cwd(), resolve(entry)].join('\0'))}${ENTRY}`);
}

/** A file's bytes if it belongs to this user and nobody else can write it, else null. */
function ownBytes(path: string): Buffer | null {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { uid, mode, mtimeMs } = fstatSync(fd);
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & OTHERS_WRITE) !== 0)) return null;
    if (Date.now() - mtimeMs > HOUR_MS) utimesSync(path, new Date(), new Date());
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Texts of the files by the names that messages use, if they are what they were; else null. */
function unchanged({ files, absent }: Sources): Map<string, string> | null {
  const texts = new Map<string, string>();
  for (const { shown, path, hash } of files) {
    const bytes = readFileSync(path);
    if (hashOf(bytes) !== hash) return null;
    texts.set(shown, new TextDecoder().decode(bytes));
  }
  return absent.some((path) => statSync(path, { throwIfNoEntry: false }) !== undefined) ? null : texts;
}

/** The artefact of a program and the texts of its files, if all is as it was when it was compiled. Whatever is wrong with the entry: null. */
export function fromCache(entry: string): { artefact: Buffer; texts: Map<string, string> } | null {
  if (BUILD === null) return null;
  try {
    const bytes = ownBytes(entryFile(cacheFolder(), entry));
    if (bytes === null || bytes.length < HEX_BYTES + 4) return null;
    const content = bytes.subarray(HEX_BYTES);
    if (hashOf(content) !== bytes.toString('latin1', 0, HEX_BYTES)) return null;
    const size = content.readUInt32LE(0);
    const texts = unchanged(JSON.parse(content.toString('utf8', 4, 4 + size)) as Sources);
    return texts === null ? null : { artefact: content.subarray(4 + size), texts };
  } catch {
    return null;
  }
}

/** Keeps a program's artefact. A cache that cannot be written is no error. */
export function intoCache(entry: string, sources: Sources, artefact: Buffer): void {
  if (BUILD === null) return;
  const folder = cacheFolder();
  try {
    const manifest = Buffer.from(JSON.stringify(sources));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(manifest.length);
    const content = Buffer.concat([size, manifest, artefact]);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    install(entryFile(folder, entry), Buffer.concat([Buffer.from(hashOf(content), 'latin1'), content]));
    evict(folder);
  } catch {
    // Without an entry the program is compiled again.
  }
}

/** The file appears whole or not at all, even when the machine stops. */
function install(path: string, bytes: Buffer): void {
  const temporary = `${path}.${process.pid}.${Date.now().toString(36)}`;
  const fd = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(fd, bytes);
    fsyncSync(fd);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
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
    if (!name.includes(ENTRY)) continue;
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true) out.push({ path, bytes: stats.size, usedAt: stats.mtimeMs, isEntry: name.endsWith(ENTRY) });
  }
  return out;
}

/** Removes what dead processes left, and the entries that were not used for longest, when all take too much. */
function evict(folder: string): void {
  const all = stored(folder);
  for (const { path, usedAt, isEntry } of all) if (!isEntry && Date.now() - usedAt > HOUR_MS) rmSync(path, { force: true });
  const entries = all.filter(({ isEntry }) => isEntry).sort((a, b) => a.usedAt - b.usedAt);
  const limit = Number(process.env.SVC_CACHE_BYTES ?? MAX_BYTES);
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= limit) return;
  for (const { path, bytes } of entries) {
    if (total <= limit * KEPT) return;
    rmSync(path, { force: true });
    total -= bytes;
  }
}

/** What the cache holds. */
export function cacheInfo(): { folder: string; entries: number; bytes: number; limit: number } {
  const folder = cacheFolder();
  let all: Stored[] = [];
  try {
    all = stored(folder);
  } catch {
    // No folder: nothing was cached yet.
  }
  return { folder, entries: all.filter(({ isEntry }) => isEntry).length, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0), limit: MAX_BYTES };
}

/** Removes all entries; how many there were. Other files in the folder stay. */
export function clearCache(): number {
  const { folder, entries } = cacheInfo();
  if (entries > 0) for (const { path } of stored(folder)) rmSync(path, { force: true });
  return entries;
}
