import { Errors, fail, SvcError } from '../../../vm/values/error.js';
import type { Hash } from '../../../vm/values/hash.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { toText } from '../../../vm/values/text/text.js';
import { Float, type Value } from '../../../vm/values/value.js';
import type { Num } from '../../core/declare.js';
import { ENDINGS } from '../../core/ending.js';
import { METRIC_SOURCES } from '../../core/metricsources.js';
import { PROCESS } from '../../core/process.js';
import { type Attributes, TRACER, type Tracer } from '../../core/tracing.js';
import { type SpanIds, spanOf } from '../../core/work.js';
import { headerProblem } from '../../http/headers.js';
import { cut, FieldText } from '../../logging/fieldtext.js';
import { fieldsFrom, SETTINGS } from '../../logging/logger.js';
import { within } from '../../within.js';
import type { TracingOptions } from '../../tracing/start.js';
import type { App } from '../app/app.js';
import type { Answered, Caller } from '../request/exchange.js';

const HOST = /^(?:\[([\da-f:.]+)\]|([^:[\]\s]+))(?::(\d{0,5}))?$/i;

/** Attributes for the host and the port of a field `Host`; none for an invalid one. */
function serverOf(host: string): Attributes {
  const parts = HOST.exec(host);
  if (parts === null) return {};
  const [, literal, name, port = ''] = parts;
  return { 'server.address': literal ?? name, ...(port === '' ? {} : { 'server.port': Number(port) }) };
}

/** Spans of an application's requests, with the attributes that OpenTelemetry names. */
class RequestTracing {
  constructor(
    private readonly vm: NativeContext,
    private readonly tracer: Tracer,
  ) {}

  /** Opens the span of a request. It continues the trace of the fields `traceparent` and `tracestate`, if they are valid. */
  begin(caller: Caller, startedAt: number): void {
    const { method, path, query } = caller.parts;
    const attributes: Attributes = {
      'http.request.method': method,
      'url.path': path,
      'url.scheme': caller.isHttps ? 'https' : 'http',
      'client.address': caller.ip,
    };
    const redacted = SETTINGS.of(this.vm).redaction.query(query);
    if (redacted !== '') attributes['url.query'] = redacted;
    Object.assign(attributes, serverOf(caller.header('host') ?? ''));
    const agent = caller.header('user-agent');
    if (agent !== null) attributes['user_agent.original'] = agent;
    caller.span = this.tracer.start(method, 'server', { header: (name) => caller.header(name), startedAt }, attributes);
  }

  /** Ends the span of a request; that of a WebSocket is its handshake. */
  end({ request, route, status, bytes, startedAt, closeCode }: Answered): void {
    if (closeCode !== undefined) return;
    if (request.span === null) this.begin(request, startedAt);
    const { span } = request;
    if (span === null) return;
    if (route !== null) {
      span.rename(`${request.parts.method} ${route.pattern}`);
      span.set({ 'http.route': route.pattern });
    }
    span.set({ 'http.response.status_code': status, 'http.response.body.size': bytes });
    if (status >= 500) span.failed(String(status));
    span.end();
  }
}

/** Milliseconds that a program waits at its end until its spans are sent: less than it waits in all. */
const FLUSH_MS = 1800;

const EXPORTERS = ['otlp', 'console'];

/** @throws ValueError, ArgumentError */
function optionsOf(
  vm: NativeContext,
  exporter: string,
  url: string | null,
  service: string | null,
  sample: Num,
  headers: Hash | null,
): TracingOptions {
  if (!EXPORTERS.includes(exporter))
    fail(Errors.ValueError, `app.tracing(): exporter must be otlp or console, got "${exporter}"`);
  if (url !== null && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
    fail(Errors.ValueError, `app.tracing(): url must begin with http:// or https://, got ${JSON.stringify(url)}`);
  const share = sample instanceof Float ? sample.n : Number(sample);
  if (!(share >= 0 && share <= 1))
    fail(Errors.ValueError, `app.tracing(): sample must be from 0 to 1, got ${toText(sample)}`);
  const fields = (headers?.entries() ?? []).map(([name, value]): [string, string] => [toText(name), toText(value)]);
  for (const [name, value] of fields) {
    const problem = headerProblem(name, value);
    if (problem !== null) fail(Errors.ValueError, problem);
  }
  return {
    exporter: exporter as TracingOptions['exporter'],
    url,
    headers: Object.fromEntries(fields),
    service: service ?? PROCESS.of(vm).env.OTEL_SERVICE_NAME ?? 'svc',
    sample: share,
    env: PROCESS.of(vm).env,
  };
}

/** Native `app.tracing`: records spans of requests and what they cause, and sends them. */
export function enableTracing(
  vm: NativeContext,
  app: App,
  exporter: string,
  url: string | null,
  service: string | null,
  sample: Num,
  headers: Hash | null,
): undefined {
  const options = optionsOf(vm, exporter, url, service, sample, headers);
  if (app.tracing !== null) fail(Errors.RuntimeError, 'app.tracing() was called before');
  return vm.waitForPromise(
    'tracing',
    import('../../tracing/start.js').then(({ startTracing }) => {
      const tracer = startTracing(options, (text) => vm.host.stderr(text));
      TRACER.set(vm, tracer);
      const { batches } = tracer;
      ENDINGS.of(vm).add(() => within(FLUSH_MS, tracer.flush(), () => batches.abandon()));
      METRIC_SOURCES.of(vm).set('tracing', () => [
        '# HELP svc_trace_spans_total Spans of tracing that were sent.',
        '# TYPE svc_trace_spans_total counter',
        `svc_trace_spans_total ${batches.exported}`,
        '# HELP svc_trace_spans_dropped_total Spans that could not be sent.',
        '# TYPE svc_trace_spans_dropped_total counter',
        `svc_trace_spans_dropped_total ${batches.dropped}`,
      ]);
      const tracing = (app.tracing = new RequestTracing(vm, tracer));
      app.observers.push((answered) => tracing.end(answered));
      return null;
    }),
  );
}

/** Maximum characters of an attribute. */
const MAX_ATTRIBUTE = 2048;

/** A value of a program as an attribute: a number, true, false, or the text that a log would have. */
function attributeOf(name: string, value: Value, text: FieldText): string | number | boolean {
  const json = text.field(name, value);
  if (json.startsWith('"')) return cut(String(JSON.parse(json)), MAX_ATTRIBUTE);
  if (typeof value === 'boolean' || typeof value === 'number') return value;
  return value instanceof Float ? value.n : cut(json, MAX_ATTRIBUTE);
}

/** Values of a program as attributes of a span. Secrets are replaced as in logs. */
function attributesOf(vm: NativeContext, fields: Hash): Attributes {
  const attributes: Attributes = {};
  const text = new FieldText(SETTINGS.of(vm).redaction);
  for (const [name, value] of fieldsFrom(fields)) if (value !== null) attributes[name] = attributeOf(name, value, text);
  return attributes;
}

/** Native `app.span`: runs a block in a span below the one that is open around the thread, or in a trace of its own. */
export function runInSpan(vm: NativeContext, name: string, fields: Hash, block: Value): Value | undefined {
  const tracer = TRACER.of(vm);
  const { current: fiber } = vm.scheduler;
  if (tracer === null || fiber === null) return vm.call(block, []);
  const outer: SpanIds | null = spanOf(vm);
  const span = tracer.start(name, 'internal', { parent: outer }, attributesOf(vm, fields));
  fiber.span = span;
  const close = (): void => {
    // Another thread may read on in a sequence that has opened the span.
    if (vm.scheduler.current !== null) vm.scheduler.current.span = outer;
    span.end();
  };
  return vm.callThen(block, [], {
    done: (value) => {
      close();
      return value;
    },
    failed: (thrown) => {
      if (thrown instanceof SvcError) span.failed(thrown.value);
      close();
      throw thrown;
    },
  });
}
