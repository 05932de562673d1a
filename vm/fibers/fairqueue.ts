import { RunQueue } from './runqueue.js';

/**
 * Items that are ready to run, such as fibers. While many wait, their contexts, mostly requests, take turns: a request that
 * has started thousands of fibers gets as many turns as one that runs alone. Items of one context keep their order.
 */
export class FairQueue<T extends { readonly context: object | null }> {
  /** All items in the order in which they became ready, while they are few or have the same context. */
  private readonly line = new RunQueue<T>();
  private context: object | null = null;
  /** Whether the contexts of those in `line` differ. */
  private differ = false;
  /** Otherwise all items by context, in the order of the contexts' turns. */
  private groups: Map<object | null, RunQueue<T>> | null = null;
  private grouped = 0;

  /** @param many number of items from which their contexts take turns */
  constructor(private readonly many: number) {}

  get length(): number {
    return this.line.length + this.grouped;
  }

  push(item: T): void {
    if (this.groups !== null) {
      this.add(this.groups, item);
      return;
    }
    if (this.line.length === 0) {
      this.context = item.context;
      this.differ = false;
    } else if (item.context !== this.context) this.differ = true;
    this.line.push(item);
    if (this.differ && this.line.length >= this.many) this.group();
  }

  private group(): void {
    this.groups = new Map();
    for (let next = this.line.shift(); next !== undefined; next = this.line.shift()) this.add(this.groups, next);
  }

  /** Takes the next one; undefined if there is none. */
  shift(): T | undefined {
    if (this.groups === null) return this.line.shift();
    const [[context, queue]] = this.groups;
    // The others have their turns first.
    this.groups.delete(context);
    if (queue.length > 1) this.groups.set(context, queue);
    return this.took(queue.shift());
  }

  /** Takes the one at an index from 0, in any order that is always the same. */
  take(index: number): T {
    if (this.groups === null) return this.line.take(index);
    let at = index;
    for (const [context, queue] of this.groups) {
      if (at < queue.length) {
        const item = queue.take(at);
        if (queue.length === 0) this.groups.delete(context);
        return this.took(item);
      }
      at -= queue.length;
    }
    throw new RangeError(`nothing at ${index}`);
  }

  /** Takes one out. Returns whether it was there; not if its context has changed since it came and many wait. */
  remove(item: T): boolean {
    if (this.groups === null) return this.line.remove(item);
    const queue = this.groups.get(item.context);
    if (queue?.remove(item) !== true) return false;
    if (queue.length === 0) this.groups.delete(item.context);
    this.took(item);
    return true;
  }

  private add(groups: Map<object | null, RunQueue<T>>, item: T): void {
    const queue = groups.get(item.context) ?? new RunQueue<T>();
    if (queue.length === 0) groups.set(item.context, queue);
    queue.push(item);
    this.grouped++;
  }

  private took<Taken>(taken: Taken): Taken {
    if (--this.grouped === 0) this.groups = null;
    return taken;
  }
}
