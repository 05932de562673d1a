import { ADDRESS } from '../config/address.js';
import { Admission, type Version } from './admission.js';
import { addressOf, listenProblem, urlOf, type Address } from './address.js';
import { SURVEY } from '../app/survey.js';
import { keepFreedMemory } from '../../freedmemory.js';
import { createServer, type ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Fiber, Thrown } from '../../../vm/fibers/fiber.js';
import type { WaitStart } from '../../../vm/fibers/scheduler.js';
import { native, nativeLike } from '../../../vm/calls/native.js';
import { errorOf, Errors, Signal, type SvcError } from '../../../vm/values/error.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { EXPECTATION_FAILED } from '../connection/refusal.js';
import type { App } from '../app/app.js';
import { INSPECTION } from '../app/inspection.js';
import { answerClientErrors } from '../connection/badrequests.js';
import { Descriptors } from './descriptors.js';
import { DEV_HOST, type DevHost } from '../dev/devhost.js';
import { Dispatcher } from '../handling/dispatch.js';
import { Drain, type WorkerReport } from '../connection/drain.js';
import { Incoming } from './incoming.js';
import { JOBS_ONLY, workOffJobs } from '../../core/jobsonly.js';
import { tellToEnd } from '../../core/ending.js';
import { uploadPrefix } from '../request/upload/tempfiles.js';
import { ROLL, STOP } from '../../core/stopmessages.js';
import { stopStreams } from '../streams/writer.js';
import { checkParams } from '../validation/params.js';
import { Request } from '../request/request.js';
import { Handshake } from '../websocket/caller.js';
import { RESTARTS, STOPS, type Farewell } from '../websocket/hub.js';

/** Share of the thread limit reserved for requests, so one handler's spawns cannot starve the server. */
const REQUESTS_SHARE = 0.1;

/**
 * Native `app.run`: starts the server and waits until a signal has stopped it. Returns null in a thread that was
 * cancelled.
 * @throws ValueError for a route that declares parameters which its path does not have
 */
export function listen(vm: NativeContext, app: App, port: number | null, host: string | null): null | undefined {
  const address = addressOf(vm, port, host);
  checkParams(app.routes);
  limit(vm, app);
  const survey = SURVEY.of(vm);
  if (survey !== null) {
    survey(app, `${address.host}:${address.port}`);
    // Wait for ever: nothing after `app.run` may run, not even an `ensure` block.
    return vm.wait('server', () => () => {}, 'signal');
  }
  // In the `ensure` block of a cancelled thread nothing would ever stop this server.
  if (vm.scheduler.current?.cancelled === true) return null;
  if (JOBS_ONLY.of(vm).isOn)
    return vm.wait(
      'jobs',
      (resume, failed) =>
        void workOffJobs(vm).then(
          () => resume(null),
          (error: SvcError) => failed(error),
        ),
      'signal',
    );
  const dev = DEV_HOST.of(vm);
  dev?.recorder?.serves(app);
  if (dev !== null && dev.server !== null) {
    const { server } = dev;
    return serve(vm, server, (resume) => server.adopt(vm, app, address, resume));
  }
  const server = new RunningServer(vm, app, dev);
  return serve(vm, server, (resume, failed) => server.start(address, resume, failed));
}

const SERVE = native('run', '', 'Nil', '', () => null);

/**
 * Waits until the server has stopped. If the thread is cancelled, or its `timeout` block is over, that stops the server,
 * and takes effect once the threads of its requests have ended: code after `app.run` may close what they use.
 * @param ending what ends the thread after the wait
 */
function serve(
  vm: NativeContext,
  server: Pick<RunningServer, 'whenOver'>,
  start: WaitStart,
  ending: Signal | null = null,
): undefined {
  return vm.callThen(
    nativeLike(SERVE, () => vm.wait('server', start, 'signal')),
    [],
    {
      done: () => {
        if (ending !== null) throw ending;
        return null;
      },
      failed: (thrown) => {
        if (!(thrown instanceof Signal) || (thrown.kind !== 'cancel' && thrown.kind !== 'deadline')) throw thrown;
        return serve(vm, server, (resume) => server.whenOver(vm, resume), thrown);
      },
    },
  );
}

/** Applies an application's limits on threads. */
function limit(vm: NativeContext, { settings }: App): void {
  vm.scheduler.maxFibers = settings.threads;
  vm.scheduler.reserved = Math.floor(settings.threads * REQUESTS_SHARE);
  vm.maxDepth = settings.call_depth;
}

const inside = new WeakMap<App, (stream: Duplex) => void>();

/** A function that passes connections inside of the process to an application, which need not listen. @throws ValueError */
export function connector(vm: NativeContext, app: App): (stream: Duplex) => void {
  checkParams(app.routes);
  let server: RunningServer | null = null;
  const connect =
    inside.get(app) ??
    ((stream: Duplex): void => {
      // With the settings that the application has by now.
      if (server === null) limit(vm, app);
      server ??= new RunningServer(vm, app, null);
      server.connect(stream);
    });
  inside.set(app, connect);
  return connect;
}

/** Milliseconds between node's checks for requests that take too long. */
const CHECK_MS = 500;

/** Bytes of freed memory that a server keeps for the next messages: to get it anew takes a third of the time of long ones. */
const FREED_BYTES = 32 * 1024 * 1024;

/** Whether this process is a worker started by `--workers`. */
const IS_WORKER = process.env.SVC_WORKER !== undefined && process.connected;

/** Milliseconds for `ensure` blocks and for code after `app.run` once the last thread was cancelled. */
const END_MS = 2000;

/** The address of a server that does not listen. */
const NOWHERE: Address = { host: '', port: 0 };

function isSameAddress(a: Address, b: Address): boolean {
  return a.host === b.host && a.port === b.port;
}

/** A version of the program that serves connections. */
type Serving = Pick<RunningServer, 'vm' | 'app' | 'dispatcher'>;

/** Whether a thread, or the one that has started it, serves a request or a WebSocket of an application. */
function serves({ context }: Fiber, { owner, sockets }: App): boolean {
  return context instanceof Request ? context.root === owner : context instanceof Handshake && context.hub === sockets;
}

class RunningServer implements Version {
  private readonly server: Server;
  private readonly descriptors = new Descriptors(this, () => this.vm);
  /** Earlier versions of the program that still serve connections. */
  private retired: Serving[] = [];
  dispatcher: Dispatcher;
  private resume: (value: Value) => void = () => {};
  /** The thread that waits in `app.run`. */
  private main: Fiber | null = null;
  private readonly drain: Drain;
  private readonly admission: Admission;
  private isStopping = false;
  /** Whether the process is told to end, and not only the thread in `app.run`. */
  private isSignalled = false;
  /** Whether all connections have closed. */
  private hasClosed = false;
  /** Whether the server has stopped and no thread serves a connection. */
  private isOver = false;
  /** Ends the work in flight when `drain_seconds` are over. */
  private lastCall: NodeJS.Timeout | null = null;
  private unlisten: () => void = () => {};
  /** The address at which the server listens, with the port that the program named. */
  private address: Address = NOWHERE;
  /** The address that the newest version of the program has named. */
  private asked: Address = NOWHERE;
  /** Takes back the announcement to `svcc top`. */
  private unannounce: () => void = () => {};

  constructor(
    public vm: NativeContext,
    public app: App,
    private readonly dev: DevHost | null,
  ) {
    const { settings } = app;
    this.dispatcher = this.dispatcherOf(vm, app);
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
        IncomingMessage: Incoming,
      },
      (req, res) => this.admission.accept(req, res),
    );
    // `refusal.ts` counts the fields: node would refuse surplus ones before the layers, or drop them (Node 20).
    this.server.maxHeadersCount = 0;
    // Ask for the body only once it is certain that it will be read.
    this.server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => this.admission.accept(req, res));
    this.server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) =>
      this.admission.accept(req, res, EXPECTATION_FAILED),
    );
    this.server.on('connect', (req, stream) => this.admission.upgrade(req, stream as Socket, Buffer.alloc(0)));
    answerClientErrors(this.server);
    this.descriptors.watch(this.server);
    this.drain = new Drain(this.server);
    this.admission = new Admission(this, dev, this.descriptors, this.drain);
    this.listenForSockets();
  }

  /** Serves a connection that the server has not accepted itself. */
  connect(stream: Duplex): void {
    this.listenForSockets();
    this.server.emit('connection', stream);
  }

  private dispatcherOf(vm: NativeContext, app: App): Dispatcher {
    const dispatcher = new Dispatcher(vm, app);
    dispatcher.whenIdle(() => this.endIfClosed());
    return dispatcher;
  }

  /**
   * Starts listening; calls `resume` once the server has stopped and the threads that served connections have ended.
   * Returns a function that stops it.
   */
  start(address: Address, resume: (value: Value) => void, failed: (thrown: Thrown) => void): () => void {
    const { server, vm } = this;
    this.unlisten = this.listenForSignals();
    const inSession = ADDRESS.of(vm).inSession === true;
    this.resume = resume;
    this.address = this.asked = address;
    this.main = vm.scheduler.current;
    server.on('error', (error: NodeJS.ErrnoException) => {
      this.unlisten();
      if (this.dev?.server === this) this.dev.server = null;
      const message = `cannot listen on ${address.host}:${address.port}: ${listenProblem(error)}`;
      if (inSession) failed(errorOf(Errors.IOError, message));
      else {
        vm.host.stderr(`svcc: ${message}\n`);
        failed(new Signal('exit', 1));
      }
    });
    server.on('close', () => {
      this.hasClosed = true;
      this.app.port = null;
      this.unannounce();
      this.endIfClosed();
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
      keepFreedMemory(FREED_BYTES);
      this.announce();
      if (ADDRESS.of(vm).isUnannounced !== true)
        vm.host.stdout(
          `Svc web server running on ${urlOf(address.host, port, this.dev !== null)}\n${inSession ? 'Enter :stop' : 'Press Ctrl+C'} to stop\n`,
        );
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

  /** Announces an inspected program to `svcc top`, in place of its earlier version. */
  private announce(): void {
    const { vm, app } = this;
    this.unannounce();
    const inspection = INSPECTION.of(vm);
    this.unannounce = inspection === null || app.port === null ? (): void => {} : inspection.listens(app, app.port);
  }

  /** Reports to the supervisor what it has to know to end this process. */
  private report(): void {
    if (!IS_WORKER) return;
    const report: WorkerReport = { drainSeconds: this.app.settings.drain_seconds, uploads: uploadPrefix() };
    process.send?.(report);
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
      else if (!this.isSignalled) this.stopBySignal(STOPS);
    };
    const onMessage = (message: unknown): void => {
      if ((message === STOP || message === ROLL) && !this.isSignalled)
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
  adopt(vm: NativeContext, app: App, address: Address, resume: (value: Value) => void): () => void {
    this.compare(address);
    const old = this.dispatcher;
    const before = { vm: this.vm, app: this.app, dispatcher: old };
    this.retired = [...this.retired, before].filter(({ dispatcher }) => dispatcher.isBusy);
    const { main } = this;
    this.vm = vm;
    app.port = this.app.port;
    this.app = app;
    this.dispatcher = this.dispatcherOf(vm, app);
    this.announce();
    this.resume = resume;
    this.main = vm.scheduler.current;
    this.listenForSockets();
    old.retire(main);
    // The version was started before the server had stopped.
    if (this.isOver) resume(null);
    return () => this.stopFor(vm);
  }

  /** Says that the server does not move to the address that another version of the program asks for. */
  private compare(asked: Address): void {
    const { address, app, vm } = this;
    const isNew = !isSameAddress(asked, this.asked);
    this.asked = asked;
    if (!isNew || isSameAddress(asked, address)) return;
    const stays = urlOf(address.host, app.port ?? address.port, false);
    vm.host.stderr(
      `svcc: the server stays on ${stays}; start svcc again for ${urlOf(asked.host, asked.port, false)}\n`,
    );
  }

  /** Called when a program's main thread was cancelled: stops the server, unless another program has taken it over. */
  private stopFor(vm: NativeContext): void {
    if (vm === this.vm) this.stop();
  }

  servesOther(vm: NativeContext): boolean {
    return vm !== this.vm && !this.isStopping;
  }

  /**
   * Calls `then` once the threads that serve connections have ended; at once if another version of the program has taken
   * the server over.
   */
  whenOver(vm: NativeContext, then: (value: Value) => void): void {
    if (this.isOver || vm !== this.vm) then(null);
    else this.resume = then;
  }

  /** Whether threads of any version of the program serve connections. */
  private get isBusy(): boolean {
    return this.versions().some(({ dispatcher }) => dispatcher.isBusy);
  }

  /** Called when all connections have closed, and when threads that served some have ended. */
  private endIfClosed(): void {
    if (this.hasClosed && !this.isOver && !this.isBusy) this.end();
  }

  /** Lets the program continue after `app.run`. */
  private end(): void {
    this.isOver = true;
    this.app.port = null;
    this.unannounce();
    this.unlisten();
    // A signal also ends threads that the program has started.
    if (this.lastCall !== null && this.isSignalled) this.lastCall.unref();
    else if (this.lastCall !== null) clearTimeout(this.lastCall);
    this.resume(null);
  }

  /** Stops, and ends the process if the program does not end: a thread may ignore its cancellation. */
  private stopBySignal(farewell: Farewell): void {
    tellToEnd();
    this.isSignalled = true;
    this.stop(farewell);
    this.endProcessAfter(this.app.settings.drain_seconds * 1000 + END_MS);
  }

  /** Stops accepting connections, and lets work in flight finish for up to `drain_seconds`. */
  private stop(farewell = STOPS): void {
    if (this.isStopping) return;
    this.isStopping = true;
    const { app, drain, server } = this;
    const seconds = app.settings.drain_seconds;
    const isSignalled = this.isSignalled;
    this.lastCall = setTimeout(() => this.endWork(), seconds * 1000);
    const begin = (): void => {
      // Without delay in development: a browser keeps idle connections, and Ctrl+C would wait for them.
      drain.begin(this.dev === null && isSignalled ? seconds : 0);
      for (const version of this.versions()) {
        stopStreams(version.vm, isSignalled ? null : version.dispatcher);
        version.app.sockets.stop(farewell);
      }
      if (!isSignalled) drain.whenQuiet(() => this.endIfQuiet());
    };
    if (!IS_WORKER) drain.stopListening(begin);
    else {
      // The accept queue belongs to the supervisor, which passes on no more connections.
      server.close();
      begin();
    }
  }

  /**
   * Called when no connection can bring another request, although some may not have closed yet. Returns whether no thread
   * serves one.
   */
  private endIfQuiet(): boolean {
    if (!this.isOver && !this.isBusy) this.end();
    return this.isOver;
  }

  /** Stops without waiting for the work in flight. */
  private stopNow(): void {
    tellToEnd();
    this.isSignalled = true;
    this.stop();
    this.endWork();
    this.endProcessAfter(END_MS);
  }

  /** Ends the work in flight. */
  private endWork(): void {
    this.server.closeAllConnections();
    for (const { app } of this.versions()) app.sockets.terminate();
    this.endThreads();
    // A signal ends the process.
    if (!this.isSignalled) this.lastCall = setTimeout(() => this.end(), END_MS);
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

  /** All versions of the program that serve connections. */
  private versions(): Serving[] {
    return [...this.retired, this];
  }

  /**
   * Cancels the threads still running, so that an endless loop does not keep the process alive. If only this server has
   * been stopped, those that serve its application.
   */
  private endThreads(): void {
    const { main, isSignalled } = this;
    for (const { vm, app } of this.versions()) {
      if (isSignalled) vm.scheduler.reserved = vm.scheduler.maxFibers;
      for (const fiber of [...vm.scheduler.live])
        if (fiber !== main && (isSignalled || serves(fiber, app))) vm.scheduler.cancel(fiber);
    }
  }

  /** Listens for upgrades while the application has WebSockets: without a listener node ignores them. */
  private listenForSockets(): void {
    const listens = this.server.listenerCount('upgrade') > 0;
    if (this.app.sockets.hasRoutes === listens) return;
    if (listens) this.server.removeAllListeners('upgrade');
    else this.server.on('upgrade', (req, stream, head) => this.admission.upgrade(req, stream as Socket, head));
  }
}
