import { methods } from '../../../vm/calls/native.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import type { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { APP, type App } from '../app/app.js';
import { addEndpoint } from '../app/endpoint.js';
import type { OutputHandle } from '../../core/output.js';
import type { JobQueue } from '../../jobs/queue.js';
import type { MaxAge } from '../config/maxage.js';
import { REQUEST, type Request } from '../request/request.js';
import { Response, TEXT } from '../response/response.js';
import { enableLog } from './accesslog.js';
import { enableCompression } from './compress.js';
import { enableCors } from './cors.js';
import { cspNonce, enableSecureHeaders, SECURE_HEADERS } from './secureheaders.js';
import { addApiDocs } from './apidocs.js';
import { enableInspection } from './inspect.js';
import { enableMetrics } from './metrics.js';
import { openApiDocument, securityOf } from './openapi.js';
import { enableTracing, runInSpan } from './tracing.js';

/** Answers GET `path` with the result of `answer`. */
function endpoint(vm: NativeContext, app: App, path: string, answer: NativeFunction['impl']): void {
  addEndpoint(vm, app, { pattern: path, place: vm.position(), answer });
}

/** Native `app.jobs_page`, which is loaded with the first page. */
function jobsPage(vm: NativeContext, app: App, path: string, queue: JobQueue, guard: Value): undefined {
  const place = vm.position();
  const added = import('../../jobs/page/index.js').then(({ addJobsPage }) => {
    addJobsPage(vm, app, { path, queue, guard, place });
    return null;
  });
  return vm.waitForPromise('jobs', added);
}

/** The optional features of an application: health, CORS, compression, access log, metrics, OpenAPI. */
// prettier-ignore
export const extras: NativeFunction[] = methods('SvcApp', [
  ['health', 'path: String = "/healthz"', 'Nil', 'Answers a path with `ok` while the server is running.', (vm: NativeContext, app: App, path: string) => endpoint(vm, app, path, () => new Response(200, 'ok', TEXT))],
  ['cors', 'origins: String|Vector = "*", methods: String|Vector = "GET, HEAD, POST, PUT, PATCH, DELETE", headers: String|Vector? = nil, credentials: Boolean = false, max_age: Number|Duration? = nil', 'Nil', 'Lets pages of other origins use the application.', (_vm, app: App, origins: Value, allowed: Value, headers: Value, credentials: boolean, maxAge: MaxAge) => enableCors(app, origins, allowed, headers, credentials, maxAge)],
  ['secure_headers', SECURE_HEADERS, 'Nil', 'Sends headers that protect browsers with every response: Content-Security-Policy, Strict-Transport-Security with HTTPS, and others. Each option takes a value, true for its default, or false.', (_vm, app: App, csp: Value, reportOnly: boolean, hsts: Value, ...texts: Value[]) => enableSecureHeaders(app, csp, reportOnly, hsts, texts)],
  ['method_override', '', 'Nil', 'Lets the field `_method` of a POST form turn its request into PUT, PATCH or DELETE.', (_vm, app: App) => { app.overridesMethod = true; }],
  ['compress', 'min: Integer = 1024', 'Nil', 'Compresses text bodies of at least `min` bytes when the client accepts it.', (vm: NativeContext, app: App, least: number) => enableCompression(vm, app, least)],
  ['log', 'what: String = "access", format: String = "json", to: String|Output? = nil', 'Nil', 'Writes a line for each request, and for the start and the end of each WebSocket: as json, or as text for people; to stdout, stderr or a file.', (vm: NativeContext, app: App, what: string, format: string, to: string | OutputHandle | null) => enableLog(vm, app, what, format, to)],
  ['metrics', 'path: String = "/metrics"', 'Nil', 'Answers a path with counters in the Prometheus text format.', (vm: NativeContext, app: App, path: string) => endpoint(vm, app, path, enableMetrics(vm, app, path))],
  ['jobs_page', 'path: String, jobs: JobQueue, &guard: Function', 'Nil', 'Answers a path with a page that shows the jobs of a queue: their numbers, those that failed with backtraces, and buttons that retry them. The guard is called with each request; for those for which it returns nil or false the answer is 403, and a response that it returns is the answer.', jobsPage],
  ['inspect', 'path: String = "/_svc"', 'Nil', 'Observes requests and threads for `svcc top`; with `svcc run --dev`, also answers a path with a page that shows them, for browsers on this machine alone. Call it before `app.run`. ValueError for a malformed path, RuntimeError while the application listens.', enableInspection],
  ['openapi', 'path: String = "/openapi.json", title: String = "Svc application", version: String = "1.0.0", description: String = "", security: Hash? = nil', 'Nil', 'Answers a path with an OpenAPI 3.1 document of the routes.', (vm: NativeContext, app: App, path: string, title: string, version: string, description: string, security: Value) => endpoint(vm, app, path, openApiDocument(vm, app, path, { title, version, description, security: securityOf(security) }))],
  ['api_docs', 'path: String = "/docs", openapi: String = "/openapi.json"', 'Nil', 'Answers a path with a page that shows the OpenAPI document of the routes.', addApiDocs],
  ['tracing', 'exporter: String = "otlp", url: String? = nil, service: String? = nil, sample: Number = 1.0, headers: Hash? = nil', 'Nil', 'Records spans of requests, of their queries and of the requests that they send, and sends them to a collector of OpenTelemetry by OTLP over HTTP; "console" writes them to stderr. Without `url` and `service` the environment variables OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_SERVICE_NAME count. `sample` is the share of the traces that begin here and are recorded. ValueError for other exporters and addresses.', enableTracing],
  ['span', 'name: String, **attributes, &block: Function', 'Any', 'Runs the block in a span, below the one that is open, or in a trace of its own; returns its value. Without tracing it only calls the block.', (vm: NativeContext, _app: App, name: string, attributes: Hash, block: Value) => runInSpan(vm, name, attributes, block)],
]);
for (const fn of extras) APP.methods.set(fn.name, fn);

/** What optional features add to requests. */
// prettier-ignore
export const requestExtras: NativeFunction[] = methods('SvcRequest', [
  ['csp_nonce', '', 'String?', 'The nonce of the request for scripts and styles, if the Content-Security-Policy of `app.secure_headers` has one.', (_vm, req: Request) => cspNonce(req)],
]);
for (const fn of requestExtras) REQUEST.methods.set(fn.name, fn);
