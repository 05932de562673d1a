/** CSV by RFC 4180. Beyond the RFC, lines may end with LF or CR alone, the separator may be another character, and blank lines are skipped. */
import { RecordValue } from '../../vm/values/compound.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash, Shape } from '../../vm/values/hash.js';
import { toText } from '../../vm/values/text.js';
import { typeName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import { checkText } from '../core/limits.js';

/** Fields of one text at most. */
const MAX_FIELDS = 1 << 24;

interface Row {
  line: number;
  fields: string[];
}

function invalid(line: number, what: string): never {
  return fail(Errors.ValueError, `invalid CSV at line ${line}: ${what}`);
}

/** @throws ValueError for what cannot separate fields */
function checkSeparator(sep: string): void {
  if (sep.length !== 1 || '"\r\n'.includes(sep)) fail(Errors.ValueError, `sep must be one character, neither a quote nor a line end, got ${JSON.stringify(sep)}`);
}

const QUOTE = 34;
const LF = 10;
const CR = 13;

/** Walks through the text by character codes, a field at a time. */
class CsvReader {
  private pos = 0;
  private line = 1;
  private fields = 0;
  private readonly sep: number;

  constructor(private readonly text: string, sep: string) {
    this.sep = sep.charCodeAt(0);
  }

  rows(): Row[] {
    const rows: Row[] = [];
    while (this.pos < this.text.length) {
      if (this.lineEnd()) continue;
      const row: Row = { line: this.line, fields: [] };
      do row.fields.push(this.field()); while (this.separator());
      this.lineEnd();
      rows.push(row);
    }
    return rows;
  }

  /** Steps over a line's end, if it stands here. */
  private lineEnd(): boolean {
    const c = this.text.charCodeAt(this.pos);
    if (c !== LF && c !== CR) return false;
    this.pos += c === CR && this.text.charCodeAt(this.pos + 1) === LF ? 2 : 1;
    this.line++;
    return true;
  }

  private separator(): boolean {
    if (this.text.charCodeAt(this.pos) !== this.sep) return false;
    this.pos++;
    return true;
  }

  private field(): string {
    if (++this.fields > MAX_FIELDS) fail(Errors.MemoryError, `CSV would have more than ${MAX_FIELDS} fields`);
    const { text, sep } = this;
    const start = this.pos;
    if (text.charCodeAt(start) === QUOTE) return this.quoted();
    let end = start;
    for (; end < text.length; end++) {
      const c = text.charCodeAt(end);
      if (c === sep || c === LF || c === CR) break;
      if (c === QUOTE) invalid(this.line, 'a quote inside a field without quotes; put the field in quotes and write "" for one');
    }
    this.pos = end;
    return text.slice(start, end);
  }

  private quoted(): string {
    const { text } = this;
    const opened = this.line;
    const start = this.pos + 1;
    let end = text.indexOf('"', start);
    while (end >= 0 && text.charCodeAt(end + 1) === QUOTE) end = text.indexOf('"', end + 2);
    if (end < 0) invalid(opened, 'a quoted field has no end');
    this.pos = end + 1;
    const raw = text.slice(start, end);
    this.line += raw.match(/\r\n|\n|\r/g)?.length ?? 0;
    const next = text.charCodeAt(this.pos);
    if (this.pos < text.length && next !== this.sep && next !== LF && next !== CR) invalid(this.line, 'text behind a closing quote');
    return raw.replaceAll('""', '"');
  }
}

/** Rows of a CSV text: hashes by the names in the first row, or vectors. @throws ValueError with the line */
export function parseCsv(text: string, headers: boolean, sep: string): Value[] {
  checkSeparator(sep);
  const rows = new CsvReader(text, sep).rows();
  if (!headers || rows.length === 0) return rows.map(({ fields }) => fields);
  const [{ line, fields: names }] = rows;
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) invalid(line, `two columns are called ${JSON.stringify(twice)}; read it with headers: false`);
  const shape = Shape.of(names);
  return rows.slice(1).map((row) => toHash(names, shape, row));
}

/** Fields that a row lacks are nil. */
function toHash(names: string[], shape: Shape | null, { line, fields }: Row): Hash {
  if (fields.length > names.length) invalid(line, `${fields.length} fields, but ${names.length} column${names.length === 1 ? '' : 's'}`);
  const values = names.map((_, i): Value => fields[i] ?? null);
  return shape === null ? Hash.from(names.map((name, i) => [name, values[i]])) : new Hash(shape, values);
}

function fieldText(value: Value, sep: string): string {
  const text = toText(value);
  return text.includes(sep) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A row that is one empty field must not become a blank line, which readers skip. */
function rowText(values: readonly Value[], sep: string): string {
  return values.length === 1 && toText(values[0]) === '' ? '""' : values.map((value) => fieldText(value, sep)).join(sep);
}

/** The columns of hashes: all keys, in the order in which they first appear. */
function columnsOf(rows: readonly Hash[]): Value[] {
  const names = new Set<Value>();
  for (const row of rows) for (const key of row.keys()) names.add(key);
  return [...names];
}

/**
 * CSV text of rows, which are all hashes (or records), or all vectors.
 * @param headers false leaves out the line of names; a vector gives it, for hashes also which keys to write
 */
export function dumpCsv(rows: readonly Value[], headers: boolean | Value[], sep: string): string {
  checkSeparator(sep);
  const hashes = rows.map((row) => (row instanceof RecordValue ? row.fields : row)).filter((row) => row instanceof Hash);
  const wrong = rows.find((row) => (hashes.length > 0 ? !(row instanceof Hash || row instanceof RecordValue) : !Array.isArray(row)));
  if (wrong !== undefined) fail(Errors.TypeError, `the rows of a CSV text must be all Hash or all Vector, got ${typeName(wrong)}`);
  const columns = Array.isArray(headers) ? headers : columnsOf(hashes);
  const lists = hashes.length > 0 ? hashes.map((row) => columns.map((name) => row.get(name) ?? null)) : (rows as Value[][]);
  const hasHead = Array.isArray(headers) || (headers && hashes.length > 0);
  let text = '';
  for (const list of hasHead ? [columns, ...lists] : lists) {
    text += `${rowText(list, sep)}\n`;
    checkText(text.length);
  }
  return text;
}
