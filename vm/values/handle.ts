import type { NativeFunction } from './function.js';
import type { Iterator } from './iterator.js';
import { type MethodGroup, MethodTable } from './methodgroup.js';
import type { Value } from './value.js';

/** Methods and fields of a kind of handle; declared next to its natives. */
export class HandleType {
  /** The types that are loaded, by name. */
  static readonly loaded = new Map<string, HandleType>();
  private readonly table = new MethodTable();
  /** Setters for `h.name = v`; the methods of these names are read without parentheses. */
  readonly setters = new Map<string, NativeFunction>();
  /** Methods of the type itself, such as `Bytes.from_hex`. */
  readonly statics = new Map<string, NativeFunction>();
  /** Makes a value when the type is called, as in `Decimal("1.50")`; null if it cannot be called. */
  make: NativeFunction | null = null;

  constructor(readonly name: string) {
    HandleType.loaded.set(name, this);
  }

  get methods(): Map<string, NativeFunction> {
    return this.table.methods;
  }

  /** Adds methods that are made when one of them is first looked up. */
  add(methods: MethodGroup): void {
    this.table.add(methods);
  }
}

/** A value implemented by the host: a task, a channel, a request, a socket. Shared, never copied. */
export abstract class Handle {
  abstract readonly type: HandleType;

  /** The handle as it is printed. */
  describe(): string {
    return `<${this.type.name}>`;
  }

  /** Elements for `each` and `for`, or null if the handle cannot be iterated. */
  items(): Value[] | null {
    return null;
  }

  /** A new iterator for `each` and `for`, if `items` is null; null if the handle cannot be iterated. */
  iterator(): Iterator | null {
    return null;
  }

  /** `handle[index]` if no method is needed for it; undefined: call the method. */
  elementAt(_index: Value): Value | undefined {
    return undefined;
  }

  /** Stores `handle[index] = value` if no method is needed for it; false: call the method. */
  storeAt(_index: Value, _value: Value): boolean {
    return false;
  }

  /** The value read by `handle.name` if the type has no method `name`; undefined if there is none. */
  named(_name: string): Value | undefined {
    return undefined;
  }

  /** Equality with another value; identity unless the handle stands for a plain value such as a date. */
  equals(other: object): boolean {
    return this === other;
  }

  /**
   * A key that two handles of one type share exactly if they are equal; null if only `equals` can decide. Override it
   * together with `equals`.
   */
  equalityKey(): string | null {
    return null;
  }

  /** Order relative to another handle, or null if they cannot be ordered. */
  compare(_other: Handle): number | null {
    return null;
  }

  /** `this + other`, or null if undefined for these operands. */
  plus(_other: Value): Value | null {
    return null;
  }

  /** `this - other`, or null if undefined for these operands. */
  minus(_other: Value): Value | null {
    return null;
  }

  /** `other + this` for a value on the left that has no such operator, or null if undefined. */
  addedTo(_other: Value): Value | null {
    return null;
  }

  /** `this * other`, and `other * this` for a number, or null if undefined for these operands. */
  times(_other: Value): Value | null {
    return null;
  }

  /** `this / other`, or null if undefined for these operands. */
  dividedBy(_other: Value): Value | null {
    return null;
  }

  /** `-this`, or null if undefined. */
  negated(): Value | null {
    return null;
  }
}
