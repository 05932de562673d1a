import { Frame } from './frame.js';
import type { Fn, Closure } from './values/function.js';
import type { Value } from './values/value.js';

/** Registers of an activation of which some have values. */
export function registersWith(fn: Fn, live: readonly number[], values: readonly Value[]): Value[] {
  const regs = fn.blank.slice();
  for (let i = 0; i < live.length; i++) regs[live[i]] = values[i];
  return regs;
}

/**
 * The frames of a thread that suspends, gathered while the JavaScript stack unwinds: each compiled activation adds its own, an activation of the
 * interpreter its whole chain at once, whatever its length.
 */
export class Unwound {
  /** The innermost frame; null while nothing unwinds. */
  head: Frame | null = null;
  tail: Frame | null = null;
  /** Frames on the thread's stack. */
  depth = 0;
  /** Only the JavaScript stack is full: the thread goes on at once with its frames on the heap. */
  spills = false;

  /** Begins with a frame, and those it stands on up to `tail`. */
  begin(head: Frame, tail: Frame, depth: number): undefined {
    this.head = head;
    this.tail = tail;
    this.depth = depth;
    return undefined;
  }

  /** Adds the frames from `head` to `tail` below those gathered so far. */
  add(head: Frame | null, tail: Frame): undefined {
    if (head === null) return undefined;
    (this.tail as Frame).parent = head;
    this.tail = tail;
    return undefined;
  }

  /** Adds the frame of a compiled activation: the innermost one, or one that waits for it. `live` says which registers `values` are. */
  save(fn: Fn, self: Closure | null, depth: number, pc: number, live: readonly number[], values: readonly Value[]): undefined {
    const frame = new Frame(null, fn, self, pc, registersWith(fn, live, values));
    if (this.head === null) return this.begin(frame, frame, depth);
    return this.add(frame, frame);
  }
}
