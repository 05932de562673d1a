import { Fields } from './fields.js';
import type { Shape } from './hash.js';
import type { Closure } from './function.js';
import type { Value } from './value.js';

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

/** An instance of a record type. */
export class RecordValue {
  constructor(
    readonly type: RecordType,
    readonly fields: Fields,
  ) {}
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
    return type === undefined || type.fields.length > 0 ? type : new RecordValue(type, Fields.of(type.shape, [], []));
  }

  /** All members, in order. */
  all(): Value[] {
    return this.variants.size === 0 ? [...this.members] : this.members.map((name) => this.member(name) as Value);
  }
}

/**
 * A compiled regular expression. `re` has neither flag g nor d, so it is stateless; natives that need lastIndex use
 * copies.
 */
export class Regex {
  /** Maximum text length, in UTF-16 units, that V8 certainly searches in about 2 ms. */
  atOnce = 16;

  constructor(
    readonly source: string,
    readonly flags: string,
    readonly re: RegExp,
  ) {}
}
