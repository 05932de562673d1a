import { registersFor } from '../calls/arguments.js';
import type { Engine } from '../interpreter/engine.js';
import type { CodeShelf, Tier, WhenUncompiled } from '../interpreter/tier.js';
import type { RunningCode } from '../traces/callsites.js';
import type { Fn, Jitted, Linkage, LoopCode } from '../values/function.js';
import { compilerFor, type Compiler } from './compile.js';
import type { Generated } from './emit/generator.js';
import type { KeptProgram } from './kept/keptcode.js';

/** Iterations of a loop per call in the threshold for compiling a function. */
const TURNS_PER_CALL = 4;

/** Decides what is compiled. The compiler is made, and loaded, for the first hot function: short programs have none. */
export class Jit implements Tier {
  readonly turns: number;
  private readonly stub: Jitted;
  private made: Compiler | null = null;
  private kept: KeptProgram | null = null;

  constructor(
    private readonly vm: Engine,
    private readonly running: RunningCode,
    readonly calls: number,
    private readonly whenUncompiled?: WhenUncompiled,
  ) {
    this.turns = calls * TURNS_PER_CALL;
    this.stub = (self, depth, ...args) => this.compiler().start(self, registersFor(self.fn, args), depth);
  }

  admit(fn: Fn): void {
    fn.entry.jit = fn.entry.stub = this.stub;
  }

  compile(fn: Fn): boolean {
    const code = this.compiler().make(fn, -1);
    if (code === null) {
      fn.calls = -Infinity;
      return false;
    }
    fn.entry.jit = code as Jitted;
    fn.compiled = true;
    return true;
  }

  loopCode(fn: Fn, pc: number): LoopCode | null {
    let code = fn.loops.get(pc);
    if (code === undefined) {
      if (!this.isHotLoop(fn, pc)) return null;
      code = this.compiler().make(fn, pc) as LoopCode | null;
      fn.loops.set(pc, code);
      if (code === null) fn.turns = -Infinity;
    }
    return code;
  }

  /** As `Compiler.source`, for listings and tests. */
  source(fn: Fn, entry: number): Generated | null {
    return this.compiler().source(fn, entry);
  }

  /**
   * Counts an iteration of a loop of a function whose loops are hot together. Without a count for each loop, all loops
   * of a long program would be compiled in their first iterations.
   */
  private isHotLoop(fn: Fn, pc: number): boolean {
    fn.turnsByLoop ??= new Map();
    const turns = (fn.turnsByLoop.get(pc) ?? 0) + 1;
    fn.turnsByLoop.set(pc, turns);
    return turns > this.turns;
  }

  keep(program: Linkage, shelf: CodeShelf): void {
    this.kept = { program, shelf };
  }

  store(): void {
    this.made?.store();
  }

  private compiler(): Compiler {
    if (this.made === null) {
      this.made = compilerFor(this.vm, this.running, this.whenUncompiled, this.kept);
      for (const [fn, entry] of this.made.stored()) this.hasten(fn, entry);
    }
    return this.made;
  }

  /** Uses stored code at the next call or iteration: it costs little, and was used by the last run. */
  private hasten(fn: Fn, entry: number): void {
    if (entry < 0) fn.calls = Math.max(fn.calls, this.calls);
    else {
      fn.turns = Math.max(fn.turns, this.turns);
      (fn.turnsByLoop ??= new Map()).set(entry, this.turns);
    }
  }
}
