import type { NativeFunction } from './function.js';
import type { Value } from './value.js';

/** Methods and fields of a kind of handle, declared beside its natives. */
export class HandleType {
  readonly methods = new Map<string, NativeFunction>();
  /** Methods that are read without parentheses and set by `h.name = v`. */
  readonly setters = new Map<string, NativeFunction>();

  constructor(readonly name: string) {}
}

/** A value whose inside belongs to the host: a task, a channel, a request, a socket. Shared, never copied. */
export abstract class Handle {
  abstract readonly type: HandleType;

  /** How it prints. */
  describe(): string {
    return `<${this.type.name}>`;
  }

  /** What `each` and `for` go through, or null when it cannot be iterated. */
  items(): Value[] | null {
    return null;
  }

  /** Equality with another value; identity unless the handle stands for a plain value such as a date. */
  equals(other: object): boolean {
    return this === other;
  }

  /** A text that handles of one type have in common exactly when they are equal; null: only `equals` can tell. It goes with an own `equals`. */
  equalityKey(): string | null {
    return null;
  }

  /** Order among handles of its kind, or null when they have none. */
  compare(_other: Handle): number | null {
    return null;
  }

  /** `this + other`, or null when that means nothing. */
  plus(_other: Value): Value | null {
    return null;
  }

  /** `this - other`, or null when that means nothing. */
  minus(_other: Value): Value | null {
    return null;
  }
}
