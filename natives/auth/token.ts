import { Errors, fail } from '../../vm/values/error.js';
import type { Int } from '../core/declare.js';
import { utf8Text } from '../io/base64.js';
import { hmac, isSignature } from '../io/secrets.js';
import type { Request } from '../web/request/request.js';
import { authorizationOf } from './authorization.js';

/** Hexadecimal digits of a signature. */
const SIGNATURE = 64;
/** Longest token in bytes: no HMAC is computed of longer ones, and no header that servers accept holds them. */
const MAX_TOKEN = 8192;

/** `subject:signature`. @throws ArgumentError for what would be no safe or usable token */
export function createToken(subject: string | Int | null, secret: string | null): string {
  if (secret === null || secret === '')
    fail(Errors.ArgumentError, 'auth_token_create() needs a secret that is not empty');
  if (subject === null) fail(Errors.ArgumentError, 'auth_token_create() needs a subject, got nil');
  const text = String(subject);
  // \p{Cs} are halves of surrogate pairs: UTF-8 has no bytes for them.
  if (/[\p{Cc}\p{Cs}]/u.test(text))
    fail(Errors.ArgumentError, 'auth_token_create(): the subject holds a control character, which no header can carry');
  const token = `${text}:${hmac(text, secret as string).toString('hex')}`;
  if (Buffer.byteLength(token) > MAX_TOKEN)
    fail(Errors.ArgumentError, `auth_token_create(): the token would be longer than ${MAX_TOKEN} bytes`);
  return token;
}

/** Text of header characters, one for each byte: UTF-8, or the Latin-1 that browsers' `fetch` sends where it is no UTF-8. */
function headerText(text: string): string {
  return utf8Text(Buffer.from(text, 'latin1')) ?? text;
}

function subjectOf(token: string, secret: string): string | null {
  const colon = token.lastIndexOf(':');
  if (colon < 0 || token.length - colon - 1 !== SIGNATURE || token.length > MAX_TOKEN) return null;
  const subject = headerText(token.slice(0, colon));
  return isSignature(token.slice(colon + 1), hmac(subject, secret)) ? subject : null;
}

/** The subject of a request's Bearer token, or null when it has none with the right signature. An empty secret accepts nothing. */
export function verifyToken(request: Request, secret: string | null): string | null {
  const given = authorizationOf(request);
  if (given?.scheme !== 'bearer' || secret === null || secret === '') return null;
  const { blanks, credentials } = given;
  // Any number of blanks may follow the scheme, but a subject may begin with one, too: the signature tells.
  return subjectOf(credentials, secret) ?? (blanks === '' ? null : subjectOf(blanks + credentials, secret));
}
