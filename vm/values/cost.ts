/**
 * Charges for the work of operators. A slice counts calls and loop iterations, but one operator on large values takes
 * as long as many of them. So each operator charges for its work in units of about 10 ns, and every LOOK units the
 * scheduler checks the clock.
 */

/** The scheduler whose slice runs: it checks the clock. */
interface Clock {
  checkTime(): void;
}

/** Units charged between two clock checks: about 20 µs of work. */
const LOOK = 2000;
/** Units after which an attempt is given up and restarted in steps: less than a millisecond of work. */
const AT_ONCE = 50_000;

/** Thrown by `charge` within `attempt`. */
const TOO_LONG = Symbol('too long');

let clock: Clock | null = null;
let charged = 0;
let limit = LOOK;
let attempting = false;

/** Sets the clock that later charges check. The scheduler calls this when its slice begins. */
export function chargeTo(next: Clock): void {
  clock = next;
}

/**
 * Charges for work done or about to be done, in units of about 10 ns. Within `attempt`, may throw to end the attempt.
 */
export function charge(units: number): void {
  if ((charged += units) > limit) exceeded();
}

/** Number of times that LOOK units were charged. */
let looks = 0;

/** Units charged so far in this process, outside of attempts, as multiples of LOOK. */
export function looksSoFar(): number {
  return looks;
}

function exceeded(): void {
  if (attempting) throw TOO_LONG;
  charged = 0;
  looks++;
  clock?.checkTime();
}

/**
 * Runs `work`, which must have no effects. Returns undefined when it exceeds AT_ONCE units and must be done in steps.
 */
export function attempt<A, B, T>(work: (a: A, b: B) => T, a: A, b: B): T | undefined {
  const before = charged;
  const outerLimit = limit;
  const outerAttempting = attempting;
  charged = 0;
  limit = AT_ONCE;
  attempting = true;
  try {
    return work(a, b);
  } catch (error) {
    if (error === TOO_LONG) return undefined;
    throw error;
  } finally {
    limit = outerLimit;
    attempting = outerAttempting;
    const used = charged;
    lastUsed = used;
    charged = before;
    if (!outerAttempting) charge(used);
    else charged += used;
  }
}

let lastUsed = 0;

/** Units charged by the last attempt. */
export function unitsOfAttempt(): number {
  return lastUsed;
}

/** Charges for reading a whole text: about eight characters per unit. */
export function chargeText(units: number): void {
  charge(units >>> 3);
}

const BITS_1K = 1n << 1024n;
const BITS_8K = 1n << 8192n;
const BITS_128K = 1n << 131_072n;
const NEGATIVE_1K = -BITS_1K;
const NEGATIVE_8K = -BITS_8K;
const NEGATIVE_128K = -BITS_128K;

/** The size class of Integers of more than 131,072 bits. */
export const LARGEST_CLASS = 3;

/**
 * Size class of an Integer: 0 up to 1,024 bits, 1 up to 8,192, 2 up to 131,072, 3 above. Fast, since V8 compares
 * bigints of different lengths in constant time. It negates a bound, if the code does, even if it needs a smaller one
 * only: the bounds below 0 are constants.
 */
export function sizeClass(n: number | bigint): number {
  if (typeof n === 'number') return 0;
  if (n < BITS_1K && n > NEGATIVE_1K) return 0;
  if (n < BITS_8K && n > NEGATIVE_8K) return 1;
  return n < BITS_128K && n > NEGATIVE_128K ? 2 : LARGEST_CLASS;
}

/** Units by the size class of the larger operand: for products and quotients, and for operations of linear time. */
const PRODUCT = [5, 200, 40_000, Infinity];
const LINEAR = [5, 20, 300, 3000];

/**
 * Charges for a product, quotient or remainder of two Integers. If one operand is small, the time is linear in the
 * other.
 */
export function chargeProduct(a: number | bigint, b: number | bigint): void {
  const [x, y] = [sizeClass(a), sizeClass(b)];
  charge((x === 0 || y === 0 ? LINEAR : PRODUCT)[Math.max(x, y)]);
}

/** Charges for a sum or difference of two Integers. */
export function chargeSum(a: number | bigint, b: number | bigint): void {
  charge(LINEAR[Math.max(sizeClass(a), sizeClass(b))]);
}

/** Charges for the decimal digits of an Integer. */
export function chargeDigits(n: number | bigint): void {
  charge(PRODUCT[sizeClass(n)]);
}
