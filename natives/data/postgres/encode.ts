import { type Row, SqlDate, SqlDecimal, SqlFailure, SqlJson, type SqlValue, SqlVector } from '../driver.js';
import { formatArray, type TextArray } from './arrays.js';
import { formatDate } from './dates.js';
import { OID } from './oids.js';

/** A parameter as it is sent: text, or the bytes of a bytea. */
export type Encoded = string | Buffer | null;

/** Whether a parameter of this type takes JSON. */
function takesJson(oid: number): boolean {
  return oid === OID.json || oid === OID.jsonb;
}

/** Whether a value is an array, or JSON, depending on the type of its parameter. */
export function isVector(value: SqlValue): value is SqlVector | SqlValue[] {
  return value instanceof SqlVector || Array.isArray(value);
}

function checked(text: string, what: string): string {
  if (!text.includes('\0')) return text;
  throw new SqlFailure('database', `${what} holds a NUL character, which PostgreSQL cannot store in a text`);
}

function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function bytes(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function dateText(value: SqlDate, what: string): string {
  if (Number.isNaN(new Date(value.ms).getTime())) {
    throw new SqlFailure('database', `${what} is a date outside of the range that can be stored`);
  }
  return formatDate(value.ms);
}

/** Text of a value that is neither null, nor bytes, nor an array. */
function scalarText(value: Exclude<SqlValue, null | Uint8Array | SqlVector | SqlValue[]>, what: string): string {
  if (typeof value === 'string') return checked(value, what);
  if (typeof value === 'number') return numberText(value);
  if (value instanceof SqlDate) return dateText(value, what);
  if (value instanceof SqlDecimal || value instanceof SqlJson) return checked(value.text, what);
  return String(value);
}

function arrayTexts(values: readonly SqlValue[], what: string): TextArray {
  return values.map((value) => {
    if (value === null) return null;
    if (value instanceof SqlVector) return arrayTexts(value.elements(), what);
    if (Array.isArray(value)) return arrayTexts(value, what);
    if (value instanceof Uint8Array) return `\\x${bytes(value).toString('hex')}`;
    return scalarText(value, what);
  });
}

/**
 * Text of a parameter; the server converts it to the type that the statement needs. Bytes stay bytes.
 * @param oid type of the parameter, which decides between the literal of an array and JSON; 0 if unknown
 * @param what names the parameter in messages
 */
function encode(value: SqlValue, oid: number, what: string): Encoded {
  if (value === null) return null;
  if (value instanceof Uint8Array) return bytes(value);
  if (!isVector(value)) return scalarText(value, what);
  if (oid === OID.bytea) throw new SqlFailure('type', `${what} must be Bytes for a column of type bytea, got Vector`);
  if (!(value instanceof SqlVector)) return formatArray(arrayTexts(value, what));
  return takesJson(oid) ? value.json() : formatArray(arrayTexts(value.elements(), what));
}

/** Maximum number of parameters of a statement: the protocol counts them in 16 bits. */
const MAX_PARAMETERS = 65_535;

/**
 * Maximum number of bytes of the values in a message: the server closes the connection at a message of a gigabyte. The
 * rest of a message, without the text of the statement, takes less than a megabyte.
 */
const MAX_BYTES = 2 ** 30 - 2 ** 20;

/** Maximum number of characters of a row of COPY, of which V8 must be able to append some to others. */
const MAX_LINE = 2 ** 29 - 2 ** 20;

/** Bytes of a character in UTF-8, at most. */
const MAX_CHARACTER = 3;

function tooLarge(what: string, verb: string): SqlFailure {
  return new SqlFailure('database', `${what} ${verb} too large: a statement of PostgreSQL has at most a gigabyte`);
}

/** What is thrown for an error in writing `what`: V8 refuses to make a text that would be too long. */
function writingError(error: unknown, what: string): unknown {
  const isTooLong = error instanceof RangeError || (error as NodeJS.ErrnoException).code === 'ERR_STRING_TOO_LONG';
  return isTooLong ? tooLarge(what, 'is') : error;
}

/** Refuses values that are too long for a message. @throws SqlFailure */
function checkLength(values: readonly Encoded[]): void {
  let length = 0;
  for (const value of values) if (value !== null) length += value.length;
  if (length * MAX_CHARACTER <= MAX_BYTES) return;
  let bytes = 0;
  for (const value of values) if (value !== null) bytes += Buffer.byteLength(value);
  if (bytes > MAX_BYTES) throw tooLarge('the parameters', 'are');
}

/** Encodes all parameters of a statement. @param types as far as they are known */
export function encodeAll(params: readonly SqlValue[], types: readonly number[] | null): Encoded[] {
  if (params.length > MAX_PARAMETERS) {
    throw new SqlFailure(
      'database',
      `the statement has ${params.length} parameters; PostgreSQL takes ${MAX_PARAMETERS} at most`,
    );
  }
  const encoded: Encoded[] = [];
  try {
    for (const [i, value] of params.entries()) encoded.push(encode(value, types?.[i] ?? 0, `parameter $${i + 1}`));
  } catch (error) {
    throw writingError(error, `parameter $${encoded.length + 1}`);
  }
  checkLength(encoded);
  return encoded;
}

/**
 * Types that are declared to the server: bytea for bytes, else the server could take them for the binary form of
 * another type; 0 leaves the choice to the server. Empty if there are no bytes.
 */
export function declaredTypes(params: readonly SqlValue[]): number[] {
  if (!params.some((value) => value instanceof Uint8Array)) return [];
  return params.map((value) => (value instanceof Uint8Array ? OID.bytea : 0));
}

const COPY_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value as a field of COPY's text format. */
function copyField(value: SqlValue, oid: number, what: string): string {
  const encoded = encode(value, oid, what);
  if (encoded === null) return '\\N';
  if (typeof encoded !== 'string') return `\\\\x${encoded.toString('hex')}`;
  return /[\\\n\r\t]/.test(encoded) ? encoded.replace(/[\\\n\r\t]/g, (char) => COPY_ESCAPES[char]) : encoded;
}

/** A row as a line of COPY's text format. @param number counts the rows from 1 */
export function copyLine(row: Row, columns: readonly string[], types: readonly number[], number: number): string {
  let line: string;
  try {
    const fields = row.map((value, i) => copyField(value, types[i] ?? 0, `column "${columns[i]}" of row ${number}`));
    line = `${fields.join('\t')}\n`;
  } catch (error) {
    throw writingError(error, `row ${number}`);
  }
  if (line.length > MAX_LINE || (line.length * MAX_CHARACTER > MAX_BYTES && Buffer.byteLength(line) > MAX_BYTES))
    throw tooLarge(`row ${number}`, 'is');
  return line;
}
