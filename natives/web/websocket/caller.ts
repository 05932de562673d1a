import type { IncomingMessage } from 'node:http';
import { findHeader, mergeRawHeaders } from '../../http/headers.js';
import type { Hash } from '../../../vm/values/hash.js';
import type { Span } from '../../core/tracing.js';
import type { Work } from '../../core/work.js';
import type { Target } from '../../http/target.js';
import type { Caller } from '../request/exchange.js';
import { newId } from '../request/ids.js';
import { clientAddress, clientUsesHttps } from '../request/request.js';
import { packHeaders, type PackedHeaders, unpackHeaders } from './opening.js';

/** The handshake of a WebSocket as the access log and the metrics show it. */
export class Handshake implements Caller, Work {
  logFields: Hash | null = null;
  span: Span | null = null;
  fuelUsed = 0;
  /** The pattern of its route. */
  pattern = '';
  private made: Caller['parts'] | null = null;

  // Not node's request itself, which would stay in memory as long as the connection lasts.
  private readonly method: string;
  readonly headers: PackedHeaders;
  readonly path: string;
  readonly query: string;
  private readonly peer: string;

  /** @param hub keeps the WebSockets of the application that is asked for this one */
  constructor(
    readonly hub: object,
    req: IncomingMessage,
    { path, query }: Target,
    private readonly trustedProxies: number,
  ) {
    this.method = req.method as string;
    this.path = path;
    this.query = query;
    this.headers = packHeaders(req.rawHeaders);
    this.peer = req.socket.remoteAddress ?? '';
  }

  get requestId(): string {
    return this.parts.id;
  }

  get label(): string {
    return `WS ${this.pattern}`;
  }

  get parts(): Caller['parts'] {
    return (this.made ??= {
      id: newId(this.header('x-request-id') ?? undefined),
      method: this.method,
      path: this.path,
      query: this.query,
    });
  }

  get ip(): string {
    return clientAddress(this.peer, this.trustedProxies, () => this.header('x-forwarded-for'));
  }

  get isHttps(): boolean {
    return clientUsesHttps(this.trustedProxies, () => this.header('x-forwarded-proto'));
  }

  header(name: string): string | null {
    return findHeader(mergeRawHeaders(unpackHeaders(this.headers)), name);
  }
}
