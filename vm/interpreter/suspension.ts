import { Frame } from '../fibers/frame.js';
import type { Fn, Closure } from '../values/function.js';
import { CountIterator, ListIterator } from '../values/iteration.js';
import { Float, type Value } from '../values/value.js';

/** The `register` of an exit at a loop that has never run. */
export const NEVER_RAN = -2;

/**
 * The `register` of an exit at an operator whose operands are too large for one step; no assumption of the code was
 * wrong.
 */
export const TOO_LARGE = -3;

/** The `register` of an exit after the loops that code was compiled for; no assumption of the code was wrong. */
export const AFTER_LOOPS = -4;

/** A point where the interpreter takes over from compiled code: the data for the frame, except the values of the live registers. */
export class DeoptExit {
  /**
   * @param pc where the frame continues
   * @param live registers in the order of their values; `~r` for a register whose Float is passed as an unboxed number
   * @param register the register about which the head of a loop made a wrong assumption; −1: the instruction at `pc`
   * made one; NEVER_RAN: the loop at `pc` has never run, so that there is no feedback; TOO_LARGE: the interpreter runs
   * this one instruction; AFTER_LOOPS: the interpreter runs the rest of the function
   */
  constructor(
    readonly fn: Fn,
    readonly pc: number,
    readonly live: readonly number[],
    readonly register: number,
  ) {}

  /** The frame of an activation that is left here. */
  frame(self: Closure | null, values: readonly unknown[]): Frame {
    const { fn, live } = this;
    const regs = fn.blank.slice();
    for (let i = 0; i < live.length; i++) {
      const r = live[i];
      if (r >= 0) regs[r] = values[i] as Value;
      else regs[~r] = new Float(values[i] as number);
    }
    return new Frame(null, fn, self, this.pc, regs);
  }
}

/**
 * Forms in which compiled code passes the value of a live register when it suspends; in brackets, the values that it
 * passes for them. A place is `register * FORMS + form`.
 */
export const BOXED = 0;
/** A Float as a number. */
export const UNBOXED = 1;
/** The iterator of a counted loop over a vector (vector, next index), or over numbers (next number, end). */
export const OVER_VECTOR = 2;
export const OVER_NUMBERS = 3;
/**
 * The vector of an append loop (vector, next number, first number), which is truncated to the elements stored: as many
 * as the loop has taken numbers, or one less.
 */
export const FILLED = 4;
export const FILLED_BUT_ONE = 5;
export const FORMS = 6;
const VALUES_OF_FORM = [1, 1, 2, 2, 3, 3];

/**
 * Maximum values passed as separate arguments, which take space in each frame on the stack; more are passed in one array.
 * A loop that makes such an array takes up to 70 % longer if its values are Floats.
 */
export const MAX_SEPARATE_VALUES = 32;

/** A point where compiled code suspends: the data for the frame, except the values of the live registers. */
export class SuspendExit {
  private readonly passesArray: boolean;

  /**
   * @param pc where the frame continues
   * @param places of the live registers, in the order of their values
   * @param weight fuel of an iteration, if the fuel left follows from the loop's index (`Fuel`); else 0
   * @param isEntry whether this is before the first instruction, without fuel or without room on the stack
   */
  constructor(
    readonly fn: Fn,
    readonly pc: number,
    readonly places: readonly number[],
    readonly weight: number,
    readonly isEntry: boolean,
  ) {
    const count = places.reduce((sum, place) => sum + VALUES_OF_FORM[place % FORMS], 0);
    this.passesArray = count > MAX_SEPARATE_VALUES;
  }

  /** The frame of an activation that suspends here. `passed`: arguments of `suspend`, some of which may be unused. */
  frame(self: Closure | null, passed: readonly unknown[]): Frame {
    const { fn, places } = this;
    const values = this.passesArray ? (passed[0] as readonly unknown[]) : passed;
    const regs = fn.blank.slice();
    let at = 0;
    for (let i = 0; i < places.length; i++) {
      const place = places[i];
      const form = place % FORMS;
      regs[(place - form) / FORMS] = valueOf(form, values, at);
      at += VALUES_OF_FORM[form];
    }
    return new Frame(null, fn, self, this.pc, regs);
  }
}

function valueOf(form: number, values: readonly unknown[], at: number): Value {
  switch (form) {
    case BOXED:
      return values[at] as Value;
    case UNBOXED:
      return new Float(values[at] as number);
    case OVER_VECTOR:
      return new ListIterator(values[at] as Value[], values[at + 1] as number);
    case OVER_NUMBERS:
      return new CountIterator(values[at] as number, values[at + 1] as number);
    default: {
      const vector = values[at] as Value[];
      const taken = (values[at + 1] as number) - (values[at + 2] as number);
      return truncate(vector, taken - (form - FILLED));
    }
  }
}

/** Truncates a vector to its first `count` elements. */
export function truncate(vector: Value[], count: number): Value[] {
  if (vector.length !== count) vector.length = count;
  return vector;
}

/**
 * The frames of a thread that suspends, collected while the JavaScript stack unwinds. Each compiled activation adds its
 * own frame; an activation of the interpreter adds its whole chain at once.
 */
export class Unwound {
  /** The innermost frame; null if nothing is being unwound. */
  head: Frame | null = null;
  tail: Frame | null = null;
  /** Number of frames on the thread's stack. */
  depth = 0;
  /** The JavaScript stack is full: the thread continues immediately, with its frames on the heap. */
  spills = false;

  /** A frame at its function's first instruction that the interpreter must run although there is compiled code. */
  interpreted: Frame | null = null;

  /** Forgets the frames collected. */
  clear(): void {
    this.head = this.tail = null;
    this.spills = false;
  }

  /** Starts with a frame and its callers up to `tail`. */
  begin(head: Frame, tail: Frame, depth: number): undefined {
    this.head = head;
    this.tail = tail;
    this.depth = depth;
    return undefined;
  }

  /** Adds the frames from `head` to `tail` below those collected so far. */
  add(head: Frame | null, tail: Frame): undefined {
    if (head === null) return undefined;
    (this.tail as Frame).parent = head;
    this.tail = tail;
    return undefined;
  }

  /** Adds the frame of a compiled activation: the innermost one, or a caller. */
  save(frame: Frame, depth: number): undefined {
    if (this.head === null) return this.begin(frame, frame, depth);
    return this.add(frame, frame);
  }
}
