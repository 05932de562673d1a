/**
 * Greatest common divisors of large Integers by Schönhage's half-gcd, which takes little longer than a few
 * multiplications.
 */

/** Minimum bits for which reducing by the leading bits is faster than Euclid's algorithm. */
const LARGE = 2048;
/** Bits of Integers that a double represents exactly. */
const EXACT = 52;

/** Rows of a matrix with determinant 1 or −1: applying it to a pair keeps the greatest common divisor. */
type Matrix = readonly [bigint, bigint, bigint, bigint];

const UNIT: Matrix = [1n, 0n, 0n, 1n];

/** A pair, larger number first and none negative, with the matrix that produced it from the original pair. */
interface Reduced {
  a: bigint;
  b: bigint;
  matrix: Matrix;
}

/** Greatest common divisor, never negative, in steps. */
export function* gcdLargeSteps(x: bigint, y: bigint): Generator<void, bigint, void> {
  let { a, b } = ordered(x, y, UNIT);
  while (bitLength(b) > LARGE) {
    ({ a, b } = apply(yield* halveSteps(a, b), a, b));
    yield;
    // Guarantees that the pair shrinks, whatever the leading bits yielded.
    if (b !== 0n) [a, b] = [b, a % b];
    yield;
  }
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** Number of bits, at most three too many. */
function bitLength(n: bigint): number {
  return n.toString(16).length * 4;
}

/** Normalizes a pair and its matrix: no number negative, the larger one first. */
function ordered(a: bigint, b: bigint, [p, q, r, s]: Matrix): Reduced {
  let [first, second]: [bigint, bigint] = [p, q];
  let [third, fourth]: [bigint, bigint] = [r, s];
  if (a < 0n) [a, first, second] = [-a, -first, -second];
  if (b < 0n) [b, third, fourth] = [-b, -third, -fourth];
  return a >= b
    ? { a, b, matrix: [first, second, third, fourth] }
    : { a: b, b: a, matrix: [third, fourth, first, second] };
}

function apply(matrix: Matrix, a: bigint, b: bigint): Reduced {
  const [p, q, r, s] = matrix;
  return ordered(p * a + q * b, r * a + s * b, matrix);
}

function product([p, q, r, s]: Matrix, [t, u, v, w]: Matrix): Matrix {
  return [p * t + q * v, p * u + q * w, r * t + s * v, r * u + s * w];
}

/**
 * A matrix that makes numbers with these leading bits about half as long, for a ≥ b ≥ 0. Because of the omitted bits
 * its last quotients may differ from Euclid's. The greatest common divisor is still correct, since any matrix of
 * determinant ±1 keeps it.
 */
function* halveSteps(a: bigint, b: bigint): Generator<void, Matrix, void> {
  const bits = bitLength(a);
  if (bits < STEP_BITS) return finish(halve(a, b));
  const steps = halve(a, b);
  for (let part = steps.next(); ; part = steps.next(yield* halveSteps(part.value.a, part.value.b))) {
    if (part.done === true) return part.value;
    yield;
  }
}

/** Reduces shorter numbers at once. */
function finish(steps: Generator<Pair, Matrix, Matrix>): Matrix {
  let part = steps.next();
  while (part.done !== true) part = steps.next(finish(halve(part.value.a, part.value.b)));
  return part.value;
}

interface Pair {
  a: bigint;
  b: bigint;
}

/** Maximum bits of numbers reduced in one step. */
const STEP_BITS = 1 << 14;

/** Yields the shorter pairs whose matrices it needs, and receives these. */
function* halve(a: bigint, b: bigint): Generator<Pair, Matrix, Matrix> {
  const bits = bitLength(a);
  const half = bits >> 1;
  if (bitLength(b) <= half + 4) return UNIT;
  if (bits <= EXACT) return halveDoubles(Number(a), Number(b));
  const low = BigInt(half);
  const upper = apply(yield { a: a >> low, b: b >> low }, a, b);
  if (upper.b === 0n) return upper.matrix;
  const quotient = upper.a / upper.b;
  const [p, q, r, s] = upper.matrix;
  const stepped: Matrix = [r, s, p - quotient * r, q - quotient * s];
  const [x, y] = [upper.b, upper.a - quotient * upper.b];
  const rest = 2 * half - bitLength(x);
  if (rest < 0 || bitLength(y) <= half) return stepped;
  return product(yield { a: x >> BigInt(rest), b: y >> BigInt(rest) }, stepped);
}

/**
 * Like `halve`, for numbers that doubles represent exactly: the matrix entries stay below the square root of the
 * numbers.
 */
function halveDoubles(a: number, b: number): Matrix {
  const limit = Math.sqrt(a);
  let [p, q, r, s] = [1, 0, 0, 1];
  while (b > limit) {
    const quotient = Math.floor(a / b);
    [a, b] = [b, a - quotient * b];
    [p, q, r, s] = [r, s, p - quotient * r, q - quotient * s];
  }
  return [BigInt(p), BigInt(q), BigInt(r), BigInt(s)];
}
