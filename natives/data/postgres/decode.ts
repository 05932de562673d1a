import { SqlDate, SqlDecimal, SqlFailure, SqlJson, type SqlValue } from '../driver.js';
import { parseArray, type TextArray } from './arrays.js';
import { parseDate } from './dates.js';
import { ARRAYS, FIRST_OWN_TYPE, OID } from './oids.js';

/** Makes a value of the text that the server sent. @throws SqlFailure that names the column */
export type Decoder = (text: string, column: string) => SqlValue;

function noCounterpart(text: string, column: string): never {
  throw new SqlFailure('type', `column "${column}" holds ${text}, which has no counterpart`);
}

const asText: Decoder = (text) => text;
const asInteger: Decoder = (text) => BigInt(text);
const asFloat: Decoder = (text) => Number(text);

const asDecimal: Decoder = (text, column) =>
  /^[-+]?\d/.test(text) ? new SqlDecimal(text) : noCounterpart(text, column);

const asDate: Decoder = (text, column) => {
  const ms = parseDate(text);
  return Number.isNaN(ms) ? noCounterpart(`the date ${text}`, column) : new SqlDate(ms);
};

const asBytes: Decoder = (text, column) => {
  if (!text.startsWith('\\x')) noCounterpart('bytes in the escape format', column);
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
};

const DECODERS = new Map<number, Decoder>([
  [OID.bool, (text) => text === 't'],
  [OID.bytea, asBytes],
  [OID.int2, asInteger],
  [OID.int4, asInteger],
  [OID.int8, asInteger],
  [OID.oid, asInteger],
  [OID.float4, asFloat],
  [OID.float8, asFloat],
  [OID.numeric, asDecimal],
  [OID.date, asDate],
  [OID.timestamp, asDate],
  [OID.timestamptz, asDate],
  [OID.json, (text) => new SqlJson(text)],
  [OID.jsonb, (text) => new SqlJson(text)],
]);

/** Decoder of arrays whose elements have the type `element`. */
export function arrayDecoder(element: number, delimiter = ','): Decoder {
  const decode = DECODERS.get(element) ?? asText;
  const values = (elements: TextArray, column: string): SqlValue[] =>
    elements.map((item) => {
      if (item === null) return null;
      return typeof item === 'string' ? decode(item, column) : values(item, column);
    });
  return (text, column) => {
    const elements = parseArray(text, delimiter);
    return elements === null ? noCounterpart('an array that cannot be read', column) : values(elements, column);
  };
}

for (const [oid, element] of ARRAYS) DECODERS.set(oid, arrayDecoder(element));

/** Whether the server has to be asked what this type is like. */
export function isForeign(oid: number): boolean {
  return oid >= FIRST_OWN_TYPE;
}

/** Decoder of one of PostgreSQL's own types, or of a type whose values are texts. */
export function decoderOf(oid: number): Decoder {
  return DECODERS.get(oid) ?? asText;
}

/** Converts a row that the server sent. */
export function decodeRow(
  fields: readonly (string | null)[],
  decoders: readonly Decoder[],
  names: readonly string[],
): SqlValue[] {
  const row = new Array<SqlValue>(fields.length);
  for (let i = 0; i < fields.length; i++) {
    const text = fields[i];
    row[i] = text === null ? null : decoders[i](text, names[i]);
  }
  return row;
}
