import type { Instruction } from '../../bytecode/decode.js';
import type { Flow } from '../../bytecode/flow.js';
import { OVER_LIST } from '../../interpreter/feedback.js';
import {
  AFTER_LOOPS,
  BOXED,
  DeoptExit,
  FILLED,
  FILLED_BUT_ONE,
  FORMS,
  MAX_SEPARATE_VALUES,
  OVER_NUMBERS,
  OVER_VECTOR,
  SuspendExit,
  TOO_LARGE,
  UNBOXED,
} from '../../interpreter/suspension.js';
import type { Fn } from '../../values/function.js';
import type { FloatForms } from '../analysis/floatforms.js';
import type { Fuel } from '../analysis/fuel.js';
import type { Liveness } from '../analysis/liveness.js';
import type { AppendLoop, Loops } from '../analysis/loops.js';
import type { CodeWriter } from './codewriter.js';
import type { ScopeWriter } from './scopewriter.js';

/** Maximum values that `deopt` gets as separate arguments; more are spread. */
const MAX_ARGUMENTS = 12;

/**
 * Code that leaves a function before its end: it continues in the interpreter, or its thread suspends.
 *
 * Code that suspends only moves values and jumps to a call of `suspend` that all exits of the function share. V8 drops
 * its optimised code where it reaches an operation without feedback; so the end of a slice would cost a function its
 * code at each place where it falls for the first time. `Compiler` calls new code often enough without fuel for V8 to
 * have the feedback of that one call.
 */
export class Exits {
  private readonly exits = new Map<string, DeoptExit | SuspendExit>();
  /** Whether code deoptimizes within a JavaScript `try`. */
  breaksOut = false;
  /** Number of locals (`s0` …) for the values of a suspending activation. */
  private slots = 0;

  constructor(
    private readonly fn: Fn,
    private readonly flow: Flow,
    private readonly live: Liveness,
    private readonly floatForms: FloatForms,
    private readonly loops: Loops,
    private readonly fuel: Fuel,
    private readonly scopes: ScopeWriter,
    private readonly writer: CodeWriter,
  ) {}

  /**
   * Code that continues in the interpreter before instruction number `i`. `register`: the register that a loop wrongly
   * assumed to hold a Float; −1 or NEVER_RAN otherwise.
   */
  deopt(i: number, register: number): string {
    const live = this.live.before(i);
    const exit = this.exit(this.flow.instructions[i].pc, live, register);
    // Leave the `try` first: the interpreter runs this function's handlers itself.
    if (this.scopes.isInTry) {
      this.breaksOut = true;
      return `{${this.fuel.leaving}dx=${exit};dv=[${this.kept(live)}];break X;}`;
    }
    return this.fuel.isLocal
      ? `{${this.fuel.leaving}q=-1;return deopt(${this.leftWith(exit, live)});}`
      : `return deopt(${this.leftWith(exit, live)});`;
  }

  /** Code that lets the interpreter run the current instruction, whose operands are too large for one step. */
  tooLarge(): string {
    const live = this.live.before(this.writer.at);
    const exit = this.exit(this.flow.instructions[this.writer.at].pc, live, TOO_LARGE);
    if (!this.scopes.isInTry) return `return deopt(${this.leftWith(exit, live)});`;
    this.breaksOut = true;
    return `{dx=${exit};dv=[${this.kept(live)}];break X;}`;
  }

  /** Code that lets the interpreter continue at instruction number `i`, after the loops that were compiled. */
  afterLoops(i: number): string {
    const live = this.live.before(i);
    const places = live.map((r) => (this.floatForms.isOnlyUnboxed(r) ? ~r : r));
    const exit = this.exitWith(this.flow.instructions[i].pc, places, AFTER_LOOPS);
    return `return deopt(${[exit, 'self', 'd', ...places.map((r) => (r < 0 ? `f${~r}` : `r${r}`))].join(',')});`;
  }

  /** Code that suspends the function; its frame then waits in this instruction. */
  save({ pc }: Instruction): string {
    return this.suspend(pc, this.live.across(this.flow.indexAt[pc]), '', 0);
  }

  /** Code that suspends the function, to continue at a loop's head. */
  yield(head: number): string {
    const { code, weight } = this.fuel.leavingFor(head) === '' ? this.fuel.suspending() : { code: '', weight: 0 };
    return this.suspend(head, this.live.before(this.flow.indexAt[head]), code, weight);
  }

  /** Code that suspends the function before its first instruction, where it has `arity` arguments. */
  entry(arity: number): string {
    const registers = Array.from({ length: arity }, (_, r) => r);
    const exit = new SuspendExit(
      this.fn,
      0,
      registers.map((r) => r * FORMS + BOXED),
      0,
      true,
    );
    return this.jump(
      exit,
      'sf=limits.fuel;sx=0;',
      registers.map((r) => `r${r}`),
    );
  }

  /** The end of the function's code, which its suspending exits share. */
  suspending(): string {
    return `}return suspend(${['se', 'self', 'd', 'sf', 'sx', ...this.slotNames()].join(',')});`;
  }

  /** Names of the locals by which exits pass what suspends. */
  names(): string[] {
    return ['se', 'sf', 'sx', ...this.slotNames()];
  }

  private slotNames(): string[] {
    return Array.from({ length: this.slots }, (_, i) => `s${i}`);
  }

  private suspend(pc: number, live: readonly number[], fuel: string, weight: number): string {
    const passed = live.map((r) => this.passed(r));
    const places = live.map((r, i) => r * FORMS + passed[i].form);
    const exit = this.known(
      `suspend:${pc}:${weight}:${places.join()}`,
      () => new SuspendExit(this.fn, pc, places, weight, false),
    );
    return this.jump(
      exit,
      fuel,
      passed.flatMap(({ values }) => values),
    );
  }

  /** How register `r` is passed. */
  private passed(r: number): { form: number; values: string[] } {
    const { at } = this.writer;
    const loop = this.loops.around(at, r);
    if (loop?.over === OVER_LIST) return { form: OVER_VECTOR, values: [`l${r}`, `x${r}`] };
    if (loop !== undefined) return { form: OVER_NUMBERS, values: [`x${r}`, `l${r}`] };
    const appending = this.loops.appendLoopOf(at, r);
    if (appending !== undefined) {
      const { register, over } = appending.loop;
      const first = over === OVER_LIST ? '0' : `o${register}`;
      const form = isWithinAppend(appending, at) ? FILLED_BUT_ONE : FILLED;
      return { form, values: [`r${r}`, `x${register}`, first] };
    }
    return this.floatForms.isOnlyUnboxed(r) ? { form: UNBOXED, values: [`f${r}`] } : { form: BOXED, values: [`r${r}`] };
  }

  private jump(exit: SuspendExit, fuel: string, values: readonly string[]): string {
    const passed = values.length > MAX_SEPARATE_VALUES ? [`[${values.join(',')}]`] : values;
    this.slots = Math.max(this.slots, passed.length);
    const moves = passed.map((value, i) => `s${i}=${value};`).join('');
    return `{se=${this.writer.value(exit)};${fuel}${moves}break S;}`;
  }

  /**
   * Arguments of `deopt`. Separate arguments take space in each frame on the stack; elements of an array do not, but
   * need more code.
   */
  private leftWith(exit: string, live: readonly number[]): string {
    const values = this.kept(live).join(',');
    return `${exit},self,d${live.length === 0 ? '' : live.length > MAX_ARGUMENTS ? `,...[${values}]` : `,${values}`}`;
  }

  /** Expressions for the values of registers when the function is left; does not change their forms. */
  private kept(registers: readonly number[]): string[] {
    return registers.map((r) => {
      const loop = this.loops.around(this.writer.at, r);
      if (loop === undefined) return this.truncated(r) ?? (this.floatForms.isOnlyUnboxed(r) ? `f${r}` : `r${r}`);
      return loop.over === OVER_LIST ? `new ListIterator(l${r},x${r})` : `new CountIterator(x${r},l${r})`;
    });
  }

  /** The name of the exit for values in the order of `kept(live)`. */
  private exit(pc: number, live: readonly number[], register: number): string {
    const places = live.map((r) =>
      this.floatForms.isOnlyUnboxed(r) &&
      this.loops.around(this.writer.at, r) === undefined &&
      this.truncated(r) === null
        ? ~r
        : r,
    );
    return this.exitWith(pc, places, register);
  }

  exitWith(pc: number, places: readonly number[], register: number): string {
    return this.writer.value(
      this.known(`${pc}:${register}:${places.join()}`, () => new DeoptExit(this.fn, pc, places, register)),
    );
  }

  /** The exit of a key, made once. */
  private known<T extends DeoptExit | SuspendExit>(key: string, make: () => T): T {
    let exit = this.exits.get(key);
    if (exit === undefined) this.exits.set(key, (exit = make()));
    return exit as T;
  }

  /** The vector `r` of an append loop, truncated to the elements stored; null for other registers. */
  private truncated(r: number): string | null {
    const appending = this.loops.appendLoopOf(this.writer.at, r);
    if (appending === undefined) return null;
    return `cut(r${r},${this.appendedCount(appending)})`;
  }

  /** Expression for the number of elements that an append loop has stored before instruction number `at`. */
  appendedCount(appending: AppendLoop, at = this.writer.at): string {
    const { register, over } = appending.loop;
    return `x${register}${over === OVER_LIST ? '' : `-o${register}`}${isWithinAppend(appending, at) ? '-1' : ''}`;
  }
}

/** Whether an append loop has taken a number at instruction number `at` and not yet stored its element. */
function isWithinAppend({ next, append }: AppendLoop, at: number): boolean {
  return at > next && at <= append;
}
