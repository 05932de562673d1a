/** Keys of hashes that are objects: vectors, records, dates and others. */
import { charge } from './cost.js';
import { deepCopy } from './deepcopy.js';
import { Errors, ErrorValue, fail } from './error.js';
import { Hash, ObjectKey, setKeyKinds } from './hash.js';
import { Numeric } from './numbers/numeric.js';
import { typeName } from './types.js';
import { formText } from './unique.js';
import { Float, type Value } from './value.js';
import { weigh } from './weight.js';

/** Maximum weight of a key: computing its form takes some 100 µs. */
const MAX_WEIGHT = 1000;
/** Units charged per value of a form (see `charge`). */
const FORM_UNITS = 10;

/** The plain key that equals `key`, or an ObjectKey; undefined if it cannot be a key. */
function canonical(key: Value & object): Value | undefined {
  if (key instanceof ErrorValue) return key.message;
  const plain = key instanceof Numeric ? key.plain() : null;
  if (plain !== null && !(plain instanceof Float)) return plain;
  const weight = weigh(key);
  if (weight > MAX_WEIGHT) return undefined;
  charge((weight + 1) * FORM_UNITS);
  const form = formText(key);
  return form === undefined ? undefined : new ObjectKey(form, key, plain?.n);
}

setKeyKinds({ canonical, refused, copy: deepCopy });

/**
 * Checks a key before it is stored, and returns it in a form that hashes find quickly. @throws TypeError, ValueError if
 * it cannot be a key
 */
export function hashKey(key: Value): Value {
  if (key === null || typeof key !== 'object' || key instanceof Float) return key;
  return canonical(key) ?? refused(key);
}

function refused(key: Value): never {
  if (weigh(key) > MAX_WEIGHT)
    fail(Errors.ValueError, `a hash key has at most ${MAX_WEIGHT} values in all, got a ${typeName(key)} with more`);
  const inside = Array.isArray(key) || key instanceof Hash ? ' with nan or an error inside' : '';
  return fail(Errors.TypeError, `${typeName(key)}${inside} cannot be a hash key`);
}
