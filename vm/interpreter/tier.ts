import type { Fn, Linkage, LoopCode } from '../values/function.js';

/** Words of a loop's body per additional unit of fuel, as a power of two. */
const LOOP_SHIFT = 4;

/** Fuel for one iteration of the loop whose LOOP at `pc` jumps back to `head`. */
export function weightOf(pc: number, head: number): number {
  return 1 + ((pc - head) >> LOOP_SHIFT);
}

/** Is told of a function at which the JIT compiler fails, and of the error. */
export type WhenUncompiled = (fn: Fn, error: unknown) => void;

/** Where the host keeps the generated code of a program between its runs. */
export interface CodeShelf {
  /** What the last run stored; null if there is nothing. */
  load(): string | null;
  store(text: string): void;
}

/** The JIT compiler as the interpreter sees it. */
export interface Tier {
  /** Calls of a function, and iterations of its loops, after which it is compiled. */
  readonly calls: number;
  readonly turns: number;
  /** Prepares a newly linked function for calls from compiled code. */
  admit(fn: Fn): void;
  /** Compiles a function. Returns false if it stays in the interpreter. */
  compile(fn: Fn): boolean;
  /** Compiled code for the loop whose head is at `pc`; null: continue in the interpreter. */
  loopCode(fn: Fn, pc: number): LoopCode | null;
  /** Uses the code of a program that earlier runs have stored. */
  keep(program: Linkage, shelf: CodeShelf): void;
  /** Stores the code of that program for its next run, if enough of it is new. */
  store(): void;
}
