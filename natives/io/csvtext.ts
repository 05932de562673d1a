/** Writes rows as CSV text, the inverse of `csv.ts`. */
import { eachInSteps } from '../../vm/values/steps.js';
import { RecordValue } from '../../vm/values/structured.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { textSteps } from '../../vm/values/textsteps.js';
import { toText } from '../../vm/values/text/text.js';
import { typeName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import { isLarge } from '../../vm/values/weight.js';
import { checkText } from '../core/limits.js';
import { checkSeparator } from './csv.js';

/** Rows processed between two pauses. */
const ROWS = 128;
/** Maximum fields of a row that is written in one step. */
const MAX_SHORT_ROW = 128;
/** Maximum columns; V8's limit for a Set is twice as many. */
const MAX_COLUMNS = 1 << 23;

function quoted(text: string, sep: string): string {
  return text.includes(sep) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A row that is one empty field is quoted: as a blank line readers would skip it. */
function rowText(values: readonly Value[], sep: string): string {
  return values.length === 1 && toText(values[0]) === ''
    ? '""'
    : values.map((value) => quoted(toText(value), sep)).join(sep);
}

/** Whether the text of a row can be made in one step. */
function isShortRow(values: readonly Value[]): boolean {
  return values.length <= MAX_SHORT_ROW && !values.some((value) => typeof value === 'object' && isLarge(value));
}

/** As `rowText`, for a row of many fields or large values, which may have become shorter meanwhile. */
function* rowSteps(count: number, valueAt: (i: number) => Value, sep: string): Generator<void, string, void> {
  let text = '';
  for (let i = 0; i < count; i++) {
    const value = valueAt(i);
    const field = typeof value === 'object' && isLarge(value) ? yield* textSteps(value, false) : toText(value);
    text += `${i === 0 ? '' : sep}${quoted(field, sep)}`;
    checkText(text.length);
    if (i % MAX_SHORT_ROW === MAX_SHORT_ROW - 1) yield;
  }
  return count === 1 && text === '' ? '""' : text;
}

function* lineSteps(values: readonly Value[], sep: string): Generator<void, string, void> {
  return `${isShortRow(values) ? rowText(values, sep) : yield* rowSteps(values.length, (i) => values[i] ?? null, sep)}\n`;
}

function fieldsOf(row: Value): Value {
  return row instanceof RecordValue ? row.fields : row;
}

/** Checks that the rows are all hashes or all vectors; returns the hashes. @throws TypeError */
function* hashesIn(rows: readonly Value[]): Generator<void, Hash[], void> {
  const hashes: Hash[] = [];
  yield* eachInSteps(rows.length, (i) => {
    const row = fieldsOf(rows[i]);
    if (row instanceof Hash) hashes.push(row);
  });
  yield* eachInSteps(rows.length, (i) => {
    const fits = hashes.length > 0 ? fieldsOf(rows[i]) instanceof Hash : Array.isArray(rows[i]);
    if (!fits)
      fail(Errors.TypeError, `the rows of a CSV text must be all Hash or all Vector, got ${typeName(rows[i])}`);
  });
  return hashes;
}

/** The columns for hashes: all keys in order of first occurrence. */
function* columnsOf(rows: readonly Hash[]): Generator<void, Value[], void> {
  const names = new Set<Value>();
  for (let i = 0; i < rows.length; i++) {
    for (const key of rows[i].keys()) names.add(key);
    if (names.size > MAX_COLUMNS) fail(Errors.MemoryError, `CSV would have more than ${MAX_COLUMNS} columns`);
    if (i % ROWS === ROWS - 1) yield;
  }
  return [...names];
}

/**
 * Writes rows, all hashes (or records) or all vectors, as CSV text. They must not change meanwhile.
 * @param headers false omits the line of names; a vector sets it, and for hashes also selects the keys to write
 */
export function* csvTextSteps(
  rows: readonly Value[],
  headers: boolean | Value[],
  sep: string,
): Generator<void, string, void> {
  checkSeparator(sep);
  const hashes = yield* hashesIn(rows);
  const columns = Array.isArray(headers) ? headers.slice() : yield* columnsOf(hashes);
  let text = Array.isArray(headers) || (headers && hashes.length > 0) ? yield* lineSteps(columns, sep) : '';
  for (let i = 0; i < rows.length; i++) {
    if (hashes.length === 0) text += yield* lineSteps(rows[i] as Value[], sep);
    else if (columns.length > MAX_SHORT_ROW)
      text += `${yield* rowSteps(columns.length, (column) => hashes[i].get(columns[column]) ?? null, sep)}\n`;
    else
      text += yield* lineSteps(
        columns.map((name) => hashes[i].get(name) ?? null),
        sep,
      );
    checkText(text.length);
    if (i % ROWS === ROWS - 1) yield;
  }
  return text;
}
