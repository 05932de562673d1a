import { chargeSum } from '../cost.js';
import { compact, failTooManyBits, MAX_BITS, normalize } from './arithmetic.js';

type Int = number | bigint;

/** Whether a number fits 32 bits, so that JavaScript's bit operators keep it. */
function isShort(a: Int): a is number {
  return typeof a === 'number' && (a | 0) === a;
}

/** `a & b`, in two's complement without a limit of length, as the other functions here. */
export function and(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number')
    return isShort(a) && isShort(b) ? a & b : joined(high(a) & high(b), a & b);
  chargeSum(a, b);
  return normalize(BigInt(a) & BigInt(b));
}

export function or(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number')
    return isShort(a) && isShort(b) ? a | b : joined(high(a) | high(b), a | b);
  chargeSum(a, b);
  return normalize(BigInt(a) | BigInt(b));
}

export function xor(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number')
    return isShort(a) && isShort(b) ? a ^ b : joined(high(a) ^ high(b), a ^ b);
  chargeSum(a, b);
  return normalize(BigInt(a) ^ BigInt(b));
}

/** The bits of a number from bit 32 on: 21 and the sign. JavaScript's bit operators see only the bits below. */
const high = (a: number): number => Math.floor(a / TWO_32);

/** The Integer of the bits from 32 on, and the 32 bits below. */
function joined(upper: number, lower: number): Int {
  const value = upper * TWO_32 + (lower >>> 0);
  return value < Number.MIN_SAFE_INTEGER ? BigInt(value) : compact(value);
}

const TWO_32 = 2 ** 32;

export function invert(a: Int): Int {
  if (typeof a === 'number') return -1 - a;
  chargeSum(a, 0);
  return normalize(~a);
}

/** `a << count`; a negative count shifts to the right. @throws OverflowError above MAX_BITS bits */
export function shiftLeft(a: Int, count: Int): Int {
  if (typeof a === 'number' && count <= 53) {
    // Powers of two, within their range, make products and quotients without rounding.
    const value = count < 0 ? Math.floor(a / 2 ** Math.min(-Number(count), 1000)) : a * 2 ** Number(count);
    if (Number.isSafeInteger(value)) return compact(value);
  }
  chargeSum(a, 0);
  if (count < 0) return count < -MAX_BITS ? (a < 0 ? -1 : 0) : normalize(BigInt(a) >> BigInt(-count));
  if (a === 0) return 0;
  if (count > MAX_BITS) failTooManyBits();
  const shifted = BigInt(a) << BigInt(count);
  chargeSum(shifted, 0);
  return bitsAbove(shifted) ? failTooManyBits() : normalize(shifted);
}

/**
 * The first numbers with too many bits. Kept, because negating one at each call would take longer than all the rest; made
 * when first needed, because that takes half a millisecond.
 */
let limits: { highest: bigint; lowest: bigint } | null = null;

function makeLimits(): { highest: bigint; lowest: bigint } {
  const highest = 1n << BigInt(MAX_BITS);
  return { highest, lowest: -highest };
}

function bitsAbove(n: bigint): boolean {
  limits ??= makeLimits();
  return n >= limits.highest || n <= limits.lowest;
}

/** `a >> count`; a negative count shifts to the left. @throws OverflowError */
export function shiftRight(a: Int, count: Int): Int {
  return shiftLeft(a, typeof count === 'bigint' ? -count : 0 - count);
}
