import type { Flow } from '../../bytecode/flow.js';
import type { Instruction } from '../../bytecode/decode.js';
import { HANDLES_ALL } from '../../bytecode/program.js';

/** Registers that are live at each point of one function. Dead registers are neither saved nor restored. */
export class Liveness {
  /**
   * Indexes of the handlers that may catch an instruction's exceptions, innermost first; the list ends at the first
   * `ensure`, which handles everything.
   */
  readonly handlersOf: readonly (readonly number[])[];
  private readonly words: number;
  /** Registers live before each instruction: a row of bits for each. */
  private readonly live: Uint32Array;
  private readonly row: Uint32Array;

  constructor(
    private readonly flow: Flow,
    handlers: Int32Array,
    private readonly registers: number,
  ) {
    const { instructions } = flow;
    this.words = Math.max(1, (registers + 31) >> 5);
    this.live = new Uint32Array((instructions.length + 1) * this.words);
    this.row = new Uint32Array(this.words);
    this.handlersOf = instructions.map((instruction) => this.handlersFor(instruction, handlers));
    this.solve();
  }

  /** Registers live before instruction number `i`. */
  before(i: number): number[] {
    return this.listed(this.live.subarray(i * this.words, (i + 1) * this.words));
  }

  isLiveBefore(i: number, register: number): boolean {
    return ((this.live[i * this.words + (register >> 5)] >>> (register & 31)) & 1) === 1;
  }

  /**
   * Registers to keep while instruction number `i` waits for its result: those live after it, except its result, and
   * those live at its handlers.
   */
  across(i: number): number[] {
    this.behind(i);
    return this.listed(this.row);
  }

  private listed(bits: Uint32Array): number[] {
    const out: number[] = [];
    for (let r = 0; r < this.registers; r++) if (((bits[r >> 5] >>> (r & 31)) & 1) === 1) out.push(r);
    return out;
  }

  private handlersFor({ info, pc }: Instruction, handlers: Int32Array): number[] {
    const out: number[] = [];
    if (!info.raises && !info.suspends) return out;
    for (let k = 0; k < handlers.length; k += 4) {
      if (pc < handlers[k] || pc >= handlers[k + 1]) continue;
      out.push(this.flow.indexAt[handlers[k + 2]]);
      if (handlers[k + 3] === HANDLES_ALL) break;
    }
    return out;
  }

  private add(i: number): void {
    for (let w = 0; w < this.words; w++) this.row[w] |= this.live[i * this.words + w];
  }

  private remove(registers: readonly number[]): void {
    for (const r of registers) this.row[r >> 5] &= ~(1 << (r & 31));
  }

  /**
   * Sets `row` to the registers live after instruction `i`, without its results; a handler sees the registers as they
   * were before.
   */
  private behind(i: number): void {
    const { info, target, writes } = this.flow.instructions[i];
    this.row.fill(0);
    if (!info.ends) this.add(i + 1);
    this.remove(writes);
    // If it jumps, it has written nothing: at the end of an iteration there is no element.
    if (target >= 0) this.add(this.flow.indexAt[target]);
    for (const handler of this.handlersOf[i]) this.add(handler);
  }

  private solve(): void {
    const { instructions } = this.flow;
    for (let changed = true; changed;) {
      changed = false;
      for (let i = instructions.length - 1; i >= 0; i--) {
        this.behind(i);
        for (const r of instructions[i].reads) this.row[r >> 5] |= 1 << (r & 31);
        for (let w = 0; w < this.words; w++) {
          const at = i * this.words + w;
          if (this.live[at] === this.row[w]) continue;
          this.live[at] = this.row[w];
          changed = true;
        }
      }
    }
  }
}
