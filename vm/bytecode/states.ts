import type { Region } from './flow.js';
import { asSet, joined } from './tracked.js';

/** Kinds of the tracked registers, by slot. */
type State = Int32Array;

/**
 * A loop around the current instruction; `extra` holds the kinds that its LOOPs bring to its head in addition to
 * `state`.
 */
interface Head {
  end: number;
  outer: Head | null;
  state: State;
  extra: State | null;
}

/**
 * A protected range around the current instruction; `seen` joins the states at all points where it may be left, null if
 * there was none yet.
 */
interface Try {
  region: Region;
  seen: State | null;
}

/**
 * The kinds of the tracked registers along a function's control flow: joined at jump targets, in protected ranges and
 * in loops.
 */
export class States {
  protected now: State;
  protected reachable = true;
  /** A loop brings a new kind to its head: another pass is needed. */
  protected repeat = false;
  /** States of pending forward jumps, by target. */
  private readonly waiting = new Map<number, State>();
  /** States that can be reused. */
  private readonly spare: State[] = [];
  private readonly heads = new Map<number, Head>();
  private loop: Head | null = null;
  private readonly tries: Try[] = [];
  /** Slots whose kind may have changed since the last instruction that can leave a protected range. */
  private readonly dirty: number[] = [];
  private allDirty = false;

  /** @param spend called with the number of steps on single registers done */
  constructor(
    protected readonly size: number,
    private readonly spend: (steps: number) => void,
  ) {
    this.now = new Int32Array(size);
  }

  /** Starts a pass; results about loops are kept. */
  protected restart(): void {
    this.reachable = true;
    this.repeat = false;
    this.loop = null;
    this.tries.length = 0;
    this.dirty.length = 0;
    this.allDirty = false;
  }

  /** Closes the protected ranges and loops that end before `pc`. */
  protected leaveRegions(pc: number): void {
    while (this.tries.length > 0 && this.tries[this.tries.length - 1].region.end <= pc) this.closeTry();
    while (this.loop !== null && this.loop.end <= pc) this.loop = this.loop.outer;
  }

  private copy(): State {
    const state = this.spare.pop() ?? new Int32Array(this.size);
    for (let slot = 0; slot < this.size; slot++) state[slot] = this.now[slot];
    this.spend(this.size);
    return state;
  }

  private joinInto(state: State, other: State): void {
    for (let slot = 0; slot < this.size; slot++) state[slot] = joined(state[slot], other[slot]);
    this.spend(this.size);
  }

  /** Joins the current state into the one at `target`. */
  protected goTo(target: number): void {
    const state = this.waiting.get(target);
    if (state === undefined) this.waiting.set(target, this.copy());
    else this.joinInto(state, this.now);
  }

  /** Joins the states of the jumps to `pc`. Returns false if there are none. */
  protected meet(pc: number): boolean {
    const state = this.waiting.get(pc);
    if (state === undefined) return false;
    this.waiting.delete(pc);
    if (this.reachable) {
      this.joinInto(this.now, state);
      this.spare.push(state);
    } else {
      this.spare.push(this.now);
      this.now = state;
      this.reachable = true;
    }
    this.allDirty = true;
    return true;
  }

  protected write(slot: number, kind: number): void {
    this.now[slot] = kind;
    if (this.tries.length > 0) this.dirty.push(slot);
  }

  // ---- protected ranges

  protected openTry(region: Region): void {
    this.tries.push({ region, seen: null });
  }

  private closeTry(): void {
    const { region, seen } = this.tries.pop() as Try;
    if (seen === null) return;
    const around = this.tries[this.tries.length - 1];
    if (around !== undefined) {
      if (around.seen === null) around.seen = Int32Array.from(seen);
      else this.joinInto(around.seen, seen);
    }
    const state = this.waiting.get(region.handler);
    if (state === undefined) this.waiting.set(region.handler, seen);
    else {
      this.joinInto(state, seen);
      this.spare.push(seen);
    }
  }

  /** Records that the current instruction may jump to the handlers around it. */
  protected mayLeave(): void {
    if (this.tries.length === 0) return;
    const inner = this.tries[this.tries.length - 1];
    const { seen } = inner;
    if (seen === null) inner.seen = this.copy();
    else if (this.allDirty) this.joinInto(seen, this.now);
    else for (const slot of this.dirty) seen[slot] = joined(seen[slot], this.now[slot]);
    this.allDirty = false;
    this.dirty.length = 0;
  }

  // ---- loops

  protected enterLoop(pc: number, end: number): void {
    let head = this.heads.get(pc);
    if (head === undefined) this.heads.set(pc, (head = { end, outer: this.loop, state: this.now, extra: null }));
    else if (head.extra !== null) this.joinInto(this.now, head.extra);
    head.state = this.copy();
    this.loop = head;
    this.allDirty = true;
  }

  /**
   * Records the state that a LOOP brings back to a head, also for all outer loops, so that the second pass finds
   * nothing new.
   */
  protected goBack(target: number): void {
    const head = this.heads.get(target) as Head;
    this.spend(this.size);
    for (let slot = 0; slot < this.size; slot++) {
      if (joined(head.state[slot], this.now[slot]) === head.state[slot]) continue;
      this.repeat = true;
      const kind = asSet(joined(head.state[slot], this.now[slot]));
      for (let loop: Head | null = head; loop !== null; loop = loop.outer) {
        loop.extra ??= new Int32Array(this.size);
        if ((loop.extra[slot] | kind) === loop.extra[slot]) break;
        loop.extra[slot] |= kind;
        this.spend(1);
      }
    }
  }
}
