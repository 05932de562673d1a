import type { Instruction } from '../../bytecode/decode.js';
import type { Flow, Region } from '../../bytecode/flow.js';
import { Op } from '../../bytecode/generated/op.js';
import { ITER_COUNT } from '../../bytecode/opcodes.js';
import { GAVE_UP, OVER_INTEGER, OVER_LIST, OVER_RANGE } from '../../interpreter/feedback.js';
import type { Fn } from '../../values/function.js';
import { weightOf } from '../../interpreter/tier.js';
import type { Liveness } from './liveness.js';

/**
 * A loop whose iterator compiled code keeps in two locals instead of an object. For a vector: `l3` is the vector, `x3`
 * the next index; for numbers: `l3` is the end, `x3` the next number. Register 3 (`register`) is unused meanwhile; code
 * that leaves the function creates an iterator for it.
 */
export interface CountedLoop {
  register: number;
  /** OVER_LIST, OVER_INTEGER or OVER_RANGE. */
  over: number;
  /**
   * Index of the instruction that makes the iterator: ITER or the RANGE before it. Wrong assumptions are recorded
   * there.
   */
  maker: number;
}

/**
 * A loop like that of `map`, which appends one element to a new vector per iteration. The vector is allocated with its
 * final length, and elements are stored by index. Code that leaves the function truncates it to the elements stored so
 * far.
 */
export interface AppendLoop {
  loop: CountedLoop;
  vector: number;
  /** Indexes of the NEXT and of the APPEND. */
  next: number;
  append: number;
}

/** A loop without calls whose iterations all take the same fuel, so that its index determines the fuel used. */
export interface UniformLoop {
  region: Region;
  register: number;
  /** Fuel per iteration. */
  weight: number;
  /** Indexes of the NEXT and of the LOOP. */
  next: number;
  last: number;
}

/** Properties of a function's loops that allow faster code. */
export class Loops {
  /** Counted loops by the index of their ITER, and by their region. */
  private readonly byIter = new Map<number, CountedLoop>();
  private readonly byRegion = new Map<Region, CountedLoop>();
  /** Append loops by their region. */
  private readonly appendLoops = new Map<Region, AppendLoop>();
  /** Counted loops with a single path from head to end, by the address of their heads. */
  private readonly uniformLoops = new Map<number, UniformLoop>();
  /** Iterator registers of counted loops. */
  readonly registers = new Set<number>();
  /** Loops without calls: only their safepoints take fuel. */
  private callFree = new Set<Region>();

  constructor(
    private readonly fn: Fn,
    private readonly flow: Flow,
    private readonly live: Liveness,
    private readonly isEntered: (i: number) => boolean,
    hasRun: (head: number) => boolean,
  ) {
    for (const region of flow.regions) if (region.kind === 'loop' && hasRun(region.start)) this.addCounted(region);
  }

  /** The counted loop that instruction number `i`, an ITER, starts; undefined if the iterator is an object. */
  startedBy(i: number): CountedLoop | undefined {
    return this.byIter.get(i);
  }

  /** The counted loop around instruction number `i` whose iterator is register `r`. */
  around(i: number, r: number): CountedLoop | undefined {
    for (let region = this.flow.inner[i]; region !== null; region = region.parent) {
      const loop = this.byRegion.get(region);
      if (loop?.register === r) return loop;
    }
    return undefined;
  }

  /** The append loop around instruction number `i` whose vector is register `r`. */
  appendLoopOf(i: number, r: number): AppendLoop | undefined {
    for (let region = this.flow.inner[i]; region !== null; region = region.parent) {
      const appending = this.appendLoops.get(region);
      if (appending?.vector === r) return appending;
    }
    return undefined;
  }

  /** The innermost loop around instruction number `i`, if it is an append loop. */
  appendLoopAt(i: number): AppendLoop | undefined {
    const region = this.flow.inner[i];
    return region === null ? undefined : this.appendLoops.get(region);
  }

  /** Sets which instructions call something that may take fuel; the loops around them are not call-free. */
  setCalls(calls: ReadonlySet<number>): void {
    this.callFree = new Set(this.flow.regions.filter(({ kind }) => kind === 'loop'));
    for (const i of calls)
      for (let region = this.flow.inner[i]; region !== null; region = region.parent) this.callFree.delete(region);
  }

  /** The loop at `head` if it has no calls and each iteration takes the same fuel. */
  uniformLoopAt(head: number): UniformLoop | null {
    const uniform = this.uniformLoops.get(head);
    return uniform !== undefined && this.callFree.has(uniform.region) ? uniform : null;
  }

  /** The outermost loop without calls around a region, or the region itself. */
  callFreeAround(innermost: Region | null): Region | null {
    let found: Region | null = null;
    for (let region = innermost; region !== null; region = region.parent) if (this.callFree.has(region)) found = region;
    return found;
  }

  private addCounted(region: Region): void {
    const { instructions, indexAt } = this.flow;
    const head = indexAt[region.start];
    const iter = head - 1;
    if (
      iter < 0 ||
      instructions[iter].info.op !== Op.ITER ||
      this.jumpsTo(region.start) ||
      !this.isOwn(region, instructions[iter].a)
    )
      return;
    const loop = this.counted(region, iter);
    if (loop === null) return;
    this.registers.add(loop.register);
    this.byIter.set(iter, loop);
    this.byRegion.set(region, loop);
    this.addUniformLoop(region, loop);
    const appending = this.findAppendLoop(region, iter, loop);
    if (appending !== null) this.appendLoops.set(region, appending);
  }

  private addUniformLoop(region: Region, { register }: CountedLoop): void {
    const { instructions, indexAt, regions } = this.flow;
    if (regions.some(({ parent }) => parent === region)) return;
    const next = indexAt[region.start] + 1;
    const last = (indexAt[region.end] < 0 ? instructions.length : indexAt[region.end]) - 1;
    if (instructions[last].target !== region.start || !isExit(instructions[next], region)) return;
    // Only the first instruction may begin an iteration, and only the last one may end it.
    for (let i = next; i < last; i++)
      if (instructions[i].info.op === Op.LOOP || isNextOf(instructions[i], register) !== (i === next)) return;
    this.uniformLoops.set(region.start, {
      region,
      register,
      weight: weightOf(instructions[last].pc, region.start),
      next,
      last,
    });
  }

  private findAppendLoop(region: Region, iter: number, loop: CountedLoop): AppendLoop | null {
    const { instructions, indexAt, inner } = this.flow;
    const end = (indexAt[region.end] < 0 ? instructions.length : indexAt[region.end]) - 1;
    const append = end - 1;
    const { info, a, b } = instructions[append];
    if (
      info.op !== Op.APPEND ||
      inner[append] !== region ||
      a === b ||
      instructions[end].target !== region.start ||
      this.isEntered(end)
    )
      return null;
    // Each iteration must begin with the only NEXT, and none may end before the APPEND.
    const isOfLoop = (instruction: Instruction): boolean =>
      instruction.target === region.start || isNextOf(instruction, loop.register);
    const next = iter + 2;
    if (!isExit(instructions[next], region)) return null;
    for (let i = next; i < end; i++) if (isOfLoop(instructions[i]) !== (i === next)) return null;
    return this.isMadeBefore(iter, b) && this.isOnlyAppended(region, append, b)
      ? { loop, vector: b, next, append }
      : null;
  }

  /** Whether register `r` gets a new vector directly before the ITER, apart from register moves. */
  private isMadeBefore(iter: number, r: number): boolean {
    for (let i = iter; !this.isEntered(i) && i > 0; i--) {
      const { info, a, args, reads, writes } = this.flow.instructions[i - 1];
      if (info.op === Op.VECTOR) return a === r && args.length === 0;
      if ((info.op !== Op.MOVE && !isRange(this.flow.instructions[i - 1])) || reads.includes(r) || writes.includes(r))
        return false;
    }
    return false;
  }

  /**
   * Whether only the APPEND accesses register `r` in the loop, and `r` is live at no exit from the loop except its end.
   */
  private isOnlyAppended(region: Region, append: number, r: number): boolean {
    const { instructions, indexAt } = this.flow;
    if (this.live.isLiveBefore(append + 1, instructions[append].a)) return false;
    const first = indexAt[region.start] + 1;
    for (let i = first; i <= append; i++) {
      const { reads, writes } = instructions[i];
      if (i !== append && (reads.includes(r) || writes.includes(r))) return false;
      if (i !== first && this.isWantedOutside(region, i, r)) return false;
    }
    return true;
  }

  /** Whether any instruction other than the loop's own LOOPs jumps to its head. */
  private jumpsTo(head: number): boolean {
    return this.flow.instructions.some(({ target, info }) => target === head && info.op !== Op.LOOP);
  }

  /** Whether in the loop only its NEXT reads the register, nothing writes it, and it is not live after the loop. */
  private isOwn(region: Region, r: number): boolean {
    const { instructions, indexAt } = this.flow;
    for (let i = indexAt[region.start]; i < instructions.length && instructions[i].pc < region.end; i++) {
      const { reads, writes } = instructions[i];
      if (
        writes.includes(r) ||
        (reads.includes(r) && !isNextOf(instructions[i], r)) ||
        this.isWantedOutside(region, i, r)
      )
        return false;
    }
    return true;
  }

  /** Whether register `r` is live where instruction number `i` jumps or throws out of a loop. */
  private isWantedOutside({ start, end }: Region, i: number, r: number): boolean {
    const { instructions, indexAt } = this.flow;
    const isWanted = (at: number): boolean =>
      (instructions[at].pc < start || instructions[at].pc >= end) && this.live.isLiveBefore(at, r);
    const { target } = instructions[i];
    return (target >= 0 && isWanted(indexAt[target])) || this.live.handlersOf[i].some(isWanted);
  }

  private counted(region: Region, iter: number): CountedLoop | null {
    const { a, b, immediate, pc } = this.flow.instructions[iter];
    const loop = { register: a, over: OVER_RANGE, maker: iter };
    if (this.isDisproved(region, a)) return null;
    const before = iter > 0 && !this.isEntered(iter) ? this.flow.instructions[iter - 1] : null;
    if (before !== null && isRange(before) && before.a === b && a === b && immediate !== ITER_COUNT) {
      return (this.fn.feedback[before.pc] & GAVE_UP) !== 0 ? null : { ...loop, maker: iter - 1 };
    }
    // An ITER that has not run yet is likely to get a vector.
    const over =
      this.fn.feedback[pc] === 0 ? (immediate === ITER_COUNT ? OVER_INTEGER : OVER_LIST) : this.fn.feedback[pc];
    return over === OVER_LIST || over === OVER_INTEGER || over === OVER_RANGE ? { ...loop, over } : null;
  }

  /** Whether code entered at a loop head in this region found another iterator in the register. */
  private isDisproved(region: Region, r: number): boolean {
    return this.flow.regions.some(
      ({ kind, start }) =>
        kind === 'loop' && start >= region.start && start < region.end && this.fn.boxedAtLoops.has(`${start}:${r}`),
    );
  }
}

function isRange({ info }: Instruction): boolean {
  return info.op === Op.RANGE || info.op === Op.RANGEX;
}

function isNextOf({ info, b, c, writes }: Instruction, r: number): boolean {
  return (info.op === Op.NEXT && b === r) || (info.op === Op.NEXT2 && c === r && !writes.includes(r));
}

/** Whether an instruction jumps out of a loop: a NEXT without a further element may also go on within it. */
function isExit({ target }: Instruction, { start, end }: Region): boolean {
  return target < start || target >= end;
}
