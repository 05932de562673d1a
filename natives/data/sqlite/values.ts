import { SqlDate, SqlDecimal, SqlFailure, SqlJson, SqlLooseJson, type SqlValue } from '../driver.js';
import type { ColumnKind, Wire } from './protocol.js';

const LARGEST = 2n ** 63n - 1n;

function refuse(index: number, why: string): never {
  throw new SqlFailure('database', `parameter ${index + 1}: ${why}`);
}

function dateText({ ms }: SqlDate, index: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? refuse(index, 'the date is out of range') : date.toISOString();
}

/** A copy of its own, because a message carries the whole memory that an array is a part of. */
function bytes(value: Uint8Array): Uint8Array {
  return value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value);
}

function wireObject(value: object, index: number): Wire {
  if (value instanceof Uint8Array) return bytes(value);
  if (value instanceof SqlDate) return dateText(value, index);
  if (value instanceof SqlDecimal || value instanceof SqlJson) return value.text;
  return refuse(index, 'SQLite has no arrays; a JSON text can hold one');
}

/** A parameter as it travels. @throws SqlFailure if SQLite has no counterpart */
export function wireOf(value: SqlValue, index: number): Wire {
  switch (typeof value) {
    case 'boolean':
      return value ? 1n : 0n;
    case 'bigint':
      if (value > LARGEST || value < -LARGEST - 1n) refuse(index, 'the integer needs more than the 64 bits of SQLite');
      return value;
    case 'number':
      if (Number.isNaN(value)) refuse(index, 'SQLite cannot store NaN');
      return value;
    case 'object':
      return value === null ? null : wireObject(value, index);
    default:
      return value;
  }
}

const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)? ?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** The first and the last millisecond of the dates of programs. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Days that all months have. */
const COMMON_DAYS = '28';

/** Whether a month has the day; `Date.parse` takes February 30 for March 1. */
function exists(day: string): boolean {
  if (day.slice(8) <= COMMON_DAYS) return true;
  const at = new Date(`${day}T00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

/** A date as SQLite writes it, "2026-11-23 05:10:00", or as ISO 8601; UTC unless it names a zone. */
function readDate(text: string): SqlValue {
  const [, day, minutes = '00:00', seconds = ':00', zone = 'Z'] = DATE.exec(text) ?? [];
  if (day === undefined || !exists(day)) return text;
  const ms = Date.parse(`${day}T${minutes}${seconds}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`);
  return ms >= FIRST && ms <= LAST ? new SqlDate(ms) : text;
}

/** A number with an exponent, as SQLite and JavaScript write large and small ones: "1.0e+25", "1e-7". */
const WITH_EXPONENT = /^([+-]?)(\d+)(?:\.(\d+))?e([+-]?\d{1,3})$/i;

/** Digits of a number without an exponent; null for a text that is no number. */
function plainDigits(text: string): string | null {
  if (/^[+-]?\d+(?:\.\d+)?$/.test(text)) return text;
  const match = WITH_EXPONENT.exec(text);
  if (match === null) return null;
  const [, sign, whole, fraction = '', exponent] = match;
  const digits = whole + fraction.replace(/0+$/, '');
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function readDecimal(value: Wire): SqlValue {
  if (typeof value === 'bigint') return new SqlDecimal(String(value));
  if (typeof value !== 'number' && typeof value !== 'string') return value;
  const digits = plainDigits(String(value));
  return digits === null ? value : new SqlDecimal(digits);
}

function readValue(value: Wire, kind: ColumnKind): SqlValue {
  switch (kind) {
    case 'boolean':
      return value === 0n || value === 1n ? value === 1n : value;
    case 'date':
      return typeof value === 'string' ? readDate(value) : value;
    case 'decimal':
      return readDecimal(value);
    case 'json':
      return typeof value === 'string' ? new SqlLooseJson(value) : value;
    default:
      return value;
  }
}

/** Turns received rows into rows of values, in place. */
export function readRows(rows: Wire[][], kinds: readonly ColumnKind[]): SqlValue[][] {
  const typed = kinds.flatMap((kind, index) => (kind === null ? [] : [{ kind, index }]));
  if (typed.length === 0) return rows;
  for (const row of rows as SqlValue[][])
    for (const { kind, index } of typed) row[index] = readValue(row[index] as Wire, kind);
  return rows;
}
