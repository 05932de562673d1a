import { Frame } from '../fibers/frame.js';
import type { Fn, Closure } from '../values/function.js';
import { Float, type Value } from '../values/value.js';

/** The `register` of an exit at a loop that has never run. */
export const NEVER_RAN = -2;

/**
 * The `register` of an exit at an operator whose operands are too large for one step; no assumption of the code was
 * wrong.
 */
export const TOO_LARGE = -3;

/** The `register` of an exit after the loops that code was compiled for; no assumption of the code was wrong. */
export const AFTER_LOOPS = -4;

/** A point where compiled code leaves its function: the data for the frame, except the values of the live registers. */
export class DeoptExit {
  /**
   * @param pc where the frame continues
   * @param live registers in the order of their values; `~r` for a register whose Float is passed as an unboxed number
   * @param register the register about which the head of a loop made a wrong assumption; −1: the instruction at `pc`
   * made one, or none was wrong; NEVER_RAN: the loop at `pc` has never run, so that there is no feedback; TOO_LARGE:
   * the interpreter runs this one instruction; AFTER_LOOPS: the interpreter runs the rest of the function
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
 * The frames of a thread that suspends, collected while the JavaScript stack unwinds. Each compiled activation adds its
 * own frame; an activation of the interpreter adds its whole chain at once.
 */
export class Unwound {
  /** The innermost frame; null if nothing is being unwound. */
  head: Frame | null = null;
  tail: Frame | null = null;
  /** Number of frames on the thread's stack. */
  depth = 0;
  /** The JavaScript stack is full: the thread continues immediately, with its frames on the heap. */
  spills = false;

  /** A frame at its function's first instruction that the interpreter must run although there is compiled code. */
  interpreted: Frame | null = null;

  /** Starts with a frame and its callers up to `tail`. */
  begin(head: Frame, tail: Frame, depth: number): undefined {
    this.head = head;
    this.tail = tail;
    this.depth = depth;
    return undefined;
  }

  /** Adds the frames from `head` to `tail` below those collected so far. */
  add(head: Frame | null, tail: Frame): undefined {
    if (head === null) return undefined;
    (this.tail as Frame).parent = head;
    this.tail = tail;
    return undefined;
  }

  /** Adds the frame of a compiled activation: the innermost one, or a caller. */
  save(frame: Frame, depth: number): undefined {
    if (this.head === null) return this.begin(frame, frame, depth);
    return this.add(frame, frame);
  }
}
