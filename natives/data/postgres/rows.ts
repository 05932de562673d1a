import { PIECE, type RowRoom, SqlFailure, type SqlValue } from '../driver.js';
import { RowMeter, rowTooLarge, sizeOf, tooLong } from '../rowlimits.js';
import { decodeRow, type Decoder } from './decode.js';
import type { Shape } from './prepared.js';
import type { Types } from './types.js';
import type { Message } from './wire.js';

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Reads what a RowDescription says. */
export function shapeOf(message: Message): Shape {
  const fields = message.fields as readonly Field[];
  return { names: fields.map(({ name }) => name), types: fields.map(({ dataTypeID }) => dataTypeID), decoders: null };
}

/** What rows are read with. */
export interface Reading {
  readonly types: Types;
  readonly room: RowRoom;
}

/** Gathers the rows of a result in pieces, and converts them as they arrive. */
export class Rows {
  shape: Shape = { names: [], types: [], decoders: null };
  pieces: SqlValue[][][] = [];
  /** Bytes of the rows that have arrived. */
  bytes = 0;
  /** Why a value could not be converted, or the rows do not fit into memory. */
  failure: SqlFailure | null = null;
  private decoders: readonly Decoder[] = [];
  private piece: SqlValue[][] = [];
  private readonly meter: RowMeter;

  constructor(private readonly reading: Reading) {
    this.meter = new RowMeter(reading.room);
  }

  describe(shape: Shape): void {
    this.shape = shape;
    this.decoders = this.reading.types.decoders(shape);
  }

  add(message: Message): void {
    this.bytes += message.length;
    if (this.failure !== null) return;
    try {
      const row = decodeRow(message.fields as readonly (string | null)[], this.decoders, this.shape.names);
      if (message.length > this.reading.room.maxValue) this.checkLengths(row);
      if (this.piece.push(row) === 1) this.pieces.push(this.piece);
      if (this.piece.length === PIECE) this.piece = [];
      const shortage = this.meter.add(sizeOf(row, message.length));
      if (shortage !== null) this.refuse(shortage);
    } catch (error) {
      if (!(error instanceof SqlFailure)) throw error;
      this.failure = error;
    }
  }

  /** Drops all rows, also those that follow. */
  refuse(failure: SqlFailure): void {
    this.failure ??= failure;
    this.take();
  }

  /** Drops the rows of a result because of one that was refused before it arrived. */
  refuseRow(bytes: number): void {
    this.bytes += bytes;
    this.refuse(new SqlFailure('memory', rowTooLarge(bytes)));
  }

  /** @throws SqlFailure */
  private checkLengths(row: readonly SqlValue[]): void {
    const { maxValue } = this.reading.room;
    for (const [i, value] of row.entries())
      if ((typeof value === 'string' || value instanceof Uint8Array) && value.length > maxValue)
        throw new SqlFailure('memory', tooLong(this.shape.names[i], value, maxValue));
  }

  /** Takes the pieces that have arrived. */
  take(): SqlValue[][][] {
    const { pieces } = this;
    this.pieces = [];
    this.piece = [];
    return pieces;
  }
}
