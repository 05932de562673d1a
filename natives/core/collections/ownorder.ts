/** Sorting by the `<=>` of records, which is a function of the program. */
import type { Requests } from '../../../vm/calls/caller.js';
import { orderOf } from '../../../vm/interpreter/ownoperators.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { ownMethod } from '../../../vm/values/structured.js';
import { inspect } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import { strictOrder } from './order.js';

/** Whether a value is a record with a `<=>`. */
export function definesOrder(value: Value): boolean {
  return ownMethod(value, '<=>') !== undefined;
}

/** Whether the elements are records with a `<=>`; the first one decides. */
export function ordersItself(list: readonly Value[]): boolean {
  return list.length > 0 && definesOrder(list[0]);
}

/** The order of two values. @throws TypeError if they have none */
function* order(a: Value, b: Value): Generator<{ fn: Value; args: Value[] }, number, Value> {
  const fn = ownMethod(a, '<=>');
  if (fn === undefined) return strictOrder(a, b);
  const result = orderOf(yield { fn, args: [a, b] }, a, b);
  return Number.isNaN(result) ? fail(Errors.TypeError, `cannot compare ${typeName(a)} with ${typeName(b)}`) : result;
}

/** `items` sorted stably by their `keys`, ascending (`sign` 1) or descending (−1). Uses up both lists. */
export function* sortedByOwn(keys: Value[], items: Value[], sign: number): Requests {
  let from = keys.map((_, i) => i);
  let to = from.slice();
  for (let width = 1; width < from.length; width *= 2) {
    for (let lo = 0; lo < from.length; lo += 2 * width) {
      const mid = Math.min(lo + width, from.length);
      const hi = Math.min(lo + 2 * width, from.length);
      let [i, j] = [lo, mid];
      for (let k = lo; k < hi; k++) {
        const isLeft = i < mid && (j >= hi || (yield* order(keys[from[i]], keys[from[j]])) * sign <= 0);
        to[k] = isLeft ? from[i++] : from[j++];
      }
    }
    [from, to] = [to, from];
  }
  return from.map((i) => items[i]);
}

/** The first `n` elements in ascending or descending order. */
export function* leadingByOwn(list: Value[], n: number, sign: number): Requests {
  const all = (yield* sortedByOwn(list, list, sign)) as Value[];
  return all.slice(0, n);
}

/** The least element (`sign` 1) or the greatest (−1). */
export function* extremeByOwn(list: readonly Value[], sign: number): Requests {
  let best = list[0];
  for (let i = 1; i < list.length; i++) if ((yield* order(list[i], best)) * sign < 0) best = list[i];
  return best;
}

/** The least and the greatest element. */
export function* extremesByOwn(list: readonly Value[]): Requests {
  return [yield* extremeByOwn(list, 1), yield* extremeByOwn(list, -1)];
}

/** Whether `value` is between two others. */
export function* betweenByOwn(value: Value, low: Value, high: Value): Requests {
  return (yield* order(value, low)) >= 0 && (yield* order(value, high)) <= 0;
}

/** Limits `value` to the range from `low` to `high`; nil is no limit. @throws ValueError */
export function* clampedByOwn(value: Value, low: Value, high: Value): Requests {
  if (low !== null && high !== null && (yield* order(low, high)) > 0)
    fail(Errors.ValueError, `clamp(): low ${inspect(low)} is greater than high ${inspect(high)}`);
  if (low !== null && (yield* order(value, low)) < 0) return low;
  return high !== null && (yield* order(value, high)) > 0 ? high : value;
}
