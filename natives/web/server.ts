import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Fiber, Thrown } from '../../vm/fiber.js';
import { Signal } from '../../vm/values/error.js';
import type { Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import { readBody } from './body.js';
import type { App } from './application.js';
import { answerClientErrors, isRefused, markRefused } from './clienterror.js';
import { Descriptors } from './descriptors.js';
import { devHostOf, isLoopback, type DevHost } from './devhost.js';
import { Dispatcher } from './dispatch.js';
import { DRAIN } from './drain.js';
import { laneOf, track } from './lane.js';
import { tooManyPairs } from './pairs.js';
import { sendText } from './send.js';
import { stopStreams } from './streamwriter.js';
import { splitTarget, type Target } from './target.js';
import { boundaryOf, readUpload } from './upload/upload.js';
import { asksForWebSocket } from './websocket/handshake.js';
import type { SocketHub } from './websocket/hub.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);

/** What the command line and the environment say of the address. */
export interface AddressOverrides {
  port?: number;
  host?: string;
  defaultPort?: number;
  defaultHost?: string;
}

/** Part of all threads that `spawn` leaves to requests: one handler's threads must not shut out the others. */
const REQUESTS_SHARE = 0.1;

/** Native `app.run`: starts the server and waits until a signal has stopped it. */
export function listen(vm: VM, app: App, port: number | null, host: string | null): undefined {
  const given = (vm.modules.get('address') as AddressOverrides | undefined) ?? {};
  const address = { port: given.port ?? port ?? given.defaultPort ?? 3000, host: given.host ?? host ?? given.defaultHost ?? '0.0.0.0' };
  vm.scheduler.maxFibers = app.settings.threads;
  vm.scheduler.reserved = Math.floor(app.settings.threads * REQUESTS_SHARE);
  vm.maxDepth = app.settings.call_depth;
  const survey = vm.modules.get('survey') as ((app: App) => void) | undefined;
  if (survey !== undefined) {
    survey(app);
    throw new Signal('exit', 0);
  }
  const dev = devHostOf(vm);
  if (dev !== null && dev.server !== null) {
    const { server } = dev;
    return vm.wait('server', (resume) => server.adopt(vm, app, resume));
  }
  return vm.wait('server', (resume, failed) => new RunningServer(vm, app, dev).start(address, resume, failed));
}

/** Milliseconds between node's looks for requests that take too long. */
const CHECK_MS = 500;

class RunningServer {
  private readonly server: Server;
  private readonly descriptors = new Descriptors(this, () => this.vm);
  /** Connections of earlier versions of the program. */
  private retired: SocketHub[] = [];
  private dispatcher: Dispatcher;
  private resume: (value: Value) => void = () => {};
  /** The thread that waits in `app.run`. */
  private main: Fiber | null = null;

  constructor(private vm: VM, private app: App, private readonly dev: DevHost | null) {
    const { settings } = app;
    this.dispatcher = new Dispatcher(vm, app);
    if (dev !== null) dev.server = this;
    this.server = createServer({
      maxHeaderSize: settings.header_bytes,
      // Node wants it to be the smaller one.
      headersTimeout: Math.min(settings.header_seconds, settings.request_seconds) * 1000,
      requestTimeout: settings.request_seconds * 1000,
      keepAliveTimeout: settings.keep_alive_seconds * 1000,
      connectionsCheckingInterval: CHECK_MS,
      // Node would answer, and go on with the requests behind it.
      requireHostHeader: false,
    }, (req, res) => this.accept(req, res));
    // One more than allowed, so that too many can be told from just enough: node drops the surplus silently.
    this.server.maxHeadersCount = settings.header_fields + 1;
    this.server.on('checkExpectation', (_req, res: ServerResponse) => sendText(res, 417, 'Expectation Failed'));
    this.server.on('connect', (_req, socket) => socket.end('HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'));
    answerClientErrors(this.server);
    this.descriptors.watch(this.server);
    this.listenForSockets();
  }

  /** Listens; `resume` is called once the server has stopped. Returns what cancels it. */
  start(address: { port: number; host: string }, resume: (value: Value) => void, failed: (thrown: Thrown) => void): () => void {
    const { server, vm } = this;
    const unlisten = this.listenForSignals();
    this.resume = resume;
    this.main = vm.scheduler.current;
    server.on('error', (error: NodeJS.ErrnoException) => {
      vm.host.stderr(`svcc: cannot listen on ${address.host}:${address.port}: ${listenProblem(error)}\n`);
      failed(new Signal('exit', 1));
    });
    server.on('close', () => {
      unlisten();
      this.resume(null);
    });
    const listening = (): void => {
      const { port } = server.address() as AddressInfo;
      const host = address.host.includes(':') ? `[${address.host}]` : address.host;
      vm.host.stdout(`Svc web server running on http://${host}:${port}\nPress Ctrl+C to stop\n`);
    };
    if (address.port < 0 || address.port > 65535) server.emit('error', Object.assign(new Error('port'), { code: 'ERR_SOCKET_BAD_PORT' }));
    else server.listen({ port: address.port, host: address.host, backlog: 1024 }, listening);
    return () => this.stopFor(vm);
  }

  /**
   * The first signal lets requests finish, the second ends them. A supervisor asks by a message instead: one that signals a whole group of processes,
   * as a terminal and systemd do, means the supervisor and its workers once each. Returns what ends the listening.
   */
  private listenForSignals(): () => void {
    const supervised = process.connected;
    let signals = 0;
    const onSignal = (): void => {
      if (++signals > 1 || !this.dispatcher.stopping) this.stop();
    };
    const onMessage = (message: unknown): void => {
      if (message === DRAIN && !this.dispatcher.stopping) this.stop();
    };
    // A terminal that goes away: a supervisor decides for its workers.
    const onHangUp = supervised ? (): void => {} : onSignal;
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onHangUp);
    if (supervised) process.on('message', onMessage);
    return () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', onHangUp).off('message', onMessage);
    };
  }

  /** Goes on with another version of the program; requests that run finish on the old one, which then ends. */
  adopt(vm: VM, app: App, resume: (value: Value) => void): () => void {
    const old = this.dispatcher;
    this.retired = this.hubs().filter(({ open }) => open.size > 0);
    this.vm = vm;
    this.app = app;
    this.dispatcher = new Dispatcher(vm, app);
    this.resume = resume;
    this.main = vm.scheduler.current;
    this.listenForSockets();
    old.retire();
    return () => this.stopFor(vm);
  }

  /** A program's main thread was cancelled: its server stops, unless another program has it. */
  private stopFor(vm: VM): void {
    if (vm === this.vm) this.stop();
  }

  /** Stops accepting and answers what is in flight; a second call stops at once. */
  private stop(): void {
    if (this.dispatcher.stopping) {
      this.server.closeAllConnections();
      for (const hub of this.hubs()) hub.terminate();
      return;
    }
    this.dispatcher.stopping = true;
    this.server.close();
    this.server.closeIdleConnections();
    stopStreams(this.vm);
    for (const hub of this.hubs()) hub.stop();
    const timer = setTimeout(() => this.server.closeAllConnections(), this.app.settings.drain_seconds * 1000);
    this.server.on('close', () => clearTimeout(timer));
    this.endThreads();
  }

  /** The WebSockets of all versions of the program. */
  private hubs(): SocketHub[] {
    return [...this.retired, this.app.sockets];
  }

  /** Threads that the program has started get as long as requests, so that a loop for ever does not keep the process. */
  private endThreads(): void {
    const { vm, app, main } = this;
    setTimeout(() => {
      vm.scheduler.reserved = vm.scheduler.maxFibers;
      for (const fiber of [...vm.scheduler.live]) if (fiber !== main) vm.scheduler.cancel(fiber);
    }, app.settings.drain_seconds * 1000).unref();
  }

  /** Only for applications that have WebSockets: node hands over all requests for other protocols once somebody listens. */
  private listenForSockets(): void {
    if (!this.app.sockets.hasRoutes || this.server.listenerCount('upgrade') > 0) return;
    this.server.on('upgrade', (req, stream, head) => this.upgrade(req, stream as Socket, head));
  }

  private upgrade(req: IncomingMessage, stream: Socket, head: Buffer): void {
    // The responses of earlier requests on this connection would end up between the frames.
    if (isRefused(stream) || laneOf(stream).owed.length > 0) return void stream.destroy();
    // Node takes its own handler away.
    stream.on('error', () => stream.destroy());
    const { app, vm, dispatcher } = this;
    const { path, query } = splitTarget(req.url as string);
    if (!asksForWebSocket(req) || this.descriptors.isSurplus(stream) || this.refusal(req, query) !== null || !app.sockets.hasRoutes) {
      this.ignoreUpgrade(req, stream);
      return;
    }
    dispatcher.enter();
    const accepted = app.sockets.accept(vm, req, stream, head, { path, query }, () => dispatcher.leave());
    if (!accepted) dispatcher.leave();
  }

  /** Answers a request for another protocol as any other, and closes the connection: node's parser has left it. */
  private ignoreUpgrade(req: IncomingMessage, stream: Socket): void {
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(stream);
    res.on('finish', () => {
      res.detachSocket(stream);
      stream.end();
      res.emit('close');
    });
    if (hasBody(req)) sendText(res, 400, 'Bad Request', true);
    else this.accept(req, res);
  }

  private accept(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    // What a client sent behind a refused request may be the body of that one: it must not run as a request of its own.
    if (isRefused(socket)) {
      laneOf(socket).ignore();
      return;
    }
    track(socket, res);
    if (this.descriptors.isSurplus(socket)) {
      markRefused(socket);
      sendText(res, 503, 'Service Unavailable', true, ['Retry-After', '1']);
      return;
    }
    if (this.showsProblem(req, res)) return;
    const { path, query } = splitTarget(req.url as string);
    const refusal = this.refusal(req, query);
    if (refusal !== null) {
      markRefused(socket);
      sendText(res, refusal.status, refusal.text, true);
      return;
    }
    const target: Target = { path, query };
    const withBody = hasBody(req);
    if (asksForUpgrade(req)) endAfter(req, res, withBody);
    const boundary = withBody ? boundaryOf(req.headers['content-type']) : null;
    if (!withBody) this.dispatcher.dispatch(req, res, target, EMPTY);
    else if (boundary !== null) readUpload(this.vm, req, res, this.app.settings, boundary, (upload) => this.dispatcher.dispatch(req, res, target, EMPTY, upload));
    else readBody(req, res, this.app.settings, this.app.input, (body) => this.dispatchBody(req, res, target, body));
  }

  private dispatchBody(req: IncomingMessage, res: ServerResponse, target: Target, body: Buffer): void {
    const type = req.headers['content-type'] ?? '';
    const isForm = type === '' || type.startsWith('application/x-www-form-urlencoded');
    if (isForm && tooManyPairs(body.toString('latin1'), this.app.settings.query_pairs)) sendText(res, 400, 'Bad Request');
    else this.dispatcher.dispatch(req, res, target, body);
  }

  /** In development a version that does not compile is shown in the browser. */
  private showsProblem(req: IncomingMessage, res: ServerResponse): boolean {
    const problem = this.dev?.problem ?? null;
    if (problem === null || !isLoopback(req.socket.remoteAddress ?? '')) return false;
    res.writeHead(500, ['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(Buffer.byteLength(problem)), 'Cache-Control', 'no-store']);
    res.end(problem);
    return true;
  }

  /** What no program gets to see. */
  private refusal(req: IncomingMessage, query: string): { status: number; text: string } | null {
    const { settings } = this.app;
    if (req.httpVersionMajor !== 1 || hasOtherCoding(req.headers['transfer-encoding'])) return { status: 400, text: 'Bad Request' };
    if (!METHODS.has(req.method as string)) return { status: 501, text: 'Not Implemented' };
    if (req.rawHeaders.length > settings.header_fields * 2) return { status: 431, text: 'Request Header Fields Too Large' };
    const hosts = hostCount(req.rawHeaders);
    if (hosts > 1 || (hosts === 0 && req.httpVersionMinor > 0)) return { status: 400, text: 'Bad Request' };
    if ((req.headers.cookie?.length ?? 0) > settings.cookie_bytes) return { status: 431, text: 'Request Header Fields Too Large' };
    if (tooManyPairs(query, settings.query_pairs)) return { status: 400, text: 'Bad Request' };
    return null;
  }
}

const EMPTY = Buffer.alloc(0);

/** Whether a body has another coding than chunks, the only one that is decoded: who stands before us may see its end elsewhere. */
function hasOtherCoding(transferEncoding: string | undefined): boolean {
  return transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked';
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Whether node's parser takes what follows a request for another protocol. */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return (headers.upgrade ?? '') !== '' && /upgrade/i.test(headers.connection ?? '');
}

/**
 * Closes the connection with a response. An upgrade is ignored, but node loses the bytes that came with its request: the next ones may begin in the
 * middle of another.
 */
function endAfter(req: IncomingMessage, res: ServerResponse, hasBody: boolean): void {
  res.shouldKeepAlive = false;
  if (hasBody) req.on('end', () => markRefused(req.socket));
  else markRefused(req.socket);
}

/** Number of Host fields. */
function hostCount(rawHeaders: readonly string[]): number {
  let n = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') n++;
  return n;
}

function listenProblem(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE': return 'the port is in use; stop the other program or choose another port';
    case 'EACCES': return 'permission denied; ports below 1024 need privileges';
    case 'EADDRNOTAVAIL': case 'ENOTFOUND': return 'this machine has no such address';
    default: return error.code === 'ERR_SOCKET_BAD_PORT' ? 'a port is a number from 0 to 65535' : (error.code ?? error.message);
  }
}
