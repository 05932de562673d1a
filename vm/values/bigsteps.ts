/** Arithmetic of very large Integers in steps of about a millisecond. V8 does each operation in one piece, which takes up to half a second. */
import { sizeClass } from './cost.js';
import { bitLength } from './quotient.js';

type BigSteps = Generator<void, bigint, void>;

/** The size class from which an operation is split. */
const SPLIT = 3;

/** `a * b`. */
export function* product(a: bigint, b: bigint): BigSteps {
  const result = yield* positiveProduct(a < 0n ? -a : a, b < 0n ? -b : b);
  return a < 0n === b < 0n ? result : -result;
}

/** By Karatsuba's method: three products of half the length. */
function* positiveProduct(a: bigint, b: bigint): BigSteps {
  yield;
  if (sizeClass(a) < SPLIT && sizeClass(b) < SPLIT) return a * b;
  const half = Math.ceil(Math.max(bitLength(a), bitLength(b)) / 2);
  const shift = BigInt(half);
  const [a1, a0] = [a >> shift, BigInt.asUintN(half, a)];
  const [b1, b0] = [b >> shift, BigInt.asUintN(half, b)];
  const low = a0 === 0n || b0 === 0n ? 0n : yield* positiveProduct(a0, b0);
  if (a1 === 0n) return ((yield* positiveProduct(a, b1)) << shift) + low;
  if (b1 === 0n) return ((yield* positiveProduct(a1, b)) << shift) + low;
  const high = yield* positiveProduct(a1, b1);
  const middle = (yield* positiveProduct(a0 + a1, b0 + b1)) - low - high;
  return (high << (shift * 2n)) + (middle << shift) + low;
}

/** Products of digits of 64 bits in one step of a division. */
const STEP_BITS = 2 ** 32;

/** Quotient and rest of two Integers, the quotient rounded towards zero, as V8 gives them: long division with as many bits a digit as a step can do. */
export function* division(a: bigint, b: bigint): Generator<void, { quotient: bigint; rest: bigint }, void> {
  const [n, d] = [a < 0n ? -a : a, b < 0n ? -b : b];
  const digit = Math.max(64, Math.floor(STEP_BITS / bitLength(d)));
  let rest = 0n;
  // Digits of the quotient, the highest one first, as hexadecimal text: adding them up would take quadratic time.
  const bits = Math.ceil(digit / 4) * 4;
  const parts: string[] = [];
  for (let at = Math.ceil(bitLength(n) / bits) - 1; at >= 0; at--) {
    yield;
    const next = (rest << BigInt(bits)) | BigInt.asUintN(bits, n >> BigInt(at * bits));
    const q = next / d;
    rest = next - q * d;
    parts.push(q.toString(16).padStart(bits / 4, '0'));
  }
  const quotient = parts.length === 0 ? 0n : BigInt(`0x${parts.join('')}`);
  return { quotient: a < 0n === b < 0n ? quotient : -quotient, rest: a < 0n ? -rest : rest };
}

/** `base ** exponent` by squaring. */
export function* power(base: bigint, exponent: bigint): BigSteps {
  let result = 1n;
  let square = base;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = yield* product(result, square);
    if (left > 1n) square = yield* product(square, square);
  }
  return result;
}

/** Decimal digits that V8 finds in one step. */
const DIGITS_AT_ONCE = 16_384;

/** Decimal digits: the two halves of the number one after the other. */
export function* digits(n: bigint): Generator<void, string, void> {
  if (n < 0n) return `-${yield* digits(-n)}`;
  const powers: bigint[] = [];
  for (let p = 10n ** BigInt(DIGITS_AT_ONCE); p <= n; p = yield* product(p, p)) powers.push(p);
  return (yield* halves(n, powers, powers.length - 1)).replace(/^0+(?=\d)/, '');
}

/** All digits of a number below the square of `powers[level]`, with zeros in front. */
function* halves(n: bigint, powers: readonly bigint[], level: number): Generator<void, string, void> {
  yield;
  if (level < 0) return n.toString().padStart(DIGITS_AT_ONCE, '0');
  const { quotient, rest } = yield* division(n, powers[level]);
  return (yield* halves(quotient, powers, level - 1)) + (yield* halves(rest, powers, level - 1));
}
