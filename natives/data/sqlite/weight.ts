import { PIECE, type RowLimits } from '../driver.js';
import { rowTooLarge, sizeOf, tooLong } from '../rowlimits.js';
import { TooLargeFault } from './faults.js';
import type { Wire } from './protocol.js';

/** Bytes of texts and blobs that weigh as much as a row when pieces and messages are filled. */
const BYTES_PER_ROW = 2_048;

/** Weight of a piece, in rows, to which no further row is added. */
export const MAX_WEIGHT = 2 * PIECE;

/** Bytes of the texts and blobs in a row. */
function bytesOf(row: readonly Wire[]): number {
  let bytes = 0;
  for (const value of row)
    if (typeof value === 'string') bytes += value.length;
    else if (value instanceof Uint8Array) bytes += value.byteLength;
  return bytes;
}

/** Weight of a row: how many small rows take about as much memory and time. */
export function weightOf(row: readonly Wire[]): number {
  return 1 + bytesOf(row) / BYTES_PER_ROW;
}

/** Bytes that rows take, roughly. */
export function sizeOfAll(rows: readonly (readonly Wire[])[]): number {
  let bytes = 0;
  for (const row of rows) bytes += sizeOf(row, bytesOf(row));
  return bytes;
}

/** Weight of a row that is sent. @throws TooLargeFault */
export function weightWithin(row: readonly Wire[], columns: readonly string[], limits: RowLimits): number {
  const { maxValue, maxRow } = limits;
  const weight = weightOf(row);
  if (weight <= Math.min(maxValue, maxRow) / BYTES_PER_ROW) return weight;
  let characters = 0;
  for (const [i, value] of row.entries()) {
    if (typeof value !== 'string' && !(value instanceof Uint8Array)) continue;
    if (value.length > maxValue) throw new TooLargeFault(tooLong(columns[i], value, maxValue));
    // The memory of blobs is not V8's.
    if (typeof value === 'string') characters += value.length;
  }
  if (characters > maxRow) throw new TooLargeFault(rowTooLarge(characters));
  return weight;
}
