import { Frame } from '../fibers/frame.js';
import type { Fn, Closure } from '../values/function.js';
import { Float, type Value } from '../values/value.js';

/** The `register` of an exit at a loop that has never run. */
export const NEVER_RAN = -2;

/** The `register` of an exit at an operator whose operands are too large for one step: nothing that the code believed was wrong. */
export const TOO_LARGE = -3;

/** A place where compiled code leaves its function: what the frame needs besides the values of the registers that are live there. */
export class Exit {
  /**
   * @param pc where the frame goes on
   * @param live registers in the order of their values; `~r` for one of which the number of its Float is given
   * @param register the one that the head of a loop believed to be something else; −1: the instruction at `pc` believed something, or nothing was wrong;
   * NEVER_RAN: the loop at `pc` has never run, so that nothing is known of it; TOO_LARGE: the interpreter is to carry out this one instruction
   */
  constructor(
    readonly fn: Fn,
    readonly pc: number,
    readonly live: readonly number[],
    readonly register: number,
  ) {}

  /** The frame of an activation that is left here. */
  frame(self: Closure | null, values: readonly unknown[]): Frame {
    const { fn, live } = this;
    const regs = fn.blank.slice();
    for (let i = 0; i < live.length; i++) {
      const r = live[i];
      if (r >= 0) regs[r] = values[i] as Value;
      else regs[~r] = new Float(values[i] as number);
    }
    return new Frame(null, fn, self, this.pc, regs);
  }
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

  /** A frame at its function's first instruction, which the interpreter is to carry out although there is compiled code. */
  interpreted: Frame | null = null;

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

  /** Adds the frame of a compiled activation: the innermost one, or one that waits for it. */
  save(frame: Frame, depth: number): undefined {
    if (this.head === null) return this.begin(frame, frame, depth);
    return this.add(frame, frame);
  }
}
