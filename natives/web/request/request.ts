import Negotiator from 'negotiator';
import { methods } from '../../../vm/calls/native.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Bytes } from '../../../vm/values/bytes.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Hash } from '../../../vm/values/hash.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { MAX_STEP_CHARACTERS, parseJson, parseSteps } from '../../core/json/jsonparse.js';
import type { Span } from '../../core/tracing.js';
import type { Work } from '../../core/work.js';
import { parseCookies } from '../../http/cookies.js';
import { HeaderHash } from '../../http/headerhash.js';
import { mergeRawHeaders } from '../../http/headers.js';
import type { BodyStream } from '../connection/bodystream.js';
import { NO_POSITIONS, type Owner, type Position } from '../config/level.js';
import { type Checked, checkedPart, type MatchedRoute } from './checked.js';
import type { SavedSession } from './savedsession.js';
import type { Upload } from './upload/upload.js';
import { parsePairs, parseQueryBool, parseQueryFloat, parseQueryInt } from '../../http/urlencoded.js';
import { isFormType, mediaTypeOf } from '../../http/mediatype.js';

export const REQUEST = new HandleType('SvcRequest');

/** A request as received by the server; everything else is derived from it on first use. */
export interface RequestParts {
  method: string;
  /** As sent, without the query. */
  path: string;
  query: string;
  rawHeaders: readonly string[];
  body: Buffer;
  /** Contents of a multipart body; the body itself is not kept. */
  upload: Upload | null;
  remoteAddress: string;
  id: string;
  maxPairs: number;
  /** Number of proxies trusted to report the client's address. */
  trustedProxies: number;
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The address in the entry of a header that the outermost trusted proxy added; empty without one. */
function forwardedEntry(header: string | null, trustedProxies: number): string {
  const entries = header?.split(',') ?? [''];
  const entry = entries[Math.max(0, entries.length - trustedProxies)].trim();
  // Some proxies add the port: `192.0.2.1:5000`, `[2001:db8::1]:5000`.
  const match = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/.exec(entry);
  return match === null ? entry : (match[1] ?? match[2]);
}

/**
 * Address of the client: the peer's, or with `trust_proxy` the X-Forwarded-For entry added by the outermost trusted
 * proxy. Entries before it may be forged by the client.
 */
export function clientAddress(peer: string, trustedProxies: number, forwardedFor: () => string | null): string {
  return (trustedProxies === 0 ? '' : forwardedEntry(forwardedFor(), trustedProxies)) || peer;
}

/** Whether the client used HTTPS, as the outermost trusted proxy reports in X-Forwarded-Proto. */
export function clientUsesHttps(trustedProxies: number, forwardedProto: () => string | null): boolean {
  return trustedProxies > 0 && forwardedEntry(forwardedProto(), trustedProxies).toLowerCase() === 'https';
}

/** A request as seen by handlers. Everything is computed on first use. */
export class Request extends Handle implements Work {
  private headerHash: Hash | null = null;
  private queryHash: Hash | null = null;
  private formHash: Hash | null = null;
  private fileHash: Hash | null = null;
  private cookieHash: Hash | null = null;
  /** Query and form by the structure of their names. */
  nestedQuery: Hash | null = null;
  nestedForm: Hash | null = null;
  private bodyText: string | null = null;
  private bodyBytes: Bytes | null = null;
  private jsonValue: Value | undefined = undefined;
  /** Set when a route has matched. */
  paramNames: readonly string[] = [];
  paramValues: readonly string[] = [];
  /** The route that answers; null if there is none. */
  route: MatchedRoute | null = null;
  /** The application that answers, and what is around the route besides it, outermost first. */
  root: Owner | null = null;
  levels: readonly Position[] = NO_POSITIONS;
  /** Whether a static file was found for it. */
  hasFile = false;
  private paramHash: Hash | null = null;
  /** Set when the request has been compared with what its route declares. */
  checked: Checked | null = null;
  /** Values stored by middleware for later layers. */
  locals: Hash | null = null;
  /** The body, if the route reads it while it arrives. */
  stream: BodyStream | null = null;
  /** The nonce that its Content-Security-Policy allows; null until it is asked for. */
  nonce: string | null = null;
  /** Fields that the program adds to the request's line in the access log. */
  logFields: Hash | null = null;
  /** The span of the request, if requests are traced. */
  span: Span | null = null;
  /** Sessions saved by the request's fiber. */
  sessions: SavedSession[] | null = null;
  fuelUsed = 0;
  /** Whether the library's own refusals are JSON (setting: refusals). */
  refusedInJson = false;
  /** A `SessionSlot` if the application has sessions. */
  sessionSlot: object | null = null;

  constructor(readonly parts: RequestParts) {
    super();
  }

  get type(): HandleType {
    return REQUEST;
  }

  /** A value stored by middleware. */
  override elementAt(key: Value): Value {
    return this.locals?.get(key) ?? null;
  }

  override storeAt(key: Value, value: Value): boolean {
    (this.locals ??= new Hash()).set(key, value);
    return true;
  }

  get requestId(): string {
    return this.parts.id;
  }

  get label(): string {
    return this.route === null ? '(no route)' : `${this.route.method} ${this.route.pattern}`;
  }

  override describe(): string {
    return `<SvcRequest ${this.parts.method} ${this.parts.path}>`;
  }

  /** Address of the client. */
  get ip(): string {
    const { trustedProxies, remoteAddress } = this.parts;
    return clientAddress(remoteAddress, trustedProxies, () => this.header('x-forwarded-for'));
  }

  /** Whether the client sent the request by HTTPS, as the outermost trusted proxy reports. */
  get isHttps(): boolean {
    return clientUsesHttps(this.parts.trustedProxies, () => this.header('x-forwarded-proto'));
  }

  get headers(): Hash {
    return (this.headerHash ??= new HeaderHash(mergeRawHeaders(this.parts.rawHeaders)));
  }

  /** A header field by name in any case, or null. */
  header(name: string): string | null {
    const { rawHeaders } = this.parts;
    const key = name.toLowerCase();
    let found: string | null = null;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      if (rawHeaders[i].length !== key.length || rawHeaders[i].toLowerCase() !== key) continue;
      found = found === null ? rawHeaders[i + 1] : `${found}${key === 'cookie' ? '; ' : ', '}${rawHeaders[i + 1]}`;
    }
    return found;
  }

  get params(): Hash {
    return (this.paramHash ??= Hash.from(this.paramPairs()));
  }

  paramPairs(): [string, string][] {
    return this.paramNames.map((name, i) => [name, this.paramValues[i]]);
  }

  get query(): Hash {
    return (this.queryHash ??= Hash.from(this.queryPairs()));
  }

  queryPairs(): [string, string][] {
    return parsePairs(this.parts.query, this.parts.maxPairs) ?? [];
  }

  get body(): string {
    return (this.bodyText ??= UTF8.decode(this.parts.body));
  }

  get bytes(): Bytes {
    return (this.bodyBytes ??= Bytes.of(this.parts.body));
  }

  /** The body parsed as JSON; nil when it is not valid JSON. */
  json(vm: NativeContext): Value | undefined {
    if (this.jsonValue !== undefined) return this.jsonValue;
    const { body } = this.parts;
    return body.length > MAX_STEP_CHARACTERS
      ? vm.inPieces('JSON', this.jsonSteps(body))
      : (this.jsonValue = jsonOf(body));
  }

  private *jsonSteps(body: Buffer): Generator<void, Value, void> {
    let value: Value;
    try {
      value = yield* parseSteps(STRICT_UTF8.decode(body));
    } catch {
      value = null;
    }
    return (this.jsonValue = value);
  }

  /** Drops what was computed from the body. A thread that still has the request computes it again. */
  forget(): void {
    this.bodyText = this.bodyBytes = null;
    this.jsonValue = undefined;
  }

  get contentType(): string | null {
    const field = this.header('content-type');
    return field === null ? null : mediaTypeOf(field);
  }

  get form(): Hash {
    return (this.formHash ??= Hash.from(this.formPairs()));
  }

  formPairs(): readonly [string, string][] {
    const { upload } = this.parts;
    if (upload !== null) return upload.fields;
    if (!isFormType(this.contentType)) return [];
    return parsePairs(this.body, this.parts.maxPairs) ?? [];
  }

  get files(): Hash {
    return (this.fileHash ??= Hash.from(this.parts.upload?.files ?? []));
  }

  get cookies(): Hash {
    return (this.cookieHash ??= Hash.from(parseCookies(this.header('cookie') ?? '', this.parts.maxPairs) ?? []));
  }
}

/** A body parsed as JSON; nil when empty, invalid, too deep, or not UTF-8. */
function jsonOf(body: Buffer): Value {
  if (body.length === 0) return null;
  try {
    return parseJson(STRICT_UTF8.decode(body));
  } catch {
    return null;
  }
}

/** Parameters in an Accept field other than `q`. */
const OTHER_PARAMETERS = /;(?!\s*q\s*=)[^;,="]+(?:=(?:"[^"]*"|[^;,"]*))?/g;

function accepts(request: Request, type: string): boolean {
  const field = request.header('accept')?.toLowerCase();
  // A client that accepts `text/html;level=1` accepts HTML.
  const accept = type.includes(';') ? field : field?.replace(OTHER_PARAMETERS, '');
  return new Negotiator({ headers: { accept } }).mediaTypes([type.toLowerCase()]).length > 0;
}

function queryValue<T>(request: Request, key: Value, read: (text: string) => T | null, fallback: Value): Value | T {
  const text = request.query.get(key);
  return typeof text === 'string' ? (read(text) ?? fallback) : fallback;
}

function readFloat(text: string): Float | null {
  const n = parseQueryFloat(text);
  return n === null ? null : new Float(n);
}

/** Methods of SvcRequest. */
// prettier-ignore
export const requestMethods: NativeFunction[] = methods('SvcRequest', [
  ['method', '', 'String', 'The method: GET, POST, PUT, DELETE, PATCH or HEAD.', (_vm, req: Request) => req.parts.method],
  ['path', '', 'String', 'The path as sent, without the query.', (_vm, req: Request) => req.parts.path],
  ['url', '', 'String', 'Path and query as sent.', (_vm, req: Request) => (req.parts.query === '' ? req.parts.path : `${req.parts.path}?${req.parts.query}`)],
  ['params', '', 'Hash', 'Values of the `:name` segments of the route, percent-decoded.', (_vm, req: Request) => req.params],
  ['query', '', 'Hash', 'Query parameters; a repeated one keeps its last value.', (_vm, req: Request) => req.query],
  ['headers', '', 'Hash', 'Header fields; names are case-insensitive.', (_vm, req: Request) => req.headers],
  ['body', '', 'String', 'The body as text; bytes that are not UTF-8 become U+FFFD.', (_vm, req: Request) => req.body],
  ['bytes', '', 'Bytes', 'The body as Bytes.', (_vm, req: Request) => req.bytes],
  ['json', '', 'Any', 'The body as JSON, or nil when it is not valid JSON.', (vm: NativeContext, req: Request) => req.json(vm)],
  ['form', '', 'Hash', 'The body as form fields.', (_vm, req: Request) => req.form],
  ['valid', '', 'Any', 'The body as a value of the type that the route declares with `body:`.', (_vm, req: Request) => checkedPart(req, 'body')],
  ['query_valid', '', 'Any', 'The query as a record of the type that the route declares with `query:`.', (_vm, req: Request) => checkedPart(req, 'query')],
  ['params_valid', '', 'Any', 'The path parameters as a record of the type that the route declares with `params:`.', (_vm, req: Request) => checkedPart(req, 'params')],
  ['errors', '', 'Vector', 'What does not fit the declared types: hashes with `at`, a JSON pointer, and `message`; `in` is "query" or "path" outside of the body.', (_vm, req: Request) => req.checked?.errors ?? []],
  ['files', '', 'Hash', 'Files of a multipart form by field name: hashes with filename, content_type, size, and body or path; `bytes` is the content as Bytes where there is a body.', (_vm, req: Request) => req.files],
  ['cookies', '', 'Hash', 'Cookies by name.', (_vm, req: Request) => req.cookies],
  ['ip', '', 'String', 'Address of the client.', (_vm, req: Request) => req.ip],
  ['host', '', 'String?', 'The Host header.', (_vm, req: Request) => req.header('host')],
  ['log_fields', '', 'Hash', 'Fields of the line in the access log, to which the program may add.', (_vm, req: Request) => (req.logFields ??= new Hash())],
  ['scheme', '', 'String', 'The scheme of the request: `https` when the client used HTTPS, as a trusted proxy reports in X-Forwarded-Proto; else `http`.', (_vm, req: Request) => (req.isHttps ? 'https' : 'http')],
  ['id', '', 'String', 'X-Request-Id, or a new identifier.', (_vm, req: Request) => req.parts.id],
  ['content_type', '', 'String?', 'Media type of the body, without parameters.', (_vm, req: Request) => req.contentType],
  ['accepts?', 'type: String', 'Boolean', 'Whether the client accepts a media type.', (_vm, req: Request, type: string) => accepts(req, type)],
  ['query_int', 'key: String, default: Any = nil', 'Any', 'A query parameter as Integer, or the default.', (_vm, req: Request, key: string, fallback: Value) => queryValue(req, key, parseQueryInt, fallback)],
  ['query_float', 'key: String, default: Any = nil', 'Any', 'A query parameter as Float, or the default.', (_vm, req: Request, key: string, fallback: Value) => queryValue(req, key, readFloat, fallback)],
  ['query_bool', 'key: String, default: Any = false', 'Any', 'Whether a query parameter is true, 1 or yes; the default if it is missing.', (_vm, req: Request, key: string, fallback: Value) => queryValue(req, key, parseQueryBool, fallback)],
  ['[]', 'key: Any', 'Any', 'A value stored by middleware.', (_vm, req: Request, key: Value) => req.elementAt(key)],
  ['[]=', 'key: Any, value: Any', 'Any', 'Stores a value for later layers.', (_vm, req: Request, key: Value, value: Value) => { req.storeAt(key, value); }],
]);
for (const fn of requestMethods) REQUEST.methods.set(fn.name, fn);
