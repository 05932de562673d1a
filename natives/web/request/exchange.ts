import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fiber } from '../../../vm/fibers/fiber.js';
import type { Refusal } from '../connection/refusal.js';
import type { Budget } from '../connection/budget.js';
import { type Lane, laneOf } from '../connection/lane.js';
import type { Request, RequestParts } from './request.js';
import type { Route } from '../config/route.js';
import type { Settings } from '../config/settings.js';

/** What the access log and the metrics say of a request, WebSocket handshakes included. */
export interface Answered {
  readonly request: { readonly parts: Pick<RequestParts, 'id' | 'method' | 'path' | 'remoteAddress'> };
  readonly route: Pick<Route, 'pattern'> | null;
  /** 499: the client has gone before its answer. */
  readonly status: number;
  readonly bytes: number;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
}

/** One request and its response on the wire. */
export class Exchange implements Answered {
  route: Route | null = null;
  fiber: Fiber | null = null;
  /** The library's own answer to a request that no route gets. */
  refusal: Refusal | null = null;
  /** Bytes of the body that were sent, as far as known. */
  bytes = 0;
  /** Monotonic time of the request's arrival, in milliseconds. */
  readonly startedAt = performance.now();
  readonly lane: Lane;

  /** @param output what responses that wait to be sent count in */
  constructor(
    readonly settings: Settings,
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    readonly request: Request,
    private readonly output: Budget,
  ) {
    this.lane = laneOf(req.socket);
  }

  /** Whether a response, or a part of one, of `bytes` may wait for the client to take it. */
  admits(bytes: number): boolean {
    return this.lane.admits(bytes, this.output);
  }

  /** Notes that `bytes` of the response wait to be sent, until it has been sent or the connection has closed. */
  hold(bytes: number): void {
    this.lane.hold(this.res, bytes, this.output);
  }

  /** Calls `then` once more may wait to be sent. */
  whenRoom(then: () => void): void {
    this.output.whenRoom(then);
  }

  get status(): number {
    return this.res.headersSent ? this.res.statusCode : 499;
  }

  get isHead(): boolean {
    return this.req.method === 'HEAD';
  }

  /** Whether nobody can be answered any more. */
  get isGone(): boolean {
    return this.res.destroyed || this.res.writableEnded;
  }
}
