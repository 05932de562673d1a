import { Fields } from './fields.js';
import { Hash, type Shape } from './hash.js';
import type { Closure } from './function.js';
import { Float, type Value } from './value.js';

/** `lo..hi` or `lo...hi`; a bound that is null is missing. The others are numbers or strings. */
export class Range {
  constructor(
    readonly lo: Value,
    readonly hi: Value,
    readonly exclusive: boolean,
  ) {}
}

/** The annotation of each field as the program holds it, and the types and constants of the program, by number. */
export interface FieldAnnotations {
  texts: readonly string[];
  types: readonly Value[];
  constants: readonly unknown[];
}

/** A record type, made by `record`; `make` is its constructor. */
export class RecordType {
  /** Set when the program is linked. */
  make: Closure | null = null;
  /** Functions whose first parameter is the record, by name; null if it has none. Set when the program is linked. */
  methods: ReadonlyMap<string, Closure> | null = null;
  /** The function `to_json` of the record, which is no method: it returns what is encoded. Set when the program is linked. */
  form: Closure | null = null;
  /** Whether `==` compares the fields: the type has no method of this name. Set when the program is linked. */
  comparesFields = true;
  /** Whether any record type has a form. */
  static haveForms = false;
  /** Whether any record type has a method `==`. */
  static haveEquality = false;
  /** Whether any record type has a method `to_s`. */
  static haveTexts = false;
  /** Types of the fields. Set when the program is linked. */
  annotations: FieldAnnotations | null = null;

  constructor(
    readonly name: string,
    readonly fields: readonly string[],
    readonly shape: Shape | null,
  ) {}
}

/** Number of fields that a record holds itself; further ones are in an array. */
export const INLINE_FIELDS = 6;

const NO_DOUBLES: readonly number[] = [];
const NO_MORE: readonly Value[] = [];

/**
 * An instance of a record type. The value of slot i is in `f<i>`, from `INLINE_FIELDS` on in `more`. Floats are stored
 * unboxed in an array of doubles, so that compiled code reads and writes them without allocating.
 */
export class RecordValue {
  /**
   * Only the inline caches of the interpreter and the JIT access the values directly.
   * @param layout the shape of the fields; only hashes have a `shape`, so compiled code tells both apart by this name.
   * Null: the type has more fields than a shape can hold, and `fields` holds the values
   * @param floats bit i: the value of slot i is the Float `doubles[i]`, and the slot is nil
   * @param doubles one element per slot if there is any Float
   */
  constructor(
    readonly type: RecordType,
    readonly layout: Shape | null,
    public f0: Value,
    public f1: Value,
    public f2: Value,
    public f3: Value,
    public f4: Value,
    public f5: Value,
    public more: Value[] = NO_MORE as Value[],
    public floats = 0,
    public doubles: number[] = NO_DOUBLES as number[],
  ) {}

  /** Creates a record with the values of its fields in order. */
  static of(type: RecordType, values: readonly Value[]): RecordValue {
    const { shape } = type;
    if (shape === null) return new WideRecord(type, values);
    const count = values.length;
    const record = new RecordValue(
      type,
      shape,
      count > 0 ? values[0] : null,
      count > 1 ? values[1] : null,
      count > 2 ? values[2] : null,
      count > 3 ? values[3] : null,
      count > 4 ? values[4] : null,
      count > 5 ? values[5] : null,
      count > INLINE_FIELDS ? values.slice(INLINE_FIELDS) : undefined,
    );
    for (let slot = 0; slot < count; slot++) {
      const value = values[slot];
      if (value instanceof Float) record.storeFloat(slot, value.n);
    }
    shape.floats = record.floats;
    return record;
  }

  /** The fields as a hash. */
  get fields(): Hash {
    return new Fields(this as RecordValue & { layout: Shape });
  }

  /** The number of fields. */
  get size(): number {
    return this.type.fields.length;
  }

  /** The value in a slot. */
  at(slot: number): Value {
    return this.isFloat(slot) ? new Float(this.doubles[slot]) : this.boxed(slot);
  }

  /** The value in a slot; nil if it is a Float. */
  boxed(slot: number): Value {
    switch (slot) {
      case 0:
        return this.f0;
      case 1:
        return this.f1;
      case 2:
        return this.f2;
      case 3:
        return this.f3;
      case 4:
        return this.f4;
      case 5:
        return this.f5;
      default:
        return this.more[slot - INLINE_FIELDS];
    }
  }

  private put(slot: number, value: Value): void {
    switch (slot) {
      case 0:
        this.f0 = value;
        break;
      case 1:
        this.f1 = value;
        break;
      case 2:
        this.f2 = value;
        break;
      case 3:
        this.f3 = value;
        break;
      case 4:
        this.f4 = value;
        break;
      case 5:
        this.f5 = value;
        break;
      default:
        this.more[slot - INLINE_FIELDS] = value;
    }
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
      this.put(slot, value);
    }
  }

  /** Sets a slot to a Float, given as an unboxed number. */
  storeFloat(slot: number, n: number): void {
    if (!this.isFloat(slot)) {
      if (this.doubles === NO_DOUBLES) this.doubles = (this.layout as Shape).newDoubles();
      this.floats |= 1 << slot;
      this.put(slot, null);
    }
    this.doubles[slot] = n;
  }

  /** The value of a field; undefined if there is none of this name. */
  get(name: Value): Value | undefined {
    const slot = (this.layout as Shape).index.get(name as string);
    return slot === undefined ? undefined : this.at(slot);
  }

  /** Sets a field. Returns false if there is none of this name. */
  set(name: Value, value: Value): boolean {
    const slot = (this.layout as Shape).index.get(name as string);
    if (slot !== undefined) this.store(slot, value);
    return slot !== undefined;
  }

  /** A new array of the values of all fields. */
  values(): Value[] {
    return this.type.fields.map((_, slot) => this.at(slot));
  }

  /** A record of the same type with the same values. */
  copy(): RecordValue {
    const { type, layout, f0, f1, f2, f3, f4, f5, floats } = this;
    const more = this.more.length === 0 ? undefined : this.more.slice();
    const doubles = floats === 0 ? undefined : this.doubles.slice();
    return new RecordValue(type, layout, f0, f1, f2, f3, f4, f5, more, floats, doubles);
  }
}

/** A record with more fields than a shape can hold. */
class WideRecord extends RecordValue {
  private readonly pairs: Hash;

  constructor(type: RecordType, values: readonly Value[]) {
    super(type, null, null, null, null, null, null, null);
    this.pairs = Hash.from(type.fields.map((name, i) => [name, values[i]]));
  }

  override get fields(): Hash {
    return this.pairs;
  }

  override get(name: Value): Value | undefined {
    return this.pairs.get(name);
  }

  override set(name: Value, value: Value): boolean {
    const isField = this.pairs.has(name);
    if (isField) this.pairs.set(name, value);
    return isField;
  }

  override values(): Value[] {
    return this.pairs.values();
  }

  override copy(): RecordValue {
    return new WideRecord(this.type, this.values());
  }
}

/** The method `name` that the type of a record defines, if `value` is one that has it. */
export function ownMethod(value: Value, name: string): Closure | undefined {
  return value instanceof RecordValue ? value.type.methods?.get(name) : undefined;
}

/** An enum type, made by `enum`. Its members are strings, or if `variants` has any, records of these types. */
export class EnumType {
  constructor(
    readonly name: string,
    readonly members: readonly string[],
    readonly variants: Map<string, RecordType>,
  ) {}

  /** Whether a value is one of the enum. */
  includes(value: Value): boolean {
    if (this.variants.size === 0) return typeof value === 'string' && this.members.includes(value);
    return (
      value instanceof RecordValue && this.variants.get(value.type.name.slice(this.name.length + 1)) === value.type
    );
  }

  /** The member with a name: a string, a record without fields, or the type of those with fields; else undefined. */
  member(name: string): Value | undefined {
    if (this.variants.size === 0) return this.members.includes(name) ? name : undefined;
    const type = this.variants.get(name);
    return type === undefined || type.fields.length > 0 ? type : RecordValue.of(type, []);
  }

  /** All members, in order. */
  all(): Value[] {
    return this.variants.size === 0 ? [...this.members] : this.members.map((name) => this.member(name) as Value);
  }
}

/** Copies of an expression that search from an offset: one with the flag g, and one with y. */
export interface RegexForm {
  global: RegExp;
  sticky: RegExp;
}

/**
 * A compiled regular expression. `re` has neither flag g nor d, so it is stateless; natives that need lastIndex use
 * copies.
 */
export class Regex {
  /** Maximum text length, in UTF-16 units, that V8 certainly searches in about 2 ms. */
  atOnce = 16;
  /** Whether `re` is in V8's Unicode mode. */
  readonly isUnicode: boolean;
  /** Copies of `re`, and of the same expression in Unicode mode; null until `regex/index.ts` needs them. */
  form: RegexForm | null = null;
  unicodeForm: RegexForm | null = null;
  /** Number of capture groups; −1 until it is needed. */
  groups = -1;

  constructor(
    readonly source: string,
    readonly flags: string,
    readonly re: RegExp,
  ) {
    this.isUnicode = re.unicode;
  }
}
