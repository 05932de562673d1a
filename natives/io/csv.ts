/**
 * CSV according to RFC 4180. In addition, lines may end with LF or CR alone, the separator may be another character,
 * and blank lines are skipped.
 */
import { eachInSteps, STEP } from '../../vm/values/steps.js';
import { Excerpts } from '../../vm/values/text/excerpts.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash, Shape } from '../../vm/values/hash.js';
import type { Value } from '../../vm/values/value.js';
import { Gathered } from '../core/gathered.js';
import { excerpt } from '../core/strings/parsenumbers.js';
import { replaceSteps } from '../core/regex/replace.js';

/** Maximum fields of one text. */
const MAX_FIELDS = 1 << 24;
/** Maximum values of all hashes of one text: fields missing in a row take memory too. */
const MAX_CELLS = 1 << 26;

interface Row {
  line: number;
  fields: string[];
}

function invalid(line: number, what: string): never {
  return fail(Errors.ValueError, `invalid CSV at line ${line}: ${what}`);
}

/** @throws ValueError for an invalid separator */
export function checkSeparator(sep: string): void {
  if (sep.length !== 1 || '"\r\n'.includes(sep))
    fail(Errors.ValueError, `sep must be one character, neither a quote nor a line end, got ${excerpt(sep)}`);
}

const QUOTE = 34;
const LF = 10;
const CR = 13;
const BREAK = /\r\n|\n|\r/g;
/** Maximum characters of a field read in one step. */
const MAX_STEP_CHARACTERS = STEP;
/** Rows processed between two pauses. */
const ROWS = 256;

/** Reads the text by character codes, one field at a time. */
class CsvReader {
  private pos = 0;
  private line = 1;
  private fields = 0;
  private readonly sep: number;
  private readonly excerpts: Excerpts;

  constructor(
    private readonly text: string,
    sep: string,
  ) {
    this.sep = sep.charCodeAt(0);
    this.excerpts = new Excerpts(text);
  }

  *rows(): Generator<void, Row[], void> {
    const rows = new Gathered<Row>();
    let stopAt = STEP;
    while (this.pos < this.text.length) {
      if (!this.lineEnd()) {
        const row: Row = { line: this.line, fields: [] };
        do {
          row.fields.push(this.field() ?? (yield* this.longField()));
          if (this.pos < stopAt) continue;
          yield;
          stopAt = this.pos + STEP;
        } while (this.separator());
        this.lineEnd();
        rows.add(row);
      }
      if (this.pos < stopAt) continue;
      yield;
      stopAt = this.pos + STEP;
    }
    return yield* rows.all();
  }

  /** Skips a line end, if there is one here. */
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

  /** Reads a field; returns null for a long one, which `longField` must read. */
  private field(): string | null {
    if (++this.fields > MAX_FIELDS) fail(Errors.MemoryError, `CSV would have more than ${MAX_FIELDS} fields`);
    const { text, pos } = this;
    const isQuoted = text.charCodeAt(pos) === QUOTE;
    const end = isQuoted
      ? this.quotedEnd(pos + 1, pos + MAX_STEP_CHARACTERS)
      : this.plainEnd(pos, pos + MAX_STEP_CHARACTERS);
    if (end < 0) return null;
    if (!isQuoted) return this.excerpts.take(pos, (this.pos = end));
    const raw = this.excerpts.take(pos + 1, end);
    this.line += raw.match(BREAK)?.length ?? 0;
    this.close(end);
    return raw.replaceAll('""', '"');
  }

  /** The end of a field without quotes; −1 when it does not end before `most`. */
  private plainEnd(from: number, most: number): number {
    const { text, sep } = this;
    const stop = Math.min(most, text.length);
    for (let end = from; end < stop; end++) {
      const c = text.charCodeAt(end);
      if (c === sep || c === LF || c === CR) return end;
      if (c === QUOTE)
        invalid(this.line, 'a quote inside a field without quotes; put the field in quotes and write "" for one');
    }
    return stop === text.length ? stop : -1;
  }

  /**
   * Position of the closing quote. If it is not before `most`, the complement of the position where the search must
   * continue.
   */
  private quotedEnd(from: number, most: number): number {
    const { text } = this;
    let end = text.indexOf('"', from);
    while (end >= 0 && end < most && text.charCodeAt(end + 1) === QUOTE) end = text.indexOf('"', end + 2);
    if (end < 0) invalid(this.line, 'a quoted field is not closed');
    return end < most ? end : ~end;
  }

  /** Reads a field for which `field` returned null. */
  private *longField(): Generator<void, string, void> {
    const start = this.pos;
    if (this.text.charCodeAt(start) === QUOTE) return yield* this.longQuoted(start + 1);
    let end = -1;
    for (let from = start; end < 0; from += STEP) {
      end = this.plainEnd(from, from + STEP);
      yield;
    }
    this.pos = end;
    return this.excerpts.take(start, end);
  }

  private *longQuoted(start: number): Generator<void, string, void> {
    let end = ~start;
    while (end < 0) {
      end = this.quotedEnd(~end, ~end + STEP);
      yield;
    }
    const raw = this.excerpts.take(start, end);
    let previous = 0;
    yield* eachInSteps(raw.length, (i) => {
      const c = raw.charCodeAt(i);
      if (c === CR || (c === LF && previous !== CR)) this.line++;
      previous = c;
    });
    this.close(end);
    return yield* replaceSteps(raw, '""', '"');
  }

  /** Skips the closing quote at `end`. */
  private close(end: number): void {
    this.pos = end + 1;
    const next = this.text.charCodeAt(this.pos);
    if (this.pos < this.text.length && next !== this.sep && next !== LF && next !== CR)
      invalid(this.line, 'text after a closing quote');
  }
}

/** Rows of a CSV text: hashes keyed by the names in the first row, or vectors. @throws ValueError with the line */
export function* csvSteps(text: string, headers: boolean, sep: string): Generator<void, Value[], void> {
  checkSeparator(sep);
  // A byte order mark is no part of the first field.
  const rows = yield* new CsvReader(text.startsWith('\ufeff') ? text.slice(1) : text, sep).rows();
  if (!headers || rows.length === 0) return rows.map(({ fields }) => fields);
  const [{ line, fields: names }] = rows;
  const twice = yield* firstTwice(names);
  if (twice !== null) invalid(line, `two columns are called ${JSON.stringify(twice)}; read it with headers: false`);
  if (names.length * (rows.length - 1) > MAX_CELLS)
    fail(Errors.MemoryError, `CSV would have more than ${MAX_CELLS} fields, counting those missing in rows`);
  const shape = Shape.of(names);
  const out = new Gathered<Value>();
  for (let i = 1; i < rows.length; i++) {
    out.add(shape === null ? yield* wideHash(names, rows[i]) : new Hash(shape, valuesOf(names, rows[i])));
    if (i % ROWS === 0) yield;
  }
  return yield* out.all();
}

/** The first name that occurs a second time, or null. */
function* firstTwice(names: readonly string[]): Generator<void, string | null, void> {
  const seen = new Set<string>();
  for (let i = 0; i < names.length; i++) {
    if (seen.has(names[i])) return names[i];
    seen.add(names[i]);
    if (i % STEP === STEP - 1) yield;
  }
  return null;
}

/** Fields missing in a row are nil. */
function valuesOf(names: readonly string[], { line, fields }: Row): Value[] {
  if (fields.length > names.length)
    invalid(line, `${fields.length} fields, but ${names.length} column${names.length === 1 ? '' : 's'}`);
  return names.map((_, i): Value => fields[i] ?? null);
}

/** A hash with too many keys for a shape. */
function* wideHash(names: readonly string[], row: Row): Generator<void, Hash, void> {
  const values = valuesOf(names, row);
  const hash = new Hash();
  for (let i = 0; i < names.length; i++) {
    hash.set(names[i], values[i]);
    if (i % STEP === STEP - 1) yield;
  }
  return hash;
}
