import { createHmac } from 'node:crypto';
import { Errors, fail } from '../../vm/values/error.js';
import type { Int } from '../core/declare.js';
import { utf8Text } from '../core/bytes/base64.js';
import { hmac, isSignature, sameSecret } from '../io/secrets.js';
import type { Request } from '../web/request/request.js';
import { keyFor } from '../web/sessions/cookie.js';
import { authorizationOf } from './authorization.js';

/** Hexadecimal digits of a signature. */
const SIGNATURE = 64;
/** Maximum bytes of a token; servers accept no longer headers, so no HMAC is computed for longer ones. */
const MAX_TOKEN = 8192;

/**
 * First characters of a token that expires, `svc2.subject.time.signature`. It has no colon, so a check of the other form
 * refuses it.
 */
const TIMED = 'svc2.';
const TIMED_FORM = /^svc2\.([\w-]*)\.([0-9a-z]{1,11})\.([\w-]{43})$/;

/** Signs with a key of its own, so that no signature of a subject is one of a token that expires. */
function timedSignature(content: string, secret: string): string {
  return createHmac('sha256', keyFor(secret, 'timed token')).update(content).digest('base64url');
}

function timedToken(subject: string, secret: string, expires: number): string {
  const content = `${TIMED}${Buffer.from(subject).toString('base64url')}.${expires.toString(36)}`;
  return `${content}.${timedSignature(content, secret)}`;
}

function timedSubject(token: string, secret: string, now: number): string | null {
  const match = token.length > MAX_TOKEN ? null : TIMED_FORM.exec(token);
  if (match === null) return null;
  const [, subject, expires, signature] = match;
  const content = token.slice(0, -signature.length - 1);
  if (!sameSecret(signature, timedSignature(content, secret)) || Number.parseInt(expires, 36) <= now) return null;
  return Buffer.from(subject, 'base64url').toString();
}

/**
 * Creates the token `subject:signature`, or one that expires at `expires`, in milliseconds. @throws ArgumentError for a subject or secret that would make it unsafe or
 * unusable
 */
export function createToken(subject: string | Int | null, secret: string | null, expires: number | null): string {
  if (secret === null || secret === '')
    fail(Errors.ArgumentError, 'auth_token_create() needs a secret that is not empty');
  if (subject === null) fail(Errors.ArgumentError, 'auth_token_create() needs a subject, got nil');
  const text = String(subject);
  // \p{Cs} are lone surrogates, which have no bytes in UTF-8.
  if (/[\p{Cc}\p{Cs}]/u.test(text))
    fail(
      Errors.ArgumentError,
      'auth_token_create(): the subject contains a control character, which no header can carry',
    );
  const token = expires === null ? `${text}:${hmac(text, secret).toString('hex')}` : timedToken(text, secret, expires);
  if (Buffer.byteLength(token) > MAX_TOKEN)
    fail(Errors.ArgumentError, `auth_token_create(): the token would be longer than ${MAX_TOKEN} bytes`);
  return token;
}

/**
 * Decodes a header text with one character for each byte: as UTF-8 or, if invalid, as the Latin-1 that browsers'
 * `fetch` sends.
 */
function headerText(text: string): string {
  return utf8Text(Buffer.from(text, 'latin1')) ?? text;
}

function subjectOf(token: string, secret: string, now: number): string | null {
  if (token.startsWith(TIMED) && !token.includes(':')) return timedSubject(token, secret, now);
  const colon = token.lastIndexOf(':');
  if (colon < 0 || token.length - colon - 1 !== SIGNATURE || token.length > MAX_TOKEN) return null;
  const subject = headerText(token.slice(0, colon));
  return isSignature(token.slice(colon + 1), hmac(subject, secret)) ? subject : null;
}

/** The subject of a token, or null if it is invalid. An empty secret accepts nothing. */
export function verifyText(token: string | null, secret: string | null, now: number): string | null {
  if (token === null || secret === null || secret === '') return null;
  // As a header would carry it.
  return subjectOf(Buffer.from(token).toString('latin1'), secret, now);
}

/** The subject of a request's Bearer token, or null without a valid one. An empty secret accepts nothing. */
export function verifyToken(request: Request, secret: string | null, now: number): string | null {
  const given = authorizationOf(request);
  if (given?.scheme !== 'bearer' || secret === null || secret === '') return null;
  const { blanks, credentials } = given;
  // Any number of blanks may follow the scheme, but a subject may also begin with blanks: the signature decides.
  const subject = subjectOf(credentials, secret, now);
  return subject ?? (blanks === '' ? null : subjectOf(blanks + credentials, secret, now));
}
