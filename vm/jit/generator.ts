import type { Flow, Region } from '../bytecode/flow.js';
import type { Instruction } from '../bytecode/decode.js';
import { HANDLES_ALL } from '../bytecode/program.js';
import type { MethodTables } from '../members.js';
import type { Fn } from '../values/function.js';
import { Liveness } from './liveness.js';
import { placeScopes, type Edge, type Scope } from './scopes.js';

/** Source of one compiled function, the bytecode address behind each of its lines (−1: none), and the values that it names. */
export interface Generated {
  source: string;
  pcs: number[];
  values: Map<string, unknown>;
}

/** How one opcode becomes JavaScript: calls of `Generator`. */
export type Emitter = (g: Generator, instruction: Instruction) => void;

/**
 * Writes a function in JavaScript, one instruction a line. Registers are locals `r0`, `r1` …; every value that is no literal is a parameter of the
 * enclosing function (`k0` …), so that no text of a program becomes code.
 */
export class Generator {
  private readonly lines: string[] = [];
  private readonly pcs: number[] = [];
  private readonly values = new Map<string, unknown>();
  private readonly names = new Map<unknown, string>();
  private readonly live: Liveness;
  private readonly reached: Uint8Array;
  /** Index of the first instruction to run. */
  private readonly start: number;
  /** Regions that an entry in the middle has to go into, outermost first. */
  private readonly way: Region[] = [];
  private readonly scopes: Scope[];
  private pc = -1;

  /** @param entry address of a LOOPHEAD to enter at with a frame's registers, or −1 for a call */
  constructor(readonly fn: Fn, private readonly flow: Flow, private readonly entry: number, private readonly emitters: readonly (Emitter | undefined)[], readonly tables: MethodTables) {
    this.live = new Liveness(flow, fn.handlers, fn.blank.length);
    this.start = entry < 0 ? 0 : flow.indexAt[entry];
    this.reached = this.reachable();
    if (entry >= 0) for (let region = flow.interior[this.start]; region !== null; region = region.parent) this.way.unshift(region);
    const regions = flow.regions.filter((region) => this.isReached(region));
    this.scopes = placeScopes([...this.edges(regions), ...this.wayIn()], regions);
  }

  generate(): Generated {
    this.body();
    const head = this.entry < 0 ? this.callHead() : this.loopHead();
    const source = [...head, ...this.lines, '}'].join('\n');
    return { source, pcs: [...head.map(() => -1), ...this.pcs, -1], values: this.values };
  }

  /** The name of a value within the code. */
  value(value: unknown): string {
    let name = this.names.get(value);
    if (name === undefined) {
      name = `k${this.names.size}`;
      this.names.set(value, name);
      this.values.set(name, value);
    }
    return name;
  }

  /** Adds a line. */
  out(line: string): void {
    this.lines.push(line);
    this.pcs.push(this.pc);
  }

  /** The instruction jumps when `condition` holds. */
  jump({ target }: Instruction, condition: string): void {
    this.out(`if(${condition})break L${target};`);
  }

  /** Puts the value of `expression`, which may be undefined when the thread has to wait, into a register. */
  call(instruction: Instruction, expression: string): void {
    this.out(`if((u=${expression})===undefined)${this.save(instruction)}r${instruction.a}=u;`);
  }

  /** The same for helpers that may answer that a callee is to run. */
  helper(instruction: Instruction, expression: string): void {
    this.out(`if((u=${expression})===undefined&&(u=callee(d))===undefined)${this.save(instruction)}r${instruction.a}=u;`);
  }

  /** Leaves the function, whose frame then waits in this instruction. */
  save({ pc }: Instruction): string {
    return `return save(FN,self,d,${pc},${this.saved(this.live.across(this.flow.indexAt[pc]))});`;
  }

  /** Leaves the function for now, to go on at a loop's head. */
  yield(head: number): string {
    return `return save(FN,self,d,${head},${this.saved(this.live.before(this.flow.indexAt[head]))});`;
  }

  private saved(registers: number[]): string {
    return `${this.list(registers)},[${registers.map((r) => `r${r}`).join(',')}]`;
  }

  private readonly lists = new Map<string, number[]>();

  private list(registers: number[]): string {
    const key = registers.join();
    let list = this.lists.get(key);
    if (list === undefined) this.lists.set(key, (list = registers));
    return this.value(list);
  }

  private reachable(): Uint8Array {
    const { instructions, indexAt } = this.flow;
    const reached = new Uint8Array(instructions.length);
    const work = [this.start];
    while (work.length > 0) {
      const i = work.pop() as number;
      if (reached[i] === 1) continue;
      reached[i] = 1;
      const { info, target } = instructions[i];
      if (!info.ends) work.push(i + 1);
      if (target >= 0) work.push(indexAt[target]);
      work.push(...this.live.handlersOf[i]);
    }
    return reached;
  }

  private isReached({ start, end }: Region): boolean {
    for (let i = this.flow.indexAt[start]; i < this.reached.length && this.flow.instructions[i].pc < end; i++) if (this.reached[i] === 1) return true;
    return false;
  }

  private edges(regions: readonly Region[]): Edge[] {
    const edges: Edge[] = [];
    this.flow.instructions.forEach(({ pc, target }, i) => {
      if (this.reached[i] === 1 && target > pc) edges.push({ from: pc, region: this.flow.inner[i], to: target });
    });
    for (const region of regions) if (region.kind === 'try') edges.push({ from: region.start, region, to: region.handler });
    return edges;
  }

  /** The jumps by which an entry in the middle comes to its place: into one region after the other. */
  private wayIn(): Edge[] {
    const edges: Edge[] = [];
    let from = 0;
    let region: Region | null = null;
    for (const next of [...this.way, null]) {
      const to = next === null ? this.entry : next.start;
      if (to > from) edges.push({ from, region, to });
      from = to;
      region = next;
    }
    return edges;
  }

  private body(): void {
    const { instructions } = this.flow;
    const open: Scope[] = [];
    let next = 0;
    for (const [i, instruction] of instructions.entries()) {
      this.pc = instruction.pc;
      next = this.borders(open, next);
      if (i === this.start && this.way.length > 0) this.out('osr=false;');
      if (this.reached[i] === 0) continue;
      const emitter = this.emitters[instruction.info.op];
      if (emitter === undefined) throw new Error(`no emitter for ${instruction.info.name}`);
      emitter(this, instruction);
    }
    this.pc = -1;
    while (open.length > 0) this.close(open.pop() as Scope);
  }

  /** Closes the scopes that end at the current address and opens those that start there. */
  private borders(open: Scope[], next: number): number {
    const { pc } = this;
    while (open.length > 0 && open[open.length - 1].end <= pc) this.close(open.pop() as Scope);
    for (; next < this.scopes.length && this.scopes[next].start === pc; next++) {
      const scope = this.scopes[next];
      open.push(scope);
      this.out(scope.kind === 'block' ? `L${scope.end}:{` : scope.kind === 'loop' ? `H${scope.start}:for(;;){` : 'try{');
    }
    this.dispatch();
    return next;
  }

  /** The next jump of the way in stands behind the scopes that open where the last one led, for its block is one of them. */
  private dispatch(): void {
    if (this.entry < 0) return;
    let last = -1;
    this.way.forEach(({ start }, i) => {
      if (start === this.pc) last = i;
    });
    if (last < 0 && !(this.pc === 0 && this.way.length === 0)) {
      if (this.pc === 0 && this.way[0].start > 0) this.out(`if(osr)break L${this.way[0].start};`);
      return;
    }
    const to = this.way[last + 1]?.start ?? this.entry;
    if (to > this.pc) this.out(this.way.length === 0 ? `break L${to};` : `if(osr)break L${to};`);
  }

  private close({ kind, start, end, handler }: Scope): void {
    if (kind !== 'try') this.out('}');
    else this.out(`}catch(x){${this.passes(start, end, handler) ? 'if(!(x instanceof SvcError||x instanceof Signal))throw x;' : 'if(!(x instanceof SvcError))throw x;'}ex=x;break L${handler};}`);
  }

  private passes(start: number, end: number, handler: number): boolean {
    const { handlers } = this.fn;
    for (let k = 0; k < handlers.length; k += 4) {
      if (handlers[k] === start && handlers[k + 1] === end && handlers[k + 2] === handler) return handlers[k + 3] === HANDLES_ALL;
    }
    throw new Error('a try without its handler');
  }

  private locals(from: number): string {
    const names: string[] = [];
    for (let r = from; r < this.fn.blank.length; r++) names.push(`,r${r}=null`);
    return names.join('');
  }

  private callHead(): string[] {
    const { arity } = this.fn;
    const params = Array.from({ length: arity }, (_, i) => `r${i}`);
    return [
      `return function J(${['self', 'd', ...params].join(',')}){`,
      `let t=0,i=0,u,ex${this.locals(arity)};`,
      `if(--F[0]<0||d>F[1])return enter(FN,self,d,[${params.join(',')}]);`,
    ];
  }

  private loopHead(): string[] {
    const live = this.live.before(this.start);
    return [
      'return function J(frame,d){',
      `let t=0,i=0,u,ex${this.way.length > 0 ? ',osr=true' : ''}${this.locals(0)};`,
      'const self=frame.self,R=frame.regs;',
      live.map((r) => `r${r}=R[${r}];`).join(''),
    ];
  }
}
