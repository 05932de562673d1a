/** Reading, writing and copying of whole files. */
import { constants, promises as fs, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Errors, fail } from '../../vm/values/error.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { builtin } from '../builtin.js';
import { fileTurns, longTurns } from '../poolturns.js';
import { assetFor } from './assets.js';
import { decodeLater } from './decoding.js';
import { io } from './errors.js';
import { Bytes, checkBytes, joinSteps, MAX_BYTES } from '../../vm/values/bytes.js';

// O_NONBLOCK: opening a pipe would otherwise wait for its other end, on a thread that cannot be cancelled. It has no
// effect on files.
const { O_NONBLOCK, O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_TRUNC } = constants;
/** Bytes of one read or write; a cancelled thread stops between two of them. */
const CHUNK = 4 << 20;
/** Bytes that are read or written in less time than waiting for a turn takes. */
const LITTLE = 64 << 10;
/**
 * Errors that forbid a temporary file in a folder, or moving it to the file's place, but not writing to the file
 * itself.
 */
const IN_PLACE = new Set(['EACCES', 'EPERM', 'EBUSY']);

/** Reads or writes so many bytes. Requests take turns if they are many. */
function inTurn<T>(length: number, operation: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return length <= LITTLE ? operation() : fileTurns.run(operation, signal);
}

/** Content of a file of the artefact or on disk. @throws FileNotFoundError, IOError, MemoryError */
export async function readBytes(vm: NativeContext, path: string, signal: AbortSignal): Promise<Bytes> {
  const asset = assetFor(vm, path, `read ${path}`);
  // The asset's bytes stay in memory anyway.
  if (asset !== null) return asset.bytes.length > MAX_BYTES ? tooLarge(path) : new Bytes(asset.bytes);
  const { handle, size } = await io(`read ${path}`, () => openRegular(path));
  return readOpened(vm, path, handle, size, signal);
}

async function openRegular(path: string): Promise<{ handle: FileHandle; size: number }> {
  const handle = await fs.open(path, O_RDONLY | O_NONBLOCK);
  try {
    const stats = await handle.stat();
    checkRegular(`read ${path}`, stats);
    return { handle, size: stats.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Content of an open regular file, from its start; closes it. @throws IOError, MemoryError */
export async function readOpened(
  vm: NativeContext,
  path: string,
  handle: FileHandle,
  size: number,
  signal: AbortSignal,
): Promise<Bytes> {
  const chunks = await io(`read ${path}`, async () => {
    try {
      return await readChunks(path, handle, size, signal);
    } finally {
      await handle.close();
    }
  });
  return chunks.length < 2
    ? Bytes.of(chunks[0] ?? new Uint8Array(0))
    : ((await vm.laterInPieces(joinSteps(chunks), signal)) as Bytes);
}

/** Text of a file. @throws as `readBytes`, and ValueError if it is not UTF-8 */
export async function readText(vm: NativeContext, path: string, signal: AbortSignal): Promise<string> {
  const bytes = await readBytes(vm, path, signal);
  return decodeLater(vm, bytes, signal, `${path} is`, 'file_read_bytes reads any file');
}

/** Text of a file edited by people: without the byte order mark that some editors write. */
export async function readPlainText(vm: NativeContext, path: string, signal: AbortSignal): Promise<string> {
  return (await readText(vm, path, signal)).replace(/^\ufeff/, '');
}

function checkRegular(action: string, stats: Stats, what = 'it'): void {
  if (stats.isFile()) return;
  const kind = stats.isDirectory() ? 'directory' : 'device or pipe';
  fail(Errors.IOError, `cannot ${action}: ${what} is a ${kind}, not a file`);
}

function tooLarge(path: string): never {
  return fail(Errors.MemoryError, `cannot read ${path}: it is larger than ${MAX_BYTES} bytes`);
}

/** Reads a whole file. Size 0 means unknown: files below /proc report it. */
async function readChunks(path: string, handle: FileHandle, size: number, signal: AbortSignal): Promise<Buffer[]> {
  if (size > MAX_BYTES) tooLarge(path);
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    signal.throwIfAborted();
    const length = Math.min(CHUNK, Math.max(size - total, LITTLE));
    checkBytes(total + length, total);
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await inTurn(length, () => handle.read(buffer, 0, length, null), signal);
    if (bytesRead > 0) chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    if (total > MAX_BYTES) tooLarge(path);
    if (bytesRead === 0 || total === size) return chunks;
  }
}

/** Appends to a file, creating it if missing. @throws IOError */
export function appendText(path: string, text: string | Uint8Array, signal: AbortSignal): Promise<void> {
  return io(`write ${path}`, () => writeInto(path, O_APPEND, text, signal));
}

async function writeInto(path: string, flag: number, text: string | Uint8Array, signal: AbortSignal): Promise<void> {
  const handle = await fs.open(path, O_WRONLY | O_CREAT | O_NONBLOCK | flag);
  try {
    await writeAll(handle, text, signal);
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, text: string | Uint8Array, signal: AbortSignal): Promise<void> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length;) {
    const length = Math.min(CHUNK, bytes.length - at);
    const from = at;
    at += (await inTurn(length, () => handle.write(bytes, from, length), signal)).bytesWritten;
  }
}

/** Replaces a file's content with a text or bytes. After an error the file is unchanged. @throws IOError */
export function replaceText(path: string, text: string | Uint8Array, signal: AbortSignal): Promise<void> {
  return io(`write ${path}`, async () => {
    const before = await existing(path);
    if (before !== null && !before.isFile()) {
      // A device has no content to protect, and must not be replaced by a file.
      if (before.isDirectory()) checkRegular(`write ${path}`, before);
      return writeInto(path, 0, text, signal);
    }
    const inPlace = (): Promise<void> => writeInto(path, O_TRUNC, text, signal);
    await replace(path, before, (temporary) => writeNew(temporary, before, text, signal), inPlace, signal);
  });
}

/** Puts what `make` makes in the place of a file, following links; if that is forbidden, changes the file itself. */
async function replace(
  path: string,
  before: Stats | null,
  make: (temporary: string) => Promise<void>,
  inPlace: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await swap(before === null ? path : await fs.realpath(path), make, signal);
  } catch (error) {
    if (before === null || !IN_PLACE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await inPlace();
  }
}

async function existing(path: string): Promise<Stats | null> {
  try {
    return await fs.stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes a new file, with the permissions of the one that it replaces. */
async function writeNew(
  path: string,
  before: Stats | null,
  text: string | Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  const handle = await fs.open(path, 'wx', before === null ? 0o666 : 0o600);
  try {
    await writeAll(handle, text, signal);
    if (before !== null) await handle.chmod(before.mode & 0o7777);
  } finally {
    await handle.close();
  }
}

/** Makes a temporary file beside `path` and moves it there. */
async function swap(path: string, make: (temporary: string) => Promise<void>, signal: AbortSignal): Promise<void> {
  const temporary = join(dirname(path), `.svc-${builtin('node:crypto').randomBytes(8).toString('hex')}.tmp`);
  try {
    await make(temporary);
    signal.throwIfAborted();
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}

/** Replaces `to` with a copy of a file and its permissions. After an error, `to` is unchanged. @throws IOError */
export function copyFile(from: string, to: string, signal: AbortSignal): Promise<void> {
  const action = `copy ${from} to ${to}`;
  return io(action, async () => {
    const source = await fs.stat(from);
    // Opening a pipe would wait for its other end.
    if (!source.isFile()) fail(Errors.IOError, `cannot ${action}: only files can be copied`);
    const before = await existing(to);
    if (before !== null) checkRegular(action, before, to);
    // A copy of a file to itself, also by another name.
    if (before !== null && before.dev === source.dev && before.ino === source.ino) return;
    const copyTo = (path: string): Promise<void> => longTurns.run(() => fs.copyFile(from, path), signal);
    await replace(to, before, copyTo, () => copyTo(to), signal);
  });
}
