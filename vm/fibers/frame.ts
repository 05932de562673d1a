import type { Closure, Fn } from '../values/function.js';
import type { Value } from '../values/value.js';

/**
 * An activation on the heap. `pc` is the address of the next instruction. In a frame that waits for a callee or for I/O
 * it is the address of the waiting instruction: so the source position is right, and the result register can be read
 * from it.
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

/**
 * An activation of the interpreter on the JavaScript stack; `frame` is the top frame of its chain while compiled code
 * runs above it; `outer` is the activation around it, and `nesting` their number. `top` and `pc` are the position of the interpreter's copy for profiles, which alone writes them.
 */
export interface Activation {
  readonly outer: Activation | null;
  readonly nesting: number;
  frame: Frame | null;
  top: Frame | null;
  pc: number;
}
