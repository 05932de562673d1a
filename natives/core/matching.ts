import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { RecordValue } from '../../vm/values/structured.js';
import { inspect, isPlainVariant } from '../../vm/values/text/text.js';
import type { Value } from '../../vm/values/value.js';
import { checkElements } from './limits.js';
import { excerpt } from './strings/parsenumbers.js';

/** Elements of a collection that messages show. */
const SHOWN_ELEMENTS = 5;
/** Levels of nested collections that messages show. */
const SHOWN_LEVELS = 3;

/** Whether a value is a vector with that many elements: at least `count`, or exactly (docs/language.md, "Patterns"). */
export function hasElements(value: Value, count: Value, exactly: Value): boolean {
  if (!Array.isArray(value)) return false;
  return exactly === true ? value.length === count : value.length >= (count as number);
}

/** The keys and values that a hash pattern looks at: a hash itself, the fields of a record; nil for other values. */
export function keysAndValues(value: Value): Value {
  if (value instanceof RecordValue) return value.fields.copy();
  return value instanceof Hash ? value : null;
}

export function hasKey(hash: Value, key: Value): boolean {
  return hash instanceof Hash && hash.get(key) !== undefined;
}

/** Whether a hash has no more keys than those that a pattern has found in it. */
export function hasOnly(hash: Value, count: Value): boolean {
  return hash instanceof Hash && hash.size === count;
}

/** The rest of a hash, without the keys that a pattern names. */
export function* without(hash: Hash, keys: readonly Value[]): Generator<void, Hash, void> {
  checkElements(hash.size);
  const rest = new Hash();
  let count = 0;
  for (const [key, value] of hash.pairs()) {
    if (!keys.includes(key)) rest.set(key, value);
    if (++count % 1000 === 0) yield;
  }
  return rest;
}

/** @throws NoMatchError */
export function noMatch(value: Value): never {
  return fail(Errors.NoMatchError, `no pattern fits ${brief(value, 0)}`);
}

/** A value as `p` prints it, with the rest of large ones left out. */
function brief(value: Value, level: number): string {
  if (typeof value === 'string') return excerpt(value);
  if (Array.isArray(value))
    return `[${list(value.length, value.slice(0, SHOWN_ELEMENTS), (item) => brief(item, level + 1), level)}]`;
  if (value instanceof Hash) return `{${fields(value, level)}}`;
  if (value instanceof RecordValue && !isPlainVariant(value.type))
    return `${value.type.name}(${fields(value.fields, level)})`;
  if (typeof value === 'bigint') return 'a large Integer';
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
