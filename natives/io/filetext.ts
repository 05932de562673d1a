/** Reading whole files. */
import { constants, promises as fs, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Errors, fail } from '../../vm/values/error.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { fileTurns } from '../poolturns.js';
import { assetFor } from './assets.js';
import { decodeLater } from './decoding.js';
import { io } from './errors.js';
import { Bytes, checkBytes, joinSteps, MAX_BYTES } from '../../vm/values/bytes.js';

// O_NONBLOCK: opening a pipe would otherwise wait for its other end, on a thread that cannot be cancelled. It has no
// effect on files.
const { O_NONBLOCK, O_RDONLY } = constants;
/** Bytes of one read or write; a cancelled thread stops between two of them. */
export const CHUNK = 4 << 20;
/** Bytes that are read or written in less time than waiting for a turn takes. */
const LITTLE = 64 << 10;

/** Reads or writes so many bytes. Requests take turns if they are many. */
export function inTurn<T>(length: number, operation: () => Promise<T>, signal: AbortSignal): Promise<T> {
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

export function checkRegular(action: string, stats: Stats, what = 'it'): void {
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
