import { createHash, createHmac, timingSafeEqual, type Hash, type Hmac } from 'node:crypto';
import { partsInSteps } from '../core/strings/stepwise.js';

/** The digest of a text's UTF-8 or UTF-16 bytes, made in steps. */
export function* digestSteps(
  digest: Hash | Hmac,
  text: string,
  bytes: 'utf8' | 'utf16le' = 'utf8',
): Generator<void, Buffer, void> {
  yield* partsInSteps(text, (part) => digest.update(part, bytes));
  return digest.digest();
}

/** SHA-256 digest of a text's UTF-8 bytes, or of bytes. */
export function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** HMAC-SHA256 of a text's UTF-8 bytes keyed with those of the secret, or of bytes as they are. */
export function hmac(data: string | Buffer, secret: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(data).digest();
}

/** Whether two texts are the same, in a time that tells neither where they differ nor how long the expected one is. */
export function sameSecret(given: string, expected: string): boolean {
  // Digests are equally long whatever they are of, which timingSafeEqual needs. UTF-16 keeps halves of surrogate pairs apart, UTF-8 would not.
  return timingSafeEqual(sha256(Buffer.from(given, 'utf16le')), sha256(Buffer.from(expected, 'utf16le')));
}

/** The same in steps, for long texts. */
export function* sameSecretSteps(given: string, expected: string): Generator<void, boolean, void> {
  const digest = yield* digestSteps(createHash('sha256'), given, 'utf16le');
  return timingSafeEqual(digest, yield* digestSteps(createHash('sha256'), expected, 'utf16le'));
}

/** Whether a signature in lower-case hexadecimal is `expected`, in constant time: how long it has to be is no secret. */
export function isSignature(given: string, expected: Buffer): boolean {
  return (
    given.length === expected.length * 2 &&
    /^[0-9a-f]*$/.test(given) &&
    timingSafeEqual(Buffer.from(given, 'hex'), expected)
  );
}
