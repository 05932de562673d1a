/** Natives over many elements: at once for few of them, in pieces for many, so that no call holds up the other threads. */
import { finish, STEP, type Steps } from '../../vm/longwork.js';
import type { Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import { checkElements, tabulate } from './limits.js';

/** What `steps` give: at once when no more than a step's worth of elements is worked on, else in pieces. */
export function stepped(vm: VM, what: string, size: number, steps: Steps): Value | undefined {
  return size <= STEP ? finish(steps) : vm.inPieces(what, steps);
}

/** The vector as it is now, when the work on it, of `size` elements, is to be done in pieces: others may change it meanwhile. */
export function snapshot(list: readonly Value[], size = list.length): readonly Value[] {
  return size <= STEP ? list : list.slice();
}

/** A vector of `count` elements, each made from its index. `weight` says how many elements one of them holds itself. @throws MemoryError */
export function tabulated(vm: VM, what: string, count: number, make: (i: number) => Value, weight = 1): Value | undefined {
  return count * weight <= STEP ? tabulate(count, make) : vm.inPieces(what, tabulateSteps(count, make, weight));
}

/** The same in steps. @throws MemoryError */
function* tabulateSteps(count: number, make: (i: number) => Value, weight = 1): Generator<void, Value[], void> {
  checkElements(count);
  const out: Value[] = [];
  const part = Math.max(1, Math.floor(STEP / weight));
  for (let lo = 0; lo < count; lo += part) {
    const hi = Math.min(lo + part, count);
    for (let i = lo; i < hi; i++) out.push(make(i));
    if (hi < count) yield;
  }
  return out;
}

/** The elements for which `keep` holds, in steps. */
export function* filterSteps(list: readonly Value[], keep: (item: Value) => boolean): Generator<void, Value[], void> {
  const out: Value[] = [];
  for (let lo = 0; lo < list.length; lo += STEP) {
    const hi = Math.min(lo + STEP, list.length);
    for (let i = lo; i < hi; i++) if (keep(list[i])) out.push(list[i]);
    if (hi < list.length) yield;
  }
  return out;
}
