import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { tooManyCookies } from '../../http/cookies.js';
import { isToken } from '../../http/headers.js';
import { tooManyPairs } from '../../http/pairs.js';
import type { Settings } from '../config/settings.js';
import { authorityOf, type Target } from '../../http/target.js';

/** The library's own answer to a request that reaches no route. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
  /** Seconds after which the client may retry. */
  readonly retryAfter?: number;
}

export const BAD_REQUEST: Refusal = { status: 400, text: 'Bad Request' };
export const EARLY_HANDSHAKE: Refusal = {
  status: 400,
  text: 'a WebSocket handshake must wait for the answers to earlier requests',
};
export const EXPECTATION_FAILED: Refusal = { status: 417, text: 'Expectation Failed' };
const NOT_IMPLEMENTED: Refusal = { status: 501, text: 'Not Implemented' };
export const TOO_LARGE: Refusal = { status: 413, text: 'Content Too Large' };
/** The server is overloaded. */
export const UNAVAILABLE: Refusal = { status: 503, text: 'Service Unavailable', retryAfter: 1 };
const FIELDS_TOO_LARGE: Refusal = { status: 431, text: 'Request Header Fields Too Large' };

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);

/**
 * Returns why a parsed head is refused before its body is read, or null. Sets the request's host to that of an absolute
 * target.
 */
export function problemOf(req: IncomingMessage, target: Target, settings: Settings): Refusal | null {
  if (req.httpVersionMajor !== 1) return BAD_REQUEST;
  const coding = codingProblem(req);
  if (coding !== null) return coding;
  if (!METHODS.has(req.method as string)) return NOT_IMPLEMENTED;
  if (req.rawHeaders.length > settings.header_fields * 2) return FIELDS_TOO_LARGE;
  if (!hasGoodTarget(req, target) || !hasGoodHost(req)) return BAD_REQUEST;
  const { cookie } = req.headers;
  if (cookie !== undefined && (cookie.length > settings.cookie_bytes || tooManyCookies(cookie, settings.query_pairs)))
    return FIELDS_TOO_LARGE;
  return tooManyPairs(target.query, settings.query_pairs) ? BAD_REQUEST : null;
}

/**
 * Only `chunked` is decoded. A proxy might frame any other coding differently (request smuggling). An unknown coding
 * under the chunks is 501. Anything else is 400, as is any transfer coding in HTTP/1.0 (RFC 9112 6.1).
 */
function codingProblem(req: IncomingMessage): Refusal | null {
  const field = req.headers['transfer-encoding'];
  if (field === undefined) return null;
  if (req.httpVersionMinor === 0) return BAD_REQUEST;
  const codings = field
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  if (codings.pop() !== 'chunked') return BAD_REQUEST;
  if (codings.length === 0) return null;
  return codings.every((coding) => isToken(coding) && coding !== 'chunked') ? NOT_IMPLEMENTED : BAD_REQUEST;
}

/** Accepts a path, `*` for OPTIONS, or an absolute address, whose host then replaces the Host field (RFC 9112 3.2). */
function hasGoodTarget(req: IncomingMessage, { path }: Target): boolean {
  if (!path.startsWith('/')) return path === '*' && req.method === 'OPTIONS';
  const url = req.url as string;
  if (url.startsWith('/')) return true;
  const authority = authorityOf(url);
  if (authority === null || !isHost(authority)) return false;
  replaceHost(req, authority);
  return true;
}

/** Sets the host of a request. A missing or duplicate Host field is still refused later. */
function replaceHost(req: IncomingMessage, host: string): void {
  const raw = req.rawHeaders.slice();
  const at = raw.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === 'host');
  if (at >= 0) raw[at + 1] = host;
  else if (req.httpVersionMinor === 0) raw.push('Host', host);
  req.rawHeaders = raw;
  req.headers.host = host;
}

/**
 * Requires exactly one Host field with a valid value. HTTP/1.0 needs none, and for `*` it may be empty (RFC 9112 3.2).
 */
function hasGoodHost({ rawHeaders, httpVersionMinor, url }: IncomingMessage): boolean {
  let host: string | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].length !== 4 || rawHeaders[i].toLowerCase() !== 'host') continue;
    if (host !== null) return false;
    host = rawHeaders[i + 1];
  }
  if (host === null) return httpVersionMinor === 0;
  return host === '' ? httpVersionMinor === 0 || url === '*' : isHost(host);
}

// Names as used in DNS and URLs, without the delimiters that RFC 3986 3.2.2 allows: a list or a query in a Host is an
// attack.
const NAME = /^(?:[\w.~-]|%[\da-f]{2})+(?::\d{0,5})?$/i;
const LITERAL = /^\[([\da-f:.]+)\](?::\d{0,5})?$/i;

/** The last valid host, kept as a fast path: nearly all requests of a service name the same one. */
let known = 'localhost';

/** Whether a text is a host with an optional port. */
function isHost(text: string): boolean {
  if (text === known || NAME.test(text)) {
    known = text;
    return true;
  }
  const literal = LITERAL.exec(text);
  return literal !== null && isIPv6(literal[1]);
}
