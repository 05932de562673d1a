import { decodeBase64, utf8Text } from '../core/bytes/base64.js';
import { sameSecret } from '../io/secrets.js';
import type { Request } from '../web/request/request.js';
import { authorizationOf } from './authorization.js';

/**
 * Name and password of a request's Basic credentials (RFC 7617). null when missing, not base64, not UTF-8, without a
 * colon, or with control characters.
 */
function credentialsOf(request: Request): { user: string; password: string } | null {
  const given = authorizationOf(request);
  if (given?.scheme !== 'basic') return null;
  const bytes = decodeBase64(given.credentials);
  const pair = bytes === null ? null : utf8Text(bytes);
  const colon = pair?.indexOf(':') ?? -1;
  if (pair === null || colon < 0 || /\p{Cc}/u.test(pair)) return null;
  return { user: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

/**
 * Whether a request has the expected Basic credentials. An expected nil, such as a missing setting, matches nothing.
 */
export function basicAuthOk(request: Request, user: string | null, password: string | null): boolean {
  const given = credentialsOf(request);
  if (given === null || user === null || password === null) return false;
  // Always compare both, so that the time does not reveal which of them was wrong.
  const isUser = sameSecret(given.user, user);
  const isPassword = sameSecret(given.password, password);
  return isUser && isPassword;
}
