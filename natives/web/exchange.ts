import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fiber } from '../../vm/fiber.js';
import type { Refusal } from './admission.js';
import type { Request } from './request.js';
import type { Route } from './route.js';
import type { Settings } from './settings.js';

/** One request and its response on the wire. */
export class Exchange {
  route: Route | null = null;
  fiber: Fiber | null = null;
  /** The library's own answer to a request that no route gets. */
  refusal: Refusal | null = null;
  /** Bytes of the body that were sent, as far as known. */
  bytes = 0;
  /** Monotonic time of the request's arrival, in milliseconds. */
  readonly startedAt = performance.now();

  constructor(readonly settings: Settings, readonly req: IncomingMessage, readonly res: ServerResponse, readonly request: Request) {}

  get isHead(): boolean {
    return this.req.method === 'HEAD';
  }

  /** Whether nobody can be answered any more. */
  get isGone(): boolean {
    return this.res.destroyed || this.res.writableEnded;
  }
}
