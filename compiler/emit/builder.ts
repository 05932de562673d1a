import type * as Ast from '../ast.js';
import type { FunctionScope, Scope, Variable } from '../symbols.js';
import { Encoder, type Label } from '../../vm/bytecode/encode.js';
import { Op } from '../../vm/bytecode/generated/op.js';
import { LOW_REGISTERS, MAX_REGISTERS, type FunctionProto } from '../../vm/bytecode/program.js';
import { lineStarts, positionAt } from '../../vm/bytecode/position.js';
import type { CallEnd, Control } from './controls.js';
import type { ProgramBuilder } from './program.js';

/** Destination of a value that is not used. */
export const DISCARD = -1;

/** Number of low registers available to variables; the rest is for temporaries. */
const VARIABLE_LIMIT = 160;

/** Where a variable lives in the function being written. */
export type Location =
  | { kind: 'register'; register: number }
  | { kind: 'cell'; register: number }
  | { kind: 'slot'; slot: number }
  | { kind: 'capture'; index: number; cell: boolean }
  /** A function parameter of an inlined prelude function: a call of it is replaced by the block's code. */
  | { kind: 'block'; inline: InlinedBlock };

/** A literal block whose code replaces calls of a parameter. */
export interface InlinedBlock {
  block: Ast.Block;
  /** Register of the next number that the block receives after the iterator's values, or null. */
  counter: number | null;
  /** The locations at the call, and the prelude function that is inlined there, if any. */
  env: Env;
  template: Template | null;
  /** Target of `break`. */
  end: CallEnd;
}

/** A prelude function that is being inlined, and the target of its `return`. */
export interface Template {
  done: Label;
  dest: number;
  method: string;
  /** Number of controls around it. */
  depth: number;
}

/** Locations by variable; one level per inlined block or prelude function. */
export class Env {
  private readonly map = new Map<Variable, Location>();

  constructor(private readonly parent: Env | null) {}

  get(variable: Variable): Location | undefined {
    return this.map.get(variable) ?? this.parent?.get(variable);
  }

  set(variable: Variable, location: Location): void {
    this.map.set(variable, location);
  }
}

/** Writes the code for one kind of node. The value goes to register `dest`, or is dropped if that is DISCARD. */
export type Emitter<N> = (b: FunctionBuilder, node: N, dest: number) => void;

/** One emitter for each kind of expression. */
export type Emitters = { [T in Ast.Expr['type']]: Emitter<Extract<Ast.Expr, { type: T }>> };

/** The source of a function's code. */
export interface FunctionSource {
  name: string;
  kind: FunctionProto['kind'];
  scope: FunctionScope;
  params: readonly Ast.Param[];
  /** Writes the body and the RETURN of its value. */
  write(b: FunctionBuilder): void;
  doc: string;
  node: Ast.Node;
}

/** The program being written, with its emitters. */
export type Builder = ProgramBuilder<Emitters>;

/** Too many registers, arguments or captures: the function cannot be compiled. */
export class CodeLimit extends Error {}

/** Writes the code of one function: registers, variables, positions. Emitters do the rest. */
export class FunctionBuilder {
  readonly encoder = new Encoder();
  env = new Env(null);
  /** Loops, blocks and `ensure`s around the current place, outermost first. */
  readonly controls: Control[] = [];
  template: Template | null = null;
  /** While a prelude function is being inlined, positions stay at the call. */
  pinned = false;
  /** Register of the error being handled, for `raise` without arguments and for causes. */
  handled: number | null = null;
  private top = 0;
  private most = 0;
  private high = LOW_REGISTERS;
  private usesHigh = false;
  /** Registers of variables: no partly built value may be written to them. */
  private readonly variableRegisters = new Set<number>();
  private readonly starts: readonly number[];
  private lastOffset = -1;

  constructor(
    readonly program: Builder,
    readonly scope: FunctionScope,
  ) {
    this.starts = startsOf(scope.module.text);
  }

  get registers(): number {
    return this.usesHigh ? this.high : this.most;
  }

  // ---- positions

  /** Sets the source position of the instructions that follow. */
  at(offset: number): void {
    if (!this.pinned) this.moveTo(offset);
  }

  /** The source position of the last instruction. */
  get offset(): number {
    return this.lastOffset;
  }

  /** `at`, also while a prelude function is being inlined. */
  moveTo(offset: number): void {
    if (offset === this.lastOffset) return;
    this.lastOffset = offset;
    const { line, column } = positionAt(this.starts, offset);
    this.encoder.position(line, column);
  }

  // ---- registers

  /** Allocates a temporary register; `release` frees it. */
  temp(): number {
    const register = this.top++;
    if (this.top > LOW_REGISTERS)
      throw new CodeLimit('this expression needs too many intermediate values; split it into several statements');
    if (this.top > this.most) this.most = this.top;
    return register;
  }

  mark(): number {
    return this.top;
  }

  release(mark: number): void {
    for (let register = mark; register < this.top; register++) this.variableRegisters.delete(register);
    this.top = mark;
  }

  /** `dest`, or a temporary if the value is not used but needs a register. */
  target(dest: number): number {
    return dest === DISCARD ? this.temp() : dest;
  }

  /**
   * A register for a value under construction: `dest`, unless it holds a variable that the construction may still read.
   */
  scratch(dest: number): number {
    return dest === DISCARD || this.variableRegisters.has(dest) ? this.temp() : dest;
  }

  isVariable(register: number): boolean {
    return this.variableRegisters.has(register);
  }

  // ---- variables

  /** Places every variable of a scope, and creates the cells of captured ones. */
  enterScope(scope: Scope, env: Env): void {
    for (const variable of scope.variables) if (variable.copyOf === null) this.place(variable, env);
  }

  /** Places one variable; `register` is its register if it is a parameter. */
  place(variable: Variable, env: Env, register = -1): void {
    const { storage } = variable;
    if (storage === 'slot') {
      env.set(variable, { kind: 'slot', slot: this.program.slotOf(variable) });
      return;
    }
    const { most } = this;
    const at = register >= 0 ? register : this.variableRegister();
    this.variableRegisters.add(at);
    env.set(variable, { kind: storage, register: at });
    if (storage === 'cell') this.makeCell(at, register >= 0);
    // Registers start as nil, except where a block runs again or after default values were computed.
    else if (variable.conditional && register < 0 && (at < most || variable.scope !== variable.scope.fn.root))
      this.loadNil(at);
  }

  private variableRegister(): number {
    if (this.top < VARIABLE_LIMIT) return this.temp();
    this.usesHigh = true;
    if (this.high >= MAX_REGISTERS) throw new CodeLimit('this function has too many variables');
    return this.high++;
  }

  private makeCell(register: number, keep: boolean): void {
    const mark = this.mark();
    const low = register < LOW_REGISTERS ? register : this.temp();
    if (!keep) this.encoder.emit(Op.LOADNIL, low);
    this.encoder.emit(Op.NEWCELL, low, low);
    if (low !== register) this.move(register, low);
    this.release(mark);
  }

  private loadNil(register: number): void {
    const mark = this.mark();
    const low = register < LOW_REGISTERS ? register : this.temp();
    this.encoder.emit(Op.LOADNIL, low);
    if (low !== register) this.move(register, low);
    this.release(mark);
  }

  /** Creates a new cell for a loop variable in this iteration. */
  freshCell(variable: Variable): void {
    const location = this.locate(variable);
    if (location.kind === 'cell') this.makeCell(location.register, false);
  }

  locate(variable: Variable): Location {
    const known = this.env.get(variable);
    if (known !== undefined) return known;
    if (variable.storage === 'slot') return { kind: 'slot', slot: this.program.slotOf(variable) };
    const index = this.captures().indexOf(variable);
    if (index < 0) throw new Error(`variable ${variable.name} is not reachable`);
    return { kind: 'capture', index, cell: variable.storage === 'cell' };
  }

  /** Captured variables that the closure holds. Module slots need no capture. */
  captures(): Variable[] {
    return capturesOf(this.scope);
  }

  /** Register with a variable's value: its own, or a temporary. */
  readVariable(variable: Variable): number {
    const location = this.locate(variable);
    if (location.kind === 'register' && location.register < LOW_REGISTERS) return location.register;
    const register = this.temp();
    this.loadVariable(variable, register);
    return register;
  }

  loadVariable(variable: Variable, dest: number): void {
    const location = this.locate(variable);
    switch (location.kind) {
      case 'register':
        this.move(dest, location.register);
        break;
      case 'cell':
        this.withLow(location.register, (low) => this.encoder.emit(Op.CELLGET, dest, low));
        break;
      case 'slot':
        this.encoder.emitWord(Op.GETSLOT, dest, location.slot);
        break;
      case 'capture':
        this.encoder.emit16(Op.CAPTURE, dest, location.index);
        if (location.cell) this.encoder.emit(Op.CELLGET, dest, dest);
        break;
      default:
        throw new Error(`parameter ${variable.name} is a block`);
    }
  }

  storeVariable(variable: Variable, value: number): void {
    const location = this.locate(variable);
    const mark = this.mark();
    switch (location.kind) {
      case 'register':
        this.move(location.register, value);
        break;
      case 'cell':
        this.withLow(location.register, (low) => this.encoder.emit(Op.CELLSET, low, value));
        break;
      case 'slot':
        this.encoder.emitWord(Op.SETSLOT, value, location.slot);
        break;
      case 'capture': {
        const cell = this.temp();
        this.encoder.emit16(Op.CAPTURE, cell, location.index);
        this.encoder.emit(Op.CELLSET, cell, value);
        break;
      }
      default:
        throw new Error(`parameter ${variable.name} is a block`);
    }
    this.release(mark);
  }

  private withLow(register: number, use: (low: number) => void): void {
    if (register < LOW_REGISTERS) {
      use(register);
      return;
    }
    const mark = this.mark();
    const low = this.temp();
    this.move(low, register);
    use(low);
    this.release(mark);
  }

  move(to: number, from: number): void {
    if (to === from || to === DISCARD) return;
    if (to < LOW_REGISTERS && from < LOW_REGISTERS) this.encoder.emit(Op.MOVE, to, from);
    else this.encoder.emit(Op.MOVEW, 0, 0, 0, [to | (from << 16)]);
  }

  // ---- expressions

  /** Writes `node`; its value goes to `dest`. Frees all temporaries. */
  expr(node: Ast.Expr, dest: number): void {
    const mark = this.mark();
    this.at(node.start);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the table pairs each node type with its emitter
    (this.program.emitters[node.type] as any)(this, node, dest);
    this.release(mark);
  }

  /** Register with the value of `node`: a variable's own where that is safe, else a temporary. The caller frees it. */
  operand(node: Ast.Expr): number {
    if (node.type === 'Ident') {
      const symbol = this.program.resolution.symbols.get(node);
      if (symbol?.kind === 'variable') return this.readVariable(symbol.variable);
    }
    const register = this.temp();
    this.expr(node, register);
    return register;
  }

  /** Like `operand`, but not a variable's own register if one of `later` may assign the variable. */
  stableOperand(node: Ast.Expr, later: readonly Ast.Node[]): number {
    const register = this.operand(node);
    if (!this.isVariable(register) || !later.some(mayAssign)) return register;
    const copy = this.temp();
    this.move(copy, register);
    return copy;
  }

  /** Writes statements in order. The last one's value goes to `dest`, or nil if there is none. */
  statements(nodes: readonly Ast.Expr[], dest: number): void {
    if (nodes.length === 0) {
      if (dest !== DISCARD) this.encoder.emit(Op.LOADNIL, dest);
      return;
    }
    nodes.forEach((node, i) => this.statement(node, i === nodes.length - 1 ? dest : DISCARD));
  }

  private statement(node: Ast.Expr, dest: number): void {
    // A function's name on its own is a call.
    const symbol = node.type === 'Ident' ? this.program.resolution.symbols.get(node) : undefined;
    if (symbol?.kind === 'def' || (symbol?.kind === 'native' && /^[a-z_]/.test(symbol.name))) {
      this.expr({ type: 'Call', callee: node, args: [], block: null, start: node.start, end: node.end }, dest);
    } else this.expr(node, dest);
  }
}

/** Variables that closures of this function hold. */
export function capturesOf(scope: FunctionScope): Variable[] {
  return scope.captures.filter((variable) => variable.storage !== 'slot');
}

const PURE = new Set<string>(['Nil', 'Bool', 'Int', 'Float', 'Decimal', 'Str', 'Ident', 'Lambda']);

/** Whether evaluating `node` could assign a variable of the current function. Returns true if unsure. */
function mayAssign(node: Ast.Node): boolean {
  const { type } = node as Ast.Expr;
  if (PURE.has(type)) return false;
  if (type === 'Member') return mayAssign((node as Ast.Member).recv);
  if (type === 'Binary') return mayAssign((node as Ast.Binary).left) || mayAssign((node as Ast.Binary).right);
  if (type === 'Index') return [(node as Ast.Index).recv, ...(node as Ast.Index).args].some(mayAssign);
  if (type === 'Method' || type === 'Call') {
    const call = node as Ast.Method | Ast.Call;
    const head = call.type === 'Method' ? call.recv : call.callee;
    return (
      call.block !== null || mayAssign(head) || call.args.some((arg) => mayAssign((arg as Ast.Splat).value ?? arg))
    );
  }
  return true;
}

let lastFile: { text: string; starts: readonly number[] } | null = null;

/** Line starts of a text. Caches the last text, because every function of a file asks for it. */
function startsOf(text: string): readonly number[] {
  if (lastFile === null || lastFile.text !== text) lastFile = { text, starts: lineStarts(text) };
  return lastFile.starts;
}
