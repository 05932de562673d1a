import type { ServerResponse } from 'node:http';
import type { Exchange } from '../request/exchange.js';
import type { Response } from './response.js';

/** Header fields of a response as a flat list, with Content-Length if the body's length in bytes is given. */
export function headerFields(response: Response, size: number | null = null): string[] {
  const { contentType } = response;
  const fields = response.allFields();
  // Most responses have no other fields: a list of the right size from the start.
  if (fields.length === 0 && contentType !== null && size !== null)
    return ['Content-Type', contentType, 'Content-Length', String(size)];
  const all = contentType === null ? fields.slice() : ['Content-Type', contentType, ...fields];
  if (size !== null) all.push('Content-Length', String(size));
  return all;
}

/** Whether a status never has a body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5). */
export function isBare(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** Bytes or UTF-16 units of a long body passed to node in one write. */
export const SLICE = 128 * 1024;
/** Longer texts are measured in steps: measuring 5 MB takes several milliseconds. */
const STEPWISE_THRESHOLD = 2 * SLICE;
/**
 * Longer texts are converted to bytes first: node would keep both the text and its bytes until the client has read
 * them.
 */
const KEPT_TEXT = 64 * 1024;

/** Steps that count the bytes of a response's body; null when they can be counted at once. */
export function measureSteps({ body, status }: Response): Generator<void, number, void> | null {
  return typeof body === 'string' && body.length > STEPWISE_THRESHOLD && !isBare(status) ? byteLength(body) : null;
}

function* byteLength(text: string): Generator<void, number, void> {
  let bytes = 0;
  for (let at = 0; at < text.length;) {
    const end = sliceEnd(text, at + SLICE);
    bytes += Buffer.byteLength(text.slice(at, end));
    at = end;
    yield;
  }
  return bytes;
}

/**
 * Sends a response with its complete body; no body for HEAD, 204, 205 and 304. `measured` is the body's length in
 * bytes, if known.
 */
export function sendResponse(exchange: Exchange, response: Response, measured: number | null = null): void {
  const { res, isHead } = exchange;
  const { status, body } = response;
  const bare = isBare(status);
  const size = bare ? 0 : (measured ?? Buffer.byteLength(body));
  // 205 has a body of zero bytes; 204 and 304 have none.
  res.writeHead(status, headerFields(response, !bare || status === 205 ? size : null));
  if (isHead || bare) res.end();
  // Node writes the head in the same encoding as a text body, but the head must stay Latin-1.
  else
    sendBody(
      exchange,
      typeof body === 'string' && body.length <= SLICE && response.hasLatin ? Buffer.from(body) : body,
      size,
    );
}

/** Milliseconds of one event loop turn spent on slices: new connections wait for its end. */
const TURN_MS = 0.5;
/** Bodies whose clients have read the last slice, in that order. */
let ready: (() => void)[] = [];

function inTurn(next: () => void): void {
  if (ready.push(next) === 1) setImmediate(sendSlices);
}

function sendSlices(): void {
  const until = performance.now() + TURN_MS;
  let at = 0;
  while (at < ready.length && performance.now() < until) ready[at++]();
  ready = ready.slice(at);
  if (ready.length > 0) setImmediate(sendSlices);
}

/**
 * Sends the body after the head; `size` is in bytes. A long body is passed to node one slice at a time, so that a slow
 * client costs little memory and a fast one does not hold up others.
 */
export function sendBody(exchange: Exchange, body: string | Buffer, size: number): void {
  if (body.length <= SLICE) {
    exchange.bytes = size;
    exchange.res.end(typeof body === 'string' && size > KEPT_TEXT ? Buffer.from(body) : body);
    return;
  }
  const { res } = exchange;
  // One byte for each unit means ASCII, which latin1 copies without inspecting the characters.
  const encoding = size === body.length ? 'latin1' : 'utf8';
  let at = 0;
  const next = (): void => {
    if (exchange.isGone) return;
    for (;;) {
      const end = sliceEnd(body, at + SLICE);
      const slice = typeof body === 'string' ? Buffer.from(body.slice(at, end), encoding) : body.subarray(at, end);
      at = end;
      exchange.bytes += slice.length;
      if (at >= body.length) return void res.end(slice);
      if (!res.write(slice)) return;
    }
  };
  res.on('drain', () => inTurn(next));
  next();
}

/** Returns `at`, or `at + 1` where cutting at `at` would split a surrogate pair. */
export function sliceEnd(body: string | Buffer, at: number): number {
  return typeof body === 'string' && at < body.length && (body.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at + 1 : at;
}

/** Sends a short text of the library in answer to a request that observers may see. */
export function answerText(
  exchange: Exchange,
  status: number,
  text: string,
  close: boolean,
  extra: readonly string[],
): void {
  if (exchange.res.headersSent || exchange.res.destroyed) return;
  sendText(exchange.res, status, text, close, extra);
  exchange.bytes = exchange.isHead ? 0 : Buffer.byteLength(text);
}

/** Sends a short text that is the library's own. */
export function sendText(
  res: ServerResponse,
  status: number,
  text: string,
  close = false,
  extra: readonly string[] = [],
): void {
  if (res.headersSent || res.destroyed) return;
  const headers = [
    'Content-Type',
    'text/plain; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(text)),
    ...extra,
  ];
  if (close) headers.push('Connection', 'close');
  res.writeHead(status, headers);
  res.end(text);
}
