/** Reading a file line by line, in constant memory. */
import { constants, promises as fs } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { native, writtenAs } from '../../vm/calls/native.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import { MAX_STRING } from '../../vm/values/limits.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { assetFor, bytesOf } from './assets.js';
import { io } from './errors.js';
import { checkPath } from './files.js';
import { StrictDecoder } from './strictdecoder.js';
import { fileTurns } from '../poolturns.js';
import { waitForOperation } from './waiting.js';

/** Bytes of one read. */
const CHUNK = 1 << 16;

const READER = new HandleType('LineReader');

/** An open file, or a file of the artefact, and the part of it that has been read and not passed on. */
class LineReader extends Handle {
  readonly type = READER;
  private readonly decoder: StrictDecoder;
  /** The beginning of a line. It is not searched again: that would take quadratic time for a long line. */
  private rest = '';
  /** `\r` if the part that was read last ends with it: a `\n` may follow. */
  private cutOff = '';
  private position = 0;

  constructor(
    private readonly path: string,
    private file: FileHandle | null,
    private readonly asset: Buffer | null,
  ) {
    super();
    this.decoder = new StrictDecoder(path, 'file_read_bytes reads any file');
  }

  /** The next complete lines, without their ends; null at the end of the file. */
  async next(signal: AbortSignal): Promise<Value> {
    for (;;) {
      const bytes = await this.read(signal);
      const isEnd = bytes.length === 0;
      const text = this.cutOff + this.decoder.decode(bytes, isEnd);
      if (isEnd) {
        const isOver = this.rest === '' && text === '';
        const line = this.rest + withoutEnd(text);
        this.rest = this.cutOff = '';
        return isOver ? null : [line];
      }
      if (this.rest.length + text.length > MAX_STRING - CHUNK)
        fail(Errors.MemoryError, `cannot read ${this.path}: a line is too long`);
      const begun = this.rest;
      const end = text.lastIndexOf('\n');
      const after = withoutEnd(text.slice(end + 1));
      this.cutOff = text.endsWith('\r') ? '\r' : '';
      this.rest = end < 0 ? begun + after : after;
      if (end < 0) continue;
      const lines = text.slice(0, end).split('\n').map(withoutEnd);
      lines[0] = begun + lines[0];
      return lines;
    }
  }

  /** Does not wait: the thread may have been cancelled. */
  close(): null {
    const { file } = this;
    this.file = null;
    void file?.close();
    return null;
  }

  private async read(signal: AbortSignal): Promise<Uint8Array> {
    if (this.asset !== null) {
      const part = this.asset.subarray(this.position, this.position + CHUNK);
      this.position += part.length;
      return part;
    }
    const { file } = this;
    if (file === null) return new Uint8Array();
    // In turns, also because the lines of all parts that have arrived are made before anything else runs.
    const { bytesRead, buffer } = await io(`read ${this.path}`, () =>
      fileTurns.run(() => file.read(Buffer.alloc(CHUNK), 0, CHUNK, null), signal),
    );
    return buffer.subarray(0, bytesRead);
  }
}

function withoutEnd(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function readerOf(value: Value): LineReader {
  return value instanceof LineReader ? value : fail(Errors.TypeError, 'an intrinsic of the compiler needs a reader');
}

function openLines(vm: NativeContext, path: string): undefined {
  checkPath(path);
  const open = async (signal: AbortSignal): Promise<LineReader> => {
    const asset = assetFor(vm, path, `read ${path}`);
    if (asset !== null) return new LineReader(path, null, bytesOf(asset));
    return io(`read ${path}`, async () => {
      const file = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const stats = await file.stat();
      if (stats.isFile() && !signal.aborted) return new LineReader(path, file, null);
      await file.close();
      return fail(
        Errors.IOError,
        `cannot read ${path}: it is a ${stats.isDirectory() ? 'directory' : 'device or pipe'}, not a file`,
      );
    });
  };
  return waitForOperation(vm, 'file', open, null, { returned: (reader) => readerOf(reader).close() });
}

/** Intrinsics of `file_each_line` in the prelude. */
// prettier-ignore
export const lineReading = [
  writtenAs('file_each_line', native('%open_lines', 'path: String', 'Any', 'Intrinsic of the compiler.', openLines)),
  native('%next_lines', 'reader: Any', 'Any', 'Intrinsic of the compiler.', (vm: NativeContext, reader: Value) => { const open = readerOf(reader); return waitForOperation(vm, 'file', (signal) => open.next(signal)); }),
  native('%close_lines', 'reader: Any', 'Any', 'Intrinsic of the compiler.', (_: unknown, reader: Value) => readerOf(reader).close()),
];
