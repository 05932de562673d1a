/** How values become text in a page. */
import { native, quickly, writtenAs } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { type Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { withJson } from '../../core/json/index.js';
import { checkText } from '../../core/limits.js';
import { made } from '../../core/strings/stepwise.js';
import { withText } from '../../core/strings/valuetext.js';
import {
  escapeAttribute,
  escapeHtml,
  escapeScript,
  safeUrl,
  safeUrls,
  urlPath,
  urlQuery,
  urlStart,
} from './escaping.js';
import { PageTexts } from './pagetexts.js';
import { SafeHtml } from './safehtml.js';

/** Maximum UTF-16 units of a URL in a page: encoding more would hold up other threads. */
const MAX_URL = 65_536;

/** Maximum attributes that an element may get from a hash. */
const MAX_ATTRIBUTES = 1000;

/** Texts of at most this many UTF-16 units are escaped at once. */
const SHORT = 1000;

/** The text of values that need neither a call of the program nor several steps. */
function quickText(value: Value): string | undefined {
  if (typeof value === 'string') return value.length <= SHORT ? escapeHtml(value) : undefined;
  if (typeof value === 'number') return `${value}`;
  return value instanceof SafeHtml ? value.text : undefined;
}

function quickAttribute(value: Value): string | undefined {
  return value instanceof SafeHtml ? undefined : quickText(value);
}

function htmlText(vm: NativeContext, value: Value): Value | undefined {
  const text = quickText(value);
  if (text !== undefined) return text;
  if (typeof value === 'string') return made(vm, 'escape', value, escapeHtml);
  if (Array.isArray(value) && value.length > 0 && value.every(isSafe)) return joined(value as SafeHtml[]);
  return withText(vm, value, (text) => made(vm, 'escape', text, escapeHtml));
}

function isSafe(value: Value): boolean {
  return value instanceof SafeHtml;
}

/** A vector of safe HTML is shown as one text. */
function joined(list: readonly SafeHtml[]): string {
  const texts = list.map(({ text }) => text);
  checkText(texts.reduce((sum, text) => sum + text.length, 0));
  return texts.join('');
}

function htmlAttribute(vm: NativeContext, value: Value): Value | undefined {
  return value instanceof SafeHtml ? made(vm, 'escape', value.text, escapeAttribute) : htmlText(vm, value);
}

/** HTML that is the value of an attribute, such as `srcdoc`. */
function htmlDocument(vm: NativeContext, value: Value): Value | undefined {
  if (value instanceof SafeHtml) return made(vm, 'escape', value.text, escapeHtml);
  return withText(vm, value, (text) => made(vm, 'escape', text, (part) => escapeHtml(escapeHtml(part))));
}

function url(make: (text: string) => string): NativeFunction['impl'] {
  return (vm: NativeContext, value: Value) =>
    typeof value === 'number'
      ? `${value}`
      : withText(vm, value, (text) => {
          if (text.length > MAX_URL) fail(Errors.ValueError, `a URL in a page has at most ${MAX_URL} characters`);
          return escapeHtml(make(text));
        });
}

function pageJson(escape: (part: string) => string): NativeFunction['impl'] {
  return (vm: NativeContext, value: Value) => withJson(vm, value, false, (json) => made(vm, 'json', json, escape));
}

/** Names of attributes that a page may get from a hash. What programs run in is written in the template. */
const ATTRIBUTE_NAME = /^(?!on|style$|srcdoc$)[a-z][a-z0-9_.:-]*$/i;
const URL_NAME = /^(?:.*:)?(?:action|background|cite|data|formaction|href|manifest|ping|poster|src)$/i;

/** @throws ArgumentError for more attributes than an element may have */
export function checkAttributes(what: string, { size }: Hash): void {
  if (size > MAX_ATTRIBUTES)
    fail(Errors.ArgumentError, `${what}: an element has at most ${MAX_ATTRIBUTES} attributes, got ${size}`);
}

/**
 * Attributes of a hash: without those that are nil or false, and only the names of those that are true.
 * @throws ValueError for names of scripts and styles, ArgumentError for long values
 */
export function attributesText(what: string, hash: Hash, values = new PageTexts(what)): string {
  checkAttributes(what, hash);
  const texts: string[] = [];
  for (const [key, value] of hash.entries()) {
    const name = values.of(key);
    if (!ATTRIBUTE_NAME.test(name))
      fail(Errors.ValueError, `${what} cannot write the attribute '${name}': write it in the template`);
    if (value === null || value === false) continue;
    if (value === true) texts.push(name);
    else {
      const text = Array.isArray(value) ? value.map((item) => values.of(item)).join(' ') : values.of(value);
      texts.push(`${name}="${escapeHtml(URL_NAME.test(name) ? safeUrl(text) : text)}"`);
    }
  }
  return texts.join(' ');
}

/** What compiled templates call, by place. */
// prettier-ignore
export const pageValues: NativeFunction[] = [
  native('%html_text', 'value: Any', 'String', 'A value in the text of a page.', quickly(quickText, htmlText)),
  native('%html_attribute', 'value: Any', 'String', 'A value in an attribute.', quickly(quickAttribute, htmlAttribute)),
  native('%html_document', 'value: Any', 'String', 'HTML as the value of an attribute.', htmlDocument),
  native('%html_url', 'value: Any', 'String', 'The start of a URL in an attribute.', url(safeUrl)),
  native('%html_url_path', 'value: Any', 'String', 'A part of the path of a URL.', url(urlPath)),
  native('%html_url_query', 'value: Any', 'String', 'A part of the query of a URL.', url(urlQuery)),
  native('%html_url_start', 'text: String, after: String, filler: String', 'String', 'A part of a URL, escaped, that cannot name a host after `after`.', (_vm, text: string, after: string, filler: string) => urlStart(text, after, filler)),
  native('%html_urls', 'value: Any', 'String', 'Several URLs.', url(safeUrls)),
  native('%html_raw', 'value: Any', 'String', 'A value as it is.', (vm: NativeContext, value: Value) => withText(vm, value, (text) => text)),
  native('%html_raw_value', 'text: String', 'SafeHtml', 'Text of a template as a value.', (_vm, text: string) => new SafeHtml(text)),
  writtenAs('json', native('%json_script', 'value: Any', 'String', 'JSON in an element `script` or `style`.', pageJson(escapeScript))),
  writtenAs('json', native('%json_attribute', 'value: Any', 'String', 'JSON in an attribute that holds a script.', pageJson((part) => escapeHtml(escapeScript(part))))),
  writtenAs('attributes', native('%html_attributes', 'hash: Hash', 'SafeHtml', 'Several attributes.', (_vm, hash: Hash) => new SafeHtml(attributesText('attributes()', hash)))),
];
