import { failTextTooLong, MAX_STRING } from '../limits.js';

/**
 * Maximum length of a String in UTF-16 units: below V8's limit, so that a program gets a MemoryError instead of a
 * crash.
 */
/** Units buffered before they are appended to the text. */
const CHUNK = 1 << 12;
/** Decimal digits of the largest safe integer with its sign, rounded up. */
const DIGITS = 20;
/** Up to this many units, concatenation in JavaScript is faster than a call of a native function. */
const SHORT = 16;

const units = new Uint16Array(CHUNK);
const bytes = new Uint8Array(CHUNK);
const decoder = new TextDecoder();

/**
 * Builds a text from UTF-16 units. Concatenating single characters would allocate about 30 bytes for each. All
 * instances share one buffer: build only one text at a time, and run nothing else meanwhile.
 */
export class UnitText {
  private parts = '';
  private used = 0;
  private seen = 0;

  /** Appends one UTF-16 unit. */
  unit(unit: number): void {
    units[this.used] = unit;
    this.seen |= unit;
    if (++this.used === CHUNK) this.flush();
  }

  /** Appends a code point. */
  point(code: number): void {
    if (code < 0x10000) {
      this.unit(code);
      return;
    }
    this.unit(0xd800 + ((code - 0x10000) >> 10));
    this.unit(0xdc00 + (code & 0x3ff));
  }

  /** Appends the decimal digits of an Integer. */
  integer(n: number): void {
    if ((n | 0) !== n) {
      const text = String(n);
      for (let i = 0; i < text.length; i++) this.unit(text.charCodeAt(i));
      return;
    }
    if (this.used + DIGITS > CHUNK) this.flush();
    let rest = n;
    if (n < 0) {
      units[this.used++] = 45;
      rest = -n;
    }
    let end = this.used + 1;
    for (let power = 10; power <= rest; power *= 10) end++;
    this.used = end;
    // An unsigned shift keeps the quotient a machine integer, even for −2^31.
    do {
      const quotient = (rest / 10) >>> 0;
      units[--end] = 48 + (rest - quotient * 10);
      rest = quotient;
    } while (rest > 0);
  }

  /** Appends a short text. */
  text(text: string): void {
    for (let i = 0; i < text.length; i++) this.unit(text.charCodeAt(i));
  }

  /** Returns the text. @throws MemoryError if it is too long */
  end(): string {
    this.flush();
    return this.parts;
  }

  /** @throws MemoryError if the text is too long */
  private flush(): void {
    if (this.parts.length + this.used > MAX_STRING) failTextTooLong();
    this.parts += this.chunk();
    this.used = 0;
    this.seen = 0;
  }

  private chunk(): string {
    const { used } = this;
    if (used > SHORT)
      return this.seen < 0x80
        ? this.ascii()
        : String.fromCharCode.apply(null, units.subarray(0, used) as unknown as number[]);
    let text = '';
    for (let i = 0; i < used; i++) text += String.fromCharCode(units[i]);
    return text;
  }

  private ascii(): string {
    for (let i = 0; i < this.used; i++) bytes[i] = units[i];
    return decoder.decode(bytes.subarray(0, this.used));
  }
}

/** The decimal digits of Integers, joined by a separator. */
export function joinIntegers(list: readonly number[], separator: string): string {
  const out = new UnitText();
  for (let i = 0; i < list.length; i++) {
    if (i > 0) out.text(separator);
    out.integer(list[i]);
  }
  return out.end();
}
