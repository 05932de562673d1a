import type { Instruction } from '../../bytecode/decode.js';
import type { Flow } from '../../bytecode/flow.js';
import { OVER_LIST } from '../../interpreter/feedback.js';
import { AFTER_LOOPS, DeoptExit, TOO_LARGE } from '../../interpreter/suspension.js';
import type { Fn } from '../../values/function.js';
import type { FloatForms } from '../analysis/floatforms.js';
import type { Fuel } from '../analysis/fuel.js';
import type { Liveness } from '../analysis/liveness.js';
import type { AppendLoop, Loops } from '../analysis/loops.js';
import type { CodeWriter } from './codewriter.js';
import type { ScopeWriter } from './scopewriter.js';

/** Maximum values passed as separate arguments; more are spread. */
const MAX_ARGUMENTS = 12;

/** Code that leaves a function before its end: it continues in the interpreter, or its thread waits. */
export class Exits {
  private readonly exits = new Map<string, DeoptExit>();
  /** Whether code deoptimizes within a JavaScript `try`. */
  breaksOut = false;

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

  /** Code that leaves the function; its frame then waits in this instruction. */
  save({ pc }: Instruction): string {
    const live = this.live.across(this.flow.indexAt[pc]);
    return `return save(${this.leftWith(this.exit(pc, live, -1), live)});`;
  }

  /** Code that suspends the function, to continue at a loop's head. */
  yield(head: number): string {
    const live = this.live.before(this.flow.indexAt[head]);
    const save = `return save(${this.leftWith(this.exit(head, live, -1), live)});`;
    return this.fuel.isLocal && this.fuel.leavingFor(head) === '' ? `{${this.fuel.leaving}${save}}` : save;
  }

  /**
   * Arguments of `save` and `deopt`. Separate arguments take space in each frame on the stack; elements of an array do
   * not, but need more code.
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
    const key = `${pc}:${register}:${places.join()}`;
    let exit = this.exits.get(key);
    if (exit === undefined) this.exits.set(key, (exit = new DeoptExit(this.fn, pc, places, register)));
    return this.writer.value(exit);
  }

  /** The vector `r` of an append loop, truncated to the elements stored; null for other registers. */
  private truncated(r: number): string | null {
    const appending = this.loops.appendLoopOf(this.writer.at, r);
    if (appending === undefined) return null;
    return `cut(r${r},${this.appendedCount(appending)})`;
  }

  /** Expression for the number of elements that an append loop has stored before instruction number `at`. */
  appendedCount({ loop: { register, over }, next, append }: AppendLoop, at = this.writer.at): string {
    return `x${register}${over === OVER_LIST ? '' : `-o${register}`}${at > next && at <= append ? '-1' : ''}`;
  }
}
