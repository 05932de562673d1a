import { negate, power, toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { bitLength, nearestRoot } from '../../../vm/values/numbers/quotient.js';
import { compare } from '../../../vm/values/equal.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { bindNative } from '../../../vm/calls/native.js';
import { typeName } from '../../../vm/values/types.js';
import { Numeric } from '../../../vm/values/numbers/numeric.js';
import { Range } from '../../../vm/values/structured.js';
import { inspect } from '../../../vm/values/text/text.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { clampedByOwn, definesOrder } from '../collections/ownorder.js';
import { functions, type Int, type Num, type Row } from '../declare.js';
import { shownInteger } from './digits.js';
import { ceil, checkedHalf, floor, round } from './rounding.js';

/** Bits of an Integer that still fits the range of a double. */
const DOUBLE_BITS = 1000;

/** Absolute value. */
export function absolute(x: Num): Value {
  return (x instanceof Float ? x.n < 0 || Object.is(x.n, -0) : x < 0) ? negate(x) : x;
}

/** Limits `value` to the range from `low` to `high`. @throws TypeError, ValueError */
export function clamp(value: Value, low: Value, high: Value): Value {
  if (low !== null && high !== null && compare(low, high) > 0)
    fail(Errors.ValueError, `clamp(): low ${inspect(low)} is greater than high ${inspect(high)}`);
  if (low !== null && compare(value, low) < 0) return low;
  return high !== null && compare(value, high) > 0 ? high : value;
}

/** Limits `value` to the range from `low` to `high`, or to a range. @throws TypeError, ValueError */
export function clampTo(value: Value, low: Value, high: Value): Value {
  if (!(low instanceof Range)) return clamp(value, low, high);
  if (low.exclusive && low.hi !== null) fail(Errors.ValueError, 'clamp() needs a range that includes its end');
  return clamp(value, low.lo, low.hi);
}

/** As `clampTo`; records are compared by their own `<=>`. */
export function clampAny(vm: NativeContext, value: Value, low: Value, high: Value): Value | undefined {
  return definesOrder(value) && !(low instanceof Range)
    ? vm.answering(clampedByOwn(value, low, high))
    : clampTo(value, low, high);
}

/** The operand as a double. @throws ValueError when it is outside the function's domain */
function within(x: Num, name: string, defined: (n: number) => boolean, where: string): number {
  const n = toDouble(x);
  if (!defined(n) && !Number.isNaN(n))
    fail(
      Errors.ValueError,
      `${name}() needs a number ${where}, got ${x instanceof Float ? inspect(x) : shownInteger(x)}`,
    );
  return n;
}

const notNegative = (n: number): boolean => n >= 0;
const inUnit = (n: number): boolean => n >= -1 && n <= 1;

/** A huge Integer as a double times a power of two. */
function reduced(x: Num): { n: number; exponent: number } {
  if (typeof x !== 'bigint') return { n: toDouble(x), exponent: 0 };
  const exponent = Math.max(0, bitLength(x) - DOUBLE_BITS);
  return { n: Number(x >> BigInt(exponent)), exponent };
}

function sqrt(x: Num): Float {
  within(x, 'sqrt', notNegative, 'of 0 or more');
  return new Float(typeof x === 'bigint' ? nearestRoot(x) : Math.sqrt(toDouble(x)));
}

function logarithm(x: Num, name: string, log: (n: number) => number): Float {
  within(x, name, notNegative, 'of 0 or more');
  const { n, exponent } = reduced(x);
  return new Float(exponent === 0 ? log(n) : log(n) + exponent * log(2));
}

function log(x: Num, base: Num | null): Float {
  const value = logarithm(x, 'log', Math.log);
  return base === null ? value : new Float(value.n / logarithm(base, 'log', Math.log).n);
}

/** The result of the method of a Decimal with the name of a function. */
function byMethod(vm: NativeContext, x: Numeric, name: string, args: Value[]): Value | undefined {
  const fn = vm.methods.find(x, name);
  if (fn === undefined) return fail(Errors.TypeError, `${name}(): x must be Number, got ${typeName(x)}`);
  return fn.impl(vm, x, ...bindNative(fn, args, null)) as Value | undefined;
}

/** Functions defined for all doubles. */
// prettier-ignore
const PLAIN: readonly (readonly [name: string, doc: string, compute: (n: number) => number])[] = [
  ['sin', 'Sine of an angle in radians.', Math.sin],
  ['cos', 'Cosine of an angle in radians.', Math.cos],
  ['tan', 'Tangent of an angle in radians.', Math.tan],
  ['atan', 'Arc tangent in radians.', Math.atan],
  ['sinh', 'Hyperbolic sine.', Math.sinh],
  ['cosh', 'Hyperbolic cosine.', Math.cosh],
  ['tanh', 'Hyperbolic tangent.', Math.tanh],
  ['exp', 'Power of e, the base of natural logarithms.', Math.exp],
  ['cbrt', 'Cube root.', Math.cbrt],
];

function plainRows(): Row[] {
  return PLAIN.map(([name, doc, compute]) => [
    name,
    'x: Number',
    'Float',
    doc,
    (_: unknown, x: Num) => new Float(compute(toDouble(x))),
  ]);
}

// prettier-ignore
export const maths = functions([
  ['abs', 'x: Number|Decimal', 'Number|Decimal', 'Absolute value.', (vm: NativeContext, x: Num | Numeric) => (x instanceof Numeric ? byMethod(vm, x, 'abs', []) : absolute(x))],
  ['floor', 'x: Number|Decimal, digits: Integer = 0', 'Number|Decimal', 'Rounds down to an Integer, or to a number of decimals.', (vm: NativeContext, x: Num | Numeric, digits: Int) => (x instanceof Numeric ? byMethod(vm, x, 'floor', [digits]) : floor(x, digits))],
  ['ceil', 'x: Number|Decimal, digits: Integer = 0', 'Number|Decimal', 'Rounds up to an Integer, or to a number of decimals.', (vm: NativeContext, x: Num | Numeric, digits: Int) => (x instanceof Numeric ? byMethod(vm, x, 'ceil', [digits]) : ceil(x, digits))],
  ['round', 'x: Number|Decimal, digits: Integer = 0, half: String? = nil', 'Number|Decimal', 'Rounds to an Integer, halves away from zero, or to a number of decimals, based on the exact value as in `format`, halves to the even digit. `half` says where halves go: "up" (away from zero), "down" (towards zero) or "even". Halves of a Decimal go to the even digit, unless `half` says otherwise.', (vm: NativeContext, x: Num | Numeric, digits: Int, half: string | null) => (x instanceof Numeric ? byMethod(vm, x, 'round', half === null ? [digits] : [digits, `half ${checkedHalf(half)}`]) : round(x, digits, half))],
  ['clamp', 'x: Any, low: Any, high: Any', 'Any', 'Limits a value to the range from `low` to `high`.', (vm: NativeContext, x: Value, low: Value, high: Value) => clampAny(vm, x, low, high)],
  ['sqrt', 'x: Number', 'Float', 'Square root.', (_: unknown, x: Num) => sqrt(x)],
  ['log', 'x: Number, base: Number? = nil', 'Float', 'Natural logarithm, or logarithm to a base.', (_: unknown, x: Num, base: Num | null) => log(x, base)],
  ['log10', 'x: Number', 'Float', 'Logarithm to base 10.', (_: unknown, x: Num) => logarithm(x, 'log10', Math.log10)],
  ['log2', 'x: Number', 'Float', 'Logarithm to base 2.', (_: unknown, x: Num) => logarithm(x, 'log2', Math.log2)],
  ['asin', 'x: Number', 'Float', 'Arc sine in radians.', (_: unknown, x: Num) => new Float(Math.asin(within(x, 'asin', inUnit, 'from -1 to 1')))],
  ['acos', 'x: Number', 'Float', 'Arc cosine in radians.', (_: unknown, x: Num) => new Float(Math.acos(within(x, 'acos', inUnit, 'from -1 to 1')))],
  ['atan2', 'y: Number, x: Number', 'Float', 'Angle in radians of the point (x, y).', (_: unknown, y: Num, x: Num) => new Float(Math.atan2(toDouble(y), toDouble(x)))],
  ['hypot', 'x: Number, y: Number', 'Float', 'Length of the hypotenuse: the root of x² + y².', (_: unknown, x: Num, y: Num) => new Float(Math.hypot(toDouble(x), toDouble(y)))],
  ['pow', 'x: Number, y: Number', 'Number', 'Power of x with exponent y, like `x ** y`.', (_: unknown, x: Num, y: Num) => power(x, y)],
  ['is_nan', 'x: Any', 'Boolean', 'Whether a value is the Float nan.', (_: unknown, x: Value) => x instanceof Float && Number.isNaN(x.n)],
  ...plainRows(),
]);

/** Functions that compiled code may call with a raw double; they return NaN where `impl` raises. */
const ON_DOUBLES = new Map([
  ['sqrt', Math.sqrt],
  ['log10', Math.log10],
  ['log2', Math.log2],
  ['asin', Math.asin],
  ['acos', Math.acos],
  ...PLAIN.map(([name, , compute]) => [name, compute] as const),
]);
for (const fn of maths) fn.onDouble = ON_DOUBLES.get(fn.name) ?? null;
