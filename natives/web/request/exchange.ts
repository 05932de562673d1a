import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Hash } from '../../../vm/values/hash.js';
import type { Linked } from '../../../vm/fibers/linkedlist.js';
import type { Fiber } from '../../../vm/fibers/fiber.js';
import type { Span } from '../../core/tracing.js';
import type { Refusal } from '../connection/refusal.js';
import { refusedWith } from '../connection/badrequests.js';
import type { Budget } from '../connection/budget.js';
import { atEnd, type Lane, laneOf } from '../connection/lane.js';
import { unsentOn, watchUnsent } from '../connection/unsent.js';
import type { Request, RequestParts } from './request.js';
import type { Route } from '../config/route.js';
import type { Settings } from '../config/settings.js';

/** A request, or the handshake of a WebSocket, as the access log shows it. */
export interface Caller {
  readonly parts: Pick<RequestParts, 'id' | 'method' | 'path' | 'query'>;
  /** Address of the client. */
  readonly ip: string;
  /** Whether the client used HTTPS. */
  readonly isHttps: boolean;
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
  /** Bytes of the body that were sent. */
  readonly bytes: number;
  /** Whether the connection closed before the whole response was sent. */
  readonly isCut?: boolean;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Close code of a WebSocket that has ended; undefined: a request, or an opening handshake. */
  readonly closeCode?: number;
}

/** Counts the threads that serve requests and connections. */
export interface Counter {
  requestStarted(): void;
  requestEnded(): void;
}

const NO_OBSERVERS: readonly ((answered: Answered) => void)[] = [];

/** One request and its response on the wire. */
export class Exchange implements Answered, Linked<Exchange> {
  route: Route | null = null;
  fiber: Fiber | null = null;
  /** The library's own answer to a request that no route gets. */
  refusal: Refusal | null = null;
  /** Bytes of the body that node was given; at the end, those that were sent. */
  bytes = 0;
  isCut = false;
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

  /**
   * @param output the budget for responses that wait to be sent
   * @param counter counts the thread of a streamed body
   */
  constructor(
    readonly settings: Settings,
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    readonly request: Request,
    private readonly output: Budget,
    readonly counter: Counter,
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

  /** Call when not all of the response may be sent at once: the bytes sent are known then if the connection closes. */
  watch(): void {
    if (this.observers !== NO_OBSERVERS) watchUnsent(this.req.socket);
  }

  ended(): void {
    const { res } = this;
    const refused = refusedWith(res);
    // Node detaches the connection from a response that was sent.
    if (refused !== undefined) this.bytes = refused.bytes;
    else if (res.socket !== null && res.headersSent) {
      const unsent = unsentOn(res.socket);
      this.isCut = unsent > 0 || !res.writableEnded;
      this.bytes = Math.max(0, this.bytes - unsent);
    }
    if (!this.isHidden) for (const observer of this.observers) observer(this);
  }

  get status(): number {
    return refusedWith(this.res)?.status ?? (this.res.headersSent ? this.res.statusCode : 499);
  }

  get isHead(): boolean {
    return this.req.method === 'HEAD';
  }

  /** Whether the client is gone or already answered. */
  get isGone(): boolean {
    return this.res.destroyed || this.res.writableEnded;
  }
}
