/**
 * V8's cached code of the bundle's scripts for another version of node, or other options of V8, than those of the build:
 * there V8 rejects the code of the build, and compiles again, for as long as all else that svcc does at its start.
 */
import { existsSync, readSync } from 'node:fs';
import type { Script } from 'node:vm';
import { cacheFile, cacheFolder, contentOf, ownFile, store } from './cachefiles.js';
import { BUILD } from './version.js';

/** V8 copies code that does not start at a multiple of it. */
const ALIGNMENT = 8;
/** Bytes of the second copy that are compared at a time: few, for memory that is new takes time. */
const PIECE_BYTES = 64 * 1024;

/**
 * The options of node, which V8's may be among. Values that are paths or addresses are left out: they may differ in
 * every run.
 */
function optionsOf(): string[] {
  const { NODE_OPTIONS = '' } = process.env;
  if (process.execArgv.length === 0 && NODE_OPTIONS === '') return [];
  const words = [...process.execArgv, ...NODE_OPTIONS.split(/[\s"]+/)];
  return words.filter((word) => word.startsWith('-')).map((word) => word.replace(/=.*\W.*$/s, '='));
}

/** What the code of a script is for. Editors bring a node of their own, whose version may be the same with another V8. */
function keyOf(script: string): string[] {
  const { platform, arch, versions } = process;
  return [String(BUILD), versions.node, versions.v8, platform, arch, ...optionsOf(), script];
}

/** The key as a file has it: code that follows it is aligned. */
function header(key: readonly string[]): Buffer {
  const bytes = Buffer.from(key.join('\0'));
  return Buffer.concat([bytes], Math.ceil(bytes.length / ALIGNMENT) * ALIGNMENT);
}

/** Whether a file has `code` once more from the position `start` on. */
function hasCopy(fd: number, code: Buffer, start: number): boolean {
  const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, code.length));
  for (let at = 0; at < code.length;) {
    const count = readSync(fd, piece, 0, piece.length, start + at);
    if (count === 0 || !piece.subarray(0, count).equals(code.subarray(at, at + count))) return false;
    at += count;
  }
  return true;
}

/**
 * V8's code of a script by its path in the bundle, in `room` if that has the size for it; undefined if none is kept. V8
 * would crash on damaged code, so a file has two copies: to compare them takes a twentieth of a checksum's time here,
 * where V8 has optimised nothing yet.
 */
export function keptV8Code(script: string, room?: Buffer): Buffer | undefined {
  try {
    const folder = cacheFolder();
    if (folder === null) return undefined;
    const key = keyOf(script);
    const path = cacheFile(folder, key, 'v8');
    // Mostly there is none, and to open it would make an error, which takes longer than to ask.
    if (!existsSync(path)) return undefined;
    const head = header(key);
    const kept = ownFile(path, (fd, size) => {
      // Where the second copy begins.
      const half = (size + head.length) / 2;
      if (half <= head.length) return null;
      const bytes = contentOf(fd, half, room);
      const code = bytes.subarray(head.length);
      return bytes.subarray(0, head.length).equals(head) && hasCopy(fd, code, half) ? code : null;
    });
    return kept ?? undefined;
  } catch {
    // V8 compiles.
    return undefined;
  }
}

/** Keeps what V8 has compiled of a script until now, by its path in the bundle. Failing to write is not an error. */
export function keepV8Code(script: string, compiled: Pick<Script, 'createCachedData'>): void {
  try {
    const folder = cacheFolder();
    if (folder === null) return;
    const key = keyOf(script);
    const code = compiled.createCachedData();
    store(cacheFile(folder, key, 'v8'), Buffer.concat([header(key), code, code]), false);
  } catch {
    // V8 compiles again at the next start.
  }
}
