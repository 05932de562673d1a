import { isToken } from '../../../http/headers.js';
import type { RawHead } from './head.js';

/** Receives the parser's events, for each part in the order head, data, end. */
export interface PartSink {
  /** Starts a part; returns false to refuse the body. */
  head(head: RawHead): boolean;
  data(bytes: Buffer): void;
  end(): void;
}

const CRLF = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
/** Maximum bytes, and lines, of the head of a part. */
const MAX_HEAD = 8 * 1024;
const MAX_LINES = 16;
/** Maximum blanks after a boundary. */
const MAX_PADDING = 256;

type State = 'preamble' | 'boundary' | 'head' | 'data' | 'epilogue';

/** Splits a multipart body (RFC 2046 5.1.1) as it arrives. */
export class MultipartParser {
  private readonly delimiter: Buffer;
  private state: State = 'preamble';
  /**
   * Received bytes not yet parsed. Starts with a line end, since a body may begin with a boundary that has none before
   * it.
   */
  private rest: Buffer = CRLF;
  /** Bytes at the start of `rest` that are the head's line end, not data; they may belong to a boundary. */
  private skip = 2;

  constructor(
    boundary: string,
    private readonly sink: PartSink,
  ) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  /** Whether the closing boundary has been read. */
  get isDone(): boolean {
    return this.state === 'epilogue';
  }

  /** Parses the next bytes. Returns false when the body is malformed; do not call it again then. */
  write(chunk: Buffer): boolean {
    if (this.isDone) return true;
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    for (;;) {
      const went = this.step();
      if (went !== 'on') return went === 'wait';
    }
  }

  private step(): 'on' | 'wait' | 'malformed' {
    switch (this.state) {
      case 'preamble':
      case 'data':
        return this.content();
      case 'boundary':
        return this.boundaryEnd();
      case 'head':
        return this.headEnd();
      case 'epilogue':
        return 'wait';
    }
  }

  /** Passes on data up to the next boundary; data before the first one is discarded. */
  private content(): 'on' | 'wait' {
    const { rest, delimiter } = this;
    const at = rest.indexOf(delimiter);
    const end = at < 0 ? rest.length - delimiter.length + 1 : at;
    if (end > this.skip && this.state === 'data') this.sink.data(rest.subarray(this.skip, end));
    this.skip = Math.max(0, this.skip - Math.max(0, end));
    if (at < 0) {
      this.rest = rest.subarray(Math.max(0, end));
      return 'wait';
    }
    if (this.state === 'data') this.sink.end();
    this.rest = rest.subarray(at + delimiter.length);
    this.state = 'boundary';
    return 'on';
  }

  /** Parses the rest of a boundary line: `--`, or blanks added in transport and the line end. */
  private boundaryEnd(): 'on' | 'wait' | 'malformed' {
    const { rest } = this;
    if (rest.length >= 2 && rest[0] === 0x2d && rest[1] === 0x2d) {
      this.state = 'epilogue';
      this.rest = rest.subarray(rest.length);
      return 'wait';
    }
    let at = 0;
    while (rest[at] === 0x20 || rest[at] === 0x09) at++;
    if (at > MAX_PADDING) return 'malformed';
    if (rest.length < at + 2) return 'wait';
    if (rest[at] !== 0x0d || rest[at + 1] !== 0x0a) return 'malformed';
    this.rest = rest.subarray(at);
    this.state = 'head';
    return 'on';
  }

  /** Parses the lines up to the empty one. `rest` begins with the line end before them. */
  private headEnd(): 'on' | 'wait' | 'malformed' {
    const { rest } = this;
    const at = rest.indexOf(HEAD_END);
    if ((at < 0 ? rest.length - HEAD_END.length : at) > MAX_HEAD) return 'malformed';
    if (at < 0) return 'wait';
    const head = headOf(rest.toString('latin1', 2, Math.max(2, at)));
    if (head === null || !this.sink.head(head)) return 'malformed';
    this.rest = rest.subarray(at + 2);
    this.skip = 2;
    this.state = 'data';
    return 'on';
  }
}

/** Header fields by lower-case name; null when malformed or when there are too many lines. */
function headOf(text: string): RawHead | null {
  const head = Object.create(null) as Record<string, string[]>;
  const lines = text === '' ? [] : text.replace(/\r\n(?=[ \t])/g, '').split('\r\n');
  if (lines.length > MAX_LINES) return null;
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!isToken(name) || /[\r\n]/.test(line)) return null;
    (head[name] ??= []).push(line.slice(colon + 1).trim());
  }
  return head;
}
