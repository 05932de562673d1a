import type { Fiber } from './fiber.js';
import { RunQueue } from './runqueue.js';

/**
 * Ready fibers. While many wait, what they run for takes turns, such as requests: one that has started thousands of fibers
 * gets as many turns as one that runs alone. Those with the same context keep their order.
 */
export class FairQueue {
  /** The fibers in the order in which they became ready, while they are few or have the same context. */
  private readonly line = new RunQueue();
  private context: object | null = null;
  /** Whether the contexts of those in `line` differ. */
  private differ = false;
  /** Otherwise the fibers by context, in the order of their turns. */
  private groups: Map<object | null, RunQueue> | null = null;
  private grouped = 0;

  /** @param many number of fibers from which their contexts take turns */
  constructor(private readonly many: number) {}

  get length(): number {
    return this.line.length + this.grouped;
  }

  push(fiber: Fiber): void {
    if (this.groups !== null) {
      this.add(this.groups, fiber);
      return;
    }
    if (this.line.length === 0) {
      this.context = fiber.context;
      this.differ = false;
    } else if (fiber.context !== this.context) this.differ = true;
    this.line.push(fiber);
    if (this.differ && this.line.length >= this.many) this.group();
  }

  private group(): void {
    this.groups = new Map();
    for (let next = this.line.shift(); next !== undefined; next = this.line.shift()) this.add(this.groups, next);
  }

  /** Takes the next fiber; undefined if there is none. */
  shift(): Fiber | undefined {
    if (this.groups === null) return this.line.shift();
    const [[context, queue]] = this.groups;
    // The others have their turns first.
    this.groups.delete(context);
    if (queue.length > 1) this.groups.set(context, queue);
    return this.took(queue.shift());
  }

  /** Takes the fiber at an index from 0, in any order that is always the same. */
  take(index: number): Fiber {
    if (this.groups === null) return this.line.take(index);
    let at = index;
    for (const [context, queue] of this.groups) {
      if (at < queue.length) {
        const fiber = queue.take(at);
        if (queue.length === 0) this.groups.delete(context);
        return this.took(fiber);
      }
      at -= queue.length;
    }
    throw new RangeError(`no fiber at ${index}`);
  }

  /** Takes a fiber out. Returns whether it was there. */
  remove(fiber: Fiber): boolean {
    if (this.groups === null) return this.line.remove(fiber);
    // Its context may have changed since it came.
    for (const [context, queue] of this.groups) {
      if (!queue.remove(fiber)) continue;
      if (queue.length === 0) this.groups.delete(context);
      this.took(fiber);
      return true;
    }
    return false;
  }

  private add(groups: Map<object | null, RunQueue>, fiber: Fiber): void {
    const queue = groups.get(fiber.context) ?? new RunQueue();
    if (queue.length === 0) groups.set(fiber.context, queue);
    queue.push(fiber);
    this.grouped++;
  }

  private took<T>(fiber: T): T {
    if (--this.grouped === 0) this.groups = null;
    return fiber;
  }
}
