import { charge } from './cost.js';
import { Handle, HandleType } from './handle.js';
import { Hash } from './hash.js';
import { eachInSteps } from './steps.js';
import type { Value } from './value.js';

export const SET = new HandleType('Set');

/** Values in order of insertion, each once. They are compared as keys of a hash, and stored as those. */
export class SetValue extends Handle {
  constructor(readonly elements: Hash = new Hash(null)) {
    super();
  }

  get type(): HandleType {
    return SET;
  }

  get size(): number {
    return this.elements.size;
  }

  has(value: Value): boolean {
    return this.elements.has(value);
  }

  /** @throws TypeError, ValueError if the value cannot be a key */
  add(value: Value): void {
    this.elements.set(value, true);
  }

  override items(): Value[] {
    return this.elements.keys();
  }

  /** The JSON form. */
  toJsonValue(): Value {
    return this.items();
  }

  override equals(other: object): boolean {
    if (!(other instanceof SetValue) || other.size !== this.size) return false;
    charge(this.size * 2);
    return this.elements.every((value) => other.has(value));
  }
}

type SetSteps = Generator<void, SetValue, void>;

/** A set with the elements of a list. */
export function* setOf(list: readonly Value[], set = new SetValue()): SetSteps {
  yield* eachInSteps(list.length, (i) => set.add(list[i]));
  return set;
}

/** The elements of `list` that `other` has, or has not. */
function* chosen(list: readonly Value[], other: SetValue, has: boolean, out = new SetValue()): SetSteps {
  yield* eachInSteps(list.length, (i) => {
    if (other.has(list[i]) === has) out.add(list[i]);
  });
  return out;
}

/** Operators of two sets, in steps. The operands may change between steps; lists are taken at the start. */
export const setOperators: Readonly<Record<'|' | '&' | '-' | '^', (a: SetValue, b: SetValue) => SetSteps>> = {
  *'|'(a, b) {
    const other = b.items();
    return yield* setOf(other, yield* setOf(a.items()));
  },
  '&': (a, b) => chosen(a.items(), b, true),
  '-': (a, b) => chosen(a.items(), b, false),
  *'^'(a, b) {
    const other = b.items();
    return yield* chosen(other, a, false, yield* chosen(a.items(), b, false));
  },
};
