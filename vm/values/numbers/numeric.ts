import { Handle } from '../handle.js';
import { Float, type Value } from '../value.js';

/** Arithmetic operators of two operands. */
export type Sign = '+' | '-' | '*' | '/' | '//' | '%' | '**';

/** A number that a library implements, such as a Decimal. Immutable. Mixes with Integers, never with Floats. */
export abstract class Numeric extends Handle {
  /**
   * The result of an operator whose left operand is this number, or its right one if `reversed`; null if it is
   * undefined for these operands. @throws OverflowError, ZeroDivisionError
   */
  abstract operate(sign: Sign, other: Value, reversed: boolean): Value | null;

  abstract override negated(): Value;

  /** Order relative to an Integer or a number of the same kind; null for other values. */
  abstract order(other: Value): number | null;

  /** Whether the number is less than zero. */
  abstract get isNegative(): boolean;

  /** Fixed-point text with this number of decimals, without a sign. */
  abstract fixedText(decimals: number): string;

  /** The number without its fraction. */
  abstract toInteger(): number | bigint;

  abstract toDouble(): number;

  /** The Integer or Float that equals this number; null if there is none. As keys and in sets they are the same. */
  abstract plain(): number | bigint | Float | null;

  abstract override equals(other: object | number | bigint): boolean;
}

/** What to do about an operation that mixes a Float with another kind of number. */
export function mixedHint(a: Value, b: Value): string {
  const isMixed = (a instanceof Float && b instanceof Numeric) || (a instanceof Numeric && b instanceof Float);
  return isMixed ? ' (convert one of them: Decimal(x) is exact, x.to_f is not)' : '';
}
