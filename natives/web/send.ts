import type { ServerResponse } from 'node:http';
import type { Exchange } from './exchange.js';
import type { Response } from './response.js';

/** Header fields of a response, flat, without Content-Length. */
export function headerFields(response: Response): string[] {
  const fields = response.allFields();
  return response.contentType === null ? fields.slice() : ['Content-Type', response.contentType, ...fields];
}

/** Whether a status never has a body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5). */
export function isBare(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** Longer texts are turned into bytes at once: node would keep the text, and its bytes too, as long as the client takes to read them. */
const LONG_TEXT = 65_536;

/** Sends a response with its whole body; none for HEAD, 204 and 304. */
export function sendResponse(exchange: Exchange, response: Response): void {
  const { res, isHead } = exchange;
  const { status, body } = response;
  const headers = headerFields(response);
  const bare = isBare(status);
  const size = bare ? 0 : Buffer.byteLength(body);
  // 205 has content of no bytes, the others have none.
  if (!bare || status === 205) headers.push('Content-Length', String(size));
  res.writeHead(status, headers);
  if (isHead || bare) res.end();
  else {
    exchange.bytes = size;
    // Node writes a text and the head before it in one encoding: the head must stay Latin-1.
    res.end(typeof body === 'string' && (size > LONG_TEXT || response.hasLatin) ? Buffer.from(body) : body);
  }
}

/** Sends a short text of the library's own. */
export function sendText(res: ServerResponse, status: number, text: string, close = false, extra: readonly string[] = []): void {
  if (res.headersSent || res.destroyed) return;
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(Buffer.byteLength(text)), ...extra];
  if (close) headers.push('Connection', 'close');
  res.writeHead(status, headers);
  res.end(text);
}
