/** Work shared by the handlers of all contestants, so that all do the same. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fileURLToPath } from 'node:url';

export const SECRET = 'bench-secret';
export const ASSETS = fileURLToPath(new URL('../assets', import.meta.url));
export const LAYERS = 5;
/** Milliseconds that a handler of `sleep` waits. */
export const SLEEP_MS = 5;

export const profile = () => ({ id: 42, name: 'Ada Lovelace', email: 'ada@example.org', admin: false, tags: ['math', 'poetry'] });

/** 99 routes in addition to the requested one. */
export const OTHER_ROUTES = Array.from({ length: 99 }, (_, i) => (i % 2 === 0 ? `/area${i}/list` : `/area${i}/:id/items`));

const sign = (text) => createHmac('sha256', SECRET).update(text).digest('hex');

/** The subject of `Bearer subject:signature`, or null. */
export function bearerSubject(header) {
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  const colon = token?.lastIndexOf(':') ?? -1;
  if (colon < 0) return null;
  const subject = token.slice(0, colon);
  const given = Buffer.from(token.slice(colon + 1));
  const wanted = Buffer.from(sign(subject));
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? subject : null;
}

/** Signs a value for a cookie; reads a signed value (null if it was changed). */
export const seal = (value) => encodeURIComponent(`${Buffer.from(JSON.stringify(value)).toString('base64url')}.${sign(JSON.stringify(value))}`);

export function unseal(sealed) {
  const [body, signature] = decodeURIComponent(sealed).split('.');
  const text = Buffer.from(body, 'base64url').toString();
  const given = Buffer.from(signature ?? '');
  const wanted = Buffer.from(sign(text));
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? JSON.parse(text) : null;
}

/** Rows as a query might return them. */
export function rows() {
  return Array.from({ length: 400 }, (_, i) => ({ id: i + 1, name: `name ${i + 1}`, note: `note ${(i + 1) * 7}` }));
}
