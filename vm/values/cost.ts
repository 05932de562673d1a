/**
 * What operators cost. A slice counts calls and turns of loops; an operator on large values costs as much as many of them. So each charges for
 * its work, in units of about 10 ns, and from time to time the charges let the scheduler look at the clock.
 */

/** Whoever has to look at the clock: the scheduler whose slice runs. */
interface Clock {
  checkTime(): void;
}

/** Charges after which the clock is looked at: some 20 µs of work. */
const LOOK = 2000;
/** Charges of one operator before it is given up and begun anew in steps: less than a millisecond of work. */
const AT_ONCE = 50_000;

/** Thrown by `charge` within `attempt`. */
const TOO_LONG = Symbol('too long');

let clock: Clock | null = null;
let charged = 0;
let limit = LOOK;
let attempting = false;

/** Sets the clock that charges from here on make look: that of the scheduler whose slice begins. */
export function chargeTo(next: Clock): void {
  clock = next;
}

/** Charges for work that has been done or is about to be, in units of about 10 ns. Within `attempt` it may end the attempt by an exception. */
export function charge(units: number): void {
  if ((charged += units) > limit) exceeded();
}

function exceeded(): void {
  if (attempting) throw TOO_LONG;
  charged = 0;
  clock?.checkTime();
}

/** Runs work that has no effects; undefined when its charges exceed what may be done at once, so that it has to be done in steps. */
export function attempt<A, B, T>(work: (a: A, b: B) => T, a: A, b: B): T | undefined {
  const before = charged;
  const [outerLimit, outerAttempting] = [limit, attempting];
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

/** Units that the last attempt was charged. */
export function unitsOfAttempt(): number {
  return lastUsed;
}

/** Charges for a look at all of a text: about eight characters a unit. */
export function chargeText(units: number): void {
  charge(units >>> 3);
}

const BITS_1K = 1n << 1024n;
const BITS_8K = 1n << 8192n;
const BITS_128K = 1n << 131_072n;

/** Size of a bigint: 0 up to 1,024 bits, 1 up to 8,192, 2 up to 131,072, 3 above. V8 compares bigints of different lengths at once. */
export function sizeClass(n: number | bigint): number {
  if (typeof n === 'number') return 0;
  if (n < BITS_1K && n > -BITS_1K) return 0;
  if (n < BITS_8K && n > -BITS_8K) return 1;
  return n < BITS_128K && n > -BITS_128K ? 2 : 3;
}

/** Units of a product or quotient by the size of the larger operand, and of what takes time in proportion to it. */
const PRODUCT = [5, 200, 40_000, Infinity];
const LINEAR = [5, 20, 300, 3000];

/** Charges for a product, quotient or remainder of two Integers. By a small operand, the work grows with the length of the other. */
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
