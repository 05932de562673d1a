/** Refuses rows and values for which there is no room. */
import { type RowRoom, SqlFailure } from './driver.js';

/** Share of the largest row by which the rows of a result grow between two checks. */
const CHECKED = 1 / 4;

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`;
}

/** Message for a text, or for Bytes, that no value of the language can hold. */
export function tooLong(column: string, value: string | Uint8Array, max: number): string {
  const [length, unit] = typeof value === 'string' ? [value.length, 'characters'] : [value.byteLength, 'bytes'];
  return `column "${column}" holds ${length} ${unit}, but a value has at most ${max}; read parts of it with substr()`;
}

/** Message for a row that the memory of the process cannot hold. */
export function rowTooLarge(bytes: number): string {
  return `a row of ${megabytes(bytes)} does not fit into the memory of the process; read fewer columns, or parts of them with substr()`;
}

/** Bytes of a row and of each value in it, beside texts and bytes. */
const ROW_BYTES = 64;
const VALUE_BYTES = 32;

/** Bytes that a row takes, roughly. @param content bytes of its texts and bytes */
export function sizeOf(row: readonly unknown[], content: number): number {
  return ROW_BYTES + row.length * VALUE_BYTES + content;
}

/** Measures a result whose rows are kept until the last one has arrived. */
export class RowMeter {
  private bytes = 0;
  private checked = 0;

  constructor(private readonly room: RowRoom) {}

  /** Counts rows. Returns why no more can be kept; null if there is room for them and for a large one. */
  add(bytes: number): SqlFailure | null {
    const { room } = this;
    this.bytes += bytes;
    if (this.bytes - this.checked < room.maxRow * CHECKED) return null;
    this.checked = this.bytes;
    if (room.fits(room.maxRow)) return null;
    return new SqlFailure(
      'memory',
      `the rows do not fit into the memory of the process: ${megabytes(this.bytes)} have arrived; read them with db.each, or fewer with LIMIT`,
    );
  }
}
