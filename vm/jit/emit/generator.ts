import type { Flow, Region } from '../../bytecode/flow.js';
import type { Instruction } from '../../bytecode/decode.js';
import { Op } from '../../bytecode/generated/op.js';
import { HANDLES_ALL } from '../../bytecode/program.js';
import { GAVE_UP, OVER_LIST, RAN } from '../../interpreter/feedback.js';
import type { MethodTables } from '../../calls/members.js';
import type { FieldCache, Fn } from '../../values/function.js';
import { Exit, NEVER_RAN, TOO_LARGE } from '../../interpreter/suspension.js';
import type { Shape } from '../../values/hash.js';
import { Fuel } from '../analysis/fuel.js';
import { Liveness } from '../analysis/liveness.js';
import { Loops, type CountedLoop, type Gathering } from '../analysis/loops.js';
import { Places } from '../analysis/places.js';
import { placeScopes, type Edge, type Scope } from '../analysis/scopes.js';

/** Source of one compiled function, the bytecode address behind each of its lines (−1: none), and the values that it names. */
export interface Generated {
  source: string;
  pcs: number[];
  values: Map<string, unknown>;
}

/** A condition that two registers, or expressions without effects, hold JavaScript numbers. */
export const numbers = (a: string, b: string): string => `typeof ${a}==='number'&&typeof ${b}==='number'`;

/** How one opcode becomes JavaScript: calls of `Generator`. */
export type Emitter = (g: Generator, instruction: Instruction) => void;

/** The same for operands that are raw Floats; false: they are not, nothing is written. */
export type FloatEmitter = (g: Generator, instruction: Instruction) => boolean;

/** Instead of slots. */
const DOUBTED = -1;

/** Values that are given to a call one by one. */
const MOST_ARGUMENTS = 12;

/** V8 would inline no function that is much larger. */
const MOST_WORDS_OF_TWINS = 100;

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
  /** Where values are, and what is known of that at jump targets. */
  private readonly places: Places;
  private readonly targets = new Set<number>();
  /** Registers known to hold records, by the shape of their fields, which are in locals `h0`, `h1` … A record keeps both. */
  private readonly records = new Map<number, Shape>();
  /** Slots of those records that are known to hold Floats, a bit for each; the numbers are in locals `e0`, `e1` … */
  private readonly floatSlots = new Map<number, number>();
  private readonly ofRecords = new Set<number>();
  /** Slots that instructions of this function believe to hold Floats, by shape; DOUBTED: one of them was wrong. */
  private readonly believed = new Map<Shape, number>();
  private readonly loops: Loops;
  readonly fuel: Fuel;
  /** Scopes around the code that is being written. */
  private open: Scope[] = [];
  /** The parameter that says whether the result is wanted, if there is one. */
  private dropped = '';
  /** How the function calls itself; empty: it does not, or is too large for a twin. */
  private twin = '';
  private readonly exits = new Map<string, Exit>();
  /** Instructions that call something, as far as this walk has seen. */
  private readonly calls = new Set<number>();
  private emitting = false;
  /** Whether code gives up within a JavaScript `try`. */
  private breaksOut = false;
  private pc = -1;
  /** Index of the current instruction. */
  at = 0;

  /** @param entry address of a LOOPHEAD to enter at with a frame's registers, or −1 for a call */
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
    this.places = new Places(fn, flow, this.live);
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
      this.places.begin();
      this.body();
    } while (this.places.improve());
    this.loops.setCalls(this.calls);
    this.emitting = true;
    this.breaksOut = false;
    this.places.begin();
    this.body();
    const lines = [
      ...(this.entry < 0 ? this.callHead() : this.loopHead()),
      ...(this.breaksOut ? ['X:{', ...this.lines, '}', 'return deopt(dx,self,d,...dv);'] : this.lines),
      '})',
    ];
    const before = lines.length - this.lines.length - (this.breaksOut ? 3 : 1);
    const pcs = lines.map((_, i) => this.pcs[i - before] ?? -1);
    if (this.twin === '') return { source: `return ${lines.join('\n')}`, pcs, values: this.values };
    const plain = lines.map((line) => line.replaceAll(this.twin, `${this.value(this.fn.cell)}.jit`));
    return {
      source: `var T,C=${lines.join('\n')};T=${plain.join('\n')};return C;`,
      pcs: [...pcs.slice(0, -1), ...pcs],
      values: this.values,
    };
  }

  /**
   * The code to call `callee` by. V8 does not inline a function into itself: a small one that calls itself gets a twin `T`, which it calls and
   * which calls it, so that V8 makes one of some levels of the recursion.
   */
  target(callee: Fn): string {
    const cell = this.value(callee.cell);
    if (callee !== this.fn || this.entry >= 0 || this.fn.code.length > MOST_WORDS_OF_TWINS) return `${cell}.jit`;
    return (this.twin = `(${cell}.jit===J?T:${cell}.jit)`);
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

  /** The instruction behind the current one, unless something jumps to it. */
  get next(): Instruction | null {
    return this.at + 1 >= this.flow.instructions.length || this.isEntered(this.at + 1)
      ? null
      : this.flow.instructions[this.at + 1];
  }

  /** The instruction before the current one, unless something jumps to the current one. */
  get previous(): Instruction | null {
    return this.at === 0 || this.isEntered(this.at) ? null : this.flow.instructions[this.at - 1];
  }

  /** Whether control may come to instruction number `i` from elsewhere than the one before. */
  private isEntered(i: number): boolean {
    return (
      i === this.start ||
      this.targets.has(i) ||
      this.flow.instructions[i].info.op === Op.LOOPHEAD ||
      this.flow.instructions[i].info.op === Op.CATCH
    );
  }

  /** Whether anything is known of the loop at an address. */
  private hasRun(head: number): boolean {
    return (
      (this.feedback(head) & RAN) !== 0 ||
      head === this.entry ||
      this.way.some(({ kind, start }) => kind === 'loop' && start === head)
    );
  }

  /** At the head of a loop: when it has never run, the interpreter finds out what its values are. */
  enterLoop({ pc }: Instruction): void {
    if (!this.hasRun(pc)) this.out(this.deopt(this.at, NEVER_RAN));
  }

  private ends({ info, pc }: Instruction): boolean {
    return info.ends || (info.op === Op.LOOPHEAD && !this.hasRun(pc));
  }

  /** Adds a line. */
  out(line: string): void {
    if (!this.emitting) return;
    this.lines.push(line);
    this.pcs.push(this.pc);
  }

  /** The instruction jumps when `condition` holds. */
  jump({ target }: Instruction, condition: string): void {
    this.out(`if(${condition})${this.goTo(target)}`);
  }

  /** The loop that the current instruction, or the one `ahead` of it, begins, if its iterator is kept in locals. */
  loopFrom(ahead: number): CountedLoop | undefined {
    return this.loops.startedBy(this.at + ahead);
  }

  /** The loop around the current instruction whose iterator is kept in locals for register `r`. */
  loopOver(r: number): CountedLoop | undefined {
    return this.loops.around(this.at, r);
  }

  /** The gathering loop of the current instruction, or of the one `ahead` of it. */
  gathering(ahead: number): Gathering | undefined {
    return this.loops.gatheringAt(this.at + ahead);
  }

  /** The jump to an address further on. */
  goTo(target: number): string {
    const conversions =
      this.fuel.leavingFor(target) +
      this.places.edgeTo(this.flow.indexAt[target], (register) => this.deopt(this.flow.indexAt[target], register));
    return conversions === '' ? `break L${target};` : `{${conversions}break L${target};}`;
  }

  /** Back to the head of a loop. */
  goBack(target: number): string {
    return `${this.places.backTo(this.flow.indexAt[target], (register) => this.deopt(this.flow.indexAt[target], register))}continue H${target};`;
  }

  /** Register `r` as a value of the language. */
  use(r: number): string {
    if (this.places.box(r, this.at)) this.out(`r${r}=new Float(f${r});`);
    return `r${r}`;
  }

  /** Register `r`, which is known or believed to hold a Float, as a JavaScript number. */
  raw(r: number): string {
    if (this.places.unbox(r)) this.out(`if(!(r${r} instanceof Float))${this.deopt(this.at, -1)}f${r}=r${r}.n;`);
    return `f${r}`;
  }

  /** Register `r`, which is believed to hold an Integer, as a JavaScript number. */
  number(r: number): string {
    this.out(`if(typeof ${this.use(r)}!=='number')${this.deopt(this.at, -1)}`);
    return `r${r}`;
  }

  /** Leaves compiled code before the current instruction unless `condition` holds. */
  guard(condition: string): void {
    this.out(`if(!(${condition}))${this.deopt(this.at, -1)}`);
  }

  /** Whether register `r` holds a Float whose number is at hand. */
  isRaw(r: number): boolean {
    return this.places.isRaw(r);
  }

  /** Whether register `r` holds a Float that there is no object for. */
  isOnlyRaw(r: number): boolean {
    return this.places.isOnlyRaw(r);
  }

  /** Returns a value that takes time to make, or nil to a caller who says by one more argument that it wants none. */
  returnUnlessDropped(value: string): void {
    if (this.entry < 0) this.dropped = 'w';
    this.out(`${this.fuel.leaving}return ${this.entry < 0 ? `w===true?null:${value}` : value};`);
  }

  /** Whether nobody wants the result of a call. */
  isDropped({ a }: Instruction): boolean {
    return !this.live.isLiveBefore(this.at + 1, a);
  }

  setRaw(r: number, expression: string): void {
    this.out(`f${r}=${expression};`);
    this.places.setRaw(r, this.at);
    this.forget(r);
  }

  setTagged(r: number): void {
    this.places.setTagged(r);
    this.forget(r);
  }

  private forget(r: number): void {
    this.records.delete(r);
    this.floatSlots.delete(r);
  }

  /** Whether register `r` is known to hold a record with this shape of fields. */
  isRecord(r: number, shape: Shape): boolean {
    return this.records.get(r) === shape;
  }

  /** Makes sure that register `r` holds a record of the shape that was noted, or leaves compiled code. */
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
    // Where that was wrong once, each slot is looked at by itself.
    if ((this.feedback(pc) & GAVE_UP) !== 0) this.believed.set(cache.shape, DOUBTED);
    else if (this.believed.get(cache.shape) !== DOUBTED)
      this.believed.set(cache.shape, (this.believed.get(cache.shape) ?? 0) | (1 << cache.slot));
  }

  /** Makes sure that a slot of the record in register `r` holds a Float, and all others of which that is believed too, or leaves compiled code. */
  expectFloats(r: number, { shape, slot }: FieldCache): void {
    if (this.hasFloat(r, slot)) return;
    const believed = this.believed.get(shape) as number;
    const slots = believed === DOUBTED ? 1 << slot : believed;
    this.guard(`(h${r}.floats&${slots})===${slots}`);
    this.haveFloats(r, slots);
  }

  /** Whether a slot of the record in register `r` is known to hold a Float, whose number is then in the list `e0` for register 0. */
  hasFloat(r: number, slot: number): boolean {
    return ((this.floatSlots.get(r) ?? 0) & (1 << slot)) !== 0;
  }

  /** Puts the number of a Float into a slot of the record in register `r`. */
  storeFloat(r: number, slot: number, number: string): void {
    this.out(`h${r}.storeFloat(${slot},${number});`);
    this.haveFloats(r, 1 << slot);
  }

  private haveFloats(r: number, slots: number): void {
    this.out(`e${r}=h${r}.doubles;`);
    this.floatSlots.set(r, (this.floatSlots.get(r) ?? 0) | slots);
  }

  /** What was seen of the operands of an instruction. */
  feedback(pc: number): number {
    return this.fn.feedback[pc];
  }

  /** Goes on in the interpreter before instruction number `i`. `register`: the one that a loop believed to be a Float. */
  private deopt(i: number, register: number): string {
    const live = this.live.before(i);
    const exit = this.exit(this.flow.instructions[i].pc, live, register);
    // What the interpreter throws is not for the handlers of this function, of which it takes care.
    if (this.isInTry) {
      this.breaksOut = true;
      return `{${this.fuel.leaving}dx=${exit};dv=[${this.kept(live)}];break X;}`;
    }
    return this.fuel.isLocal
      ? `{${this.fuel.leaving}q=-1;return deopt(${this.leftWith(exit, live)});}`
      : `return deopt(${this.leftWith(exit, live)});`;
  }

  /**
   * An operator's helper as a statement, whose value is then in `u`; `done` uses it. What the helper takes from the slice is seen, and operands
   * too large for one step are left to the interpreter.
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

  /** Puts the value of `expression`, which may be undefined when the thread has to wait, into a register. */
  call(instruction: Instruction, expression: string): void {
    this.calls.add(this.at);
    this.out(`if((u=${expression})===undefined)${this.save(instruction)}r${instruction.a}=u;`);
  }

  /** The same for helpers that may answer that a callee is to run. */
  helper(instruction: Instruction, expression: string): void {
    this.calls.add(this.at);
    this.out(this.answered(instruction, expression));
  }

  /** The same as text, for calls that are one case of several. */
  answered(instruction: Instruction, expression: string): string {
    return `if((u=${expression})===undefined&&(u=callee(d))===undefined)${this.save(instruction)}r${instruction.a}=u;`;
  }

  /** Leaves the function, whose frame then waits in this instruction. */
  save({ pc }: Instruction): string {
    const live = this.live.across(this.flow.indexAt[pc]);
    return `return save(${this.leftWith(this.exit(pc, live, -1), live)});`;
  }

  /** Leaves the function for now, to go on at a loop's head. */
  yield(head: number): string {
    const live = this.live.before(this.flow.indexAt[head]);
    const save = `return save(${this.leftWith(this.exit(head, live, -1), live)});`;
    return this.fuel.isLocal && this.fuel.leavingFor(head) === '' ? `{${this.fuel.leaving}${save}}` : save;
  }

  /** What `save` and `deopt` are called with. Arguments take room in each frame on the stack, unlike elements of an array, which take more code. */
  private leftWith(exit: string, live: readonly number[]): string {
    const values = this.kept(live).join(',');
    return `${exit},self,d${live.length === 0 ? '' : live.length > MOST_ARGUMENTS ? `,...[${values}]` : `,${values}`}`;
  }

  /** The values of registers where the function is left, without a change of where they are. */
  private kept(registers: readonly number[]): string[] {
    return registers.map((r) => {
      const loop = this.loopOver(r);
      if (loop === undefined) return this.gathered(r) ?? (this.places.isOnlyRaw(r) ? `f${r}` : `r${r}`);
      return loop.over === OVER_LIST ? `new ListIterator(l${r},x${r})` : `new CountIterator(x${r},l${r})`;
    });
  }

  /** The name of the exit at which `kept` gives the values of `live`. */
  private exit(pc: number, live: readonly number[], register: number): string {
    const places = live.map((r) =>
      this.places.isOnlyRaw(r) && this.loopOver(r) === undefined && this.gathered(r) === null ? ~r : r,
    );
    return this.exitWith(pc, places, register);
  }

  private exitWith(pc: number, places: readonly number[], register: number): string {
    const key = `${pc}:${register}:${places.join()}`;
    let exit = this.exits.get(key);
    if (exit === undefined) this.exits.set(key, (exit = new Exit(this.fn, pc, places, register)));
    return this.value(exit);
  }

  /** Register `r` with the elements that a gathering loop has put into it, if it does. */
  private gathered(r: number): string | null {
    const gathering = this.loops.gatheredAt(this.at, r);
    if (gathering === undefined) return null;
    return `cut(r${r},${this.gatheredCount(gathering)})`;
  }

  /** How many elements a gathering loop has stored before instruction number `at`. */
  gatheredCount({ loop: { register, over }, next, append }: Gathering, at = this.at): string {
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
    const { places } = this;
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
      // On the edge from the instruction before: inside the blocks that end here, where jumps do not pass.
      this.fuel.at = i - 1;
      if (alive && (this.targets.has(i) || isHead)) this.out(places.edgeTo(i, (register) => this.deopt(i, register)));
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
      places.arrive(i, alive, isHead, instruction.info.op === Op.CATCH);
      this.instruction(instruction, i);
      alive = !this.ends(instruction);
    }
    this.pc = -1;
    while (open.length > 0) this.close(open.pop() as Scope);
  }

  private instruction(instruction: Instruction, i: number): void {
    const { op, keepsFields } = instruction.info;
    // A handler reads values of the language.
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

  /** Declarations of locals; without a value, unlike with `let`, they are no code. */
  private locals(from: number, ...more: string[]): string {
    const names = ['t', 'i', 'q', 'u', 'ex', ...more];
    for (let r = from; r < this.fn.blank.length; r++)
      names.push(this.entry < 0 && this.live.isLiveBefore(0, r) ? `r${r}=null` : `r${r}`);
    for (const r of this.places.raws) names.push(`f${r}`);
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

  /** Takes register `r` over from the interpreter; when it does not hold what the loop expects, that one goes on. */
  private taken(r: number, live: number[]): string {
    const take = `r${r}=R[${r}];`;
    const unless = (condition: string): string =>
      `if(!(${condition}))return deopt(${[this.exitWith(this.entry, live, r), 'self', 'd', ...live.map((n) => `R[${n}]`)].join(',')});`;
    const loop = this.loops.around(this.start, r);
    if (loop?.over === OVER_LIST)
      return `${take}${unless(`r${r} instanceof ListIterator`)}l${r}=r${r}.list;x${r}=r${r}.index;`;
    if (loop !== undefined)
      return `${take}${unless(`r${r} instanceof CountIterator`)}l${r}=r${r}.end;x${r}=r${r}.current;`;
    return this.places.isRawAt(this.start, r) ? `${take}${unless(`r${r} instanceof Float`)}f${r}=r${r}.n;` : take;
  }

  /** Where the numbers began that a gathering loop runs over: it has stored an element for each so far. */
  private origin(r: number): string {
    const gathering = this.loops.gatheredAt(this.start, r);
    if (gathering === undefined || gathering.loop.over === OVER_LIST) return '';
    return `o${gathering.loop.register}=0;o${gathering.loop.register}=${this.gatheredCount(gathering, this.start)}-r${r}.length;`;
  }
}
