import type { Flow, Region } from '../../bytecode/flow.js';
import type { Instruction } from '../../bytecode/decode.js';
import { Op } from '../../bytecode/generated/op.js';
import { HANDLES_ALL } from '../../bytecode/program.js';
import { GAVE_UP, OVER_LIST, RAN } from '../../interpreter/feedback.js';
import type { MethodTables } from '../../calls/members.js';
import type { FieldCache, Fn } from '../../values/function.js';
import { DeoptExit, NEVER_RAN, TOO_LARGE } from '../../interpreter/suspension.js';
import type { Shape } from '../../values/hash.js';
import { Fuel } from '../analysis/fuel.js';
import { Liveness } from '../analysis/liveness.js';
import { Loops, type CountedLoop, type AppendLoop } from '../analysis/loops.js';
import { FloatForms } from '../analysis/floatforms.js';
import { placeScopes, type Edge, type Scope } from '../analysis/scopes.js';

/**
 * Source of one compiled function, the bytecode address of each of its lines (−1: none), and the values that it names.
 */
export interface Generated {
  source: string;
  pcs: number[];
  values: Map<string, unknown>;
}

/** Condition that two registers, or expressions without effects, hold JavaScript numbers. */
export const numbers = (a: string, b: string): string => `typeof ${a}==='number'&&typeof ${b}==='number'`;

/** Translates one opcode to JavaScript by calls of `Generator`. */
export type Emitter = (g: Generator, instruction: Instruction) => void;

/** As `Emitter`, for unboxed Float operands; returns false, without output, if they are not. */
export type FloatEmitter = (g: Generator, instruction: Instruction) => boolean;

/** In place of a set of slots: an assumption about this shape was wrong. */
const DOUBTED = -1;

/** Maximum values passed as separate arguments; more are spread. */
const MAX_ARGUMENTS = 12;

/** Maximum words of a function with a twin: V8 would inline no function that is much larger. */
const MAX_TWIN_WORDS = 100;

/**
 * Generates a function in JavaScript, one instruction per line. Registers are locals `r0`, `r1` …; each value that is
 * not a literal is a parameter of the enclosing function (`k0` …), so that no text of a program becomes code.
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
  /** Regions that an entry in the middle must enter, outermost first. */
  private readonly way: Region[] = [];
  private readonly scopes: Scope[];
  /** Forms of the registers: boxed or unboxed. */
  private readonly floatForms: FloatForms;
  private readonly targets = new Set<number>();
  /**
   * Registers known to hold records, with the shape of their fields; the fields are in locals `h0`, `h1` … A record
   * never changes its fields object or its shape.
   */
  private readonly records = new Map<number, Shape>();
  /** Bit set of slots of those records that are known to hold Floats; their numbers are in locals `e0`, `e1` … */
  private readonly floatSlots = new Map<number, number>();
  private readonly ofRecords = new Set<number>();
  /**
   * Bit set of slots, by shape, that instructions of this function assume to hold Floats; DOUBTED if an assumption was
   * wrong.
   */
  private readonly believed = new Map<Shape, number>();
  private readonly loops: Loops;
  readonly fuel: Fuel;
  /** Scopes around the current instruction. */
  private open: Scope[] = [];
  /** Name of the parameter that says whether the result is unused; empty if there is none. */
  private dropped = '';
  /** Expression by which the function calls itself; empty if it does not or is too large for a twin. */
  private twin = '';
  private readonly exits = new Map<string, DeoptExit>();
  /** Indexes of instructions that call something, found in this walk. */
  private readonly calls = new Set<number>();
  private emitting = false;
  /** Whether code deoptimizes within a JavaScript `try`. */
  private breaksOut = false;
  private pc = -1;
  /** Index of the current instruction. */
  at = 0;

  /** @param entry address of the LOOPHEAD at which to enter with a frame's registers, or −1 for a call */
  constructor(
    readonly fn: Fn,
    private readonly flow: Flow,
    private readonly entry: number,
    private readonly emitters: readonly Emitter[],
    private readonly floats: readonly (FloatEmitter | undefined)[],
    readonly tables: MethodTables,
  ) {
    this.live = new Liveness(flow, fn.handlers, fn.blank.length);
    this.start = entry < 0 ? 0 : flow.indexAt[entry];
    if (entry >= 0)
      for (let region = flow.interior[this.start]; region !== null; region = region.parent) this.way.unshift(region);
    this.reached = this.reachable();
    for (const { pc, info } of flow.instructions) if (info.op === Op.GETF) this.believe(pc);
    const regions = flow.regions.filter((region) => this.isReached(region));
    const edges = this.edges(regions);
    for (const { to } of edges) this.targets.add(flow.indexAt[to]);
    this.scopes = placeScopes([...edges, ...this.wayIn()], regions);
    this.floatForms = new FloatForms(fn, flow, this.live);
    this.loops = new Loops(
      fn,
      flow,
      this.live,
      (i) => this.isEntered(i),
      (head) => this.hasRun(head),
    );
    this.fuel = new Fuel(flow, this.loops);
  }

  generate(): Generated {
    do {
      this.floatForms.begin();
      this.body();
    } while (this.floatForms.improve());
    this.loops.setCalls(this.calls);
    this.emitting = true;
    this.breaksOut = false;
    this.floatForms.begin();
    this.body();
    const lines = [
      ...(this.entry < 0 ? this.callHead() : this.loopHead()),
      ...(this.breaksOut ? ['X:{', ...this.lines, '}', 'return deopt(dx,self,d,...dv);'] : this.lines),
      '})',
    ];
    const before = lines.length - this.lines.length - (this.breaksOut ? 3 : 1);
    const pcs = lines.map((_, i) => this.pcs[i - before] ?? -1);
    if (this.twin === '') return { source: `return ${lines.join('\n')}`, pcs, values: this.values };
    const plain = lines.map((line) => line.replaceAll(this.twin, `${this.value(this.fn.entry)}.jit`));
    return {
      source: `var T,C=${lines.join('\n')};T=${plain.join('\n')};return C;`,
      pcs: [...pcs.slice(0, -1), ...pcs],
      values: this.values,
    };
  }

  /**
   * The expression to call `callee`. V8 does not inline a function into itself. So a small function that calls itself
   * gets a twin `T`; the two call each other, and V8 inlines several levels of the recursion.
   */
  target(callee: Fn): string {
    const entry = this.value(callee.entry);
    if (callee !== this.fn || this.entry >= 0 || this.fn.code.length > MAX_TWIN_WORDS) return `${entry}.jit`;
    return (this.twin = `(${entry}.jit===J?T:${entry}.jit)`);
  }

  /** The name of a value within the code. */
  value(value: unknown): string {
    if (!this.emitting) return 'k';
    let name = this.names.get(value);
    if (name === undefined) {
      name = `k${this.names.size}`;
      this.names.set(value, name);
      this.values.set(name, value);
    }
    return name;
  }

  /** The instruction after the current one, unless something jumps to it. */
  get next(): Instruction | null {
    return this.at + 1 >= this.flow.instructions.length || this.isEntered(this.at + 1)
      ? null
      : this.flow.instructions[this.at + 1];
  }

  /** The instruction before the current one, unless something jumps to the current one. */
  get previous(): Instruction | null {
    return this.at === 0 || this.isEntered(this.at) ? null : this.flow.instructions[this.at - 1];
  }

  /** Whether control can reach instruction number `i` other than from the previous one. */
  private isEntered(i: number): boolean {
    return (
      i === this.start ||
      this.targets.has(i) ||
      this.flow.instructions[i].info.op === Op.LOOPHEAD ||
      this.flow.instructions[i].info.op === Op.CATCH
    );
  }

  /** Whether there is feedback for the loop at an address. */
  private hasRun(head: number): boolean {
    return (
      (this.feedback(head) & RAN) !== 0 ||
      head === this.entry ||
      this.way.some(({ kind, start }) => kind === 'loop' && start === head)
    );
  }

  /** Emits a LOOPHEAD: if the loop has never run, deoptimizes so that the interpreter collects feedback. */
  enterLoop({ pc }: Instruction): void {
    if (!this.hasRun(pc)) this.out(this.deopt(this.at, NEVER_RAN));
  }

  private ends({ info, pc }: Instruction): boolean {
    return info.ends || (info.op === Op.LOOPHEAD && !this.hasRun(pc));
  }

  /** Appends a line. */
  out(line: string): void {
    if (!this.emitting) return;
    this.lines.push(line);
    this.pcs.push(this.pc);
  }

  /** Emits a jump if `condition` holds. */
  jump({ target }: Instruction, condition: string): void {
    this.out(`if(${condition})${this.goTo(target)}`);
  }

  /** The counted loop that starts at the instruction `ahead` positions after the current one. */
  loopFrom(ahead: number): CountedLoop | undefined {
    return this.loops.startedBy(this.at + ahead);
  }

  /** The counted loop around the current instruction whose iterator is register `r`. */
  loopOver(r: number): CountedLoop | undefined {
    return this.loops.around(this.at, r);
  }

  /** The append loop of the instruction `ahead` positions after the current one. */
  appendLoop(ahead: number): AppendLoop | undefined {
    return this.loops.appendLoopAt(this.at + ahead);
  }

  /** A forward jump. */
  goTo(target: number): string {
    const conversions =
      this.fuel.leavingFor(target) +
      this.floatForms.edgeTo(this.flow.indexAt[target], (register) => this.deopt(this.flow.indexAt[target], register));
    return conversions === '' ? `break L${target};` : `{${conversions}break L${target};}`;
  }

  /** A jump back to the head of a loop. */
  goBack(target: number): string {
    return `${this.floatForms.backTo(this.flow.indexAt[target], (register) => this.deopt(this.flow.indexAt[target], register))}continue H${target};`;
  }

  /** Register `r`, boxed. */
  use(r: number): string {
    if (this.floatForms.box(r, this.at)) this.out(`r${r}=new Float(f${r});`);
    return `r${r}`;
  }

  /** Register `r`, known or assumed to hold a Float, as a JavaScript number. */
  unboxed(r: number): string {
    if (this.floatForms.unbox(r)) this.out(`if(!(r${r} instanceof Float))${this.deopt(this.at, -1)}f${r}=r${r}.n;`);
    return `f${r}`;
  }

  /** Register `r`, assumed to hold an Integer, as a JavaScript number. */
  number(r: number): string {
    this.out(`if(typeof ${this.use(r)}!=='number')${this.deopt(this.at, -1)}`);
    return `r${r}`;
  }

  /** Deoptimizes before the current instruction unless `condition` holds. */
  guard(condition: string): void {
    this.out(`if(!(${condition}))${this.deopt(this.at, -1)}`);
  }

  /** Whether register `r` holds a Float that is available unboxed. */
  isUnboxed(r: number): boolean {
    return this.floatForms.isUnboxed(r);
  }

  /** Whether register `r` holds a Float that is not boxed. */
  isOnlyUnboxed(r: number): boolean {
    return this.floatForms.isOnlyUnboxed(r);
  }

  /**
   * Returns a value that is expensive to make, or nil if the caller passes an extra argument `true` because it does not
   * use the result.
   */
  returnUnlessDropped(value: string): void {
    if (this.entry < 0) this.dropped = 'w';
    this.out(`${this.fuel.leaving}return ${this.entry < 0 ? `w===true?null:${value}` : value};`);
  }

  /** Whether the result of a call is not used. */
  isDropped({ a }: Instruction): boolean {
    return !this.live.isLiveBefore(this.at + 1, a);
  }

  setUnboxed(r: number, expression: string): void {
    this.out(`f${r}=${expression};`);
    this.floatForms.setUnboxed(r, this.at);
    this.forget(r);
  }

  setTagged(r: number): void {
    this.floatForms.setTagged(r);
    this.forget(r);
  }

  private forget(r: number): void {
    this.records.delete(r);
    this.floatSlots.delete(r);
  }

  /** Whether register `r` is known to hold a record whose fields have this shape. */
  isRecord(r: number, shape: Shape): boolean {
    return this.records.get(r) === shape;
  }

  /** Deoptimizes unless register `r` holds a record of the cached shape. */
  expectRecord(r: number, { shape, ofRecord }: FieldCache): void {
    if (!ofRecord || this.isRecord(r, shape)) return;
    this.guard(`r${r} instanceof RecordValue&&r${r}.fields.shape===${this.value(shape)}`);
    this.out(`h${r}=r${r}.fields;`);
    this.records.set(r, shape);
    this.ofRecords.add(r);
  }

  private believe(pc: number): void {
    const cache = this.fn.caches[pc];
    if (cache === undefined || !cache.ofRecord || !cache.isFloat) return;
    // If an assumption was wrong once, check each slot separately.
    if ((this.feedback(pc) & GAVE_UP) !== 0) this.believed.set(cache.shape, DOUBTED);
    else if (this.believed.get(cache.shape) !== DOUBTED)
      this.believed.set(cache.shape, (this.believed.get(cache.shape) ?? 0) | (1 << cache.slot));
  }

  /**
   * Deoptimizes unless the slot of the record in register `r`, and all other slots assumed to hold Floats, hold Floats.
   */
  expectFloats(r: number, { shape, slot }: FieldCache): void {
    if (this.hasFloat(r, slot)) return;
    const believed = this.believed.get(shape) as number;
    const slots = believed === DOUBTED ? 1 << slot : believed;
    this.guard(`(h${r}.floats&${slots})===${slots}`);
    this.haveFloats(r, slots);
  }

  /**
   * Whether a slot of the record in register `r` is known to hold a Float; its number is then in `e0[slot]` for
   * register 0.
   */
  hasFloat(r: number, slot: number): boolean {
    return ((this.floatSlots.get(r) ?? 0) & (1 << slot)) !== 0;
  }

  /** Stores the number of a Float in a slot of the record in register `r`. */
  storeFloat(r: number, slot: number, number: string): void {
    this.out(`h${r}.storeFloat(${slot},${number});`);
    this.haveFloats(r, 1 << slot);
  }

  private haveFloats(r: number, slots: number): void {
    this.out(`e${r}=h${r}.doubles;`);
    this.floatSlots.set(r, (this.floatSlots.get(r) ?? 0) | slots);
  }

  /** Operand kinds seen at an instruction. */
  feedback(pc: number): number {
    return this.fn.feedback[pc];
  }

  /**
   * Code that continues in the interpreter before instruction number `i`. `register`: the register that a loop wrongly
   * assumed to hold a Float; −1 or NEVER_RAN otherwise.
   */
  private deopt(i: number, register: number): string {
    const live = this.live.before(i);
    const exit = this.exit(this.flow.instructions[i].pc, live, register);
    // Leave the `try` first: the interpreter runs this function's handlers itself.
    if (this.isInTry) {
      this.breaksOut = true;
      return `{${this.fuel.leaving}dx=${exit};dv=[${this.kept(live)}];break X;}`;
    }
    return this.fuel.isLocal
      ? `{${this.fuel.leaving}q=-1;return deopt(${this.leftWith(exit, live)});}`
      : `return deopt(${this.leftWith(exit, live)});`;
  }

  /**
   * An operator's helper as a statement: puts its value into `u`, then runs `done`. Synchronizes the fuel, and leaves
   * operands too large for one step to the interpreter.
   */
  operator(expression: string, done: string): string {
    return this.fuel.within(`if((u=${expression})===undefined)${this.tooLarge()}${done}`);
  }

  private tooLarge(): string {
    const live = this.live.before(this.at);
    const exit = this.exit(this.flow.instructions[this.at].pc, live, TOO_LARGE);
    if (!this.isInTry) return `return deopt(${this.leftWith(exit, live)});`;
    this.breaksOut = true;
    return `{dx=${exit};dv=[${this.kept(live)}];break X;}`;
  }

  private get isInTry(): boolean {
    return this.open.some(({ kind }) => kind === 'try');
  }

  /** Emits a call: stores the value of `expression` in a register; undefined means that the thread must wait. */
  call(instruction: Instruction, expression: string): void {
    this.calls.add(this.at);
    this.out(`if((u=${expression})===undefined)${this.save(instruction)}r${instruction.a}=u;`);
  }

  /** As `call`, for helpers that may instead request to run a callee. */
  helper(instruction: Instruction, expression: string): void {
    this.calls.add(this.at);
    this.out(this.answered(instruction, expression));
  }

  /** As `helper`, but returns the text, for calls that are one of several cases. */
  answered(instruction: Instruction, expression: string): string {
    return `if((u=${expression})===undefined&&(u=callee(d))===undefined)${this.save(instruction)}r${instruction.a}=u;`;
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
      const loop = this.loopOver(r);
      if (loop === undefined) return this.truncated(r) ?? (this.floatForms.isOnlyUnboxed(r) ? `f${r}` : `r${r}`);
      return loop.over === OVER_LIST ? `new ListIterator(l${r},x${r})` : `new CountIterator(x${r},l${r})`;
    });
  }

  /** The name of the exit for values in the order of `kept(live)`. */
  private exit(pc: number, live: readonly number[], register: number): string {
    const places = live.map((r) =>
      this.floatForms.isOnlyUnboxed(r) && this.loopOver(r) === undefined && this.truncated(r) === null ? ~r : r,
    );
    return this.exitWith(pc, places, register);
  }

  private exitWith(pc: number, places: readonly number[], register: number): string {
    const key = `${pc}:${register}:${places.join()}`;
    let exit = this.exits.get(key);
    if (exit === undefined) this.exits.set(key, (exit = new DeoptExit(this.fn, pc, places, register)));
    return this.value(exit);
  }

  /** The vector `r` of a append loop, truncated to the elements stored; null for other registers. */
  private truncated(r: number): string | null {
    const appending = this.loops.appendLoopOf(this.at, r);
    if (appending === undefined) return null;
    return `cut(r${r},${this.appendedCount(appending)})`;
  }

  /** Expression for the number of elements that a append loop has stored before instruction number `at`. */
  appendedCount({ loop: { register, over }, next, append }: AppendLoop, at = this.at): string {
    return `x${register}${over === OVER_LIST ? '' : `-o${register}`}${at > next && at <= append ? '-1' : ''}`;
  }

  private reachable(): Uint8Array {
    const { instructions, indexAt } = this.flow;
    const reached = new Uint8Array(instructions.length);
    const work = [this.start];
    while (work.length > 0) {
      const i = work.pop() as number;
      if (reached[i] === 1) continue;
      reached[i] = 1;
      const { target } = instructions[i];
      if (!this.ends(instructions[i])) work.push(i + 1);
      if (target >= 0) work.push(indexAt[target]);
      work.push(...this.live.handlersOf[i]);
    }
    return reached;
  }

  private isReached({ start, end }: Region): boolean {
    for (let i = this.flow.indexAt[start]; i < this.reached.length && this.flow.instructions[i].pc < end; i++)
      if (this.reached[i] === 1) return true;
    return false;
  }

  private edges(regions: readonly Region[]): Edge[] {
    const edges: Edge[] = [];
    this.flow.instructions.forEach(({ pc, target }, i) => {
      if (this.reached[i] === 1 && target > pc) edges.push({ from: pc, region: this.flow.inner[i], to: target });
    });
    for (const region of regions)
      if (region.kind === 'try') edges.push({ from: region.start, region, to: region.handler });
    return edges;
  }

  /** The jumps from the start of the code to an entry in the middle: into one region after the other. */
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
    const { floatForms } = this;
    const { open } = this;
    this.records.clear();
    this.floatSlots.clear();
    this.calls.clear();
    let next = 0;
    let alive = this.entry < 0;
    for (const [i, instruction] of instructions.entries()) {
      this.pc = instruction.pc;
      this.at = i;
      const isHead = instruction.info.op === Op.LOOPHEAD;
      // For the edge from the previous instruction. Must precede the ends of blocks, so that jumps skip it.
      this.fuel.at = i - 1;
      if (alive && (this.targets.has(i) || isHead))
        this.out(floatForms.edgeTo(i, (register) => this.deopt(i, register)));
      this.fuel.at = i;
      next = this.borders(open, next);
      if (i === this.start && this.way.length > 0) this.out('osr=false;');
      if (!alive || this.targets.has(i) || isHead || instruction.info.op === Op.CATCH) {
        this.records.clear();
        this.floatSlots.clear();
      }
      if (this.reached[i] === 0) {
        alive = false;
        continue;
      }
      floatForms.arrive(i, alive, isHead, instruction.info.op === Op.CATCH);
      this.instruction(instruction, i);
      alive = !this.ends(instruction);
    }
    this.pc = -1;
    while (open.length > 0) this.close(open.pop() as Scope);
  }

  private instruction(instruction: Instruction, i: number): void {
    const { op, keepsFields } = instruction.info;
    // A handler reads boxed values.
    for (const handler of this.live.handlersOf[i]) for (const r of this.live.before(handler)) this.use(r);
    if (!this.fn.noFloats && this.floats[op]?.(this, instruction) === true) return;
    for (const r of instruction.reads) this.use(r);
    const emitter = this.emitters[op];
    emitter(this, instruction);
    if (!keepsFields) this.floatSlots.clear();
    for (const r of instruction.writes) this.setTagged(r);
  }

  /** Closes the scopes that end at the current address and opens those that start there. */
  private borders(open: Scope[], next: number): number {
    const { pc } = this;
    while (open.length > 0 && open[open.length - 1].end <= pc) this.close(open.pop() as Scope);
    for (; next < this.scopes.length && this.scopes[next].start === pc; next++) {
      const scope = this.scopes[next];
      open.push(scope);
      this.out(this.opening(scope));
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

  private close(scope: Scope): void {
    const { kind, start, end, handler } = scope;
    if (kind !== 'try') this.out(`}${kind === 'loop' ? this.fuel.closing(start) : ''}`);
    else
      this.out(
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

  /** Declares locals. `var` without a value generates no code, unlike `let`. */
  private locals(from: number, ...more: string[]): string {
    const names = ['t', 'i', 'q', 'u', 'ex', ...more];
    for (let r = from; r < this.fn.blank.length; r++)
      names.push(this.entry < 0 && this.live.isLiveBefore(0, r) ? `r${r}=null` : `r${r}`);
    for (const r of this.floatForms.everUnboxed) names.push(`f${r}`);
    for (const r of this.ofRecords) names.push(`h${r}`, `e${r}`);
    for (const r of this.loops.registers) names.push(`l${r}`, `x${r}`, `o${r}`, `z${r}`);
    if (this.breaksOut) names.push('dx', 'dv');
    return `var ${names.join(',')};`;
  }

  private callHead(): string[] {
    const { arity } = this.fn;
    const params = Array.from({ length: arity }, (_, i) => `r${i}`);
    return [
      `(function J(${['self', 'd', ...params, ...(this.dropped === '' ? [] : [this.dropped])].join(',')}){`,
      this.locals(arity),
      `if(--limits.fuel<0||d>limits.depth)return enter(${['FN', 'self', 'd', ...params].join(',')});`,
    ];
  }

  private loopHead(): string[] {
    const live = this.live.before(this.start);
    return [
      '(function J(frame,d){',
      this.locals(0, ...(this.way.length > 0 ? ['osr=true'] : [])),
      'const self=frame.self,R=frame.regs;',
      live.map((r) => this.taken(r, live)).join('') + live.map((r) => this.origin(r)).join(''),
    ];
  }

  /** Takes register `r` over from the interpreter; deoptimizes if it does not hold what the loop expects. */
  private taken(r: number, live: number[]): string {
    const take = `r${r}=R[${r}];`;
    const unless = (condition: string): string =>
      `if(!(${condition}))return deopt(${[this.exitWith(this.entry, live, r), 'self', 'd', ...live.map((n) => `R[${n}]`)].join(',')});`;
    const loop = this.loops.around(this.start, r);
    if (loop?.over === OVER_LIST)
      return `${take}${unless(`r${r} instanceof ListIterator`)}l${r}=r${r}.list;x${r}=r${r}.index;`;
    if (loop !== undefined)
      return `${take}${unless(`r${r} instanceof CountIterator`)}l${r}=r${r}.end;x${r}=r${r}.current;`;
    return this.floatForms.isRawAt(this.start, r) ? `${take}${unless(`r${r} instanceof Float`)}f${r}=r${r}.n;` : take;
  }

  /** For a append loop over numbers: computes the first number from the count of elements stored so far. */
  private origin(r: number): string {
    const appending = this.loops.appendLoopOf(this.start, r);
    if (appending === undefined || appending.loop.over === OVER_LIST) return '';
    return `o${appending.loop.register}=0;o${appending.loop.register}=${this.appendedCount(appending, this.start)}-r${r}.length;`;
  }
}
