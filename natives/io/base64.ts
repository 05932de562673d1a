import { isUtf8 } from 'node:buffer';

const ALPHABET = /^[A-Za-z0-9+/]*$/;

/**
 * Bytes of a base64 text, or null when it is none: another character (blanks too), a length that no bytes give, or padding that is neither
 * complete nor left out. Node's own decoder skips over all of these.
 */
export function decodeBase64(text: string): Buffer | null {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.slice(0, text.length - padding);
  if (digits.length % 4 === 1 || (padding > 0 && text.length % 4 !== 0) || !ALPHABET.test(digits)) return null;
  return Buffer.from(digits, 'base64');
}

/** Text of UTF-8 bytes, or null when they are none. Unlike TextDecoder it keeps a byte order mark. */
export function utf8Text(bytes: Buffer): string | null {
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}
