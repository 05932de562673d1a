import { Hash, type Shape } from './hash.js';
import { Float, type Value } from './value.js';

const NO_DOUBLES: readonly number[] = [];

/**
 * Values of a record: a hash whose keys are the fields of the record's type and never change. Floats are stored unboxed
 * in a separate array of doubles, so that compiled code reads and writes them without allocating. A record with more
 * fields than a shape can hold stores its values in a dictionary, Floats boxed.
 */
export class Fields extends Hash {
  /**
   * `slots`, `floats` and `doubles` may be accessed directly only by the inline caches of the interpreter and the JIT.
   * @param floats bit i: the value of slot i is the Float `doubles[i]`, and `slots[i]` is nil
   * @param doubles one element per slot if there is any Float
   */
  constructor(
    shape: Shape | null,
    slots: Value[],
    public floats = 0,
    public doubles: number[] = NO_DOUBLES as number[],
  ) {
    super(shape, slots);
  }

  /** Creates the fields of a record whose type has the field names `names`. */
  static of(shape: Shape | null, names: readonly string[], values: Value[]): Fields {
    if (shape !== null) return Fields.shaped(shape, values);
    const fields = new Fields(null, []);
    names.forEach((name, i) => fields.set(name, values[i]));
    return fields;
  }

  /** As `of`, for a type with a shape. `values` becomes the array of slots. */
  static shaped(shape: Shape, values: Value[]): Fields {
    let floats = 0;
    let doubles = NO_DOUBLES as number[];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (!(value instanceof Float)) continue;
      if (floats === 0) doubles = shape.newDoubles();
      floats |= 1 << i;
      doubles[i] = value.n;
      values[i] = null;
    }
    shape.floats = floats;
    return new Fields(shape, values, floats, doubles);
  }

  /** The value in a slot. */
  at(slot: number): Value {
    return this.isFloat(slot) ? new Float(this.doubles[slot]) : this.slots[slot];
  }

  /** Whether the value in a slot is a Float. */
  isFloat(slot: number): boolean {
    return (this.floats & (1 << slot)) !== 0;
  }

  /** Sets the value in a slot. */
  store(slot: number, value: Value): void {
    if (value instanceof Float) this.storeFloat(slot, value.n);
    else {
      this.floats &= ~(1 << slot);
      this.slots[slot] = value;
    }
  }

  /** Sets a slot to a Float, given as an unboxed number. */
  storeFloat(slot: number, n: number): void {
    if (!this.isFloat(slot)) {
      if (this.doubles === NO_DOUBLES) this.doubles = (this.shape as Shape).newDoubles();
      this.floats |= 1 << slot;
      this.slots[slot] = null;
    }
    this.doubles[slot] = n;
  }

  override get(key: Value): Value | undefined {
    if (this.shape === null) return super.get(key);
    const slot = typeof key === 'string' ? this.shape.index.get(key) : undefined;
    return slot === undefined ? undefined : this.at(slot);
  }

  override set(key: Value, value: Value): void {
    const slot = this.shape === null ? undefined : this.shape.index.get(key as string);
    if (slot === undefined) super.set(key, value);
    else this.store(slot, value);
  }

  override values(): Value[] {
    return this.shape === null ? super.values() : this.slots.map((_, slot) => this.at(slot));
  }

  override firstValues(count: number): readonly Value[] {
    return this.floats === 0 ? super.firstValues(count) : this.values();
  }

  override every(test: (key: Value, value: Value) => boolean): boolean {
    return this.shape === null ? super.every(test) : this.shape.keys.every((key, slot) => test(key, this.at(slot)));
  }

  override each(visit: (key: Value, value: Value) => void): void {
    if (this.shape === null) super.each(visit);
    else for (let slot = 0; slot < this.slots.length; slot++) visit(this.shape.keys[slot], this.at(slot));
  }

  /** A hash with the same pairs. */
  override copy(): Hash {
    return Hash.from(this.entries());
  }

  /** The fields of another record with the same values. */
  duplicate(): Fields {
    if (this.shape === null) return Fields.of(null, this.keys() as string[], this.values());
    return new Fields(
      this.shape,
      this.slots.slice(),
      this.floats,
      this.floats === 0 ? undefined : this.doubles.slice(),
    );
  }
}
