import { Hash, type Shape } from './hash.js';
import type { Value } from './value.js';

/** What `Fields` needs of a record. */
interface Slots {
  readonly shape: Shape;
  values(): Value[];
  store(slot: number, value: Value): void;
}

/** The fields of a record as a hash with the values of this moment; setting a value sets the record's. */
export class Fields extends Hash {
  constructor(private readonly record: Slots) {
    super(record.shape, record.values());
  }

  override set(key: Value, value: Value): void {
    const slot = this.record.shape.index.get(key as string);
    if (slot === undefined) throw new Error(`a record has no field ${String(key)}`);
    this.slots[slot] = value;
    this.record.store(slot, value);
  }

  /** A hash with the same pairs, whose keys may change. */
  override copy(): Hash {
    return Hash.from(this.entries());
  }
}
