/** A request of a `.http` file with its expected responses (spec-tests/web/README.md). */
export interface Exchange {
  /** The comment above the request, or its first line. */
  title: string;
  line: number;
  /** Actions of the client: sending bytes, pausing, ending or resetting the connection. */
  steps: Step[];
  /** Method of each request: a response to HEAD has no body. */
  methods: string[];
  /** Whether the request has its own connection; others share one. */
  isRaw: boolean;
  responses: ExpectedResponse[];
  /** Whether the server must close the connection after the responses. */
  closes: boolean;
}

export type Step = { send: Buffer } | { pause: number } | { end: true } | { reset: true };

export interface ExpectedResponse {
  /** `200`, or alternatives as in `431|414`. */
  status: string;
  headers: [name: string, value: string][];
  /** Null matches any body. */
  body: Buffer | RegExp | null;
}

/** Reads the exchanges of a `.http` file. @throws Error that names the line */
export function parseExchanges(text: string): Exchange[] {
  const exchanges: Exchange[] = [];
  let start = 0;
  const lines = text.split('\n');
  for (let i = 0; i <= lines.length; i++) {
    if (i < lines.length && lines[i] !== '---') continue;
    exchanges.push(parseExchange(lines.slice(start, i), start + 1));
    start = i + 1;
  }
  return exchanges;
}

function parseExchange(lines: string[], line: number): Exchange {
  const comments: string[] = [];
  let at = 0;
  for (; at < lines.length && (lines[at] === '' || lines[at].startsWith('#')); at++)
    comments.push(lines[at].replace(/^# ?/, ''));
  const arrows = lines.flatMap((text, i) => (text.startsWith('=> ') ? [i] : []));
  const [first] = arrows;
  if (first === undefined || first <= at)
    throw new Error(`line ${line + at}: an exchange is a request, then "=> STATUS"`);
  const isRaw = lines[at] === 'RAW';
  const request = isRaw ? rawRequest(lines.slice(at + 1, first)) : politeRequest(lines.slice(at, first));
  const expected = arrows.map((from, i) => lines.slice(from, arrows[i + 1]));
  const closes = expected.at(-1)?.[0] === '=> closed';
  if (closes) expected.pop();
  const title = comments.filter((text) => text !== '').join(' ') || lines[isRaw ? at + 1 : at];
  return {
    title,
    line: line + at,
    isRaw,
    ...request,
    closes,
    responses: expected.map((part) => parseResponse(part, line + at)),
  };
}

type Request = Pick<Exchange, 'steps' | 'methods'>;

function politeRequest(lines: string[]): Request {
  const { head, body } = splitHead(lines);
  const [requestLine, ...headers] = head;
  const [method = '', target = ''] = requestLine.split(/ (.*)/s);
  const fields = headers.map(fieldOf);
  const has = (name: string): boolean => fields.some(([known]) => known.toLowerCase() === name);
  const bytes = body === null ? null : exactBody(body);
  const chunked = has('transfer-encoding');
  if (!has('host')) fields.unshift(['Host', 'svc.test']);
  if (bytes !== null && !has('content-length') && !chunked) fields.push(['Content-Length', String(bytes.length)]);
  const sent = fields.filter(([, value]) => value !== '<absent>').map(([name, value]) => `${name}: ${value}\r\n`);
  const payload = bytes === null ? Buffer.alloc(0) : chunked ? inChunks(bytes) : bytes;
  return {
    steps: [{ send: Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${sent.join('')}\r\n`), payload]) }],
    methods: [method],
  };
}

const CHUNK = 1000;

function inChunks(body: Buffer): Buffer {
  const parts: (Buffer | string)[] = [];
  for (let at = 0; at < body.length; at += CHUNK) {
    const chunk = body.subarray(at, at + CHUNK);
    parts.push(`${chunk.length.toString(16)}\r\n`, chunk, '\r\n');
  }
  return Buffer.concat([...parts, '0\r\n\r\n'].map((part) => Buffer.from(part)));
}

/** Reads the lines of a RAW request: text with escapes, without line ends of the file, and directives. */
function rawRequest(lines: string[]): Request {
  const steps = lines.filter((line) => line !== '').map(rawStep);
  const text = Buffer.concat(steps.map((step) => ('send' in step ? step.send : Buffer.alloc(0)))).toString('latin1');
  return { steps, methods: [...text.matchAll(/^([A-Z]+) \S+ HTTP\//gm)].map(([, method]) => method) };
}

function rawStep(line: string): Step {
  const [, name, value = ''] = /^@(send|pause|end|reset)(?: (.*))?$/.exec(line) ?? [];
  switch (name) {
    case 'send':
      return { send: repeated(value) };
    case 'pause':
      return { pause: Number(value) };
    case 'end':
      return { end: true };
    case 'reset':
      return { reset: true };
    default:
      return { send: unescape(line) };
  }
}

function parseResponse(lines: string[], line: number): ExpectedResponse {
  const status = /^=> (\d{3}(?:\|\d{3})*)$/.exec(lines[0])?.[1];
  if (status === undefined)
    throw new Error(`line ${line}: "${lines[0]}" should be "=> STATUS", or at the end "=> closed"`);
  const { head, body } = splitHead(lines.slice(1));
  return { status, headers: head.map(fieldOf), body: body === null ? null : expectedBody(body) };
}

function expectedBody(body: string): Buffer | RegExp {
  if (body === '<empty>') return Buffer.alloc(0);
  return body.startsWith('~') ? new RegExp(body.slice(1), 's') : exactBody(body);
}

/** Splits lines at the first empty one: the lines before it, and the text after it (null if empty), trimmed at its end. */
function splitHead(lines: string[]): { head: string[]; body: string | null } {
  const blank = lines.indexOf('');
  if (blank < 0) return { head: lines, body: null };
  const body = lines
    .slice(blank + 1)
    .join('\n')
    .replace(/\n+$/, '');
  return { head: lines.slice(0, blank), body: body === '' ? null : body };
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 1) throw new Error(`"${line}" is not a header`);
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function exactBody(body: string): Buffer {
  return body.startsWith('@body ') ? repeated(body.slice('@body '.length)) : Buffer.from(body);
}

const PART = /"((?:[^"\\]|\\.)*)"(?: \* (\d+))? ?/gy;

/** Bytes of one or several `"text with escapes" * n`; the factor is optional. */
function repeated(text: string): Buffer {
  const parts = [...text.matchAll(PART)];
  if (parts.map(([whole]) => whole).join('') !== text || text === '')
    throw new Error(`${text} should be "text", "text" * n, or several of these`);
  return Buffer.concat(
    parts.map(([, quoted, times = '1']) => {
      const bytes = unescape(quoted);
      return Buffer.alloc(bytes.length * Number(times), bytes);
    }),
  );
}

const ESCAPES: Record<string, string> = { r: '\r', n: '\n', t: '\t', 0: '\0', '\\': '\\', '"': '"' };

/** Replaces the escapes `\r \n \t \0 \\ \" \xHH` (one byte); other characters are UTF-8. */
export function unescape(text: string): Buffer {
  const parts = text.split(/(\\x[0-9a-f]{2}|\\.)/i).map((part) => {
    if (/^\\x[0-9a-f]{2}$/i.test(part)) return Buffer.from(part.slice(2), 'hex');
    return Buffer.from(part.startsWith('\\') ? (ESCAPES[part[1]] ?? part) : part);
  });
  return Buffer.concat(parts);
}
