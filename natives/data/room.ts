import { heapLimit, isRoomFor } from '../../vm/values/heaproom.js';
import { MAX_STRING } from '../../vm/values/limits.js';
import type { RowRoom } from './driver.js';

/** Share of the memory for values that the texts of one row may take. */
const ROW = 1 / 8;

/**
 * Collects the rows of a refused result, if they take much. Otherwise the memory watch could find them when the thread
 * of the statement continues, and raise a second error there.
 */
export function collectRefused(): void {
  isRoomFor(heapLimit() * ROW);
}

/** The room that this process has for rows. */
export function rowRoom(): RowRoom {
  return { maxValue: MAX_STRING, maxRow: heapLimit() * ROW, fits: isRoomFor };
}
