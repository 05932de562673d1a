import { hashKey } from '../../../vm/members.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { numberBounds } from '../../../vm/values/numberset.js';
import { toText } from '../../../vm/values/text.js';
import { unique, ValueSet } from '../../../vm/values/unique.js';
import { joinIntegers } from '../../../vm/values/unittext.js';
import type { Value } from '../../../vm/values/value.js';
import type { Int, Row } from '../declare.js';
import { checkElements, countOf, joinTexts, positive, tabulate } from '../limits.js';
import { toElements } from './elements.js';

/** Deepest nesting that `flatten` follows: far from what the JavaScript stack can take. */
const MAX_NESTING = 1000;

/** Elements from which on it is worth to look whether all are Integers that lie close together. */
const MANY = 64;

/** Elements of nested vectors, `depth` levels deep. @throws ValueError when a vector holds itself */
function flatten(list: Value[], depth: number): Value[] {
  const out: Value[] = [];
  let visited = 0;
  const walk = (items: Value[], level: number): void => {
    if (level > MAX_NESTING) fail(Errors.ValueError, `cannot flatten a vector nested deeper than ${MAX_NESTING} levels, or one that holds itself`);
    // Visits count, not only elements: vectors that hold one another twice are many without holding anything.
    checkElements((visited += items.length + 1));
    for (const item of items) {
      if (Array.isArray(item) && level < depth) walk(item, level + 1);
      else out.push(item);
    }
  };
  walk(list, 0);
  return out;
}

/** Texts of the elements with a separator between them; nested vectors are taken apart, nil is empty. */
function join(list: Value[], separator: string): string {
  const flat = list.some((item) => Array.isArray(item)) ? flatten(list, Infinity) : list;
  if (flat.length > 0 && flat.every((item) => typeof item === 'number')) return joinIntegers(flat, separator);
  return joinTexts(flat.map((item) => (typeof item === 'string' ? item : toText(item))), separator);
}

/** Vectors of the elements at the same places; what is missing is nil. */
export function zip(list: readonly Value[], others: Value[]): Value[] {
  checkElements(list.length * (others.length + 1));
  const columns = others.map((other) => toElements(other, 'zip'));
  if (columns.length === 1) return pairs(list, columns[0]);
  return tabulate(list.length, (i) => [list[i], ...columns.map((column) => column[i] ?? null)]);
}

function pairs(list: readonly Value[], column: readonly Value[]): Value[] {
  return tabulate(list.length, (i) => [list[i], i < column.length ? column[i] : null]);
}

/** Pieces of `size` elements. */
function slices(list: readonly Value[], size: Int): Value[] {
  const n = positive(size, 'size');
  return tabulate(Math.ceil(list.length / n), (i) => list.slice(i * n, i * n + n));
}

/** All runs of `size` neighbours. */
function runs(list: readonly Value[], size: Int): Value[] {
  const n = positive(size, 'size');
  const count = Math.max(0, list.length - n + 1);
  checkElements(count * n);
  return tabulate(count, (i) => list.slice(i, i + n));
}

/** Every combination of one element from each collection. */
function product(list: Value[], others: Value[]): Value[] {
  let rows: Value[][] = list.map((item) => [item]);
  for (const other of others) {
    const column = toElements(other, 'product');
    checkElements(rows.length * column.length * ((rows[0]?.length ?? 0) + 1));
    rows = rows.flatMap((row) => column.map((item) => [...row, item]));
  }
  return rows;
}

function transpose(list: Value[]): Value[] {
  const rows = list.map((row) => (Array.isArray(row) ? (row as Value[]) : fail(Errors.TypeError, 'transpose(): elements must be Vector')));
  const width = rows[0]?.length ?? 0;
  for (const row of rows) if (row.length !== width) fail(Errors.ValueError, `vectors have different lengths: ${width} and ${row.length}`);
  return Array.from({ length: width }, (_, i) => rows.map((row) => row[i]));
}

/** Number of occurrences by element. */
function tally(list: Value[]): Hash {
  if (list.length >= MANY) {
    const bounds = numberBounds(list);
    if (bounds !== null && bounds.max - bounds.min < list.length * 2) return tallyDense(list as number[], bounds.min, bounds.max);
  }
  const counts = new Hash();
  for (const item of list) {
    const key = hashKey(item);
    counts.set(key, ((counts.get(key) as number | undefined) ?? 0) + 1);
  }
  return counts;
}

/** Integers that lie close together: a counter for each. */
function tallyDense(list: readonly number[], min: number, max: number): Hash {
  const counters = new Int32Array(max - min + 1);
  for (const item of list) counters[item - min]++;
  const counts = new Hash();
  for (const item of list) {
    const count = counters[item - min];
    if (count === 0) continue;
    counts.set(item, count);
    counters[item - min] = 0;
  }
  return counts;
}

function common(list: Value[], others: Value[]): Value[] {
  const sets = others.map((other) => new ValueSet(toElements(other, 'intersect')));
  return unique(sets.reduce((rest, set) => rest.filter((item) => set.has(item)), list));
}

function difference(list: Value[], others: Value[]): Value[] {
  const removed = new ValueSet();
  for (const other of others) for (const item of toElements(other, 'difference')) removed.add(item);
  return list.filter((item) => !removed.has(item));
}

function union(list: Value[], others: Value[]): Value[] {
  return unique(list.concat(...others.map((other) => toElements(other, 'union'))));
}

/** Number of ways to choose `k` of `n`, in order or not; more than can be held is as good as infinite. */
function ways(n: number, k: number, ordered: boolean): number {
  if (k > n) return 0;
  const steps = ordered ? k : Math.min(k, n - k);
  let count = 1;
  for (let i = 0; i < steps && count <= Number.MAX_SAFE_INTEGER; i++) count = ordered ? count * (n - i) : (count * (n - i)) / (i + 1);
  return count;
}

function checkedSize(list: Value[], size: Int, ordered: boolean): number {
  const k = countOf(size, 'size');
  checkElements(ways(list.length, k, ordered) * Math.max(1, k));
  return k;
}

/** All choices of `size` elements in the order of their places. A loop, not a recursion: `size` may be large. */
function combinations(list: Value[], size: Int): Value[] {
  const k = checkedSize(list, size, false);
  const n = list.length;
  const out: Value[] = [];
  if (k > n) return out;
  const places = Array.from({ length: k }, (_, i) => i);
  for (let at = k; at >= 0; ) {
    out.push(places.map((place) => list[place]));
    at = k - 1;
    while (at >= 0 && places[at] === n - k + at) at--;
    if (at >= 0) places[at]++;
    for (let i = at + 1; at >= 0 && i < k; i++) places[i] = places[i - 1] + 1;
  }
  return out;
}

/** All orders of `size` elements: at most eleven of them, by the check of their number. */
function permutations(list: Value[], size: Int): Value[] {
  const k = checkedSize(list, size, true);
  if (k > list.length) return [];
  let rows: number[][] = [[]];
  for (let i = 0; i < k; i++) rows = rows.flatMap((row) => list.flatMap((_, place) => (row.includes(place) ? [] : [[...row, place]])));
  return rows.map((row) => row.map((place) => list[place]));
}

/** Methods that make new collections of the elements of one or several. */
export const combiningRows: readonly Row[] = [
  ['join', 'separator: String = ""', 'String', 'The texts of the elements with a separator between them.', (_: unknown, list: Value[], separator: string) => join(list, separator)],
  ['flatten', 'depth: Integer? = nil', 'Vector', 'The elements of nested vectors, of all levels or the first `depth`.', (_: unknown, list: Value[], depth: Int | null) => flatten(list, depth === null || depth < 0 ? Infinity : Number(depth))],
  ['compact', '', 'Vector', 'The elements that are not nil.', (_: unknown, list: Value[]) => list.filter((item) => item !== null)],
  ['uniq', '', 'Vector', 'The elements without repetitions.', (_: unknown, list: Value[]) => unique(list)],
  ['tally', '', 'Hash', 'How often each element occurs.', (_: unknown, list: Value[]) => tally(list)],
  ['zip zip_with', '*others: Any', 'Vector', 'Vectors of the elements at the same places of this and other collections.', (_: unknown, list: Value[], others: Value[]) => zip(list, others)],
  ['each_slice chunk', 'size: Integer', 'Vector', 'The elements in pieces of `size`.', (_: unknown, list: Value[], size: Int) => slices(list, size)],
  ['each_cons', 'size: Integer', 'Vector', 'All runs of `size` neighbours.', (_: unknown, list: Value[], size: Int) => runs(list, size)],
  ['chunk_while', '', 'Vector', 'All pairs of neighbours.', (_: unknown, list: Value[]) => runs(list, 2)],
  ['product', '*others: Any', 'Vector', 'All combinations of one element from each of the collections.', (_: unknown, list: Value[], others: Value[]) => product(list, others)],
  ['transpose', '', 'Vector', 'Rows made columns.', (_: unknown, list: Value[]) => transpose(list)],
  ['combination', 'size: Integer', 'Vector', 'All choices of `size` elements, whatever their order.', (_: unknown, list: Value[], size: Int) => combinations(list, size)],
  ['permutation', 'size: Integer? = nil', 'Vector', 'All orders of `size` elements, or of all.', (_: unknown, list: Value[], size: Int | null) => permutations(list, size ?? list.length)],
  ['union', '*others: Any', 'Vector', 'The elements of this and other collections, without repetitions.', (_: unknown, list: Value[], others: Value[]) => union(list, others)],
  ['intersect intersection', '*others: Any', 'Vector', 'The elements that are in all collections, without repetitions.', (_: unknown, list: Value[], others: Value[]) => common(list, others)],
  ['difference', '*others: Any', 'Vector', 'The elements that are in none of the other collections.', (_: unknown, list: Value[], others: Value[]) => difference(list, others)],
  ['intersect?', 'other: Any', 'Boolean', 'Whether an element is in another collection too.', (_: unknown, list: Value[], other: Value) => common(list, [other]).length > 0],
];
