/** Options of requests and clients. */
import { nearest } from '../../../vm/bytecode/nearest.js';
import { native, paramsOf } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { toText } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import type { DurationValue } from '../../core/dates/duration.js';
import type { Num } from '../../core/declare.js';

/** What a request sends. */
const CONTENT = 'json: Any = nil, form: Hash? = nil, multipart: Hash? = nil, body: Any = nil, stream: Boolean = false';

/** What clients may set for all of their requests. */
const SHARED =
  'headers: Hash? = nil, timeout: Number|Duration? = 30, retries: Integer = 0, follow: Integer|Boolean = true, max_bytes: Integer? = nil';

/** How connections are made. */
const CONNECTION =
  'public_only: Boolean = false, proxy: String|Boolean = true, ca: String? = nil, cert: String? = nil, key: String? = nil, insecure: Boolean = false, connections: Integer = 256';

/** A request's content. At most one of `json`, `form`, `multipart` and `body` is given. */
export interface ContentOptions {
  readonly json: Value;
  readonly form: Hash | null;
  readonly multipart: Hash | null;
  readonly body: Value;
  /** Whether the response's body is read by the program. */
  readonly stream: boolean;
}

/** Options that a request takes from its client unless it has its own. */
export interface SharedOptions {
  readonly headers: Hash | null;
  readonly timeout: Num | DurationValue | null;
  /** Maximum number of repetitions. */
  readonly retries: number;
  /** Maximum number of redirections. */
  readonly follow: number;
  /** Maximum bytes of a response's body; null means the default. */
  readonly maxBytes: number | null;
}

/** Options of connections. */
export interface ConnectionOptions {
  /** Whether only addresses of the public internet may be connected to. */
  readonly publicOnly: boolean;
  /** Proxy: a URL; true takes the one of the environment; false means none. */
  readonly proxy: string | boolean;
  /** Certificates in PEM: trusted authorities, the client's own and its key. */
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  /** Whether certificates of servers are not checked. */
  readonly insecure: boolean;
  /** Maximum connections to one host. */
  readonly connections: number;
}

export type RequestOptions = ContentOptions & SharedOptions;

/** Redirections that `follow: true` allows (Fetch standard). */
const MAX_REDIRECTS = 20;

type Named = Readonly<Record<string, Value>>;

/** A set of options, declared like the parameters of a native. */
class OptionSet {
  private parsed: ReturnType<typeof paramsOf> | null = null;

  constructor(private readonly signature: string) {}

  private get declared(): ReturnType<typeof paramsOf> {
    return (this.parsed ??= paramsOf(native('options', this.signature, 'Any', '', () => null)));
  }

  /**
   * The options of `given`, with defaults for the rest.
   * @param name names the function in messages
   * @throws ArgumentError, TypeError
   */
  read(name: string, given: Hash): Named {
    const named: Record<string, Value> = {};
    for (const param of this.declared) named[param.name] = param.default ?? null;
    for (const [key, value] of given.entries()) {
      const param = this.declared.find((one) => one.name === key);
      if (param === undefined) return this.unknown(name, toText(key));
      if (!param.check(value))
        fail(
          Errors.TypeError,
          `${name}(): ${param.name} must be ${param.typeText.replace(/\?$/, '|nil').replaceAll('|', ' or ')}, got ${typeName(value)}`,
        );
      named[param.name] = value;
    }
    return named;
  }

  private unknown(name: string, key: string): never {
    const names = this.declared.map((param) => param.name);
    const near = nearest(key, names);
    return fail(
      Errors.ArgumentError,
      `${name}() has no option '${key}'; ${near === null ? `there are ${names.join(', ')}` : `did you mean '${near}'?`}`,
    );
  }
}

const REQUEST = new OptionSet(`${CONTENT}, ${SHARED}`);
const FREE = new OptionSet(`${CONTENT}, ${SHARED}, ${CONNECTION}`);
const CLIENT = new OptionSet(`base: String? = nil, cookies: Boolean = false, ${SHARED}, ${CONNECTION}`);
const TEST = new OptionSet(`cookies: Boolean = true, ${SHARED}`);

/** Names of the options of requests, for documentation. */
export const REQUEST_OPTIONS =
  'Options: `headers`; one of `json`, `form`, `multipart` and `body`; `timeout` (30 seconds), `retries` (0), `follow` (true: 20 redirections), `max_bytes` (64 MiB), `stream`.';

function whole(name: string, option: string, value: Value, least: number): number {
  const n = Number(value);
  if (!(n >= least)) fail(Errors.ArgumentError, `${name}(): ${option} must be ${least} or more, got ${toText(value)}`);
  return n;
}

function sharedOf(name: string, named: Named): SharedOptions {
  const { follow, max_bytes: maxBytes } = named;
  return {
    headers: named.headers as Hash | null,
    timeout: named.timeout as Num | DurationValue | null,
    retries: whole(name, 'retries', named.retries, 0),
    follow: typeof follow === 'boolean' ? (follow ? MAX_REDIRECTS : 0) : whole(name, 'follow', follow, 0),
    maxBytes: maxBytes === null ? null : whole(name, 'max_bytes', maxBytes, 1),
  };
}

function contentOf(named: Named): ContentOptions {
  return {
    json: named.json,
    form: named.form as Hash | null,
    multipart: named.multipart as Hash | null,
    body: named.body,
    stream: named.stream === true,
  };
}

/** @throws ArgumentError for options that exclude each other */
function connectionOf(name: string, named: Named): ConnectionOptions {
  const options: ConnectionOptions = {
    publicOnly: named.public_only === true,
    proxy: named.proxy as string | boolean,
    ca: named.ca as string | null,
    cert: named.cert as string | null,
    key: named.key as string | null,
    insecure: named.insecure === true,
    connections: whole(name, 'connections', named.connections, 1),
  };
  if ((options.cert === null) !== (options.key === null))
    fail(Errors.ArgumentError, `${name}(): a client certificate needs both cert and key`);
  if (options.publicOnly && typeof options.proxy === 'string')
    fail(
      Errors.ArgumentError,
      `${name}(): public_only and proxy exclude each other: a proxy chooses the address itself`,
    );
  return options;
}

/** The options of connections that functions without such options use. */
export function defaultConnection(): ConnectionOptions {
  return (usual ??= connectionOf('http', new OptionSet(CONNECTION).read('http', new Hash())));
}

let usual: ConnectionOptions | null = null;

/** Options of `http`. */
export function freeOptions(name: string, given: Hash): { request: RequestOptions; connection: ConnectionOptions } {
  const named = FREE.read(name, given);
  return { request: { ...contentOf(named), ...sharedOf(name, named) }, connection: connectionOf(name, named) };
}

/** Options of `http_client`. */
export function clientOptions(
  name: string,
  given: Hash,
): { base: string | null; cookies: boolean; shared: SharedOptions; connection: ConnectionOptions } {
  const named = CLIENT.read(name, given);
  return {
    base: named.base as string | null,
    cookies: named.cookies === true,
    shared: sharedOf(name, named),
    connection: connectionOf(name, named),
  };
}

/** Options of a client for tests, which follows no redirections unless asked to. */
export function testOptions(name: string, given: Hash): { cookies: boolean; shared: SharedOptions } {
  const named = TEST.read(name, given);
  const shared = sharedOf(name, named);
  return { cookies: named.cookies === true, shared: given.has('follow') ? shared : { ...shared, follow: 0 } };
}

/** Options of a request of a client, which has defaults for those in `shared`. */
export function requestOptions(name: string, given: Hash, shared: SharedOptions): RequestOptions {
  const named = REQUEST.read(name, given);
  const own = sharedOf(name, named);
  return {
    ...contentOf(named),
    headers: own.headers,
    timeout: given.has('timeout') ? own.timeout : shared.timeout,
    retries: given.has('retries') ? own.retries : shared.retries,
    follow: given.has('follow') ? own.follow : shared.follow,
    maxBytes: given.has('max_bytes') ? own.maxBytes : shared.maxBytes,
  };
}

/** Options of functions that take only some of them. */
export function plainOptions(
  given: Partial<RequestOptions> = {},
  follow = true,
): { request: RequestOptions; shared: SharedOptions } {
  const shared: SharedOptions = {
    headers: null,
    timeout: null,
    retries: 0,
    follow: follow ? MAX_REDIRECTS : 0,
    maxBytes: null,
  };
  const content: ContentOptions = { json: null, form: null, multipart: null, body: null, stream: false };
  return { request: { ...content, ...shared, ...given }, shared };
}
