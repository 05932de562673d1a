/** Sums by the `+` of records, which is a function of the program. */
import type { Requests } from '../../../vm/calls/caller.js';
import { add } from '../../../vm/values/numbers/arithmetic.js';
import { ownMethod } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';

/** Whether a value is a record with a `+`. */
export function addsItself(value: Value): boolean {
  return ownMethod(value, '+') !== undefined;
}

/** The sum of `initial` and the elements; the left operand decides. @throws TypeError */
export function* sumByOwn(list: readonly Value[], initial: Value): Requests {
  let total = initial;
  for (const item of list) {
    const fn = ownMethod(total, '+');
    total = fn === undefined ? add(total, item) : yield { fn, args: [total, item] };
  }
  return total;
}
