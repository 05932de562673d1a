import { Fields } from '../../values/fields.js';
import { Hash, NO_SHAPE, type Shape } from '../../values/hash.js';
import type { Value } from '../../values/value.js';

/** Inline cache of one instruction: the slot of the last key in hashes of the last shape. */
export class KeyCache {
  shape: Shape = NO_SHAPE;
  key: Value = null;
  slot = 0;

  /** Caches the slot of a key, if the hash has it in a slot. */
  note(receiver: Value, key: Value): void {
    if (!(receiver instanceof Hash) || receiver instanceof Fields || receiver.shape === null || typeof key !== 'string')
      return;
    const slot = receiver.shape.index.get(key);
    if (slot === undefined) return;
    this.shape = receiver.shape;
    this.key = key;
    this.slot = slot;
  }
}
