import type { Flow, Region } from '../../bytecode/flow.js';
import type { Loops, Turning } from './loops.js';

/**
 * Where compiled code has the fuel. In a loop without calls it is in the local `q`, which is −1 while a helper takes from its place. In the
 * innermost one, when each turn takes the same, `z3` says how much there was at its beginning and what the turns until then would have taken, so
 * that the index `x3` tells what is left, and a turn changes nothing.
 */
export class Fuel {
  /** Index of the instruction that is being written. */
  at = 0;

  constructor(
    private readonly flow: Flow,
    private readonly loops: Loops,
  ) {}

  /** Whether the fuel is in a local. */
  get isLocal(): boolean {
    return this.quiet !== null;
  }

  /** What the way out of the function takes first: fuel goes back to its place. */
  get leaving(): string {
    return this.isLocal ? `limits.fuel=${this.left()};` : '';
  }

  /** What has to come before a jump to `target`. */
  leavingFor(target: number): string {
    const isLeft = (region: Region): boolean => target < region.start || target >= region.end;
    const { quiet } = this;
    if (quiet === null) return '';
    if (isLeft(quiet)) return this.leaving;
    const turning = this.turning();
    return turning !== null && isLeft(turning.region) ? `q=${this.left()};` : '';
  }

  /** `code`, which may take fuel, as a statement that finds it in its place. */
  within(code: string): string {
    return this.isLocal ? `{${this.leaving}q=-1;${code}${this.takenBack()}}` : `{${code}}`;
  }

  /** At the end of a turn of the loop at `head`: whether it took the last fuel. */
  isSpent(head: number, weight: number): string {
    const turning = this.turning();
    if (turning !== null) return `z${turning.register}<${this.spent(turning, this.at)}`;
    // For V8 a number that cannot overflow.
    return this.isLocal && this.leavingFor(head) === '' ? `(q=q-${weight}|0)<0` : `(limits.fuel-=${weight})<0`;
  }

  /** What comes before the code of a loop that begins at the current instruction. */
  opening(start: number): string {
    const turning = this.loops.turningAt(start);
    const isOutermost = this.isOutermost(start);
    if (turning === null && !isOutermost) return '';
    return `${isOutermost ? 'q=limits.fuel|0;' : ''}${turning === null ? '' : `z${turning.register}=q+${this.spent(turning, turning.next)};`}try{`;
  }

  /** What comes behind it: whoever catches what is thrown finds the fuel. */
  closing(start: number): string {
    const turning = this.loops.turningAt(start);
    if (turning === null) return this.isOutermost(start) ? '}catch(x){if(q>=0)limits.fuel=q;throw x;}' : '';
    const left = `z${turning.register}-${this.spent(turning, turning.next + 1)}`;
    return `}catch(x){if(q>=0)${this.isOutermost(start) ? 'limits.fuel' : 'q'}=${left};throw x;}`;
  }

  /** At the address of a handler: what was thrown may come from where the fuel is in its place. */
  caught(handler: number): string {
    const region = this.flow.inner[this.flow.indexAt[handler]];
    return this.loops.quietAround(region) === null ? '' : 'if(q<0)q=limits.fuel|0;';
  }

  /** The outermost loop around the current instruction that keeps the fuel in a local. */
  private get quiet(): Region | null {
    return this.loops.quietAround(this.flow.inner[this.at]);
  }

  private turning(): Turning | null {
    const region = this.flow.inner[this.at];
    return region === null ? null : this.loops.turningAt(region.start);
  }

  /** What is left of the fuel. */
  private left(): string {
    const turning = this.turning();
    return turning === null ? 'q' : `z${turning.register}-${this.spent(turning, this.at)}`;
  }

  private takenBack(): string {
    const turning = this.turning();
    return `q=limits.fuel|0;${turning === null ? '' : `z${turning.register}=q+${this.spent(turning, this.at)};`}`;
  }

  /** What the turns before instruction number `at` have taken: between its NEXT and its LOOP, the last one has not. */
  private spent({ register, weight, next, last }: Turning, at: number): string {
    const turns = at > next && at < last ? `(x${register}-1)` : `x${register}`;
    return weight === 1 ? turns : `${weight}*${turns}`;
  }

  private isOutermost(start: number): boolean {
    return this.loops.quietAround(this.flow.inner[this.flow.indexAt[start]])?.start === start;
  }
}
