import { Errors, fail } from './error.js';
import { checkElementsRoom, checkRoom, checkTextRoom } from './room.js';
import { formatText } from './format.js';
import { Handle } from './handle.js';
import { MAX_STRING } from './text.js';
import { typeName } from './types.js';
import { Float, isInteger, isNumber, type Value } from './value.js';

const MAX = Number.MAX_SAFE_INTEGER;
const BIG_MAX = BigInt(MAX);
/** Most bits of an Integer: keeps one operation short enough not to hold up other fibers. */
export const MAX_BITS = 1 << 20;
/** Most elements that repetition makes. */
const MAX_ELEMENTS = 1 << 26;
/** Largest length that V8 gives an array at once without making a dictionary of it. */
const AT_ONCE = 1 << 25;
/** Deepest vectors within vectors that an operation goes into. */
const MAX_NESTING = 200;

type Operation = (a: Value, b: Value) => Value;

/** An Integer from a bigint: a number where it fits. @throws MemoryError */
export function normalize(b: bigint): number | bigint {
  if (b <= BIG_MAX && b >= -BIG_MAX) return Number(b);
  if ((b > LARGE || b < -LARGE) && ++made % MADE === 0) checkRoom(MADE * (MAX_BITS >> 3), 'the Integer would not fit');
  return b;
}

/** Integers beyond this, and their negatives, take so much memory that a slice can make too many: a look at the heap comes after each `MADE` of them. */
const LARGE = 1n << 65_536n;
const MADE = 64;
let made = 0;

/** The double nearest to a number. */
export function toDouble(value: number | bigint | Float): number {
  return value instanceof Float ? value.n : Number(value) + 0;
}

function mismatch(verb: string, join: string, a: Value, b: Value, hint = ''): never {
  return fail(Errors.TypeError, `cannot ${verb} ${typeName(a)} ${join} ${typeName(b)}${hint}`);
}

function elementwise(a: Value, b: Value, operation: Operation): Value[] | null {
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) fail(Errors.ValueError, `vectors have different lengths: ${a.length} and ${b.length}`);
    return mapNested(a, (i) => operation(a[i], b[i]));
  }
  if (Array.isArray(a) && isNumber(b)) return mapNested(a, (i) => operation(a[i], b));
  if (Array.isArray(b) && isNumber(a)) return mapNested(b, (i) => operation(a, b[i]));
  return null;
}

/** Most elements of vectors within vectors in one operation. */
const MAX_NESTED = 1 << 23;
/** Elements between two looks at the heap, as a power of two, and bytes that one may take with a vector around it. */
const CHECKED = 18;
const BYTES = 64;

/** Vectors within vectors that the running operation is in, and elements it has visited. */
let nesting = 0;
let visited = 0;

/** `map` for vectors that may hold vectors: itself even, or one another so often that the result would never end. */
function mapNested(list: Value[], operation: (i: number) => Value): Value[] {
  if (nesting === 0) checkElementsRoom(list.length);
  const before = nesting === 0 ? 0 : visited;
  visited = before + list.length + 1;
  // Vectors within vectors: the slice that would notice the memory ends after the whole operation.
  if (visited >> CHECKED !== before >> CHECKED) checkRoom(BYTES << CHECKED, 'the vector would not fit');
  if (visited > (nesting === 0 ? MAX_ELEMENTS : MAX_NESTED)) fail(Errors.MemoryError, `vector would have more than ${nesting === 0 ? MAX_ELEMENTS : MAX_NESTED} elements`);
  if (nesting >= MAX_NESTING) fail(Errors.ValueError, `cannot compute with vectors nested deeper than ${MAX_NESTING} levels`);
  nesting++;
  try {
    const out: Value[] = new Array<Value>(list.length < AT_ONCE ? list.length : 0);
    for (let i = 0; i < list.length; i++) out[i] = operation(i);
    return out;
  } finally {
    nesting--;
  }
}

export function add(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const t = a + b;
    if (t <= MAX && t >= -MAX) return t;
  } else if (typeof a === 'string' && typeof b === 'string') return concat(a, b);
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float) return new Float(toDouble(a) + toDouble(b));
    return normalize(BigInt(a) + BigInt(b));
  }
  const hint = typeof a === 'string' || typeof b === 'string' ? ' (use "#{…}" to build text)' : '';
  return elementwise(a, b, add) ?? (a instanceof Handle ? a.plus(b) : null) ?? mismatch('add', 'and', a, b, hint);
}

/** Joins two strings. @throws MemoryError when the result would be too long */
export function concat(a: string, b: string): string {
  const length = a.length + b.length;
  if (length > MAX_STRING) fail(Errors.MemoryError, `text would be longer than ${MAX_STRING} characters`);
  if (length >> 20 !== a.length >> 20) checkTextRoom(length, a.length);
  return a + b;
}

export function subtract(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const t = a - b;
    if (t <= MAX && t >= -MAX) return t;
  }
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float) return new Float(toDouble(a) - toDouble(b));
    return normalize(BigInt(a) - BigInt(b));
  }
  return elementwise(a, b, subtract) ?? (a instanceof Handle ? a.minus(b) : null) ?? mismatch('subtract', 'from', b, a);
}

export function multiply(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const t = a * b;
    if (t <= MAX && t >= -MAX) return t + 0;
  }
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float) return new Float(toDouble(a) * toDouble(b));
    return normalize(checkBits(bits(a) + bits(b), () => BigInt(a) * BigInt(b)));
  }
  if (isInteger(b) && (typeof a === 'string' || Array.isArray(a))) return repeat(a, b);
  return elementwise(a, b, multiply) ?? mismatch('multiply', 'and', a, b);
}

/** Upper bound of the bits of an Integer. */
function bits(value: number | bigint): number {
  return typeof value === 'number' ? 54 : value.toString(16).length * 4;
}

function checkBits(count: number, operation: () => bigint): bigint {
  if (count > MAX_BITS) fail(Errors.OverflowError, `Integer would have more than ${MAX_BITS} bits`);
  return operation();
}

function repeat(value: string | Value[], times: number | bigint): Value {
  const n = Number(times);
  if (n < 0) fail(Errors.ValueError, `cannot repeat ${typeName(value)} ${n} times`);
  if (typeof value === 'string') {
    if (value.length * n > MAX_STRING) fail(Errors.MemoryError, `text would be longer than ${MAX_STRING} characters`);
    checkTextRoom(value.length * n);
    return value.repeat(n);
  }
  if (value.length * n > MAX_ELEMENTS) fail(Errors.MemoryError, `vector would have more than ${MAX_ELEMENTS} elements`);
  const total = value.length * n;
  checkElementsRoom(total);
  const out: Value[] = new Array<Value>(total < AT_ONCE ? total : 0);
  if (value.length === 1 && total < AT_ONCE) return out.fill(value[0]);
  let at = 0;
  for (let i = 0; i < n; i++) for (const x of value) out[at++] = x;
  return out;
}

function zeroDivision(): never {
  return fail(Errors.ZeroDivisionError, 'division by zero');
}

export function divide(a: Value, b: Value): Value {
  if (isNumber(a) && isNumber(b)) {
    const divisor = toDouble(b);
    if (divisor === 0) zeroDivision();
    return typeof a === 'bigint' || typeof b === 'bigint' ? bigQuotient(a, b) : new Float(toDouble(a) / divisor);
  }
  return elementwise(a, b, divide) ?? mismatch('divide', 'by', a, b);
}

/** A quotient of which one part may be beyond the Floats. */
function bigQuotient(a: number | bigint | Float, b: number | bigint | Float): Float {
  const [x, y] = [toDouble(a), toDouble(b)];
  if (a instanceof Float || b instanceof Float || (Number.isFinite(x) && Number.isFinite(y))) return new Float(x / y);
  const [n, d] = [BigInt(a), BigInt(b)];
  // An Integer quotient of about 128 bits holds more than the Float needs.
  const negative = n < 0n !== d < 0n;
  const [big, small] = [n < 0n ? -n : n, d < 0n ? -d : d];
  const scale = bits(big) - bits(small) - 128;
  const quotient = scale >= 0 ? (big >> BigInt(scale)) / small : (big << BigInt(-scale)) / small;
  // In two steps: the power alone may be too small for a Float.
  const half = Math.trunc(scale / 2);
  const result = Number(quotient) * 2 ** half * 2 ** (scale - half);
  return new Float(negative ? -result : result);
}

export function floorDivide(a: Value, b: Value): Value {
  if (isNumber(a) && isNumber(b)) {
    if (b == 0 || (b instanceof Float && b.n === 0)) zeroDivision();
    if (a instanceof Float || b instanceof Float) return new Float(Math.floor(toDouble(a) / toDouble(b)));
    if (typeof a === 'number' && typeof b === 'number') return floorQuotient(a, b);
    const [x, y] = [BigInt(a), BigInt(b)];
    const q = x / y;
    return normalize(q * y !== x && x < 0n !== y < 0n ? q - 1n : q);
  }
  return elementwise(a, b, floorDivide) ?? mismatch('divide', 'by', a, b);
}

/** `a // b` of safe integers. `a % b` has the sign of `a`, so the difference stays exact. */
function floorQuotient(a: number, b: number): number {
  const rest = a % b;
  const q = (a - rest) / b;
  return (rest !== 0 && rest < 0 !== b < 0 ? q - 1 : q) + 0;
}

/** `a % b` of numbers with the sign of the divisor. */
function floorMod(a: number, b: number): number {
  const t = a % b;
  return t !== 0 && t < 0 !== b < 0 ? t + b : t + 0;
}

export function modulo(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return b === 0 ? zeroDivision() : floorMod(a, b);
  if (isNumber(a) && isNumber(b)) {
    if (toDouble(b) === 0) zeroDivision();
    if (a instanceof Float || b instanceof Float) return new Float(floorMod(toDouble(a), toDouble(b)));
    const [x, y] = [BigInt(a), BigInt(b)];
    const t = x % y;
    return normalize(t !== 0n && t < 0n !== y < 0n ? t + y : t);
  }
  if (typeof a === 'string') return formatText(a, Array.isArray(b) ? b : [b]);
  return elementwise(a, b, modulo) ?? mismatch('divide', 'by', a, b);
}

export function power(a: Value, b: Value): Value {
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float || b < 0) return floatPower(toDouble(a), toDouble(b));
    if (typeof a === 'number' && typeof b === 'number') {
      const t = a ** b;
      if (t <= MAX && t >= -MAX) return t + 0;
    }
    return integerPower(BigInt(a), BigInt(b));
  }
  return elementwise(a, b, power) ?? mismatch('raise', 'to the power of', a, b);
}

/** 0, 1 and −1 have powers without limit; others up to MAX_BITS bits. */
function integerPower(base: bigint, exponent: bigint): number | bigint {
  if (base === 0n || base === 1n) return Number(base);
  if (base === -1n) return exponent % 2n === 0n ? 1 : -1;
  // The power has more bits than (bits − 1) · exponent; only a result near the limit needs its own length.
  const least = (bitLength(base) - 1) * Number(exponent);
  if (least > MAX_BITS) checkBits(least, () => 0n);
  const power = base ** exponent;
  return normalize(checkBits(bitLength(power), () => power));
}

function bitLength(value: bigint): number {
  const hex = (value < 0n ? -value : value).toString(16);
  return (hex.length - 1) * 4 + (32 - Math.clz32(parseInt(hex[0], 16)));
}

function floatPower(base: number, exponent: number): Float {
  if (base === 0 && exponent < 0) zeroDivision();
  return new Float(base ** exponent);
}

export function negate(a: Value): Value {
  if (typeof a === 'number') return 0 - a;
  if (typeof a === 'bigint') return normalize(-a);
  if (a instanceof Float) return new Float(-a.n);
  if (Array.isArray(a)) return mapNested(a, (i) => negate(a[i]));
  return fail(Errors.TypeError, `cannot negate ${typeName(a)}`);
}
