import type { Instruction } from '../../bytecode/decode.js';
import type { Flow, Region } from '../../bytecode/flow.js';
import { Op } from '../../bytecode/generated/op.js';
import { RAN } from '../../interpreter/feedback.js';
import type { Fn } from '../../values/function.js';
import type { Liveness } from './liveness.js';
import { placeScopes, type Edge, type Scope } from './scopes.js';

/** Which instructions of a function the code can reach from its entry, and the scopes that its jumps need. */
export class Layout {
  /** For each instruction, 1 if it can be reached. */
  readonly reached: Uint8Array;
  /** Index of the first instruction to run. */
  readonly start: number;
  /** Regions that an entry in the middle must enter, outermost first. */
  readonly way: Region[] = [];
  readonly scopes: Scope[];
  /** Indexes of instructions that a jump leads to. */
  readonly targets = new Set<number>();
  /**
   * Address after the outermost loop around an entry in the middle. What follows runs once, so the interpreter continues
   * there. Infinity if the code covers the rest of the function.
   */
  private readonly end: number;

  /** @param entry address of the LOOPHEAD at which the code is entered, or −1 for its first instruction */
  constructor(
    private readonly fn: Fn,
    private readonly flow: Flow,
    private readonly live: Liveness,
    private readonly entry: number,
  ) {
    this.start = entry < 0 ? 0 : flow.indexAt[entry];
    if (entry >= 0)
      for (let region = flow.interior[this.start]; region !== null; region = region.parent) this.way.unshift(region);
    this.end = entry < 0 ? Infinity : this.loopsEnd();
    this.reached = this.reachable();
    const regions = flow.regions.filter((region) => region.start < this.end && this.isReached(region));
    const edges = this.edges(regions);
    for (const { to } of edges) this.targets.add(flow.indexAt[to]);
    this.scopes = placeScopes([...edges, ...this.wayIn()], regions);
  }

  /** Whether control can reach instruction number `i` other than from the previous one. */
  isEntered(i: number): boolean {
    return (
      i === this.start ||
      this.targets.has(i) ||
      this.flow.instructions[i].info.op === Op.LOOPHEAD ||
      this.flow.instructions[i].info.op === Op.CATCH
    );
  }

  /** Index of the last instruction that can be reached. */
  get last(): number {
    return this.reached.lastIndexOf(1);
  }

  /** Words from the first to the last instruction that can be reached. */
  get words(): number {
    const { instructions } = this.flow;
    return instructions[this.last].pc - instructions[this.reached.indexOf(1)].pc;
  }

  /** Whether the interpreter continues at instruction number `i`, after the loops that the code is for. */
  isLeft(i: number): boolean {
    return this.flow.instructions[i].pc >= this.end;
  }

  /** Whether there is feedback for the loop at an address. */
  hasRun(head: number): boolean {
    return (
      (this.fn.feedback[head] & RAN) !== 0 ||
      head === this.entry ||
      this.way.some(({ kind, start }) => kind === 'loop' && start === head)
    );
  }

  /** Whether control never passes from this instruction to the next one. */
  ends({ info, pc }: Instruction): boolean {
    return info.ends || (info.op === Op.LOOPHEAD && !this.hasRun(pc));
  }

  private loopsEnd(): number {
    let outermost: Region | null = null;
    for (let region = this.flow.inner[this.start]; region !== null; region = region.parent) outermost = region;
    if (outermost?.kind !== 'loop') return Infinity;
    const { start, end } = outermost;
    // The code itself must run a handler after the loop: it has the exception.
    const isHandledAfter = this.flow.regions.some(
      (region) => region.start >= start && region.start < end && region.handler >= end,
    );
    return isHandledAfter ? Infinity : end;
  }

  private reachable(): Uint8Array {
    const { instructions, indexAt } = this.flow;
    const reached = new Uint8Array(instructions.length);
    const work = [this.start];
    while (work.length > 0) {
      const i = work.pop() as number;
      if (reached[i] === 1) continue;
      reached[i] = 1;
      if (this.isLeft(i)) continue;
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
      if (this.reached[i] === 1 && !this.isLeft(i) && target > pc)
        edges.push({ from: pc, region: this.flow.inner[i], to: target });
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
}
