import { add, divide, floorDivide, modulo, normalize, power, subtract } from '../../../vm/values/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { methodsOf, type Int } from '../declare.js';
import { numberRows } from './methods.js';
import { gcd, lcm } from './theory.js';

/** Text of an Integer in a base. @throws ValueError */
function inBase(n: Int, base: Int): string {
  if (base < 2 || base > 36) fail(Errors.ValueError, `base must be from 2 to 36, got ${base}`);
  return n.toString(Number(base));
}

/** Digits, the last one first. */
function digits(n: Int, base: Int): Value[] {
  if (n < 0) fail(Errors.ValueError, `digits() needs a number from 0 on, got ${n}`);
  return Array.from(inBase(n, base), (digit) => parseInt(digit, 36)).reverse();
}

/** The character with a code point. @throws ValueError */
function character(n: Int): string {
  if (n < 0 || n > 0x10ffff || (n >= 0xd800 && n <= 0xdfff)) fail(Errors.ValueError, `${n} is not the number of a character`);
  return String.fromCodePoint(Number(n));
}

/** Bit operations that a modular power may take: some 400 ms. */
const MAX_WORK = 2 ** 39;

/** `base ** exponent % modulus` without the large number in between. */
function modularPower(base: Int, exponent: Int, modulus: Int): Value {
  if (exponent < 0) fail(Errors.ValueError, `pow() with a modulus needs an exponent from 0 on, got ${exponent}`);
  const m = BigInt(modulus);
  if (m === 0n) fail(Errors.ZeroDivisionError, 'division by zero');
  if (bitLength(exponent) * bitLength(modulus) ** 2 > MAX_WORK) fail(Errors.OverflowError, 'pow(): exponent and modulus are too large');
  let result = 1n;
  let square = BigInt(base) % m;
  for (let rest = BigInt(exponent); rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % m;
    square = (square * square) % m;
  }
  return modulo(normalize(result), modulus);
}

function bitLength(n: Int): number {
  const size = n < 0 ? -BigInt(n) - 1n : BigInt(n);
  return size === 0n ? 0 : size.toString(2).length;
}

function isEven(n: Int): boolean {
  return typeof n === 'number' ? n % 2 === 0 : (n & 1n) === 0n;
}

export const integerMethods = methodsOf('Integer', [
  ...numberRows,
  ['to_i to_int', '', 'Integer', 'The number itself.', (_: unknown, n: Int) => n],
  ['to_s', 'base: Integer = 10', 'String', 'Text of the number, in a base from 2 to 36.', (_: unknown, n: Int, base: Int) => (base === 10 ? String(n) : inBase(n, base))],
  ['even?', '', 'Boolean', 'Whether 2 divides the number.', (_: unknown, n: Int) => isEven(n)],
  ['odd?', '', 'Boolean', 'Whether 2 does not divide the number.', (_: unknown, n: Int) => !isEven(n)],
  ['digits', 'base: Integer = 10', 'Vector', 'Digits of the number in a base up to 36, the last one first.', (_: unknown, n: Int, base: Int) => digits(n, base)],
  ['chr', '', 'String', 'The character with this code point.', (_: unknown, n: Int) => character(n)],
  ['ord', '', 'Integer', 'The number itself.', (_: unknown, n: Int) => n],
  ['succ next', '', 'Integer', 'The number plus 1.', (_: unknown, n: Int) => add(n, 1)],
  ['pred', '', 'Integer', 'The number minus 1.', (_: unknown, n: Int) => subtract(n, 1)],
  ['pow', 'exponent: Number, modulus: Integer? = nil', 'Number', 'The number to a power, modulo `modulus` when given.', (_: unknown, n: Int, exponent: Value, modulus: Int | null) => (modulus === null ? power(n, exponent) : modularPower(n, wholeExponent(exponent), modulus))],
  ['bit_length', '', 'Integer', 'Number of bits without the sign.', (_: unknown, n: Int) => bitLength(n)],
  ['gcd', 'other: Integer', 'Integer', 'Greatest common divisor.', (_: unknown, n: Int, other: Int) => gcd(n, other)],
  ['lcm', 'other: Integer', 'Integer', 'Least common multiple.', (_: unknown, n: Int, other: Int) => lcm(n, other)],
  ['divmod', 'divisor: Number', 'Vector', 'Quotient rounded down, and remainder.', (_: unknown, n: Int, divisor: Value) => [floorDivide(n, divisor), modulo(n, divisor)]],
  ['fdiv', 'divisor: Number', 'Float', 'Quotient as a Float.', (_: unknown, n: Int, divisor: Value) => divide(n, divisor)],
  ['nan?', '', 'Boolean', 'False: an Integer is always a number.', () => false],
]);

function wholeExponent(exponent: Value): Int {
  return exponent instanceof Float ? fail(Errors.TypeError, 'Integer.pow(): exponent must be Integer when there is a modulus, got Float') : (exponent as Int);
}
