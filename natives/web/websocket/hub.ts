import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import type { Bytes } from '../../../vm/values/bytes.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { destroyLater, destroyThis } from '../connection/linger.js';
import type { Answered, Counter } from '../request/exchange.js';
import { BAD_PATH, Router, type Match } from '../routing/router.js';
import type { SessionPolicy } from '../sessions/policy.js';
import type { Settings } from '../config/settings.js';
import type { Target } from '../../http/target.js';
import { Budget } from './budget.js';
import { Handshake } from './caller.js';
import { type Connection, connectionClass } from './connection.js';
import {
  BAD_REQUEST,
  FOREIGN_ORIGIN,
  type HandshakeProblem,
  handshakeProblem,
  isAllowedOrigin,
  NOT_FOUND,
  UNAVAILABLE,
} from './handshake.js';
import { Opening, type Terms } from './opening.js';
import { Rooms } from './rooms.js';
import { Mailer, type Sent, type SignalOf } from './sending.js';
import type { SocketRoute } from './route.js';
import { Served } from './served.js';
import { Close, Socket } from './socket.js';

/** Close code and reason sent by a server that stops. */
export interface Farewell {
  code: number;
  reason: string;
}

/** The whole service stops, or only this process, which another one replaces. */
export const STOPS: Farewell = { code: Close.goingAway, reason: 'the server stops' };
export const RESTARTS: Farewell = { code: Close.restart, reason: 'the server restarts' };

/** Connections that are pinged in one turn of the event loop, which takes about a millisecond. */
const PINGS_AT_ONCE = 100;

/** The WebSockets of an application: routes, open connections, rooms. */
export class SocketHub {
  readonly routes: SocketRoute[] = [];
  private readonly router = new Router<SocketRoute>();
  readonly counts = { opened: 0, sent: 0, slow: 0 };
  private readonly mailer = new Mailer(this.counts);
  readonly rooms = new Rooms(this.mailer);
  /** Open connections with the patterns of their routes. */
  readonly open = new Map<Socket, string>();
  /** How sessions of the application travel. */
  sessions: SessionPolicy | null = null;
  private readonly budget: Budget;
  private readonly servers = new Map<boolean, WebSocketServer>();
  private readonly latestTerms = new Map<SocketRoute, Terms>();
  private pings: NodeJS.Timeout | null = null;
  private farewell: Farewell | null = null;

  constructor(
    readonly settings: Settings,
    private readonly observers: readonly ((answered: Answered) => void)[],
  ) {
    this.budget = new Budget(settings);
  }

  get hasRoutes(): boolean {
    return this.routes.length > 0;
  }

  /**
   * Adds a route. `duplicateOf` is an earlier one with the same pattern, which stays in force. @throws Error for a
   * malformed pattern
   */
  add(route: SocketRoute): { duplicateOf: SocketRoute | null } {
    const added = this.router.add('GET', route.pattern, route);
    if (added.duplicateOf === null) this.routes.push(route);
    return added;
  }

  /** Whether a path, as sent, matches a WebSocket route. */
  knows(path: string): boolean {
    const match = this.router.find('GET', path);
    return match !== null && match !== BAD_PATH;
  }

  /**
   * Answers an opening handshake with 101 and a thread for the connection, or with an error status. The dispatcher is
   * told when the thread has ended.
   */
  accept(
    vm: NativeContext,
    req: IncomingMessage,
    stream: Duplex,
    head: Buffer,
    target: Target,
    dispatcher: Counter,
  ): boolean {
    const startedAt = performance.now();
    const match = this.router.find('GET', target.path);
    const route = match === BAD_PATH ? null : (match?.value ?? null);
    const caller = new Handshake(this, req, target, Number(this.settings.trust_proxy));
    const answered = (status: number, bytes = 0): void =>
      this.observed({ request: caller, route, status, bytes, startedAt });
    const problem = this.problem(vm, req, match);
    if (problem !== null || match === null || match === BAD_PATH) {
      const { status, text, fields } = problem ?? NOT_FOUND;
      const sent = req.method === 'HEAD' ? '' : text;
      refuse(stream, status, text, fields, sent);
      answered(status, sent.length);
      return false;
    }
    void this.serverFor(match.value.compress).then(
      (server) => {
        let isOpen = false;
        server.handleUpgrade(req, stream, head, (ws) => {
          isOpen = true;
          answered(101);
          this.connected(vm, ws, req, match, caller, dispatcher);
        });
        // The client has disconnected, or `ws` has refused its protocols or extensions: no thread starts.
        if (isOpen) return;
        answered(stream.destroyed ? 499 : 400);
        dispatcher.requestEnded();
      },
      (error: unknown) => {
        // The `ws` package cannot be loaded, for example because too many files are open.
        vm.host.stderr(`warning: WebSocket refused: ${(error as Error).message}\n`);
        refuse(stream, UNAVAILABLE.status, UNAVAILABLE.text, UNAVAILABLE.fields);
        answered(UNAVAILABLE.status);
        dispatcher.requestEnded();
      },
    );
    return true;
  }

  /** Returns why a handshake is refused, or null. */
  private problem(
    vm: NativeContext,
    req: IncomingMessage,
    match: Match<SocketRoute> | typeof BAD_PATH | null,
  ): HandshakeProblem | null {
    if (match === BAD_PATH) return BAD_REQUEST;
    if (match === null) return NOT_FOUND;
    const found = handshakeProblem(req);
    if (found !== null) return found;
    if (!isAllowedOrigin(req.headers.origin, match.value.origins)) return FOREIGN_ORIGIN;
    return vm.scheduler.isFull ? UNAVAILABLE : null;
  }

  /** Reports a handshake, or the end of a connection, to the access log and the metrics. */
  observed(answered: Answered): void {
    for (const observer of this.observers) observer(answered);
  }

  /** Returns the server object, one with and one without compression; loads `ws` at the first connection. */
  private async serverFor(compress: boolean): Promise<WebSocketServer> {
    const library = await import('ws');
    let server = this.servers.get(compress);
    if (server === undefined) {
      server = new library.WebSocketServer({
        WebSocket: connectionClass(library),
        noServer: true,
        clientTracking: false,
        autoPong: false,
        maxPayload: this.settings.message_bytes,
        perMessageDeflate: compress ? { threshold: 1024 } : false,
      });
      this.servers.set(compress, server);
    }
    return server;
  }

  private connected(
    vm: NativeContext,
    ws: Connection,
    req: IncomingMessage,
    match: Match<SocketRoute>,
    caller: Handshake,
    dispatcher: Counter,
  ): void {
    const { value: route, names, values } = match;
    const { remoteAddress = '', remotePort = 0 } = req.socket;
    const terms = this.termsOf(route, ws.extensions !== '');
    const opening = new Opening(
      caller.path,
      remoteAddress,
      remotePort,
      names,
      values,
      caller.query,
      caller.headers,
      terms,
    );
    // From now on `ws` handles errors of the connection.
    req.socket.removeListener('error', destroyThis);
    const socket = new Socket(vm, ws, req.socket, this.budget, opening);
    caller.pattern = route.pattern;
    this.counts.opened++;
    (route.owners.at(-1)?.keeper ?? this).rooms.adopt(socket);
    this.open.set(socket, route.pattern);
    for (const { keeper, pattern } of route.owners) keeper.open.set(socket, pattern);
    this.watch();
    new Served(this, vm, socket, route, caller, dispatcher).start();
    if (this.farewell !== null) this.takeLeave(socket, this.farewell);
  }

  /** What holds for a new connection of a route; usually the object of the connection before. */
  private termsOf(route: SocketRoute, compressed: boolean): Terms {
    const terms: Terms = {
      queryPairs: this.settings.query_pairs,
      compressed,
      messageBytes: this.settings.message_bytes,
      timeout: null,
      binary: route.binary,
      policy: this.sessions,
    };
    const latest = this.latestTerms.get(route);
    if (latest !== undefined && isSame(latest, terms)) return latest;
    this.latestTerms.set(route, terms);
    return terms;
  }

  /** Pings all connections now and then, and terminates those silent since the last ping. */
  private watch(): void {
    if (this.pings !== null) return;
    let isRound = false;
    const round = (sockets: Socket[]): void => {
      for (const socket of sockets.splice(-PINGS_AT_ONCE)) this.check(socket);
      isRound = sockets.length > 0;
      if (isRound) setImmediate(round, sockets);
    };
    this.pings = setInterval(() => {
      if (!isRound) round([...this.open.keys()].reverse());
    }, this.settings.ping_seconds * 1000);
    this.pings.unref();
  }

  private check(socket: Socket): void {
    // A paused connection is not read, so its answers cannot be seen. Ping it anyway: a dead peer is only detected by
    // writing.
    if (socket.isPaused) socket.ping();
    else if (!socket.alive) socket.terminate();
    else {
      socket.alive = false;
      socket.ping();
    }
  }

  forget(socket: Socket, { owners }: SocketRoute): void {
    this.open.delete(socket);
    for (const { keeper } of owners) keeper.open.delete(socket);
    if (this.open.size > 0 || this.pings === null) return;
    clearInterval(this.pings);
    this.pings = null;
  }

  /** Sends a message to all connections of a route's pattern or of one path, in all processes. */
  broadcast(vm: NativeContext, path: string, message: string | Bytes, signal: SignalOf): Sent {
    this.rooms.elsewhere?.broadcast(path, message);
    return this.broadcastHere(vm, path, message, signal);
  }

  /** As `broadcast`, to connections of this process alone. */
  broadcastHere(vm: NativeContext, path: string, message: string | Bytes, signal: SignalOf): Sent {
    const members = (): Socket[] =>
      [...this.open]
        .filter(([socket, pattern]) => pattern === path || socket.opening.path === path)
        .map(([socket]) => socket);
    return this.mailer.send(vm, { group: `path ${path}`, members, message, except: null }, signal);
  }

  /** Closes all connections, including later ones; those still open after the drain time are terminated. */
  stop(farewell: Farewell): void {
    this.farewell = farewell;
    for (const socket of this.open.keys()) this.takeLeave(socket, farewell);
    setTimeout(() => this.terminate(), this.settings.drain_seconds * 1000).unref();
  }

  private takeLeave(socket: Socket, { code, reason }: Farewell): void {
    const seconds = this.settings.drain_seconds;
    // Leave time for the peer's answer to the close.
    socket.leave(code, reason, Math.max(seconds - 1, seconds / 2) * 1000);
  }

  terminate(): void {
    for (const socket of [...this.open.keys()]) socket.terminate();
  }
}

function isSame(a: Terms, b: Terms): boolean {
  return (Object.keys(a) as (keyof Terms)[]).every((name) => a[name] === b[name]);
}

/** Answers a handshake with an error and closes the connection. */
function refuse(stream: Duplex, status: number, text: string, fields: readonly string[] = [], sent = text): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  for (let i = 0; i < fields.length; i += 2) lines.push(`${fields[i]}: ${fields[i + 1]}`);
  // Ignore errors: a broken connection cannot be answered.
  stream.on('error', () => {});
  stream.end(`${lines.join('\r\n')}\r\nConnection: ${status === 426 ? 'Upgrade, close' : 'close'}\r\n\r\n${sent}`);
  // Discard further input, but do not let it keep the connection open.
  stream.resume();
  destroyLater(() => stream.destroy());
}
