import { ModuleState } from '../../../vm/calls/modulestate.js';
import { methods, native } from '../../../vm/calls/native.js';
import { Bytes } from '../../../vm/values/bytes.js';
import { Errors, fail, Signal } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect, toText } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import { Numeric } from '../../../vm/values/numbers/numeric.js';
import { Float, isInteger, type Value } from '../../../vm/values/value.js';
import type { Steps } from '../../../vm/values/steps.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { bufferOf, fromText, overBytes } from '../../core/bytes/texts.js';
import { DateValue } from '../../core/dates/date.js';
import { inSeconds } from '../../core/dates/duration.js';
import { encodeAtOnce, isStructured } from '../../core/json/encode.js';
import { SafeHtml } from '../pages/safehtml.js';
import { withForms } from '../../core/json/forms.js';
import { encodeSteps } from '../../core/json/steps.js';
import { cookieText } from '../../http/cookies.js';
import { decodeLater } from '../../io/decoding.js';
import { waitForOperation } from '../../io/waiting.js';
import type { Exchange } from '../request/exchange.js';
import { connectionProblem, headerProblem, isToken } from '../../http/headers.js';
import { uriText } from '../../http/percent.js';
import type { FileContent } from '../files/content.js';

const RESPONSE = new HandleType('SvcResponse');

export const TEXT = 'text/plain; charset=utf-8';
export const HTML = 'text/html; charset=utf-8';
const OCTETS = 'application/octet-stream';
export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Headers with special treatment. Those for framing are the library's own, so a program's are dropped. `Connection:
 * keep-alive` is dropped too: connections are kept open by default.
 */
const SPECIAL = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'trailer',
  'upgrade',
  'content-type',
  'location',
]);

/** Maximum characters of all header fields of a response together; clients and proxies already refuse far fewer. */
const MAX_HEAD = 65_536;
/** Maximum characters of the names and values of fields that are set without further checks, if they are ASCII. */
const MAX_PLAIN = 1024;
const PLAIN_VALUE = /^[\t\x20-\x7e]*$/;

/** Sends a response in place of the default: files, streams. It also sends the response's header fields. */
export type Sender = (exchange: Exchange, response: Response) => void;

/** A body that is not in memory. */
export interface UnreadBody {
  /** @throws RuntimeError for a body that cannot be read, and as `readOpened` */
  bytes(vm: NativeContext, signal: AbortSignal): Promise<Bytes>;
}

/** A header field of the application; `key` is its name in lower case. */
export interface DefaultField {
  readonly key: string;
  readonly name: string;
  readonly value: string;
}

const NO_FIELDS: readonly DefaultField[] = Object.freeze([]);

/** Fields that describe the body of a response, or how long it may be kept. */
const OF_BODY =
  /^(?:content-(?:encoding|disposition|language|location|range)|cache-control|expires|etag|last-modified|accept-ranges|location|upgrade|connection)$/i;

/** A response as seen by programs. */
export class Response extends Handle {
  /** Replaces sending the body; null by default. */
  sender: Sender | null = null;
  /** The cached file sent by `sender`; its compressed forms can be cached too. */
  file: FileContent | null = null;
  /** Where the body is if it is not in `body`. */
  unread: UnreadBody | null = null;
  /** Additional header fields, as a flat list of names and values. */
  readonly fields: string[] = [];
  /** Fields of the application that are sent where the response has none of that name. */
  private defaults: readonly DefaultField[] = NO_FIELDS;
  /** Whether a field contains non-ASCII characters. */
  hasLatin = false;
  /** Whether Upgrade is set; it must then be listed in Connection (RFC 9110 7.8). */
  private upgrades = false;
  /** Texts of Set-Cookie fields, by name, domain and path of the cookie. */
  private cookies: Map<string, string> | null = null;

  constructor(
    public status: number,
    public body: string | Buffer,
    public contentType: string | null,
  ) {
    super();
  }

  get type(): HandleType {
    return RESPONSE;
  }

  override describe(): string {
    return `<SvcResponse ${this.status}>`;
  }

  /** A response that is like this one, but has its own header fields: a program may return one object for many requests. */
  copy(): this {
    const copy = Object.assign(Object.create(Object.getPrototypeOf(this) as object) as this, this);
    Object.assign(copy, { fields: this.fields.slice(), cookies: this.cookies === null ? null : new Map(this.cookies) });
    return copy;
  }

  /** Adds a validated field; Content-Type replaces the default. @throws ValueError */
  addField(name: string, value: string): void {
    if (this.putPlain(name, value)) return;
    const key = name.toLowerCase();
    const text = checkedValue(name, key, value);
    this.limit(name, text.length, '');
    this.put(name, key, text);
  }

  /** Replaces all fields of that name; keeps them when a new value is invalid. @throws ValueError */
  setField(name: string, ...values: string[]): void {
    if (values.length === 1 && this.putPlain(name, values[0])) return;
    const key = name.toLowerCase();
    let size = 0;
    for (let i = 0; i < values.length; i++) size += (values[i] = checkedValue(name, key, values[i])).length;
    this.limit(name, size, key);
    const { fields } = this;
    for (let i = fields.length - 2; i >= 0; i -= 2) if (isNamed(fields[i], key)) fields.splice(i, 2);
    for (const text of values) this.put(name, key, text);
  }

  /** Adds a short first field without a special meaning, as nearly all are; false for others. */
  private putPlain(name: string, value: string): boolean {
    if (this.fields.length > 0 || this.cookies !== null || value.length > MAX_PLAIN || !isPlainName(name)) return false;
    if (!PLAIN_VALUE.test(value)) return false;
    this.fields.push(name, value);
    return true;
  }

  private put(name: string, key: string, text: string): void {
    this.hasLatin ||= /[\x80-\xff]/.test(text);
    if (!SPECIAL.has(key)) this.fields.push(name, text);
    else if (key === 'content-type') this.contentType = text;
    else if (key === 'upgrade' || key === 'location' || text.toLowerCase() === 'close') {
      this.upgrades ||= key === 'upgrade';
      this.fields.push(name, text);
    }
  }

  /** Removes what `addDefaults` added: a program may return a response again. */
  clearDefaults(): void {
    this.defaults = NO_FIELDS;
  }

  /** Adds fields, already checked, that are sent unless the response has such a field itself or was given one before. */
  addDefaults(added: readonly DefaultField[]): void {
    const { defaults } = this;
    this.defaults =
      defaults.length === 0
        ? added
        : [...defaults, ...added.filter(({ key }) => defaults.every((known) => known.key !== key))];
  }

  /** A response of the library that is sent in place of this one, with those header fields that do not concern its body. */
  substitute(status: number, text: string): Response {
    const other = new Response(status, text, TEXT);
    const { fields } = this;
    for (let i = 0; i < fields.length; i += 2)
      if (!OF_BODY.test(fields[i])) other.fields.push(fields[i], fields[i + 1]);
    other.hasLatin = this.hasLatin;
    other.defaults = this.defaults;
    return other;
  }

  setCookie(name: string, text: string): void {
    this.cookies ??= new Map();
    const key = `${name}${scopeOf(text)}`;
    // A cookie that is set again moves to the end.
    this.cookies.delete(key);
    this.limit('Set-Cookie', text.length, '');
    this.cookies.set(key, text);
  }

  /** Refuses a field that makes the head too long. Fields named `key` are not counted. */
  private limit(name: string, size: number, key: string): void {
    const { fields, cookies } = this;
    let total = name.length + size;
    for (let i = 0; i < fields.length; i += 2)
      if (!isNamed(fields[i], key)) total += fields[i].length + fields[i + 1].length;
    if (cookies !== null) for (const text of cookies.values()) total += text.length;
    if (total > MAX_HEAD)
      fail(
        Errors.ValueError,
        `header ${name} is too long: the header fields of a response may have at most ${MAX_HEAD} characters in total`,
      );
  }

  /** Lower-case names of the fields set so far. */
  headerNames(): Set<string> {
    return new Set(this.fields.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase()));
  }

  /** Header fields including cookies, as a flat list for node:http. */
  allFields(): string[] {
    const { fields, defaults } = this;
    if (this.cookies === null && !this.upgrades && defaults === NO_FIELDS) return fields;
    const all = fields.slice();
    for (const { key, name, value } of defaults)
      if (!fields.some((known, i) => i % 2 === 0 && isNamed(known, key))) all.push(name, value);
    if (this.cookies !== null) for (const text of this.cookies.values()) all.push('Set-Cookie', text);
    // Node keeps a connection open for any Connection value except `close`, even if the client wants to close it.
    if (this.upgrades) all.push('Connection', 'Upgrade, close');
    return all;
  }
}

/** What distinguishes cookies of one name: their domain and path (RFC 6265 5.3), as browsers compare them. */
function scopeOf(text: string): string {
  const [, path] = /; Path=([^;]*)/.exec(text) ?? ['', '/'];
  const [, domain] = /; Domain=\.?([^;]*)/.exec(text) ?? ['', ''];
  return `;${domain.toLowerCase()};${path}`;
}

/** Valid names of fields without a special meaning that programs have set: most set the same few again and again. */
const plainNames = new Set<string>();
const MAX_PLAIN_NAMES = 200;

function isPlainName(name: string): boolean {
  if (plainNames.has(name)) return true;
  if (name.length > MAX_PLAIN || !isToken(name) || SPECIAL.has(name.toLowerCase())) return false;
  if (plainNames.size < MAX_PLAIN_NAMES) plainNames.add(name);
  return true;
}

function isNamed(name: string, key: string): boolean {
  return name.length === key.length && name.toLowerCase() === key;
}

/** A field's value as sent. @throws ValueError */
function checkedValue(name: string, key: string, value: string): string {
  if (value.length > MAX_HEAD)
    fail(Errors.ValueError, `header ${name} is too long: ${value.length} characters, at most ${MAX_HEAD} can be sent`);
  const text = key === 'location' ? uriText(value) : value;
  const problem = headerProblem(name, text) ?? (SPECIAL.has(key) ? connectionProblem(name, key, text) : null);
  return problem === null ? text : fail(Errors.ValueError, problem);
}

/**
 * A program's header value: a String, number or Boolean as printed; a Vector becomes several fields. @throws ValueError
 */
function valuesOf(name: string, value: Value): string[] {
  return (Array.isArray(value) ? value : [value]).map((item) => {
    const isPlain = typeof item === 'string' || typeof item === 'boolean' || isInteger(item) || item instanceof Float;
    return isPlain
      ? toText(item)
      : fail(Errors.ValueError, `header ${name} must be a String, a number or a Boolean, got ${typeName(item)}`);
  });
}

function setHeader(_vm: NativeContext, response: Response, name: string, value: Value): void {
  if (typeof value === 'string') response.setField(name, value);
  else response.setField(name, ...valuesOf(name, value));
}

/** Validates a status. @throws ValueError */
function statusOf(value: Value): number {
  if (typeof value !== 'number' || value < 200 || value > 599)
    fail(Errors.ValueError, `a status must be an Integer from 200 to 599, got ${inspect(value)}`);
  return value;
}

function addFields(response: Response, headers: Value): Response {
  if (headers === null) return response;
  for (const [key, value] of (headers as Hash).entries()) {
    const name = toText(key);
    for (const text of valuesOf(name, value)) response.addField(name, text);
  }
  return response;
}

/** Gives a response its status and header fields. @throws ValueError for those that cannot be sent */
export function withHead(response: Response, status: Value, headers: Value): Response {
  response.status = statusOf(status);
  return addFields(response, headers);
}

/** A response of HTML. @throws ValueError for a status or header that is none */
export function htmlResponse(html: string, status: Value, headers: Value): Response {
  return addFields(new Response(statusOf(status), html, HTML), headers);
}

function* jsonSteps(value: Value, status: number, headers: Value): Generator<void, Response, void> {
  return addFields(new Response(status, (yield* encodeSteps(value)) as string, JSON_TYPE), headers);
}

/** A response of the JSON text of a value, written in pieces if it is large. */
export function jsonResponse(vm: NativeContext, value: Value, status: Value, headers: Value): Value | undefined {
  const code = statusOf(status);
  return withForms(vm, value, (form) => {
    const json = encodeAtOnce(form);
    return json === null
      ? vm.inPieces('JSON', jsonSteps(form, code, headers))
      : addFields(new Response(code, json, JSON_TYPE), headers);
  });
}

/** A response of Bytes, or of the text of another value. */
function plainResponse(status: number, body: Value): Response {
  return body instanceof Bytes
    ? new Response(status, bufferOf(body), OCTETS)
    : new Response(status, toText(body), TEXT);
}

/** Converts a handler's value to a response, or to steps if its JSON takes long to write; null when the type cannot be converted. */
export function toResponse(value: Value): Response | Steps | null {
  if (value instanceof Response) return value;
  if (typeof value === 'string') return new Response(200, value, TEXT);
  if (value instanceof SafeHtml) return new Response(200, value.text, HTML);
  if (value instanceof Bytes) return plainResponse(200, value);
  if (value === null) return new Response(204, '', null);
  if (isStructured(value)) {
    const json = encodeAtOnce(value);
    return json === null ? jsonSteps(value, 200, null) : new Response(200, json, JSON_TYPE);
  }
  if (typeof value === 'boolean' || isInteger(value) || value instanceof Float || value instanceof Numeric)
    return new Response(200, toText(value), TEXT);
  return null;
}

/** Fails because `what`, a handler or filter, returned a value that is no response. @throws TypeError */
export function unsuitable(value: Value, what: string): never {
  return fail(
    Errors.TypeError,
    `${what} returned ${typeName(value)}; expected a response, String, Bytes, Hash, Vector, number, Boolean or nil`,
  );
}

function halt(vm: NativeContext, status: Value, body: Value): never {
  // Threads without a context work for no request, so that no handler can catch the signal.
  if (vm.scheduler.current?.context === null) fail(Errors.RuntimeError, 'halt() outside a request');
  const code = statusOf(status);
  throw new Signal('halt', body instanceof Response ? withStatus(body, code) : plainResponse(code, body));
}

/** The response with that status. A copy if it has another one: a program may use one object for many requests. */
function withStatus(response: Response, status: number): Response {
  if (response.status === status) return response;
  const copy = response.copy();
  copy.status = status;
  return copy;
}

/** Warnings of cookies that were printed. */
const COOKIE_WARNINGS = new ModuleState(() => new Set<string>());

/** Warns on stderr, once for each place in the program. */
function warnOnce(vm: NativeContext, message: string): void {
  const place = vm.position();
  const text = `${place === null ? '' : `${place.file}:${place.line}: `}warning: ${message}\n`;
  const shown = COOKIE_WARNINGS.of(vm);
  if (!shown.has(text)) vm.host.stderr(text);
  shown.add(text);
}

function setCookie(vm: NativeContext, response: Response, name: string, value: Value, options: Hash): void {
  const given = options
    .entries()
    .map(([key, option]): [string, unknown] => [
      String(key),
      option instanceof DateValue ? new Date(option.ms) : inSeconds(option),
    ]);
  const made = cookieText(name, toText(value), given);
  if ('error' in made) return fail(Errors.ArgumentError, made.error);
  if (made.warning !== null) warnOnce(vm, made.warning);
  response.setCookie(name, made.text);
}

function deleteCookie(vm: NativeContext, response: Response, name: string, options: Hash): void {
  const gone = options.copy();
  gone.set('max_age', 0);
  setCookie(vm, response, name, '', gone);
}

/** Response helpers and the methods of SvcResponse. */
// prettier-ignore
export const responseNatives: NativeFunction[] = [
  native('response', 'body: Any = "", status: Any = 200, headers: Hash? = nil', 'SvcResponse', 'A response of Bytes, or of the text of another value as `puts` prints it; `json_response` sends JSON. ValueError for a status outside 200 to 599, and for headers that cannot be sent.', (_vm, body, status, headers) => addFields(plainResponse(statusOf(status), body as Value), headers)),
  native('html_response', 'html: Any, status: Any = 200, headers: Hash? = nil', 'SvcResponse', 'A response of HTML, sent as it is given: texts in it must be escaped with `html_escape`. ValueError as for `response`.', (_vm, html: Value, status: Value, headers: Value) => htmlResponse(toText(html), status, headers)),
  native('json_response', 'value: Any, status: Any = 200, headers: Hash? = nil', 'SvcResponse', 'A response of a value as JSON. ValueError as for `response`, and for values that JSON cannot represent.', jsonResponse),
  native('halt', 'status: Any, body: Any = ""', 'Nil', 'Ends the handler or middleware immediately with a response of that status and the text of `body`; `body` may also be a response, whose own status does not count: `halt(404, json_response({error: "unknown"}))`. ValueError for a status outside 200 to 599.', halt),
  ...methods('SvcResponse', [
    ['status', '', 'Integer', 'The status code. `res.status = 404` sets it; ValueError outside 200 to 599.', (_vm, res: Response) => res.status],
    ['body', '', 'String', 'The body as text; ValueError when it is not UTF-8. A large file is read, and the body of a stream is a RuntimeError.', bodyText],
    ['bytes', '', 'Bytes', 'The body as Bytes; large files and streams as for `body`.', bodyBytes],
    ['headers', '', 'Hash', 'The header fields set so far.', (_vm, res: Response) => headersOf(res)],
    ['set_header', 'name: String, value: Any', 'Nil', 'Sets a header field, in place of fields of the same name; a Vector sets several. ValueError for names and values that HTTP does not allow.', setHeader],
    ['set_cookie', 'name: String, value: Any, **options', 'Nil', 'Sets a cookie. Options are `max_age` in seconds or a Duration, `expires`, `path` (`/` by default), `domain`, `secure`, `http_only` (true by default) and `same_site` (`Lax` by default). ArgumentError for values that cookies cannot have, and above 4,096 bytes.', setCookie],
    ['delete_cookie', 'name: String, **options', 'Nil', 'Deletes a cookie from the client; `path` and `domain` must be those with which it was set.', deleteCookie],
  ]),
];

const SUBJECT = 'body: the response is';
const HINT = 'bytes returns it unchanged';

function bodyText(vm: NativeContext, { body, unread }: Response): Value | undefined {
  if (unread !== null)
    return waitForOperation(vm, 'file', async (signal) =>
      decodeLater(vm, await unread.bytes(vm, signal), signal, SUBJECT, HINT),
    );
  return typeof body === 'string' ? body : overBytes(vm, 'body', body.length, new Bytes(body).textSteps(SUBJECT, HINT));
}

function bodyBytes(vm: NativeContext, { body, unread }: Response): Value | undefined {
  if (unread !== null) return waitForOperation(vm, 'file', async (signal) => unread.bytes(vm, signal));
  return typeof body === 'string' ? overBytes(vm, 'bytes', body.length, fromText(body)) : Bytes.of(body);
}

function headersOf(response: Response): Hash {
  const hash = new Hash();
  if (response.contentType !== null) hash.set('Content-Type', response.contentType);
  const fields = response.allFields();
  for (let i = 0; i < fields.length; i += 2) hash.set(fields[i], fields[i + 1]);
  return hash;
}

for (const fn of responseNatives) if (fn.owner !== '') RESPONSE.methods.set(fn.name, fn);
RESPONSE.setters.set(
  'status',
  methods('SvcResponse', [
    [
      'status=',
      'status: Any',
      'Nil',
      'Sets the status code.',
      (_vm, res: Response, status: Value) => {
        res.status = statusOf(status);
      },
    ],
  ])[0],
);
