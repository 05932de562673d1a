import type { Instruction } from '../../bytecode/decode.js';
import { Op } from '../../bytecode/generated/op.js';
import type { Fn } from '../../values/function.js';

/** The literal, type or native that an instruction loads; undefined for other instructions. */
export function loadedBy(fn: Fn, { info, extras, immediate }: Instruction): unknown {
  switch (info.op) {
    case Op.LOADK:
      return fn.constants[extras.K];
    case Op.LOADI:
      return immediate;
    case Op.LOADNIL:
      return null;
    case Op.LOADTRUE:
    case Op.LOADFALSE:
      return info.op === Op.LOADTRUE;
    case Op.LOADTYPE:
      return fn.types[extras.T];
    case Op.LOADNATIVE:
      return fn.natives[extras.N];
    default:
      return undefined;
  }
}

/**
 * Registers that hold the same value whenever the current instruction runs: a literal, a type, a member of an enum, a
 * native, or a range of literals.
 */
export class Literals {
  private readonly known = new Map<number, unknown>();
  /** What the result of the current instruction is known to be. */
  private made: unknown;

  constructor(private readonly fn: Fn) {}

  /** Forgets everything: control comes from elsewhere. */
  clear(): void {
    this.known.clear();
  }

  forget(r: number): void {
    this.known.delete(r);
  }

  /** The value of register `r`; undefined if it is not known. */
  in(r: number): unknown {
    return this.known.get(r);
  }

  /** As `in`, for the name of a register, such as `r3`. */
  inNamed(name: string): unknown {
    return this.in(Number(name.slice(1)));
  }

  /** For the emitter of the current instruction, whose result is always this value. */
  make(value: unknown): void {
    this.made = value;
  }

  /** Called before an instruction's code is emitted. */
  begin(instruction: Instruction): void {
    this.made = instruction.info.op === Op.MOVE ? this.in(instruction.b) : loadedBy(this.fn, instruction);
  }

  /** Called after an instruction's code is emitted, when what it writes has been forgotten. */
  end({ writes }: Instruction): void {
    if (this.made !== undefined && writes.length === 1) this.known.set(writes[0], this.made);
  }
}
