/**
 * Arithmetic of very large Integers in steps of about a millisecond. V8 does each operation at once, which takes up to
 * half a second.
 */
import { sizeClass } from '../cost.js';
import { bitLength } from './quotient.js';
import { isLargeInteger } from '../weight.js';

type BigSteps = Generator<void, bigint, void>;

/** The smallest size class of operands that are split. */
const SPLIT = 3;

/** `a * b`. */
export function* product(a: bigint, b: bigint): BigSteps {
  const result = yield* positiveProduct(a < 0n ? -a : a, b < 0n ? -b : b);
  return a < 0n === b < 0n ? result : -result;
}

/** Karatsuba's method: three products of half the length. */
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

/** Bit products (bits of the digit × bits of the divisor) in one step of a division. */
const STEP_BITS = 2 ** 32;

/**
 * Quotient and remainder of two Integers, the quotient rounded towards zero as in V8. Long division; each digit has as
 * many bits as one step can process.
 */
export function* division(a: bigint, b: bigint): Generator<void, { quotient: bigint; rest: bigint }, void> {
  const [n, d] = [a < 0n ? -a : a, b < 0n ? -b : b];
  const digit = Math.max(64, Math.min(bitLength(n), Math.floor(STEP_BITS / bitLength(d))));
  let rest = 0n;
  // Digits of the quotient, highest first, as hexadecimal text: adding them up would take quadratic time.
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

/** Bits converted in one step. */
export const CONVERTED_BITS = 1 << 16;

/** Powers of a base, each the square of the previous one, and the number of digits each stands for. */
interface Powers {
  powers: bigint[];
  digits: number[];
}

/** Computes powers of `base`, squaring until `limit` returns true for the last one. */
export function* powersOf(
  base: number,
  limit: (power: bigint, digits: number) => boolean,
): Generator<void, Powers, void> {
  const first = Math.floor(CONVERTED_BITS / Math.log2(base));
  const powers = [BigInt(base) ** BigInt(first)];
  const digits = [first];
  while (!limit(powers[powers.length - 1], digits[digits.length - 1])) {
    yield;
    const last = powers[powers.length - 1];
    powers.push(last * last);
    digits.push(digits[digits.length - 1] * 2);
  }
  return { powers, digits };
}

/** Text of an Integer in base 2 to 36, in steps: divides by powers of the base until the parts are short. */
export function* integerDigits(n: number | bigint, base = 10): Generator<void, string, void> {
  if (!isLargeInteger(n) || (base & (base - 1)) === 0) return n.toString(base);
  const size = n < 0n ? -n : n;
  // Stop when the square of the power exceeds the number: one division then makes halves.
  const { powers, digits } = yield* powersOf(
    base,
    (power) => power.toString(16).length * 2 > size.toString(16).length + 1,
  );
  let text = '';
  function* write(part: bigint, level: number): Generator<void, void, void> {
    if (level < 0) {
      const written = part.toString(base);
      text += text === '' ? (part === 0n ? '' : written) : written.padStart(digits[0], '0');
      yield;
      return;
    }
    const { quotient: high, rest: low } = yield* division(part, powers[level]);
    if (text !== '' || high > 0n) yield* write(high, level - 1);
    yield* write(low, level - 1);
  }
  yield* write(size, powers.length - 1);
  return n < 0n ? `-${text}` : text;
}
