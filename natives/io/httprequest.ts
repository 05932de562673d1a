import { RecordValue } from '../../vm/values/structured.js';
import { Bytes } from '../../vm/values/bytes.js';
import { Errors, fail } from '../../vm/values/error.js';
import { Hash } from '../../vm/values/hash.js';
import { toText } from '../../vm/values/text/text.js';
import { typeName } from '../../vm/values/types.js';
import { isNumber, type Value } from '../../vm/values/value.js';
import { bufferOf } from '../core/bytes/texts.js';
import { encodeJson } from '../core/json/index.js';
import { headerProblem } from '../http/headers.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers that the request sets itself; a program's are ignored. */
const OWN_HEADERS = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'expect']);

/** A request as given by a program. */
export interface Wanted {
  method: string;
  url: string;
  body: Value;
  json: Value;
  form: Hash | null;
  headers: Hash | null;
  follow: boolean;
}

/** Parses an address. @throws ValueError unless it is an http or https URL */
function addressOf(text: string): URL {
  const url = URL.canParse(text)
    ? new URL(text)
    : fail(Errors.ValueError, `not a URL: ${JSON.stringify(text)}; it has to begin with http:// or https://`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    fail(Errors.ValueError, `only http and https URLs can be requested, got ${JSON.stringify(text)}`);
  return url;
}

/** Removes name and password from an address, where `fetch` refuses them, and returns them as a header. */
function takeCredentials(url: URL): string | null {
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

/** The body and its type. @throws ArgumentError if more than one body is given */
function bodyOf({ body, json, form }: Wanted): { content: string | Buffer; type: string } | null {
  if ([body, json, form].filter((given) => given !== null).length > 1)
    fail(Errors.ArgumentError, 'only one of body, json and form can be sent');
  if (form !== null)
    return {
      content: new URLSearchParams(
        form.entries().map(([name, value]): [string, string] => [toText(name), toText(value)]),
      ).toString(),
      type: 'application/x-www-form-urlencoded',
    };
  if (json !== null) return { content: encodeJson(json), type: JSON_TYPE };
  if (body === null) return null;
  if (typeof body === 'string') return { content: body, type: 'text/plain; charset=utf-8' };
  if (body instanceof Bytes) return { content: bufferOf(body), type: 'application/octet-stream' };
  const structured = body instanceof Hash || Array.isArray(body) || body instanceof RecordValue;
  return structured
    ? { content: encodeJson(body), type: JSON_TYPE }
    : fail(Errors.TypeError, `a body must be String, Bytes, Hash, Vector or Record, got ${typeName(body)}`);
}

function headersOf(given: Hash | null): Headers {
  const headers = new Headers({ 'user-agent': 'svc' });
  for (const [key, value] of given?.entries() ?? []) {
    const name = toText(key);
    if (typeof value !== 'string' && !isNumber(value))
      fail(Errors.ValueError, `header ${name} must be a String or a number, got ${typeName(value)}`);
    const problem = headerProblem(name, toText(value));
    if (problem !== null) fail(Errors.ValueError, problem);
    if (!OWN_HEADERS.has(name.toLowerCase())) headers.set(name, toText(value));
  }
  return headers;
}

/** Converts a request for `fetch`. @throws ValueError, ArgumentError, TypeError */
export function requestOf(wanted: Wanted): { url: URL; init: RequestInit } {
  const url = addressOf(wanted.url);
  const headers = headersOf(wanted.headers);
  const credentials = takeCredentials(url);
  if (credentials !== null && !headers.has('authorization')) headers.set('authorization', credentials);
  const body = bodyOf(wanted);
  if (body !== null && !headers.has('content-type')) headers.set('content-type', body.type);
  return {
    url,
    init: {
      method: wanted.method,
      headers,
      body: body?.content ?? null,
      redirect: wanted.follow ? 'follow' : 'manual',
    },
  };
}
