import { type PartHead, type RawHead, readHead } from '../../natives/web/request/upload/head.js';
import { MultipartParser } from '../../natives/web/request/upload/parser.js';
import { boundaryOf, isMultipartForm } from '../../natives/web/request/upload/upload.js';
import { decodeFormText } from '../../natives/http/percent.js';

/** Returns the new value of a field; null: it stays unchanged. */
export type Replace = (name: string) => string | null;

/** Encodes a value for a URL. Brackets are not encoded, so that the text in place of a secret stays readable. */
function encoded(value: string): string {
  return encodeURIComponent(value).replaceAll('%5B', '[').replaceAll('%5D', ']');
}

/** Replaces values of parameters in a query, or in a URL-encoded body. */
export function mapQuery(text: string, replace: Replace): string {
  return text
    .split('&')
    .map((pair) => {
      const end = pair.indexOf('=');
      const value = end < 0 ? null : replace(decodeFormText(pair.slice(0, end)));
      return value === null ? pair : `${pair.slice(0, end)}=${encoded(value)}`;
    })
    .join('&');
}

const COLON = /\s*:\s*/y;
const SCALAR_END = /[\s,}\]]/g;

/** Returns the offset after the JSON string that begins at `at`. */
function stringEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === 0x22) return i + 1;
  }
  return text.length;
}

/** Returns the offset after the JSON value that begins at `at`. */
function valueEnd(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return stringEnd(text, at);
  if (first !== '{' && first !== '[') {
    SCALAR_END.lastIndex = at;
    return SCALAR_END.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const sign = text[i];
    if (sign === '"') i = stringEnd(text, i) - 1;
    else if (sign === '{' || sign === '[') depth++;
    else if ((sign === '}' || sign === ']') && --depth === 0) return i + 1;
  }
  return text.length;
}

function nameOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

/**
 * Replaces values of keys in JSON, at any depth, except null. Changes only these parts of the text, so that the rest
 * keeps its form; the text may be invalid JSON.
 */
export function mapJson(text: string, replace: Replace): string {
  let out = '';
  let done = 0;
  for (let at = text.indexOf('"'); at >= 0 && at < text.length; at = text.indexOf('"', at)) {
    const start = at;
    at = stringEnd(text, at);
    COLON.lastIndex = at;
    if (!COLON.test(text)) continue;
    const from = COLON.lastIndex;
    const value = replace(nameOf(text.slice(start, at)));
    at = from;
    if (value === null || text.startsWith('null', from) || from === text.length) continue;
    at = valueEnd(text, from);
    out += text.slice(done, from) + JSON.stringify(value);
    done = at;
  }
  return out + text.slice(done);
}

interface Part {
  raw: RawHead;
  head: PartHead;
  data: Buffer[];
}

/** Replaces values of fields in a multipart form, but no files. Returns null if the form is malformed. */
function mapMultipart(body: Buffer, boundary: string, replace: Replace): Buffer | null {
  const parts: Part[] = [];
  const parser = new MultipartParser(boundary, {
    head: (raw) => {
      const head = readHead(raw);
      if (head !== null) parts.push({ raw, head, data: [] });
      return head !== null;
    },
    data: (bytes) => void parts[parts.length - 1].data.push(bytes),
    end: () => {},
  });
  if (!parser.write(body) || !parser.isDone) return null;
  const pieces = parts.flatMap(({ raw, head, data }) => {
    const lines = Object.entries(raw).flatMap(([name, values]) =>
      (values ?? []).map((value) => `${name}: ${value}\r\n`),
    );
    const value = head.filename === null ? replace(head.name) : null;
    return [
      Buffer.from(`--${boundary}\r\n${lines.join('')}\r\n`, 'latin1'),
      ...(value === null ? data : [Buffer.from(value)]),
      Buffer.from('\r\n'),
    ];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`, 'latin1')]);
}

/** Replaces values of fields in a body of JSON or of an HTML form. Returns null for a malformed multipart form. */
export function mapBody(body: Buffer, contentType: string, replace: Replace): Buffer | null {
  if (isMultipartForm(contentType)) {
    const boundary = boundaryOf(contentType);
    return boundary === null ? null : mapMultipart(body, boundary, replace);
  }
  if (/^application\/x-www-form-urlencoded/i.test(contentType))
    return Buffer.from(mapQuery(body.toString('latin1'), replace), 'latin1');
  return /^[\w.+-]+\/(?:[\w.+-]+\+)?json/i.test(contentType) ? Buffer.from(mapJson(body.toString(), replace)) : body;
}
