import { isUtf8 } from 'node:buffer';

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/** The value of the hexadecimal digit with this character code, or -1. */
function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/**
 * Decodes `bytes` in place and returns the new length. With `strict`, returns -1 for a `%` without two hexadecimal
 * digits.
 */
function unescapeBytes(bytes: Buffer, plusIsSpace: boolean, strict: boolean): number {
  let to = 0;
  for (let from = 0; from < bytes.length; from++) {
    let byte = bytes[from];
    if (byte === PERCENT) {
      const high = from + 2 < bytes.length ? hexValue(bytes[from + 1]) : -1;
      const low = high >= 0 ? hexValue(bytes[from + 2]) : -1;
      if (low >= 0) {
        byte = high * 16 + low;
        from += 2;
      } else if (strict) return -1;
    } else if (byte === PLUS && plusIsSpace) byte = SPACE;
    bytes[to++] = byte;
  }
  return to;
}

/**
 * Decodes a name or value of a query or form. `+` is a space, escapes are bytes of UTF-8. Invalid escapes stay as they
 * are, and invalid UTF-8 becomes U+FFFD. Never fails (WHATWG URL Standard, "application/x-www-form-urlencoded
 * parsing").
 */
export function decodeFormText(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.toString('utf8', 0, unescapeBytes(bytes, true, false));
}

/**
 * Decodes percent-escapes once (RFC 3986 2.1); `+` stays. Returns null for an incomplete escape or for bytes that are
 * not UTF-8. Unlike decodeURIComponent it does not throw: a client can send a thousand bad values, and each exception
 * costs microseconds.
 */
export function decodePercent(text: string): string | null {
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(text);
  const length = unescapeBytes(bytes, false, true);
  if (length < 0 || !isUtf8(bytes.subarray(0, length))) return null;
  return bytes.toString('utf8', 0, length);
}

/**
 * Encodes an address for a header: blanks and non-ASCII characters become escapes of UTF-8, the rest stays (RFC 3987
 * 3.1). A lone surrogate also stays.
 */
export function uriText(text: string): string {
  return text.replace(/[\t \u0080-\ud7ff\ue000-\u{10ffff}]+/gu, encodeURIComponent);
}
