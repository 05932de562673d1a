import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { Bytes } from '../../../../vm/values/bytes.js';
import type { TempFiles } from './tempfiles.js';

/** Maximum bytes of a file kept in memory. */
const INLINE_BYTES = 64 * 1024;

/** An uploaded file: in memory if short, on disk if long, both if short but not UTF-8. */
export interface UploadedFile {
  readonly size: number;
  readonly body: string | null;
  /** The content of a file in memory. */
  readonly bytes: Bytes | null;
  readonly path: string | null;
}

async function writeTo(handle: FileHandle, first: readonly Buffer[], rest: AsyncIterable<Buffer>): Promise<number> {
  let size = 0;
  try {
    for (const chunk of first) {
      await handle.writeFile(chunk);
      size += chunk.length;
    }
    for await (const chunk of rest) {
      await handle.writeFile(chunk);
      size += chunk.length;
    }
  } finally {
    await handle.close();
  }
  return size;
}

async function* none(): AsyncGenerator<Buffer> {}

/** Reads a file as it arrives. */
export async function readFilePart(chunks: AsyncIterable<Buffer>, temps: TempFiles): Promise<UploadedFile> {
  const iterator = chunks[Symbol.asyncIterator]();
  const rest = { [Symbol.asyncIterator]: () => iterator };
  const kept: Buffer[] = [];
  let size = 0;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    kept.push(next.value);
    size += next.value.length;
    if (size <= INLINE_BYTES) continue;
    const { path, handle } = await temps.create();
    return { size: await writeTo(handle, kept, rest), body: null, bytes: null, path };
  }
  return short(Buffer.concat(kept), temps);
}

/** Stores a short file. Bytes that are not UTF-8 do not survive in a String, so they are also written to disk. */
async function short(bytes: Buffer, temps: TempFiles): Promise<UploadedFile> {
  const body = bytes.toString();
  const kept = Bytes.of(bytes);
  if (isUtf8(bytes)) return { size: bytes.length, body, bytes: kept, path: null };
  const { path, handle } = await temps.create();
  await writeTo(handle, [bytes], none());
  return { size: bytes.length, body, bytes: kept, path };
}

/**
 * The last segment of a client's file name, without control characters; empty when nothing remains that names a file.
 */
export function safeFilename(sent: string): string {
  const segments = sent.replace(/[\x00-\x1f\x7f]/g, '').split(/[/\\]/);
  const last = segments[segments.length - 1];
  return last === '.' || last === '..' ? '' : last;
}
