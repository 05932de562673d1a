import { Hash, type Shape } from './hash.js';
import type { Value } from './value.js';

/** What `Fields` needs of a record. */
interface Slots {
  readonly layout: Shape;
  values(): Value[];
  at(slot: number): Value;
  store(slot: number, value: Value): void;
}

/**
 * The fields of a record as a hash: a loop over it sees later changes of the record, and setting a value sets the
 * record's. Only `slots` holds the values of the moment when it was made.
 */
export class Fields extends Hash {
  constructor(private readonly record: Slots) {
    super(record.layout, record.values());
  }

  override get(key: Value): Value | undefined {
    const slot = typeof key === 'string' ? this.record.layout.index.get(key) : undefined;
    return slot === undefined ? undefined : this.record.at(slot);
  }

  override set(key: Value, value: Value): void {
    const slot = this.record.layout.index.get(key as string);
    if (slot === undefined) throw new Error(`a record has no field ${String(key)}`);
    this.record.store(slot, value);
  }

  override values(): Value[] {
    return this.record.values();
  }

  override firstValues(): readonly Value[] {
    return this.record.values();
  }

  override every(test: (key: Value, value: Value) => boolean): boolean {
    return this.record.layout.keys.every((key, slot) => test(key, this.record.at(slot)));
  }

  override each(visit: (key: Value, value: Value) => void): void {
    this.record.layout.keys.forEach((key, slot) => visit(key, this.record.at(slot)));
  }

  /** A hash with the same pairs, whose keys may change. */
  override copy(): Hash {
    return Hash.from(this.entries());
  }
}
