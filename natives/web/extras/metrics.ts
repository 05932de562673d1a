import type { IntervalHistogram } from 'node:perf_hooks';
import { ModuleState } from '../../../vm/calls/modulestate.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Steps } from '../../../vm/values/steps.js';
import type { Value } from '../../../vm/values/value.js';
import type { Channel } from '../../cluster/channel.js';
import { firstProcess } from '../../cluster/firstprocess.js';
import { METRICS, type MetricsMessage } from '../../cluster/metricsmessage.js';
import { builtin } from '../../builtin.js';
import { ENDINGS } from '../../core/ending.js';
import { METRIC_READERS, METRIC_SOURCES, metricLabel } from '../../core/metricsources.js';
import { within } from '../../within.js';
import type { App } from '../app/app.js';
import type { Answered } from '../request/exchange.js';
import { Response } from '../response/response.js';

/** Upper bounds of the latency buckets in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Milliseconds that an answer waits for numbers from databases; after that it has those of the last time. */
const READ_MS = 1000;

/** Routes whose lines are written in one step. */
const PER_STEP = 50;

const LATENCY = 'svc_request_duration_seconds';
const LATENCY_HEAD = `# HELP ${LATENCY} Time from the arrival of a request to the end of its response.\n# TYPE ${LATENCY} histogram`;

interface Latency {
  counts: number[];
  sum: number;
  total: number;
}

/** The histogram of a route. */
function latencyLines(key: string, { counts, sum, total }: Latency): string {
  let below = 0;
  const lines = BUCKETS.map((bound, i) => `${LATENCY}_bucket{${key},le="${bound}"} ${(below += counts[i])}`);
  lines.push(
    `${LATENCY}_bucket{${key},le="+Inf"} ${total}`,
    `${LATENCY}_sum{${key}} ${sum}`,
    `${LATENCY}_count{${key}} ${total}`,
  );
  return lines.join('\n');
}

class Metrics {
  private readonly requests = new Map<string, number>();
  private readonly latencies = new Map<string, Latency>();
  /** Responses that were cut, by route. */
  private readonly cut = new Map<string, number>();
  private readonly delay: IntervalHistogram = builtin('node:perf_hooks').monitorEventLoopDelay({ resolution: 10 });

  constructor(
    private readonly vm: NativeContext,
    private readonly app: App,
  ) {
    this.delay.enable();
  }

  observe({ request, route: matched, status, isCut, startedAt, closeCode }: Answered): void {
    if (closeCode !== undefined) return;
    const route = matched?.pattern ?? '';
    const key = `method="${request.parts.method}",route="${metricLabel(route)}",status="${status}"`;
    this.requests.set(key, (this.requests.get(key) ?? 0) + 1);
    const routeKey = `route="${metricLabel(route)}"`;
    if (isCut === true) this.cut.set(routeKey, (this.cut.get(routeKey) ?? 0) + 1);
    this.time(routeKey, (performance.now() - startedAt) / 1000);
  }

  private time(key: string, seconds: number): void {
    let latency = this.latencies.get(key);
    if (latency === undefined) {
      latency = { counts: BUCKETS.map(() => 0), sum: 0, total: 0 };
      this.latencies.set(key, latency);
    }
    latency.sum += seconds;
    latency.total++;
    const at = BUCKETS.findIndex((bound) => seconds <= bound);
    if (at >= 0) latency.counts[at]++;
  }

  *text(): Generator<void, string, void> {
    const parts = [this.requestLines().join('\n'), LATENCY_HEAD];
    let count = 0;
    for (const [key, latency] of this.latencies) {
      parts.push(latencyLines(key, latency));
      if (++count % PER_STEP === 0) yield;
    }
    const rest = [
      ...this.threadLines(),
      ...this.socketLines(),
      ...this.processLines(),
      ...[...METRIC_SOURCES.of(this.vm).values()].flatMap((source) => source()),
    ];
    return `${[...parts, ...rest].join('\n')}\n`;
  }

  private requestLines(): string[] {
    return [
      '# HELP svc_requests_total Requests answered.',
      '# TYPE svc_requests_total counter',
      ...[...this.requests].map(([key, n]) => `svc_requests_total{${key}} ${n}`),
      '# HELP svc_responses_cut_total Responses whose connection closed before all of them was sent.',
      '# TYPE svc_responses_cut_total counter',
      ...[...this.cut].map(([key, n]) => `svc_responses_cut_total{${key}} ${n}`),
    ];
  }

  private threadLines(): string[] {
    const states = new Map<string, number>([
      ['ready', 0],
      ['running', 0],
      ['waiting', 0],
    ]);
    for (const { state } of this.vm.scheduler.live) states.set(state, (states.get(state) ?? 0) + 1);
    const { started, slices, preempted } = this.vm.scheduler.stats;
    return [
      '# HELP svc_threads Live threads by state.',
      '# TYPE svc_threads gauge',
      ...[...states].map(([state, n]) => `svc_threads{state="${state}"} ${n}`),
      '# TYPE svc_threads_started_total counter',
      `svc_threads_started_total ${started}`,
      '# TYPE svc_slices_total counter',
      `svc_slices_total ${slices}`,
      '# HELP svc_preempted_total Slices that ended because they were used up.',
      '# TYPE svc_preempted_total counter',
      `svc_preempted_total ${preempted}`,
    ];
  }

  private socketLines(): string[] {
    const { hasRoutes, open, counts } = this.app.sockets;
    if (!hasRoutes) return [];
    const { sent, slow } = this.messages();
    return [
      '# HELP svc_websocket_connections Open WebSockets.',
      '# TYPE svc_websocket_connections gauge',
      `svc_websocket_connections ${open.size}`,
      '# TYPE svc_websocket_opened_total counter',
      `svc_websocket_opened_total ${counts.opened}`,
      '# HELP svc_websocket_broadcast_sent_total Messages sent to members of rooms and by broadcasts.',
      '# TYPE svc_websocket_broadcast_sent_total counter',
      `svc_websocket_broadcast_sent_total ${sent}`,
      '# HELP svc_websocket_slow_closed_total WebSockets closed because they took broadcasts too slowly.',
      '# TYPE svc_websocket_slow_closed_total counter',
      `svc_websocket_slow_closed_total ${slow}`,
    ];
  }

  /** Messages of this application's rooms and broadcasts, and of those of mounted applications. */
  private messages(): { sent: number; slow: number } {
    const total = { sent: 0, slow: 0 };
    for (const app of new Set([this.app, ...this.app.mounts.map((mount) => mount.app)])) {
      total.sent += app.sockets.counts.sent;
      total.slow += app.sockets.counts.slow;
    }
    return total;
  }

  private processLines(): string[] {
    const { delay } = this;
    const seconds = (ns: number): number => (Number.isFinite(ns) ? ns / 1e9 : 0);
    const { heapUsed, rss } = process.memoryUsage();
    return [
      '# HELP svc_event_loop_delay_seconds Delay of the event loop since the last scrape.',
      '# TYPE svc_event_loop_delay_seconds gauge',
      `svc_event_loop_delay_seconds{quantile="0.5"} ${seconds(delay.percentile(50))}`,
      `svc_event_loop_delay_seconds{quantile="0.99"} ${seconds(delay.percentile(99))}`,
      '# TYPE process_resident_memory_bytes gauge',
      `process_resident_memory_bytes ${rss}`,
      '# TYPE svc_heap_bytes gauge',
      `svc_heap_bytes ${heapUsed}`,
    ];
  }

  reset(): void {
    this.delay.reset();
  }
}

function metricsResponse(text: string): Response {
  return new Response(200, text, 'text/plain; version=0.0.4; charset=utf-8');
}

/**
 * Native `app.metrics`: counts requests and answers `path` in the Prometheus text format 0.0.4. A worker of
 * `svcc run --workers` answers with the sums of all workers.
 */
export function enableMetrics(vm: NativeContext, app: App, path: string): () => Value | undefined {
  const metrics = new Metrics(vm, app);
  app.observers.push((exchange) => metrics.observe(exchange));
  function* own(): Generator<void, string, void> {
    const text = yield* metrics.text();
    metrics.reset();
    return text;
  }
  function* response(): Steps {
    return metricsResponse(yield* own());
  }
  const first = firstProcess();
  if (first !== null) {
    const sums = sumsOf(vm, first, path, own);
    return () => vm.waitForPromise('metrics', sums().then(metricsResponse));
  }
  return () =>
    METRIC_READERS.of(vm).size === 0
      ? vm.inPieces('metrics', response())
      : vm.waitForPromise('metrics', whenRead(vm, own).then(metricsResponse));
}

/** What the paths of a worker's metrics answer, for the first process. */
const METRIC_PATHS = new ModuleState<Map<string, () => Promise<string>>, NativeContext>(() => new Map());

/**
 * Makes a worker's metrics known to the first process, also those of its end. Returns the sums of all workers for each
 * call.
 */
function sumsOf(vm: NativeContext, first: Channel, path: string, own: () => Steps): () => Promise<string> {
  const paths = METRIC_PATHS.of(vm);
  paths.set(path, () => whenRead(vm, own));
  first.on(METRICS, (asked) => paths.get(asked as string)?.() ?? '');
  first.post(METRICS, { path } satisfies MetricsMessage);
  ENDINGS.of(vm).add(async () => {
    const text = await whenRead(vm, own);
    // The answer says that the message has arrived.
    await first.request(METRICS, { path, own: text, isLast: true } satisfies MetricsMessage);
  });
  return async () => {
    const text = await whenRead(vm, own);
    try {
      return (await first.request(METRICS, { path, own: text } satisfies MetricsMessage)) as string;
    } catch {
      // The first process has just ended, and this one is about to.
      return text;
    }
  };
}

/** Resolves with the text of `steps` when all sources have read what they report, or after READ_MS. */
async function whenRead(vm: NativeContext, steps: () => Steps): Promise<string> {
  const { signal } = vm.controller();
  const reads = [...METRIC_READERS.of(vm).values()].map((read) => read());
  await within(READ_MS, Promise.all(reads), () => null);
  return (await vm.laterInPieces(steps(), signal)) as string;
}
