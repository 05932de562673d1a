import { compact, multiply, normalize } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import type { Steps } from '../../../vm/values/steps.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { functions, type Int } from '../declare.js';
import { countOf } from '../limits.js';
import { absolute } from './maths.js';
import { shownInteger } from './digits.js';
import { gcdLargeSteps } from './gcd.js';

/** Maximum n of a factorial: 70,000! is almost the largest possible Integer. */
const MAX_FACTORIAL = 70_000;

/** Greatest common divisor, never negative. */
export function gcd(vm: NativeContext, a: Int, b: Int): Value | undefined {
  if (typeof a === 'number' && typeof b === 'number') return gcdNumber(Math.abs(a), Math.abs(b));
  return vm.inPieces('gcd', gcdSteps(a, b));
}

function* gcdSteps(a: Int, b: Int): Generator<void, Int, void> {
  return normalize(yield* gcdLargeSteps(BigInt(a), BigInt(b)));
}

function gcdNumber(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return compact(a);
}

/** Least common multiple, never negative. @throws OverflowError */
export function lcm(vm: NativeContext, a: Int, b: Int): Value | undefined {
  // Compare as numbers: 0 may be a number or a bigint.
  return Number(a) === 0 || Number(b) === 0 ? 0 : vm.inPieces('lcm', lcmSteps(a, b));
}

function* lcmSteps(a: Int, b: Int): Steps {
  const divisor = BigInt(yield* gcdSteps(a, b));
  yield;
  const quotient = BigInt(a) / divisor;
  yield;
  return absolute(multiply(normalize(quotient), b) as Int);
}

/** Product of the Integers from `from` to `to`, in steps. Halves of similar size keep the multiplications cheap. */
function* product(from: number, to: number): Generator<void, bigint, void> {
  if (to - from < FACTORS) {
    let result = 1n;
    for (let i = from; i <= to; i++) result *= BigInt(i);
    return result;
  }
  const middle = (from + to) >> 1;
  const low = yield* product(from, middle);
  const high = yield* product(middle + 1, to);
  yield;
  return low * high;
}

/** Factors multiplied one by one. */
const FACTORS = 32;

function factorial(vm: NativeContext, n: Int): Value | undefined {
  const count = countOf(n, 'n of factorial()');
  if (count > MAX_FACTORIAL)
    fail(Errors.OverflowError, `factorial() goes up to ${MAX_FACTORIAL}, got ${shownInteger(n)}`);
  return vm.inPieces('factorial', factorialSteps(count));
}

function* factorialSteps(count: number): Steps {
  return normalize(yield* product(2, count));
}

// prettier-ignore
export const numberTheory = functions([
  ['gcd', 'a: Integer, b: Integer', 'Integer', 'Greatest common divisor.', gcd],
  ['lcm', 'a: Integer, b: Integer', 'Integer', 'Least common multiple.', lcm],
  ['factorial', 'n: Integer', 'Integer', 'Product of the Integers from 1 to `n`.', factorial],
]);
