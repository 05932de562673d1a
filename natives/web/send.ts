import type { ServerResponse } from 'node:http';
import type { Response } from './response.js';

/** Sends a response; without a body for HEAD, 204 and 304. */
export function sendResponse(res: ServerResponse, response: Response, isHead: boolean, close: boolean): void {
  const { status, body, contentType } = response;
  const fields = response.allFields();
  const headers = contentType === null ? fields.slice() : ['Content-Type', contentType, ...fields];
  if (close) headers.push('Connection', 'close');
  const bare = status === 204 || status === 304;
  if (!bare) headers.push('Content-Length', String(Buffer.byteLength(body)));
  res.writeHead(status, headers);
  if (isHead || bare) res.end();
  else res.end(body);
}

/** Sends a short text of the library's own. */
export function sendText(res: ServerResponse, status: number, text: string, close = false): void {
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(Buffer.byteLength(text))];
  if (close) headers.push('Connection', 'close');
  res.writeHead(status, headers);
  res.end(text);
}
