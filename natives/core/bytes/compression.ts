/** Compression of Bytes by node's zlib, on threads of the system. */
import type * as Zlib from 'node:zlib';
import { type Bytes, checkBytes, joinSteps, MAX_BYTES } from '../../../vm/values/bytes.js';
import { Errors, errorOf, fail, SvcError } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { longTurns } from '../../poolturns.js';
import type { Int, Row } from '../declare.js';
import { shownInteger } from '../numbers/digits.js';
import { bufferOf } from './texts.js';

type Library = typeof Zlib;
type Coder = InstanceType<Library['Gzip'] | Library['Gunzip'] | Library['Deflate'] | Library['Inflate']>;
type Start = (zlib: Library) => Coder;

/** Bytes that a stream produces at once. */
const CHUNK = 1 << 16;
/** Bytes passed to a stream at once: before the next ones it can be stopped, and others have their turn. */
const INPUT = 1 << 17;
/** Usual limit of the length of decompressed bytes: enough for most data, little for a server's memory. */
const USUAL_LIMIT = 64 << 20;
/** Highest levels, and a level of brotli that is about as fast as gzip. */
const GZIP_LEVELS = 9;
const BROTLI_LEVELS = 11;
const BROTLI_USUAL = 5;

const chunkSize = CHUNK;

/** Passes all bytes to a stream in turns with others. Returns early if the stream is destroyed. */
async function feed(coder: Coder, bytes: Bytes, signal: AbortSignal): Promise<void> {
  const buffer = bufferOf(bytes);
  const closed = new Promise<void>((resolve) => coder.once('close', resolve));
  for (let lo = 0; lo < buffer.length && !coder.destroyed; lo += INPUT) {
    const piece = buffer.subarray(lo, lo + INPUT);
    const written = (): Promise<void> => new Promise((resolve) => coder.write(piece, () => resolve()));
    await longTurns.run(() => Promise.race([written(), closed]), signal);
  }
  coder.end();
}

/** The error for a program: what is wrong with its bytes, or the shortage of memory. */
function failureOf(name: string, error: NodeJS.ErrnoException): SvcError {
  if (error.code === 'Z_MEM_ERROR') return errorOf(Errors.MemoryError, `out of memory: ${name}() needs more`);
  return errorOf(Errors.ValueError, `${name}(): the bytes are not valid: ${error.message.toLowerCase()}`);
}

/** Chunks that a stream makes of bytes. Never settles if the stream is destroyed by somebody else. */
function chunksOf(name: string, coder: Coder, bytes: Bytes, limit: number, signal: AbortSignal): Promise<Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    coder.on('data', (chunk: Uint8Array) => {
      try {
        if (length + chunk.length > limit)
          fail(
            Errors.ValueError,
            `${name}(): the result would be longer than ${limit} bytes; ${name}(limit: n) allows more`,
          );
        checkBytes(length + chunk.length, length);
      } catch (error) {
        coder.destroy();
        reject(error);
        return;
      }
      chunks.push(chunk);
      length += chunk.length;
    });
    coder.on('end', () => resolve(chunks));
    coder.on('error', (error) => reject(failureOf(name, error)));
    feed(coder, bytes, signal).catch(reject);
  });
}

/** Passes bytes through a stream while the thread waits. */
function through(vm: NativeContext, name: string, bytes: Bytes, limit: number, start: Start): undefined {
  return vm.wait(name, (resume, failed) => {
    const controller = vm.controller();
    const { signal } = controller;
    const work = async (): Promise<Value> => {
      const zlib = await import('node:zlib');
      signal.throwIfAborted();
      const coder = start(zlib);
      signal.addEventListener('abort', () => coder.destroy());
      return vm.laterInPieces(joinSteps(await chunksOf(name, coder, bytes, limit, signal)), signal);
    };
    work().then(resume, (error: unknown) => {
      if (error instanceof SvcError) failed(error);
      else if (!signal.aborted) throw error;
    });
    return () => controller.abort();
  });
}

function levelOf(level: Int, highest: number): number {
  if (level < 0 || level > highest)
    fail(Errors.ValueError, `level must be from 0 to ${highest}, got ${shownInteger(level)}`);
  return Number(level);
}

function limitOf(limit: Int): number {
  if (limit < 0) fail(Errors.ValueError, `limit must not be negative, got ${shownInteger(limit)}`);
  return Math.min(Number(limit), MAX_BYTES);
}

function compressor(
  name: string,
  what: string,
  levels: number,
  usual: number,
  start: (zlib: Library, level: number) => Coder,
): Row {
  return [
    name,
    `level: Integer = ${usual}`,
    'Bytes',
    `The bytes compressed as ${what}, with a level from 0 (fastest) to ${levels} (smallest).`,
    (vm: NativeContext, bytes: Bytes, given: Int) => {
      const level = levelOf(given, levels);
      return through(vm, name, bytes, MAX_BYTES, (zlib) => start(zlib, level));
    },
  ];
}

function decompressor(name: string, what: string, start: Start): Row {
  return [
    name,
    `limit: Integer = ${USUAL_LIMIT}`,
    'Bytes',
    `Decompresses ${what}; ValueError when the bytes are not valid, or the result is longer than \`limit\` bytes.`,
    (vm: NativeContext, bytes: Bytes, limit: Int) => through(vm, name, bytes, limitOf(limit), start),
  ];
}

/** Methods of Bytes. */
export const compressionRows: readonly Row[] = [
  compressor('gzip', 'gzip', GZIP_LEVELS, 6, (zlib, level) => zlib.createGzip({ chunkSize, level })),
  decompressor('gunzip', 'gzip', (zlib) => zlib.createGunzip({ chunkSize })),
  compressor('deflate', 'zlib, the format of `deflate` in HTTP', GZIP_LEVELS, 6, (zlib, level) =>
    zlib.createDeflate({ chunkSize, level }),
  ),
  decompressor('inflate', 'zlib', (zlib) => zlib.createInflate({ chunkSize })),
  compressor('brotli', 'brotli', BROTLI_LEVELS, BROTLI_USUAL, (zlib, level) =>
    zlib.createBrotliCompress({ chunkSize, params: { [zlib.constants.BROTLI_PARAM_QUALITY]: level } }),
  ),
  decompressor('unbrotli', 'brotli', (zlib) => zlib.createBrotliDecompress({ chunkSize })),
];
