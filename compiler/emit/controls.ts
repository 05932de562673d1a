import type { Label } from '../../vm/bytecode/encode.js';

/** A loop: `next` goes back to its head, `break` to its end with a value. */
export interface LoopControl {
  kind: 'loop';
  label: string | null;
  head: Label;
  /** Where `next` goes when the loop has something left to do at the end of its body; null: the head. */
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
  done: Label;
  doneDest: number;
}

/** The body of an `ensure`: whatever leaves it passes its shared slow path, told apart by a selector register. */
export interface EnsureControl {
  kind: 'ensure';
  selector: number;
  value: number;
  slow: Label;
  exits: Exit[];
}

export type Control = LoopControl | BlockControl | EnsureControl;

/** Label of the loops that `retry` looks for; no program can write it. */
export const RETRY = '%retry';

export type ExitKind = 'return' | 'break' | 'next' | 'template';

/** A way out of a protected body: what kind, to the control at which index (−1: the function). */
export interface Exit {
  kind: ExitKind;
  index: number;
}
