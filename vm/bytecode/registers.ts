import { InvalidBytecode, type Instruction } from './decode.js';
import type { Flow } from './flow.js';
import { Op } from './generated/op.js';
import type { FunctionProto, Program } from './program.js';
import { States } from './states.js';
import {
  ABSENT,
  captureKinds,
  CAUGHT,
  CELL,
  CLOSURE,
  demandsOf,
  HASH,
  ITERATOR,
  kindText,
  mayBeAbsent,
  parameterKind,
  PENDING,
  Tracked,
  VALUE,
  VALUES,
  VECTOR,
  type Ensure,
} from './tracked.js';

/**
 * Limit for steps on single registers per program: FREE_WORK, plus WORK_PER_WORD per word of code. Compiled programs
 * need only a few per word.
 */
const FREE_WORK = 1 << 24;
const WORK_PER_WORD = 256;
/** Two passes suffice for compiled code: the second one knows which kinds its loops bring back to their heads. */
const MAX_PASSES = 6;

/**
 * Verifies the kinds of values in the registers of a program's functions (I8). One forward pass per function, and a
 * second one if a loop brings another kind back to its head. Tracks only the few registers that can hold anything but
 * values. Functions are checked after those that create their closures, which determine the kinds of their captures.
 */
export class RegisterCheck {
  /** Functions to check, in this order; `check` appends functions whose closures it encounters. */
  readonly order: number[] = [];
  readonly demands: readonly (readonly number[] | undefined)[];
  /** For each function, 1 for each captured value that is a cell; null while no closure of it is known. */
  readonly cells: (Uint8Array | null)[];
  private work = FREE_WORK;
  private slotOf = new Int32Array(0);

  /** @param first number of the first function to check; those before it are checked */
  constructor(
    readonly program: Program,
    first = 0,
  ) {
    this.demands = demandsOf(program);
    this.cells = new Array<Uint8Array | null>(program.functions.length).fill(null);
    program.functions.forEach(({ captures }, i) => {
      if (captures === 0 && i >= first) this.enqueue(i, new Uint8Array(0));
    });
  }

  /** Whether the function may ever run: it needs no closure, or one is created. */
  reaches(index: number): boolean {
    return this.cells[index] !== null;
  }

  /** Checks a function whose structure and operands are already verified. @throws InvalidBytecode */
  check(index: number, flow: Flow): void {
    const fn = this.program.functions[index];
    this.work += fn.code.length * WORK_PER_WORD;
    if (this.slotOf.length <= fn.registers) this.slotOf = new Int32Array(2 * fn.registers + 64).fill(-1);
    const tracked = new Tracked(fn, this.cells[index], this.slotOf);
    tracked.collect(flow.instructions, this.demands);
    if (tracked.registers.length > 0 || tracked.matters)
      new FunctionCheck(this, fn, index, flow, tracked, this.slotOf).run();
    tracked.forget();
  }

  enqueue(index: number, cells: Uint8Array): void {
    this.cells[index] = cells;
    this.order.push(index);
  }

  spend(steps: number, fn: FunctionProto): void {
    if ((this.work -= steps) < 0) throw new InvalidBytecode('too many jumps and cells', 0, fn.name);
  }
}

/** The kind of value that an ordinary instruction writes. */
function madeBy(op: number): number {
  switch (op) {
    case Op.NEWCELL:
      return CELL;
    case Op.ITER:
      return ITERATOR;
    case Op.VECTOR:
      return VECTOR;
    case Op.HASH:
      return HASH;
    default:
      return VALUE;
  }
}

class FunctionCheck extends States {
  /** This instruction is a jump target, so the previous one is not its only predecessor. */
  private met = false;
  /** By PENDING kind: an `ensure`, and the next number with which its selector must be compared. */
  private pending: { ensure: Ensure; next: number }[] = [];

  constructor(
    private readonly all: RegisterCheck,
    private readonly fn: FunctionProto,
    private readonly index: number,
    private readonly flow: Flow,
    private readonly tracked: Tracked,
    private readonly slotOf: Int32Array,
  ) {
    super(tracked.registers.length, (steps) => all.spend(steps, fn));
  }

  run(): void {
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      this.pass();
      if (!this.repeat) return;
    }
    throw new InvalidBytecode('registers of loops do not settle', 0, this.fn.name);
  }

  private pass(): void {
    const { instructions, regions } = this.flow;
    this.start();
    let next = 0;
    for (let i = 0; i < instructions.length; i++) {
      const { pc } = instructions[i];
      this.leaveRegions(pc);
      this.arrive(pc);
      for (; next < regions.length && regions[next].start === pc; next++)
        if (regions[next].kind === 'try') this.openTry(regions[next]);
      if (this.reachable) this.step(instructions[i], i);
    }
  }

  private start(): void {
    const {
      tracked: { registers, ensures },
      fn,
      now,
    } = this;
    this.restart();
    for (let slot = 0; slot < this.size; slot++)
      now[slot] = registers[slot] < fn.params.length ? parameterKind(this.all.program, fn, registers[slot]) : VALUE;
    for (const ensure of ensures.values()) ensure.most = ensure.kind = 0;
    this.pending = [];
  }

  /** Joins the states of the jumps to `pc`. */
  private arrive(pc: number): void {
    const ensure = this.tracked.ensures.size > 0 ? this.tracked.ensures.get(pc) : undefined;
    // The preceding instruction is the LOADI that sets the selector to 0.
    if (ensure !== undefined && this.reachable && this.kindAt(ensure.value) === CAUGHT)
      this.write(this.slotOf[ensure.value], this.kindOf(ensure));
    this.met = this.meet(pc);
  }

  // ---- instructions

  private bad(instruction: Instruction, what: string): never {
    throw new InvalidBytecode(`${instruction.info.name}: ${what}`, instruction.pc, this.fn.name);
  }

  private kindAt(register: number): number {
    const slot = this.slotOf[register];
    return slot < 0 ? VALUE : this.now[slot];
  }

  private need(instruction: Instruction, register: number, allowed: number): void {
    const kind = this.kindAt(register);
    if ((kind & ~allowed) !== 0)
      this.bad(instruction, `register ${register} holds ${kindText(kind)}, not ${kindText(allowed)}`);
  }

  private put(register: number, kind: number): void {
    const slot = this.slotOf[register];
    if (slot >= 0) this.write(slot, kind);
    if (this.pending.length === 0) return;
    // Without its selector, the kind of the next register is no longer known.
    const next = this.slotOf[register + 1];
    if (next >= 0 && this.now[next] >= PENDING) this.write(next, VALUE | CAUGHT);
  }

  private step(instruction: Instruction, i: number): void {
    const { info, a, b, target } = instruction;
    if (info.op === Op.LOOPHEAD) this.enterLoop(instruction.pc, instruction.extras.E);
    if (info.raises || info.suspends || info.op === Op.LOOPHEAD) this.mayLeave();
    switch (info.op) {
      case Op.LOOP:
        this.goBack(target);
        break;
      case Op.JUMP:
        this.jump(i, target);
        break;
      case Op.JGIVEN:
        this.jumpIfGiven(instruction);
        break;
      case Op.JNEQ:
        this.jumpUnlessEqual(instruction, i);
        break;
      case Op.NEXT:
      case Op.NEXT2:
        this.nextItem(instruction);
        break;
      case Op.CELLGET:
        this.need(instruction, b, CELL);
        this.put(a, VALUE);
        break;
      case Op.CELLSET:
        this.need(instruction, a, CELL);
        this.need(instruction, b, VALUES);
        break;
      case Op.CAPTURE:
        this.put(a, this.all.cells[this.index]![instruction.immediate] === 1 ? CELL : VALUE);
        break;
      case Op.ABSENT:
        this.put(a, ABSENT);
        break;
      case Op.CATCH:
        this.put(a, b !== 0 ? CAUGHT : this.tracked.handlesAll.has(instruction.pc) ? VALUE | CAUGHT : VALUE);
        break;
      case Op.RETHROW:
        if (!this.isCaught(a)) this.need(instruction, a, CAUGHT);
        break;
      case Op.MOVEW:
        this.moveWide(instruction);
        break;
      case Op.VPUSH:
      case Op.VEXTEND:
        this.need(instruction, a, VECTOR);
        this.need(instruction, b, VALUES);
        break;
      case Op.HMERGE:
        this.need(instruction, a, HASH);
        this.need(instruction, b, VALUES);
        break;
      case Op.LOADNATIVE:
        this.loadNative(instruction);
        break;
      default:
        this.stepWithArguments(instruction);
    }
    if (info.ends) this.reachable = false;
  }

  private stepWithArguments(instruction: Instruction): void {
    const { info, a, args, extras, reads, writes, target } = instruction;
    switch (info.op) {
      case Op.CALL:
        this.call(instruction);
        break;
      case Op.CLOSURE:
        this.closure(instruction);
        this.put(a, CLOSURE);
        return;
      case Op.NATIVE: {
        const demands = this.all.demands[extras.N];
        for (let j = 0; j < args.length; j++) this.need(instruction, args[j], demands?.[j] ?? VALUES);
        break;
      }
      default:
        if (info.op === Op.APPLY || info.op === Op.APPLYM) this.need(instruction, args[1], VECTOR);
        for (let j = 0; j < reads.length; j++) this.need(instruction, reads[j], VALUES);
    }
    if (target >= 0) this.goTo(target);
    if (writes.length > 0) this.put(writes[0], madeBy(info.op));
  }

  private call(instruction: Instruction): void {
    const callee = this.all.program.functions[instruction.extras.F];
    instruction.args.forEach((register, j) =>
      this.need(instruction, register, mayBeAbsent(callee, j) ? VALUES | ABSENT : VALUES),
    );
  }

  /** All closures of a function must capture the same kinds. */
  private closure(instruction: Instruction): void {
    const {
      args,
      extras: { F },
    } = instruction;
    if (args.length === 0) return;
    const cells = captureKinds(args.map((register) => this.kindAt(register)));
    if (cells === null)
      return args.forEach((register) =>
        this.need(instruction, register, (this.kindAt(register) & VALUES) !== 0 ? VALUES : CELL),
      );
    const known = this.all.cells[F];
    if (known === null) this.all.enqueue(F, cells);
    else if (known.some((cell, j) => cell !== cells[j]))
      this.bad(instruction, 'captures a value here and a cell there');
  }

  private loadNative(instruction: Instruction): void {
    if (this.all.demands[instruction.extras.N] !== undefined)
      this.bad(instruction, `${this.all.program.natives[instruction.extras.N]} is no value`);
    this.put(instruction.a, VALUE);
  }

  private moveWide(instruction: Instruction): void {
    const [from] = instruction.reads;
    const isCell = this.kindAt(from) === CELL;
    this.need(instruction, from, isCell ? CELL : VALUES);
    this.put(instruction.writes[0], isCell ? CELL : VALUE);
  }

  private nextItem(instruction: Instruction): void {
    const { info, a, b, c, target } = instruction;
    this.need(instruction, info.op === Op.NEXT ? b : c, ITERATOR);
    this.goTo(target);
    this.put(a, VALUE);
    if (info.op === Op.NEXT2) this.put(b, VALUE);
  }

  private jumpIfGiven(instruction: Instruction): void {
    const { a, target } = instruction;
    const slot = this.slotOf[a];
    this.need(instruction, a, VALUES | ABSENT);
    if (slot < 0) return this.goTo(target);
    const kind = this.now[slot];
    this.write(slot, kind & VALUES);
    this.goTo(target);
    this.write(slot, kind & ABSENT);
  }

  // ---- ensure

  private kindOf(ensure: Ensure): number {
    if (ensure.kind === 0) ensure.kind = this.newPending(ensure, 1);
    return ensure.kind;
  }

  private newPending(ensure: Ensure, next: number): number {
    return PENDING + this.pending.push({ ensure, next }) - 1;
  }

  /** Whether the selector of a register is known to equal no exit's number. */
  private isCaught(register: number): boolean {
    const kind = this.kindAt(register);
    if (kind < PENDING) return false;
    const { ensure, next } = this.pending[kind - PENDING];
    return next > ensure.most;
  }

  /** The number that the instruction before `i` loaded into `register`, or −1. */
  private numberIn(register: number, i: number): number {
    const before = this.flow.instructions[i - 1];
    return !this.met && before !== undefined && before.info.op === Op.LOADI && before.a === register
      ? before.immediate
      : -1;
  }

  /** An exit from a body with an `ensure` jumps with a value, and with its number in the selector. */
  private jump(i: number, target: number): void {
    const ensure = this.tracked.ensures.size > 0 ? this.tracked.ensures.get(target) : undefined;
    if (ensure !== undefined) {
      const number = this.numberIn(ensure.selector, i);
      const slot = this.slotOf[ensure.value];
      if (number > 0 && (this.now[slot] & ~VALUES) === 0) {
        this.now[slot] = this.kindOf(ensure);
        ensure.most = Math.max(ensure.most, number);
      }
    }
    this.goTo(target);
  }

  /**
   * If the selector equals a number from 1, the register holds a value; if it equals none, it holds the caught
   * exception.
   */
  private jumpUnlessEqual(instruction: Instruction, i: number): void {
    const { a, b, target } = instruction;
    this.need(instruction, a, VALUES);
    this.need(instruction, b, VALUES);
    const slot = this.tracked.ensures.size > 0 ? this.slotOf[a + 1] : -1;
    const kind = slot >= 0 ? this.now[slot] : 0;
    const number = kind >= PENDING ? this.numberIn(b, i) : -1;
    if (number <= 0) return this.goTo(target);
    const { ensure, next } = this.pending[kind - PENDING];
    if (number === next) this.write(slot, this.newPending(ensure, next + 1));
    this.goTo(target);
    this.write(slot, VALUE);
    // Exits with this number, if any, are in code that is never reached.
    if (number > ensure.most) this.reachable = false;
  }
}
