import type { Flow } from '../../bytecode/flow.js';
import type { Instruction } from '../../bytecode/decode.js';
import { Op } from '../../bytecode/generated/op.js';
import type { MethodTables } from '../../calls/members.js';
import { OVER_LIST } from '../../interpreter/feedback.js';
import { NEVER_RAN } from '../../interpreter/suspension.js';
import type { Fn } from '../../values/function.js';
import { FloatForms, unboxing } from '../analysis/floatforms.js';
import { Fuel } from '../analysis/fuel.js';
import type { Layout } from '../analysis/layout.js';
import type { Liveness } from '../analysis/liveness.js';
import { Loops, type AppendLoop, type CountedLoop } from '../analysis/loops.js';
import { CodeWriter } from './codewriter.js';
import { Exits } from './exits.js';
import { Literals } from './literals.js';
import { RecordFacts } from './recordfacts.js';
import { ScopeWriter } from './scopewriter.js';

/**
 * Source of one compiled function, the bytecode address of each of its lines (−1: none), and the values that it names.
 */
export interface Generated {
  source: string;
  pcs: readonly number[];
  values: Map<string, unknown>;
}

/** Translates one opcode to JavaScript by calls of `Generator`. */
export type Emitter = (g: Generator, instruction: Instruction) => void;

/** As `Emitter`, for unboxed Float operands; returns false, without output, if they are not. */
export type FloatEmitter = (g: Generator, instruction: Instruction) => boolean;

/** Maximum words of a function with a twin: V8 would inline no function that is much larger. */
const MAX_TWIN_WORDS = 100;

/**
 * Generates a function in JavaScript, one instruction per line. Each value that is not a literal is a parameter of the
 * enclosing function (`k0` …), so that no text of a program becomes code. Locals of the generated code, for register 3:
 *
 * | Local | Holds |
 * |---|---|
 * | `r3`, `f3` | the register's value, boxed; its number if it is a Float (`FloatForms`) |
 * | `h3`, `e3` | the fields of the record in the register; the numbers of those that are Floats (`RecordFacts`) |
 * | `x3`, `l3` | index or next number, and end or list, of the counted loop whose iterator the register is (`Loops`) |
 * | `o3`, `z3` | the first number of an append loop; the fuel at the start of a uniform loop (`Fuel`) |
 * | `q` | the fuel in a loop without calls; −1 while a helper uses `limits.fuel` |
 * | `self`, `d`, `w` | the closure, the depth of the stack; whether the caller drops the result |
 * | `t`, `u`, `i`, `ex` | scratch: a test's operand, a call's result, an index; the exception of a `catch` |
 * | `dx`, `dv` | the exit and its values when the code leaves a `try` to deoptimize (`Exits`) |
 * | `se`, `sf`, `sx`, `s0` … | the exit, the fuel, the index of its loop, and the values when the code suspends (`Exits`) |
 * | `osr` | whether the entry in the middle of a loop is still being reached (`ScopeWriter`) |
 * | `J`, `T` | the function itself and its twin |
 */
export class Generator {
  private readonly writer = new CodeWriter();
  /** Forms of the registers: boxed or unboxed. */
  private readonly floatForms: FloatForms;
  readonly records: RecordFacts;
  readonly literals: Literals;
  private readonly loops: Loops;
  readonly fuel: Fuel;
  private readonly scopes: ScopeWriter;
  readonly exits: Exits;
  /** Name of the parameter that says whether the result is unused; empty if there is none. */
  private dropped = '';
  /** Expression by which the function calls itself; empty if it does not or is too large for a twin. */
  private twin = '';
  /** How many of the next instructions the last one included. */
  private skipped = 0;
  /** Indexes of instructions that call something, found in this walk. */
  private readonly calls = new Set<number>();

  /** @param entry address of the LOOPHEAD at which to enter with a frame's registers, or −1 for a call */
  constructor(
    readonly fn: Fn,
    private readonly flow: Flow,
    private readonly live: Liveness,
    private readonly layout: Layout,
    private readonly entry: number,
    private readonly emitters: readonly Emitter[],
    private readonly floats: readonly (FloatEmitter | undefined)[],
    readonly tables: MethodTables,
  ) {
    const { writer } = this;
    this.records = new RecordFacts(fn, writer, (condition) => this.guard(condition));
    this.literals = new Literals(fn);
    for (const { pc, info } of flow.instructions) if (info.op === Op.GETF) this.records.believe(pc);
    this.floatForms = new FloatForms(fn, flow, live);
    this.loops = new Loops(
      fn,
      flow,
      live,
      (i) => layout.isEntered(i),
      (head) => layout.hasRun(head) && !layout.isLeft(flow.indexAt[head]),
    );
    this.fuel = new Fuel(flow, this.loops);
    this.scopes = new ScopeWriter(fn, entry, layout, this.fuel, writer);
    this.exits = new Exits(fn, flow, live, this.floatForms, this.loops, this.fuel, this.scopes, writer);
  }

  generate(): Generated {
    const { writer, exits, floatForms } = this;
    const hasLoops = this.flow.regions.some(({ kind }) => kind === 'loop');
    // Without loops and unboxed Floats, what the first walk writes is final.
    writer.emitting = !hasLoops;
    this.walk();
    while (floatForms.improve()) {
      writer.emitting = false;
      this.walk();
    }
    if (hasLoops || floatForms.everUnboxed.size > 0) {
      this.loops.setCalls(this.calls);
      writer.restart();
      exits.breaksOut = false;
      this.walk();
    }
    const { values } = writer;
    const head = this.entry < 0 ? this.callHead() : this.loopHead();
    const lines = [
      ...head,
      ...(exits.breaksOut ? ['X:{', ...writer.lines, '}return deopt(dx,self,d,...dv);'] : writer.lines),
      exits.suspending(),
      '})',
    ];
    const before = head.length + (exits.breaksOut ? 1 : 0);
    const pcs = lines.map((_, i) => writer.pcs[i - before] ?? -1);
    if (this.twin === '') return { source: `return [${lines.join('\n')}];`, pcs, values };
    const plain = lines.map((line) => line.replaceAll(this.twin, `${this.value(this.fn.entry)}.jit`));
    return {
      source: `var T,C=${lines.join('\n')};T=${plain.join('\n')};return [C,T];`,
      pcs: [...pcs.slice(0, -1), ...pcs],
      values,
    };
  }

  /** Index of the current instruction. */
  get at(): number {
    return this.writer.at;
  }

  /** Appends a line. */
  out(line: string): void {
    this.writer.out(line);
  }

  /** The name of a value within the code. */
  value(value: unknown): string {
    return this.writer.value(value);
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

  /** The instruction `ahead` positions after the current one, unless something jumps to it or in between. */
  following(ahead: number): Instruction | null {
    const next = this.flow.instructions[this.at + ahead];
    if (next === undefined) return null;
    for (let i = this.at + 1; i <= this.at + ahead; i++) if (this.layout.isEntered(i)) return null;
    return next;
  }

  /** Whether the value of register `r` is used after the instruction `ahead` positions after the current one. */
  isLiveAfter(ahead: number, r: number): boolean {
    return this.live.isLiveBefore(this.at + ahead + 1, r);
  }

  /** Leaves out the next `count` instructions, which the code of the current one includes; `r` holds their result. */
  skip(count: number, r: number): void {
    this.skipped = count;
    this.setTagged(r);
  }

  /** Emits a LOOPHEAD: if the loop has never run, deoptimizes so that the interpreter collects feedback. */
  enterLoop({ pc }: Instruction): void {
    if (!this.layout.hasRun(pc)) this.out(this.exits.deopt(this.at, NEVER_RAN));
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
      this.floatForms.edgeTo(this.flow.indexAt[target], (register) =>
        this.exits.deopt(this.flow.indexAt[target], register),
      );
    return conversions === '' ? `break L${target};` : `{${conversions}break L${target};}`;
  }

  /** A jump back to the head of a loop. */
  goBack(target: number): string {
    return `${this.floatForms.backTo(this.flow.indexAt[target], (register) => this.exits.deopt(this.flow.indexAt[target], register))}continue H${target};`;
  }

  /** Register `r`, boxed. */
  use(r: number): string {
    if (this.floatForms.box(r, this.at)) this.out(`r${r}=new Float(f${r});`);
    return `r${r}`;
  }

  /** Register `r`, known or assumed to hold a Float, as a JavaScript number. */
  unboxed(r: number): string {
    if (this.floatForms.unbox(r)) this.out(unboxing(r, this.exits.deopt(this.at, -1)));
    return `f${r}`;
  }

  /** Register `r`, assumed to hold an Integer, as a JavaScript number. */
  number(r: number): string {
    this.out(`if(typeof ${this.use(r)}!=='number')${this.exits.deopt(this.at, -1)}`);
    return `r${r}`;
  }

  /** Deoptimizes before the current instruction unless `condition` holds. */
  guard(condition: string): void {
    this.out(`if(!(${condition}))${this.exits.deopt(this.at, -1)}`);
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
    return !this.isLiveAfter(0, a);
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
    this.records.forget(r);
    this.literals.forget(r);
  }

  /** Operand kinds seen at an instruction. */
  feedback(pc: number): number {
    return this.fn.feedback[pc];
  }

  /**
   * An operator's helper as a statement: puts its value into `u`, then runs `done`. Synchronizes the fuel, and leaves
   * operands too large for one step to the interpreter.
   */
  operator(expression: string, done: string): string {
    return this.fuel.within(`if((u=${expression})===undefined)${this.exits.tooLarge()}${done}`);
  }

  /** Leaves the instruction to the interpreter under a condition. Synchronizes the fuel. */
  leaveIf(condition: string): string {
    return `if(${condition})${this.fuel.within(this.exits.tooLarge())}`;
  }

  /** Emits a call: stores the value of `expression` in a register; undefined means that the thread must wait. */
  call(instruction: Instruction, expression: string): void {
    this.calls.add(this.at);
    this.out(`if((u=${expression})===undefined)${this.exits.save(instruction)}r${instruction.a}=u;`);
  }

  /** As `call`, for helpers that may instead request to run a callee. */
  helper(instruction: Instruction, expression: string): void {
    this.calls.add(this.at);
    this.out(this.answered(instruction, expression));
  }

  /** As `helper`, but returns the text, for calls that are one of several cases. */
  answered(instruction: Instruction, expression: string): string {
    return `if((u=${expression})===undefined&&(u=callee(d))===undefined)${this.exits.save(instruction)}r${instruction.a}=u;`;
  }

  /** As `answered`, for a call that the instruction usually does not make. */
  callText(instruction: Instruction, expression: string): string {
    this.calls.add(this.at);
    return this.answered(instruction, expression);
  }

  private walk(): void {
    this.floatForms.begin();
    this.body();
  }

  private body(): void {
    const { writer, layout, scopes, records, literals, floatForms } = this;
    records.clear();
    literals.clear();
    this.calls.clear();
    let next = 0;
    let alive = this.entry < 0;
    this.skipped = 0;
    for (let i = 0, { last } = layout; i <= last; i++) {
      const instruction = this.flow.instructions[i];
      writer.pc = instruction.pc;
      writer.at = i;
      const isHead = instruction.info.op === Op.LOOPHEAD;
      // For the edge from the previous instruction. Must precede the ends of blocks, so that jumps skip it.
      this.fuel.at = i - 1;
      if (alive && (layout.targets.has(i) || isHead))
        this.out(floatForms.edgeTo(i, (register) => this.exits.deopt(i, register)));
      this.fuel.at = i;
      next = scopes.borders(next);
      if (i === layout.start && layout.way.length > 0) this.out('osr=false;');
      if (!alive || layout.targets.has(i) || isHead || instruction.info.op === Op.CATCH) {
        records.clear();
        literals.clear();
      }
      if (layout.reached[i] === 0) {
        alive = false;
        continue;
      }
      floatForms.arrive(i, alive, isHead, instruction.info.op === Op.CATCH);
      if (layout.isLeft(i)) {
        this.out(this.exits.afterLoops(i));
        alive = false;
        continue;
      }
      if (this.skipped > 0) {
        this.skipped--;
        for (const r of instruction.writes) literals.forget(r);
      } else this.instruction(instruction, i);
      alive = !layout.ends(instruction);
    }
    writer.pc = -1;
    scopes.closeAll();
  }

  private instruction(instruction: Instruction, i: number): void {
    const { op, keepsFields } = instruction.info;
    // A handler reads boxed values.
    for (const handler of this.live.handlersOf[i]) for (const r of this.live.before(handler)) this.use(r);
    this.literals.begin(instruction);
    if (!this.fn.noFloats && this.floats[op]?.(this, instruction) === true) return;
    for (const r of instruction.reads) this.use(r);
    const emitter = this.emitters[op];
    emitter(this, instruction);
    if (!keepsFields) this.records.clearFloats();
    for (const r of instruction.writes) this.setTagged(r);
    this.literals.end(instruction);
  }

  /** Declares locals. `var` without a value generates no code, unlike `let`. */
  private locals(from: number, ...more: string[]): string {
    const names = ['t', 'i', 'q', 'u', 'ex', ...this.exits.names(), ...more];
    for (let r = from; r < this.fn.blank.length; r++)
      names.push(this.entry < 0 && this.live.isLiveBefore(0, r) ? `r${r}=null` : `r${r}`);
    for (const r of this.floatForms.everUnboxed) names.push(`f${r}`);
    for (const r of this.records.withDoubles) names.push(`e${r}`);
    for (const r of this.loops.registers) names.push(`l${r}`, `x${r}`, `o${r}`, `z${r}`);
    if (this.exits.breaksOut) names.push('dx', 'dv');
    return `var ${names.join(',')};`;
  }

  private callHead(): string[] {
    const { arity } = this.fn;
    const params = Array.from({ length: arity }, (_, i) => `r${i}`);
    const leave = this.exits.entry(arity);
    return [
      `(function J(${['self', 'd', ...params, ...(this.dropped === '' ? [] : [this.dropped])].join(',')}){`,
      this.locals(arity),
      `S:{if(--limits.fuel<0||d>limits.depth)${leave}`,
    ];
  }

  private loopHead(): string[] {
    const live = this.live.before(this.layout.start);
    // Only the training of `Compiler` enters with this depth.
    const train = `if(d<0)${this.exits.entry(0)}`;
    return [
      '(function J(frame,d){',
      this.locals(0, 'self', 'R', ...(this.layout.way.length > 0 ? ['osr=true'] : [])),
      `S:{${train}self=frame.self;R=frame.regs;`,
      live.map((r) => this.taken(r, live)).join('') + live.map((r) => this.origin(r)).join(''),
      // A frame whose thread has waited is old for V8: until the next full collection its registers would keep their values.
      'R.fill(null);',
    ];
  }

  /** Takes register `r` over from the interpreter; deoptimizes if it does not hold what the loop expects. */
  private taken(r: number, live: number[]): string {
    const take = `r${r}=R[${r}];`;
    const leave = (): string =>
      `return deopt(${[this.exits.exitWith(this.entry, live, r), 'self', 'd', ...live.map((n) => `R[${n}]`)].join(',')});`;
    const unless = (condition: string): string => `if(!(${condition}))${leave()}`;
    const loop = this.loops.around(this.layout.start, r);
    if (loop?.over === OVER_LIST)
      return `${take}${unless(`r${r} instanceof ListIterator`)}l${r}=r${r}.list;x${r}=r${r}.index;`;
    if (loop !== undefined)
      return `${take}${unless(`r${r} instanceof CountIterator`)}l${r}=r${r}.end;x${r}=r${r}.current;`;
    return this.floatForms.isRawAt(this.layout.start, r) ? take + unboxing(r, leave()) : take;
  }

  /** For a append loop over numbers: computes the first number from the count of elements stored so far. */
  private origin(r: number): string {
    const appending = this.loops.appendLoopOf(this.layout.start, r);
    if (appending === undefined || appending.loop.over === OVER_LIST) return '';
    return `o${appending.loop.register}=0;o${appending.loop.register}=${this.exits.appendedCount(appending, this.layout.start)}-r${r}.length;`;
  }
}
