import { invalidFrom } from '../vm/values/bytes.js';
import { Errors, errorOf, type SvcError } from '../vm/values/error.js';
import { MAX_STRING } from '../vm/values/limits.js';

const LINE_END = /\r\n|\n|\r/;
const LF = 0x0a;
const CR = 0x0d;

/**
 * The lines of a stream in UTF-8, without their ends, which are `\n`, `\r\n` or `\r`. A line that is not UTF-8, or too
 * long, is an error; the lines after it follow.
 */
export async function* inputLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string | SvcError, void, void> {
  const line = new Beginning();
  for await (const chunk of input) {
    let from = 0;
    if (line.endsWithCr) {
      if (chunk[0] === LF) from = line.add(chunk.subarray(0, 1));
      for (const taken of line.take()) yield taken;
    }
    // A `\r` at the end may belong to a `\n` that follows.
    const last = chunk.length - (chunk[chunk.length - 1] === CR ? 2 : 1);
    const end = last < from ? 0 : 1 + Math.max(chunk.lastIndexOf(LF, last), chunk.lastIndexOf(CR, last));
    if (end > from) {
      from += line.add(chunk.subarray(from, end));
      for (const taken of line.take()) yield taken;
    }
    line.add(chunk.subarray(from));
  }
  for (const taken of line.take()) yield taken;
}

/** Bytes of the stream that have not been passed on: the beginning of a line, or whole lines with the rest of it. */
class Beginning {
  private parts: Uint8Array[] = [];
  private length = 0;
  /** Offset of its first byte in the stream. */
  private offset = 0;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  get endsWithCr(): boolean {
    return this.parts.at(-1)?.at(-1) === CR;
  }

  /** Returns the number of bytes. Those of a line that is too long are counted, but not kept. */
  add(bytes: Uint8Array): number {
    if (bytes.length === 0) return 0;
    this.length += bytes.length;
    if (this.length <= MAX_STRING || this.parts.length === 0) this.parts.push(bytes);
    else this.parts = [bytes];
    return bytes.length;
  }

  /** Takes all bytes, as lines. */
  *take(): Generator<string | SvcError, void, void> {
    const { parts, length, offset } = this;
    this.parts = [];
    this.length = 0;
    this.offset += length;
    if (length === 0) return;
    if (length > MAX_STRING) {
      yield errorOf(Errors.MemoryError, 'cannot read standard input: a line is too long');
      // The last part holds the end of that line, and the lines after it.
      yield* this.lines(parts[0], offset + length - parts[0].length, 1);
    } else yield* this.lines(parts.length === 1 ? parts[0] : Buffer.concat(parts), offset, 0);
  }

  /** Lines of bytes at an offset, but the first ones. */
  private *lines(bytes: Uint8Array, offset: number, skipped: number): Generator<string | SvcError, void, void> {
    let text: string;
    try {
      text = this.decoder.decode(bytes);
    } catch {
      yield* this.oneByOne(bytes, offset, skipped);
      return;
    }
    const lines = text.split(LINE_END);
    // After the end of the last line.
    if (lines[lines.length - 1] === '') lines.pop();
    for (let i = skipped; i < lines.length; i++) yield lines[i];
  }

  private *oneByOne(bytes: Uint8Array, offset: number, skipped: number): Generator<string | SvcError, void, void> {
    for (let from = 0, i = 0; from < bytes.length; i++) {
      const end = lineEnd(bytes, from);
      const line = bytes.subarray(from, end);
      if (i >= skipped) yield this.decoded(line, offset + from);
      from = end + (bytes[end] === CR && bytes[end + 1] === LF ? 2 : 1);
    }
  }

  private decoded(line: Uint8Array, offset: number): string | SvcError {
    try {
      return this.decoder.decode(line);
    } catch {
      const at = invalidFrom(line, 0);
      const byte = line[at].toString(16).padStart(2, '0');
      const problem = `standard input is not UTF-8: byte ${byte} at offset ${offset + at}`;
      return errorOf(Errors.ValueError, `${problem}; convert it, for example with iconv`);
    }
  }
}

/** Index of the end of the line that begins at `from`. */
function lineEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) if (bytes[at] === LF || bytes[at] === CR) return at;
  return bytes.length;
}
