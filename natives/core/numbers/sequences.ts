import { add, multiply, subtract, toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { functions, type Int, type Num } from '../declare.js';
import { checkElements, countOf } from '../limits.js';
import { tabulated } from '../steps.js';

/** Tolerance when counting Floats: (1.0 − 0.0) / 0.1 is 10, though doubles yield slightly less. */
const SLACK = 1e-9;

/**
 * The numbers from `from` to `to`, `by` apart, including `to` if it is reached exactly (never if `exclusive`). Float
 * elements are computed from the start, so that errors do not accumulate.
 */
export function progression(vm: NativeContext, from: Num, to: Num, by: Num, exclusive = false): Value | undefined {
  const step = toDouble(by);
  if (step === 0 || Number.isNaN(step)) fail(Errors.ValueError, 'step must not be 0');
  const count = [from, to, by].some((x) => x instanceof Float)
    ? floatCount(from, to, step, exclusive)
    : integerCount(from as Int, to as Int, by as Int, exclusive);
  checkElements(count);
  return tabulated(vm, 'sequence', Math.max(0, Number(count)), (i) => add(from, multiply(by, i)));
}

function floatCount(from: Num, to: Num, step: number, exclusive: boolean): number {
  const steps = (toDouble(to) - toDouble(from)) / step;
  if (Number.isNaN(steps)) return 0;
  const count = Math.floor(steps + SLACK) + 1;
  return exclusive && Math.abs(steps - Math.round(steps)) <= SLACK ? count - 1 : count;
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
