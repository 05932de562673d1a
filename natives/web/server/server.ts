import { ADDRESS } from '../config/address.js';
import { SURVEY } from '../app/survey.js';
import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Fiber, Thrown } from '../../../vm/fibers/fiber.js';
import { Signal } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import type { VM } from '../../../vm/vm.js';
import { BAD_REQUEST, EXPECTATION_FAILED, problemOf, type Refusal } from '../connection/refusal.js';
import { readBody } from '../connection/body.js';
import type { App } from '../app/app.js';
import { answerClientErrors, closeAfter, endSoon, isRefused, markRefused } from '../connection/badrequests.js';
import { Descriptors } from './descriptors.js';
import { DEV_HOST, isDeveloper, type DevHost } from '../dev/devhost.js';
import { Dispatcher } from '../handling/dispatch.js';
import { Drain, ROLL, STOP, type WorkerReport } from '../connection/drain.js';
import { laneOf, track } from '../connection/lane.js';
import { tooManyPairs } from '../../http/pairs.js';
import { sendText } from '../response/send.js';
import { stopStreams } from '../streams/writer.js';
import { splitTarget, type Target } from '../../http/target.js';
import { isMultipartForm, readUpload } from '../request/upload/upload.js';
import { asksForWebSocket } from '../websocket/handshake.js';
import { RESTARTS, STOPS, type Farewell, type SocketHub } from '../websocket/hub.js';

/** Share of the thread limit reserved for requests, so one handler's spawns cannot starve the server. */
const REQUESTS_SHARE = 0.1;

/**
 * Native `app.run`: starts the server and waits until a signal has stopped it. Returns null in a thread that was
 * cancelled.
 */
export function listen(vm: VM, app: App, port: number | null, host: string | null): null | undefined {
  const given = ADDRESS.of(vm);
  const address = {
    port: given.port ?? port ?? given.defaultPort ?? 3000,
    host: given.host ?? host ?? given.defaultHost ?? '0.0.0.0',
  };
  vm.scheduler.maxFibers = app.settings.threads;
  vm.scheduler.reserved = Math.floor(app.settings.threads * REQUESTS_SHARE);
  vm.maxDepth = app.settings.call_depth;
  const survey = SURVEY.of(vm);
  if (survey !== null) {
    survey(app, `${address.host}:${address.port}`);
    // Wait for ever: nothing after `app.run` may run, not even an `ensure` block.
    return vm.wait('server', () => () => {}, 'signal');
  }
  // In the `ensure` block of a cancelled thread nothing would ever stop this server.
  if (vm.scheduler.current?.cancelled === true) return null;
  const dev = DEV_HOST.of(vm);
  if (dev !== null && dev.server !== null) {
    const { server } = dev;
    return vm.wait('server', (resume) => server.adopt(vm, app, resume), 'signal');
  }
  return vm.wait(
    'server',
    (resume, failed) => new RunningServer(vm, app, dev).start(address, resume, failed),
    'signal',
  );
}

/** Addresses that mean every interface; development shows source code only to requests for a local host name. */
const EVERYWHERE = /^(0\.0\.0\.0|::)$/;

/** Milliseconds between node's checks for requests that take too long. */
const CHECK_MS = 500;

/** Whether this process is a worker started by `--workers`. */
const IS_WORKER = process.env.SVC_WORKER !== undefined && process.connected;

/** Milliseconds for `ensure` blocks and for code after `app.run` once the last thread was cancelled. */
const END_MS = 2000;

class RunningServer {
  private readonly server: Server;
  private readonly descriptors = new Descriptors(this, () => this.vm);
  /** WebSockets of earlier versions of the program. */
  private retired: SocketHub[] = [];
  private dispatcher: Dispatcher;
  private resume: (value: Value) => void = () => {};
  /** The thread that waits in `app.run`. */
  private main: Fiber | null = null;
  private readonly drain: Drain;
  private isStopping = false;

  constructor(
    private vm: VM,
    private app: App,
    private readonly dev: DevHost | null,
  ) {
    const { settings } = app;
    this.dispatcher = new Dispatcher(vm, app);
    if (dev !== null) dev.server = this;
    this.server = createServer(
      {
        maxHeaderSize: settings.header_bytes,
        // Node requires headersTimeout not to exceed requestTimeout.
        headersTimeout: Math.min(settings.header_seconds, settings.request_seconds) * 1000,
        requestTimeout: settings.request_seconds * 1000,
        keepAliveTimeout: settings.keep_alive_seconds * 1000,
        connectionsCheckingInterval: CHECK_MS,
        // Node would answer such a request itself and continue with the requests after it.
        requireHostHeader: false,
      },
      (req, res) => this.accept(req, res),
    );
    // One more than allowed, to detect too many fields: node drops the surplus silently.
    this.server.maxHeadersCount = settings.header_fields + 1;
    // Ask for the body only once it is certain that it will be read.
    this.server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => this.accept(req, res));
    this.server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) =>
      this.accept(req, res, EXPECTATION_FAILED),
    );
    this.server.on('connect', (req, stream) => this.upgrade(req, stream as Socket, EMPTY));
    answerClientErrors(this.server);
    this.descriptors.watch(this.server);
    this.drain = new Drain(this.server);
    this.listenForSockets();
  }

  /** Starts listening; calls `resume` once the server has stopped. Returns a function that stops it. */
  start(
    address: { port: number; host: string },
    resume: (value: Value) => void,
    failed: (thrown: Thrown) => void,
  ): () => void {
    const { server, vm } = this;
    const unlisten = this.listenForSignals();
    this.resume = resume;
    this.main = vm.scheduler.current;
    server.on('error', (error: NodeJS.ErrnoException) => {
      unlisten();
      if (this.dev?.server === this) this.dev.server = null;
      vm.host.stderr(`svcc: cannot listen on ${address.host}:${address.port}: ${listenProblem(error)}\n`);
      failed(new Signal('exit', 1));
    });
    server.on('close', () => {
      this.app.port = null;
      unlisten();
      this.resume(null);
    });
    const listening = (): void => {
      // The server was stopped during the lookup of the host name.
      if (this.isStopping) {
        server.close();
        return;
      }
      this.report();
      const { port } = server.address() as AddressInfo;
      this.app.port = port;
      const host =
        this.dev !== null && EVERYWHERE.test(address.host)
          ? 'localhost'
          : address.host.includes(':')
            ? `[${address.host}]`
            : address.host;
      vm.host.stdout(`Svc web server running on http://${host}:${port}\nPress Ctrl+C to stop\n`);
    };
    if (address.port < 0 || address.port > 65535)
      server.emit('error', Object.assign(new Error('port'), { code: 'ERR_SOCKET_BAD_PORT' }));
    // Deferred, because a thread that is already cancelled is notified only when it begins to wait.
    else
      queueMicrotask(() => {
        if (!this.isStopping) server.listen({ port: address.port, host: address.host, backlog: 1024 }, listening);
      });
    return () => this.stopFor(vm);
  }

  /** Reports to the supervisor the maximum time that this process needs to stop. */
  private report(): void {
    const report: WorkerReport = { drainSeconds: this.app.settings.drain_seconds };
    if (IS_WORKER) process.send?.(report);
  }

  /**
   * The first signal lets requests finish, the second ends them. A supervisor sends a message instead: a signal to a
   * whole process group, as sent by a terminal or systemd, reaches the supervisor and each worker once. Returns a
   * function that removes the listeners.
   */
  private listenForSignals(): () => void {
    const supervised = process.connected;
    let signals = 0;
    const onSignal = (): void => {
      if (++signals > 1) this.stopNow();
      else if (!this.isStopping) this.stopBySignal(STOPS);
    };
    const onMessage = (message: unknown): void => {
      if ((message === STOP || message === ROLL) && !this.isStopping)
        this.stopBySignal(message === ROLL ? RESTARTS : STOPS);
    };
    // SIGHUP: the terminal has closed. Workers leave the decision to their supervisor.
    const onHangUp = supervised ? (): void => {} : onSignal;
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onHangUp);
    if (supervised) process.on('message', onMessage);
    return () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', onHangUp).off('message', onMessage);
    };
  }

  /** Switches to another version of the program. Running requests finish on the old one, which then ends. */
  adopt(vm: VM, app: App, resume: (value: Value) => void): () => void {
    const old = this.dispatcher;
    this.retired = this.hubs().filter(({ open }) => open.size > 0);
    this.vm = vm;
    app.port = this.app.port;
    this.app = app;
    this.dispatcher = new Dispatcher(vm, app);
    this.resume = resume;
    this.main = vm.scheduler.current;
    this.listenForSockets();
    old.retire();
    return () => this.stopFor(vm);
  }

  /** Called when a program's main thread was cancelled: stops the server, unless another program has taken it over. */
  private stopFor(vm: VM): void {
    if (vm === this.vm) this.stop();
  }

  /** Stops, and ends the process if the program does not end: a thread may ignore its cancellation. */
  private stopBySignal(farewell: Farewell): void {
    this.stop(farewell);
    this.endProcessAfter(this.app.settings.drain_seconds * 1000 + END_MS);
  }

  /** Stops accepting connections, and lets work in flight finish for up to `drain_seconds`. */
  private stop(farewell = STOPS): void {
    if (this.isStopping) return;
    this.isStopping = true;
    const { app, drain, server } = this;
    const seconds = app.settings.drain_seconds;
    const timer = setTimeout(() => this.closeAll(), seconds * 1000);
    server.on('close', () => clearTimeout(timer));
    setTimeout(() => this.endThreads(), seconds * 1000).unref();
    const begin = (): void => {
      // Without delay in development: a browser keeps idle connections, and Ctrl+C would wait for them.
      drain.begin(this.dev === null ? seconds : 0);
      stopStreams(this.vm);
      for (const hub of this.hubs()) hub.stop(farewell);
    };
    if (!IS_WORKER) drain.stopListening(begin);
    else {
      // The accept queue belongs to the supervisor, which passes on no more connections.
      server.close();
      begin();
    }
  }

  /** Ends the work in flight. */
  private stopNow(): void {
    this.stop();
    this.closeAll();
    this.endThreads();
    this.endProcessAfter(END_MS);
  }

  private closeAll(): void {
    this.server.closeAllConnections();
    for (const hub of this.hubs()) hub.terminate();
  }

  private endProcessAfter(ms: number): void {
    setTimeout(() => {
      // The program has ended; others may run in this process.
      if (this.vm.scheduler.live.size === 0) return;
      this.vm.host.stderr('svcc: threads are still running after the time limit; ending the process\n');
      // The text is written in the next turn of the event loop.
      setTimeout(() => process.exit(1), 50);
    }, ms).unref();
  }

  /** The WebSockets of all versions of the program. */
  private hubs(): SocketHub[] {
    return [...this.retired, this.app.sockets];
  }

  /** Cancels all threads still running, so that an endless loop does not keep the process alive. */
  private endThreads(): void {
    const { vm, main } = this;
    vm.scheduler.reserved = vm.scheduler.maxFibers;
    for (const fiber of [...vm.scheduler.live]) if (fiber !== main) vm.scheduler.cancel(fiber);
  }

  /** Called only for applications with WebSockets: once there is a listener, node hands over all upgrade requests. */
  private listenForSockets(): void {
    if (!this.app.sockets.hasRoutes || this.server.listenerCount('upgrade') > 0) return;
    this.server.on('upgrade', (req, stream, head) => this.upgrade(req, stream as Socket, head));
  }

  private upgrade(req: IncomingMessage, stream: Socket, head: Buffer): void {
    // The responses to earlier requests on this connection would end up between the frames.
    if (isRefused(stream) || laneOf(stream).owed.length > 0) return void stream.destroy();
    // Node removes its own error handler.
    stream.on('error', () => stream.destroy());
    const { app, vm, dispatcher } = this;
    const target = splitTarget(req.url as string);
    if (
      !asksForWebSocket(req) ||
      this.descriptors.isSurplus(stream) ||
      problemOf(req, target, app.settings) !== null ||
      !app.sockets.hasRoutes
    ) {
      this.ignoreUpgrade(req, stream);
      return;
    }
    dispatcher.enter();
    this.drain.forget(stream);
    const accepted = app.sockets.accept(vm, req, stream, head, target, () => dispatcher.leave());
    if (!accepted) dispatcher.leave();
  }

  /**
   * Answers a request for another protocol as an ordinary one, then closes the connection: node's parser is detached
   * from it.
   */
  private ignoreUpgrade(req: IncomingMessage, stream: Socket): void {
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(stream);
    res.on('finish', () => {
      res.detachSocket(stream);
      endSoon(stream);
      res.emit('close');
    });
    this.accept(req, res, hasBody(req) ? BAD_REQUEST : null);
  }

  /** @param known the reason to refuse the request, if already known */
  private accept(req: IncomingMessage, res: ServerResponse, known: Refusal | null = null): void {
    const { socket } = req;
    // Data sent after a refused request may be its body and must not run as a request of its own.
    if (isRefused(socket) || !this.drain.admits(socket, res)) {
      laneOf(socket).ignore();
      return;
    }
    track(socket, res);
    if (this.descriptors.isSurplus(socket)) {
      closeAfter(req, res);
      sendText(res, 503, 'Service Unavailable', false, ['Retry-After', '1']);
      return;
    }
    if (this.showsProblem(req, res)) return;
    const target = splitTarget(req.url as string);
    const problem = known ?? problemOf(req, target, this.app.settings);
    if (problem !== null) {
      this.refuse(req, res, target, problem);
      return;
    }
    const withBody = hasBody(req);
    if (asksForUpgrade(req)) endAfter(req, res, withBody);
    if (withBody) this.read(req, res, target);
    else this.dispatcher.dispatch(req, res, target, EMPTY);
  }

  private read(req: IncomingMessage, res: ServerResponse, target: Target): void {
    const { vm, dispatcher, app } = this;
    const refuse = (refusal: Refusal): void => this.refuse(req, res, target, refusal);
    const type = req.headers['content-type'];
    if (!isMultipartForm(type)) readBody(req, res, app, (body) => this.dispatchBody(req, res, target, body), refuse);
    else
      readUpload(vm, req, res, app.settings, (upload) => dispatcher.dispatch(req, res, target, EMPTY, upload), refuse);
  }

  /** Answers a request whose body is not read, or not completely. */
  private refuse(req: IncomingMessage, res: ServerResponse, target: Target, refusal: Refusal): void {
    closeAfter(req, res);
    this.dispatcher.refuse(req, res, target, refusal);
  }

  private dispatchBody(req: IncomingMessage, res: ServerResponse, target: Target, body: Buffer): void {
    const type = req.headers['content-type'] ?? '';
    const isForm = type === '' || type.startsWith('application/x-www-form-urlencoded');
    if (isForm && tooManyPairs(body.toString('latin1'), this.app.settings.query_pairs))
      this.dispatcher.refuse(req, res, target, BAD_REQUEST);
    else this.dispatcher.dispatch(req, res, target, body);
  }

  /** In development, shows a version that does not compile in the browser. */
  private showsProblem(req: IncomingMessage, res: ServerResponse): boolean {
    const problem = this.dev?.problem ?? null;
    if (problem === null || !isDeveloper(req)) return false;
    res.writeHead(500, [
      'Content-Type',
      'text/html; charset=utf-8',
      'Content-Length',
      String(Buffer.byteLength(problem)),
      'Cache-Control',
      'no-store',
    ]);
    res.end(problem);
    return true;
  }
}

const EMPTY = Buffer.alloc(0);

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Whether node's parser stops after this request because it asks for another protocol. */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return (headers.upgrade ?? '') !== '' && /upgrade/i.test(headers.connection ?? '');
}

/**
 * Closes the connection after the response. The upgrade is ignored, but node has lost the bytes that arrived with the
 * request, so the next ones may begin in the middle of another request.
 */
function endAfter(req: IncomingMessage, res: ServerResponse, hasBody: boolean): void {
  res.shouldKeepAlive = false;
  if (hasBody) req.on('end', () => markRefused(req.socket));
  else markRefused(req.socket);
}

function listenProblem(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'the port is in use; stop the other program or choose another port';
    case 'EACCES':
      return 'permission denied; ports below 1024 need privileges';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine has no such address';
    default:
      return error.code === 'ERR_SOCKET_BAD_PORT'
        ? 'a port is a number from 0 to 65535'
        : (error.code ?? error.message);
  }
}
