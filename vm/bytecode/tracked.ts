import type { Instruction } from './decode.js';
import { Op } from './generated/op.js';
import { HANDLES_ALL, type FunctionProto, type Program } from './program.js';

// Kinds of register contents: a set, one bit per kind. No bits: unreachable.
export const VALUE = 1;
/** Values known to be a vector, a hash or a closure of this program. */
export const VECTOR = 2;
export const HASH = 4;
export const CLOSURE = 8;
export const ABSENT = 16;
export const CELL = 32;
export const ITERATOR = 64;
/** The exception kept by a CATCH with B = 1: an error as thrown, or a signal. */
export const CAUGHT = 128;
/** The continuation of a native; only the program of `VM.callThen` has it. */
const CONTINUATION = 256;
/** Any value of the language. */
export const VALUES = VALUE | VECTOR | HASH | CLOSURE;
/** Numbers from this one are not sets: see `Ensure`. */
export const PENDING = 512;

// prettier-ignore
const NAMES: readonly (readonly [number, string])[] = [
  [VALUE, 'a value'], [VECTOR, 'a vector'], [HASH, 'a hash'], [CLOSURE, 'a closure'], [ABSENT, 'the mark of an absent argument'], [CELL, 'a cell'],
  [ITERATOR, 'an iterator'], [CAUGHT, 'what a CATCH kept'], [CONTINUATION, 'a continuation'],
];

/** A set of kinds in words. */
export function kindText(kind: number): string {
  if (kind >= PENDING) return 'a value or what a CATCH kept, as its selector says';
  if ((kind & VALUES) === VALUES) return ['a value', ...named(kind & ~VALUES)].join(' or ');
  return named(kind).join(' or ') || 'nothing';
}

function named(kind: number): string[] {
  return NAMES.filter(([bit]) => (kind & bit) !== 0).map(([, name]) => name);
}

/** Joins the kinds of a register where two control-flow paths meet. */
export function joined(a: number, b: number): number {
  // 0: nothing known for this path.
  if (a === b || b === 0) return a;
  return a === 0 ? b : asSet(a) | asSet(b);
}

/** The kind as a set, without the information about a selector. */
export function asSet(kind: number): number {
  return kind < PENDING ? kind : VALUE | CAUGHT;
}

/** Natives that do not check their arguments: only these kinds may reach them. */
// prettier-ignore
const DEMANDS: ReadonlyMap<string, readonly number[]> = new Map([
  ['%done', [CONTINUATION, VALUES]], ['%failed', [CONTINUATION, CAUGHT]], ['%spawn', [CLOSURE]], ['%spawn_detached', [CLOSURE]],
  ['%broken', [VALUES, CAUGHT]],
]);

/** Required argument kinds for each of the program's natives; undefined: any values. */
export function demandsOf(program: Program): (readonly number[] | undefined)[] {
  return program.natives.map((name) => DEMANDS.get(name));
}

/**
 * Whether this has the shape of the program of `VM.callThen`. Its only function cannot be started without its three
 * arguments, so only the VM can enter it, with a function, a vector and a continuation.
 */
export function isContinuation({ functions }: Program): boolean {
  if (functions.length !== 1) return false;
  const [{ kind, params }] = functions;
  return kind === 'def' && params.length === 3 && params.every((param) => param.kind === 'required');
}

/** The kind of parameter `i` at the start of the function. */
export function parameterKind(program: Program, fn: FunctionProto, i: number): number {
  if (isContinuation(program)) return i === 0 ? VALUE : i === 1 ? VECTOR : CONTINUATION;
  return mayBeAbsent(fn, i) ? VALUE | ABSENT : VALUE;
}

/** Whether the caller may omit argument `i`. */
export function mayBeAbsent(fn: FunctionProto, i: number): boolean {
  const { kind } = fn.params[i];
  return kind === 'optional' || kind === 'namedOptional';
}

/**
 * The slow path of an `ensure`. CATCH keeps the exception in register `value`, and LOADI puts 0 into the register
 * before it, the selector. The other exits from the body put a value into `value` and their number (from 1) into the
 * selector, then JUMP past the LOADI. There `value` becomes PENDING: its kind depends on the selector, until JNEQ has
 * compared the selector with the numbers one by one.
 */
export interface Ensure {
  value: number;
  selector: number;
  /** Highest number of an exit. */
  most: number;
  /** The PENDING kind in the running pass; 0: none yet. */
  kind: number;
}

/**
 * The registers of one function that can hold anything but values, or that must hold a special kind; others need no
 * tracking.
 */
export class Tracked {
  readonly registers: number[] = [];
  /** By the address at which the exits meet. */
  readonly ensures = new Map<number, Ensure>();
  /** Handlers that also catch signals. */
  readonly handlesAll = new Set<number>();
  /** Whether there are instructions to check even if no register is tracked. */
  matters = false;
  private readonly moves: number[] = [];

  /** @param slotOf index into `registers` by register, −1 for others; all −1 before, and again after `forget` */
  constructor(
    private readonly fn: FunctionProto,
    private readonly cells: Uint8Array | null,
    private readonly slotOf: Int32Array,
  ) {}

  /** Finds the registers to track. */
  collect(instructions: readonly Instruction[], demands: readonly (readonly number[] | undefined)[]): void {
    const { handlers, params } = this.fn;
    for (let i = 0; i < handlers.length; i += 4)
      if (handlers[i + 3] === HANDLES_ALL) this.handlesAll.add(handlers[i + 2]);
    for (let i = 0; i < params.length; i++) if (mayBeAbsent(this.fn, i)) this.add(i);
    for (let i = 0; i < instructions.length; i++) this.look(instructions, i, demands);
    this.followMoves();
  }

  forget(): void {
    for (const register of this.registers) this.slotOf[register] = -1;
  }

  private add(register: number): void {
    if (this.slotOf[register] < 0) this.slotOf[register] = this.registers.push(register) - 1;
  }

  private look(
    instructions: readonly Instruction[],
    i: number,
    demands: readonly (readonly number[] | undefined)[],
  ): void {
    const instruction = instructions[i];
    const { a, b, c, args, extras } = instruction;
    switch (instruction.info.op) {
      case Op.NEWCELL:
      case Op.ITER:
      case Op.ABSENT:
      case Op.CELLSET:
      case Op.RETHROW:
      case Op.VPUSH:
      case Op.VEXTEND:
      case Op.HMERGE:
        this.add(a);
        break;
      case Op.CELLGET:
      case Op.NEXT:
        this.add(b);
        break;
      case Op.NEXT2:
        this.add(c);
        break;
      case Op.CAPTURE:
        if (this.cells !== null && this.cells[instruction.immediate] === 1) this.add(a);
        break;
      case Op.APPLY:
      case Op.APPLYM:
        this.add(args[1]);
        break;
      case Op.NATIVE:
        if (demands[extras.N] !== undefined) for (const register of args) this.add(register);
        break;
      case Op.CLOSURE:
        this.matters ||= args.length > 0;
        break;
      case Op.LOADNATIVE:
        this.matters ||= demands[extras.N] !== undefined;
        break;
      case Op.MOVEW:
        this.moves.push(instruction.reads[0], instruction.writes[0]);
        break;
      case Op.CATCH:
        this.addCatch(instruction, instructions[i + 1], instructions[i + 2]);
        break;
      default:
        break;
    }
  }

  private addCatch({ a, b, pc }: Instruction, second: Instruction | undefined, third: Instruction | undefined): void {
    if (b === 0 && !this.handlesAll.has(pc)) return;
    this.add(a);
    if (
      second === undefined ||
      third === undefined ||
      second.info.op !== Op.LOADI ||
      second.a !== a - 1 ||
      second.immediate !== 0
    )
      return;
    this.add(a - 1);
    this.ensures.set(third.pc, { value: a, selector: a - 1, most: 0, kind: 0 });
  }

  /** Propagates tracking through MOVEW, which can move cells: if its source is tracked, so is its target. */
  private followMoves(): void {
    const { moves, slotOf } = this;
    // The compiler moves a cell up and down once. If longer chains occur, track all moved registers.
    for (let round = 0, changed = moves.length > 0 && this.registers.length > 0; changed; round++) {
      const before = this.registers.length;
      for (let i = 0; i < moves.length; i += 2) if (slotOf[moves[i]] >= 0 || round > 3) this.add(moves[i + 1]);
      changed = this.registers.length > before;
    }
  }
}

/**
 * For each captured value of a closure, 1 if it is a cell, from the kinds of its registers; null if one is neither
 * value nor cell.
 */
export function captureKinds(kinds: readonly number[]): Uint8Array | null {
  const cells = new Uint8Array(kinds.length);
  for (let i = 0; i < kinds.length; i++) {
    if ((kinds[i] & ~VALUES) === 0) continue;
    if ((kinds[i] & ~CELL) !== 0) return null;
    cells[i] = 1;
  }
  return cells;
}
