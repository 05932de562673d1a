import type { Closure, Fn } from '../values/function.js';
import type { Value } from '../values/value.js';

/**
 * An activation on the heap. `pc` is the address of the instruction to execute, or, for a frame that waits for a callee or for I/O, of that
 * very instruction: the position is right, and the register for the result is read from it.
 */
export class Frame {
  constructor(
    public parent: Frame | null,
    readonly fn: Fn,
    readonly self: Closure | null,
    public pc: number,
    public regs: Value[],
  ) {}
}

/** An activation of the interpreter on the JavaScript stack; it shows the top frame of its chain while compiled code runs on it. */
export interface Activation {
  frame: Frame | null;
}
