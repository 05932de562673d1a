/**
 * Vectors that are used as queues. V8 moves all elements of an array of more than 16,000 at each `shift`. A vector where
 * that has happened often becomes a queue: its elements are kept elsewhere, with the index of the first one. It remains
 * the same object with the right length, but has no elements of its own, so that JavaScript asks its prototype for them:
 * a proxy, whose handler is the `Queue`. It answers reads by index and `push`, `pop`, `shift`, `unshift`. Any other use,
 * such as `slice` or an iterator, puts the elements back first, so that no other code needs to know of queues.
 */
import type { Value } from './value.js';

/** V8 drops elements from the start of arrays up to this size without moving the others. */
const SMALL = 16_000;
/** Larger vectors are not made queues: putting their elements back would hold up other threads. */
const LARGE = 1_000_000;
/** Moving all elements this often takes as long as making a queue and putting the elements back. */
const MOVES = 100;
/** Reads by index before the elements are put back, and how many more each `shift` allows. */
const READS = 1_000;
const READS_PER_SHIFT = 20;

/** How often all elements of a vector have moved since it was last a queue. */
const moves = new WeakMap<Value[], number>();

/** The property of a vector that holds its queue, undefined while its elements are its own. */
const QUEUE = Symbol('queue');

type Queued = Value[] & { [QUEUE]?: Queue };

/** Removes and returns the first `count` elements of a vector, all if there are fewer. */
export function takeFirst(list: Value[], count: number): Value[] {
  if (list.length <= SMALL || count > SMALL) return list.splice(0, count);
  const out: Value[] = [];
  for (let left = Math.min(count, list.length); left > 0; left--) out.push(shift(list) as Value);
  return out;
}

/** Removes and returns the first element of a vector, undefined if there are none; in constant amortised time. */
export function shift(list: Value[]): Value | undefined {
  const queue = queueOf(list);
  return queue === undefined ? list.shift() : queue.first();
}

/** Adds elements at the start of a vector, in time that does not depend on its length. */
export function unshift(list: Value[], items: readonly Value[]): void {
  const queue = queueOf(list);
  if (queue === undefined) list.unshift(...items);
  else queue.prepend(items);
}

/** The queue of a vector, made now if the vector is large and all its elements have moved often. */
function queueOf(list: Queued): Queue | undefined {
  const queue = list[QUEUE];
  if (queue !== undefined || list.length <= SMALL || list.length > LARGE) return queue;
  const moved = (moves.get(list) ?? 0) + 1;
  if (moved <= MOVES) {
    moves.set(list, moved);
    return undefined;
  }
  moves.delete(list);
  return new Queue(list);
}

class Queue implements ProxyHandler<Value[]> {
  private items: Value[];
  private head = 0;
  private reads = READS;
  /** The methods of the vector, by name, that leave it a queue. */
  private readonly methods = new Map<string | symbol, (...items: Value[]) => Value | undefined>([
    ['push', (...items) => this.append(items)],
    ['pop', () => this.last()],
    ['shift', () => this.first()],
    ['unshift', (...items) => this.prepend(items)],
  ]);

  constructor(private readonly list: Queued) {
    const { length } = list;
    this.items = list.slice();
    list.length = 0;
    list[QUEUE] = this;
    Object.setPrototypeOf(list, new Proxy(Array.prototype as Value[], this));
    list.length = length;
  }

  get(prototype: Value[], key: string | symbol): unknown {
    const index = indexFrom(key);
    if (index >= 0) return index < this.list.length ? this.read(index) : undefined;
    const method = this.methods.get(key);
    if (method !== undefined) return method;
    this.putBack();
    return Reflect.get(prototype, key);
  }

  has(prototype: Value[], key: string | symbol): boolean {
    const index = indexFrom(key);
    return index >= 0 ? index < this.list.length : Reflect.has(prototype, key);
  }

  set(_prototype: Value[], key: string | symbol, value: Value): boolean {
    const index = indexFrom(key);
    if (index >= 0 && index < this.list.length) {
      this.items[this.head + index] = value;
      return true;
    }
    this.putBack();
    return Reflect.set(this.list, key, value);
  }

  getPrototypeOf(prototype: Value[]): object {
    return prototype;
  }

  private read(index: number): Value | undefined {
    this.reads--;
    if (this.reads >= 0) return this.items[this.head + index];
    this.putBack();
    return this.list[index];
  }

  private append(items: Value[]): number {
    this.cut();
    for (const item of items) this.items.push(item);
    return (this.list.length += items.length);
  }

  private last(): Value | undefined {
    if (this.list.length === 0) return undefined;
    this.cut();
    const item = this.items.pop();
    this.list.length--;
    return item;
  }

  first(): Value | undefined {
    const { list, items, head } = this;
    if (list.length === 0) return undefined;
    const item = items[head];
    items[head] = null;
    this.head++;
    this.reads += READS_PER_SHIFT;
    list.length--;
    if (this.head > SMALL && this.head > list.length) this.moveTo(0);
    if (list.length < SMALL / 2) this.putBack();
    return item;
  }

  prepend(items: readonly Value[]): number {
    if (this.head < items.length) this.moveTo((this.list.length >>> 1) + items.length);
    this.head -= items.length;
    for (let i = 0; i < items.length; i++) this.items[this.head + i] = items[i];
    return (this.list.length += items.length);
  }

  /** Moves the elements, so that there are `free` places before the first one. */
  private moveTo(free: number): void {
    const { head } = this;
    const room = new Array<Value>(free).fill(null);
    this.items = room.concat(this.items.slice(head, head + this.list.length));
    this.head = free;
  }

  /** Drops elements behind the end of the vector: its length may have been set. */
  private cut(): void {
    const end = this.head + this.list.length;
    if (this.items.length !== end) this.items.length = end;
  }

  private putBack(): void {
    const { list, items, head } = this;
    const { length } = list;
    list.length = 0;
    list[QUEUE] = undefined;
    Object.setPrototypeOf(list, Array.prototype);
    for (let i = head; i < head + length; i++) list.push(items[i]);
  }
}

/** The index that a key of a property stands for; -1 for other keys. */
function indexFrom(key: string | symbol): number {
  if (typeof key !== 'string' || key.charCodeAt(0) > '9'.charCodeAt(0)) return -1;
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && String(index) === key ? index : -1;
}
