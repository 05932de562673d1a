import { compact, normalize, power } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { fixedText } from '../../../vm/values/text/decimal.js';
import { floatText, quote } from '../../../vm/values/text/text.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { Int, Num } from '../declare.js';

/** Doubles of at least this size have no fraction. */
const NO_FRACTION = 2 ** 52;

/** With more decimals than this every double rounds to itself: the smallest one has 324, and no other is nearer. */
const MAX_DECIMALS = 340;

/** Rounds a double to a whole number. */
type Whole = (n: number) => number;

function nearest(n: number, half: Half): number {
  const size = Math.abs(n);
  const below = Math.floor(size);
  const isTie = size - below === 0.5;
  const up = isTie ? half === 'up' || (half === 'even' && below % 2 === 1) : size - below > 0.5;
  return (up ? below + 1 : below) * Math.sign(n);
}

/** Converts a whole double to an Integer. @throws ValueError for nan and infinities */
export function wholeToInteger(n: number): Int {
  if (Number.isSafeInteger(n)) return compact(n);
  if (!Number.isFinite(n)) fail(Errors.ValueError, `cannot convert ${floatText(n)} to Integer`);
  return BigInt(n);
}

/** A number without its fraction, as an Integer. @throws ValueError for nan and infinities */
export function truncate(x: Num): Int {
  return x instanceof Float ? wholeToInteger(Math.trunc(x.n)) : x;
}

/** Where halves go: away from zero, towards zero, or to the even digit. */
type Half = 'up' | 'down' | 'even';

const HALVES: ReadonlySet<string> = new Set<Half>(['up', 'down', 'even']);

/** Characters of a refused text that a message shows. */
const SHOWN = 40;

function halfOf(half: string | null): Half | null {
  return half === null ? null : checkedHalf(half);
}

/** Where halves go, by the argument of a program. @throws ValueError */
export function checkedHalf(half: string): Half {
  if (HALVES.has(half)) return half as Half;
  return fail(Errors.ValueError, `round(): half must be "up", "down" or "even", got ${quote(half.slice(0, SHOWN))}`);
}

/**
 * Rounds to `digits` decimals, by the exact value, ties to even; with no decimals, halves away from zero. `half` says
 * otherwise. Negative `digits` round to tens, hundreds and so on. The result is an Integer unless `x` is a Float and
 * `digits` is positive.
 */
export function round(x: Num, digits: Int, half: string | null = null): Value {
  const ties = halfOf(half);
  if (!(x instanceof Float)) return digits >= 0 ? x : roundInteger(x, digits, ties ?? 'up');
  if (digits > 0) return roundDecimal(x, Number(digits), ties ?? 'even');
  if (digits < 0) return roundInteger(truncate(x), digits, Number.isInteger(x.n) ? (ties ?? 'up') : 'up');
  return wholeToInteger(nearest(x.n, ties ?? 'up'));
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
  if (digits >= 0) return n;
  const { length } = n.toString();
  // What a unit beyond the highest digit makes 0, a greater one does too; that could be too large to compute.
  if (-digits > length && integer(BigInt(n), 10n ** BigInt(length)) === 0n) return 0;
  return normalize(integer(BigInt(n), BigInt(power(10, -digits) as Int)));
}

function roundInteger(x: Int, digits: Int, half: Half): Int {
  // Rounding beyond the highest digit gives 0; the power of ten could be too large to compute.
  if (-digits > x.toString().length) return 0;
  const n = BigInt(x);
  const unit = 10n ** BigInt(-digits);
  const size = n < 0n ? -n : n;
  const [below, rest] = [size / unit, size % unit];
  const isTie = rest * 2n === unit;
  const up = isTie ? half === 'up' || (half === 'even' && (below & 1n) === 1n) : rest * 2n > unit;
  const rounded = (up ? below + 1n : below) * unit;
  return normalize(n < 0n ? -rounded : rounded);
}

/** Applies `decimal` unless the number has no digits after that place. */
function scaled(x: Float, digits: number, decimal: Decimal): Float {
  const scale = 10 ** digits;
  return Math.abs(x.n * scale) < NO_FRACTION ? new Float(decimal(x.n, scale)) : x;
}

/** Rounds by the exact value, as `format` does. */
function roundDecimal(x: Float, digits: number, half: Half): Float {
  const n = Math.abs(x.n);
  if (!(n < NO_FRACTION) || digits > MAX_DECIMALS) return x;
  const size =
    roundedProduct(n, digits) ??
    (half === 'even' ? null : roundedTie(n, digits, half === 'up')) ??
    Number(fixedText(n, digits));
  return new Float(x.n < 0 || Object.is(x.n, -0) ? -size : size);
}

/** The powers of ten that doubles hold exactly. */
const POWERS = Array.from({ length: 23 }, (_, digits) => Number(`1e${digits}`));
/** The greatest relative error of a product of doubles, and of what is compared with it here. */
const PRODUCT_ERROR = 2 ** -51;

/**
 * `n` rounded by its product with a power of ten; null if the product's error may hide on which side of a half it is. The
 * quotient of two exact doubles is the double nearest to the decimal number.
 */
function roundedProduct(n: number, digits: number): number | null {
  if (digits >= POWERS.length) return null;
  const scale = POWERS[digits];
  const product = n * scale;
  const below = Math.floor(product);
  const rest = product - below;
  if (!(product < NO_FRACTION) || Math.abs(rest - 0.5) <= product * PRODUCT_ERROR) return null;
  return (rest > 0.5 ? below + 1 : below) / scale;
}

/** `n` rounded, if it is exactly halfway between two numbers with `digits` decimals; else null. */
function roundedTie(n: number, digits: number, up: boolean): number | null {
  // In a tie the next digit is a final 5: the fraction has at most digits + 1 binary digits.
  if (!Number.isInteger(n * 2 ** (digits + 1))) return null;
  const text = fixedText(n, digits + 1);
  if (!text.endsWith('5')) return null;
  const below = BigInt(text.replace('.', '').slice(0, -1));
  return Number(`${up ? below + 1n : below}e-${digits}`);
}

function floorDecimal(n: number, scale: number): number {
  const whole = Math.floor(n * scale);
  return (whole + 1) / scale <= n ? (whole + 1) / scale : whole / scale;
}
