/** Escaping of texts by the place in a page where they stand (HTML Standard, 13.1; OWASP XSS Prevention). */

const SPECIAL = /[&<>"']/;
const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Maximum UTF-16 units of a text that is escaped character by character. */
const SHORT = 500;
/** Characters that end an attribute's value, or that begin a tag. */
const ENDS_ATTRIBUTE = /[<>"']/g;
/** Characters of JSON that could end an element `script`, or a line of old JavaScript. */
const UNSAFE_IN_SCRIPT = /[<>&\u2028\u2029]/g;
/** What may stand in a URL's path and query besides letters and digits (RFC 3986, 3.3). A `%` begins an escape. */
const NOT_IN_PATH = /[^A-Za-z0-9\-._~!$&*+,;=:@/%?#[\]]/gu;
/** Texts that need no escapes in a URL. */
const UNRESERVED = /^[\w.~-]*$/;
const SLASHES = /^\/+/;
const MORE_SLASHES = /(?<=^\/)\/+/;
const LONE_PERCENT = /%(?![0-9A-Fa-f]{2})/g;
/** A scheme, and the characters that browsers leave out before and in it. */
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const IGNORED = /[\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]+/g;
const SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'mailto', 'tel', 'sms', 'ftp', 'ftps']);

/** What stands in place of a URL that could run a program. */
const REFUSED_URL = 'about:invalid#refused';

/** Escapes a text for the text of a page and for attributes in quotes. */
export function escapeHtml(text: string): string {
  if (!SPECIAL.test(text)) return text;
  if (text.length > SHORT) return escapeLong(text);
  let out = '';
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // & " ' < >
    if (code > 62 || (code !== 38 && code !== 34 && code !== 39 && code !== 60 && code !== 62)) continue;
    out += text.slice(from, i) + ESCAPED[text[i]];
    from = i + 1;
  }
  return out + text.slice(from);
}

/** Faster for many characters, and the result is one text, not a tree of its parts. */
function escapeLong(text: string): string {
  let out = text;
  // `&` is the first: the others' escapes contain it.
  for (const [character, escape] of Object.entries(ESCAPED)) out = out.replaceAll(character, escape);
  return out;
}

/** Escapes HTML for an attribute: its entities remain. */
export function escapeAttribute(html: string): string {
  return html.replace(ENDS_ATTRIBUTE, (c) => ESCAPED[c]);
}

/** JSON text that stands in an element `script`. */
export function escapeScript(json: string): string {
  return json.replace(UNSAFE_IN_SCRIPT, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A whole URL: `REFUSED_URL` in place of one with a scheme such as `javascript`. */
export function safeUrl(url: string): string {
  const scheme = SCHEME.exec(url.replace(IGNORED, ''));
  if (scheme !== null && !SCHEMES.has(scheme[1].toLowerCase())) return REFUSED_URL;
  // Without a scheme that could be recognised, a colon before any `/` might still be one.
  if (scheme === null && /^[^/?#]*:/.test(url.replace(IGNORED, ''))) return REFUSED_URL;
  return normalUrl(url.trim());
}

/** Percent-encodes what may not stand in a URL. */
function normalUrl(url: string): string {
  return wellFormed(url).replace(NOT_IN_PATH, encodeURIComponent).replace(LONE_PERCENT, '%25').replaceAll("'", '%27');
}

/** A part of a URL's path: `/` remains, `:`, `?` and `#` are encoded. */
export function urlPath(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return wellFormed(text).split('/').map(encodeURIComponent).join('/').replaceAll("'", '%27');
}

/** A name or value in a URL's query. */
export function urlQuery(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(wellFormed(text)).replaceAll("'", '%27');
}

/**
 * A part of a URL, percent-encoded, that may stand at its start after `after`: `//` would begin the name of a host.
 * `filler` stands for an empty part.
 */
export function urlStart(part: string, after: string, filler: string): string {
  if (part === '') return filler;
  return part.replace(after === '' ? MORE_SLASHES : SLASHES, (slashes) => '%2F'.repeat(slashes.length));
}

/** A list of URLs with sizes, as in `srcset`. */
export function safeUrls(text: string): string {
  return text
    .split(',')
    .map((candidate) => {
      const [url, ...sizes] = candidate.trim().split(/[\s\u0000-\u0020]+/);
      return [safeUrl(url ?? ''), ...sizes.filter((size) => /^[\w.]+$/.test(size))].join(' ');
    })
    .join(', ');
}

/** The text without halves of surrogate pairs, which cannot be encoded. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}
