import { Range } from '../values/structured.js';
import { Float, type Value } from '../values/value.js';

/** What the interpreter has seen at an arithmetic instruction, as bits; Integers that stay small leave none, except in quotients. */
export const FLOAT_FLOAT = 1;
export const FLOAT_INT = 2;
export const INT_FLOAT = 4;
/** Anything but two numbers, or a large Integer. */
export const OTHER = 8;
export const INT_INT = 16;
/** At the head of a loop: the interpreter has run it. */
export const RAN = 1;
/** Compiled code that believed to know better had to give up. */
export const GAVE_UP = 128;
/** Any of these: no raw Floats here, unless both operands are known to be. */
export const NOT_RAW = OTHER | INT_INT | GAVE_UP;

/** The bit for two operands. */
export function seen(a: Value, b: Value): number {
  if (a instanceof Float) return b instanceof Float ? FLOAT_FLOAT : typeof b === 'number' ? FLOAT_INT : OTHER;
  if (typeof a !== 'number') return OTHER;
  return b instanceof Float ? INT_FLOAT : typeof b === 'number' ? INT_INT : OTHER;
}

/** What the interpreter has seen as receivers of a method, as bits by the kinds of `kindOf`; handles have no kind of their own. */
export const RECEIVERS: Readonly<Record<string, number>> = {
  String: 1,
  Vector: 2,
  Hash: 4,
  Any: 8,
  Integer: 16,
  Float: 32,
};
export const OTHER_RECEIVER = 64;

/** What the interpreter has seen ITER run over, as bits: vectors, an Integer, ranges of Integers that stay small. */
export const OVER_LIST = 1;
export const OVER_INTEGER = 2;
export const OVER_RANGE = 4;
const OVER_OTHER = 8;

/** The bit for what is iterated. */
export function iterated(source: Value): number {
  if (Array.isArray(source)) return OVER_LIST;
  if (typeof source === 'number') return OVER_INTEGER;
  return source instanceof Range && typeof source.lo === 'number' && typeof source.hi === 'number'
    ? OVER_RANGE
    : OVER_OTHER;
}
