import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Hash } from '../../vm/values/hash.js';
import type { Request } from '../web/request/request.js';

/** The part of a SvcSession used here. */
export interface SessionData {
  readonly data: Hash;
}

/** Key in the session, and name of the form field. */
const NAME = '_csrf';
const HEADER = 'x-csrf-token';
const BYTES = 32;
const SECRET = /^[\w-]{43}$/;
const TOKEN = /^[\w-]{86}$/;
/** Methods without side effects (RFC 9110 9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
const ORIGIN = /^(https?):\/\/([^/?#@\s]+)$/;

/** The secret of a session, or null if missing or malformed: the client may have replaced it. */
function secretOf({ data }: SessionData): Buffer | null {
  const text = data.get(NAME);
  return typeof text === 'string' && SECRET.test(text) ? Buffer.from(text, 'base64url') : null;
}

function xor(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, i) => byte ^ b[i]));
}

/**
 * A token for the forms of a session; the session's secret is created on first use. The secret is masked with random
 * bytes, which precede it, so that the token differs each time: a constant secret could be guessed from the length of
 * compressed pages (BREACH).
 */
export function csrfToken(session: SessionData): string {
  let secret = secretOf(session);
  if (secret === null) {
    secret = randomBytes(BYTES);
    session.data.set(NAME, secret.toString('base64url'));
  }
  const mask = randomBytes(BYTES);
  return Buffer.concat([mask, xor(mask, secret)]).toString('base64url');
}

/** Whether a request carries a valid token of the session in its header or else in its form. */
function hasToken(request: Request, session: SessionData): boolean {
  const given = request.header(HEADER) ?? request.form.get(NAME);
  const secret = secretOf(session);
  if (secret === null || typeof given !== 'string' || !TOKEN.test(given)) return false;
  const bytes = Buffer.from(given, 'base64url');
  return timingSafeEqual(xor(bytes.subarray(0, BYTES), bytes.subarray(BYTES)), secret);
}

/**
 * Whether an Origin header names the host that the request was sent to. The scheme's default port may be present or
 * omitted.
 */
function isOwnOrigin(origin: string, host: string | null): boolean {
  const match = ORIGIN.exec(origin.toLowerCase());
  if (match === null || host === null) return false;
  const implied = match[1] === 'https' ? /:443$/ : /:80$/;
  const ownHost = host.toLowerCase().replace(implied, '');
  return match[2].replace(implied, '') === ownHost;
}

/**
 * Whether a request was sent by a page of this application. Browsers report where a request comes from in headers that
 * no page can change: Sec-Fetch-Site, or Origin where that is missing. If both are missing the token decides.
 */
export function csrfCheck(request: Request, session: SessionData): boolean {
  if (SAFE.has(request.parts.method)) return true;
  const site = request.header('sec-fetch-site');
  if (site === 'same-origin' || site === 'none') return true;
  if (site === 'cross-site') return false;
  const origin = request.header('origin');
  return origin !== null ? isOwnOrigin(origin, request.header('host')) : hasToken(request, session);
}
