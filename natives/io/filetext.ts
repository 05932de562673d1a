/** Whole files as texts: how natives read and write them. */
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Errors, fail } from '../../vm/values/error.js';
import { MAX_STRING } from '../../vm/values/text/text.js';
import type { VM } from '../../vm/vm.js';
import { assetFor, bytesOf } from './assets.js';
import { io } from './errors.js';

// Opening a pipe would otherwise wait for its other end, in a thread that nothing can cancel; files do not mind.
const { O_NONBLOCK, O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_TRUNC } = constants;
/** Bytes of one read: between two of them a cancelled thread lets go. */
const CHUNK = 4 << 20;
/** What forbids a temporary file in a folder, or putting it in the file's place, but not writing to the file itself. */
const IN_PLACE = new Set(['EACCES', 'EPERM', 'EBUSY']);

/** Text of a file of the artefact or on the disk, bytes that are not UTF-8 replaced by U+FFFD. @throws FileNotFoundError, IOError, MemoryError */
export async function readText(vm: VM, path: string, signal: AbortSignal): Promise<string> {
  const asset = assetFor(vm, path, `read ${path}`);
  if (asset !== null) return asset.bytes.length > MAX_STRING ? tooLarge(path) : bytesOf(asset).toString('utf8');
  return io(`read ${path}`, async () => {
    const handle = await open(path, O_RDONLY | O_NONBLOCK);
    try {
      const stats = await handle.stat();
      checkRegular(`read ${path}`, stats);
      return (await readBytes(path, handle, stats.size, signal)).toString('utf8');
    } finally {
      await handle.close();
    }
  });
}

/** Text of a file that people edit: without the byte order mark that some editors put before it. */
export async function readPlainText(vm: VM, path: string, signal: AbortSignal): Promise<string> {
  return (await readText(vm, path, signal)).replace(/^\ufeff/, '');
}

function checkRegular(action: string, stats: Stats): void {
  if (stats.isFile()) return;
  fail(Errors.IOError, `cannot ${action}: it is a ${stats.isDirectory() ? 'directory' : 'device or pipe'}, not a file`);
}

function tooLarge(path: string): never {
  return fail(Errors.MemoryError, `cannot read ${path}: it is larger than ${MAX_STRING} bytes`);
}

/** Size 0 says nothing: the files below /proc have it. */
async function readBytes(path: string, handle: FileHandle, size: number, signal: AbortSignal): Promise<Buffer> {
  if (size > MAX_STRING) tooLarge(path);
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    signal.throwIfAborted();
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(size - total, 64 << 10)));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead > 0) chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    if (total > MAX_STRING) tooLarge(path);
    if (bytesRead === 0 || total === size) return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, total);
  }
}

/** Adds to the end of a file, which is made when it is missing. @throws IOError */
export function appendText(path: string, text: string, signal: AbortSignal): Promise<void> {
  return io(`write ${path}`, () => writeInto(path, O_APPEND, text, signal));
}

async function writeInto(path: string, flag: number, text: string | Buffer, signal: AbortSignal): Promise<void> {
  const handle = await open(path, O_WRONLY | O_CREAT | O_NONBLOCK | flag);
  try {
    await handle.writeFile(text, { signal });
  } finally {
    await handle.close();
  }
}

/** Gives a file new content, a text or bytes: it has all of it, or after an error what it had. @throws IOError */
export function replaceText(path: string, text: string | Buffer, signal: AbortSignal): Promise<void> {
  return io(`write ${path}`, async () => {
    const before = await existing(path);
    if (before !== null && !before.isFile()) {
      // A device has no content to protect, and must not be replaced by a file.
      if (before.isDirectory()) checkRegular(`write ${path}`, before);
      return writeInto(path, 0, text, signal);
    }
    try {
      await swap(before === null ? path : await realpath(path), before, text, signal);
    } catch (error) {
      if (before === null || !IN_PLACE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await writeInto(path, O_TRUNC, text, signal);
    }
  });
}

async function existing(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes a file beside `path` and puts it in its place, with the same rights. */
async function swap(path: string, before: Stats | null, text: string | Buffer, signal: AbortSignal): Promise<void> {
  const temporary = join(dirname(path), `.svc-${randomBytes(8).toString('hex')}.tmp`);
  const handle = await open(temporary, 'wx', before === null ? 0o666 : 0o600);
  try {
    try {
      await handle.writeFile(text, { signal });
      if (before !== null) await handle.chmod(before.mode & 0o7777);
    } finally {
      await handle.close();
    }
    signal.throwIfAborted();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
