import { SpanKind } from '@opentelemetry/api';
import { ExportResultCode, hrTimeToMilliseconds } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { visible } from '../../vm/values/text/visible.js';

function line(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  const text = JSON.stringify({
    time: new Date(hrTimeToMilliseconds(span.startTime)).toISOString(),
    span: span.name,
    kind: SpanKind[span.kind].toLowerCase(),
    ms: Math.round(hrTimeToMilliseconds(span.duration) * 100) / 100,
    trace_id: traceId,
    span_id: spanId,
    parent_id: span.parentSpanContext?.spanId ?? null,
    attributes: span.attributes,
    events: span.events.map(({ name, attributes }) => ({ name, attributes })),
  });
  return `${visible(text)}\n`;
}

/** Writes spans as lines of JSON, for development. */
export function consoleExporter(write: (text: string) => void): SpanExporter {
  return {
    export: (spans, done) => {
      write(spans.map(line).join(''));
      done({ code: ExportResultCode.SUCCESS });
    },
    shutdown: () => Promise.resolve(),
  };
}
