import { add, multiply, subtract, toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { functions, type Int, type Num } from '../declare.js';
import { checkElements, countOf } from '../limits.js';
import { tabulated } from '../steps.js';
import { wholeToInteger } from './rounding.js';

/**
 * The numbers from `from` to `to`, `by` apart, including `to` if it is reached exactly (never if `exclusive`). Float
 * elements are computed from the start, so that errors do not accumulate; none is beyond `to`.
 */
export function progression(vm: NativeContext, from: Num, to: Num, by: Num, exclusive = false): Value | undefined {
  const step = toDouble(by);
  if (step === 0 || Number.isNaN(step)) fail(Errors.ValueError, 'step must not be 0');
  if (from instanceof Float || by instanceof Float) return floats(vm, from, to, step, exclusive);
  const count = to instanceof Float ? countUpTo(from, to.n, by, exclusive) : integerCount(from, to, by, exclusive);
  checkElements(count);
  return tabulated(vm, 'sequence', Math.max(0, Number(count)), (i) => add(from, multiply(by, i)));
}

function floats(vm: NativeContext, from: Num, to: Num, step: number, exclusive: boolean): Value | undefined {
  const [start, end] = [toDouble(from), toDouble(to)];
  const count = floatCount(start, end, step, exclusive);
  checkElements(count);
  const limit = step > 0 ? Math.min : Math.max;
  return tabulated(vm, 'sequence', count, (i) => new Float(i === 0 ? start : limit(start + step * i, end)));
}

/**
 * Number of Floats, as Ruby counts them: the quotient may be off by the rounding of its operands. (1.0 − 0.0) / 0.1 is
 * 10, though doubles may yield slightly less.
 */
function floatCount(start: number, end: number, step: number, exclusive: boolean): number {
  const steps = (end - start) / step;
  if (!(steps >= 0)) return 0;
  const error = ((Math.abs(start) + Math.abs(end) + Math.abs(end - start)) / Math.abs(step)) * Number.EPSILON;
  const slack = Math.min(error, 0.5);
  if (!exclusive) return Math.floor(steps + slack) + 1;
  if (start === end) return 0;
  const whole = steps < 1 ? 0 : Math.floor(steps - slack);
  const next = start + step * (whole + 1);
  return whole + ((step > 0 ? next < end : next > end) ? 2 : 1);
}

/** Number of Integers up to a Float. */
function countUpTo(from: Int, to: number, by: Int, exclusive: boolean): Int {
  if (Number.isNaN(to)) return 0;
  if (!Number.isFinite(to)) return by > 0 === to > 0 ? Infinity : 0;
  const last = by > 0 ? Math.floor(to) : Math.ceil(to);
  return integerCount(from, wholeToInteger(last), by, exclusive && last === to);
}

function integerCount(from: Int, to: Int, by: Int, exclusive: boolean): Int {
  const end = exclusive ? (subtract(to, by > 0 ? 1 : -1) as Int) : to;
  const steps = (BigInt(end) - BigInt(from)) / BigInt(by);
  return by > 0 === from <= end || from === end ? steps + 1n : 0n;
}

function seq(vm: NativeContext, from: Num, to: Num | null, by: Num | null): Value | undefined {
  const [start, end]: [Num, Num] = to === null ? [1, from] : [from, to];
  const down = toDouble(end) < toDouble(start);
  if (by === null) return progression(vm, start, end, down && to !== null ? -1 : 1);
  if (down !== toDouble(by) < 0 && toDouble(end) !== toDouble(start))
    fail(Errors.ValueError, `seq(): a step of ${toDouble(by)} moves away from the end`);
  return progression(vm, start, end, by);
}

function linspace(vm: NativeContext, from: Num, to: Num, count: Int): Value | undefined {
  const n = countOf(count, 'count');
  const [a, b] = [toDouble(from), toDouble(to)];
  const steps = Math.max(1, n - 1);
  return tabulated(vm, 'sequence', n, (i) => new Float(i === n - 1 && n > 1 ? b : a + ((b - a) * i) / steps));
}

function rep(vm: NativeContext, value: Value, times: Int): Value | undefined {
  const n = countOf(times, 'times');
  const unit = Array.isArray(value) ? value.slice() : [value];
  return unit.length === 0 ? [] : tabulated(vm, 'sequence', unit.length * n, (i) => unit[i % unit.length]);
}

/** The numbers of the methods `upto` and `downto`. */
export const upto = (vm: NativeContext, from: Num, to: Num): Value | undefined => progression(vm, from, to, 1);
export const downto = (vm: NativeContext, from: Num, to: Num): Value | undefined => progression(vm, from, to, -1);

/** 0, 1 … n − 1. */
export function times(vm: NativeContext, n: Int): Value | undefined {
  checkElements(n);
  return tabulated(vm, 'sequence', Math.max(0, Number(n)), (i) => i);
}

// prettier-ignore
export const sequences = functions([
  ['seq', 'from: Number, to: Number? = nil, by: Number? = nil', 'Vector', 'Numbers from `from` to `to`, `by` apart (1 or -1 if omitted); `seq(n)` counts from 1 to n.', (vm: NativeContext, from: Num, to: Num | null, by: Num | null) => seq(vm, from, to, by)],
  ['linspace', 'from: Number, to: Number, count: Integer', 'Vector', 'Evenly spaced Floats, including both ends.', (vm: NativeContext, from: Num, to: Num, count: Int) => linspace(vm, from, to, count)],
  ['rep', 'value: Any, times: Integer', 'Vector', 'A vector that repeats a value, or the elements of a vector.', (vm: NativeContext, value: Value, n: Int) => rep(vm, value, n)],
]);
