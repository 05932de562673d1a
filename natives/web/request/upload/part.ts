import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import type { TempFiles } from './tempfiles.js';

/** Files up to this many bytes stay in memory. */
const INLINE_BYTES = 64 * 1024;

/** A file of a form: in memory, on disk, or both, when it is short but no text. */
export interface UploadedFile {
  readonly size: number;
  readonly body: string | null;
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

/** Reads a file while it arrives. */
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
    return { size: await writeTo(handle, kept, rest), body: null, path };
  }
  return short(Buffer.concat(kept), temps);
}

/** A text cannot hold bytes that are not UTF-8, so these are on disk as well. */
async function short(bytes: Buffer, temps: TempFiles): Promise<UploadedFile> {
  const body = bytes.toString();
  if (isUtf8(bytes)) return { size: bytes.length, body, path: null };
  const { path, handle } = await temps.create();
  await writeTo(handle, [bytes], none());
  return { size: bytes.length, body, path };
}

/** The last segment of a file name as a client sent it, without control characters; empty when nothing is left that names a file. */
export function safeFilename(sent: string): string {
  const segments = sent.replace(/[\x00-\x1f\x7f]/g, '').split(/[/\\]/);
  const last = segments[segments.length - 1];
  return last === '.' || last === '..' ? '' : last;
}
