import type { Result, SqlValue, Statement } from '../driver.js';
import { arrayDecoder, decoderOf, isForeign, type Decoder } from './decode.js';
import type { Shape } from './prepared.js';

/** Runs a statement that looks types up. */
export type Runner = (statement: Statement) => Promise<Result>;

/** Arrays among the types of a database; a domain counts as the type below it. */
const LOOK_UP = `
  SELECT a.oid, coalesce(nullif(e.typbasetype, 0), e.oid) AS element, e.typdelim::text AS delimiter
  FROM pg_catalog.pg_type a JOIN pg_catalog.pg_type e ON e.oid = a.typelem
  WHERE a.oid = ANY ($1::pg_catalog.oid[]) AND a.typcategory = 'A'`;

const asText: Decoder = (text) => text;

/** Decoders of types that belong to a database: enums, arrays of them, composite types. */
export class Types {
  private readonly known = new Map<number, Decoder>();

  /** Decoders of a row's columns. Those of unknown types leave the text as it is. */
  decoders(shape: Shape): readonly Decoder[] {
    if (shape.decoders !== null) return shape.decoders;
    const decoders = shape.types.map((oid) => this.known.get(oid) ?? decoderOf(oid));
    if (this.knows(shape)) shape.decoders = decoders;
    return decoders;
  }

  /** Looks up the types of a row that are unknown. Returns the indices of their columns. */
  async learn({ types }: Shape, run: Runner): Promise<number[]> {
    const columns = [...types.keys()].filter((i) => this.isUnknown(types[i]));
    if (columns.length === 0) return columns;
    const unknown = columns.map((i) => types[i]);
    const { pieces } = await run({ sql: LOOK_UP, params: [unknown.map(BigInt)] });
    for (const oid of unknown) this.known.set(oid, asText);
    for (const [oid, element, delimiter] of pieces.flat()) {
      this.known.set(Number(oid), arrayDecoder(Number(element), delimiter as string));
    }
    return columns;
  }

  /** Whether rows of this shape can be converted without asking the server. */
  knows({ types }: Shape): boolean {
    return !types.some((oid) => this.isUnknown(oid));
  }

  private isUnknown(oid: number): boolean {
    return isForeign(oid) && !this.known.has(oid);
  }

  /** Converts columns of rows that arrived before their types were known. */
  convert(rows: SqlValue[][], columns: readonly number[], { names, types }: Shape): void {
    for (const column of columns) {
      const decode = this.known.get(types[column]) ?? asText;
      for (const row of rows) {
        const text = row[column];
        if (typeof text === 'string') row[column] = decode(text, names[column]);
      }
    }
  }
}
