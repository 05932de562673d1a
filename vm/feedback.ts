import { Handle } from './values/handle.js';
import { Hash } from './values/hash.js';
import { Float, type Value } from './values/value.js';

/** What the interpreter has seen at an arithmetic instruction, as bits; Integers that stay small leave none, except in quotients. */
export const FLOAT_FLOAT = 1;
export const FLOAT_INT = 2;
export const INT_FLOAT = 4;
const OTHER = 8;
export const INT_INT = 16;
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

/** What the interpreter has seen as receivers of a method, as bits. */
export const TEXT = 1;
export const VECTOR = 2;
export const HASH = 4;
export const HANDLE = 8;
export const INTEGER = 16;
export const FLOAT = 32;
const OTHER_RECEIVER = 64;

/** The bit for a receiver. */
export function receiverSeen(value: Value): number {
  if (typeof value === 'string') return TEXT;
  if (typeof value === 'number' || typeof value === 'bigint') return INTEGER;
  if (Array.isArray(value)) return VECTOR;
  if (value instanceof Hash) return HASH;
  if (value instanceof Handle) return HANDLE;
  return value instanceof Float ? FLOAT : OTHER_RECEIVER;
}
