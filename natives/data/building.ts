/** Statements built from tables, rows and conditions. All names are quoted, all values are parameters. */
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { Range } from '../../vm/values/structured.js';
import { inspect } from '../../vm/values/text/text.js';
import { kindName } from '../../vm/values/types.js';
import { isInteger, type Value } from '../../vm/values/value.js';
import { type Engine, quoteName } from './sqltext.js';

/** A statement with `?` parameters. */
export interface Built {
  sql: string;
  params: Value[];
}

/** Collects the parts of a statement. */
class Builder {
  readonly params: Value[] = [];
  private sql = '';

  add(text: string): this {
    this.sql += text;
    return this;
  }

  value(value: Value): string {
    this.params.push(value);
    return '?';
  }

  built(): Built {
    return { sql: this.sql, params: this.params };
  }
}

function table(name: string): string {
  return quoteName(name, 'table');
}

function column(name: Value): string {
  return typeof name === 'string'
    ? quoteName(name, 'column')
    : fail(Errors.TypeError, `the name of a column must be String, got ${kindName(name)}`);
}

/** The operator at the end of a key. */
const OPERATOR = /(?:!=|<>|<=|>=|[=<>]|\b(?:not\s+)?i?like)$/i;

/** The condition of one key: `age >`, `name like`, or a column that equals the value. */
function condition(b: Builder, key: Value, value: Value, engine: Engine): string {
  const text = typeof key === 'string' ? key.trim() : '';
  const match = OPERATOR.exec(text);
  const before = text.slice(0, match?.index ?? 0).trimEnd();
  const name = column(before === '' ? key : before);
  let operator = match === null || before === '' ? '=' : match[0].toLowerCase().replaceAll(/\s+/g, ' ');
  if (operator === '<>') operator = '!=';
  if (engine === 'sqlite' && operator.endsWith('ilike')) operator = operator.replace('ilike', 'like');
  const isEqual = operator === '=';
  if (isEqual || operator === '!=') {
    const not = isEqual ? '' : 'NOT ';
    if (value === null) return `${name} IS ${not}NULL`;
    if (Array.isArray(value)) return among(b, name, value, isEqual);
    if (value instanceof Range) return isEqual ? between(b, name, value) : `NOT (${between(b, name, value)})`;
  } else if (value === null || Array.isArray(value) || value instanceof Range)
    fail(Errors.ArgumentError, `${inspect(key)} needs one value, got ${kindName(value)}`);
  if (value instanceof Hash)
    fail(Errors.ArgumentError, `the condition for ${inspect(key)} must be a value, a Vector or a Range, got Hash`);
  return `${name} ${operator === '!=' ? '<>' : operator.toUpperCase()} ${b.value(value)}`;
}

function among(b: Builder, name: string, values: readonly Value[], isIn: boolean): string {
  const some = values.filter((value) => value !== null);
  const list = some.length === 0 ? '' : `${name} ${isIn ? '' : 'NOT '}IN (${some.map((v) => b.value(v)).join(', ')})`;
  const nothing = isIn ? `${name} IS NULL` : `${name} IS NOT NULL`;
  if (some.length === values.length) return list === '' ? (isIn ? '1 = 0' : '1 = 1') : list;
  return list === '' ? nothing : `(${list} ${isIn ? 'OR' : 'AND'} ${nothing})`;
}

function between(b: Builder, name: string, { lo, hi, exclusive }: Range): string {
  const parts: string[] = [];
  if (lo !== null) parts.push(`${name} >= ${b.value(lo)}`);
  if (hi !== null) parts.push(`${name} ${exclusive ? '<' : '<='} ${b.value(hi)}`);
  return parts.length === 0 ? '1 = 1' : parts.join(' AND ');
}

/** ` WHERE …`, or an empty text for no conditions. */
function where(b: Builder, conditions: Hash, engine: Engine): string {
  const parts = [...conditions.entries()].map(([key, value]) => condition(b, key, value, engine));
  return parts.length === 0 ? '' : ` WHERE ${parts.join(' AND ')}`;
}

const ORDER = /^\s*([\p{L}\p{M}\p{N}_.]+|"(?:[^"]|"")+")(?:\s+(asc|desc))?(?:\s+nulls\s+(first|last))?\s*$/iu;

/** `name desc, age nulls last`, parsed. @throws ArgumentError */
function order(text: string): string {
  return text
    .split(',')
    .map((part) => {
      const match = ORDER.exec(part);
      if (match === null)
        return fail(
          Errors.ArgumentError,
          part.trim() === '' && text.trim() !== ''
            ? `order: ${inspect(text)} has an empty part: each comma needs a column before and after it`
            : `order: ${inspect(part.trim())} is not \`column [asc|desc] [nulls first|last]\``,
        );
      const name = match[1].startsWith('"') ? match[1].slice(1, -1).replaceAll('""', '"') : match[1];
      return [
        quoteName(name, 'column'),
        match[2]?.toUpperCase() ?? '',
        match[3] === undefined ? '' : `NULLS ${match[3].toUpperCase()}`,
      ]
        .join(' ')
        .trim();
    })
    .join(', ');
}

/** Options of the find functions, as given. */
export interface Finding {
  order: string | null;
  limit: Value;
  offset: Value;
  columns: Value[] | null;
}

/** Rows that `limit:` and `offset:` can count: less than 2⁶³. */
const MAX_COUNT = 2n ** 63n;

function count(value: Value, name: string): Value {
  if (isInteger(value) && value >= 0)
    return value < MAX_COUNT
      ? value
      : fail(Errors.OverflowError, `${name} must fit into 64 bits, got ${inspect(value)}`);
  return fail(Errors.ArgumentError, `${name} must be an Integer of 0 or more, got ${inspect(value)}`);
}

/** SELECT … of a table. @throws ArgumentError, TypeError */
export function selecting(name: string, conditions: Hash, finding: Finding, engine: Engine): Built {
  const b = new Builder();
  const columns = finding.columns === null ? '*' : finding.columns.map(column).join(', ');
  if (columns === '') fail(Errors.ArgumentError, 'columns: needs at least one column');
  b.add(`SELECT ${columns} FROM ${table(name)}${where(b, conditions, engine)}`);
  if (finding.order !== null) b.add(` ORDER BY ${order(finding.order)}`);
  if (finding.limit !== null) b.add(` LIMIT ${b.value(count(finding.limit, 'limit:'))}`);
  else if (finding.offset !== null && engine === 'sqlite') b.add(' LIMIT -1');
  if (finding.offset !== null) b.add(` OFFSET ${b.value(count(finding.offset, 'offset:'))}`);
  return b.built();
}

/** SELECT count(*) …, or whether there is a row. */
export function counting(name: string, conditions: Hash, exists: boolean, engine: Engine): Built {
  const b = new Builder();
  const rows = (what: string): string => `SELECT ${what} FROM ${table(name)}${where(b, conditions, engine)}`;
  return b.add(exists ? `${rows('1')} LIMIT 1` : rows('count(*)')).built();
}

/** Columns of a row. @throws ArgumentError for keys that are no names */
export function columnsOf(row: Hash): string[] {
  return row.keys().map((key) => {
    column(key);
    return key as string;
  });
}

/** INSERT INTO … */
export function inserting(name: string, row: Hash): Built {
  const b = new Builder();
  return b.add(`INSERT INTO ${table(name)} ${valuesOf(b, row)}`).built();
}

function valuesOf(b: Builder, row: Hash): string {
  const columns = columnsOf(row);
  if (columns.length === 0) return 'DEFAULT VALUES';
  const values = row.values().map((value) => b.value(value));
  return `(${columns.map(column).join(', ')}) VALUES (${values.join(', ')})`;
}

/** The statement, which also returns the values of these columns. */
export function returning({ sql, params }: Built, columns: readonly string[]): Built {
  return columns.length === 0 ? { sql, params } : { sql: `${sql} RETURNING ${columns.map(column).join(', ')}`, params };
}

/** The text of an INSERT of rows with these columns, for messages and metrics. */
export function insertText(name: string, columns: readonly string[]): string {
  return `INSERT INTO ${table(name)} (${columns.map(column).join(', ')}) VALUES`;
}

/** INSERT … ON CONFLICT: changes the row that has the same `key`. @throws ArgumentError */
export function upserting(name: string, row: Hash, key: readonly Value[]): Built {
  const b = new Builder();
  if (key.length === 0) fail(Errors.ArgumentError, 'key: needs the columns by which rows are recognised');
  for (const one of key)
    if (!row.has(one)) fail(Errors.ArgumentError, `the row has no column ${inspect(one)}, which is in key:`);
  const keys = new Set(key);
  const others = columnsOf(row).filter((one) => !keys.has(one));
  // A row whose columns are all keys changes nothing, but has to be returned.
  const changed = others.length > 0 ? others : (key as string[]);
  b.add(`INSERT INTO ${table(name)} ${valuesOf(b, row)} ON CONFLICT (${key.map(column).join(', ')}) DO UPDATE SET `);
  return b.add(changed.map((one) => `${column(one)} = excluded.${column(one)}`).join(', ')).built();
}

/** UPDATE … @throws ArgumentError without values */
export function updating(name: string, values: Hash, conditions: Hash, engine: Engine): Built {
  const b = new Builder();
  if (values.size === 0) fail(Errors.ArgumentError, 'update() needs values to set');
  const set = [...values.entries()].map(([key, value]) => `${column(key)} = ${b.value(value)}`);
  return b.add(`UPDATE ${table(name)} SET ${set.join(', ')}${where(b, conditions, engine)}`).built();
}

/** DELETE FROM … */
export function deleting(name: string, conditions: Hash, engine: Engine): Built {
  const b = new Builder();
  return b.add(`DELETE FROM ${table(name)}${where(b, conditions, engine)}`).built();
}
