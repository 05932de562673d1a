import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** SHA-256 digest of a text's UTF-8 bytes, or of bytes. */
export function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** HMAC-SHA256 of a text's UTF-8 bytes, or of bytes, in lower-case hexadecimal. */
export function hmacHex(data: string | Buffer, secret: string): string {
  return createHmac('sha256', secret).update(data).digest('hex');
}

/** Whether two texts are the same, in a time that tells neither where they differ nor how long the secret one is. */
export function sameSecret(given: string, expected: string): boolean {
  // Digests are equally long whatever they are of, which timingSafeEqual needs anyway.
  return timingSafeEqual(sha256(given), sha256(expected));
}
