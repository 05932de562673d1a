import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Hash } from '../../../vm/values/hash.js';
import type { Linked } from '../../../vm/fibers/linkedlist.js';
import type { Fiber } from '../../../vm/fibers/fiber.js';
import type { Span } from '../../core/tracing.js';
import type { Refusal } from '../connection/refusal.js';
import type { Budget } from '../connection/budget.js';
import { atEnd, type Lane, laneOf } from '../connection/lane.js';
import type { Request, RequestParts } from './request.js';
import type { Route } from '../config/route.js';
import type { Settings } from '../config/settings.js';

/** A request, or the handshake of a WebSocket, as the access log shows it. */
export interface Caller {
  readonly parts: Pick<RequestParts, 'id' | 'method' | 'path' | 'query'>;
  /** Address of the client. */
  readonly ip: string;
  readonly logFields: Hash | null;
  /** Its span, if requests are traced. */
  span: Span | null;
  header(name: string): string | null;
}

/** A request as reported to the access log and the metrics, including WebSocket handshakes. */
export interface Answered {
  readonly request: Caller;
  readonly route: Pick<Route, 'pattern'> | null;
  /** 499 when the client disconnected before its answer. */
  readonly status: number;
  readonly bytes: number;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Close code of a WebSocket that has ended; undefined: a request, or an opening handshake. */
  readonly closeCode?: number;
}

const NO_OBSERVERS: readonly ((answered: Answered) => void)[] = [];

/** One request and its response on the wire. */
export class Exchange implements Answered, Linked<Exchange> {
  route: Route | null = null;
  fiber: Fiber | null = null;
  /** The library's own answer to a request that no route gets. */
  refusal: Refusal | null = null;
  /** Bytes of the body sent, as far as known. */
  bytes = 0;
  /** Monotonic arrival time of the request, in milliseconds. */
  readonly startedAt = performance.now();
  readonly lane: Lane;
  private observers: readonly ((answered: Answered) => void)[] = NO_OBSERVERS;
  /** Whether observers are not called for it, as for requests of the inspector's page. */
  isHidden = false;
  /** Whether it is in the inspector's list. */
  isListed = false;
  /** Neighbours in the inspector's list of requests under way. */
  older: Exchange | null = null;
  younger: Exchange | null = null;

  /** @param output the budget for responses that wait to be sent */
  constructor(
    readonly settings: Settings,
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    readonly request: Request,
    private readonly output: Budget,
  ) {
    this.lane = laneOf(req.socket);
  }

  /** Whether `bytes` of a response may be held until the client reads them. */
  admits(bytes: number): boolean {
    return this.lane.admits(bytes, this.output);
  }

  /** Counts `bytes` of the response as held until it has been sent or the connection has closed. */
  hold(bytes: number): void {
    this.lane.hold(this.res, bytes, this.output);
  }

  /** Calls `then` once the output budget has room again. */
  whenRoom(then: () => void): void {
    this.output.whenRoom(then);
  }

  /** Calls `observers` when the response has been sent or its client has disconnected. */
  observe(observers: readonly ((answered: Answered) => void)[]): void {
    this.observers = observers;
    atEnd(this.res, this);
  }

  ended(): void {
    if (!this.isHidden) for (const observer of this.observers) observer(this);
  }

  get status(): number {
    return this.res.headersSent ? this.res.statusCode : 499;
  }

  get isHead(): boolean {
    return this.req.method === 'HEAD';
  }

  /** Whether the client is gone or already answered. */
  get isGone(): boolean {
    return this.res.destroyed || this.res.writableEnded;
  }
}
