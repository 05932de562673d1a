import { Bytes } from '../../vm/values/bytes.js';
import { Closure, NativeFunction } from '../../vm/values/function.js';
import { Range, RecordValue } from '../../vm/values/structured.js';
import { ErrorValue, Errors, fail } from '../../vm/values/error.js';
import { toDouble } from '../../vm/values/numbers/arithmetic.js';
import { Numeric } from '../../vm/values/numbers/numeric.js';
import { length } from '../../vm/values/text/codepoints.js';
import { Hash } from '../../vm/values/hash.js';
import { typeName, kindName } from '../../vm/values/types.js';
import { Float, isInteger, isNumber, type Value } from '../../vm/values/value.js';
import { withText } from './strings/valuetext.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { toElements } from './collections/elements.js';
import { rangeLength } from './collections/range.js';
import { functions, type Row } from './declare.js';
import { truncate } from './numbers/rounding.js';
import { strictFloat, strictInteger } from './strings/parsenumbers.js';

function toInteger(vm: NativeContext, value: Value): Value | undefined {
  if (isNumber(value)) return truncate(value);
  if (value instanceof Numeric) return value.toInteger();
  if (typeof value === 'string') return strictInteger(vm, value);
  return fail(Errors.TypeError, `to_int(): value must be Number or String, got ${kindName(value)}`);
}

function toFloat(value: Value): Float {
  if (isNumber(value)) return value instanceof Float ? value : new Float(toDouble(value));
  if (typeof value === 'string') return strictFloat(value);
  if (value instanceof Numeric) return new Float(value.toDouble());
  return fail(Errors.TypeError, `to_float(): value must be Number or String, got ${kindName(value)}`);
}

/** Number of characters, elements or pairs. @throws TypeError */
function lengthOf(vm: NativeContext, value: Value): Value | undefined | void {
  if (typeof value === 'string') return length(value);
  if (Array.isArray(value) || value instanceof Bytes) return value.length;
  if (value instanceof Hash) return value.size;
  if (value instanceof RecordValue) return value.size;
  if (value instanceof ErrorValue) return length(value.message);
  if (value instanceof Range) return rangeLength(vm, value, 'length');
  if (value === null || typeof value !== 'object' || isNumber(value))
    return fail(Errors.TypeError, `length(): value must be String, Vector, Hash or Range, got ${kindName(value)}`);
  return toElements(value, 'length').length;
}

function test(name: string, what: string, check: (value: Value) => boolean): Row {
  return [name, 'value: Any', 'Boolean', `Whether a value is ${what}.`, (_: unknown, value: Value) => check(value)];
}

// prettier-ignore
export const conversions = functions([
  ['to_int', 'value: Any', 'Integer', 'The Integer written in a text, or a number without its fraction; ValueError for other texts.', toInteger],
  ['to_float', 'value: Any', 'Float', 'The Float written in a text or nearest to a number; ValueError for other texts.', (_: unknown, value: Value) => toFloat(value)],
  ['to_str', 'value: Any', 'String', 'The text printed by `puts` for a value.', (vm: NativeContext, value: Value) => withText(vm, value, (text: string) => text)],
  ['type', 'value: Any', 'String', 'Name of the type of a value.', (_: unknown, value: Value) => typeName(value)],
  ['length', 'value: Any', 'Integer', 'Number of characters of a text, elements of a collection, or pairs of a hash.', (vm: NativeContext, value: Value) => lengthOf(vm, value)],
  test('is_integer', 'an Integer', isInteger),
  test('is_float', 'a Float', (value) => value instanceof Float),
  test('is_number', 'an Integer or a Float', isNumber),
  test('is_string', 'a String', (value) => typeof value === 'string'),
  test('is_vector', 'a Vector', (value) => Array.isArray(value)),
  test('is_hash', 'a Hash', (value) => value instanceof Hash),
  test('is_bool', 'true or false', (value) => typeof value === 'boolean'),
  test('is_nil', 'nil', (value) => value === null),
  test('is_function', 'a function, lambda or block', (value) => value instanceof Closure || value instanceof NativeFunction),
]);
