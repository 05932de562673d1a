import type { Engine } from '../interpreter/engine.js';
import type { Frame } from '../fibers/frame.js';
import { GAVE_UP, RAN } from '../interpreter/feedback.js';
import { markFrames, URL_PREFIX, watchErrors, type RunningCode } from '../traces/callsites.js';
import type { WhenUncompiled } from '../interpreter/tier.js';
import { AFTER_LOOPS, NEVER_RAN, TOO_LARGE, type DeoptExit } from '../interpreter/suspension.js';
import type { Closure, Fn, Jitted, LoopCode } from '../values/function.js';
import type { Value } from '../values/value.js';
import type { Generated } from './emit/generator.js';
import { sourcesFor, type Sources } from './generate.js';
import { KeptCode, type KeptProgram } from './kept/keptcode.js';
import { dropCode, MAX_NESTED_ACTIVATIONS, runtime, type Runtime } from './runtime.js';

/** After this many wrong assumptions a function is compiled without any. */
const MAX_DEOPTS = 20;
/**
 * V8 allocates the feedback of a function after about so many characters of it have run. A training call runs all of it, up
 * to the `return` of a suspension at its end, so a long function needs few calls.
 */
const TRAINED_CHARACTERS = 80_000;
/** The fewest and the most training calls. */
const MIN_TRAINING_CALLS = 12;
const MAX_TRAINING_CALLS = 200;

/** Compiles functions to JavaScript (docs/architecture.md). */
export class Compiler {
  private readonly names: string[];
  private readonly helpers: unknown[];
  /** Starts a closure that is not compiled, for compiled code; `undefined` if it suspends. */
  readonly start: Runtime['start'];
  private serial = 0;
  /** Made for the first function whose code is not kept. */
  private sources: Sources | null = null;
  private readonly kept: KeptCode | null;

  constructor(
    private readonly vm: Engine,
    private readonly running: RunningCode,
    private readonly whenUncompiled?: WhenUncompiled,
    kept: KeptProgram | null = null,
  ) {
    this.kept = kept === null ? null : new KeptCode(kept.program, vm.methods, kept.shelf);
    const { helpers, start } = runtime(vm);
    this.start = start;
    const all = {
      ...helpers,
      deopt: (exit: DeoptExit, self: Closure | null, depth: number, ...values: readonly unknown[]): Value | undefined =>
        this.goOn(exit, self, depth, values),
    };
    markFrames(all.deopt, 'deopt');
    this.names = Object.keys(all);
    this.helpers = Object.values(all);
  }

  /** The generated source of a function, entered at its start (−1) or at the head of a loop; null if it is too large. */
  source(fn: Fn, entry: number): Generated | null {
    return (this.sources ??= sourcesFor(this.vm.methods))(fn, entry);
  }

  /**
   * Deoptimizes: continues in the interpreter before the instruction of an exit and returns its result as that of the
   * code. Records the wrong assumption, by instruction or by register at a loop's head. The function is compiled again
   * when it is hot again.
   */
  private goOn(exit: DeoptExit, self: Closure | null, depth: number, values: readonly unknown[]): Value | undefined {
    const { fn, pc, register } = exit;
    if (register === TOO_LARGE || register === AFTER_LOOPS) return this.carryOn(exit.frame(self, values), depth);
    if (register === NEVER_RAN) fn.feedback[pc] = RAN;
    else this.noteBelief(exit);
    dropCode(fn);
    return this.vm.runNested(exit.frame(self, values), depth);
  }

  /**
   * Continues in the interpreter without dropping the code, which is entered again at the next call or iteration.
   */
  private carryOn(frame: Frame, depth: number): Value | undefined {
    const { vm } = this;
    vm.unwound.interpreted = frame;
    if (vm.nesting < MAX_NESTED_ACTIVATIONS) return vm.runNested(frame, depth);
    vm.unwound.spills = true;
    return vm.unwound.begin(frame, frame, depth);
  }

  private noteBelief({ fn, pc, register }: DeoptExit): void {
    if (register >= 0) fn.boxedAtLoops.add(`${pc}:${register}`);
    else fn.feedback[pc] |= GAVE_UP;
    // Several activations of one version may report an assumption one after the other; count it once.
    const isFirst = fn.compiled || fn.loops.size > 0;
    if (isFirst && ++fn.deopts > MAX_DEOPTS) fn.noFloats = true;
  }

  /**
   * Code of a function, entered at its start or at the head of a loop; null if it stays in the interpreter. A mistake of
   * the compiler must not end a program that the interpreter can run.
   */
  make(fn: Fn, entry: number): Jitted | LoopCode | null {
    if (this.whenUncompiled === undefined) return this.generate(fn, entry);
    try {
      return this.generate(fn, entry);
    } catch (error) {
      // The JavaScript stack is used up, by the calls around.
      if (error instanceof RangeError) throw error;
      this.whenUncompiled(fn, error);
      return null;
    }
  }

  /** Functions, and the heads of loops (−1: their start), whose code earlier runs have stored. */
  stored(): (readonly [fn: Fn, entry: number])[] {
    return this.kept?.entries ?? [];
  }

  /** Stores the code in use for the next run. */
  store(): void {
    this.kept?.store();
  }

  private generated(fn: Fn, entry: number): Generated | null {
    const generated = this.source(fn, entry);
    if (generated !== null) this.kept?.add(fn, entry, generated);
    return generated;
  }

  private generate(fn: Fn, entry: number): Jitted | LoopCode | null {
    const generated = this.kept?.take(fn, entry) ?? this.generated(fn, entry);
    if (generated === null) return null;
    const { source, pcs, values } = generated;
    const url = `${URL_PREFIX}${++this.serial}`;
    const versions = evaluated(
      [...this.names, 'FN', ...values.keys()],
      `'use strict';${source}\n//# sourceURL=${url}`,
      [...this.helpers, fn, ...values.values()],
    );
    if (versions === null) return null;
    this.running.compiled.set(url, { fn, pcs });
    watchErrors();
    const calls = Math.min(MIN_TRAINING_CALLS + Math.ceil(TRAINED_CHARACTERS / source.length), MAX_TRAINING_CALLS);
    for (const version of versions) this.train(version as unknown as Training, calls);
    return versions[0];
  }

  /** Lets V8 see code suspend at its entry, whose call it shares with its other exits (`Exits`). */
  private train(code: Training, calls: number): void {
    const { limits, unwound } = this.vm;
    const { fuel } = limits;
    for (let n = 0; n < calls; n++) {
      limits.fuel = 0;
      code(null, -1);
    }
    limits.fuel = fuel;
    unwound.clear();
  }
}

/** Generated code of either kind, called to suspend at once. */
type Training = (selfOrFrame: null, depth: number) => undefined;

/**
 * The compiler of a VM. `whenUncompiled` is told of a function at which it fails, and why; without it, it throws. `kept`:
 * the program whose code is kept.
 */
export function compilerFor(
  vm: Engine,
  running: RunningCode,
  whenUncompiled?: WhenUncompiled,
  kept: KeptProgram | null = null,
): Compiler {
  return new Compiler(vm, running, whenUncompiled, kept);
}

/**
 * Evaluates generated code, which contains no text of the program: the function, and its twin if there is one. Returns
 * null in a process that forbids it (`--disallow-code-generation-from-strings`).
 */
function evaluated(names: readonly string[], source: string, values: readonly unknown[]): (Jitted | LoopCode)[] | null {
  try {
    return (new Function(...names, source) as (...args: unknown[]) => (Jitted | LoopCode)[])(...values);
  } catch (error) {
    if (error instanceof EvalError) return null;
    throw error;
  }
}
