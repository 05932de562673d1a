/**
 * Conversion of large Integers to and from digits, in steps: V8's own conversions take more than linear time in one
 * call.
 */
import { CONVERTED_BITS, powersOf } from '../../../vm/values/numbers/bigsteps.js';
import { isLargeInteger } from '../../../vm/values/weight.js';
import type { Int } from '../declare.js';

/** Maximum digits of an Integer shown in a message. */
const MAX_SHOWN = 40;

/** An Integer for messages; for a large one only its size. */
export function shownInteger(n: Int): string {
  if (isLargeInteger(n)) return `an Integer of about ${n.toString(16).length * 4} bits`;
  const text = String(n);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Converts digits in a base to an Integer, in steps. `whole` converts the digits of one step. */
export function* digitsToInteger(
  text: string,
  base: number,
  whole: (part: string) => bigint,
): Generator<void, bigint, void> {
  const most = Math.floor(CONVERTED_BITS / Math.log2(base));
  if (text.length <= most) return whole(text);
  const { powers, digits } = yield* powersOf(base, (_, count) => count * 2 >= text.length);
  function* read(lo: number, hi: number, level: number): Generator<void, bigint, void> {
    if (hi - lo <= most) return whole(text.slice(lo, hi));
    let at = level;
    while (digits[at] >= hi - lo) at--;
    const middle = hi - digits[at];
    const high = yield* read(lo, middle, at);
    const low = yield* read(middle, hi, at);
    yield;
    return high * powers[at] + low;
  }
  return yield* read(0, text.length, powers.length - 1);
}
