import { fillUpTo, sliceBounds, vectorIndex } from '../../../vm/calls/members.js';
import { neverSuspends } from '../../../vm/calls/native.js';
import { charge } from '../../../vm/values/cost.js';
import { shift as shiftOne, takeFirst, unshift } from '../../../vm/values/queue.js';
import { Range } from '../../../vm/values/structured.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import type { Int, Row } from '../declare.js';
import { AT_ONCE, checkGrowth, countOf } from '../limits.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { shownInteger } from '../numbers/digits.js';
import { comparing, withLists } from '../steps.js';

/** From this many items, the vector is grown at once: growing it item by item would copy it several times. */
const PREALLOCATION_THRESHOLD = 4096;

function push(list: Value[], items: readonly Value[]): Value[] {
  checkGrowth(list.length, items.length);
  // V8 makes a dictionary of an array whose length is set beyond AT_ONCE.
  if (items.length >= PREALLOCATION_THRESHOLD && list.length + items.length <= AT_ONCE) return pushMany(list, items);
  for (let i = 0; i < items.length; i++) list.push(items[i]);
  return list;
}

function pushMany(list: Value[], items: readonly Value[]): Value[] {
  const { length } = list;
  list.length += items.length;
  for (let i = 0; i < items.length; i++) list[length + i] = items[i];
  return list;
}

/** Appends the elements of collections. One of them may be the vector itself. */
function concat(vm: NativeContext, list: Value[], others: Value[]): Value | undefined {
  return withLists(vm, others, 'concat', (lists) => {
    const own = others.includes(list) ? list.slice() : list;
    for (const source of lists) push(list, source === list ? own : source);
    return list;
  });
}

/** Replaces `removed` elements starting at `at`. Many items are not spread as arguments: there may be millions. */
function splice(list: Value[], at: number, removed: number, items: readonly Value[]): void {
  checkGrowth(list.length, items.length);
  charge((list.length - at + items.length) >>> 4);
  if (items.length < PREALLOCATION_THRESHOLD) {
    list.splice(at, removed, ...items);
    return;
  }
  const tail = list.slice(at + removed);
  list.length = at;
  push(list, items);
  push(list, tail);
}

/** `v[1..2] = value`: replaces these elements by those of a vector, or by another value. @throws IndexError */
function storeSlice(list: Value[], range: Range, value: Value): void {
  const first = range.lo === null ? 0 : vectorIndex(range.lo);
  const start = first < 0 ? first + list.length : first;
  if (start < 0) fail(Errors.IndexError, `index ${first} is before the start of a vector with ${list.length} elements`);
  // Before the gap is filled: the value may be the vector itself.
  const items = Array.isArray(value) ? value.slice() : [value];
  fillUpTo(list, start);
  const { end } = sliceBounds(range, list.length) ?? { end: start };
  splice(list, start, end - start, items);
}

function pop(list: Value[], n: Int | null): Value {
  if (n === null) return list.pop() ?? null;
  const start = Math.max(0, list.length - countOf(n, 'n'));
  const removed = list.slice(start);
  list.length = start;
  return removed;
}

function shift(list: Value[], n: Int | null): Value {
  return n === null ? (shiftOne(list) ?? null) : takeFirst(list, countOf(n, 'n'));
}

function prepend(list: Value[], items: readonly Value[]): Value[] {
  checkGrowth(list.length, items.length);
  if (items.length < PREALLOCATION_THRESHOLD) unshift(list, items);
  else splice(list, 0, 0, items);
  return list;
}

/** Inserts items before `index`; −1 means after the last element. */
function insert(list: Value[], index: Int, items: Value[]): Value[] {
  const at = index < 0 ? Number(index) + list.length + 1 : Number(index);
  if (at < 0)
    fail(Errors.IndexError, `index ${shownInteger(index)} is outside of a vector with ${list.length} elements`);
  if (items.length === 0) return list;
  fillUpTo(list, at);
  splice(list, at, 0, items);
  return list;
}

/** Removes all elements equal to `item`; returns the last of them, or nil. Keeps elements that others add meanwhile. */
function remove(vm: NativeContext, list: Value[], item: Value): Value | undefined {
  const places: number[] = [];
  return comparing(
    vm,
    'delete',
    list,
    item,
    (i) => places.push(i) > 0,
    (all) => removeAll(list, all, places),
  );
}

/** @param all the elements when the work began */
function removeAll(list: Value[], all: readonly Value[], places: readonly number[]): Value {
  if (places.length === 0) return null;
  const removed = all[places[places.length - 1]];
  let kept = places[0];
  for (let i = places[0], next = 0; i < list.length; i++) {
    if (next < places.length && i === places[next]) {
      next++;
      if (list[i] === all[i]) continue;
    }
    list[kept++] = list[i];
  }
  list.length = kept;
  return removed;
}

function removeAt(list: Value[], index: Int): Value {
  const at = index < 0 ? Number(index) + list.length : Number(index);
  return at < 0 || at >= list.length ? null : list.splice(at, 1)[0];
}

/** Removes and returns the elements in a range, or `count` elements starting at an index. */
function removeSlice(list: Value[], start: Value, count: Int | null): Value {
  if (!(start instanceof Range)) {
    if (count === null) return removeAt(list, start as Int);
    const from = (start as Int) < 0 ? Number(start) + list.length : Number(start);
    return from < 0 || from > list.length ? null : list.splice(from, countOf(count, 'count'));
  }
  const bounds = sliceBounds(start, list.length);
  return bounds === null ? null : list.splice(bounds.start, bounds.end - bounds.start);
}

function clear(list: Value[]): Value[] {
  list.length = 0;
  return list;
}

function fill(list: Value[], item: Value): Value[] {
  return list.fill(item);
}

function replace(vm: NativeContext, list: Value[], source: Value): Value | undefined {
  return withLists(vm, [source], 'replace', ([items]) => replaced(list, items));
}

/** A vector with new elements instead of its own. */
export function replaced(list: Value[], items: readonly Value[]): Value[] {
  return items === list ? list : push(clear(list), items);
}

/** Methods that change a vector. */
// prettier-ignore
export const changingRows: readonly Row[] = [
  ['push append', '*items: Any', 'Vector', 'Adds items at the end and returns the vector.', neverSuspends((_: unknown, list: Value[], items: Value[]) => push(list, items))],
  ['unshift prepend', '*items: Any', 'Vector', 'Adds items at the start and returns the vector.', (_: unknown, list: Value[], items: Value[]) => prepend(list, items)],
  ['pop', 'n: Integer? = nil', 'Any', 'Removes and returns the last element, nil if there are none; or a vector of the last `n`.', (_: unknown, list: Value[], n: Int | null) => pop(list, n)],
  ['shift', 'n: Integer? = nil', 'Any', 'Removes and returns the first element, nil if there are none; or a vector of the first `n`. Takes constant time for vectors of up to 1,000,000 elements.', (_: unknown, list: Value[], n: Int | null) => shift(list, n)],
  ['insert', 'index: Integer, *items: Any', 'Vector', 'Inserts items before an index (-1: after the last element) and returns the vector.', (_: unknown, list: Value[], index: Int, items: Value[]) => insert(list, index, items)],
  ['[]=', 'range: Range, value: Any', 'Nil', 'Replaces the elements in a range by those of a vector, or by another value.', (_: unknown, list: Value[], range: Range, value: Value) => storeSlice(list, range, value)],
  ['concat', '*others: Any', 'Vector', 'Adds the elements of other collections at the end and returns the vector.', (vm: NativeContext, list: Value[], others: Value[]) => concat(vm, list, others)],
  ['delete', 'item: Any', 'Any', 'Removes all elements equal to `item` and returns the last of them, or nil.', remove],
  ['delete_at', 'index: Integer', 'Any', 'Removes and returns the element at an index, or nil.', (_: unknown, list: Value[], index: Int) => removeAt(list, index)],
  ['slice!', 'start: Integer|Range, count: Integer? = nil', 'Any', 'Removes and returns the elements in a range, or `count` elements starting at an index.', (_: unknown, list: Value[], start: Value, n: Int | null) => removeSlice(list, start, n)],
  ['fill', 'item: Any', 'Vector', 'Sets all elements to one value and returns the vector.', (_: unknown, list: Value[], item: Value) => fill(list, item)],
  ['clear', '', 'Vector', 'Removes all elements and returns the vector.', (_: unknown, list: Value[]) => clear(list)],
  ['replace', 'source: Any', 'Vector', 'Replaces all elements with those of another collection and returns the vector.', (vm: NativeContext, list: Value[], source: Value) => replace(vm, list, source)],
];
