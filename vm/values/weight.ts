import { Bytes } from './bytes.js';
import { RecordValue } from './structured.js';
import { ErrorValue } from './error.js';
import { Hash } from './hash.js';
import { SetValue } from './set.js';
import { Float, type Value } from './value.js';

/** Maximum number of values, nested ones included, processed in one step: about half a millisecond. */
export const LIGHT = 8192;
/** Characters of a text, or bytes, that weigh as much as one value, as a power of two. */
export const CHARACTERS = 4;
/** Deeper values count as too heavy: traversing them must not exhaust JavaScript's stack. */
const MAX_LEVELS = 1000;
/** Integers beyond ± this limit count as too heavy: writing their digits takes a millisecond. */
const LARGE_INTEGER = 1n << 50_000n;
const NEGATIVE_LARGE_INTEGER = -LARGE_INTEGER;

/** Whether work on all of a value, including nested values and characters, takes more than one step. */
export function isLarge(value: Value | readonly Value[]): boolean {
  return leftOf(value as Value, LIGHT, 0) < 0;
}

/**
 * How much work a value is, as a number of plain values. Any number above `LIGHT` only means that it takes more than one step, or that it is
 * nested too deeply. `level` is the number of levels around it.
 */
export function weigh(value: Value, level = 0): number {
  return LIGHT - leftOf(value, LIGHT, level);
}

/** Whether an Integer has so many digits that writing them takes long. */
export function isLargeInteger(value: Value): value is bigint {
  return typeof value === 'bigint' && (value > LARGE_INTEGER || value < NEGATIVE_LARGE_INTEGER);
}

/** The budget `most` minus the value's weight; negative if the value is heavier. */
function left(value: object, most: number, level: number): number {
  if (level > MAX_LEVELS && !(value instanceof Float)) return -1;
  if (Array.isArray(value)) return leftOfAll(value as Value[], most, level);
  if (value instanceof Hash) return leftOfHash(value, most, level);
  if (value instanceof Float) return most;
  if (value instanceof RecordValue) return leftOfRecord(value, most, level);
  if (value instanceof Bytes) return most - (value.length >> CHARACTERS);
  if (value instanceof SetValue) return leftOfHash(value.elements, most, level);
  return value instanceof ErrorValue ? most - (value.message.length >> CHARACTERS) : most;
}

function leftOfHash(hash: Hash, most: number, level: number): number {
  if (hash.shape !== null) return leftOfAll(hash.firstValues(hash.size), most - weightOfKeys(hash.shape.keys), level);
  let rest = most - hash.size;
  if (rest >= 0) hash.every((key, value) => (rest = leftOf(value, leftOf(key, rest, level), level)) >= 0);
  return rest;
}

function leftOfRecord(record: RecordValue, most: number, level: number): number {
  const { layout, size } = record;
  if (layout === null) return leftOfHash(record.fields, most, level);
  let rest = most - weightOfKeys(layout.keys) - size;
  for (let slot = 0; slot < size && rest >= 0; slot++) rest = leftOf(record.boxed(slot), rest, level);
  return rest;
}

function weightOfKeys(keys: readonly string[]): number {
  let weight = 0;
  for (let i = 0; i < keys.length; i++) weight += keys[i].length >> CHARACTERS;
  return weight;
}

function leftOfAll(list: readonly Value[], most: number, level: number): number {
  let rest = most - list.length;
  for (let i = 0; i < list.length && rest >= 0; i++) {
    const value = list[i];
    if (typeof value === 'string') rest -= value.length >> CHARACTERS;
    else if (typeof value !== 'number') rest = leftOf(value, rest, level);
  }
  return rest;
}

function leftOf(value: Value, most: number, level: number): number {
  switch (typeof value) {
    case 'string':
      return most - (value.length >> CHARACTERS);
    case 'object':
      return value === null ? most : left(value, most, level + 1);
    default:
      return isLargeInteger(value) ? -1 : most;
  }
}
