import { Hash, type Shape } from './hash.js';
import type { Value } from './value.js';

/** What `Fields` needs of a record. */
interface Slots {
  readonly shape: Shape;
  readonly slots: Value[];
  readonly floats: number;
  at(slot: number): Value;
  store(slot: number, value: Value): void;
}

/** The fields of a record as a hash, whose keys never change. It shows later changes of the record, and changes it. */
export class Fields extends Hash {
  private readonly names: readonly string[];

  constructor(private readonly record: Slots) {
    super(record.shape, record.slots);
    this.names = record.shape.keys;
  }

  private slotOf(key: Value): number | undefined {
    return typeof key === 'string' ? this.record.shape.index.get(key) : undefined;
  }

  override get(key: Value): Value | undefined {
    const slot = this.slotOf(key);
    return slot === undefined ? undefined : this.record.at(slot);
  }

  override set(key: Value, value: Value): void {
    const slot = this.slotOf(key);
    if (slot === undefined) throw new Error(`a record has no field ${String(key)}`);
    this.record.store(slot, value);
  }

  override values(): Value[] {
    return this.names.map((_, slot) => this.record.at(slot));
  }

  override firstValues(count: number): readonly Value[] {
    return this.record.floats === 0 ? super.firstValues(count) : this.values();
  }

  override every(test: (key: Value, value: Value) => boolean): boolean {
    return this.names.every((name, slot) => test(name, this.record.at(slot)));
  }

  override each(visit: (key: Value, value: Value) => void): void {
    this.names.forEach((name, slot) => visit(name, this.record.at(slot)));
  }

  /** A hash with the same pairs. */
  override copy(): Hash {
    return Hash.from(this.entries());
  }
}
