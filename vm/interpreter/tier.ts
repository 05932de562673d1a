import type { Fn, LoopCode } from '../values/function.js';

/** Words of a loop's body that cost one unit of fuel more, as a power of two. */
const LOOP_SHIFT = 4;

/** Fuel for a turn of the loop whose LOOP at `pc` goes back to `head`. */
export function weightOf(pc: number, head: number): number {
  return 1 + ((pc - head) >> LOOP_SHIFT);
}

/** What the interpreter asks of the JIT compiler. */
export interface Tier {
  /** Calls of a function, and turns of its loops, after which it is compiled. */
  readonly calls: number;
  readonly turns: number;
  /** Lets compiled code call a function that has just been linked. */
  admit(fn: Fn): void;
  /** Compiles a function. False: it stays in the interpreter. */
  compile(fn: Fn): boolean;
  /** Code to go on with at the head of the loop at `pc`; null: the interpreter goes on. */
  loopCode(fn: Fn, pc: number): LoopCode | null;
}
