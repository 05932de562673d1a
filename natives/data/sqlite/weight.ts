import { PIECE } from '../driver.js';
import type { Wire } from './protocol.js';

/** Bytes of texts and blobs that weigh as much as a row when pieces and messages are filled. */
const BYTES_PER_ROW = 2_048;

/** Weight of a piece, in rows, to which no further row is added. */
export const MAX_WEIGHT = 2 * PIECE;

/** Weight of a row: how many small rows take about as much memory and time. */
export function weightOf(row: readonly Wire[]): number {
  let bytes = 0;
  for (const value of row)
    if (typeof value === 'string') bytes += value.length;
    else if (value instanceof Uint8Array) bytes += value.byteLength;
  return 1 + bytes / BYTES_PER_ROW;
}
