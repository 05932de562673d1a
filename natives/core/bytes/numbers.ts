/** Numbers in Bytes: Integers and Floats of fixed sizes in either order of their bytes. */
import { Errors, fail } from '../../../vm/values/error.js';
import { toDouble } from '../../../vm/values/numbers/arithmetic.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { Int, Num } from '../declare.js';
import { shownInteger } from '../numbers/digits.js';

/** How numbers of one kind lie in bytes. */
export interface Format {
  name: string;
  /** Its name in documentation. */
  what: string;
  result: 'Integer' | 'Float';
  size: number;
  read(view: DataView, at: number, little: boolean): Value;
  /** @throws ValueError for a number that does not fit */
  write(view: DataView, at: number, value: Num, little: boolean): void;
}

type Name = 'Uint8' | 'Int8' | 'Uint16' | 'Int16' | 'Uint32' | 'Int32';

/** The value, if it is from `low` to `high`. */
function checked(name: string, value: Num, low: Int, high: Int): Int {
  if (value instanceof Float) return fail(Errors.TypeError, `BytesBuilder.${name}(): value must be Integer, got Float`);
  if (value < low || value > high)
    fail(
      Errors.ValueError,
      `${name}() takes an Integer from ${String(low)} to ${String(high)}, got ${shownInteger(value)}`,
    );
  return value;
}

function integer(name: string, bits: number, accessor: Name): Format {
  const signed = name.startsWith('i');
  const [low, high] = signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
  return {
    name,
    what: `${signed ? 'Signed' : 'Unsigned'} Integer of ${bits} bits`,
    result: 'Integer',
    size: bits / 8,
    read: (view, at, little) => view[`get${accessor}`](at, little),
    write: (view, at, value, little) => view[`set${accessor}`](at, Number(checked(name, value, low, high)), little),
  };
}

function long(name: string, accessor: 'BigUint64' | 'BigInt64'): Format {
  const signed = name.startsWith('i');
  const [low, high] = signed ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
  return {
    name,
    what: `${signed ? 'Signed' : 'Unsigned'} Integer of 64 bits`,
    result: 'Integer',
    size: 8,
    read(view, at, little) {
      const value = view[`get${accessor}`](at, little);
      const small = Number(value);
      return Number.isSafeInteger(small) ? small : value;
    },
    write: (view, at, value, little) => view[`set${accessor}`](at, BigInt(checked(name, value, low, high)), little),
  };
}

function float(name: string, bits: 32 | 64): Format {
  return {
    name,
    what: `Float of ${bits} bits`,
    result: 'Float',
    size: bits / 8,
    read: (view, at, little) => new Float(view[`getFloat${bits}`](at, little)),
    write: (view, at, value, little) => view[`setFloat${bits}`](at, toDouble(value), little),
  };
}

export const FORMATS: readonly Format[] = [
  integer('u8', 8, 'Uint8'),
  integer('i8', 8, 'Int8'),
  integer('u16', 16, 'Uint16'),
  integer('i16', 16, 'Int16'),
  integer('u32', 32, 'Uint32'),
  integer('i32', 32, 'Int32'),
  long('u64', 'BigUint64'),
  long('i64', 'BigInt64'),
  float('f32', 32),
  float('f64', 64),
];
