/**
 * Backtracking with memory: a state that failed at a position is never tried there again, from any start. So all
 * searches of one text together take time states × length. After a back-reference the outcome depends on more than the
 * position, so states that can reach one are not remembered, and the number of steps is limited. `run` can stop after
 * any number of steps and continue later.
 */
import { Errors, fail } from '../error.js';
import { Numbers, Store } from './chunked.js';
import { ASSERT, CHAR, LOOK, MATCH, REFERENCE, RESET, RUN, SAVE, SPLIT, type Program } from './program.js';

export const PENDING = 0;
export const FOUND = 1;
export const NONE = 2;
/** No match begins before the position where the search was to stop. */
export const STOPPED = 3;

/** Positions per page of bits, as a power of two. */
const PAGE = 10;
const IN_PAGE = (1 << PAGE) - 1;
/** Kinds of stack entries, in place of a state. An entry takes ENTRY cells. */
const UNDO = -1;
const BARRIER = -2;
const RUNS = -3;
const ENTRY = 4;
/** Cells of the stack's first part and of each other part. */
const FIRST_CELLS = 1 << 10;
const CELLS = 1 << 16;
/**
 * Step limit for all searches of one text when not all can be remembered: about a second, plus STEPS_PER_UNIT per
 * character.
 */
const MAX_STEPS = 20_000_000;
const STEPS_PER_UNIT = 16;

/** Facts about a program that the engine needs; computed once. */
export interface Plan {
  /**
   * First bit of a state at a position, −1 for none. SPLIT and RUN have a bit "tried before", in a lookaround also
   * "succeeded".
   */
  bit: Int32Array;
  /** Number of bits per position. */
  bits: number;
  /** First of the two bits of a lookaround, "known" and "holds"; −1: not remembered. */
  lookBit: number[];
  inLook: Uint8Array;
  /** Classes that a match can begin with; null if it can be empty. */
  first: Uint8Array | null;
  /** Whether memory does not bound the time, so that steps are limited. */
  isLimited: boolean;
}

/** Successors of a state, within its own lookaround. */
function next(program: Program, s: number): number[] {
  const { op, a, b, c, match } = program;
  switch (op[s]) {
    case MATCH:
      return [];
    case SPLIT:
    case RUN:
      return [a[s], b[s]];
    case REFERENCE:
      return [b[s], c[s]];
    default:
      return s === match + 1 ? [] : [b[s]];
  }
}

function reachable(program: Program, start: number): Set<number> {
  const seen = new Set([start]);
  for (const s of seen) for (const to of next(program, s)) seen.add(to);
  return seen;
}

/** States from which a back-reference can be reached, including from inside lookarounds. */
function depending(program: Program): Uint8Array {
  const { op, a, looks } = program;
  const out = new Uint8Array(op.length);
  if (!program.hasReference) return out;
  const before: number[][] = Array.from(op, () => []);
  const todo: number[] = [];
  for (let s = 0; s < op.length; s++) {
    for (const to of next(program, s)) before[to].push(s);
    if (op[s] === LOOK) before[looks[a[s]].start].push(s);
    if (op[s] === REFERENCE) todo.push(s);
  }
  for (let s = todo.pop(); s !== undefined; s = todo.pop()) {
    if (out[s] === 1) continue;
    out[s] = 1;
    todo.push(...before[s]);
  }
  return out;
}

/** Computes the facts about a program. */
export function planOf(program: Program): Plan {
  const { op, looks } = program;
  const depends = depending(program);
  const inLook = new Uint8Array(op.length);
  for (const look of looks) for (const s of reachable(program, look.start)) inLook[s] = 1;
  const bit = new Int32Array(op.length).fill(-1);
  let bits = 0;
  for (let s = 0; s < op.length; s++) {
    if ((op[s] !== SPLIT && op[s] !== RUN) || depends[s] === 1) continue;
    bit[s] = bits;
    bits += inLook[s] === 1 ? 2 : 1;
  }
  const lookBit = looks.map((look) => {
    if (depends[look.start] === 1) return -1;
    bits += 2;
    return bits - 2;
  });
  return {
    bit,
    bits,
    lookBit,
    inLook,
    first: firstOf(program),
    isLimited: program.hasReference || looks.some((look) => !look.negate && look.lastSlot >= 0),
  };
}

/** Classes that a match can begin with, or null if it can be empty. */
function firstOf(program: Program): Uint8Array | null {
  const { op, a, b, has, width } = program;
  const first = new Uint8Array(width);
  const seen = new Set([program.start]);
  for (const s of seen) {
    if (op[s] === MATCH || op[s] === REFERENCE) return null;
    if (op[s] === CHAR) for (let i = 0; i < width; i++) first[i] |= has[a[s] * width + i];
    else if (op[s] === SPLIT || op[s] === RUN) seen.add(a[s]).add(b[s]);
    else if (s !== program.match + 1) seen.add(b[s]);
  }
  return first;
}

/** Searches one text for successive matches. */
export class Backtracker {
  /** Starts and ends of the match and its groups; −1 for a group that did not take part. */
  readonly slots: Int32Array;
  private readonly pages: (Uint8Array | undefined)[];
  private readonly pageBytes: number;
  private freed = 0;
  private readonly store: Store;
  private readonly parts: Int32Array[] = [new Int32Array(FIRST_CELLS)];
  private stack: Int32Array;
  private part = 0;
  private sp = 0;
  /** Splits passed in lookarounds, as pairs of position and bit; marked when the lookaround succeeds. */
  private readonly log: Numbers;
  /** Stack positions of open lookarounds, as pairs of part and cell. */
  private readonly barriers: number[] = [];
  private steps = 0;
  /** The current or next start to try. */
  at = 0;
  private until = Infinity;
  private sticky = false;
  private fresh = true;
  private pc = 0;
  private pos = 0;
  private lastEnd = -1;

  /**
   * @param pairs whether `text` contains surrogate pairs that the program reads as one character
   * @param name the expression, for error messages
   */
  constructor(
    private readonly program: Program,
    private readonly plan: Plan,
    private readonly text: string,
    private readonly pairs: boolean,
    private readonly name: string,
  ) {
    this.slots = new Int32Array(program.slots).fill(-1);
    this.pages = new Array<Uint8Array | undefined>((text.length >> PAGE) + 1);
    this.pageBytes = ((Math.min(1 << PAGE, text.length + 1) * plan.bits) >> 3) + 1;
    this.store = new Store(`the search for ${name}`);
    this.log = new Numbers(this.store);
    [this.stack] = this.parts;
  }

  /** Bits of the page that contains a position. */
  private page(pos: number): Uint8Array {
    const known = this.pages[pos >> PAGE];
    if (known !== undefined) return known;
    this.store.take(this.pageBytes);
    return (this.pages[pos >> PAGE] = new Uint8Array(this.pageBytes));
  }

  private test(pos: number, k: number): boolean {
    const page = this.pages[pos >> PAGE];
    const i = (pos & IN_PAGE) * this.plan.bits + k;
    return page !== undefined && ((page[i >> 3] >> (i & 7)) & 1) === 1;
  }

  private mark(pos: number, k: number): void {
    const i = (pos & IN_PAGE) * this.plan.bits + k;
    this.page(pos)[i >> 3] |= 1 << (i & 7);
  }

  private clear(pos: number, k: number): void {
    const page = this.pages[pos >> PAGE];
    const i = (pos & IN_PAGE) * this.plan.bits + k;
    if (page !== undefined) page[i >> 3] &= ~(1 << (i & 7));
  }

  /** Sets a bit. Returns whether it was already set. */
  private marked(pos: number, k: number): boolean {
    const page = this.pages[pos >> PAGE] ?? this.page(pos);
    const i = (pos & IN_PAGE) * this.plan.bits + k;
    const was = page[i >> 3];
    page[i >> 3] = was | (1 << (i & 7));
    return ((was >> (i & 7)) & 1) === 1;
  }

  /**
   * Starts a search at `from`; if `sticky`, a match must begin there. The search stops before trying a start at or
   * after `until`. A later search of the text must start at or after the end of the previous match.
   */
  begin(from: number, sticky = false, until = Infinity): void {
    // Bits set at the end of the last match lay on a path that succeeded.
    if (this.lastEnd >= 0) for (let k = 0; k < this.plan.bits; k++) this.clear(this.lastEnd, k);
    this.lastEnd = -1;
    this.at = from;
    this.until = until;
    this.sticky = sticky;
    this.fresh = true;
    if (this.plan.lookBit.length > 0) return;
    for (; this.freed < from >> PAGE; this.freed++) {
      if (this.pages[this.freed] === undefined) continue;
      this.pages[this.freed] = undefined;
      this.store.free(this.pageBytes);
    }
  }

  /** Pushes an entry on the stack. */
  private push(kind: number, x: number, y: number, z: number): void {
    if (this.sp === this.stack.length) {
      if (++this.part === this.parts.length) {
        this.store.take(4 * CELLS);
        this.parts.push(new Int32Array(CELLS));
      }
      this.stack = this.parts[this.part];
      this.sp = 0;
    }
    const { stack, sp } = this;
    stack[sp] = kind;
    stack[sp + 1] = x;
    stack[sp + 2] = y;
    stack[sp + 3] = z;
    this.sp = sp + ENTRY;
  }

  /**
   * Moves to the next position where a match can begin. Returns the steps left of `budget` (four characters per step),
   * or −1 at the end of the text.
   */
  private skip(budget: number): number {
    const { text, program, pairs } = this;
    const first = this.plan.first as Uint8Array;
    const stop = Math.min(text.length, this.at + 4 * budget);
    let { at } = this;
    if (pairs)
      while (at < stop && first[program.classAfter(text, at)] === 0)
        at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
    else {
      const { table } = program;
      while (at < stop && first[table[text.charCodeAt(at)]] === 0) at++;
    }
    const left = budget - ((at - this.at) >> 2);
    this.at = at;
    return at >= text.length ? -1 : left;
  }

  private charge(steps: number): void {
    this.steps += steps;
    if (!this.plan.isLimited || this.steps <= MAX_STEPS + STEPS_PER_UNIT * this.text.length) return;
    fail(
      Errors.RuntimeError,
      `the search for ${this.name} takes too long: with back-references, or groups in lookarounds, its time can grow faster than the text`,
    );
  }

  /**
   * Runs for about `budget` steps. Returns PENDING, FOUND (see `slots`), NONE or STOPPED.
   * @throws RuntimeError, MemoryError
   */
  run(budget: number): number {
    let left = budget;
    for (;;) {
      if (this.fresh) {
        if (this.at > this.text.length) return NONE;
        if (this.at >= this.until) return STOPPED;
        if (this.plan.first !== null && !this.sticky) {
          left = this.skip(left);
          if (left < 0) return NONE;
          if (left === 0) return PENDING;
        }
        this.fresh = false;
        this.slots.fill(-1);
        this.pc = this.program.start;
        this.pos = this.at;
        this.part = this.sp = 0;
        [this.stack] = this.parts;
        this.log.length = this.barriers.length = 0;
      }
      const before = left;
      left = this.attempt(left);
      this.charge(before - Math.max(0, left));
      if (left < 0) return PENDING;
      if (this.pc === this.program.match) {
        [, this.lastEnd] = this.slots;
        return FOUND;
      }
      if (this.sticky) return NONE;
      this.at += this.pairs && (this.text.codePointAt(this.at) ?? 0) > 0xffff ? 2 : 1;
      this.fresh = true;
    }
  }

  /**
   * Continues an attempt. Returns the steps left, or −1 if they ran out; otherwise `pc` is the MATCH state if the
   * attempt succeeded.
   */
  private attempt(budget: number): number {
    const { program, text, plan, slots, pairs } = this;
    const { op, a, b, c, has, width, table, conditions } = program;
    const { bit, inLook } = plan;
    const n = text.length;
    const fails = program.match + 1;
    let { pc, pos } = this;
    let left = budget;
    for (;;) {
      if (--left < 0) {
        this.pc = pc;
        this.pos = pos;
        return -1;
      }
      let ok = true;
      switch (op[pc]) {
        case CHAR: {
          const forwards = c[pc] > 0;
          if (forwards ? pos >= n : pos <= 0) ok = false;
          else {
            const unit = text.charCodeAt(forwards ? pos : pos - 1);
            const wide = pairs && (unit & 0xf800) === 0xd800;
            const read = !wide
              ? table[unit]
              : forwards
                ? program.classAfter(text, pos)
                : program.classBefore(text, pos);
            if (has[a[pc] * width + read] === 0) ok = false;
            else {
              const size = wide && isPair(text, forwards ? pos : pos - 2) ? 2 : 1;
              pos += forwards ? size : -size;
              pc = b[pc];
            }
          }
          break;
        }
        case SPLIT:
        case RUN: {
          const k = bit[pc];
          if (k >= 0) {
            if (this.marked(pos, k)) {
              if (inLook[pc] === 1 && this.test(pos, k + 1)) pc = program.match;
              else ok = false;
              break;
            }
            if (inLook[pc] === 1) {
              this.log.push(pos);
              this.log.push(k);
            } else if (op[pc] === RUN && !pairs && c[a[pc]] > 0) {
              // A greedy loop over one set: run to its end at once, with one stack entry for all exits.
              const row = a[a[pc]] * width;
              const lo = pos;
              const limit = Math.min(n, pos + Math.max(left, 64));
              let seen = false;
              while (!seen && pos < limit && has[row + table[text.charCodeAt(pos)]] === 1) seen = this.marked(++pos, k);
              left -= (pos - lo) >> 1;
              if (seen) pos--;
              if (pos > lo) this.push(RUNS, pc, lo, pos - 1);
              if (!seen && pos === limit && pos < n && has[row + table[text.charCodeAt(pos)]] === 1) {
                // Out of steps in the middle of the run: treat the rest as an ordinary iteration.
                this.push(b[pc], pos, this.log.length, 0);
                pc = a[pc];
              } else pc = b[pc];
              break;
            }
          }
          this.push(b[pc], pos, this.log.length, 0);
          pc = a[pc];
          break;
        }
        case SAVE:
          this.push(UNDO, a[pc], slots[a[pc]], 0);
          slots[a[pc]] = pos;
          pc = b[pc];
          break;
        case RESET:
          for (let slot = a[pc]; slot <= c[pc]; slot++) {
            if (slots[slot] === -1) continue;
            this.push(UNDO, slot, slots[slot], 0);
            slots[slot] = -1;
          }
          pc = b[pc];
          break;
        case ASSERT:
          if (conditions[a[pc]][program.classBefore(text, pos) * width + program.classAfter(text, pos)] === 1)
            pc = b[pc];
          else ok = false;
          break;
        case LOOK: {
          const look = program.looks[a[pc]];
          const k = plan.lookBit[a[pc]];
          if (k >= 0 && this.test(pos, k)) {
            const holds = this.test(pos, k + 1);
            // If it captured groups, match it again to restore them.
            if (!holds || look.negate || look.lastSlot < 0) {
              if (holds === look.negate) ok = false;
              else pc = b[pc];
              break;
            }
          }
          for (let slot = look.firstSlot; slot <= look.lastSlot; slot++) this.push(UNDO, slot, slots[slot], 0);
          this.push(BARRIER, pos, this.log.length, pc);
          this.barriers.push(this.part, this.sp - ENTRY);
          pc = look.start;
          break;
        }
        case REFERENCE: {
          const [from, to] = [slots[2 * a[pc]], slots[2 * a[pc] + 1]];
          const length = from < 0 || to < 0 ? 0 : to - from;
          if (length === 0) {
            pc = b[pc];
            break;
          }
          const at = program.d[pc] > 0 ? pos : pos - length;
          left -= length >> 3;
          if (at < 0 || at + length > n || !this.isSame(from, at, length)) ok = false;
          else {
            pos = program.d[pc] > 0 ? pos + length : at;
            pc = c[pc];
          }
          break;
        }
        case MATCH: {
          if (this.barriers.length === 0) {
            this.pc = pc;
            return left;
          }
          left = this.closeLook(left);
          if (left < 0) {
            this.pc = pc;
            this.pos = pos;
            return -1;
          }
          const from = this.stack[this.sp + 3];
          pos = this.stack[this.sp + 1];
          if (program.looks[a[from]].negate) ok = false;
          else pc = b[from];
          break;
        }
        default:
          ok = false;
      }
      // Backtrack to the last alternative.
      while (!ok) {
        if (this.sp === 0) {
          if (this.part === 0) {
            this.pc = fails;
            return Math.max(0, left);
          }
          this.stack = this.parts[--this.part];
          this.sp = this.stack.length;
        }
        const { stack } = this;
        const sp = (this.sp -= ENTRY);
        const kind = stack[sp];
        if (kind === UNDO) slots[stack[sp + 1]] = stack[sp + 2];
        else if (kind === RUNS) {
          pc = b[stack[sp + 1]];
          pos = stack[sp + 3];
          if (pos > stack[sp + 2]) {
            stack[sp + 3] = pos - 1;
            this.sp = sp + ENTRY;
          }
          ok = true;
        } else if (kind === BARRIER) {
          const from = stack[sp + 3];
          const k = plan.lookBit[a[from]];
          this.barriers.length -= 2;
          this.log.length = stack[sp + 2];
          if (k >= 0) this.mark(stack[sp + 1], k);
          if (program.looks[a[from]].negate) {
            pos = stack[sp + 1];
            pc = b[from];
            ok = true;
          }
        } else {
          pc = kind;
          pos = stack[sp + 1];
          this.log.length = stack[sp + 2];
          ok = true;
        }
        if (!ok && --left < 0) {
          this.pc = fails;
          return -1;
        }
      }
    }
  }

  /**
   * Called when the body of the innermost lookaround has succeeded: marks this along its path and pops its entries.
   * Returns the steps left; −1: call again.
   */
  private closeLook(budget: number): number {
    const { log, barriers, plan, program } = this;
    const [part, sp] = [barriers[barriers.length - 2], barriers[barriers.length - 1]];
    const stack = this.parts[part];
    const id = program.a[stack[sp + 3]];
    const look = program.looks[id];
    const again = !look.negate && look.lastSlot >= 0;
    let left = budget;
    for (; log.length > stack[sp + 2]; log.length -= 2) {
      if (--left < 0) return -1;
      const [pos, k] = [log.at(log.length - 2), log.at(log.length - 1)];
      if (again) this.clear(pos, k);
      else this.mark(pos, k + 1);
    }
    const k = plan.lookBit[id];
    if (k >= 0) {
      this.mark(stack[sp + 1], k);
      this.mark(stack[sp + 1], k + 1);
    }
    barriers.length -= 2;
    this.part = part;
    this.stack = stack;
    this.sp = sp;
    return left;
  }

  private isSame(from: number, at: number, length: number): boolean {
    const { text, program } = this;
    if (!program.ignoresCase) {
      for (let i = 0; i < length; i++) if (text.charCodeAt(from + i) !== text.charCodeAt(at + i)) return false;
      return true;
    }
    for (let i = 0; i < length;) {
      const x = this.character(from + i);
      if (!sameLetter(x, this.character(at + i), program.unicode)) return false;
      i += x.length;
    }
    return true;
  }

  private character(at: number): string {
    return this.pairs && isPair(this.text, at) ? this.text.slice(at, at + 2) : this.text[at];
  }
}

function isPair(text: string, at: number): boolean {
  return at >= 0 && (text.codePointAt(at) as number) > 0xffff;
}

/** Known answers to whether two characters differ only in case. */
const letters = new Map<string, boolean>();
const MAX_KNOWN_LETTERS = 5000;

function sameLetter(x: string, y: string, unicode: boolean): boolean {
  if (x === y) return true;
  if (x.length !== y.length) return false;
  const key = `${x}${y}${unicode ? 'u' : ''}`;
  let same = letters.get(key);
  if (same === undefined) {
    // Ask V8.
    const escaped = unicode
      ? `\\u{${(x.codePointAt(0) as number).toString(16)}}`
      : `\\u${x.charCodeAt(0).toString(16).padStart(4, '0')}`;
    same = new RegExp(`^${escaped}$`, unicode ? 'iu' : 'i').test(y);
    if (letters.size >= MAX_KNOWN_LETTERS) letters.clear();
    letters.set(key, same);
  }
  return same;
}
