import { STEP } from '../../../vm/values/steps.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Int } from '../declare.js';
import { checkElements, countOf } from '../limits.js';
import { snapshot, stepped, tabulated, withLists } from '../steps.js';

/** Every combination of one element from each collection. */
export function product(vm: NativeContext, list: readonly Value[], others: Value[]): Value | undefined {
  return withLists(vm, others, 'product', (lists) => productOf(vm, [list, ...lists]));
}

function productOf(vm: NativeContext, columns: readonly (readonly Value[])[]): Value | undefined {
  let count = columns[0].length;
  for (const [c, column] of columns.entries()) {
    if (c === 0) continue;
    checkElements(count * column.length * (c + 1));
    count *= column.length;
  }
  const size = count * columns.length;
  const kept = columns.map((column) => snapshot(column, size));
  // The last column changes with each row; each earlier one changes when all later ones have run through.
  const strides = columns.map(() => 1);
  for (let c = columns.length - 2; c >= 0; c--) strides[c] = strides[c + 1] * columns[c + 1].length;
  return tabulated(
    vm,
    'product',
    count,
    (i) => kept.map((column, c) => column[Math.floor(i / strides[c]) % column.length]),
    columns.length,
  );
}

/** Number of ways to choose `k` of `n`, in order or not. Stops counting once it is too large to hold. */
function ways(n: number, k: number, ordered: boolean): number {
  if (k > n) return 0;
  const steps = ordered ? k : Math.min(k, n - k);
  let count = 1;
  for (let i = 0; i < steps && count <= Number.MAX_SAFE_INTEGER; i++)
    count = ordered ? count * (n - i) : (count * (n - i)) / (i + 1);
  return count;
}

/** Moves `places` to the next choice; returns false when there is none. */
type Next = (places: number[]) => boolean;

/** The elements for all choices of `size` places, starting with the first places. */
function choices(
  vm: NativeContext,
  what: string,
  list: readonly Value[],
  size: Int,
  ordered: boolean,
): Value | undefined {
  const k = countOf(size, 'size');
  const count = ways(list.length, k, ordered) * Math.max(1, k);
  checkElements(count);
  if (k > list.length) return [];
  const work = Math.max(count, list.length);
  const next = ordered ? nextOrder(list.length, k) : nextCombination(list.length, k);
  return stepped(vm, what, work, chosen(snapshot(list, work), k, next));
}

function* chosen(list: readonly Value[], k: number, next: Next): Generator<void, Value[], void> {
  const places = Array.from({ length: k }, (_, i) => i);
  const out: Value[] = [];
  let left = STEP;
  do {
    out.push(places.map((place) => list[place]));
    left -= k + 1;
    if (left > 0) continue;
    left = STEP;
    yield;
  } while (next(places));
  return out;
}

/** All choices of `size` elements, ordered by their places. */
export function combinations(vm: NativeContext, list: readonly Value[], size: Int): Value | undefined {
  return choices(vm, 'combination', list, size, false);
}

function nextCombination(n: number, k: number): Next {
  return (places) => {
    let at = k - 1;
    while (at >= 0 && places[at] === n - k + at) at--;
    if (at < 0) return false;
    places[at]++;
    for (let i = at + 1; i < k; i++) places[i] = places[i - 1] + 1;
    return true;
  };
}

/** All orders of `size` elements; the limit on elements allows at most eleven. */
export function permutations(vm: NativeContext, list: readonly Value[], size: Int): Value | undefined {
  return choices(vm, 'permutation', list, size, true);
}

function nextOrder(n: number, k: number): Next {
  const used = new Uint8Array(n).fill(1, 0, k);
  const freeFrom = (from: number): number => {
    let place = from;
    while (place < n && used[place] === 1) place++;
    return place;
  };
  const take = (places: number[], at: number, place: number): void => {
    places[at] = place;
    used[place] = 1;
  };
  return (places) => {
    for (let at = k - 1; at >= 0; at--) {
      const place = freeFrom(places[at] + 1);
      used[places[at]] = 0;
      if (place === n) continue;
      take(places, at, place);
      for (let i = at + 1; i < k; i++) take(places, i, freeFrom(0));
      return true;
    }
    return false;
  };
}
