/** Spans of tracing, as natives see them; `natives/tracing/` records them. */
import { ModuleState } from '../../vm/calls/modulestate.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import type { ErrorValue } from '../../vm/values/error.js';
import { type SpanIds, spanOf } from './work.js';

/** Whether a span answers a request, sends one, or is work within the program. */
export type SpanKind = 'server' | 'client' | 'internal';

export type Attributes = Record<string, string | number | boolean>;

/** An operation that is under way. */
export interface Span extends SpanIds {
  /** The fields `traceparent` and `tracestate` for requests to other services. */
  readonly headers: Readonly<Record<string, string>>;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Records the error that ended the operation. */
  failed(error: ErrorValue | string): void;
  end(): void;
}

/** Where a span stands: below another one, or below one of another service. */
export interface SpanPlace {
  readonly parent?: SpanIds | null;
  /** A field of an incoming request, or null. */
  readonly header?: (name: string) => string | null;
  /** Monotonic milliseconds of its start; now if it is not given. */
  readonly startedAt?: number;
}

/** Records spans. */
export interface Tracer {
  start(name: string, kind: SpanKind, place: SpanPlace, attributes: Attributes): Span;
}

/** The tracer of a VM; null: nothing is traced. */
export const TRACER = new ModuleState<Tracer | null>(() => null);

/** A span below the one that is open around the running thread; null without tracing, or outside of any span. */
export function childSpan(vm: NativeContext, name: string, kind: SpanKind, attributes: () => Attributes): Span | null {
  const parent = spanOf(vm);
  if (parent === null) return null;
  return TRACER.of(vm)?.start(name, kind, { parent }, attributes()) ?? null;
}
