import { charge } from './cost.js';
import { Errors, fail } from './error.js';
import { Handle, HandleType } from './handle.js';
import { checkRoom, checkTextRoom } from './heaproom.js';
import { MAX_STRING } from './limits.js';
import { finish } from './steps.js';
import type { Value } from './value.js';

/** Maximum length of Bytes. */
export const MAX_BYTES = MAX_STRING;
/** Bytes copied in one step: less than half a millisecond, page faults included. */
export const COPIED_PER_STEP = 1 << 20;
/** Bytes compared or decoded in one step. */
const READ_PER_STEP = 1 << 18;
/** Bytes shown by `inspect`. */
const SHOWN = 32;
/** Bytes per unit of `charge`, as powers of two: copied, compared. */
const COPIED = 6;
const COMPARED = 3;

/** The type `Bytes`; natives add its methods. */
export const BYTES = new HandleType('Bytes');

/**
 * Call before making Bytes of `length`, of which `before` are in memory already.
 * @throws MemoryError
 */
export function checkBytes(length: number, before = 0): void {
  if (length > MAX_BYTES) fail(Errors.MemoryError, `Bytes would be longer than ${MAX_BYTES} bytes`);
  checkRoom(length - before, `Bytes of length ${length} would not fit`);
}

/** A sequence of bytes. Immutable. */
export class Bytes extends Handle {
  private madeView: DataView | null = null;

  /** @param data belongs to the value: nothing may change it afterwards */
  constructor(readonly data: Uint8Array) {
    super();
  }

  /**
   * Bytes with the content of `data`, which nothing may change afterwards. Copies it if it is a small part of its
   * buffer, which would otherwise stay in memory.
   */
  static of(data: Uint8Array): Bytes {
    // Not `slice`: that of node's buffers does not copy.
    return new Bytes(
      isSmallPart(data, data.length)
        ? new Uint8Array(data)
        : new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    );
  }

  get type(): HandleType {
    return BYTES;
  }

  override elementAt(index: Value): Value | undefined {
    return typeof index === 'number' ? (this.data[index < 0 ? index + this.length : index] ?? null) : undefined;
  }

  get length(): number {
    return this.data.length;
  }

  /** Reads numbers. */
  get view(): DataView {
    return (this.madeView ??= new DataView(this.data.buffer, this.data.byteOffset, this.data.byteLength));
  }

  override describe(): string {
    const { length } = this;
    if (length === 0) return 'Bytes(0)';
    const shown = Array.from(this.data.subarray(0, SHOWN), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    return `Bytes(${length}: ${shown}${length > SHOWN ? ' …' : ''})`;
  }

  /** Called by the JSON encoder. */
  toJsonValue(): never {
    return fail(Errors.ValueError, 'cannot encode Bytes as JSON: use their base64, hex or to_s');
  }

  override equals(other: object): boolean {
    if (!(other instanceof Bytes) || this.length !== other.length) return false;
    charge(this.length >>> COMPARED);
    return differAt(this.data, other.data, 0, this.length) === this.length;
  }

  /** One character for each byte. */
  override equalityKey(): string {
    let key = '';
    for (let lo = 0; lo < this.length; lo += UNITS) key += this.unitsAt(lo, lo + UNITS);
    return key;
  }

  /** A text with a character for each byte of a part of at most UNITS bytes. */
  private unitsAt(lo: number, hi: number): string {
    return String.fromCharCode(...this.data.subarray(lo, hi));
  }

  override compare(other: Handle): number | null {
    if (!(other instanceof Bytes)) return null;
    const least = Math.min(this.length, other.length);
    charge(least >>> COMPARED);
    return this.orderAt(other, differAt(this.data, other.data, 0, least));
  }

  /** `compare` in steps. */
  *compareSteps(other: Bytes): Generator<void, number, void> {
    const least = Math.min(this.length, other.length);
    for (let lo = 0; lo < least; lo += READ_PER_STEP) {
      const hi = Math.min(lo + READ_PER_STEP, least);
      const at = differAt(this.data, other.data, lo, hi);
      if (at < hi) return this.orderAt(other, at);
      yield;
    }
    return this.orderAt(other, least);
  }

  /** The order, given that all bytes before `at` are equal. */
  private orderAt(other: Bytes, at: number): number {
    return at < this.length && at < other.length
      ? Math.sign(this.data[at] - other.data[at])
      : Math.sign(this.length - other.length);
  }

  override plus(other: Value): Value | null {
    if (!(other instanceof Bytes)) return null;
    if (other.length === 0) return this;
    if (this.length === 0) return other;
    charge((this.length + other.length) >>> COPIED);
    return finish(joinSteps([this.data, other.data]));
  }

  /** Whether `slice` copies more than one step's worth. */
  slicesSlowly(start: number, end: number): boolean {
    return end - start > COPIED_PER_STEP && isSmallPart(this.data, end - start);
  }

  /** The bytes from `start` to before `end`. A large part shares the memory of the whole. */
  slice(start: number, end: number): Bytes {
    return Bytes.of(this.data.subarray(start, end));
  }

  /**
   * The text that the bytes encode in UTF-8.
   * @throws ValueError
   */
  text(): string {
    charge(this.length >>> COMPARED);
    return finish(this.textSteps());
  }

  /** `text` in steps. Messages begin with `subject`, what is not UTF-8, and end with `hint`, what to do. */
  *textSteps(
    subject = 'the bytes are',
    hint = 'to_s("latin1"), hex and base64 convert any bytes',
  ): Generator<void, string, void> {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    let text = '';
    for (let lo = 0; lo < this.length; lo += READ_PER_STEP) {
      if (lo > 0) yield;
      const hi = Math.min(lo + READ_PER_STEP, this.length);
      const before = text.length;
      try {
        text += decoder.decode(this.data.subarray(lo, hi), { stream: hi < this.length });
      } catch {
        const at = invalidFrom(this.data, lo);
        const byte = this.data[at].toString(16).padStart(2, '0');
        fail(Errors.ValueError, `${subject} not UTF-8: byte ${byte} at offset ${at}; ${hint}`);
      }
      checkTextRoom(text.length, before);
    }
    return text;
  }
}

/** Bytes converted to characters by one call. */
const UNITS = 8192;

/** Whether `length` bytes are less than half of the buffer in which `data` lies. */
function isSmallPart(data: Uint8Array, length: number): boolean {
  return length * 2 < data.buffer.byteLength;
}

/** Index from `lo` of the first byte that differs, or `hi`. */
function differAt(a: Uint8Array, b: Uint8Array, lo: number, hi: number): number {
  let i = lo;
  while (i < hi && a[i] === b[i]) i++;
  return i;
}

/**
 * Joins parts that nobody changes, in steps.
 * @throws MemoryError
 */
export function* joinSteps(parts: readonly Uint8Array[]): Generator<void, Bytes, void> {
  let length = 0;
  for (const part of parts) length += part.length;
  checkBytes(length);
  const out = new Uint8Array(length);
  let at = 0;
  let left = COPIED_PER_STEP;
  for (const part of parts) {
    for (let lo = 0; lo < part.length;) {
      if (left === 0) {
        left = COPIED_PER_STEP;
        yield;
      }
      const piece = part.subarray(lo, lo + left);
      out.set(piece, at);
      at += piece.length;
      lo += piece.length;
      left -= piece.length;
    }
  }
  return new Bytes(out);
}

/** Lead bytes of UTF-8 from this one begin sequences of two, three, four bytes; smaller and larger ones are invalid. */
const LEADS = [0xc2, 0xe0, 0xf0, 0xf5];

/** Length of the valid sequence of UTF-8 at `at`; 0 if there is none. */
function sequenceAt(data: Uint8Array, at: number): number {
  const lead = data[at];
  if (lead < 0x80) return 1;
  if (lead < LEADS[0] || lead >= LEADS[3]) return 0;
  const length = lead < LEADS[1] ? 2 : lead < LEADS[2] ? 3 : 4;
  for (let i = 1; i < length; i++) if ((data[at + i] & 0xc0) !== 0x80) return 0;
  // Longer than necessary, a surrogate, or above U+10FFFF.
  const second = data[at + 1];
  if ((lead === 0xe0 && second < 0xa0) || (lead === 0xed && second >= 0xa0)) return 0;
  return (lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second >= 0x90) ? 0 : length;
}

/** Offset of the first byte that is not UTF-8, where all is valid up to `from`, apart from a sequence cut off there. */
export function invalidFrom(data: Uint8Array, from: number): number {
  let at = Math.max(0, from - 3);
  while (at < from && (data[at] & 0xc0) === 0x80) at++;
  for (let length = 1; length > 0; at += length) length = sequenceAt(data, at);
  return at;
}
