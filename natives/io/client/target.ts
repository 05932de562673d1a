/** Addresses and header fields of requests. */
import { wellFormed } from '../../core/strings/wellformed.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import { isNumber } from '../../../vm/values/value.js';
import { headerProblem, isToken } from '../../http/headers.js';

/** Fields that the request sets itself; a program's are ignored. */
const OWN_FIELDS = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'expect']);

/** Methods that are not requests for a resource. */
const OTHER_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** Ports of other protocols, which the Fetch standard refuses ("bad port"). */
const BAD_PORTS = new Set(
  `0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515
  526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`.split(
    /\s+/,
  ),
);

/** Header fields of a request, by their names in lower case. */
export type Fields = Map<string, string>;

/** Parses an address. @throws ValueError unless it is an http or https URL */
export function addressOf(text: string): URL {
  const shown = shownText(text);
  if (!URL.canParse(text)) {
    const reason = /^https?:\/\//i.test(text)
      ? 'its host or port is not valid'
      : 'it has to begin with http:// or https://';
    fail(Errors.ValueError, `not a URL: ${shown}; ${reason}`);
  }
  const url = new URL(wellFormed(text, 'the URL'));
  if (!isHttp(url)) fail(Errors.ValueError, `only http and https URLs can be requested, got ${shown}`);
  return url;
}

export function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

export function isBadPort({ port }: URL): boolean {
  return BAD_PORTS.has(port);
}

/** Checks the base of a client. @throws ValueError unless paths can be appended to it */
export function checkBase(base: string): void {
  const url = addressOf(base);
  const part = base.includes('#') ? 'fragment' : base.includes('?') ? 'query' : null;
  if (part !== null)
    fail(
      Errors.ValueError,
      `http_client(): base cannot have a ${part}, because paths are appended to it: ${shownUrl(url)}`,
    );
}

/** The address of a client's request: a path is appended to `base`, a whole URL replaces it. @throws ValueError */
export function under(base: string | null, path: string): URL {
  if (base === null || /^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return addressOf(path);
  const separator = path === '' || /^[/?#]/.test(path) ? '' : '/';
  return addressOf(`${base.replace(/\/+$/, '')}${separator}${path}`);
}

/** Maximum characters of a URL in a message. */
const SHOWN = 200;

/**
 * A text that was meant as a URL, in quotes for messages: without name and password, which may hold any character, and
 * without query and fragment.
 */
export function shownText(text: string): string {
  const shown = text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1').replace(/([?#]).+$/s, '$1…');
  return JSON.stringify(shown.length > SHOWN ? `${shown.slice(0, SHOWN)}…` : shown);
}

/** A URL for messages: without credentials, query and fragment, which may hold secrets. */
export function shownUrl({ protocol, host, pathname, search }: URL): string {
  const text = `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`;
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** A method in upper case. @throws ArgumentError */
export function methodOf(text: string): string {
  const method = text.toUpperCase();
  if (!isToken(method) || OTHER_METHODS.has(method))
    fail(Errors.ArgumentError, `${JSON.stringify(text.slice(0, SHOWN))} is not a method that can be sent`);
  return method;
}

/** Removes name and password from an address, and returns them as a value of Authorization; null if there are none. */
export function takeCredentials(url: URL): string | null {
  if (url.username === '' && url.password === '') return null;
  const pair = `${plain(url.username)}:${plain(url.password)}`;
  url.username = url.password = '';
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Adds header fields given by a program. @throws ValueError */
export function addFields(fields: Fields, given: Hash | null): void {
  for (const [key, value] of given?.entries() ?? []) {
    const name = toText(key);
    if (typeof value !== 'string' && !isNumber(value))
      fail(Errors.ValueError, `header ${name} must be a String or a number, got ${typeName(value)}`);
    const problem = headerProblem(name, toText(value));
    if (problem !== null) fail(Errors.ValueError, problem);
    if (!OWN_FIELDS.has(name.toLowerCase())) fields.set(name.toLowerCase(), toText(value));
  }
}
