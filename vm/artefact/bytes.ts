/** Thrown if bytes are not an artefact or a damaged one; the message says what is wrong and where. */
export class InvalidArtefact extends Error {
  constructor(what: string, at: number) {
    super(`${what} at byte ${at}`);
    this.name = 'InvalidArtefact';
  }
}

const UTF8 = new TextEncoder();
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const CHUNK = 4096;

/** Writes numbers and texts into a growing buffer. */
export class ByteWriter {
  private bytes = new Uint8Array(CHUNK);
  private length = 0;

  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  private room(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    larger.set(this.bytes);
    this.bytes = larger;
  }

  byte(value: number): void {
    this.room(1);
    this.bytes[this.length++] = value;
  }

  raw(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Writes an Integer from 0 to 2^53 − 1 in LEB128. */
  unsigned(value: number): void {
    while (value >= 128) {
      this.byte((value % 128) | 128);
      value = Math.floor(value / 128);
    }
    this.byte(value);
  }

  /** Writes an Integer between ±2^52; small ones take few bytes. */
  signed(value: number): void {
    this.unsigned(value < 0 ? -value * 2 - 1 : value * 2);
  }

  words(values: Int32Array): void {
    this.unsigned(values.length);
    this.room(values.length * 4);
    const view = new DataView(this.bytes.buffer);
    for (const value of values) {
      view.setInt32(this.length, value, true);
      this.length += 4;
    }
  }

  double(value: number): void {
    this.room(8);
    new DataView(this.bytes.buffer).setFloat64(this.length, value, true);
    this.length += 8;
  }

  /** Writes UTF-8, or UTF-16 if the text has an unpaired surrogate, which UTF-8 cannot represent. */
  text(value: string): void {
    if (/\p{Surrogate}/u.test(value)) {
      this.unsigned(value.length * 2 + 1);
      for (let i = 0; i < value.length; i++) {
        this.byte(value.charCodeAt(i) & 255);
        this.byte(value.charCodeAt(i) >> 8);
      }
      return;
    }
    const bytes = UTF8.encode(value);
    this.unsigned(bytes.length * 2);
    this.raw(bytes);
  }
}

/**
 * Reads the output of a `ByteWriter`. The input is untrusted: every count is checked against the remaining bytes.
 * @throws InvalidArtefact
 */
export class ByteReader {
  private readonly view: DataView;

  constructor(
    private readonly bytes: Uint8Array,
    public at = 0,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  bad(what: string): never {
    throw new InvalidArtefact(what, this.at);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  private take(count: number): number {
    if (count > this.left) this.bad(`${count} bytes are missing`);
    const at = this.at;
    this.at += count;
    return at;
  }

  byte(): number {
    return this.bytes[this.take(1)];
  }

  raw(count: number): Uint8Array {
    const at = this.take(count);
    return this.bytes.subarray(at, at + count);
  }

  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (value > Number.MAX_SAFE_INTEGER) this.bad('a number is too large');
      if (byte < 128) return byte === 0 && scale > 1 ? this.bad('a number is not in its shortest form') : value;
      scale *= 128;
      if (scale > 2 ** 56) this.bad('a number is too long');
    }
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  /** Reads the number of items that follow; each takes at least `least` bytes. */
  count(least = 1): number {
    const count = this.unsigned();
    if (count * least > this.left) this.bad(`${count} items do not fit in the remaining bytes`);
    return count;
  }

  /** Reads a number less than `limit`, such as an index or a kind. */
  below(limit: number, what: string): number {
    const value = this.unsigned();
    return value < limit ? value : this.bad(`${what} ${value} is not below ${limit}`);
  }

  words(): Int32Array {
    const count = this.count(4);
    const out = new Int32Array(count);
    for (let i = 0; i < count; i++) out[i] = this.view.getInt32(this.at + i * 4, true);
    this.at += count * 4;
    return out;
  }

  double(): number {
    return this.view.getFloat64(this.take(8), true);
  }

  text(): string {
    const size = this.unsigned();
    if (size % 2 === 1) return this.halves((size - 1) / 2);
    const bytes = this.raw(size / 2);
    try {
      return STRICT_UTF8.decode(bytes);
    } catch {
      return this.bad('a text is not UTF-8');
    }
  }

  private halves(units: number): string {
    const bytes = this.raw(units * 2);
    let text = '';
    for (let i = 0; i < units; i++) text += String.fromCharCode(bytes[i * 2] | (bytes[i * 2 + 1] << 8));
    return text;
  }
}
