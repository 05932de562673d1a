import { division } from '../../../vm/values/numbers/bigsteps.js';
import { normalize } from '../../../vm/values/numbers/arithmetic.js';
import { bitLength } from '../../../vm/values/numbers/quotient.js';
import type { Steps } from '../../../vm/values/steps.js';

/**
 * The square root of `n` > 0, rounded down. Each turn doubles the number of correct bits, so that all together take
 * little longer than the last division.
 */
export function* rootSteps(n: bigint): Steps {
  const half = (bitLength(n) - 1) >> 1;
  let root = 1n;
  let bits = 0;
  for (let shift = 32 - Math.clz32(half) - 1; shift >= 0; shift--) {
    const before = bits;
    bits = half >> shift;
    const { quotient } = yield* division(n >> BigInt(2 * half - before - bits + 1), root);
    root = (root << BigInt(bits - before - 1)) + quotient;
    yield;
  }
  return normalize(root * root > n ? root - 1n : root);
}
