import { decodeAll, InvalidBytecode, type Instruction } from './decode.js';
import { HANDLES_ALL, type FunctionProto } from './program.js';
import { Op } from './generated/op.js';

/** A loop `[start, end)`, or a range protected by a handler. */
export interface Region {
  kind: 'loop' | 'try';
  start: number;
  end: number;
  /** Address of the handler; −1 for loops. */
  handler: number;
  parent: Region | null;
}

/** The parts of a function that determine its control flow. */
export type FlowSource = Pick<FunctionProto, 'code' | 'handlers' | 'name'>;

/** Control-flow structure of a verified function. */
export interface Flow {
  instructions: Instruction[];
  /** Index into `instructions` by address; −1 inside an instruction. */
  indexAt: Int32Array;
  regions: Region[];
  /** Innermost region around each instruction. */
  inner: (Region | null)[];
  /** Innermost region around each instruction, ignoring regions that start at it. */
  interior: (Region | null)[];
}

/** Decodes and checks one function's control flow: I1 to I7. @throws InvalidBytecode */
export function verifyFlow(fn: FlowSource): Flow {
  const instructions = decodeAll(fn.code, fn.name);
  const indexAt = new Int32Array(fn.code.length + 1).fill(-1);
  instructions.forEach((instruction, i) => (indexAt[instruction.pc] = i));
  const flow: Flow = { instructions, indexAt, regions: [], inner: [], interior: [] };
  const check = new FlowCheck(fn, flow);
  check.collectRegions();
  check.nestRegions();
  check.checkJumps();
  check.checkHandlers();
  check.checkEnds();
  return flow;
}

class FlowCheck {
  private readonly handlerStarts = new Set<number>();

  constructor(
    private readonly fn: FlowSource,
    private readonly flow: Flow,
  ) {}

  private bad(what: string, pc: number): never {
    throw new InvalidBytecode(what, pc, this.fn.name);
  }

  private startsAt(pc: number): number {
    return pc >= 0 && pc < this.fn.code.length ? this.flow.indexAt[pc] : -1;
  }

  collectRegions(): void {
    const { instructions, regions } = this.flow;
    for (const { info, pc, extras } of instructions) {
      if (info.op === Op.LOOPHEAD) regions.push({ kind: 'loop', start: pc, end: extras.E, handler: -1, parent: null });
    }
    const { handlers } = this.fn;
    for (let i = 0; i < handlers.length; i += 4) {
      regions.push({ kind: 'try', start: handlers[i], end: handlers[i + 1], handler: handlers[i + 2], parent: null });
      this.handlerStarts.add(handlers[i + 2]);
      if (handlers[i + 3] < 0 || handlers[i + 3] > HANDLES_ALL) this.bad('handler kind', handlers[i]);
    }
    for (const { start, end } of regions) {
      if (start >= end || this.startsAt(start) < 0 || (end !== this.fn.code.length && this.startsAt(end) < 0))
        this.bad('region border', start);
    }
    // Outer regions first. The compiler adds inner handlers first, so equal ranges are reversed. A try is outside a
    // loop of the same range.
    regions
      .reverse()
      .sort((p, q) => p.start - q.start || q.end - p.end || Number(p.kind === 'loop') - Number(q.kind === 'loop'));
  }

  nestRegions(): void {
    const { instructions, regions, inner, interior } = this.flow;
    const stack: Region[] = [];
    let next = 0;
    for (const { pc } of instructions) {
      while (stack.length > 0 && stack[stack.length - 1].end <= pc) stack.pop();
      interior.push(stack[stack.length - 1] ?? null);
      for (; next < regions.length && regions[next].start === pc; next++) {
        const region = regions[next];
        region.parent = stack[stack.length - 1] ?? null;
        if (region.parent !== null && region.parent.end < region.end) this.bad('regions overlap', region.start);
        stack.push(region);
      }
      inner.push(stack[stack.length - 1] ?? null);
    }
  }

  checkJumps(): void {
    const { instructions } = this.flow;
    instructions.forEach((instruction, i) => {
      const { pc, target, info } = instruction;
      if (info.op === Op.LOOP) this.checkLoop(pc, target);
      else if (target >= 0 || info.extras.includes('J')) this.checkForward(pc, target);
      if (info.op === Op.CATCH && !(this.handlerStarts.has(pc) && i > 0 && instructions[i - 1].info.ends))
        this.bad('stray CATCH', pc);
    });
  }

  private checkLoop(pc: number, target: number): void {
    const at = this.startsAt(target);
    const head = at < 0 ? undefined : this.flow.instructions[at];
    if (head === undefined || head.info.op !== Op.LOOPHEAD) this.bad('LOOP to no LOOPHEAD', pc);
    if (!(target < pc && pc < head.extras.E)) this.bad('LOOP outside its loop', pc);
  }

  private checkForward(pc: number, target: number): void {
    const at = this.startsAt(target);
    if (at < 0) this.bad('jump target', pc);
    if (target <= pc) this.bad('backward jump', pc);
    const region = this.flow.interior[at];
    if (region !== null && region.start > pc) this.bad('jump into a region', pc);
    if (this.handlerStarts.has(target)) this.bad('jump to a handler', pc);
  }

  checkHandlers(): void {
    const { regions, instructions, interior } = this.flow;
    this.checkHandlerOrder();
    for (const region of regions) {
      if (region.kind !== 'try') continue;
      const at = this.startsAt(region.handler);
      if (at < 0 || instructions[at].info.op !== Op.CATCH || region.handler < region.end)
        this.bad('handler', region.start);
      const around = interior[at];
      if (around !== null && (around === region || around.start > region.start))
        this.bad('handler inside a region', region.handler);
    }
  }

  /** Checks that inner ranges precede outer ones: the search for a handler takes the first range that fits. */
  private checkHandlerOrder(): void {
    const { handlers } = this.fn;
    const { regions } = this.flow;
    const row = new Map<string, number>();
    for (let i = 0; i < handlers.length; i += 4) row.set(`${handlers[i]} ${handlers[i + 1]} ${handlers[i + 2]}`, i);
    const place = (region: Region): number => row.get(`${region.start} ${region.end} ${region.handler}`) as number;
    for (const region of regions) {
      if (region.kind !== 'try') continue;
      let outer = region.parent;
      while (outer !== null && outer.kind !== 'try') outer = outer.parent;
      if (outer !== null && place(outer) < place(region))
        this.bad('handlers are not in order, inner ranges first', region.start);
    }
  }

  checkEnds(): void {
    const { instructions, inner } = this.flow;
    const last = instructions[instructions.length - 1];
    if (last === undefined || !last.info.ends) this.bad('code falls off its end', this.fn.code.length);
    for (let i = 1; i <= instructions.length; i++) {
      for (
        let region = inner[i - 1];
        region !== null && (i === instructions.length || region.end <= instructions[i].pc);
        region = region.parent
      ) {
        if (region.kind === 'loop' && !instructions[i - 1].info.ends) this.bad('loop falls through', region.end);
      }
    }
  }
}
