import { Fields } from '../../values/fields.js';
import { Hash, type Shape } from '../../values/hash.js';
import type { Value } from '../../values/value.js';

/** Where one instruction found a key last: in the same slot of all hashes of a shape. */
export class KeyCache {
  shape: Shape | null = null;
  key: Value = null;
  slot = 0;

  /** Remembers where a hash has a key, if it has it in a slot. */
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
