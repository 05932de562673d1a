/** The order of elements that are sorted. */
import { compare } from '../../../vm/values/equal.js';
import { compareSteps } from '../../../vm/values/equalsteps.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';

/** The order of two elements, which must have one: an element that is less than no other could be put anywhere. */
export function strictOrder(a: Value, b: Value): number {
  return known(compare(a, b), a, b);
}

/** `strictOrder` in steps. */
export function* strictOrderSteps(a: Value, b: Value): Generator<void, number, void> {
  return known(yield* compareSteps(a, b), a, b);
}

/** @throws ValueError */
function known(order: number, a: Value, b: Value): number {
  if (Number.isNaN(order))
    fail(Errors.ValueError, `cannot compare ${typeName(a)} and ${typeName(b)}: nan is neither less nor greater`);
  return order;
}
