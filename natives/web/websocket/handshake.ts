import type { IncomingMessage } from 'node:http';

/** Reason for refusing a handshake: the status, and the header fields for the answer. */
export interface HandshakeProblem {
  status: number;
  text: string;
  fields: readonly string[];
}

const problem = (status: number, text: string, ...fields: string[]): HandshakeProblem => ({ status, text, fields });

/** Whether a request asks to become a WebSocket; other protocols are ignored (RFC 9110, 7.8). */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return (headers.upgrade ?? '')
    .toLowerCase()
    .split(',')
    .some((protocol) => protocol.trim() === 'websocket');
}

/** Answer to a plain request for a WebSocket's path (RFC 9110, 15.5.22). */
export const UPGRADE_REQUIRED = problem(426, 'Upgrade Required', 'Upgrade', 'websocket', 'Sec-WebSocket-Version', '13');

export const BAD_REQUEST = problem(400, 'Bad Request');
export const NOT_FOUND = problem(404, '404 Not Found');
export const FOREIGN_ORIGIN = problem(403, 'this origin may not connect');
export const UNAVAILABLE = problem(503, 'Service Unavailable', 'Retry-After', '1');

/** Returns the problem of an opening handshake (RFC 6455, 4.2.1), or null. */
export function handshakeProblem({ method, headers, httpVersionMinor }: IncomingMessage): HandshakeProblem | null {
  if (method !== 'GET') return problem(400, 'a WebSocket handshake is a GET request');
  if (httpVersionMinor < 1) return problem(400, 'a WebSocket handshake needs HTTP/1.1');
  if (headers['sec-websocket-version'] !== '13') return UPGRADE_REQUIRED;
  // Two such fields arrive joined by a comma, so the test fails.
  const key = headers['sec-websocket-key'];
  if (key === undefined || !/^[+/0-9A-Za-z]{22}==$/.test(key))
    return problem(400, 'Sec-WebSocket-Key is missing or is not 16 bytes in base64');
  return null;
}

/**
 * Whether a page of `origin` may connect. Clients other than browsers send none, and this check does not concern them.
 */
export function isAllowedOrigin(origin: string | undefined, origins: readonly string[] | null): boolean {
  return (
    origins === null ||
    origin === undefined ||
    origins.includes('*') ||
    origins.some((allowed) => allowed.toLowerCase() === origin.toLowerCase())
  );
}
