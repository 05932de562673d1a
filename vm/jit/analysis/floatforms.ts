import type { Flow, Region } from '../../bytecode/flow.js';
import type { Fn } from '../../values/function.js';
import type { Liveness } from './liveness.js';

/** Form of a register's value: boxed in `rN`, unboxed (the number of a Float) in `fN`, or both. */
const BOXED = 0;
const UNBOXED = 1;
const BOTH = 2;

/** Maximum number of analysis walks over a function. */
const MAX_WALKS = 12;
/** Number of first walks in which a loop may gain unboxed registers; later it can only lose them. */
const GROWING = 3;

/**
 * Code that unboxes register `r`, or leaves with `deopt` if it holds no Float. Of all values only a Float has an `n`, whose
 * read V8 needs anyway: `instanceof` in addition takes twice the time, also before V8 optimises (docs/performance.md).
 */
export function unboxing(r: number, deopt: string): string {
  return `if(r${r}==null||(t=r${r}.n)===undefined)${deopt}f${r}=t;`;
}

/**
 * Determines for each instruction which registers can hold unboxed Floats. The generator walks through a function
 * several times without output, until the forms at the heads of loops match those at their ends, and then once more
 * with output. This class is used in both cases, so that analysis and code cannot disagree.
 */
export class FloatForms {
  /** Registers that are unboxed somewhere. */
  readonly everUnboxed = new Set<number>();
  private current: Uint8Array;
  /** Joined forms of the jumps to each target in this walk. */
  private pending = new Map<number, Uint8Array>();
  /** Joined forms of all jumps to each target, from the previous walk. */
  private settled = new Map<number, Uint8Array>();
  /** Registers that are unboxed at the heads of loops. */
  private readonly heads = new Map<number, Set<number>>();
  private entered = new Map<number, Uint8Array>();
  private ended = new Map<number, Uint8Array>();
  /** By head: registers that get unboxed values within the loop, and those that it needs boxed. */
  private defined = new Map<number, Set<number>>();
  private needed = new Map<number, Set<number>>();
  private readonly demoted = new Set<string>();
  private rounds = 0;
  /** Indexes of the heads of loops. */
  private readonly loops = new Set<number>();

  constructor(
    private readonly fn: Fn,
    private readonly flow: Flow,
    private readonly live: Liveness,
  ) {
    this.current = new Uint8Array(fn.blank.length);
    for (const { kind, start } of flow.regions) if (kind === 'loop') this.loops.add(flow.indexAt[start]);
  }

  /** Starts a walk. */
  begin(): void {
    this.settled = this.pending;
    this.pending = new Map();
    this.current = new Uint8Array(this.fn.blank.length);
    this.entered = new Map();
    this.ended = new Map();
    this.defined = new Map();
    this.needed = new Map();
  }

  /**
   * Updates the forms expected at loop heads after a walk. Returns false if nothing changed, so that code can be
   * generated.
   */
  improve(): boolean {
    // The usual case: all registers are boxed.
    if (this.everUnboxed.size === 0) return false;
    let changed = this.rounds === 0 || !sameStates(this.settled, this.pending);
    for (const head of this.loops) {
      const before = this.heads.get(head) ?? new Set<number>();
      const after = this.expected(head, before);
      if (after.size === before.size && [...after].every((r) => before.has(r))) continue;
      this.heads.set(head, after);
      changed = true;
    }
    if (++this.rounds > MAX_WALKS && changed) this.giveUp();
    return changed;
  }

  /** No known program needs this many walks; such a function is compiled without unboxed Floats. */
  private giveUp(): void {
    this.fn.noFloats = true;
    this.heads.clear();
    this.everUnboxed.clear();
  }

  private expected(head: number, before: ReadonlySet<number>): Set<number> {
    const after = new Set<number>();
    const entered = this.entered.get(head);
    const ended = this.ended.get(head);
    for (const r of this.live.before(head)) {
      const key = `${head}:${r}`;
      if (this.demoted.has(key) || this.fn.boxedAtLoops.has(`${this.flow.instructions[head].pc}:${r}`)) continue;
      const defined = this.defined.get(head)?.has(r) === true;
      const wanted = defined || (entered !== undefined && entered[r] !== BOXED);
      if (
        before.has(r)
          ? (ended === undefined || ended[r] !== BOXED) && (defined || this.needed.get(head)?.has(r) !== true)
          : wanted && this.rounds < GROWING
      )
        after.add(r);
      else if (before.has(r)) this.demoted.add(key);
    }
    return after;
  }

  /** Sets the forms at instruction number `i` from the preceding instruction, if `alive`, and from jumps. */
  arrive(i: number, alive: boolean, isHead: boolean, isCatch: boolean): void {
    if (isCatch) {
      this.current = new Uint8Array(this.fn.blank.length);
      return;
    }
    const jumped = this.pending.get(i);
    if (jumped !== undefined) this.current = jumped.slice();
    else if (!alive) this.current = new Uint8Array(this.fn.blank.length);
    if (!isHead) return;
    if (alive || jumped !== undefined) this.entered.set(i, this.current.slice());
    this.current = this.atHead(i);
  }

  private atHead(i: number): Uint8Array {
    const state = new Uint8Array(this.fn.blank.length);
    for (const r of this.heads.get(i) ?? []) {
      state[r] = UNBOXED;
      this.everUnboxed.add(r);
    }
    return state;
  }

  /** Whether the head of a loop expects a register unboxed. */
  isRawAt(head: number, r: number): boolean {
    return this.heads.get(head)?.has(r) === true;
  }

  /** Records that control can continue at `i`. Returns code that converts registers to the forms expected there. */
  edgeTo(i: number, deopt: (register: number) => string): string {
    const before = this.pending.get(i);
    this.pending.set(
      i,
      before === undefined ? this.current.slice() : before.map((place, r) => meet(place, this.current[r])),
    );
    const expected = this.loops.has(i) ? this.atHead(i) : this.settled.get(i);
    return expected === undefined ? '' : this.conversions(i, expected, deopt);
  }

  /** As `edgeTo`, for the jump back to a loop's head. */
  backTo(head: number, deopt: (register: number) => string): string {
    const before = this.ended.get(head);
    this.ended.set(
      head,
      before === undefined ? this.current.slice() : before.map((place, r) => meet(place, this.current[r])),
    );
    return this.conversions(head, this.atHead(head), deopt);
  }

  private conversions(i: number, expected: Uint8Array, deopt: (register: number) => string): string {
    let text = '';
    for (const r of this.live.before(i)) {
      if (expected[r] !== UNBOXED && this.current[r] === UNBOXED) text += `r${r}=new Float(f${r});`;
      else if (expected[r] !== BOXED && this.current[r] === BOXED) text += unboxing(r, deopt(r));
    }
    return text;
  }

  /** Whether register `r` holds a Float that is not boxed. */
  isOnlyUnboxed(r: number): boolean {
    return this.current[r] === UNBOXED;
  }

  isUnboxed(r: number): boolean {
    return this.current[r] !== BOXED;
  }

  /** Register `r` is needed boxed. Returns true if code must box it. */
  box(r: number, i: number): boolean {
    if (this.current[r] !== UNBOXED) return false;
    this.current[r] = BOTH;
    this.note(this.needed, r, i);
    return true;
  }

  /** Register `r` is needed unboxed. Returns true if code must unbox it. */
  unbox(r: number): boolean {
    if (this.current[r] !== BOXED) return false;
    this.current[r] = BOTH;
    this.everUnboxed.add(r);
    return true;
  }

  setUnboxed(r: number, i: number): void {
    this.current[r] = UNBOXED;
    this.everUnboxed.add(r);
    this.note(this.defined, r, i);
  }

  setTagged(r: number): void {
    this.current[r] = BOXED;
  }

  private note(map: Map<number, Set<number>>, r: number, i: number): void {
    for (let region: Region | null = this.flow.inner[i]; region !== null; region = region.parent) {
      if (region.kind !== 'loop') continue;
      const head = this.flow.indexAt[region.start];
      const set = map.get(head);
      if (set === undefined) map.set(head, new Set([r]));
      else set.add(r);
    }
  }
}

/** The form that is valid for both of two paths. */
function meet(p: number, q: number): number {
  if (p === q) return p;
  return p === BOXED || q === BOXED ? BOXED : UNBOXED;
}

function sameStates(p: ReadonlyMap<number, Uint8Array>, q: ReadonlyMap<number, Uint8Array>): boolean {
  if (p.size !== q.size) return false;
  for (const [i, state] of p) {
    const other = q.get(i);
    if (other === undefined || state.some((place, r) => place !== other[r])) return false;
  }
  return true;
}
