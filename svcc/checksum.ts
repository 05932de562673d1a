/** Prime and offset basis of FNV-1a for 32 bits, by Fowler, Noll and Vo. */
const PRIME = 0x01000193;
const BASIS = 0x811c9dc5;

/**
 * A number from 0 to 2^32 − 1 by which damage is found: FNV-1a over words of 32 bits in this machine's byte order, then
 * over the last bytes. Not a CRC: making its tables is a part of each start.
 */
export function checksumOf(bytes: Uint8Array): number {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
  let sum = BASIS ^ bytes.length;
  for (let i = 0; i < words.length; i++) sum = Math.imul(sum ^ words[i], PRIME);
  for (let i = words.length * 4; i < bytes.length; i++) sum = Math.imul(sum ^ bytes[i], PRIME);
  return sum >>> 0;
}
