import { Hash } from '../../vm/values/hash.js';
import { RecordValue } from '../../vm/values/structured.js';
import { inspect, isPlainVariant } from '../../vm/values/text/text.js';
import { SetValue } from '../../vm/values/set.js';
import type { Value } from '../../vm/values/value.js';
import { shownInteger } from './numbers/digits.js';
import { excerpt } from './strings/parsenumbers.js';

/** Elements of a collection that messages show. */
const SHOWN_ELEMENTS = 5;
/** Levels of nested collections that messages show. */
const SHOWN_LEVELS = 3;

/** A value as `p` prints it, with the rest of large ones left out. */
export function brief(value: Value, level = 0): string {
  if (typeof value === 'string') return excerpt(value);
  if (Array.isArray(value)) return `[${items(value.length, value, level)}]`;
  if (value instanceof Hash) return `{${fields(value, level)}}`;
  if (value instanceof RecordValue && !isPlainVariant(value.type))
    return `${value.type.name}(${fields(value.fields, level)})`;
  if (typeof value === 'bigint') return shownInteger(value);
  if (value instanceof SetValue) return `Set(${items(value.size, keys(value.elements), level)})`;
  return inspect(value);
}

function fields(hash: Hash, level: number): string {
  const text = ([key, value]: [Value, Value]): string =>
    `${typeof key === 'string' && /^[A-Za-z_]\w*$/.test(key) ? key : brief(key, level + 1)}: ${brief(value, level + 1)}`;
  return list(hash.size, hash.pairs(), text, level);
}

function* keys(hash: Hash): Iterable<Value> {
  for (const [key] of hash.pairs()) yield key;
}

function items(size: number, all: Iterable<Value>, level: number): string {
  return list(size, all, (item) => brief(item, level + 1), level);
}

/** The texts of the first elements; the others are not looked at. */
function list<T>(size: number, all: Iterable<T>, text: (item: T) => string, level: number): string {
  if (size === 0) return '';
  if (level >= SHOWN_LEVELS) return '…';
  const shown: string[] = [];
  for (const item of all) {
    if (shown.length < SHOWN_ELEMENTS) shown.push(text(item));
    else return [...shown, '…'].join(', ');
  }
  return shown.join(', ');
}
