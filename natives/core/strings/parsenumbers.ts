/** Parsing of numbers: tolerant like Ruby's `to_i` and `to_f`, or strict like `to_int` and `to_float`. */
import type { Steps } from '../../../vm/values/steps.js';
import { MAX_BITS, normalize } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { quote } from '../../../vm/values/text/text.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Int } from '../declare.js';
import { digitsToInteger, shownInteger } from '../numbers/digits.js';

/** Decimal digits of which a number holds every Integer exactly. */
const MAX_EXACT_DIGITS = 15;
const ZERO = 48;
const MINUS = 45;

/** Maximum digits read in a base. */
function maxDigits(base: number): number {
  return Math.floor(MAX_BITS / Math.log2(base));
}

const PREFIXES: Record<number, string> = { 16: '0[xX]', 8: '0[oO]?', 2: '0[bB]' };

const patterns = new Map<number, RegExp>();

/** Sign, optional prefix of the base, digits with single underscores between them. */
function integerPattern(base: number): RegExp {
  let pattern = patterns.get(base);
  if (pattern === undefined) {
    const digit = base <= 10 ? `[0-${base - 1}]` : `[0-9a-${String.fromCharCode(86 + base)}]`;
    pattern = new RegExp(`^\\s*([+-]?)(?:${PREFIXES[base] ?? '(?!)'}(?=${digit}))?(${digit}+(?:_${digit}+)*)`, 'i');
    patterns.set(base, pattern);
  }
  return pattern;
}

/** Runs a number pattern on a text. V8 throws for a text with many millions of underscores. */
function findIn(pattern: RegExp, text: string): RegExpExecArray | null {
  try {
    return pattern.exec(text);
  } catch (error) {
    if (error instanceof RangeError) tooManyDigits(10);
    throw error;
  }
}

function tooManyDigits(base: number): never {
  return fail(Errors.OverflowError, `number has more than ${maxDigits(base)} digits`);
}

/** The Integer with this sign and these digits, in pieces if there are many. */
function integerOf(vm: NativeContext, sign: string, digits: string, base: number): Value | undefined {
  const plain = digits.replaceAll('_', '');
  if (plain.length > maxDigits(base)) tooManyDigits(base);
  if (plain.length > 10 && (base !== 10 || plain.length > MAX_EXACT_DIGITS))
    return vm.inPieces('to_i', integerSteps(sign, plain, base));
  const size = parseInt(plain, base);
  return sign === '-' && size !== 0 ? -size : size;
}

function* integerSteps(sign: string, digits: string, base: number): Steps {
  return signed(sign, yield* digitsToInteger(digits, base, (part) => bigOf(part, base)));
}

function signed(sign: string, size: bigint): Int {
  return normalize(sign === '-' ? -size : size);
}

function bigOf(digits: string, base: number): bigint {
  if (base === 10) return BigInt(digits);
  if (base === 16) return BigInt(`0x${digits}`);
  if (base === 8) return BigInt(`0o${digits}`);
  if (base === 2) return BigInt(`0b${digits}`);
  return halves(digits, base);
}

/** Converts digits of any base by combining halves, which is much faster than one digit at a time. */
function halves(digits: string, base: number): bigint {
  if (digits.length <= 10) return BigInt(parseInt(digits, base));
  const right = digits.length >> 1;
  return halves(digits.slice(0, -right), base) * BigInt(base) ** BigInt(right) + halves(digits.slice(-right), base);
}

/** The Integer of a text of a few decimal digits, perhaps after `-`; undefined for all other texts. */
export function shortInteger(text: string): number | undefined {
  const { length } = text;
  if (length > MAX_EXACT_DIGITS) return undefined;
  const first = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (first >= length) return undefined;
  let size = 0;
  for (let i = first; i < length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    size = size * 10 + digit;
  }
  return first === 1 && size !== 0 ? -size : size;
}

/** The Integer at the start of a text, 0 if there is none. @throws ValueError for an invalid base */
export function leadingInteger(vm: NativeContext, text: string, base: Int): Value | undefined {
  const short = base === 10 ? shortInteger(text) : undefined;
  if (short !== undefined) return short;
  if (base < 2 || base > 36) fail(Errors.ValueError, `base must be from 2 to 36, got ${shownInteger(base)}`);
  const match = findIn(integerPattern(Number(base)), text);
  return match === null ? 0 : integerOf(vm, match[1], match[2], Number(base));
}

const LEADING_FLOAT = /^\s*[+-]?(?:\d+(?:_\d+)*)?(?:\.\d+(?:_\d+)*)?(?:[eE][+-]?\d+)?/;

/** The number at the start of a text as a Float, 0.0 if there is none. */
export function leadingFloat(text: string): Float {
  const match = findIn(LEADING_FLOAT, text)?.[0].replaceAll('_', '') ?? '';
  const n = parseFloat(match);
  return new Float(Number.isNaN(n) ? 0 : n);
}

const STRICT_INTEGER =
  /^\s*([+-]?)(?:0[xX]([0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)|0[oO]([0-7]+(?:_[0-7]+)*)|0[bB]([01]+(?:_[01]+)*)|(\d+(?:_\d+)*))\s*$/;

/** Parses a whole text as an Integer, in any of the language's notations. @throws ValueError */
export function strictInteger(vm: NativeContext, text: string): Value | undefined {
  const short = shortInteger(text);
  if (short !== undefined) return short;
  const match = findIn(STRICT_INTEGER, text);
  if (match === null) return fail(Errors.ValueError, `${excerpt(text)} is not an Integer`);
  const [, sign, hex, octal, binary, decimal] = match;
  if (decimal !== undefined) return integerOf(vm, sign, decimal, 10);
  if (hex !== undefined) return integerOf(vm, sign, hex, 16);
  return octal !== undefined ? integerOf(vm, sign, octal, 8) : integerOf(vm, sign, binary, 2);
}

const STRICT_FLOAT = /^\s*[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?\s*$/;

/** Parses a whole text as a Float. @throws ValueError */
export function strictFloat(text: string): Float {
  if (findIn(STRICT_FLOAT, text) === null) fail(Errors.ValueError, `${excerpt(text)} is not a number`);
  return new Float(Number(text.replaceAll('_', '')));
}

/** A text for a message, truncated if long. */
export function excerpt(text: string): string {
  return quote(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
