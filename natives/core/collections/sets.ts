import type { Steps } from '../../../vm/values/steps.js';
import { areFewPlain, unique, uniqueSteps, ValueSet } from '../../../vm/values/unique.js';
import type { Value } from '../../../vm/values/value.js';
import { isLarge, LIGHT, weigh } from '../../../vm/values/weight.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { withLists } from '../steps.js';

type List = readonly Value[];

function isMuch(list: List): boolean {
  return isLarge(list);
}

function areMuch(lists: readonly List[]): boolean {
  return lists.reduce((sum, list) => sum + weigh(list as Value[]), 0) > LIGHT;
}

/** The elements without repetitions. */
export function uniq(vm: NativeContext, list: List): Value | undefined {
  return isMuch(list) ? vm.inPieces('uniq', uniqueSteps(list.slice())) : unique(list);
}

/** The elements that are in all collections, without repetitions. */
export function common(vm: NativeContext, list: List, others: Value[]): Value | undefined {
  return withLists(vm, others, 'intersect', (lists) =>
    areMuch([list, ...lists]) ? vm.inPieces('intersect', commonSteps(list.slice(), lists)) : commonNow(list, lists),
  );
}

/** Whether any element is in the other collection too. */
export function haveCommon(vm: NativeContext, list: List, other: Value): Value | undefined {
  return withLists(vm, [other], 'intersect', (lists) =>
    areMuch([list, ...lists])
      ? vm.inPieces('intersect?', haveCommonSteps(list.slice(), lists))
      : commonNow(list, lists).length > 0,
  );
}

function commonNow(list: List, lists: readonly List[]): Value[] {
  if (areFewPlain(list) && lists.every(areFewPlain))
    return unique(list.filter((item) => lists.every((other) => other.includes(item))));
  const sets = lists.map((other) => new ValueSet(other));
  return unique(sets.reduce((rest, set) => rest.filter((item) => set.has(item)), list));
}

/** Other threads may change a vector meanwhile, so each is copied when its turn comes: copying all takes too long. */
function* commonSteps(list: List, lists: readonly List[]): Generator<void, Value[], void> {
  let rest = list;
  for (const other of lists) {
    const set = new ValueSet();
    yield* set.addInSteps(other.slice());
    rest = yield* set.chosenInSteps(rest, true);
    yield;
  }
  return yield* uniqueSteps(rest);
}

function* haveCommonSteps(list: List, lists: readonly List[]): Steps {
  return (yield* commonSteps(list, lists)).length > 0;
}

/** The elements that are in none of the other collections. */
export function difference(vm: NativeContext, list: List, others: Value[]): Value | undefined {
  return withLists(vm, others, 'difference', (lists) => {
    if (areMuch([list, ...lists])) return vm.inPieces('difference', differenceSteps(list.slice(), lists));
    if (areFewPlain(list) && lists.every(areFewPlain))
      return list.filter((item) => !lists.some((other) => other.includes(item)));
    const removed = new ValueSet();
    for (const other of lists) for (const item of other) removed.add(item);
    return list.filter((item) => !removed.has(item));
  });
}

/** Copies vectors as `commonSteps` does. */
function* differenceSteps(list: List, lists: readonly List[]): Steps {
  const removed = new ValueSet();
  for (const other of lists) {
    yield* removed.addInSteps(other.slice());
    yield;
  }
  return yield* removed.chosenInSteps(list, false);
}

/** The elements of all collections, without repetitions. */
export function union(vm: NativeContext, list: List, others: Value[]): Value | undefined {
  return withLists(vm, others, 'union', (lists) => {
    const all = list.concat(...lists);
    return isMuch(all) ? vm.inPieces('union', uniqueSteps(all)) : unique(all);
  });
}
