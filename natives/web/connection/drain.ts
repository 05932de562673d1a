import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isRefused, markRefused } from './badrequests.js';
import { laneOf } from './lane.js';

/** What a supervisor sends to a worker that has to finish its requests and end: when the whole service stops, and when a successor has its place. */
export const STOP = 'svc: stop';
export const ROLL = 'svc: roll';

/** What a worker tells its supervisor once it listens. */
export interface WorkerReport {
  /** Seconds that the worker gives its requests when it has to end. */
  drainSeconds: number;
}

/** Milliseconds without input after which an idle connection is taken for one that no request is on its way on. */
const IDLE_MS = 2000;
/** Milliseconds between two looks for idle connections. */
const LOOK_MS = 50;
/** Milliseconds in which a client may read the end of a connection and close its side (RFC 9112 §9.6). */
const LINGER_MS = 1000;
/** Turns of the event loop in which the kernel's queue of connections may be emptied, and milliseconds of one after which the port may close. */
const MAX_TURNS = 200;
const SHORT_TURN_MS = 0.2;

/** An idle connection: since when, and the bytes that had come by then. */
interface Idle {
  since: number;
  bytes: number;
}

/**
 * Takes a server out of service without losing a request: accepts what waits in the kernel's queue, announces the end of each connection in the
 * last answer on it, and closes without an answer only those that have been idle for so long that no request can be on its way.
 */
export class Drain {
  private readonly open = new Set<Socket>();
  private readonly idle = new Map<Socket, Idle>();
  /** By connection, the response that announces its end. */
  private readonly last = new WeakMap<Socket, ServerResponse>();
  private accepted = 0;
  private idleMs = 0;
  private hasBegun = false;

  constructor(private readonly server: Server) {
    // Node calls it in `close`: it would end connections whose next request is in the kernel's buffer.
    server.closeIdleConnections = () => {};
    server.on('connection', (socket) => {
      this.accepted++;
      this.open.add(socket);
      socket.once('close', () => this.forget(socket));
      if (this.hasBegun) socket.destroySoon = lingering;
    });
  }

  /** For connections that have left HTTP. */
  forget(socket: Socket): void {
    this.open.delete(socket);
    this.idle.delete(socket);
  }

  /**
   * Stops listening after a short turn of the event loop in which no connection came, and calls `then`. Closing resets connections that have come
   * to the kernel's queue since that turn looked at it.
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
      // A supervisor may have closed it.
      if (this.server.listening) this.server.close();
      then();
    };
    setImmediate(look);
  }

  /** From now on connections end with their next answer. `seconds` is the time until all have to have ended. */
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

  /** Whether a request may run: not when the answer before it has said that it is the last one. Its response becomes the last one. */
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
    // A head that has been sent announces nothing: the next answer will.
    if (res.headersSent || !res.shouldKeepAlive) return;
    res.shouldKeepAlive = false;
    this.last.set(socket, res);
  }

  private look(): void {
    const now = performance.now();
    const quiet = [...this.open].filter((socket) => this.isQuiet(socket, now));
    // After the next poll: what had arrived by then has been read.
    if (quiet.length > 0)
      setImmediate(() => {
        for (const socket of quiet) if (this.isQuiet(socket, now)) endIdle(socket);
      });
  }

  private isQuiet(socket: Socket, now: number): boolean {
    if (laneOf(socket).owed.length > 0 || isRefused(socket)) {
      this.idle.delete(socket);
      return false;
    }
    const { bytesRead } = socket;
    const idle = this.idle.get(socket);
    if (idle === undefined) this.idle.set(socket, { since: now, bytes: bytesRead });
    // More bytes are the beginning of a request.
    return idle !== undefined && idle.bytes === bytesRead && now - idle.since >= this.idleMs;
  }
}

/** Ends a connection without an answer. */
function endIdle(socket: Socket): void {
  markRefused(socket);
  socket.destroySoon();
}

/**
 * In place of a socket's `destroySoon`: sends what is written and FIN, then drops what still comes until the client closes its side. Closing with
 * unread input would be a reset, which takes the answer away from the client (RFC 9112 §9.6).
 */
function lingering(this: Socket): void {
  if (this.destroyed || this.writableEnded) return;
  this.end();
  setTimeout(() => this.destroy(), LINGER_MS).unref();
}
