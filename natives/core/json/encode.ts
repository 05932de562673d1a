import { RecordValue } from '../../../vm/values/structured.js';
import { Errors, ErrorValue, fail } from '../../../vm/values/error.js';
import { Hash, type Shape } from '../../../vm/values/hash.js';
import { SetValue } from '../../../vm/values/set.js';
import { floatText, toText } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import { Float, type Value } from '../../../vm/values/value.js';
import { checkText } from '../limits.js';
import { MAX_JSON_DEPTH } from './jsonparse.js';
import { MAX_STRING } from '../../../vm/values/limits.js';
import { CHARACTERS, isLarge, isLargeInteger, LIGHT, weigh } from '../../../vm/values/weight.js';

/** A handle with a JSON form, such as a date. */
export interface JsonSource {
  toJsonValue(): Value;
}

/** A handle that writes its JSON text itself, such as a Decimal. */
export interface JsonWriter {
  toJsonText(): string;
}

/**
 * Maximum containers in one text. A vector that contains another twice, that one a third twice and so on is small in
 * memory, but its text is enormous.
 */
const MAX_CONTAINERS = 1 << 24;

/** Up to this many characters a loop is faster than searches. */
const SHORT = 20;
/**
 * What JSON escapes, without `"` and lone surrogates. Three searches take half as long as one expression for all, because
 * V8 looks up each character in a table for classes that are more than a range or two.
 */
const SPECIAL = /[\\\x00-\x1f]/;

/** Most units of work for one text that is written at once. */
const MOST_UNITS = 2 * LIGHT;
/** Elements of a vector up to which it is taken for short. */
const FEW = 64;
/** Units of a large Integer, a Decimal or a date, besides its characters: its text takes longer than that of other values. */
const FORMATTED = 4;
/** Thrown when a text takes more than `MOST_UNITS`. */
const TOO_LONG = new Error('longer than a step');

let containers = 0;
/** Units left for the text that is written at once; infinite for others. */
let left = Infinity;

/**
 * JSON text of a value: compact, or `pretty` with two blanks for each level. @throws ValueError for values that JSON
 * cannot represent, and for cycles
 */
export function encodeJson(value: Value, pretty = false): string {
  containers = 0;
  const text = pretty ? encodePretty(value, '', 0) : encode(value, 0);
  checkText(text.length);
  return text;
}

/**
 * `encodeJson` if that is done within a step, else null: then `encodeSteps` has to do it. Only what seems long is weighed
 * first, because most values are small.
 */
export function encodeAtOnce(value: Value, pretty = false): string | null {
  if (seemsLong(value) && isLarge(value)) return null;
  left = MOST_UNITS;
  try {
    return encodeJson(value, pretty);
  } catch (error) {
    if (error === TOO_LONG) return null;
    throw error;
  } finally {
    left = Infinity;
  }
}

/** Whether a value is long if all elements of its vectors are like the first ones. */
function seemsLong(value: Value): boolean {
  if (Array.isArray(value)) return unitsLikely(value) > LIGHT;
  if (!(value instanceof Hash) || value.shape === null) return false;
  const slots = value.firstValues(value.size);
  let units = 0;
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i];
    if (Array.isArray(slot)) units += unitsLikely(slot);
  }
  return units > LIGHT;
}

function unitsLikely(list: readonly Value[]): number {
  return list.length < FEW ? 0 : list.length * (1 + 2 * weigh(list[0]));
}

function spend(units: number): void {
  left -= units;
  if (left < 0) throw TOO_LONG;
}

/** Spends what a text has cost that is written already. */
function spentOn(text: string): string {
  spend(FORMATTED + (text.length >> CHARACTERS));
  return text;
}

/** The JSON string for a key. */
function keyText(key: Value): string {
  if (typeof key !== 'string') {
    const weight = weigh(key);
    spend(weight > LIGHT ? MOST_UNITS + 1 : weight);
  }
  return quoteJson(toText(key));
}

/** The text of a nested value, given the number of containers encoded before, and that number afterwards. */
export function encodeWithin(
  value: Value,
  pretty: boolean,
  indent: string,
  depth: number,
  before: number,
): { text: string; containers: number } {
  containers = before;
  return { text: pretty ? encodePretty(value, indent, depth) : encode(value, depth), containers };
}

/** A JSON string. Lone surrogates are escaped by JSON.stringify. */
export function quoteJson(text: string): string {
  return standsAsIs(text) ? `"${text}"` : JSON.stringify(text);
}

/** Whether a text needs no escapes. */
function standsAsIs(text: string): boolean {
  const { length } = text;
  if (length > SHORT) {
    spend(length >> CHARACTERS);
    return !text.includes('"') && !SPECIAL.test(text) && text.isWellFormed();
  }
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    if (c < 32 || c === 34 || c === 92 || (c >= 0xd800 && c < 0xe000)) return false;
  }
  return true;
}

function encode(value: Value, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quoteJson(value);
    case 'number':
      return `${value}`;
    case 'object':
      return value === null ? 'null' : encodeObject(value, depth);
    case 'bigint':
      if (isLargeInteger(value)) spend(MOST_UNITS + 1);
      return spentOn(String(value));
    default:
      return String(value);
  }
}

function encodeObject(value: Value & object, depth: number): string {
  if (value instanceof Hash) return encodeHash(value, enter(depth));
  if (Array.isArray(value)) return encodeVector(value, enter(depth));
  if (value instanceof Float) return encodeFloat(value.n);
  if (value instanceof RecordValue) return encodeHash(fieldsOf(value), enter(depth));
  if (value instanceof ErrorValue) return quoteJson(value.message);
  const { toJsonValue, toJsonText } = value as Partial<JsonSource & JsonWriter>;
  if (toJsonText !== undefined) return spentOn(toJsonText.call(value));
  if (toJsonValue === undefined) return fail(Errors.ValueError, `cannot encode ${typeName(value)} as JSON`);
  spend(value instanceof SetValue ? value.size : FORMATTED);
  return encode(toJsonValue.call(value), enter(depth));
}

/** @throws TypeError for a record with its own `to_json`, which nobody has called */
function fieldsOf({ type, fields }: RecordValue): Hash {
  return type.form === null
    ? fields
    : fail(Errors.TypeError, `${type.name} has its own to_json, which cannot be called here: pass what it returns`);
}

function encodeFloat(n: number): string {
  if (!Number.isFinite(n)) fail(Errors.ValueError, `cannot encode ${floatText(n)} as JSON`);
  spend(1);
  return floatText(n);
}

/** Whether handlers' values, messages and bodies of this kind become JSON. */
export function isStructured(value: Value): boolean {
  return value instanceof Hash || Array.isArray(value) || value instanceof RecordValue;
}

/** Returns the depth inside a container at `depth`, the one numbered `count`. @throws ValueError, MemoryError */
export function enter(depth: number, count = ++containers): number {
  if (depth >= MAX_JSON_DEPTH)
    fail(Errors.ValueError, `cannot encode as JSON: nested deeper than ${MAX_JSON_DEPTH} levels, or contains itself`);
  if (count > MAX_CONTAINERS)
    fail(Errors.MemoryError, `JSON would contain more than ${MAX_CONTAINERS} vectors and hashes`);
  return depth + 1;
}

/*
 * Texts are the most frequent values. Each part appended to a text costs time twice: when it is appended, and when V8
 * flattens the text. So the quotes around texts without escapes are merged with the separators between values; `open`
 * says that the closing quote of the last value is still missing.
 */

function encodeVector(list: Value[], depth: number): string {
  spend(list.length);
  let text = '[';
  let open = false;
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    const isPlain = typeof value === 'string' && standsAsIs(value);
    if (i > 0) text += open ? (isPlain ? '","' : '",') : isPlain ? ',"' : ',';
    else if (isPlain) text = '["';
    text += isPlain ? value : encode(value, depth);
    open = isPlain;
    if (text.length > MAX_STRING) checkText(text.length);
  }
  return text + (open ? '"]' : ']');
}

function encodeHash(hash: Hash, depth: number): string {
  const { shape } = hash;
  const { size } = hash;
  if (size === 0) return '{}';
  spend(size);
  let text = '';
  if (shape !== null) text = encodeShaped(shape, hash.firstValues(size), depth);
  else
    hash.each((key, value) => {
      text += `${text === '' ? '{' : ','}${keyText(key)}:${encode(value, depth)}`;
    });
  spend(text.length >> CHARACTERS);
  if (text.length > MAX_STRING) checkText(text.length);
  return `${text}}`;
}

/** The pairs without the closing brace. */
function encodeShaped(shape: Shape, slots: readonly Value[], depth: number): string {
  const prefixes = shape.jsonPrefixes ?? prefixesOf(shape);
  let text = '';
  let open = 0;
  for (let i = 0; i < slots.length; i++) {
    const value = slots[i];
    if (typeof value === 'string' && standsAsIs(value)) {
      text += prefixes[4 * i + open + 1] + value;
      open = 2;
    } else {
      text += prefixes[4 * i + open] + encode(value, depth);
      open = 0;
    }
  }
  return open === 0 ? text : `${text}"`;
}

/**
 * Four prefixes for each value: plain, with the quote before a text, with the quote after the previous text, with both.
 */
function prefixesOf(shape: Shape): readonly string[] {
  shape.jsonPrefixes = shape.keys.flatMap((key, i) => {
    const prefix = `${i === 0 ? '{' : ','}${quoteJson(key)}:`;
    return [prefix, `${prefix}"`, `"${prefix}`, `"${prefix}"`];
  });
  return shape.jsonPrefixes;
}

function encodePretty(value: Value, indent: string, depth: number): string {
  if (value instanceof SetValue) {
    spend(value.size);
    return encodePretty(value.items(), indent, depth);
  }
  const inner = `${indent}  `;
  const hash = value instanceof RecordValue ? fieldsOf(value) : value;
  if (hash instanceof Hash && hash.size > 0) {
    spend(hash.size);
    const next = enter(depth);
    return lines(
      '{',
      hash.entries().map(([key, item]) => `${keyText(key)}: ${encodePretty(item, inner, next)}`),
      '}',
      indent,
    );
  }
  if (Array.isArray(value) && value.length > 0) {
    spend(value.length);
    const next = enter(depth);
    return lines(
      '[',
      value.map((item) => encodePretty(item, inner, next)),
      ']',
      indent,
    );
  }
  return encode(value, depth);
}

function lines(open: string, items: string[], close: string, indent: string): string {
  let units = 0;
  for (const item of items) units += item.length + indent.length + 4;
  checkText(units);
  return `${open}\n${items.map((item) => `${indent}  ${item}`).join(',\n')}\n${indent}${close}`;
}
