import type { Hash, Hmac } from 'node:crypto';
import type { Bytes } from '../../vm/values/bytes.js';
import { partsOf } from '../core/bytes/texts.js';
import { builtin } from '../builtin.js';
import { partsInSteps } from '../core/strings/stepwise.js';
import { wellFormed } from '../core/strings/wellformed.js';

/** The digest of Bytes, or of a text's UTF-8 or UTF-16 bytes, computed in steps. @throws ValueError without such bytes */
export function* digestSteps(
  digest: Hash | Hmac,
  data: string | Bytes,
  encoding: 'utf8' | 'utf16le' = 'utf8',
): Generator<void, Buffer, void> {
  if (typeof data === 'string')
    yield* partsInSteps(data, (part) => digest.update(encoding === 'utf8' ? wellFormed(part) : part, encoding));
  else
    for (const part of partsOf(data)) {
      digest.update(part);
      yield;
    }
  return digest.digest();
}

/** SHA-256 digest of a text's UTF-8 bytes, or of bytes. */
export function sha256(data: string | Buffer): Buffer {
  return builtin('node:crypto').createHash('sha256').update(data).digest();
}

/** HMAC-SHA256 of a text or bytes, with a secret text or bytes as key; texts are encoded in UTF-8. */
export function hmac(data: string | Buffer, secret: string | Buffer): Buffer {
  return builtin('node:crypto').createHmac('sha256', secret).update(data).digest();
}

/** Whether bytes of equal number are the same. The time reveals nothing about them. */
function timingSafeEqual(given: Buffer, expected: Buffer): boolean {
  return builtin('node:crypto').timingSafeEqual(given, expected);
}

/** Whether two texts are the same. The time reveals neither where they differ nor how long the expected one is. */
export function sameSecret(given: string, expected: string): boolean {
  // timingSafeEqual needs equal lengths, so compare digests. UTF-16 keeps lone surrogates distinct, UTF-8 would not.
  return timingSafeEqual(sha256(Buffer.from(given, 'utf16le')), sha256(Buffer.from(expected, 'utf16le')));
}

/** Like sameSecret, but in steps, for long texts. */
export function* sameSecretSteps(given: string, expected: string): Generator<void, boolean, void> {
  const digest = yield* digestSteps(builtin('node:crypto').createHash('sha256'), given, 'utf16le');
  return timingSafeEqual(digest, yield* digestSteps(builtin('node:crypto').createHash('sha256'), expected, 'utf16le'));
}

/**
 * Whether a signature in lower-case hexadecimal equals `expected`, in constant time. The expected length is not secret.
 */
export function isSignature(given: string, expected: Buffer): boolean {
  return (
    given.length === expected.length * 2 &&
    /^[0-9a-f]*$/.test(given) &&
    timingSafeEqual(Buffer.from(given, 'hex'), expected)
  );
}
