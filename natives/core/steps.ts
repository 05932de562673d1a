/**
 * Natives over many elements run at once for few elements and in pieces for many, so that no call blocks the other
 * threads.
 */
import { gathered } from '../../vm/calls/gathering.js';
import { pulledFrom } from '../../vm/calls/sequence.js';
import { stringsOf } from '../../vm/values/iteration.js';
import { finish, STEP, type Steps } from '../../vm/values/steps.js';
import { Bytes } from '../../vm/values/bytes.js';
import { afterwards } from '../../vm/calls/native.js';
import { add } from '../../vm/values/numbers/arithmetic.js';
import { ownMethod, Range, RecordValue } from '../../vm/values/structured.js';
import { equal } from '../../vm/values/equal.js';
import { equalSteps as deepEqualSteps } from '../../vm/values/equalsteps.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { Hash } from '../../vm/values/hash.js';
import { SetValue } from '../../vm/values/set.js';
import { keysSteps } from '../../vm/values/stepwise.js';
import type { Value } from '../../vm/values/value.js';
import { weigh } from '../../vm/values/weight.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { countBetween, integerBounds, toElements } from './collections/elements.js';
import { comparesItself, comparingByOwn } from './collections/ownequal.js';
import { unfold, type Row } from './declare.js';
import { Gathered } from './gathered.js';
import { AT_ONCE, checkElements, tabulate } from './limits.js';

/** The result of `steps`: at once for at most one step's worth of elements, otherwise in pieces. */
export function stepped(vm: NativeContext, what: string, size: number, steps: Steps): Value | undefined {
  return size <= STEP ? finish(steps) : vm.inPieces(what, steps);
}

/**
 * A copy of the vector if work on `size` elements runs in pieces, since others may change it meanwhile; otherwise the
 * vector itself.
 */
export function snapshot(list: readonly Value[], size = list.length): readonly Value[] {
  return size <= STEP ? list : list.slice();
}

/**
 * A vector of `count` elements, each made from its index. `weight` is the number of elements in each of them. @throws
 * MemoryError
 */
export function tabulated(
  vm: NativeContext,
  what: string,
  count: number,
  make: (i: number) => Value,
  weight = 1,
): Value | undefined {
  return count * weight <= STEP ? tabulate(count, make) : vm.inPieces(what, tabulateSteps(count, make, weight));
}

/** Like `tabulated`, in steps. @throws MemoryError */
export function* tabulateSteps(count: number, make: (i: number) => Value, weight = 1): Generator<void, Value[], void> {
  checkElements(count * weight);
  const out = new Array<Value>(Math.min(count, AT_ONCE));
  const part = Math.max(1, Math.floor(STEP / weight));
  for (let lo = 0; lo < count; lo += part) {
    const hi = Math.min(lo + part, count);
    for (let i = lo; i < hi; i++) {
      if (i < AT_ONCE) out[i] = make(i);
      else out.push(make(i));
    }
    if (hi < count) yield;
  }
  return out;
}

/** The work of `comparing`: called with the index of each element equal to the item; false ends the search. */
type Visit = (i: number) => boolean;

/** Whether comparing all elements with `item` takes no more than one step. */
function areFew(list: readonly Value[], item: Value): boolean {
  return list.length * (weigh(item) + 1) <= STEP;
}

/** Whether the first element equal to `item` is found at once, and no record of a program decides what is equal. */
export function isFoundAtOnce(list: readonly Value[], item: Value): boolean {
  return areFew(list, item) && !comparesItself(list, item);
}

/**
 * Calls `visit` for the elements equal to `item`, from the end when `backwards`, then returns the result of `done`: at
 * once when there is little to compare, otherwise in pieces. `done` receives the elements as they were at the start.
 */
export function comparing(
  vm: NativeContext,
  what: string,
  list: readonly Value[],
  item: Value,
  visit: Visit,
  done: (all: readonly Value[]) => Value,
  backwards = false,
): Value | undefined {
  if (comparesItself(list, item)) return vm.answering(comparingByOwn(list.slice(), item, visit, done, backwards));
  if (!areFew(list, item)) return vm.inPieces(what, comparingSteps(list.slice(), item, visit, done, backwards));
  // Not by the steps: for a short vector, a generator takes several times as long.
  for (let k = 0; k < list.length; k++) {
    const i = backwards ? list.length - 1 - k : k;
    if (equal(list[i], item) && !visit(i)) break;
  }
  return done(list);
}

function* comparingSteps(
  list: readonly Value[],
  item: Value,
  visit: Visit,
  done: (all: readonly Value[]) => Value,
  backwards: boolean,
): Generator<void, Value, void> {
  const weight = weigh(item) + 1;
  let left = STEP;
  for (let k = 0; k < list.length; k++) {
    const i = backwards ? list.length - 1 - k : k;
    if ((weight <= STEP ? equal(list[i], item) : yield* deepEqualSteps(list[i], item)) && !visit(i)) break;
    left -= weight;
    if (left > 0) continue;
    left = STEP;
    yield;
  }
  return done(list);
}

/** Calls `then` with the elements of a collection; many elements are gathered in pieces. */
export function withElements(
  vm: NativeContext,
  source: Value,
  name: string,
  then: (list: Value[]) => Value | undefined | void,
): Value | undefined | void {
  const iterator = pulledFrom(source);
  if (iterator !== null) {
    const list: Value[] = [];
    const gather = (): undefined => vm.answering(gathered(iterator, (item) => list.push(item) > 0, list));
    return afterwards(vm, gather, () => then(list) as Value | undefined);
  }
  if (!isLong(source)) return then(toElements(source, name));
  const bounds = source instanceof Range ? integerBounds(source) : null;
  if (bounds !== null) checkElements(countBetween(bounds, name));
  const gather = (): Value | undefined => vm.inPieces(name, elementSteps(source, name));
  return afterwards(vm, gather, (list) => then(list as Value[]) as Value | undefined);
}

/** As `withElements`, for several collections. Vectors are not copied. */
export function withLists(
  vm: NativeContext,
  sources: readonly Value[],
  name: string,
  then: (lists: readonly (readonly Value[])[]) => Value | undefined,
): Value | undefined {
  const lists: (readonly Value[])[] = [];
  const next = (): Value | undefined => {
    while (lists.length < sources.length) {
      const source = sources[lists.length];
      if (isLong(source) || (source instanceof RecordValue && ownMethod(source, 'each') !== undefined))
        return withElements(vm, source, name, (list) => {
          lists.push(list);
          return next();
        }) as Value | undefined;
      lists.push(toElements(source, name));
    }
    return then(lists);
  };
  return next();
}

/** Maximum letters of the end of a range of texts with few elements. */
const MAX_SHORT_LETTERS = 2;

function isLong(source: Value): boolean {
  if (source instanceof Hash || source instanceof SetValue) return source.size > STEP;
  if (source instanceof Bytes) return source.length > STEP;
  if (!(source instanceof Range)) return source instanceof RecordValue && source.size > STEP;
  const bounds = integerBounds(source);
  if (bounds === null) return typeof source.hi === 'string' && source.hi.length > MAX_SHORT_LETTERS;
  return bounds.last !== null && countBetween(bounds, '') > STEP;
}

/** Characters of texts made in one step. */
const UNITS = 1 << 17;

/** `toElements` in steps. @throws the same errors */
function* elementSteps(source: Value, name: string): Generator<void, Value[], void> {
  if (source instanceof Bytes) return yield* tabulateSteps(source.length, (i) => source.data[i]);
  const bounds = source instanceof Range ? integerBounds(source) : null;
  if (bounds !== null) {
    const { first } = bounds;
    const count = Number(countBetween(bounds, name));
    const isSmall = typeof first === 'number' && first + count <= Number.MAX_SAFE_INTEGER;
    return yield* tabulateSteps(count, isSmall ? (i) => first + i : (i) => add(first, i));
  }
  if (source instanceof SetValue) return yield* keysSteps(source.elements);
  if (source instanceof Hash || source instanceof RecordValue) {
    const hash = source instanceof Hash ? source : source.fields;
    const [keys, values] = [hash.keys(), hash.values()];
    return yield* tabulateSteps(keys.length, (i) => [keys[i], values[i]]);
  }
  if (!(source instanceof Range) || typeof source.lo !== 'string' || typeof source.hi !== 'string')
    return toElements(source, name);
  const out = new Gathered<Value>();
  let left = UNITS;
  for (const text of stringsOf(source)) {
    out.add(text);
    left -= text.length + 16;
    if (left > 0) continue;
    left = UNITS;
    yield;
  }
  return yield* out.all();
}

/** The same rows for receivers with elements; these are passed to the implementations. */
export function overElements(rows: readonly Row[]): Row[] {
  return unfold(rows).map(([name, signature, result, doc, impl]) => {
    const wrapped: NativeFunction['impl'] = (vm: NativeContext, receiver: Value, a: unknown, b: unknown, c: unknown) =>
      withElements(vm, receiver, name, (list) => impl(vm, list, a, b, c));
    return [name, signature, result, doc, wrapped];
  });
}
