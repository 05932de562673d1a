import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { withoutPassword } from '../address.js';
import { Batches } from './batches.js';
import { consoleExporter } from './console.js';
import { OpenTelemetryTracer } from './tracer.js';

/** What a program says about its tracing. */
export interface TracingOptions {
  exporter: 'otlp' | 'console';
  /** Address of the collector; null: as the environment variables of OpenTelemetry say, else localhost. */
  url: string | null;
  headers: Record<string, string>;
  service: string;
  sample: number;
  /** The environment of the program. */
  env: Readonly<Record<string, string | undefined>>;
}

/** The address that the exporter takes if none is named. */
function defaultUrl(env: TracingOptions['env']): string {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim() || 'http://localhost:4318';
  return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim() || `${base.replace(/\/$/, '')}/v1/traces`;
}

/** Starts tracing. This module is loaded by the first program that traces: it brings the SDK of OpenTelemetry. */
export function startTracing(options: TracingOptions, write: (text: string) => void): OpenTelemetryTracer {
  const exporter: SpanExporter =
    options.exporter === 'console'
      ? consoleExporter(write)
      : new OTLPTraceExporter({
          ...(options.url === null ? {} : { url: options.url }),
          headers: options.headers,
          timeoutMillis: 10_000,
        });
  const target =
    options.exporter === 'console' ? 'the console' : withoutPassword(options.url ?? defaultUrl(options.env));
  const warn = (reason: string): void =>
    write(`warning: spans of tracing are lost: ${target}: ${reason}; svc_trace_spans_dropped_total counts them\n`);
  return new OpenTelemetryTracer(options.service, options.sample, new Batches(exporter, warn));
}
