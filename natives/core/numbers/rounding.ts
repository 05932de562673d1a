import { normalize, power } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { fixedText } from '../../../vm/values/text/decimal.js';
import { floatText } from '../../../vm/values/text/text.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { Int, Num } from '../declare.js';

/** Doubles of at least this size have no fraction. */
const NO_FRACTION = 2 ** 52;

/** With more decimals than this every double rounds to itself: the smallest one has 324, and no other is nearer. */
const MAX_DECIMALS = 340;

/** Rounds a double to a whole number. */
type Whole = (n: number) => number;

/** Rounds half away from zero, as Ruby does. */
const nearest: Whole = (n) => (n < 0 ? -Math.round(-n) : Math.round(n));

/** Converts a whole double to an Integer. @throws ValueError for nan and infinities */
export function wholeToInteger(n: number): Int {
  if (Number.isSafeInteger(n)) return n + 0;
  if (!Number.isFinite(n)) fail(Errors.ValueError, `cannot convert ${floatText(n)} to Integer`);
  return BigInt(n);
}

/** A number without its fraction, as an Integer. @throws ValueError for nan and infinities */
export function truncate(x: Num): Int {
  return x instanceof Float ? wholeToInteger(Math.trunc(x.n)) : x;
}

/**
 * Rounds to `digits` decimals, by the exact value, ties to even; with no decimals, halves away from zero. Negative
 * `digits` round to tens, hundreds and so on. The result is an Integer unless `x` is a Float and `digits` is positive.
 */
export function round(x: Num, digits: Int): Value {
  if (!(x instanceof Float)) return digits >= 0 ? x : roundInteger(x, digits);
  if (digits > 0) return roundDecimal(x, Number(digits));
  const whole = wholeToInteger(nearest(x.n));
  return digits < 0 ? roundInteger(truncate(x), digits) : whole;
}

/** Largest number not above `x` with `digits` decimals. */
export function floor(x: Num, digits: Int): Value {
  return toward(x, digits, Math.floor, (n, unit) => n - (((n % unit) + unit) % unit), floorDecimal);
}

/** Smallest number not below `x` with `digits` decimals. */
export function ceil(x: Num, digits: Int): Value {
  return toward(
    x,
    digits,
    Math.ceil,
    (n, unit) => n + (((-n % unit) + unit) % unit),
    (n, scale) => -floorDecimal(-n, scale),
  );
}

type Decimal = (n: number, scale: number) => number;

function toward(
  x: Num,
  digits: Int,
  whole: Whole,
  integer: (n: bigint, unit: bigint) => bigint,
  decimal: Decimal,
): Value {
  if (x instanceof Float && digits > 0) return scaled(x, Number(digits), decimal);
  const n = x instanceof Float ? wholeToInteger(whole(x.n)) : x;
  return digits >= 0 ? n : normalize(integer(BigInt(n), BigInt(power(10, -digits) as Int)));
}

function roundInteger(x: Int, digits: Int): Int {
  // Rounding beyond the highest digit gives 0; the power of ten could be too large to compute.
  if (-digits > x.toString().length) return 0;
  const n = BigInt(x);
  const unit = 10n ** BigInt(-digits);
  const size = n < 0n ? -n : n;
  const rounded = size + unit / 2n - ((size + unit / 2n) % unit);
  return normalize(n < 0n ? -rounded : rounded);
}

/** Applies `decimal` unless the number has no digits after that place. */
function scaled(x: Float, digits: number, decimal: Decimal): Float {
  const scale = 10 ** digits;
  return Math.abs(x.n * scale) < NO_FRACTION ? new Float(decimal(x.n, scale)) : x;
}

/** Rounds as `format` does: by the exact value, ties to the even digit. */
function roundDecimal(x: Float, digits: number): Float {
  if (!(Math.abs(x.n) < NO_FRACTION) || digits > MAX_DECIMALS) return x;
  const size = Number(fixedText(Math.abs(x.n), digits));
  return new Float(x.n < 0 || Object.is(x.n, -0) ? -size : size);
}

function floorDecimal(n: number, scale: number): number {
  const whole = Math.floor(n * scale);
  return (whole + 1) / scale <= n ? (whole + 1) / scale : whole / scale;
}
