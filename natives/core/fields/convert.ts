import { EnumType } from '../../../vm/values/structured.js';
import { SetValue } from '../../../vm/values/set.js';
import { SvcError } from '../../../vm/values/error.js';
import { Float, isInteger, type Value } from '../../../vm/values/value.js';
import { parseDate } from '../dates/dateparse.js';

/** Makes a value of a built-in type from a JSON value; undefined if it stands for none. */
type Converter = (value: Value) => Value | undefined;

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:$|[T ].*\S$)/;

function attempt(make: () => Value): Value | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}

/** A Float, unless the number is too large for one. */
function finite(number: number): Float | undefined {
  return Number.isFinite(number) ? new Float(number) : undefined;
}

/** Types whose values JSON writes in another form. Decimal adds itself when it is loaded. */
export const CONVERTERS = new Map<string, Converter>([
  // JSON does not distinguish 5 from 5.0.
  ['Float', (value) => (isInteger(value) ? finite(Number(value)) : undefined)],
  [
    'Date',
    (value) => (typeof value === 'string' && ISO_DATE.test(value) ? attempt(() => parseDate(value)) : undefined),
  ],
]);

/** Adds the elements of a list to a set; undefined if one of them cannot be in a set. */
export function setFrom(list: readonly Value[], set = new SetValue()): SetValue | undefined {
  const made = attempt(() => {
    for (const item of list) set.add(item);
    return set;
  });
  return made instanceof SetValue ? made : undefined;
}

/** Adds the conversion of a type; a `make` that raises refuses the value. */
export function addConverter(type: string, make: (value: Value) => Value | undefined): void {
  CONVERTERS.set(type, (value) => attempt(() => make(value) as Value));
}

const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);
const INTEGER = /^[+-]?[0-9]{1,1000}$/;
/** The text of a Float or a Decimal from outside, which is written in digits alone: no blanks, no `_`. */
export const NUMBER_TEXT = /^[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i;
const MAX_FLOAT = 400;

/** Makes a value of a type from a text of a form or a query; undefined if it stands for none. */
export function ofText(type: Value | string, text: string): Value | undefined {
  if (type instanceof EnumType) return type.variants.size === 0 && type.includes(text) ? text : undefined;
  switch (type) {
    case 'String':
      return text;
    case 'Integer':
      return INTEGER.test(text) ? integerOf(text) : undefined;
    case 'Float':
      return text.length <= MAX_FLOAT && NUMBER_TEXT.test(text) ? finite(Number(text)) : undefined;
    case 'Boolean':
      return TRUE.has(text.toLowerCase()) ? true : FALSE.has(text.toLowerCase()) ? false : undefined;
    default:
      return typeof type === 'string' ? CONVERTERS.get(type)?.(text) : undefined;
  }
}

function integerOf(text: string): Value {
  const number = Number(text);
  // Adding 0 turns -0 into 0. BigInt does not accept a plus sign.
  return Number.isSafeInteger(number) ? number + 0 : BigInt(text.replace('+', ''));
}
