/** Searching by the `==` of records, which is a function of the program. */
import type { Request, Requests } from '../../../vm/calls/caller.js';
import { native } from '../../../vm/calls/native.js';
import { attempt } from '../../../vm/values/cost.js';
import { equal } from '../../../vm/values/equal.js';
import { equalSteps } from '../../../vm/values/equalsteps.js';
import { ownMethod, RecordType } from '../../../vm/values/structured.js';
import { truthy, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';

const EQUAL = native(
  '==',
  'a: Any, b: Any',
  'Boolean',
  'Compares two values.',
  (vm: NativeContext, a: Value, b: Value) => attempt(equal, a, b) ?? vm.inPieces('compare', equalSteps(a, b)),
);

/** The request whose answer is that of `a == b`, by the method of `a` if it has one. */
export function equality(a: Value, b: Value): Request {
  return { fn: ownMethod(a, '==') ?? EQUAL, args: [a, b] };
}

/** Whether elements are compared by a `==` of records: that of the item, or of the first element. */
export function comparesItself(list: readonly Value[], item: Value): boolean {
  if (!RecordType.haveEquality) return false;
  return ownMethod(item, '==') !== undefined || (list.length > 0 && ownMethod(list[0], '==') !== undefined);
}

/** `comparing` of `steps.ts`, with a request for each element. */
export function* comparingByOwn(
  list: readonly Value[],
  item: Value,
  visit: (i: number) => boolean,
  done: (all: readonly Value[]) => Value,
  backwards: boolean,
): Requests {
  for (let k = 0; k < list.length; k++) {
    const i = backwards ? list.length - 1 - k : k;
    if (truthy(yield equality(list[i], item)) && !visit(i)) break;
  }
  return done(list);
}
