/**
 * Requests and answers as they travel: flat arrays, which the structured clone of a message copies several times faster
 * than objects. Texts of statements and names of columns travel once; later messages have their number.
 */
import type { Answer, Fault, Header, Part, Request, RequestKind, Wire } from './protocol.js';

/** Maximum number of texts, and of headers, that both sides remember. At one more both forget all. */
const LIMIT = 500;

/** Characters of the longest text that is remembered. */
const MAX_TEXT = 4_096;

const KINDS: readonly RequestKind[] = ['run', 'open', 'next', 'close', 'script', 'many', 'end'];

/** Flags of a request, above the three bits of its kind. */
const READS = 8;
const GROUPED = 16;
const INSIDE = 32;
const HAS_ROWS = 64;
const KIND = 7;

/** Flags of an answer: which parts follow, and its booleans. */
const FAULT = 1;
const HEADER = 2;
const ROWS = 4;
const MORE = 8;
const CHANGES = 16;
const REST = 32;

/** Numbers the things that a side sends repeatedly. */
class Numbers<T> {
  private readonly numbers = new Map<T, number>();

  /** The number of a thing that the other side knows; else the thing, which gets the next number on both sides. */
  write(thing: T): T | number {
    const known = this.numbers.get(thing);
    if (known !== undefined) return known;
    if (this.numbers.size >= LIMIT) this.numbers.clear();
    this.numbers.set(thing, this.numbers.size);
    return thing;
  }
}

/** The other side of `Numbers`. */
class Things<T extends string | object> {
  private readonly things: T[] = [];

  read(written: T | number): T {
    if (typeof written === 'number') return this.things[written];
    if (this.things.length >= LIMIT) this.things.length = 0;
    this.things.push(written);
    return written;
  }
}

/** Whether both sides remember a text. */
function isKept(kind: RequestKind, sql: string): boolean {
  return kind !== 'script' && sql.length <= MAX_TEXT;
}

/** Writes the requests to one connection, in the order in which they are sent. */
export class RequestWriter {
  private readonly texts = new Numbers<string>();

  write(requests: readonly Request[]): unknown[] {
    const out: unknown[] = [];
    for (const { id, kind, sql, params, reads, grouped, inside, cursor, rows } of requests) {
      const flags = (reads ? READS : 0) | (grouped ? GROUPED : 0) | (inside ? INSIDE : 0) | (rows ? HAS_ROWS : 0);
      const text = isKept(kind, sql) ? this.texts.write(sql) : sql;
      out.push(id, KINDS.indexOf(kind) | flags, text, cursor, params.length);
      for (const value of params) out.push(value);
      if (rows !== null) out.push(rows);
    }
    return out;
  }
}

export class RequestReader {
  private readonly texts = new Things<string>();

  read(written: readonly unknown[]): Request[] {
    const out: Request[] = [];
    for (let at = 0; at < written.length;) {
      const flags = written[at + 1] as number;
      const kind = KINDS[flags & KIND];
      const end = at + 5 + (written[at + 4] as number);
      const hasRows = (flags & HAS_ROWS) !== 0;
      out.push({
        id: written[at] as number,
        kind,
        sql: this.text(kind, written[at + 2] as string | number),
        params: written.slice(at + 5, end) as Wire[],
        reads: (flags & READS) !== 0,
        grouped: (flags & GROUPED) !== 0,
        inside: (flags & INSIDE) !== 0,
        cursor: written[at + 3] as number,
        rows: hasRows ? (written[end] as Wire[][]) : null,
      });
      at = hasRows ? end + 1 : end;
    }
    return out;
  }

  private text(kind: RequestKind, written: string | number): string {
    return typeof written === 'number' || isKept(kind, written) ? this.texts.read(written) : written;
  }
}

/** Writes the answers of one connection, in the order in which they are sent. */
export class AnswerWriter {
  private readonly headers = new Numbers<Header>();

  /** Appends a part of the answer to request `id` to a message. */
  write(out: unknown[], id: number, { header, rows, more, changes, lastId, rest }: Part, fault: Fault | null): void {
    const hasChanges = changes !== 0 || lastId !== null;
    out.push(
      id,
      (fault ? FAULT : 0) |
        (header ? HEADER : 0) |
        (rows ? ROWS : 0) |
        (more ? MORE : 0) |
        (hasChanges ? CHANGES : 0) |
        (rest ? REST : 0),
    );
    if (fault !== null) out.push(fault);
    if (header !== null) out.push(this.headers.write(header));
    if (hasChanges) out.push(changes, lastId);
    if (rows === null) return;
    out.push(rows.length, rows.length === 0 ? 0 : rows[0].length);
    for (const row of rows) for (const value of row) out.push(value);
  }
}

export class AnswerReader {
  private readonly headers = new Things<Header>();

  read(written: readonly unknown[], each: (answer: Answer) => void): void {
    for (let at = 0; at < written.length;) {
      const id = written[at++] as number;
      const flags = written[at++] as number;
      const fault = flags & FAULT ? (written[at++] as Fault) : null;
      const header = flags & HEADER ? this.headers.read(written[at++] as Header | number) : null;
      const changes = flags & CHANGES ? (written[at++] as number) : 0;
      const lastId = flags & CHANGES ? (written[at++] as bigint | null) : null;
      let rows: Wire[][] | null = null;
      if (flags & ROWS) {
        const count = written[at++] as number;
        const width = written[at++] as number;
        rows = [];
        for (let i = 0; i < count; i++, at += width) rows.push(written.slice(at, at + width) as Wire[]);
      }
      each({ id, header, rows, more: (flags & MORE) !== 0, changes, lastId, rest: (flags & REST) !== 0, fault });
    }
  }
}
