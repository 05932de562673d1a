import type { Frame } from '../fibers/frame.js';
import { markFrames } from '../traces/callsites.js';
import type { Closure, Fn, LoopCode } from '../values/function.js';
import type { Value } from '../values/value.js';

/** Calls compiled code with the arguments in the first registers. */
export function callCompiled(fn: Fn, self: Closure, depth: number, regs: readonly Value[]): Value | undefined {
  const { jit } = fn.entry;
  switch (fn.arity) {
    case 0:
      return jit(self, depth);
    case 1:
      return jit(self, depth, regs[0]);
    case 2:
      return jit(self, depth, regs[0], regs[1]);
    case 3:
      return jit(self, depth, regs[0], regs[1], regs[2]);
    default:
      return jit(self, depth, ...regs.slice(0, fn.arity));
  }
}

/** `callCompiled` from the interpreter. */
export function enterCompiled(fn: Fn, self: Closure, depth: number, regs: readonly Value[]): Value | undefined {
  return callCompiled(fn, self, depth, regs);
}

/** Runs the compiled code of a loop from the interpreter. */
export function enterLoop(loop: LoopCode, frame: Frame, depth: number): Value | undefined {
  return loop(frame, depth);
}

markFrames(enterCompiled, 'entry');
markFrames(enterLoop, 'entry');
