import { isUtf8 } from 'node:buffer';
import { finish, STEP } from '../../../vm/values/steps.js';

const ALPHABET = /^[A-Za-z0-9+/]*$/;

/**
 * Decodes base64. Returns null for any other character (including blanks), for an impossible length, and for padding
 * that is neither complete nor absent. Node's own decoder skips all of these.
 */
export function decodeBase64(text: string): Buffer | null {
  return finish(decodeSteps(text));
}

/** Like decodeBase64, but in steps. A step's length is a multiple of four, so its digits form whole bytes. */
export function* decodeSteps(text: string): Generator<void, Buffer | null, void> {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.slice(0, text.length - padding);
  if (digits.length % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return null;
  if (digits.length <= STEP) return ALPHABET.test(digits) ? Buffer.from(digits, 'base64') : null;
  const bytes = Buffer.allocUnsafe(Math.floor((digits.length * 3) / 4));
  let used = 0;
  for (let lo = 0; lo < digits.length; lo += STEP) {
    const part = digits.slice(lo, lo + STEP);
    if (!ALPHABET.test(part)) return null;
    used += bytes.write(part, used, 'base64');
    yield;
  }
  return bytes;
}

/** Decodes UTF-8 bytes, or returns null when they are invalid. Unlike TextDecoder it keeps a byte order mark. */
export function utf8Text(bytes: Buffer): string | null {
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}
