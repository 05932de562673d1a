import { Handle } from '../values/handle.js';
import { Hash } from '../values/hash.js';
import { Range } from '../values/structured.js';
import { Float, type Value } from '../values/value.js';

/**
 * Operand kinds seen by the interpreter at an arithmetic instruction, as bits. Small Integers set none, except in
 * quotients.
 */
export const FLOAT_FLOAT = 1;
export const FLOAT_INT = 2;
export const INT_FLOAT = 4;
/** Anything but two numbers, or a large Integer. */
export const OTHER = 8;
export const INT_INT = 16;
/** At the head of a loop: the interpreter has run it. */
export const RAN = 1;
/** Compiled code that assumed operand kinds was wrong here. */
export const GAVE_UP = 128;
/** With any of these bits, unboxed Floats are not used here unless both operands are known to be Floats. */
export const NOT_RAW = OTHER | INT_INT | GAVE_UP;

/** The bit for the kinds of two operands. */
export function seen(a: Value, b: Value): number {
  if (a instanceof Float) return b instanceof Float ? FLOAT_FLOAT : typeof b === 'number' ? FLOAT_INT : OTHER;
  if (typeof a !== 'number') return OTHER;
  return b instanceof Float ? INT_FLOAT : typeof b === 'number' ? INT_INT : OTHER;
}

/** Receiver kinds seen by the interpreter at a method call, as bits by `kindOf`. Handles share `Any`. */
export const RECEIVERS: Readonly<Record<string, number>> = {
  String: 1,
  Vector: 2,
  Hash: 4,
  Any: 8,
  Integer: 16,
  Float: 32,
};
export const OTHER_RECEIVER = 64;

/**
 * Accesses by index seen, as bits: an element of a vector, a text key of a hash with a shape, a key of a dictionary, a
 * character, an element of a handle by number. The interpreter sets no bit for elements; compiled code does where it did not expect them.
 */
export const ELEMENT = 1;
export const SLOT = 2;
export const ENTRY = 4;
export const CHARACTER = 8;
export const OTHER_ACCESS = 16;
export const HANDLE = 32;

/** The bit for the kind of an access by index. */
export function accessed(receiver: Value, index: Value): number {
  if (typeof index === 'number') {
    if (Array.isArray(receiver)) return ELEMENT;
    if (typeof receiver === 'string') return CHARACTER;
  } else if (typeof index !== 'string') return OTHER_ACCESS;
  if (receiver instanceof Handle) return HANDLE;
  if (!(receiver instanceof Hash)) return OTHER_ACCESS;
  return receiver.shape === null ? ENTRY : SLOT;
}

/** Kinds of values seen by ITER, as bits: vectors, an Integer, ranges of small Integers. */
export const OVER_LIST = 1;
export const OVER_INTEGER = 2;
export const OVER_RANGE = 4;
const OVER_OTHER = 8;

/** The bit for the kind of an iterated value. */
export function iterated(source: Value): number {
  if (Array.isArray(source)) return OVER_LIST;
  if (typeof source === 'number') return OVER_INTEGER;
  return source instanceof Range && typeof source.lo === 'number' && typeof source.hi === 'number'
    ? OVER_RANGE
    : OVER_OTHER;
}
