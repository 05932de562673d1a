import { LinkedList, type Linked } from './linkedlist.js';

/**
 * Those who wait for something of which there is not enough, such as connections. Their contexts, mostly requests, take
 * turns: a request that waits a thousand times gets as many turns as one that waits once. Those of one context keep their
 * order. Anyone can leave at any time, at the same cost.
 */
export class WaitingLine<T extends Linked<T> & { readonly context: object | null }> implements Iterable<T> {
  /** By context, in the order of the contexts' turns. None is empty. */
  private readonly groups = new Map<object | null, LinkedList<T>>();
  /** An empty list for the next context: few wait mostly, now and then. */
  private spare: LinkedList<T> | null = null;
  length = 0;

  add(item: T): void {
    let group = this.groups.get(item.context);
    if (group === undefined) {
      group = this.spare ?? new LinkedList();
      this.spare = null;
      this.groups.set(item.context, group);
    }
    group.add(item);
    this.length++;
  }

  /** Takes the next one; null if there is none. */
  next(): T | null {
    for (const [context, group] of this.groups) {
      const item = group.first as T;
      this.leave(item);
      // The others have their turns first.
      if (group.size > 0 && this.groups.size > 1) {
        this.groups.delete(context);
        this.groups.set(context, group);
      }
      return item;
    }
    return null;
  }

  /** Takes one out that is in the line. */
  leave(item: T): void {
    const group = this.groups.get(item.context) as LinkedList<T>;
    group.delete(item);
    this.length--;
    if (group.size > 0) return;
    this.groups.delete(item.context);
    this.spare = group;
  }

  /** Takes all out, in no particular order. */
  takeAll(): T[] {
    const all = [...this];
    for (const item of all) this.leave(item);
    return all;
  }

  /** Iterates in no particular order. Loops that take out items must iterate over a copy. */
  *[Symbol.iterator](): Generator<T> {
    for (const group of this.groups.values()) yield* group;
  }
}
