import { chargeSum } from '../cost.js';
import { failTooManyBits, MAX_BITS, normalize } from './arithmetic.js';

type Int = number | bigint;

/** Whether a number fits 32 bits, so that JavaScript's bit operators keep it. */
function isShort(a: Int): a is number {
  return typeof a === 'number' && (a | 0) === a;
}

/** `a & b`, in two's complement without a limit of length, as the other functions here. */
export function and(a: Int, b: Int): Int {
  if (isShort(a) && isShort(b)) return a & b;
  chargeSum(a, b);
  return normalize(BigInt(a) & BigInt(b));
}

export function or(a: Int, b: Int): Int {
  if (isShort(a) && isShort(b)) return a | b;
  chargeSum(a, b);
  return normalize(BigInt(a) | BigInt(b));
}

export function xor(a: Int, b: Int): Int {
  if (isShort(a) && isShort(b)) return a ^ b;
  chargeSum(a, b);
  return normalize(BigInt(a) ^ BigInt(b));
}

export function invert(a: Int): Int {
  if (typeof a === 'number') return -1 - a;
  chargeSum(a, 0);
  return normalize(~a);
}

/** `a << count`; a negative count shifts to the right. @throws OverflowError above MAX_BITS bits */
export function shiftLeft(a: Int, count: Int): Int {
  chargeSum(a, 0);
  if (count < 0) return count < -MAX_BITS ? (a < 0 ? -1 : 0) : normalize(BigInt(a) >> BigInt(-count));
  if (a === 0) return 0;
  if (typeof a === 'number' && count < 22 && Math.abs(a) < 2 ** 31) return a * 2 ** Number(count);
  if (count > MAX_BITS) failTooManyBits();
  const shifted = BigInt(a) << BigInt(count);
  chargeSum(shifted, 0);
  return bitsAbove(shifted) ? failTooManyBits() : normalize(shifted);
}

const HIGHEST = 1n << BigInt(MAX_BITS);

function bitsAbove(n: bigint): boolean {
  return n >= HIGHEST || n <= -HIGHEST;
}

/** `a >> count`; a negative count shifts to the left. @throws OverflowError */
export function shiftRight(a: Int, count: Int): Int {
  return shiftLeft(a, typeof count === 'bigint' ? -count : 0 - count);
}
