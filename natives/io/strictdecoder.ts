import { invalidFrom } from '../../vm/values/bytes.js';
import { Errors, fail } from '../../vm/values/error.js';

/** Bytes of the longest character that a chunk can cut off. */
const CUT_OFF = 3;

/** Decodes UTF-8 that arrives in chunks, and refuses other bytes. */
export class StrictDecoder {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** Number of bytes decoded, and the last of them. */
  private count = 0;
  private last = new Uint8Array(0);

  /** @param subject what is decoded, and @param hint what to do if it is not UTF-8: parts of the message */
  constructor(
    private readonly subject: string,
    private readonly hint: string,
  ) {}

  /** The text of the next bytes, up to the last complete character. @throws ValueError */
  decode(bytes: Uint8Array, isEnd: boolean): string {
    let text: string;
    try {
      text = this.decoder.decode(bytes, { stream: !isEnd });
    } catch {
      return this.refuse(bytes);
    }
    this.count += bytes.length;
    this.last = this.withLast(bytes.subarray(-CUT_OFF)).slice(-CUT_OFF);
    return text;
  }

  private withLast(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.last.length + bytes.length);
    all.set(this.last);
    all.set(bytes, this.last.length);
    return all;
  }

  private refuse(bytes: Uint8Array): never {
    const all = this.withLast(bytes);
    const at = invalidFrom(all, this.last.length);
    const byte = all[at].toString(16).padStart(2, '0');
    const offset = this.count - this.last.length + at;
    return fail(Errors.ValueError, `${this.subject} is not UTF-8: byte ${byte} at offset ${offset}; ${this.hint}`);
  }
}
