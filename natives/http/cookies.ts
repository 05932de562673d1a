import { parseCookie } from 'cookie';
import { isToken } from './headers.js';
import { decodePercent } from './percent.js';

/** A Set-Cookie value, with a warning if browsers will refuse it; or an error. */
export type CookieText = { text: string; warning: string | null } | { error: string };

/** Maximum bytes of a cookie (RFC 6265 6.1); browsers drop a longer one silently. */
export const MAX_COOKIE = 4096;

type Options = ReadonlyMap<string, unknown>;

// path-value of RFC 6265 4.1.1 without blanks: browsers drop them at the end, and paths cannot contain them.
const PATH = /^\/[\x21-\x3a\x3c-\x7e]*$/;
const DOMAIN = /^\.?[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
// Everything except cookie-octet (RFC 6265 4.1.1), and the percent sign, so that decoding restores the value.
const NOT_AS_IS = /[^\x21\x23\x24\x26-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+/g;
// Browsers ignore earlier dates (RFC 6265 5.1.1); later ones do not fit the format.
const FIRST_YEAR = 1601;
const LAST_YEAR = 9999;

function isExpiry(value: unknown): boolean {
  if (!(value instanceof Date)) return false;
  const year = value.getUTCFullYear();
  return year >= FIRST_YEAR && year <= LAST_YEAR;
}

const isText = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value);
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

/** For each option a test and a description of valid values. nil means the default and is not tested. */
// prettier-ignore
const OPTIONS = new Map<string, [isValid: (value: unknown) => boolean, form: string]>([
  ['path', [(value) => isText(value, PATH), 'a String that begins with "/", of printable ASCII characters without ";" and blanks']],
  ['domain', [(value) => isText(value, DOMAIN), 'a host name']],
  ['same_site', [(value) => isText(value, /^(Strict|Lax|None)$/), '"Strict", "Lax" or "None"']],
  ['max_age', [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'an Integer of seconds, 0 or more']],
  ['expires', [isExpiry, `a Date from ${FIRST_YEAR} to ${LAST_YEAR}`]],
  ['http_only', [isBoolean, 'true or false']],
  ['secure', [isBoolean, 'true or false']],
]);

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? `${value}`
    : 'another value';
}

function problem(name: string, value: string, options: Options): string | null {
  if (!isToken(name)) return `${shown(name)} is not a valid cookie name`;
  if (/\p{Surrogate}/u.test(value)) return `the value of cookie ${name} contains half a character (a lone surrogate)`;
  for (const [key, given] of options) {
    const option = OPTIONS.get(key);
    if (option === undefined) return `unknown cookie option ${shown(key)}; known are ${[...OPTIONS.keys()].join(', ')}`;
    const [isValid, form] = option;
    if (given !== null && !isValid(given)) return `cookie option ${key} must be ${form}, not ${shown(given)}`;
  }
  return null;
}

/** Percent-encodes the characters that a cookie's value cannot contain. */
export function encodeCookieValue(value: string): string {
  return value.replace(NOT_AS_IS, encodeURIComponent);
}

function attributes(options: Options): string[] {
  const written: string[] = [`Path=${String(options.get('path') ?? '/')}`];
  const add = (key: string, option: string): void => {
    const value = options.get(option) ?? null;
    if (value !== null) written.push(`${key}=${value instanceof Date ? value.toUTCString() : String(value)}`);
  };
  add('Domain', 'domain');
  written.push(`SameSite=${String(options.get('same_site') ?? 'Lax')}`);
  add('Max-Age', 'max_age');
  add('Expires', 'expires');
  if (options.get('http_only') ?? true) written.push('HttpOnly');
  if (options.get('secure') ?? false) written.push('Secure');
  return written;
}

/**
 * Builds the Set-Cookie value `name=value; Path=/; Domain=…; SameSite=Lax; Max-Age=n; Expires=…; HttpOnly; Secure` (RFC
 * 6265 4.1.1), with the value percent-encoded where necessary. `options` are those of `set_cookie`; null means the
 * default. Never throws: returns an error text for an invalid name, value or option.
 */
export function cookieText(
  name: string,
  value: string,
  options: Iterable<readonly [string, unknown]> = [],
): CookieText {
  const given = new Map(options);
  const error = problem(name, value, given);
  if (error !== null) return { error };
  const refused = given.get('same_site') === 'None' && given.get('secure') !== true;
  const warning = refused ? `browsers refuse the cookie ${name}: same_site: "None" needs secure: true` : null;
  const text = [`${name}=${encodeCookieValue(value)}`, ...attributes(given)].join('; ');
  if (text.length > MAX_COOKIE)
    return {
      error: `cookie ${name} takes ${text.length} bytes with its options, but browsers keep at most ${MAX_COOKIE}; store an identifier in it and the data elsewhere`,
    };
  return { text, warning };
}

/** Whether a Cookie header has more than `limit` pairs, counting empty ones. */
export function tooManyCookies(header: string, limit: number): boolean {
  if (header.length < limit) return false;
  let pairs = 1;
  for (let at = header.indexOf(';'); at >= 0; at = header.indexOf(';', at + 1)) if (++pairs > limit) return true;
  return false;
}

/**
 * The cookies of a Cookie header; null when there are more than `maxPairs`. Values are percent-decoded if possible,
 * otherwise as sent. For a repeated name the first value is used: browsers send the one with the longest path first
 * (RFC 6265 5.4).
 */
export function parseCookies(header: string, maxPairs: number): [string, string][] | null {
  if (tooManyCookies(header, maxPairs)) return null;
  // The result has no prototype, so `__proto__` is an ordinary name. decodePercent never throws, unlike the package's
  // decoder.
  return Object.entries(parseCookie(header, { decode: (text) => decodePercent(text) ?? text })) as [string, string][];
}
