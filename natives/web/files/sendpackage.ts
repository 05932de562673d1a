import type { Stats } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import send from 'send';
import type { Exchange } from '../request/exchange.js';
import type { Response } from '../response/response.js';
import { isMatched, rangeOf, type Validators } from './conditions.js';
import type { FileContent } from './content.js';
import type { Opened } from './find.js';

/** Bytes counted for a file while it is sent: read-ahead plus what waits in the socket. */
const STREAM_BYTES = 128 * 1024;

/** Fields that describe the file; removed from an answer that does not contain it. */
const OF_THE_FILE = ['Content-Disposition', 'Cache-Control', 'Last-Modified', 'ETag', 'Content-Encoding'];

/**
 * Lets the package `send` answer; it evaluates ranges and conditions. The bytes come from memory or from an open
 * descriptor, never from a path: `send` would check the path and then open it, and the file could have been replaced in
 * between. Always closes `opened`.
 */
export function answerBySend(exchange: Exchange, response: Response, file: FileContent, opened: Opened | null): void {
  const { res } = exchange;
  announce(res, response, file);
  const { method } = exchange.req;
  // For other methods the conditions would have to be checked before the handler runs.
  const headers = response.status === 200 && (method === 'GET' || method === 'HEAD') ? exchange.req.headers : {};
  const validators = {
    etag: res.getHeader('ETag') as string | undefined,
    modified: res.getHeader('Last-Modified') as string | undefined,
  };
  if (headers['if-match'] !== undefined && !isMatched(headers['if-match'], validators)) {
    refuse(exchange, { status: 412, message: 'Precondition Failed' });
    opened?.handle.close().catch(() => {});
    return;
  }
  // `send` reads only the method and these headers of the request.
  const asked = { method, headers: askedHeaders(headers, validators, exchange.isHead, file.size) } as IncomingMessage;
  const sending = send(asked, '/file', { index: false, cacheControl: false, lastModified: false });
  let streamed = false;
  sending.sendFile = () => sending.send('/file', { size: file.size } as Stats);
  sending.stream = (_path, range) => {
    const { start, end } = range as { start: number; end: number };
    // `send` also asks for byte 0 of an empty file.
    const length = Math.min(end + 1, file.size) - start;
    if (opened === null) {
      exchange.bytes = length;
      res.end((file.body as Buffer).subarray(start, start + length));
    } else if (length === 0) res.end();
    else if (!exchange.admits(STREAM_BYTES)) {
      res.setHeader('Retry-After', '1');
      refuse(exchange, { status: 503, message: 'Service Unavailable' });
    } else {
      exchange.hold(STREAM_BYTES);
      streamed = true;
      stream(exchange, opened, start, length);
    }
  };
  sending.on('error', (error: { status: number; message: string }) => refuse(exchange, error));
  sending.pipe(res);
  if (!streamed) opened?.handle.close().catch(() => {});
}

/** The conditions and the range left to `send`, which compares loosely; If-Match and If-Range are decided here. */
function askedHeaders(
  headers: IncomingHttpHeaders,
  validators: Validators,
  isHead: boolean,
  size: number,
): IncomingHttpHeaders {
  // If-Unmodified-Since is ignored beside If-Match, and when the modification time is unknown (RFC 9110 13.2.2 and
  // 13.1.4).
  const asksTime = headers['if-match'] === undefined && validators.modified !== undefined;
  const asked = {
    ...headers,
    'if-match': undefined,
    'if-range': undefined,
    'if-unmodified-since': asksTime ? headers['if-unmodified-since'] : undefined,
  };
  // Ranges apply to GET only (14.2).
  asked.range = isHead ? undefined : rangeOf(headers, validators);
  // The last N bytes of a file with fewer than N are the whole file (14.1.2); `send` refuses such a range.
  const last = asked.range === undefined ? null : /^bytes=-(\d+) *$/.exec(asked.range);
  if (last !== null && size > 0 && Number(last[1]) > size) asked.range = 'bytes=0-';
  return asked;
}

function announce(res: ServerResponse, response: Response, file: FileContent): void {
  res.statusCode = response.status;
  res.setHeader('Content-Type', response.contentType ?? file.announcement.type);
  const fields = response.allFields();
  for (let i = 0; i < fields.length; i += 2) res.appendHeader(fields[i], fields[i + 1]);
  const own = [
    ['Cache-Control', file.announcement.cacheControl],
    ['Last-Modified', file.modified],
    ['ETag', file.etag],
  ] as const;
  for (const [name, value] of own) if (value !== null && !res.hasHeader(name)) res.setHeader(name, value);
  if (file.encoding !== null) res.setHeader('Content-Encoding', file.encoding);
}

/** Answers 412, 416 or 503 as plain text, like all of the library's own answers. */
function refuse(exchange: Exchange, { status, message }: { status: number; message: string }): void {
  const { res, isHead } = exchange;
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const text = `${status} ${message}`;
  for (const name of OF_THE_FILE) res.removeHeader(name);
  res.statusCode = status;
  res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  exchange.bytes = isHead ? 0 : Buffer.byteLength(text);
  res.end(isHead ? undefined : Buffer.from(text));
}

/**
 * Sends `length` bytes starting at `start`. If the file has shrunk, the connection is closed: there is no other way to
 * tell the client.
 */
function stream(exchange: Exchange, { handle }: Opened, start: number, length: number): void {
  const { res } = exchange;
  // The stream closes the descriptor when it ends or is destroyed.
  const file = handle.createReadStream({ start, end: start + length - 1 });
  file.on('data', (part) => (exchange.bytes += part.length));
  file.on('end', () => {
    if (file.bytesRead === length) res.end();
    else res.destroy();
  });
  file.on('error', () => res.destroy());
  res.on('close', () => file.destroy());
  file.pipe(res, { end: false });
}
