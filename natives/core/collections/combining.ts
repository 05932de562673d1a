import { STEP, type Steps } from '../../../vm/values/steps.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Range } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Int, Row } from '../declare.js';
import { checkElements, positive } from '../limits.js';
import { snapshot, stepped, tabulated, withLists } from '../steps.js';
import { combinations, permutations, product } from './choosing.js';
import { integerBounds, leadingIntegers } from './elements.js';
import { flatten, join } from './joining.js';
import { common, difference, haveCommon, union, uniq } from './sets.js';
import { tally } from './tally.js';

/**
 * Vectors of the elements at the same index, one for each of `list`. Missing elements are nil, surplus ones are
 * dropped.
 */
export function zip(vm: NativeContext, list: readonly Value[], others: Value[]): Value | undefined {
  const size = list.length * (others.length + 1);
  checkElements(size);
  const known = others.map((other) => {
    const bounds = other instanceof Range ? integerBounds(other) : null;
    return bounds === null ? other : leadingIntegers(bounds, list.length);
  });
  return withLists(vm, known, 'zip', (lists) =>
    zipped(
      vm,
      snapshot(list, size),
      lists.map((other) => snapshot(other, size)),
    ),
  );
}

function zipped(vm: NativeContext, rows: readonly Value[], columns: readonly (readonly Value[])[]): Value | undefined {
  const [column] = columns;
  if (columns.length === 1)
    return tabulated(vm, 'zip', rows.length, (i) => [rows[i], i < column.length ? column[i] : null], 2);
  const row = (i: number): Value[] => [rows[i], ...columns.map((one) => one[i] ?? null)];
  return tabulated(vm, 'zip', rows.length, row, columns.length + 1);
}

/** Consecutive pieces of `size` elements. */
function slices(vm: NativeContext, list: readonly Value[], size: Int): Value | undefined {
  const n = positive(size, 'size');
  const count = Math.ceil(list.length / n);
  const weight = Math.min(n, list.length);
  const all = snapshot(list, count * weight);
  return tabulated(vm, 'slices', count, (i) => all.slice(i * n, i * n + n), weight);
}

/** All runs of `size` adjacent elements. */
function runs(vm: NativeContext, list: readonly Value[], size: Int): Value | undefined {
  const n = positive(size, 'size');
  const count = Math.max(0, list.length - n + 1);
  checkElements(count * n);
  const all = snapshot(list, count * n);
  return tabulated(vm, 'slices', count, (i) => all.slice(i, i + n), n);
}

function transpose(vm: NativeContext, list: readonly Value[]): Value | undefined {
  const rows = list.map((row) =>
    Array.isArray(row) ? row : fail(Errors.TypeError, 'transpose(): elements must be Vector'),
  );
  const width = rows[0]?.length ?? 0;
  for (const row of rows)
    if (row.length !== width) fail(Errors.ValueError, `vectors have different lengths: ${width} and ${row.length}`);
  return stepped(vm, 'transpose', rows.length * width, transposed(rows, width));
}

function* transposed(rows: readonly Value[][], width: number): Steps {
  const out: Value[] = [];
  let left = STEP;
  for (let i = 0; i < width; i++) {
    const column: Value[] = [];
    out.push(column);
    for (let lo = 0; lo < rows.length; lo += STEP) {
      const hi = Math.min(lo + STEP, rows.length);
      // Others may shorten a row between two steps.
      for (let j = lo; j < hi; j++) column.push(rows[j][i] ?? null);
      left -= hi - lo;
      if (left > 0) continue;
      left = STEP;
      yield;
    }
  }
  return out;
}

/** Methods that make new collections from the elements of one or several. */
// prettier-ignore
export const combiningRows: readonly Row[] = [
  ['join', 'separator: String = ""', 'String', 'The texts of the elements with a separator between them.', (vm: NativeContext, list: Value[], separator: string) => join(vm, list, separator)],
  ['flatten', 'depth: Integer? = nil', 'Vector', 'The elements of nested vectors, of all levels or the first `depth`.', (vm: NativeContext, list: Value[], depth: Int | null) => flatten(vm, list, depth === null || depth < 0 ? Infinity : Number(depth))],
  ['compact', '', 'Vector', 'The elements that are not nil.', (_: unknown, list: Value[]) => list.filter((item) => item !== null)],
  ['uniq', '', 'Vector', 'The elements without repetitions.', (vm: NativeContext, list: Value[]) => uniq(vm, list)],
  ['tally', '', 'Hash', 'How often each element occurs.', (vm: NativeContext, list: Value[]) => tally(vm, list)],
  ['zip zip_with', '*others: Any', 'Vector', 'Vectors of the elements at the same index, one for each of this collection; missing elements are nil, surplus ones are dropped.', (vm: NativeContext, list: Value[], others: Value[]) => zip(vm, list, others)],
  ['each_slice chunk', 'size: Integer', 'Vector', 'The elements in pieces of `size`.', (vm: NativeContext, list: Value[], size: Int) => slices(vm, list, size)],
  ['each_cons', 'size: Integer', 'Vector', 'All runs of `size` adjacent elements.', (vm: NativeContext, list: Value[], size: Int) => runs(vm, list, size)],
  ['chunk_while slice_when', '', 'Vector', 'All pairs of adjacent elements.', (vm: NativeContext, list: Value[]) => runs(vm, list, 2)],
  ['product', '*others: Any', 'Vector', 'All combinations of one element from each of the collections.', (vm: NativeContext, list: Value[], others: Value[]) => product(vm, list, others)],
  ['transpose unzip', '', 'Vector', 'Exchanges rows and columns.', (vm: NativeContext, list: Value[]) => transpose(vm, list)],
  ['combination', 'size: Integer', 'Vector', 'All choices of `size` elements, regardless of order.', (vm: NativeContext, list: Value[], size: Int) => combinations(vm, list, size)],
  ['permutation', 'size: Integer? = nil', 'Vector', 'All ordered choices of `size` elements, by default of all.', (vm: NativeContext, list: Value[], size: Int | null) => permutations(vm, list, size ?? list.length)],
  ['union', '*others: Any', 'Vector', 'The elements of this and other collections, without repetitions.', (vm: NativeContext, list: Value[], others: Value[]) => union(vm, list, others)],
  ['intersect intersection &', '*others: Any', 'Vector', 'The elements in all collections, without repetitions.', (vm: NativeContext, list: Value[], others: Value[]) => common(vm, list, others)],
  ['difference', '*others: Any', 'Vector', 'The elements in none of the other collections.', (vm: NativeContext, list: Value[], others: Value[]) => difference(vm, list, others)],
  ['intersect?', 'other: Any', 'Boolean', 'Whether any element is also in another collection.', (vm: NativeContext, list: Value[], other: Value) => haveCommon(vm, list, other)],
];
