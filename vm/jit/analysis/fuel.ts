import type { Flow, Region } from '../../bytecode/flow.js';
import type { Loops, UniformLoop } from './loops.js';

/**
 * Where compiled code keeps the fuel. In a loop without calls it is in the local `q`, which is −1 while a helper uses
 * `limits.fuel`. In the innermost loop, if each iteration takes the same fuel, `z3` is the fuel at its start plus the
 * fuel of the iterations up to then. So the fuel left follows from the index `x3`, and an iteration updates nothing.
 */
export class Fuel {
  /** Index of the instruction being generated. */
  at = 0;

  constructor(
    private readonly flow: Flow,
    private readonly loops: Loops,
  ) {}

  /** Whether the fuel is in a local. */
  get isLocal(): boolean {
    return this.callFree !== null;
  }

  /** Code to run before leaving the function: stores the fuel to `limits.fuel`. */
  get leaving(): string {
    return this.isLocal ? `limits.fuel=${this.left()};` : '';
  }

  /** Code to run before a jump to `target`. */
  leavingFor(target: number): string {
    const isLeft = (region: Region): boolean => target < region.start || target >= region.end;
    const { callFree } = this;
    if (callFree === null) return '';
    if (isLeft(callFree)) return this.leaving;
    const uniform = this.uniform();
    return uniform !== null && isLeft(uniform.region) ? `q=${this.left()};` : '';
  }

  /** `code`, which may use `limits.fuel`, as a statement that synchronizes it with the local. */
  within(code: string): string {
    return this.isLocal ? `{${this.leaving}q=-1;${code}${this.takenBack()}}` : `{${code}}`;
  }

  /** Condition at the end of an iteration of the loop at `head`: whether the fuel is used up. */
  isSpent(head: number, weight: number): string {
    const uniform = this.uniform();
    if (uniform !== null) return `z${uniform.register}<${this.spent(uniform, this.at)}`;
    // In this form V8 knows that the number cannot overflow.
    return this.isLocal && this.leavingFor(head) === '' ? `(q=q-${weight}|0)<0` : `(limits.fuel-=${weight})<0`;
  }

  /** Code before a loop that starts at the current instruction. */
  opening(start: number): string {
    const uniform = this.loops.uniformLoopAt(start);
    const isOutermost = this.isOutermost(start);
    if (uniform === null && !isOutermost) return '';
    return `${isOutermost ? 'q=limits.fuel|0;' : ''}${uniform === null ? '' : `z${uniform.register}=q+${this.spent(uniform, uniform.next)};`}try{`;
  }

  /** Code after that loop: restores `limits.fuel` or the outer local if an exception is thrown. */
  closing(start: number): string {
    const uniform = this.loops.uniformLoopAt(start);
    if (uniform === null) return this.isOutermost(start) ? '}catch(x){if(q>=0)limits.fuel=q;throw x;}' : '';
    const left = `z${uniform.register}-${this.spent(uniform, uniform.next + 1)}`;
    return `}catch(x){if(q>=0)${this.isOutermost(start) ? 'limits.fuel' : 'q'}=${left};throw x;}`;
  }

  /** Code at a handler's address: the exception may come from a point where the fuel was in `limits.fuel`. */
  caught(handler: number): string {
    const region = this.flow.inner[this.flow.indexAt[handler]];
    return this.loops.callFreeAround(region) === null ? '' : 'if(q<0)q=limits.fuel|0;';
  }

  /** The outermost loop around the current instruction that keeps the fuel in a local. */
  private get callFree(): Region | null {
    return this.loops.callFreeAround(this.flow.inner[this.at]);
  }

  private uniform(): UniformLoop | null {
    const region = this.flow.inner[this.at];
    return region === null ? null : this.loops.uniformLoopAt(region.start);
  }

  /** Expression for the fuel left. */
  private left(): string {
    const uniform = this.uniform();
    return uniform === null ? 'q' : `z${uniform.register}-${this.spent(uniform, this.at)}`;
  }

  /**
   * As `leaving`, for code that suspends: passes the fuel, or the fuel at the loop's start and the index with its
   * `weight`, without arithmetic, for which V8 might have no feedback.
   */
  suspending(): { code: string; weight: number } {
    if (!this.isLocal) return { code: '', weight: 0 };
    const uniform = this.uniform();
    if (uniform === null) return { code: 'sf=q;sx=0;', weight: 0 };
    return { code: `sf=z${uniform.register};sx=x${uniform.register};`, weight: uniform.weight };
  }

  private takenBack(): string {
    const uniform = this.uniform();
    return `q=limits.fuel|0;${uniform === null ? '' : `z${uniform.register}=q+${this.spent(uniform, this.at)};`}`;
  }

  /**
   * Fuel used by the iterations before instruction number `at`. Between NEXT and LOOP, the index already counts the
   * current iteration.
   */
  private spent({ register, weight, next, last }: UniformLoop, at: number): string {
    const turns = at > next && at < last ? `(x${register}-1)` : `x${register}`;
    return weight === 1 ? turns : `${weight}*${turns}`;
  }

  private isOutermost(start: number): boolean {
    return this.loops.callFreeAround(this.flow.inner[this.flow.indexAt[start]])?.start === start;
  }
}
