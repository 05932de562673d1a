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
  if (Array.isArray(value))
    return `[${list(value.length, value.slice(0, SHOWN_ELEMENTS), (item) => brief(item, level + 1), level)}]`;
  if (value instanceof Hash) return `{${fields(value, level)}}`;
  if (value instanceof RecordValue && !isPlainVariant(value.type))
    return `${value.type.name}(${fields(value.fields, level)})`;
  if (typeof value === 'bigint') return shownInteger(value);
  if (value instanceof SetValue)
    return `Set(${list(value.size, value.items().slice(0, SHOWN_ELEMENTS), (item) => brief(item, level + 1), level)})`;
  return inspect(value);
}

function fields(hash: Hash, level: number): string {
  const shown: [Value, Value][] = [];
  for (const entry of hash.pairs()) {
    if (shown.length === SHOWN_ELEMENTS) break;
    shown.push(entry);
  }
  const text = ([key, value]: [Value, Value]): string =>
    `${typeof key === 'string' && /^[A-Za-z_]\w*$/.test(key) ? key : inspect(key)}: ${brief(value, level + 1)}`;
  return list(hash.size, shown, text, level);
}

function list<T>(size: number, shown: readonly T[], text: (item: T) => string, level: number): string {
  if (size === 0) return '';
  if (level >= SHOWN_LEVELS) return '…';
  return [...shown.map(text), ...(size > shown.length ? ['…'] : [])].join(', ');
}
