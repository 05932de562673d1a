/** Digits of large Integers in steps: V8's own conversions take more than linear time at once. */
import { isLargeInteger } from '../../../vm/values/weight.js';
import type { Int } from '../declare.js';

/** Bits that are converted in one step. */
const STEP_BITS = 1 << 16;

/** Powers of `base`, each the square of the one before, and how many digits they stand for. */
interface Powers {
  powers: bigint[];
  digits: number[];
}

/** Powers of a base up to half the length of numbers below `limit`. */
function* powersOf(base: number, limit: (power: bigint, digits: number) => boolean): Generator<void, Powers, void> {
  const first = Math.floor(STEP_BITS / Math.log2(base));
  const powers = [BigInt(base) ** BigInt(first)];
  const digits = [first];
  while (!limit(powers[powers.length - 1], digits[digits.length - 1])) {
    yield;
    const last = powers[powers.length - 1];
    powers.push(last * last);
    digits.push(digits[digits.length - 1] * 2);
  }
  return { powers, digits };
}

/** Bits of a quotient that are found in one step. */
const QUOTIENT_BITS = 1 << 17;

/** `n / divisor`, both not negative, in steps: a long division whose digits have that many bits. */
export function* quotient(n: bigint, divisor: bigint): Generator<void, bigint, void> {
  const digit = BigInt(QUOTIENT_BITS);
  const mask = (1n << digit) - 1n;
  const bits = (n.toString(16).length - divisor.toString(16).length) * 4;
  let shift = BigInt(Math.max(0, Math.ceil(bits / QUOTIENT_BITS)) * QUOTIENT_BITS);
  let rest = n >> shift;
  let out = rest / divisor;
  for (rest -= out * divisor; shift > 0n; ) {
    yield;
    shift -= digit;
    rest = (rest << digit) | ((n >> shift) & mask);
    const next = rest / divisor;
    rest -= next * divisor;
    out = (out << digit) | next;
  }
  return out;
}

/** Text of an Integer in a base from 2 to 36, in steps: it is divided by powers of the base until its parts are short. */
export function* integerDigits(n: Int, base = 10): Generator<void, string, void> {
  if (!isLargeInteger(n) || (base & (base - 1)) === 0) return n.toString(base);
  const size = n < 0n ? -n : n;
  // Its square is larger: one division makes halves.
  const { powers, digits } = yield* powersOf(base, (power) => power.toString(16).length * 2 > size.toString(16).length + 1);
  let text = '';
  function* write(part: bigint, level: number): Generator<void, void, void> {
    if (level < 0) {
      const written = part.toString(base);
      text += text === '' ? (part === 0n ? '' : written) : written.padStart(digits[0], '0');
      yield;
      return;
    }
    const high = yield* quotient(part, powers[level]);
    yield;
    const low = part - high * powers[level];
    if (text !== '' || high > 0n) yield* write(high, level - 1);
    yield* write(low, level - 1);
  }
  yield* write(size, powers.length - 1);
  return n < 0n ? `-${text}` : text;
}

/** Digits of an Integer that a message shows. */
const MAX_SHOWN = 40;

/** An Integer for messages: of a large one only how long it is. */
export function shownInteger(n: Int): string {
  if (isLargeInteger(n)) return `an Integer of about ${n.toString(16).length * 4} bits`;
  const text = String(n);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** The Integer of digits in a base, in steps. `whole` reads those of one step. */
export function* digitsToInteger(text: string, base: number, whole: (part: string) => bigint): Generator<void, bigint, void> {
  const most = Math.floor(STEP_BITS / Math.log2(base));
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
