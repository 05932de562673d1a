import { HANDLES_ALL } from '../../bytecode/program.js';
import type { Fn } from '../../values/function.js';
import type { Fuel } from '../analysis/fuel.js';
import type { Layout } from '../analysis/layout.js';
import type { Scope } from '../analysis/scopes.js';
import type { CodeWriter } from './codewriter.js';

/** Opens and closes the labelled blocks, loops and `try`s of a function's code. */
export class ScopeWriter {
  /** Scopes around the current instruction. */
  private readonly open: Scope[] = [];

  /** @param entry address of the LOOPHEAD at which the code is entered, or −1 */
  constructor(
    private readonly fn: Fn,
    private readonly entry: number,
    private readonly layout: Layout,
    private readonly fuel: Fuel,
    private readonly writer: CodeWriter,
  ) {}

  /** Whether the current instruction is within a JavaScript `try`. */
  get isInTry(): boolean {
    return this.open.some(({ kind }) => kind === 'try');
  }

  /** Closes what is open at the end of the function. */
  closeAll(): void {
    while (this.open.length > 0) this.close(this.open.pop() as Scope);
  }

  /** Closes the scopes that end at the current address and opens those that start there. */
  borders(next: number): number {
    const { open } = this;
    const { pc } = this.writer;
    while (open.length > 0 && open[open.length - 1].end <= pc) this.close(open.pop() as Scope);
    for (; next < this.layout.scopes.length && this.layout.scopes[next].start === pc; next++) {
      const scope = this.layout.scopes[next];
      open.push(scope);
      this.writer.out(this.opening(scope));
    }
    this.dispatch();
    return next;
  }

  private opening(scope: Scope): string {
    if (scope.kind === 'block') return `L${scope.end}:{`;
    if (scope.kind === 'try') return 'try{';
    return `${this.fuel.opening(scope.start)}H${scope.start}:for(;;){`;
  }

  /**
   * Emits the next jump of the way in. It follows the opening of the scopes at the last jump's target, because its own
   * block is one of them.
   */
  private dispatch(): void {
    if (this.entry < 0) return;
    let last = -1;
    this.layout.way.forEach(({ start }, i) => {
      if (start === this.writer.pc) last = i;
    });
    if (last < 0 && !(this.writer.pc === 0 && this.layout.way.length === 0)) {
      if (this.writer.pc === 0 && this.layout.way[0].start > 0)
        this.writer.out(`if(osr)break L${this.layout.way[0].start};`);
      return;
    }
    const to = this.layout.way[last + 1]?.start ?? this.entry;
    if (to > this.writer.pc) this.writer.out(this.layout.way.length === 0 ? `break L${to};` : `if(osr)break L${to};`);
  }

  private close(scope: Scope): void {
    const { kind, start, end, handler } = scope;
    if (kind !== 'try') this.writer.out(`}${kind === 'loop' ? this.fuel.closing(start) : ''}`);
    else
      this.writer.out(
        `}catch(x){${this.passes(start, end, handler) ? 'if(!(x instanceof SvcError||x instanceof Signal))throw x;' : 'if(!(x instanceof SvcError))throw x;'}${this.fuel.caught(handler)}ex=x;break L${handler};}`,
      );
  }

  private passes(start: number, end: number, handler: number): boolean {
    const { handlers } = this.fn;
    for (let k = 0; k < handlers.length; k += 4) {
      if (handlers[k] === start && handlers[k + 1] === end && handlers[k + 2] === handler)
        return handlers[k + 3] === HANDLES_ALL;
    }
    throw new Error('a try without its handler');
  }
}
