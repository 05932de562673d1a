import { Hash } from '../../vm/values/hash.js';
import type { Value } from '../../vm/values/value.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { functions, methodsOf, type Num, type Row } from '../core/declare.js';
import type { DurationValue } from '../core/dates/duration.js';
import { CLIENT, cookiesFor, HttpClient, Jar, requestRows, routeFor, send, type Sender } from './client/client.js';
import { eventMethods } from './client/events.js';
import { htmlMethods } from './client/html.js';
import { clientOptions, defaultConnection, freeOptions, plainOptions, REQUEST_OPTIONS } from './client/options.js';
import { httpResponseMethods } from './client/response.js';
import { checkBase, under } from './client/target.js';
import { urlRows } from './urls.js';

/** Options of connections that `http` and `http_client` take. */
const CONNECTION_OPTIONS =
  '`public_only: true` refuses addresses that are not public, also after redirections; `proxy` (a URL, or false for none) replaces the proxy of HTTP_PROXY, HTTPS_PROXY and NO_PROXY; `ca`, `cert` and `key` are certificates in PEM, `insecure: true` accepts any of the server; `connections` (256) limits those to one host.';

/** A sender without anything of its own. */
function alone(vm: NativeContext, connection = defaultConnection()): Sender {
  const { shared } = plainOptions();
  return { base: null, shared, route: routeFor(vm, connection), jar: null, cookieUrl: ({ href }) => href };
}

function withoutBody(
  vm: NativeContext,
  url: string,
  headers: Hash | null,
  timeout: Num | DurationValue | null,
  follow: boolean,
): undefined {
  return send(vm, alone(vm), 'GET', url, plainOptions({ headers, timeout }, follow).request);
}

/** A function that sends a request with a body. */
function sender(method: string, doc: string): Row {
  const impl = (
    vm: NativeContext,
    url: string,
    body: Value,
    headers: Hash | null,
    json: Value,
    form: Hash | null,
    timeout: Num | DurationValue | null,
    follow: boolean,
  ): undefined =>
    send(vm, alone(vm), method, url, plainOptions({ body, headers, json, form, timeout }, follow).request);
  return [
    `http_${method.toLowerCase()}`,
    'url: String, body: Any = nil, headers: Hash? = nil, json: Any = nil, form: Hash? = nil, timeout: Number|Duration? = 30, follow: Boolean = true',
    'HttpResponse',
    doc,
    impl,
  ];
}

function request(vm: NativeContext, method: string, url: string, given: Hash): undefined {
  const options = freeOptions('http', given);
  return send(vm, alone(vm, options.connection), method, url, options.request);
}

function client(vm: NativeContext, given: string | null, others: Hash): HttpClient {
  const options = given === null ? others : Hash.from([['base', given], ...others.entries()]);
  const { base, cookies, shared, connection } = clientOptions('http_client', options);
  if (base !== null) checkBase(base);
  const jar = cookies ? new Jar(() => vm.host.wallClock()) : null;
  return new HttpClient(base, shared, routeFor(vm, connection), jar);
}

/** Requests to other servers, and URL encoding. */
// prettier-ignore
export const http = [
  ...functions([
    ['http', 'method: String, url: String, **options: Any', 'HttpResponse', `Sends a request and waits for the response. ${REQUEST_OPTIONS} With \`stream: true\` the body is read by \`each_chunk\`. \`retries: n\` repeats GET, HEAD, PUT, DELETE and OPTIONS after broken connections and the statuses 429, 502, 503 and 504, within the timeout. Requests to ports of other protocols (the list of the Fetch standard: 25, 6000, 10080 …) are refused. A server that sends \`100 Continue\`, which no request asks for, breaks the connection. ${CONNECTION_OPTIONS}`, request],
    ['http_client', 'base: String? = nil, **options: Any', 'HttpClient', `A client whose requests have options in common: \`base\` (a URL that paths are appended to, without query and fragment), \`headers\` (for the origin of \`base\`), \`cookies: true\` (keeps cookies and sends them back), \`timeout\`, \`retries\`, \`follow\`, \`max_bytes\`, and those of connections. ${CONNECTION_OPTIONS}`, client],
    ['http_get', 'url: String, headers: Hash? = nil, timeout: Number|Duration? = 30, follow: Boolean = true', 'HttpResponse', 'Sends a GET request and waits for the response, at most `timeout` seconds, or a Duration; follows redirects unless `follow` is false.', withoutBody],
    sender('POST', 'Sends a POST request with a text, a value as JSON or a form, and waits for the response.'),
    sender('PUT', 'Sends a PUT request with a text, a value as JSON or a form, and waits for the response.'),
    sender('PATCH', 'Sends a PATCH request with a text, a value as JSON or a form, and waits for the response.'),
    sender('DELETE', 'Sends a DELETE request and waits for the response.'),
    ...urlRows,
  ]),
  ...methodsOf('HttpClient', [
    ...requestRows('to a path below the base, or to a URL'),
    ['cookies', 'path: String = ""', 'Hash', 'The cookies that are sent with requests to a path or URL.', (_: unknown, of: Sender, path: string) => cookiesFor(of, under(of.base, path).href)],
  ]),
  ...httpResponseMethods,
  ...htmlMethods,
  ...eventMethods,
];
for (const fn of http) if (fn.owner === 'HttpClient') CLIENT.methods.set(fn.name, fn);
