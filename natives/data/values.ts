/** Values of programs ↔ values of drivers. */
import { DateValue } from '../core/dates/date.js';
import { encodeAtOnce, encodeJson } from '../core/json/encode.js';
import { parseJson } from '../core/json/index.js';
import { MAX_STEP_CHARACTERS, parseSteps } from '../core/json/jsonparse.js';
import { encodeSteps, isLarge } from '../core/json/steps.js';
import { wellFormed } from '../core/strings/wellformed.js';
import { DecimalValue } from '../decimal/decimal.js';
import { Bytes } from '../../vm/values/bytes.js';
import { Errors, errorOf, fail, SvcError } from '../../vm/values/error.js';
import { Hash, Shape } from '../../vm/values/hash.js';
import { RecordValue } from '../../vm/values/structured.js';
import { kindName } from '../../vm/values/types.js';
import { Float, type Value } from '../../vm/values/value.js';
import {
  type Result,
  type RowSink,
  SqlDate,
  SqlDecimal,
  SqlJson,
  SqlLooseJson,
  type SqlValue,
  SqlVector,
} from './driver.js';
import type { Engine } from './sqltext.js';

const MAX_INTEGER = 2n ** 63n;

/** A value for a driver that needs neither steps nor checks; undefined for others. */
export function toSqlAtOnce(value: Value): SqlValue | undefined {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? undefined : value;
  if (value === null || typeof value === 'boolean') return value;
  return value instanceof Float ? value.n : undefined;
}

/** A value for a driver; `place` names it in messages: `parameter 2`. Large JSON is written in steps. */
export function* toSql(value: Value, place: string, engine: Engine): Generator<void, SqlValue, void> {
  if (Array.isArray(value) && engine === 'postgres' && value.every(isScalar)) return yield* plainVector(value, place);
  if (Array.isArray(value) || value instanceof Hash)
    return new SqlJson(encodeAtOnce(value) ?? ((yield* encodeSteps(value)) as string));
  return scalar(value, place);
}

/** A vector that may be stored as an array or as JSON. Long JSON is written before it is known whether it is needed. */
function* plainVector(value: readonly Value[], place: string): Generator<void, SqlVector, void> {
  const items = value.slice();
  let json = (): string => encodeJson(items);
  if (isLarge(items)) {
    try {
      const text = (yield* encodeSteps(items)) as string;
      json = () => text;
    } catch (error) {
      json = () => {
        throw error;
      };
    }
  }
  return new SqlVector(() => items.map((item) => scalar(item, place)), json);
}

/** Whether a vector of such values can be an array of PostgreSQL. */
function isScalar(value: Value): boolean {
  return !Array.isArray(value) && !(value instanceof Hash);
}

/** @throws TypeError, OverflowError, ValueError */
function scalar(value: Value, place: string): SqlValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string')
    return value.includes('\0')
      ? fail(Errors.ValueError, `${place}: a text with a NUL cannot be stored; use Bytes`)
      : wellFormed(value, `${place}: the text`);
  if (typeof value === 'number') return BigInt(value);
  if (typeof value === 'bigint')
    return value >= -MAX_INTEGER && value < MAX_INTEGER
      ? value
      : fail(Errors.OverflowError, `${place}: the Integer does not fit into 64 bits; use a Decimal`);
  if (value instanceof Float) return value.n;
  if (value instanceof Bytes) return value.data;
  if (value instanceof DateValue) return new SqlDate(value.ms);
  if (value instanceof DecimalValue) return new SqlDecimal(value.describe());
  const hint = value instanceof RecordValue ? ': pass its fields, or to_h' : '';
  return fail(Errors.TypeError, `${place}: a database cannot store ${kindName(value)}${hint}`);
}

/** Integers that are numbers in programs; larger ones are bigints there as well. */
export function toInteger(value: bigint): Value {
  const n = Number(value);
  return Number.isSafeInteger(n) ? n : value;
}

/** The value of a column that can be read without steps; undefined for others. */
function fromSqlAtOnce(value: SqlValue): Value | undefined {
  switch (typeof value) {
    case 'bigint':
      return toInteger(value);
    case 'number':
      return new Float(value);
    case 'string':
    case 'boolean':
      return value;
    default:
      return value === null ? null : undefined;
  }
}

/** The value of a column. @throws SvcError that names the column */
function* fromSql(value: SqlValue, column: string): Generator<void, Value, void> {
  const simple = fromSqlAtOnce(value);
  return simple === undefined ? yield* fromCompound(value as Compound, column) : simple;
}

type Simple = null | boolean | bigint | number | string;

type Compound = Exclude<SqlValue, Simple | SqlVector>;

function* fromCompound(value: Compound, column: string): Generator<void, Value, void> {
  if (value instanceof Uint8Array) return Bytes.of(value);
  if (Array.isArray(value)) {
    const out: Value[] = [];
    for (const item of value) out.push(yield* fromSql(item, column));
    return out;
  }
  try {
    if (value instanceof SqlDate) return new DateValue(value.ms);
    if (value instanceof SqlDecimal) return DecimalValue.parse(value.text) ?? fail(Errors.ValueError, 'no number');
    return value.text.length > MAX_STEP_CHARACTERS ? yield* parseSteps(value.text) : parseJson(value.text);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (value instanceof SqlLooseJson && error.value.type === Errors.ValueError) return value.text;
    if (value instanceof SqlDate) throw errorOf(Errors.TypeError, `column ${column}: ${error.value.message}`);
    throw errorOf(Errors.DatabaseError, `column ${column}: ${error.value.message}`);
  }
}

/** An array to be filled with the values of a row, no longer than needed: V8 gives one that grows room for 17 elements. */
function slotsFor(values: readonly SqlValue[]): Value[] {
  return values.slice() as Value[];
}

/** Makes hashes of the rows of one result. */
export class RowMaker {
  private readonly shape: Shape | null;

  constructor(private readonly columns: readonly string[]) {
    this.shape = Shape.of(columns);
  }

  *row(values: readonly SqlValue[]): Generator<void, Hash, void> {
    const slots = slotsFor(values);
    for (let i = 0; i < values.length; i++)
      slots[i] = fromSqlAtOnce(values[i]) ?? (yield* fromSql(values[i], this.columns[i]));
    return this.hash(slots);
  }

  /** Null for a row with a value that is made in steps. */
  rowAtOnce(values: readonly SqlValue[]): Hash | null {
    const slots = slotsFor(values);
    for (let i = 0; i < values.length; i++) {
      const made = fromSqlAtOnce(values[i]);
      if (made === undefined) return null;
      slots[i] = made;
    }
    return this.hash(slots);
  }

  private hash(slots: Value[]): Hash {
    if (this.shape !== null) return new Hash(this.shape, slots);
    return Hash.from(this.columns.map((column, i) => [column, slots[i]] as const));
  }

  /** The rows of a piece. */
  *rows(piece: readonly (readonly SqlValue[])[]): Generator<void, Hash[], void> {
    const out: Hash[] = [];
    for (const values of piece) out.push(yield* this.row(values));
    return out;
  }
}

/** The rows of a result as hashes, of which the first are made while others arrive. */
export class Rows implements RowSink {
  /** Null before the answer begins, and after a row with a value that is made in steps: no more rows are taken. */
  private maker: RowMaker | null = null;
  /** Null until the answer begins, so that it is not older than its elements. */
  private made: Value[] | null = null;

  begin(columns: readonly string[]): void {
    this.maker = new RowMaker(columns);
    this.made = [];
  }

  add(piece: readonly SqlValue[][]): boolean {
    if (this.maker === null) return false;
    const rows: Hash[] = [];
    for (const values of piece) {
      const row = this.maker.rowAtOnce(values);
      if (row === null) {
        this.maker = null;
        return false;
      }
      rows.push(row);
    }
    const made = (this.made ??= []);
    for (const row of rows) made.push(row);
    return true;
  }

  /**
   * All rows; pauses after each piece. Empties the result: those who waited for it are old objects by then, and what a
   * dead old object refers to lives until the next full collection.
   */
  *all({ columns, pieces }: Result): Generator<void, Value[], void> {
    const made = this.made ?? [];
    this.made = null;
    const maker = new RowMaker(columns);
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) yield;
      for (const row of yield* maker.rows(piece)) made.push(row);
      piece.length = 0;
    }
    return made;
  }
}

/** All rows of a result; pauses after each piece. */
export function allRows(result: Result): Generator<void, Value[], void> {
  return new Rows().all(result);
}

/** The first row, or nil. */
export function* firstRow({ columns, pieces }: Result): Generator<void, Value, void> {
  const [row] = pieces[0] ?? [];
  return row === undefined ? null : yield* new RowMaker(columns).row(row);
}

/** The first column of the first row, or nil. */
export function* firstValue({ columns, pieces }: Result): Generator<void, Value, void> {
  const [row] = pieces[0] ?? [];
  return row === undefined || row.length === 0 ? null : yield* fromSql(row[0], columns[0]);
}
