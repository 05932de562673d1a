import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isRefused, markRefused } from './badrequests.js';
import { laneOf, owesResponses } from './lane.js';
import { destroyLater } from './linger.js';

/** Message from a worker to its supervisor, sent once the worker listens. */
export interface WorkerReport {
  /** Seconds that the worker's requests have to finish when it must exit. */
  drainSeconds: number;
  /** What the paths of its temporary files begin with. The supervisor removes them if the worker is killed. */
  uploads: string;
}

/** Milliseconds without input after which no request is assumed to be on its way on an idle connection. */
const IDLE_MS = 2000;
/** Milliseconds between two checks for idle connections. */
const LOOK_MS = 50;
/**
 * Maximum event loop turns for emptying the kernel's accept queue, and the maximum milliseconds of a turn after which
 * the port may close.
 */
const MAX_TURNS = 200;
const SHORT_TURN_MS = 0.2;

/** An idle connection: since when it is idle, and the bytes that had arrived by then. */
interface Idle {
  since: number;
  bytes: number;
}

/**
 * Takes a server out of service without losing a request. It accepts the connections waiting in the kernel's queue,
 * announces the end of each connection in its last answer, and closes without an answer only connections idle for so
 * long that no request can be on its way.
 */
export class Drain {
  private readonly open = new Set<Socket>();
  private readonly idle = new Map<Socket, Idle>();
  /** For each connection, the response that announces its end. */
  private readonly last = new WeakMap<Socket, ServerResponse>();
  /** One listener for all connections: `once` would make three objects for each. */
  private readonly closed: (this: Socket) => void;
  private accepted = 0;
  private idleMs = 0;
  private hasBegun = false;

  constructor(private readonly server: Server) {
    // Node calls this in `close`; it would end connections whose next request is still in the kernel's buffer.
    server.closeIdleConnections = () => {};
    const forget = (socket: Socket): void => this.forget(socket);
    this.closed = function (): void {
      forget(this);
    };
    server.on('connection', (socket) => {
      this.accepted++;
      this.open.add(socket);
      socket.on('close', this.closed);
      if (this.hasBegun) socket.destroySoon = lingering;
    });
  }

  /** Called for connections that leave HTTP. */
  release(socket: Socket): void {
    socket.removeListener('close', this.closed);
    this.forget(socket);
  }

  private forget(socket: Socket): void {
    this.open.delete(socket);
    this.idle.delete(socket);
  }

  /**
   * Stops listening after a short turn of the event loop in which no connection arrived, then calls `then`. Connections
   * that enter the kernel's queue after that turn polled it are reset.
   */
  stopListening(then: () => void): void {
    let before = -1;
    let turns = 0;
    let startedAt = 0;
    const look = (): void => {
      const now = performance.now();
      if ((this.accepted !== before || now - startedAt > SHORT_TURN_MS) && ++turns < MAX_TURNS) {
        before = this.accepted;
        startedAt = now;
        setImmediate(look);
        return;
      }
      // A supervisor may have closed it already.
      if (this.server.listening) this.server.close();
      then();
    };
    setImmediate(look);
  }

  /** Makes each connection end with its next answer. All must have ended after `seconds`. */
  begin(seconds: number): void {
    this.hasBegun = true;
    this.idleMs = Math.min(IDLE_MS, seconds * 500);
    for (const socket of this.open) {
      socket.destroySoon = lingering;
      const res = laneOf(socket).owed.at(-1);
      if (res !== undefined) this.makeLast(socket, res);
    }
    const timer = setInterval(() => this.look(), LOOK_MS);
    this.server.on('close', () => clearInterval(timer));
  }

  /**
   * Calls `then` at once, and repeatedly until it returns true, while no connection brings another request: those that
   * owe no answer are ended. Their clients may close them later.
   */
  whenQuiet(then: () => boolean): void {
    // The next poll reads what has arrived by now.
    setImmediate(() => {
      let isBusy = false;
      for (const socket of this.open) {
        if (owesResponses(socket)) isBusy = true;
        else if (!isRefused(socket)) endIdle(socket);
      }
      if (isBusy || !then()) setTimeout(() => this.whenQuiet(then), LOOK_MS);
    });
  }

  /**
   * Whether a request may run; its response then becomes the last one. Returns false when the previous answer has
   * already announced the connection's end.
   */
  admits(socket: Socket, res: ServerResponse): boolean {
    if (!this.hasBegun) return true;
    const before = this.last.get(socket);
    if (before?.headersSent === true) {
      markRefused(socket);
      return false;
    }
    if (before !== undefined) before.shouldKeepAlive = true;
    this.makeLast(socket, res);
    return true;
  }

  private makeLast(socket: Socket, res: ServerResponse): void {
    // A head that is already sent cannot announce the end; the next answer will.
    if (res.headersSent || !res.shouldKeepAlive) return;
    res.shouldKeepAlive = false;
    this.last.set(socket, res);
  }

  private look(): void {
    const now = performance.now();
    const quiet = [...this.open].filter((socket) => this.isQuiet(socket, now));
    // Check again after the next poll, which reads everything that has arrived by then.
    if (quiet.length > 0)
      setImmediate(() => {
        for (const socket of quiet) if (this.isQuiet(socket, now)) endIdle(socket);
      });
  }

  private isQuiet(socket: Socket, now: number): boolean {
    if (owesResponses(socket) || isRefused(socket)) {
      this.idle.delete(socket);
      return false;
    }
    const { bytesRead } = socket;
    const idle = this.idle.get(socket);
    if (idle === undefined) this.idle.set(socket, { since: now, bytes: bytesRead });
    // More bytes are the start of a request.
    return idle !== undefined && idle.bytes === bytesRead && now - idle.since >= this.idleMs;
  }
}

/** Ends a connection without an answer. */
function endIdle(socket: Socket): void {
  markRefused(socket);
  socket.destroySoon();
}

/**
 * Replaces a socket's `destroySoon`: sends pending output and FIN, then discards input until the client closes its
 * side. Closing with unread input would reset the connection, and the client would lose the answer (RFC 9112 §9.6).
 */
function lingering(this: Socket): void {
  if (this.destroyed || this.writableEnded) return;
  this.end();
  destroyLater(() => this.destroy());
}
