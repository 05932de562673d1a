import { neverSuspends } from '../../../vm/calls/native.js';
import type { Steps } from '../../../vm/values/steps.js';
import { add, modulo, normalize, power, subtract } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { methodGroup, methodsOfType, type Int } from '../declare.js';
import { tabulateSteps } from '../steps.js';
import { and, invert, shiftRight, xor } from '../../../vm/values/numbers/bits.js';
import { integerDigits } from '../../../vm/values/numbers/bigsteps.js';
import { shownInteger } from './digits.js';
import { numberRows } from './methods.js';
import { rootSteps } from './root.js';
import { gcd, lcm } from './theory.js';

/** Text of an Integer in a base. @throws ValueError */
function inBase(vm: NativeContext, n: Int, base: Int): Value | undefined {
  checkBase(base);
  return typeof n === 'number' ? n.toString(Number(base)) : vm.inPieces('to_s', integerDigits(n, Number(base)));
}

function checkBase(base: Int): void {
  if (base < 2 || base > 36) fail(Errors.ValueError, `base must be from 2 to 36, got ${shownInteger(base)}`);
}

/** Digits, the last one first. */
function digits(vm: NativeContext, n: Int, base: Int): Value | undefined {
  if (n < 0) fail(Errors.ValueError, `digits() needs a number of 0 or more, got ${shownInteger(n)}`);
  checkBase(base);
  return typeof n === 'number' ? fewDigits(n, Number(base)) : vm.inPieces('digits', digitSteps(n, Number(base)));
}

function fewDigits(n: number, base: number): Value[] {
  const out = [n % base];
  for (let rest = Math.floor(n / base); rest > 0; rest = Math.floor(rest / base)) out.push(rest % base);
  return out;
}

function* digitSteps(n: Int, base: number): Steps {
  const text = yield* integerDigits(n, base);
  return yield* tabulateSteps(text.length, (i) => parseInt(text[text.length - 1 - i], 36));
}

/** The character with a code point. @throws ValueError */
function character(n: Int): string {
  if (n < 0 || n > 0x10ffff || (n >= 0xd800 && n <= 0xdfff))
    fail(Errors.ValueError, `${shownInteger(n)} is not the code point of a character`);
  return String.fromCodePoint(Number(n));
}

/** Maximum bit operations of a modular power, about 400 ms, and those of one step. */
const MAX_WORK = 2 ** 39;
const STEP_WORK = 2 ** 30;

/** `base ** exponent % modulus` without computing the power itself. */
function modularPower(vm: NativeContext, base: Int, exponent: Int, modulus: Int): Value | undefined {
  if (exponent < 0)
    fail(Errors.ValueError, `pow() with a modulus needs an exponent of 0 or more, got ${shownInteger(exponent)}`);
  const m = BigInt(modulus);
  if (m === 0n) fail(Errors.ZeroDivisionError, 'division by zero');
  if (bitLength(exponent) * bitLength(modulus) ** 2 > MAX_WORK)
    fail(Errors.OverflowError, 'pow(): exponent and modulus are too large');
  return vm.inPieces('pow', powerSteps(BigInt(base), BigInt(exponent).toString(2), m));
}

/** Starts with the highest of the exponent's binary digits. */
function* powerSteps(base: bigint, digits: string, modulus: bigint): Steps {
  const factor = base % modulus;
  const size = bitLength(modulus);
  let result = 1n % modulus;
  let left = STEP_WORK;
  for (const digit of digits) {
    result = (result * result) % modulus;
    if (digit === '1') result = (result * factor) % modulus;
    left -= size ** 2 + 1000;
    if (left > 0) continue;
    left = STEP_WORK;
    yield;
  }
  return modulo(normalize(result), normalize(modulus));
}

function bitLength(n: Int): number {
  const size = n < 0 ? -BigInt(n) - 1n : BigInt(n);
  if (size === 0n) return 0;
  const hex = size.toString(16);
  return hex.length * 4 - (Math.clz32(parseInt(hex[0], 16)) - 28);
}

function isEven(n: Int): boolean {
  return typeof n === 'number' ? n % 2 === 0 : (n & 1n) === 0n;
}

// prettier-ignore
export const integerMethods = methodGroup('Integer', () => [
  ...numberRows,
  ['to_i to_int', '', 'Integer', 'The number itself.', (_: unknown, n: Int) => n],
  ['to_s', 'base: Integer = 10', 'String', 'Text of the number, in a base from 2 to 36.', inBase],
  ['even?', '', 'Boolean', 'Whether the number is even.', neverSuspends((_: unknown, n: Int) => isEven(n))],
  ['odd?', '', 'Boolean', 'Whether the number is odd.', neverSuspends((_: unknown, n: Int) => !isEven(n))],
  ['digits', 'base: Integer = 10', 'Vector', 'Digits of the number in a base up to 36, the last one first.', digits],
  ['chr', '', 'String', 'The character with this code point.', neverSuspends((_: unknown, n: Int) => character(n))],
  ['ord', '', 'Integer', 'The number itself.', (_: unknown, n: Int) => n],
  ['succ next', '', 'Integer', 'The number plus 1.', (_: unknown, n: Int) => add(n, 1)],
  ['pred', '', 'Integer', 'The number minus 1.', (_: unknown, n: Int) => subtract(n, 1)],
  ['pow', 'exponent: Number, modulus: Integer? = nil', 'Number', 'The number to a power, modulo `modulus` when given.', (vm: NativeContext, n: Int, exponent: Value, modulus: Int | null) => (modulus === null ? power(n, exponent) : modularPower(vm, n, wholeExponent(exponent), modulus))],
  ['&', 'other: Integer', 'Integer', 'The bits that both numbers have.', (_: unknown, n: Int, other: Int) => and(n, other)],
  ['^', 'other: Integer', 'Integer', 'The bits that one of the numbers has.', (_: unknown, n: Int, other: Int) => xor(n, other)],
  ['>>', 'count: Integer', 'Integer', 'The bits moved to the right: the number divided by a power of 2, rounded down.', (_: unknown, n: Int, count: Int) => shiftRight(n, count)],
  ['~', '', 'Integer', 'All bits inverted: -n - 1.', (_: unknown, n: Int) => invert(n)],
  ['bit_length', '', 'Integer', 'Number of bits, excluding the sign.', (_: unknown, n: Int) => bitLength(n)],
  ['gcd', 'other: Integer', 'Integer', 'Greatest common divisor.', gcd],
  ['lcm', 'other: Integer', 'Integer', 'Least common multiple.', lcm],
  ['integer?', '', 'Boolean', 'True: this is an Integer.', () => true],
  ['nan?', '', 'Boolean', 'False: an Integer is always a number.', () => false],
]);

/** The largest Integer whose square does not exceed `n`. @throws ValueError */
function root(vm: NativeContext, n: Int): Value | undefined {
  if (n < 0) fail(Errors.ValueError, `Integer.sqrt() needs a number of 0 or more, got ${shownInteger(n)}`);
  if (typeof n === 'number') return Math.floor(Math.sqrt(n));
  return vm.inPieces('Integer.sqrt', rootSteps(n));
}

/** Methods of the type Integer itself. */
// prettier-ignore
export const integerTypeMethods = methodsOfType('Integer', [
  ['sqrt', 'n: Integer', 'Integer', 'The square root of a number rounded down to an Integer: the largest one whose square does not exceed it.', (vm: NativeContext, _type: unknown, n: Int) => root(vm, n)],
]);

function wholeExponent(exponent: Value): Int {
  return exponent instanceof Float
    ? fail(Errors.TypeError, 'Integer.pow(): exponent must be Integer when there is a modulus, got Float')
    : (exponent as Int);
}
