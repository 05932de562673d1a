import { OPCODE_BY_NUMBER } from './opcodes.js';
import { type Op } from './generated/op.js';

/** A position in the code that jumps may refer to before its address is known. */
export interface Label {
  at: number;
  /** Words to fill in once the address is known. */
  refs: number[];
}

/**
 * Writes the code of one function: instruction words, extra words, argument registers; also labels and line numbers.
 */
export class Encoder {
  readonly code: number[] = [];
  private readonly handlers: number[] = [];
  private readonly lines: number[] = [];
  private line = 0;
  private column = 0;

  /** Address of the next instruction. */
  get pc(): number {
    return this.code.length;
  }

  /** Sets the source position of the instructions that follow. */
  position(line: number, column: number): void {
    this.line = line;
    this.column = column;
  }

  /** Appends one instruction; `extras` holds its extra words in order, labels for jump targets. */
  emit(op: Op, a = 0, b = 0, c = 0, extras: readonly (number | Label)[] = [], args: readonly number[] = []): void {
    this.noteLine();
    this.code.push(op | (a << 8) | ((b & 255) << 16) | ((c & 255) << 24) | 0);
    for (const extra of extras) this.code.push(typeof extra === 'number' ? extra : this.reference(extra));
    for (let i = 0; i < args.length; i += 4) {
      this.code.push(args[i] | ((args[i + 1] ?? 0) << 8) | ((args[i + 2] ?? 0) << 16) | ((args[i + 3] ?? 0) << 24) | 0);
    }
  }

  /** Appends a jump to `to`; `a` and `b` are the registers that it looks at, if any. */
  jump(op: Op, to: Label, a = 0, b = 0): void {
    this.emit(op, a, b, 0, [to]);
  }

  /** Appends an instruction with a register and one extra word. */
  emitWord(op: Op, a: number, word: number): void {
    this.emit(op, a, 0, 0, [word]);
  }

  /** Appends an instruction with the registers of a list of values, whose number is in C. */
  emitList(op: Op, a: number, list: readonly number[], extras: readonly number[] = []): void {
    this.emit(op, a, 0, list.length, extras, list);
  }

  /** Appends an instruction with a 16-bit number in B and C. */
  emit16(op: Op, a: number, value: number, extras: readonly (number | Label)[] = []): void {
    this.emit(op, a, value & 255, (value >> 8) & 255, extras);
  }

  newLabel(): Label {
    return { at: -1, refs: [] };
  }

  /** Binds `label` to the next instruction. */
  bind(label: Label): void {
    label.at = this.code.length;
    for (const word of label.refs) this.code[word] = label.at;
    label.refs.length = 0;
  }

  /** Adds a protected range; inner ranges must be added before outer ones. */
  protect(start: number, end: number, handler: number, kind: number): void {
    this.handlers.push(start, end, handler, kind);
  }

  /** Whether control never continues after the instruction at `lastPc`. */
  endsHere(lastPc: number): boolean {
    const info = OPCODE_BY_NUMBER[this.code[lastPc] & 255];
    return info !== undefined && info.ends;
  }

  finish(): { code: Int32Array; handlers: Int32Array; lines: Int32Array } {
    return {
      code: Int32Array.from(this.code),
      handlers: Int32Array.from(this.handlers),
      lines: Int32Array.from(this.lines),
    };
  }

  private reference(label: Label): number {
    if (label.at >= 0) return label.at;
    label.refs.push(this.code.length);
    return -1;
  }

  private noteLine(): void {
    const { lines } = this;
    const n = lines.length;
    if (n > 0 && lines[n - 2] === this.line && lines[n - 1] === this.column) return;
    lines.push(this.code.length, this.line, this.column);
  }
}
