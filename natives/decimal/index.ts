import { Errors, fail } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { quote } from '../../vm/values/text/text.js';
import { floatText } from '../../vm/values/text/text.js';
import { Float, isInteger, isNumber, type Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { functions, methodsOf, type Int, type Num } from '../core/declare.js';
import { clamp } from '../core/numbers/maths.js';
import { addConverter, NUMBER_TEXT } from '../core/fields/convert.js';
import { DECIMAL, DecimalValue, MAX_DIGITS, ROUNDING } from './decimal.js';

/** Characters of a refused text that a message shows. */
const SHOWN = 40;

/** @throws ValueError, OverflowError */
function toDecimal(value: string | Num | DecimalValue): DecimalValue {
  if (value instanceof DecimalValue) return value;
  if (isInteger(value)) return DecimalValue.ofInteger(value);
  const text = value instanceof Float ? floatText(value.n) : value.trim();
  const decimal = DecimalValue.parse(text);
  if (decimal !== null) return decimal;
  const shown = text.length > SHOWN ? `${quote(text.slice(0, SHOWN))}…` : quote(text);
  return fail(Errors.ValueError, `Decimal(): ${value instanceof Float ? text : shown} is not a decimal number`);
}

/** Number of decimals to round to; no number has more than MAX_DIGITS. */
function decimalsOf(digits: Int): number {
  return Math.max(-MAX_DIGITS, Math.min(Number(digits), MAX_DIGITS + 1));
}

/** A Decimal with `digits` decimals, or an Integer if there are none, as for Floats. @throws ValueError, OverflowError */
function round(x: DecimalValue, digits: Int, mode: string): Value {
  if (!Object.hasOwn(ROUNDING, mode)) {
    const known = Object.keys(ROUNDING).map(quote).join(', ');
    fail(Errors.ValueError, `round(): mode must be one of ${known}, got ${quote(mode.slice(0, SHOWN))}`);
  }
  const rounded = x.rounded(decimalsOf(digits), ROUNDING[mode]);
  return digits > 0 ? rounded : rounded.toInteger();
}

/** The number and its rest: quotient rounded down, and remainder. */
function divideWithRest(x: DecimalValue, divisor: Value): Value {
  const quotient = x.operate('//', divisor, false);
  if (quotient === null) return fail(Errors.TypeError, 'divmod() needs a Decimal or an Integer');
  return [(quotient as DecimalValue).toInteger(), x.operate('%', divisor, false)];
}

const make = functions([
  [
    'Decimal',
    'value: String|Integer|Float|Decimal',
    'Decimal',
    'An exact decimal number: of a text, of an Integer, or of the digits with which a Float is printed. ValueError for other texts.',
    (_: unknown, value: string | Num | DecimalValue) => toDecimal(value),
  ],
]);

// prettier-ignore
const decimalMethods = methodsOf('Decimal', [
  ['abs', '', 'Decimal', 'Absolute value.', (_: unknown, x: DecimalValue) => x.abs()],
  ['round', 'digits: Integer = 0, mode: String = "half even"', 'Decimal|Integer', 'Rounds to an Integer, or to a number of decimals, which are all printed. `mode` says how: "half even", "half up", "half down", "up", "down", "ceiling" or "floor".', (_: unknown, x: DecimalValue, digits: Int, mode: string) => round(x, digits, mode)],
  ['floor', 'digits: Integer = 0', 'Decimal|Integer', 'Rounds down to an Integer, or to a number of decimals.', (_: unknown, x: DecimalValue, digits: Int) => round(x, digits, 'floor')],
  ['ceil', 'digits: Integer = 0', 'Decimal|Integer', 'Rounds up to an Integer, or to a number of decimals.', (_: unknown, x: DecimalValue, digits: Int) => round(x, digits, 'ceiling')],
  ['truncate', 'digits: Integer = 0', 'Decimal|Integer', 'Drops the fraction, or decimals after a number of them.', (_: unknown, x: DecimalValue, digits: Int) => round(x, digits, 'down')],
  ['to_i to_int', '', 'Integer', 'The number without its fraction.', (_: unknown, x: DecimalValue) => x.toInteger()],
  ['to_f', '', 'Float', 'The nearest Float.', (_: unknown, x: DecimalValue) => new Float(x.toDouble())],
  ['to_s', '', 'String', 'All digits, without an exponent; `Decimal` reads them back.', (_: unknown, x: DecimalValue) => x.describe()],
  ['scale', '', 'Integer', 'Number of decimals with which it is printed.', (_: unknown, x: DecimalValue) => x.scale],
  ['zero?', '', 'Boolean', 'Whether the number is 0.', (_: unknown, x: DecimalValue) => x.isZero],
  ['positive?', '', 'Boolean', 'Whether the number is greater than 0.', (_: unknown, x: DecimalValue) => !x.isZero && !x.isNegative],
  ['negative?', '', 'Boolean', 'Whether the number is less than 0.', (_: unknown, x: DecimalValue) => x.isNegative],
  ['clamp', 'low: Any, high: Any', 'Any', 'The number limited to the range from `low` to `high`.', (_: unknown, x: DecimalValue, low: Value, high: Value) => clamp(x, low, high)],
  ['divmod', 'divisor: Integer|Decimal', 'Vector', 'Quotient rounded down to an Integer, and remainder.', (_: unknown, x: DecimalValue, divisor: Value) => divideWithRest(x, divisor)],
]);
for (const fn of decimalMethods) DECIMAL.methods.set(fn.name, fn);
[DECIMAL.make] = make;
addConverter('Decimal', (value) => {
  if (typeof value === 'string')
    return NUMBER_TEXT.test(value) ? toDecimal(value.replace(/^([-+]?)\./, '$10.')) : undefined;
  return isNumber(value) ? toDecimal(value) : undefined;
});

/** The type, which makes Decimals when it is called, and their methods. */
export const decimals: readonly NativeFunction[] = [...make, ...decimalMethods];

/** Defines Decimals in a VM. */
export function installDecimal(vm: NativeContext): void {
  vm.globals.set(DECIMAL.name, DECIMAL);
}
