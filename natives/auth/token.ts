import { Errors, fail } from '../../vm/values/error.js';
import type { Int } from '../core/declare.js';
import { utf8Text } from '../core/bytes/base64.js';
import { hmac, isSignature } from '../io/secrets.js';
import type { Request } from '../web/request/request.js';
import { authorizationOf } from './authorization.js';

/** Hexadecimal digits of a signature. */
const SIGNATURE = 64;
/** Maximum bytes of a token; servers accept no longer headers, so no HMAC is computed for longer ones. */
const MAX_TOKEN = 8192;

/**
 * Creates the token `subject:signature`. @throws ArgumentError for a subject or secret that would make it unsafe or
 * unusable
 */
export function createToken(subject: string | Int | null, secret: string | null): string {
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
  const token = `${text}:${hmac(text, secret).toString('hex')}`;
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

function subjectOf(token: string, secret: string): string | null {
  const colon = token.lastIndexOf(':');
  if (colon < 0 || token.length - colon - 1 !== SIGNATURE || token.length > MAX_TOKEN) return null;
  const subject = headerText(token.slice(0, colon));
  return isSignature(token.slice(colon + 1), hmac(subject, secret)) ? subject : null;
}

/** The subject of a request's Bearer token, or null without a valid signature. An empty secret accepts nothing. */
export function verifyToken(request: Request, secret: string | null): string | null {
  const given = authorizationOf(request);
  if (given?.scheme !== 'bearer' || secret === null || secret === '') return null;
  const { blanks, credentials } = given;
  // Any number of blanks may follow the scheme, but a subject may also begin with blanks: the signature decides.
  return subjectOf(credentials, secret) ?? (blanks === '' ? null : subjectOf(blanks + credentials, secret));
}
