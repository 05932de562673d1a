import { add, multiply, subtract, toDouble } from '../../../vm/values/arithmetic.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { functions, type Int, type Num } from '../declare.js';
import { checkElements, countOf, tabulate } from '../limits.js';

/** Slack when Floats are counted: (1.0 − 0.0) / 0.1 is 10, though the doubles say a little less. */
const SLACK = 1e-9;

/**
 * The numbers from `from` to `to`, `by` apart, the last one included when it is met (or always left out when `exclusive`). Float elements
 * are computed from the start, so that errors do not add up.
 */
export function progression(from: Num, to: Num, by: Num, exclusive = false): Value[] {
  const step = toDouble(by);
  if (step === 0 || Number.isNaN(step)) fail(Errors.ValueError, 'step must not be 0');
  const count = [from, to, by].some((x) => x instanceof Float) ? floatCount(from, to, step, exclusive) : integerCount(from as Int, to as Int, by as Int, exclusive);
  checkElements(count);
  return tabulate(Math.max(0, Number(count)), (i) => add(from, multiply(by, i)));
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

function seq(from: Num, to: Num | null, by: Num | null): Value[] {
  const [start, end]: [Num, Num] = to === null ? [1, from] : [from, to];
  const down = toDouble(end) < toDouble(start);
  if (by === null) return progression(start, end, down && to !== null ? -1 : 1);
  if (down !== toDouble(by) < 0 && toDouble(end) !== toDouble(start)) fail(Errors.ValueError, `seq(): a step of ${toDouble(by)} leads away from the end`);
  return progression(start, end, by);
}

function linspace(from: Num, to: Num, count: Int): Value[] {
  const n = countOf(count, 'count');
  const [a, b] = [toDouble(from), toDouble(to)];
  const steps = Math.max(1, n - 1);
  return tabulate(n, (i) => new Float(i === n - 1 && n > 1 ? b : a + ((b - a) * i) / steps));
}

function rep(value: Value, times: Int): Value {
  const n = countOf(times, 'times');
  const unit = Array.isArray(value) ? value : [value];
  return unit.length === 0 ? [] : tabulate(unit.length * n, (i) => unit[i % unit.length]);
}

/** Numbers that the `times`, `upto`, `downto` methods go through. */
export const upto = (from: Num, to: Num): Value[] => progression(from, to, 1);
export const downto = (from: Num, to: Num): Value[] => progression(from, to, -1);

/** 0, 1 … n − 1. */
export function times(n: Int): Value[] {
  checkElements(n);
  return tabulate(Math.max(0, Number(n)), (i) => i);
}

export const sequences = functions([
  ['seq', 'from: Number, to: Number? = nil, by: Number? = nil', 'Vector', 'Numbers from `from` to `to`, `by` apart (1 or -1 when left out); `seq(n)` goes from 1 to n.', (_: unknown, from: Num, to: Num | null, by: Num | null) => seq(from, to, by)],
  ['linspace', 'from: Number, to: Number, count: Integer', 'Vector', 'Evenly spaced Floats, both ends included.', (_: unknown, from: Num, to: Num, count: Int) => linspace(from, to, count)],
  ['rep', 'value: Any, times: Integer', 'Vector', 'A vector that repeats a value, or the elements of a vector.', (_: unknown, value: Value, n: Int) => rep(value, n)],
]);
