import { toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { floatText } from '../../../vm/values/text/text.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { methodGroup, type Int, type Num, type Row } from '../declare.js';
import { absolute, clampTo } from './maths.js';
import { divisionRows } from './division.js';
import { ceil, floor, round, truncate } from './rounding.js';
import { downto, progression, times, upto } from './sequences.js';

/** Methods of both Integer and Float. */
// prettier-ignore
export const numberRows: readonly Row[] = [
  ['abs', '', 'Number', 'Absolute value.', (_: unknown, x: Num) => absolute(x)],
  ['floor', 'digits: Integer = 0', 'Number', 'Rounds down to an Integer, or to a number of decimals.', (_: unknown, x: Num, digits: Int) => floor(x, digits)],
  ['ceil', 'digits: Integer = 0', 'Number', 'Rounds up to an Integer, or to a number of decimals.', (_: unknown, x: Num, digits: Int) => ceil(x, digits)],
  ['round', 'digits: Integer = 0, half: String? = nil', 'Number', 'Rounds to an Integer, halves away from zero, or to a number of decimals, based on the exact value as in `format`, halves to the even digit. `half` says where halves go: "up" (away from zero), "down" (towards zero) or "even".', (_: unknown, x: Num, digits: Int, half: string | null) => round(x, digits, half)],
  ...divisionRows,
  ['truncate', '', 'Integer', 'The number without its fraction.', (_: unknown, x: Num) => truncate(x)],
  ['to_f', '', 'Float', 'The nearest Float.', (_: unknown, x: Num) => (x instanceof Float ? x : new Float(toDouble(x)))],
  ['zero?', '', 'Boolean', 'Whether the number is 0.', (_: unknown, x: Num) => toDouble(x) === 0],
  ['positive?', '', 'Boolean', 'Whether the number is greater than 0.', (_: unknown, x: Num) => toDouble(x) > 0],
  ['negative?', '', 'Boolean', 'Whether the number is less than 0.', (_: unknown, x: Num) => toDouble(x) < 0],
  ['clamp', 'low: Any, high: Any = nil', 'Number', 'The number limited to the range from `low` to `high`, or to a range.', (_: unknown, x: Num, low: Value, high: Value) => clampTo(x, low, high)],
  ['times', '', 'Vector', 'The Integers from 0 to the number minus 1.', (vm: NativeContext, x: Num) => times(vm, truncate(x))],
  ['upto', 'last: Number', 'Vector', 'The numbers from this one up to `last`.', (vm: NativeContext, x: Num, last: Num) => upto(vm, x, last)],
  ['downto', 'last: Number', 'Vector', 'The numbers from this one down to `last`.', (vm: NativeContext, x: Num, last: Num) => downto(vm, x, last)],
  ['step', 'last: Number, by: Number = 1', 'Vector', 'The numbers from this one to `last`, `by` apart.', (vm: NativeContext, x: Num, last: Num, by: Num) => progression(vm, x, last, by)],
];

// prettier-ignore
export const floatMethods = methodGroup('Float', () => [
  ...numberRows.filter(([name]) => name !== 'times'),
  ['to_i to_int', '', 'Integer', 'The number without its fraction, as an Integer.', (_: unknown, x: Float) => truncate(x)],
  ['to_s', '', 'String', 'Shortest text that reads back as the number.', (_: unknown, x: Float) => floatText(x.n)],
  ['integer?', '', 'Boolean', 'False: this is no Integer.', () => false],
  ['nan?', '', 'Boolean', 'Whether this is nan.', (_: unknown, x: Float) => Number.isNaN(x.n)],
  ['finite?', '', 'Boolean', 'Whether this is neither nan nor infinite.', (_: unknown, x: Float) => Number.isFinite(x.n)],
  ['infinite?', '', 'Boolean', 'Whether this is inf or -inf.', (_: unknown, x: Float) => x.n === Infinity || x.n === -Infinity],
]);
