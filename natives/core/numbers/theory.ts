import { normalize } from '../../../vm/values/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import { functions, type Int } from '../declare.js';
import { countOf } from '../limits.js';
import { gcdLarge } from './gcd.js';

/** 100,000! has 1.5 million bits and takes some 100 ms; nobody waits for more. */
const MAX_FACTORIAL = 100_000;

/** Greatest common divisor, never negative. */
export function gcd(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') return gcdNumber(Math.abs(a), Math.abs(b));
  return normalize(gcdLarge(BigInt(a), BigInt(b)));
}

function gcdNumber(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/** Least common multiple, never negative. */
export function lcm(a: Int, b: Int): Int {
  // The same value may be a number here and a bigint there.
  if (Number(a) === 0 || Number(b) === 0) return 0;
  const product = (BigInt(a) / BigInt(gcd(a, b))) * BigInt(b);
  return normalize(product < 0n ? -product : product);
}

/** Product of the Integers from `from` to `to`: halves of like size keep the multiplications cheap. */
function product(from: number, to: number): bigint {
  if (to - from < 8) {
    let result = 1n;
    for (let i = from; i <= to; i++) result *= BigInt(i);
    return result;
  }
  const middle = (from + to) >> 1;
  return product(from, middle) * product(middle + 1, to);
}

function factorial(n: Int): Value {
  const count = countOf(n, 'n of factorial()');
  if (count > MAX_FACTORIAL) fail(Errors.OverflowError, `factorial() goes up to ${MAX_FACTORIAL}, got ${n}`);
  return normalize(product(2, count));
}

export const numberTheory = functions([
  ['gcd', 'a: Integer, b: Integer', 'Integer', 'Greatest common divisor.', (_: unknown, a: Int, b: Int) => gcd(a, b)],
  ['lcm', 'a: Integer, b: Integer', 'Integer', 'Least common multiple.', (_: unknown, a: Int, b: Int) => lcm(a, b)],
  ['factorial', 'n: Integer', 'Integer', 'Product of the Integers from 1 to `n`.', (_: unknown, n: Int) => factorial(n)],
]);
