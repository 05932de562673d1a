import { PIECE, SqlFailure, type SqlValue } from '../driver.js';
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

/** Gathers the rows of a result in pieces, and converts them as they arrive. */
export class Rows {
  shape: Shape = { names: [], types: [], decoders: null };
  pieces: SqlValue[][][] = [];
  /** Bytes of the rows that have arrived. */
  bytes = 0;
  /** Why a value could not be converted. */
  failure: SqlFailure | null = null;
  private decoders: readonly Decoder[] = [];
  private piece: SqlValue[][] = [];

  constructor(private readonly types: Types) {}

  describe(shape: Shape): void {
    this.shape = shape;
    this.decoders = this.types.decoders(shape);
  }

  add(message: Message): void {
    this.bytes += message.length;
    if (this.failure !== null) return;
    try {
      const row = decodeRow(message.fields as readonly (string | null)[], this.decoders, this.shape.names);
      if (this.piece.push(row) === 1) this.pieces.push(this.piece);
      if (this.piece.length === PIECE) this.piece = [];
    } catch (error) {
      if (!(error instanceof SqlFailure)) throw error;
      this.failure = error;
    }
  }

  /** Takes the pieces that have arrived. */
  take(): SqlValue[][][] {
    const { pieces } = this;
    this.pieces = [];
    this.piece = [];
    return pieces;
  }
}
