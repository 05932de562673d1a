/** Nearest doubles to quotients and roots of Integers of any size, rounded once, ties to even. */

import { binaryParts } from '../text/decimal.js';

/** Minimum bits of an intermediate result: more than a double's 53 and the bit that decides the rounding. */
const WORKING_BITS = 66;
/** Exponent of the smallest double. */
const LEAST_EXPONENT = -1074;
/**
 * A quotient of at most this many bits before the point is subnormal and rounded to a multiple of the smallest double.
 */
const SUBNORMAL_BITS = -1022;
/** Maximum bits before the point of a finite double. */
const MAX_INTEGER_BITS = 1024;

/** Bits of an Integer without its sign; 0 for 0. */
export function bitLength(value: bigint): number {
  if (value === 0n) return 0;
  const hex = (value < 0n ? -value : value).toString(16);
  return (hex.length - 1) * 4 + (32 - Math.clz32(parseInt(hex[0], 16)));
}

/** `n * 2 ** exponent`, exact if the result is a normal double. */
function scale(n: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return n * 2 ** half * 2 ** (exponent - half);
}

/** The double nearest to `a / b`; infinite if out of range. `b` must not be 0. Takes time linear in the operands. */
export function nearestQuotient(a: bigint, b: bigint): number {
  const size = positiveQuotient(a < 0n ? -a : a, b < 0n ? -b : b);
  return a < 0n !== b < 0n ? -size : size;
}

function positiveQuotient(a: bigint, b: bigint): number {
  // The quotient lies between 2 ** (bits - 1) and 2 ** (bits + 1).
  const bits = bitLength(a) - bitLength(b);
  if (a === 0n || bits < LEAST_EXPONENT - 2) return 0;
  if (bits > MAX_INTEGER_BITS + 1) return Infinity;
  const subnormal = bits <= SUBNORMAL_BITS;
  const shift = subnormal ? -LEAST_EXPONENT : WORKING_BITS - bits;
  const dividend = shift > 0 ? a << BigInt(shift) : a;
  const divisor = shift < 0 ? b << BigInt(-shift) : b;
  const quotient = dividend / divisor;
  const rest = dividend - quotient * divisor;
  if (!subnormal) return scale(withRest(quotient, rest), -shift - 1);
  const above = 2n * rest - divisor;
  return Number(above > 0n || (above === 0n && quotient % 2n === 1n) ? quotient + 1n : quotient) * Number.MIN_VALUE;
}

/** Converts twice an Integer of WORKING_BITS bits to a double, rounded as if the remainder followed it. */
function withRest(whole: bigint, rest: bigint): number {
  return Number((whole << 1n) | (rest === 0n ? 0n : 1n));
}

/** The double nearest to the square root of `n`, which must not be negative; infinite if out of range. */
export function nearestRoot(n: bigint): number {
  const bits = bitLength(n);
  if (bits > 2 * MAX_INTEGER_BITS) return Infinity;
  // Two bits of the number for each bit of the root; the shift is even so that it can be halved.
  const shift = (WORKING_BITS - (bits >> 1)) * 2;
  const scaled = shift < 0 ? n >> BigInt(-shift) : n << BigInt(shift);
  const root = floorRoot(scaled);
  const lost = shift < 0 && scaled << BigInt(-shift) !== n;
  return scale(withRest(root, lost ? 1n : scaled - root * root), -shift / 2 - 1);
}

/** Largest Integer whose square does not exceed `n`, by Newton's method from above. */
function floorRoot(n: bigint): bigint {
  if (n === 0n) return 0n;
  let root = 1n << BigInt((bitLength(n) + 1) >> 1);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** A finite double as a fraction of two Integers; the denominator is a power of two. */
export function fractionOf(n: number): [numerator: bigint, denominator: bigint] {
  const { mantissa, exponent } = binaryParts(n);
  const size = exponent > 0 ? mantissa << BigInt(exponent) : mantissa;
  return [n < 0 ? -size : size, exponent < 0 ? 1n << BigInt(-exponent) : 1n];
}
