import {
  type Context,
  ROOT_CONTEXT,
  type Span as ApiSpan,
  SpanKind as ApiKind,
  SpanStatusCode,
  trace,
  type Tracer as ApiTracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';
import { type ErrorValue } from '../../vm/values/error.js';
import type { Attributes, Span, SpanKind, SpanPlace, Tracer } from '../core/tracing.js';
import type { Batches } from './batches.js';

const KINDS: Readonly<Record<SpanKind, ApiKind>> = {
  server: ApiKind.SERVER,
  client: ApiKind.CLIENT,
  internal: ApiKind.INTERNAL,
};

const propagator = new W3CTraceContextPropagator();

const READER = {
  keys: (): string[] => ['traceparent', 'tracestate'],
  get: (header: (name: string) => string | null, name: string): string | undefined => header(name) ?? undefined,
};

/** A span of OpenTelemetry. */
class RecordedSpan implements Span {
  readonly traceId: string;
  readonly spanId: string;
  /** The context of spans below this one. */
  readonly context: Context;

  constructor(private readonly span: ApiSpan) {
    ({ traceId: this.traceId, spanId: this.spanId } = span.spanContext());
    this.context = trace.setSpan(ROOT_CONTEXT, span);
  }

  get headers(): Record<string, string> {
    const fields: Record<string, string> = {};
    propagator.inject(this.context, fields, { set: (_carrier, name, value) => void (fields[name] = value) });
    return fields;
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  failed(error: ErrorValue | string): void {
    if (typeof error === 'string') {
      this.span.setAttribute('error.type', error);
      this.span.setStatus({ code: SpanStatusCode.ERROR });
      return;
    }
    const { type, message } = error;
    const stack = (error.trace ?? []).map(({ file, line, name }) => `${file}:${line} in ${name}`).join('\n');
    this.span.recordException({ name: type.name, message, stack });
    this.span.setAttribute('error.type', type.name);
    this.span.setStatus({ code: SpanStatusCode.ERROR, message });
  }

  end(): void {
    this.span.end();
  }
}

/** Records spans with the SDK of OpenTelemetry, and hands those that are sampled to an exporter, in batches. */
export class OpenTelemetryTracer implements Tracer {
  private readonly tracer: ApiTracer;
  private readonly provider: BasicTracerProvider;

  /** @param sample share of the traces that begin here and are recorded */
  constructor(
    service: string,
    sample: number,
    readonly batches: Batches,
  ) {
    this.provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': service }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sample) }),
      spanLimits: { attributeValueLengthLimit: 2048, eventCountLimit: 32 },
      spanProcessors: [batches],
    });
    this.tracer = this.provider.getTracer('svc');
  }

  start(name: string, kind: SpanKind, { parent, header, startedAt }: SpanPlace, attributes: Attributes): Span {
    const context =
      parent instanceof RecordedSpan
        ? parent.context
        : header === undefined
          ? ROOT_CONTEXT
          : propagator.extract(ROOT_CONTEXT, header, READER);
    const startTime = startedAt === undefined ? undefined : Date.now() - (performance.now() - startedAt);
    return new RecordedSpan(this.tracer.startSpan(name, { kind: KINDS[kind], attributes, startTime }, context));
  }

  /** Sends what waits. */
  flush(): Promise<void> {
    return this.provider.forceFlush();
  }
}
