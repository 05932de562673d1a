import { accessed, OTHER_ACCESS } from '../interpreter/feedback.js';
import { Fields } from '../values/fields.js';
import type { Fn } from '../values/function.js';
import { Hash, NO_SHAPE, type Shape } from '../values/hash.js';
import type { Value } from '../values/value.js';

/** Accesses at one instruction that compiled code does not expect before it is compiled again. */
export const MAX_MISSES = 200;

/** Inline cache of one instruction: the slot of the last key in hashes of the last shape. */
export class KeyCache {
  shape: Shape = NO_SHAPE;
  key: Value = null;
  slot = 0;
  private missed = 0;

  /** @param kinds the accesses that the code handles inline (`accessed`) */
  constructor(
    readonly fn: Fn,
    readonly pc: number,
    readonly kinds: number,
  ) {}

  /** Counts an access that the code did not handle inline. Returns true once, if the code should be dropped. */
  misses(receiver: Value, key: Value): boolean {
    const kind = accessed(receiver, key);
    if ((this.kinds & kind) !== 0 || kind === OTHER_ACCESS || ++this.missed !== MAX_MISSES) return false;
    this.fn.feedback[this.pc] |= kind;
    return true;
  }

  /** The slots of a hash that has a key in one of them, which `slot` then is; else null. */
  note(receiver: Value, key: Value): Value[] | null {
    if (!(receiver instanceof Hash) || receiver instanceof Fields || receiver.shape === null || typeof key !== 'string')
      return null;
    const slot = receiver.shape.index.get(key);
    if (slot === undefined) return null;
    this.shape = receiver.shape;
    this.key = key;
    this.slot = slot;
    return receiver.slots;
  }
}
