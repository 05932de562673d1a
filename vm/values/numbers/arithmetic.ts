import { charge, chargeProduct, chargeSum, LARGEST_CLASS, sizeClass } from '../cost.js';
import { Errors, ErrorValue, fail, failForNil, nilOperand } from '../error.js';
import { checkElementsRoom, checkRoom, checkTextRoom } from '../heaproom.js';
import { formatText } from '../text/format.js';
import { Handle } from '../handle.js';
import { mixedHint, Numeric, type Sign } from './numeric.js';
import { bitLength, fractionOf, nearestQuotient } from './quotient.js';
import { typeName } from '../types.js';
import { Float, isInteger, isNumber, type Value } from '../value.js';
import {
  failTextTooLong,
  failTooManyElements,
  LONG_TEXT_THRESHOLD,
  MAX_ELEMENTS,
  MAX_NESTED_ELEMENTS,
  MAX_STRING,
} from '../limits.js';

const MAX = Number.MAX_SAFE_INTEGER;
const BIG_MAX = BigInt(MAX);
const BIG_MIN = -BIG_MAX;
/** Maximum bits of an Integer; keeps one operation short enough not to hold up other fibers. */
export const MAX_BITS = 1 << 20;
/** From this number of bits, the reciprocal of an Integer rounds to 0. */
const SMALLEST_BITS = 1076;
/** Maximum length of an array that V8 allocates at once without turning it into a dictionary. */
const AT_ONCE = 1 << 25;
/** Maximum nesting of vectors in one operation. */
const MAX_NESTING = 200;

export type Operation = (a: Value, b: Value) => Value;

/** Converts a bigint to an Integer: a number if it is safe. @throws MemoryError */
export function normalize(b: bigint): number | bigint {
  if (b <= BIG_MAX && b >= BIG_MIN) return Number(b);
  if ((b > LARGE || b < NEGATIVE_LARGE) && ++made % MADE === 0)
    checkRoom(MADE * (MAX_BITS >> 3), 'the Integer would not fit');
  return b;
}

/**
 * Integers beyond ±LARGE are big enough that one slice could fill the heap with them: the heap is checked after every
 * MADE.
 */
const LARGE = 1n << 65_536n;
const NEGATIVE_LARGE = -LARGE;
const MADE = 64;
let made = 0;

/**
 * The same number in the form that V8 gives small Integers, without the sign of a zero. The result of an operation on doubles
 * is an object of its own even if it is small, and a vector that gets such an object has elements of another kind.
 */
export function compact(n: number): number {
  const i = n | 0;
  return i === n ? i : n;
}

/** The double nearest to a number. */
export function toDouble(value: number | bigint | Float): number {
  return value instanceof Float ? value.n : Number(value) + 0;
}

/** The result of an operator with an operand that a library implements; null if there is none. */
function numeric(sign: Sign, a: Value, b: Value): Value | null {
  if (a instanceof Numeric) return a.operate(sign, b, false);
  return b instanceof Numeric ? b.operate(sign, a, true) : null;
}

function mismatch(verb: string, join: string, a: Value, b: Value, hint = mixedHint(a, b)): never {
  const swapped = verb === 'subtract';
  // Elements of vectors are no expressions of the program.
  const nil = nesting > 0 ? null : swapped ? nilOperand(b, a) : nilOperand(a, b);
  return failForNil(Errors.TypeError, `cannot ${verb} ${typeName(a)} ${join} ${typeName(b)}${hint}`, nil);
}

function isScalar(value: Value): boolean {
  return isNumber(value) || value instanceof Numeric;
}

function elementwise(a: Value, b: Value, operation: Operation): Value[] | null {
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) fail(Errors.ValueError, `vectors have different lengths: ${a.length} and ${b.length}`);
    return mapNested(a, (i) => operation(a[i], b[i]));
  }
  if (Array.isArray(a) && isScalar(b)) return mapNested(a, (i) => operation(a[i], b));
  if (Array.isArray(b) && isScalar(a)) return mapNested(b, (i) => operation(a, b[i]));
  return null;
}

/**
 * Elements between two heap checks, as a power of two, and the maximum bytes of one element with a vector around it.
 */
const CHECKED = 18;
const BYTES = 64;

/** Nesting depth of the running operation, and elements visited by it. */
let nesting = 0;
let visited = 0;

/**
 * `map` for vectors that may hold vectors: also themselves, or one another so often that the result would be endless.
 */
function mapNested(list: Value[], operation: (i: number) => Value): Value[] {
  charge(list.length + 1);
  if (nesting === 0) checkElementsRoom(list.length);
  const before = nesting === 0 ? 0 : visited;
  visited = before + list.length + 1;
  // Nested vectors: the check at the end of the slice would come only after the whole operation.
  if (visited >> CHECKED !== before >> CHECKED) checkRoom(BYTES << CHECKED, 'the vector would not fit');
  if (visited > (nesting === 0 ? MAX_ELEMENTS : MAX_NESTED_ELEMENTS))
    failTooManyElements(nesting === 0 ? MAX_ELEMENTS : MAX_NESTED_ELEMENTS);
  if (nesting >= MAX_NESTING)
    fail(Errors.ValueError, `cannot compute with vectors nested deeper than ${MAX_NESTING} levels`);
  nesting++;
  try {
    const out: Value[] = new Array<Value>(list.length < AT_ONCE ? list.length : 0);
    for (let i = 0; i < list.length; i++) out[i] = operation(i);
    return out;
  } finally {
    nesting--;
  }
}

export function add(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const t = a + b;
    if (t <= MAX && t >= -MAX) return compact(t);
  } else if (typeof a === 'string' && typeof b === 'string') return concat(a, b);
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float) return new Float(toDouble(a) + toDouble(b));
    chargeSum(a, b);
    return normalize(BigInt(a) + BigInt(b));
  }
  if ((a instanceof ErrorValue || typeof a === 'string') && (b instanceof ErrorValue || typeof b === 'string'))
    return concat(textOf(a), textOf(b));
  const hint = additionHint(a, b);
  return (
    numeric('+', a, b) ??
    elementwise(a, b, add) ??
    (a instanceof Handle ? a.plus(b) : b instanceof Handle ? b.addedTo(a) : null) ??
    mismatch('add', 'and', a, b, hint)
  );
}

function additionHint(a: Value, b: Value): string {
  if (typeof a !== 'string' && typeof b !== 'string') return mixedHint(a, b);
  return typeName(a) === 'Bytes' || typeName(b) === 'Bytes'
    ? ' (convert one of them: Bytes(text), or bytes.to_s)'
    : ' (use "#{…}" to build text)';
}

/** The text of a string, or the message of an error. */
function textOf(value: ErrorValue | string): string {
  return typeof value === 'string' ? value : value.message;
}

/** Joins two strings. @throws MemoryError if the result would be too long */
export function concat(a: string, b: string): string {
  const length = a.length + b.length;
  if (length > MAX_STRING) failTextTooLong();
  if (length >> 20 !== a.length >> 20) checkTextRoom(length, a.length);
  // V8 copies the parts when the text is first read.
  if (a.length + b.length > LONG_TEXT_THRESHOLD) charge((a.length + b.length) >>> 5);
  return a + b;
}

export function subtract(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const t = a - b;
    if (t <= MAX && t >= -MAX) return compact(t);
  }
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float) return new Float(toDouble(a) - toDouble(b));
    chargeSum(a, b);
    return normalize(BigInt(a) - BigInt(b));
  }
  return (
    numeric('-', a, b) ??
    elementwise(a, b, subtract) ??
    (a instanceof Handle ? a.minus(b) : null) ??
    mismatch('subtract', 'from', b, a)
  );
}

export function multiply(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const t = a * b;
    if (t <= MAX && t >= -MAX) return compact(t);
  }
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float) return new Float(toDouble(a) * toDouble(b));
    chargeProduct(a, b);
    checkProduct(a, b);
    return normalize(BigInt(a) * BigInt(b));
  }
  if (isInteger(b) && (typeof a === 'string' || Array.isArray(a))) return repeat(a, b);
  return (
    numeric('*', a, b) ??
    elementwise(a, b, multiply) ??
    (a instanceof Handle ? a.times(b) : b instanceof Handle ? b.times(a) : null) ??
    mismatch('multiply', 'and', a, b)
  );
}

/** @throws OverflowError if a product would have too many bits. Two Integers below the largest class cannot have one. */
export function checkProduct(a: number | bigint, b: number | bigint): void {
  if (Math.max(sizeClass(a), sizeClass(b)) === LARGEST_CLASS) checkBits(bits(a) + bits(b), () => 0n);
}

/** Upper bound of the bit length of an Integer. */
function bits(value: number | bigint): number {
  return typeof value === 'number' ? 54 : value.toString(16).length * 4;
}

function checkBits(count: number, operation: () => bigint): bigint {
  return count > MAX_BITS ? failTooManyBits() : operation();
}

/** @throws OverflowError */
export function failTooManyBits(): never {
  return fail(Errors.OverflowError, `Integer would have more than ${MAX_BITS} bits`);
}

function repeat(value: string | Value[], times: number | bigint): Value {
  const n = Number(times);
  if (n < 0) fail(Errors.ValueError, `cannot repeat ${typeName(value)} ${n} times`);
  // `n` may be any number then, also an infinite one.
  if (value.length === 0) return typeof value === 'string' ? '' : [];
  if (typeof value === 'string') {
    if (value.length * n > MAX_STRING) failTextTooLong();
    charge((value.length * n) >>> 5);
    checkTextRoom(value.length * n);
    return value.repeat(n);
  }
  const total = value.length * n;
  if (total > MAX_ELEMENTS) failTooManyElements();
  // V8 fills an array with one repeated element about sixteen times as fast as with several.
  charge(value.length === 1 ? total >>> 5 : total >>> 1);
  checkElementsRoom(total);
  const out: Value[] = new Array<Value>(total < AT_ONCE ? total : 0);
  if (value.length === 1 && total < AT_ONCE) return out.fill(value[0]);
  let at = 0;
  for (let i = 0; i < n; i++) for (const x of value) out[at++] = x;
  return out;
}

function zeroDivision(): never {
  return fail(Errors.ZeroDivisionError, 'division by zero');
}

export function divide(a: Value, b: Value): Value {
  if (isNumber(a) && isNumber(b)) {
    const divisor = toDouble(b);
    if (divisor === 0) zeroDivision();
    if (typeof a !== 'bigint' && typeof b !== 'bigint') return new Float(toDouble(a) / divisor);
    if (!(a instanceof Float || b instanceof Float)) chargeSum(a, b);
    return bigQuotient(a, b);
  }
  return (
    numeric('/', a, b) ??
    elementwise(a, b, divide) ??
    (a instanceof Handle ? a.dividedBy(b) : null) ??
    mismatch('divide', 'by', a, b)
  );
}

/**
 * A quotient with at least one bigint operand. Divides exactly and rounds once if both are Integers or if one is beyond
 * the range of Floats.
 */
function bigQuotient(a: number | bigint | Float, b: number | bigint | Float): Float {
  const [x, y] = [toDouble(a), toDouble(b)];
  // An Integer is finite, though its double may be infinite.
  if ((a instanceof Float && !Number.isFinite(a.n)) || (b instanceof Float && !Number.isFinite(b.n)))
    return new Float(a instanceof Float ? x / Math.sign(y) : Math.sign(x) / y);
  if ((a instanceof Float || b instanceof Float) && Number.isFinite(x) && Number.isFinite(y)) return new Float(x / y);
  const [n, d] = [toFraction(a), toFraction(b)];
  return new Float(nearestQuotient(n[0] * d[1], n[1] * d[0]));
}

function toFraction(value: number | bigint | Float): [numerator: bigint, denominator: bigint] {
  return value instanceof Float ? fractionOf(value.n) : [BigInt(value), 1n];
}

export function floorDivide(a: Value, b: Value): Value {
  if (isNumber(a) && isNumber(b)) {
    if (b == 0 || (b instanceof Float && b.n === 0)) zeroDivision();
    if (a instanceof Float || b instanceof Float) return new Float(floatFloor(a, b));
    if (typeof a === 'number' && typeof b === 'number') return floorQuotient(a, b);
    chargeProduct(a, b);
    const [x, y] = [BigInt(a), BigInt(b)];
    const q = x / y;
    return normalize(q * y !== x && x < 0n !== y < 0n ? q - 1n : q);
  }
  return numeric('//', a, b) ?? elementwise(a, b, floorDivide) ?? mismatch('divide', 'by', a, b);
}

/** `a // b` with a Float operand. For an Integer beyond the range of Floats, uses its exact value. */
function floatFloor(a: number | bigint | Float, b: number | bigint | Float): number {
  const [x, y] = [toDouble(a), toDouble(b)];
  if (!Number.isFinite(x) && typeof a !== 'bigint') return (divide(a, b) as Float).n;
  if (typeof a !== 'bigint' || Number.isFinite(x)) return floorOfQuotient(x, y);
  if (!Number.isFinite(y)) return Number.isNaN(y) ? y : x < 0 !== y < 0 ? -1 : 0;
  const [numerator, denominator] = fractionOf(y);
  const dividend = a * denominator;
  const quotient = dividend / numerator;
  const isBelow = x < 0 !== y < 0 && quotient * numerator !== dividend;
  return Number(isBelow ? quotient - 1n : quotient);
}

/** `Math.floor(x / y)` for a finite `x`, but without rounding the quotient up to a whole number first. */
function floorOfQuotient(x: number, y: number): number {
  const quotient = x / y;
  const below = Math.floor(quotient);
  // Rounding does not cross a whole number, so a quotient with a fraction is on the right side. NaN is not equal either.
  if (below !== quotient) return below;
  const rest = x % y;
  const whole = Math.round((x - rest) / y);
  return (rest !== 0 && rest < 0 !== y < 0 ? whole - 1 : whole) || quotient * 0;
}

/** `a // b` for safe integers. `a % b` has the sign of `a`, so the difference is exact. */
function floorQuotient(a: number, b: number): number {
  const rest = a % b;
  const q = (a - rest) / b;
  return compact(rest !== 0 && rest < 0 !== b < 0 ? q - 1 : q);
}

/** `a % b` for JavaScript numbers; the result has the sign of the divisor. */
function floorMod(a: number, b: number): number {
  const t = a % b;
  return t !== 0 && t < 0 !== b < 0 ? t + b : t + 0;
}

/** `a % b` with a Float operand. For an Integer beyond the range of Floats, uses its exact value. */
function floatMod(a: number | bigint | Float, b: number | bigint | Float): number {
  const [x, y] = [toDouble(a), toDouble(b)];
  if (typeof a !== 'bigint' || Number.isFinite(x)) return floorMod(x, y);
  if (!Number.isFinite(y)) return x < 0 !== y < 0 ? y : x + (y - y);
  const [numerator, denominator] = fractionOf(y);
  const rest = (a * denominator) % numerator;
  return nearestQuotient(rest !== 0n && rest < 0n !== numerator < 0n ? rest + numerator : rest, denominator);
}

export function modulo(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return b === 0 ? zeroDivision() : compact(floorMod(a, b));
  if (isNumber(a) && isNumber(b)) {
    if (toDouble(b) === 0) zeroDivision();
    if (a instanceof Float || b instanceof Float) return new Float(floatMod(a, b));
    chargeProduct(a, b);
    const [x, y] = [BigInt(a), BigInt(b)];
    const t = x % y;
    return normalize(t !== 0n && t < 0n !== y < 0n ? t + y : t);
  }
  if (typeof a === 'string') return formatText(a, Array.isArray(b) ? b : [b]);
  return numeric('%', a, b) ?? elementwise(a, b, modulo) ?? mismatch('divide', 'by', a, b);
}

/**
 * `(a * b + addend) % modulus` for small Integers, of which the last two are not negative and the modulus not zero; without
 * large Integers if operands and constants have at most 31 bits after division.
 */
export function productModulo(a: number, b: number, addend: number, modulus: number): number {
  return compact(remainderOfProduct(a, b, addend, modulus));
}

function remainderOfProduct(a: number, b: number, addend: number, modulus: number): number {
  const t = a * b + addend;
  if (t <= MAX && t >= -MAX) return t >= 0 && t < TWO_52 ? remainder(t, modulus) : floorMod(t, modulus);
  if (a >= 0 && b >= 0 && modulus <= TWO_31 && addend <= TWO_31) {
    const [x, y] = [a < modulus ? a : a % modulus, b < modulus ? b : b % modulus];
    // The halves of x are below 2 ** 16, y is below 2 ** 31: no sum exceeds 2 ** 49.
    const upper = Math.floor(x / TWO_16);
    return remainder(remainder(upper * y, modulus) * TWO_16 + (x - upper * TWO_16) * y + addend, modulus);
  }
  const rest = Number((BigInt(a) * BigInt(b) + BigInt(addend)) % BigInt(modulus));
  return rest < 0 ? rest + modulus : rest;
}

const TWO_16 = 2 ** 16;
const TWO_31 = 2 ** 31;
const TWO_52 = 2 ** 52;

/**
 * `a % modulus` for 0 <= a < 2 ** 52 and 0 < modulus <= a safe Integer, in a quarter of the time that `%` takes for numbers
 * beyond 32 bits: the rounded quotient is at most 1 wrong.
 */
function remainder(a: number, modulus: number): number {
  const rest = a - Math.floor(a / modulus) * modulus;
  return rest < 0 ? rest + modulus : rest;
}

export function power(a: Value, b: Value): Value {
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float) return floatPower(toDouble(a), toDouble(b));
    if (b < 0) return inversePower(a, b);
    if (typeof a === 'number' && typeof b === 'number') {
      const t = a ** b;
      if (t <= MAX && t >= -MAX) return compact(t);
    }
    return integerPower(BigInt(a), BigInt(b));
  }
  return numeric('**', a, b) ?? elementwise(a, b, power) ?? mismatch('raise', 'to the power of', a, b);
}

/** Powers of 0, 1 and −1 have no limit; others may have up to MAX_BITS bits. */
function integerPower(base: bigint, exponent: bigint): number | bigint {
  if (base === 0n || base === 1n) return Number(base);
  if (base === -1n) return exponent % 2n === 0n ? 1 : -1;
  // The power has more than (bits − 1) · exponent bits; only near the limit is its own length needed.
  const least = (bitLength(base) - 1) * Number(exponent);
  if (least > MAX_BITS) checkBits(least, () => 0n);
  charge(least < 8192 ? 20 : least < 131_072 ? 40_000 : Infinity);
  const power = base ** exponent;
  return normalize(checkBits(bitLength(power), () => power));
}

/** `base ** exponent` for a negative exponent: one divided by the power of Integers, rounded once. */
function inversePower(base: number | bigint, exponent: number | bigint): Float {
  if (base == 0) zeroDivision();
  const [n, times] = [BigInt(base), -Number(exponent)];
  const negative = n < 0n && BigInt(exponent) % 2n !== 0n;
  // Anything below half of the smallest Float rounds to 0, without computing the power.
  if ((bitLength(n) - 1) * times > SMALLEST_BITS) return new Float(negative ? -0 : 0);
  return new Float(nearestQuotient(1n, n ** -BigInt(exponent)));
}

function floatPower(base: number, exponent: number): Float {
  if (base === 0 && exponent < 0) zeroDivision();
  return new Float(base ** exponent);
}

export function negate(a: Value): Value {
  if (typeof a === 'number') return 0 - a;
  if (typeof a === 'bigint') {
    chargeSum(a, 0);
    return normalize(-a);
  }
  if (a instanceof Float) return new Float(-a.n);
  if (Array.isArray(a)) return mapNested(a, (i) => negate(a[i]));
  const opposite = a instanceof Handle ? a.negated() : null;
  if (opposite !== null) return opposite;
  return failForNil(Errors.TypeError, `cannot negate ${typeName(a)}`, a === null && nesting === 0 ? 'right' : null);
}
