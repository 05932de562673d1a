import { TraceFlags } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** Maximum spans that wait for the exporter; further ones are dropped and counted. */
const MAX_WAITING = 2048;
/** Spans of one batch: encoding them takes about a millisecond. */
const BATCH = 128;
/** Milliseconds between two batches that are not full, and for the sending of one. */
const DELAY_MS = 1000;
const EXPORT_MS = 10_000;

/** Why spans could not be sent. A name with several addresses fails with an error for each, and without a message. */
function reasonFor(error: Error | undefined): string {
  const errors: NodeJS.ErrnoException[] = error instanceof AggregateError ? error.errors : [];
  const first = errors[0] ?? error;
  return first?.message || first?.code || 'the exporter failed';
}

/** Passes spans to an exporter in batches, and counts those that are lost. Never waits. */
export class Batches implements SpanProcessor {
  exported = 0;
  dropped = 0;
  private waiting = 0;
  private isFailing = false;
  private readonly processor: BatchSpanProcessor;

  /** @param warn called when spans begin to be lost */
  constructor(
    private readonly exporter: SpanExporter,
    private readonly warn: (reason: string) => void,
  ) {
    const counting: SpanExporter = {
      export: (spans, done) => exporter.export(spans, (result) => done(this.sent(spans.length, result))),
      shutdown: () => exporter.shutdown(),
      forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    };
    this.processor = new BatchSpanProcessor(counting, {
      maxQueueSize: MAX_WAITING,
      maxExportBatchSize: BATCH,
      scheduledDelayMillis: DELAY_MS,
      exportTimeoutMillis: EXPORT_MS,
    });
  }

  private sent(count: number, result: ExportResult): ExportResult {
    this.waiting -= count;
    if (result.code === ExportResultCode.SUCCESS) {
      this.exported += count;
      this.isFailing = false;
    } else this.lost(count, reasonFor(result.error));
    return result;
  }

  private lost(count: number, reason: string): void {
    this.dropped += count;
    if (!this.isFailing) this.warn(reason);
    this.isFailing = true;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
    if (this.waiting >= MAX_WAITING) {
      this.lost(1, `${MAX_WAITING} spans are waiting`);
      return;
    }
    this.waiting++;
    this.processor.onEnd(span);
  }

  /** Gives up what waits: the program ends. */
  abandon(): void {
    const { waiting } = this;
    if (waiting === 0) return;
    this.waiting = 0;
    this.dropped += waiting;
    this.warn(`${waiting} ${waiting === 1 ? 'span was' : 'spans were'} not sent before the program ended`);
  }

  forceFlush(): Promise<void> {
    return this.processor.forceFlush();
  }

  async shutdown(): Promise<void> {
    await this.processor.shutdown();
    await this.exporter.shutdown();
  }
}
