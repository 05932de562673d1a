import type { IncomingMessage } from 'node:http';
import type { Hash } from '../../../vm/values/hash.js';
import type { Span } from '../../core/tracing.js';
import type { Work } from '../../core/work.js';
import type { Target } from '../../http/target.js';
import type { Caller } from '../request/exchange.js';
import { newId } from '../request/ids.js';
import { clientAddress } from '../request/request.js';

/** The handshake of a WebSocket as the access log and the metrics show it. */
export class Handshake implements Caller, Work {
  logFields: Hash | null = null;
  span: Span | null = null;
  fuelUsed = 0;
  /** The pattern of its route. */
  pattern = '';
  private made: Caller['parts'] | null = null;

  constructor(
    private readonly req: IncomingMessage,
    private readonly target: Target,
    private readonly trustedProxies: number,
  ) {}

  get requestId(): string {
    return this.parts.id;
  }

  get label(): string {
    return `WS ${this.pattern}`;
  }

  get parts(): Caller['parts'] {
    return (this.made ??= {
      id: newId(this.req.headers['x-request-id']),
      method: this.req.method as string,
      path: this.target.path,
      query: this.target.query,
    });
  }

  get ip(): string {
    return clientAddress(this.req.socket.remoteAddress ?? '', this.trustedProxies, () =>
      this.header('x-forwarded-for'),
    );
  }

  header(name: string): string | null {
    const value = this.req.headers[name];
    return value === undefined ? null : String(value);
  }
}
