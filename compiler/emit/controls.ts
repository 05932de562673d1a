import type { Label } from '../../vm/bytecode/encode.js';

/** A loop: `next` goes back to its head, `break` to its end with a value. */
export interface LoopControl {
  kind: 'loop';
  label: string | null;
  head: Label;
  /** Target of `next` if the loop has work to do at the end of its body; null: the head. */
  next: Label | null;
  exhausted: Label;
  done: Label;
  dest: number;
}

/** An inlined block: `next v` ends it with a value, `break v` ends the call it belongs to. */
export interface BlockControl {
  kind: 'block';
  next: Label;
  nextDest: number;
  end: CallEnd;
}

/** The end of a call whose iterator and block are inlined. */
export interface CallEnd {
  label: Label;
  dest: number;
  /** Number of controls around the call. The iterator itself may have an `ensure` inside. */
  depth: number;
}

/**
 * The body of an `ensure`. All exits except the normal one share its slow path; a selector register holds which exit to
 * take.
 */
export interface EnsureControl {
  kind: 'ensure';
  selector: number;
  value: number;
  slow: Label;
  exits: ControlExit[];
}

export type Control = LoopControl | BlockControl | EnsureControl;

/** Label of the loops that `retry` jumps to. Programs cannot write it. */
export const RETRY = '%retry';

export type ControlExitKind = 'return' | 'break' | 'next' | 'template' | 'call';

/** An exit from a protected body: its kind, and the index of the control it leaves to (−1: the function). */
export interface ControlExit {
  kind: ControlExitKind;
  index: number;
  /** Of an exit from an inlined call: its end. The block's control no longer exists when an `ensure` continues the exit. */
  end?: CallEnd;
}
