import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../patience.js';

type Attribute = { key: string; value: Record<string, unknown> };

/** A span as it arrived, with its attributes as plain values. */
export interface Received {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  traceState: string;
  kind: number;
  /** 2: an error. */
  status: number;
  attributes: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown> }[];
  service: unknown;
}

function plain(attributes: Attribute[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** A collector of OpenTelemetry that takes traces by OTLP over HTTP, in JSON. */
export class Collector {
  readonly spans: Received[] = [];
  readonly requests: { path: string; headers: Record<string, unknown>; spans: number }[] = [];
  /** Status of its answers. */
  status = 200;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.on('request', (req, res) => {
      const parts: Buffer[] = [];
      req.on('data', (part: Buffer) => parts.push(part));
      req.on('end', () => {
        const before = collector.spans.length;
        if (collector.status === 200) collector.take(Buffer.concat(parts).toString());
        const spans = collector.spans.length - before;
        collector.requests.push({ path: req.url as string, headers: req.headers, spans });
        res.writeHead(collector.status, { 'content-type': 'application/json' });
        res.end('{}');
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/traces`;
  }

  private take(body: string): void {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the format is OpenTelemetry's
    const { resourceSpans } = JSON.parse(body) as any;
    for (const { resource, scopeSpans } of resourceSpans)
      for (const { spans } of scopeSpans)
        for (const span of spans)
          this.spans.push({
            ...span,
            parentSpanId: span.parentSpanId ?? '',
            traceState: span.traceState ?? '',
            status: span.status.code,
            attributes: plain(span.attributes),
            // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
            events: (span.events ?? []).map((event: any) => ({
              name: event.name,
              attributes: plain(event.attributes),
            })),
            service: plain(resource.attributes)['service.name'],
          });
  }

  /** The first span of this name, once it has arrived. */
  span(name: string): Promise<Received> {
    return until(`the span ${name}`, () => this.spans.find((span) => span.name === name) ?? null);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
