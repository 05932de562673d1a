import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fiber, Outcome, Thrown } from '../../../vm/fibers/fiber.js';
import { controllerFor } from '../../../vm/fibers/operations.js';
import { TooManyThreads } from '../../../vm/fibers/scheduler.js';
import type { Steps } from '../../../vm/values/steps.js';
import { Signal, SvcError } from '../../../vm/values/error.js';
import { Closure } from '../../../vm/values/function.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { closeAfter } from '../connection/badrequests.js';
import type { BodyStream } from '../connection/bodystream.js';
import { BAD_REQUEST, type Refusal, UNAVAILABLE } from '../connection/refusal.js';
import { App } from '../app/app.js';
import { INSPECTION } from '../app/inspection.js';
import { DEV_HOST, isDeveloper } from '../dev/devhost.js';
import { errorPage } from '../dev/errorpage.js';
import { overriddenMethod } from '../extras/forms.js';
import { Exchange } from '../request/exchange.js';
import { type Gone, offGone, onGone } from '../connection/disconnect.js';
import { insideOf } from '../connection/inside.js';
import { newId } from '../request/ids.js';
import { SMALL_BYTES } from '../connection/lane.js';
import { notice } from '../connection/notices.js';
import {
  failureOf,
  haltedResponse,
  isPlain,
  type Job,
  logFailure,
  notFoundHandler,
  pipeline,
  sourceOf,
} from './layers.js';
import { Running } from './running.js';
import { Request } from '../request/request.js';
import { refusalTo } from '../response/refusals.js';
import { HTML, Response, toResponse, unsuitable } from '../response/response.js';
import type { Route } from '../config/route.js';
import { BAD_PATH, type Match } from '../routing/router.js';
import { answerText, measureSteps, sendResponse } from '../response/send.js';
import { warnOfLostSessions } from '../request/savedsession.js';
import { SessionSlot, withSession } from '../sessions/saving.js';
import { checkNow } from '../validation/check.js';
import { StreamedResponse } from '../streams/stream.js';
import type { Target } from '../../http/target.js';
import type { Upload } from '../request/upload/upload.js';

/** Names of the fibers that serve a request or a connection. */
const SERVING: ReadonlySet<string> = new Set(['request', 'stream', 'page', 'websocket']);

/** Leads a completely received request through routes, layers and handler to its response. */
export class Dispatcher {
  private inFlight = 0;
  private readonly idleWatchers: (() => void)[] = [];

  constructor(
    private readonly vm: NativeContext,
    private readonly app: App,
  ) {
    INSPECTION.of(vm)?.watch(app);
  }

  /** Whether the route of a request receives its body as it arrives. */
  streamsBody(req: IncomingMessage, target: Target): boolean {
    const match = this.app.router.find(req.method as string, target.path);
    return match !== null && match !== BAD_PATH && match.value.streamsBody;
  }

  /**
   * Answers a request, or queues it after others of its connection. `upload` is the parsed multipart body, `stream` a body
   * that has not been read.
   */
  dispatch(
    req: IncomingMessage,
    res: ServerResponse,
    target: Target,
    body: Buffer,
    upload: Upload | null = null,
    stream: BodyStream | null = null,
  ): void {
    const { app } = this;
    const method = req.method === 'HEAD' ? 'GET' : (req.method as string);
    let match = app.router.find(method, target.path);
    if (match === BAD_PATH) {
      upload?.disposeAfter(null);
      this.refuse(req, res, target, BAD_REQUEST);
      return;
    }
    const exchange = this.exchange(req, res, target, body, upload);
    exchange.request.stream = stream;
    const other = app.overridesMethod ? overriddenMethod(exchange.request) : null;
    if (other !== null) {
      exchange.request.parts.method = other;
      const found = app.router.find(other, target.path);
      match = found === BAD_PATH ? null : found;
    }
    this.bind(exchange, match);
    this.enqueue(exchange, upload);
  }

  /**
   * Answers a request that reaches no route. The middleware runs without a body, and may add to this response as to any
   * other.
   */
  refuse(req: IncomingMessage, res: ServerResponse, target: Target, refusal: Refusal): void {
    const exchange = this.exchange(req, res, target, EMPTY, null);
    exchange.refusal = refusal;
    this.bind(exchange, null);
    this.enqueue(exchange, null);
  }

  /** Notes what answers a request. */
  private bind(exchange: Exchange, match: Match<Route> | null): void {
    const { request } = exchange;
    if (match === null) {
      if (this.app.mounts.length > 0) request.levels = this.app.levelsAt(request.parts.path);
      return;
    }
    request.paramNames = match.names;
    request.paramValues = match.values;
    request.levels = match.value.levels;
    exchange.route = request.route = match.value;
  }

  /** Begins a request, or queues it after others of its connection. */
  private enqueue(exchange: Exchange, upload: Upload | null): void {
    const { vm, app } = this;
    const { lane, res } = exchange;
    if (lane.isFree(res)) this.begin(exchange, upload);
    else if (
      !lane.wait(
        { res, begin: () => this.begin(exchange, upload), drop: () => upload?.disposeAfter(null) },
        app.settings.threads,
      )
    ) {
      notice(
        vm,
        app,
        'waiting',
        `${app.settings.threads} requests are waiting for earlier ones on their connections: a connection that sends more is closed (setting: threads)`,
      );
    }
  }

  private begin(exchange: Exchange, upload: Upload | null): void {
    const { refusal } = exchange;
    exchange.lane.begin(exchange.res);
    if (refusal === null) {
      if (!this.answerWithoutProgram(exchange)) this.runHandler(exchange);
    } else if (this.app.middleware.length === 0 && exchange.request.levels.length === 0)
      this.send(exchange, refused(exchange.request, refusal));
    else this.runHandler(exchange);
    upload?.disposeAfter(exchange.fiber);
  }

  private exchange(
    req: IncomingMessage,
    res: ServerResponse,
    { path, query }: Target,
    body: Buffer,
    upload: Upload | null,
  ): Exchange {
    const { app } = this;
    const request = new Request({
      method: req.method as string,
      path,
      query,
      rawHeaders: req.rawHeaders,
      body,
      upload,
      remoteAddress: req.socket.remoteAddress ?? '',
      id: newId(req.headers['x-request-id']),
      maxPairs: app.settings.query_pairs,
      trustedProxies: Number(app.settings.trust_proxy),
    });
    request.root = app.owner;
    request.refusedInJson = app.settings.refusals === 'json';
    if (app.sessions !== null) request.sessionSlot = new SessionSlot(app.sessions);
    const exchange = new Exchange(app.settings, req, res, request, app.output, this);
    app.tracing?.begin(request, exchange.startedAt);
    app.inspection?.began(exchange);
    if (app.observers.length > 0) exchange.observe(app.observers);
    return exchange;
  }

  /** Sends an answer that needs no program, such as to a CORS preflight. Returns false when there is none. */
  private answerWithoutProgram(exchange: Exchange): boolean {
    try {
      const response = this.guarded(exchange);
      if (response === null) return false;
      this.send(exchange, response);
    } catch (error) {
      this.sendingFailed(exchange, null, error);
    }
    return true;
  }

  /** The answer of a guard of the application, or of mounted ones that the request is for; null if there is none. */
  private guarded(exchange: Exchange): Response | null {
    const { request } = exchange;
    let response = firstAnswer(this.app.guards, exchange);
    for (const { level } of request.levels)
      if (response === null && level instanceof App) response = firstAnswer(level.guards, exchange);
    return response;
  }

  /** The value of `Allow` for a path, or for the whole server if it is `*`. */
  private allowed(path: string): string {
    if (path === '*') return ALL_METHODS;
    const methods = this.app.router.methodsFor(path);
    if (methods.length === 0) return '';
    return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  }

  /** Whether handlers or streams of this version run. */
  get isBusy(): boolean {
    return this.inFlight > 0;
  }

  /** Calls `then` whenever the last handler or stream has ended. */
  whenIdle(then: () => void): void {
    this.idleWatchers.push(then);
  }

  /** This and `requestEnded` count running handlers and streams: a version of the program lives until its last one has ended. */
  requestStarted(): void {
    this.inFlight++;
  }

  requestEnded(): void {
    if (--this.inFlight === 0) for (const then of this.idleWatchers) then();
  }

  private runHandler(exchange: Exchange): void {
    this.requestStarted();
    const running = new Running(this.vm.scheduler, this, exchange);
    const fiber = this.start(exchange, running);
    if (fiber === null) {
      this.requestEnded();
      return;
    }
    exchange.fiber = fiber;
    fiber.context = exchange.request;
    fiber.span = exchange.request.span;
    // Run waiting fibers now, so that a client that sends thousands of requests at once is slowed by the first answers.
    this.vm.scheduler.runBacklog();
    if (!fiber.finished && exchange.route?.finish !== true) running.watchClient();
  }

  /** Sends what the thread of a request has returned, or answers its error. */
  answer(exchange: Exchange, outcome: Outcome): void {
    try {
      if (outcome.ok) this.respond(exchange, outcome.value);
      else this.failed(exchange, outcome.error);
    } finally {
      this.requestEnded();
    }
  }

  /**
   * Called when another version of the program has taken over: ends this one's fibers once no handler and no stream
   * runs. Those that serve no connection end after `drain_seconds`, except `main`, which waits in `app.run`.
   */
  retire(main: Fiber | null): void {
    this.whenIdle(() => this.endAll());
    if (!this.isBusy) this.endAll();
    setTimeout(() => this.endBackground(main), this.app.settings.drain_seconds * 1000).unref();
  }

  private endAll(): void {
    for (const fiber of [...this.vm.scheduler.live]) this.vm.scheduler.cancel(fiber);
  }

  /** Ends the fibers that do not belong to a request or a connection which is still served. */
  private endBackground(main: Fiber | null): void {
    const { scheduler } = this.vm;
    const all = [...scheduler.live];
    const served = new Set(all.filter(({ name }) => SERVING.has(name)).map(({ context }) => context));
    served.delete(null);
    for (const fiber of all) if (fiber !== main && !served.has(fiber.context)) scheduler.cancel(fiber);
  }

  private start(exchange: Exchange, running: Running): Fiber | null {
    const { vm, app } = this;
    const { route, request } = exchange;
    try {
      if (route !== null && route.handler instanceof Closure && isPlain(app, route)) {
        const answer = route.declared === undefined ? null : checkNow(request, route.declared);
        if (answer === null) return vm.spawn('request', route.handler, [request], running);
        if (answer !== 'later') {
          this.send(exchange, answer);
          return null;
        }
      }
      return vm.spawnNative('request', pipeline(this.job(exchange)), running);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (!(error instanceof TooManyThreads)) {
        // The handler's parameters do not accept a request.
        this.failed(exchange, error);
        return null;
      }
      vm.host.stderr(`warning: request refused: ${error.value.message}\n`);
      this.sendLast(exchange, refused(request, exchange.refusal ?? UNAVAILABLE));
      return null;
    }
  }

  /** A request for the layers. */
  private job({ request, route, refusal }: Exchange): Job {
    return {
      app: this.app,
      request,
      route,
      allowed: route === null && request.parts.method === 'OPTIONS' ? this.allowed(request.parts.path) : '',
      refusal: refusal === null ? null : refused(request, refusal),
      file: null,
    };
  }

  /** Does long work for a response in steps; stops when its client disconnects. */
  private inPieces(exchange: Exchange, steps: Steps, then: (value: Value) => void): void {
    const { socket } = exchange.req;
    const work = controllerFor(exchange.request);
    const watcher: Gone = { gone: () => work.abort() };
    onGone(socket, watcher);
    this.vm
      .laterInPieces(steps, work.signal)
      .finally(() => offGone(socket, watcher))
      .then(then, (error: unknown) => this.failed(exchange, error as Thrown));
  }

  private respond(exchange: Exchange, value: Value): void {
    const { route, request } = exchange;
    let response: Response | Steps;
    try {
      response = toResponse(value) ?? unsuitable(value, sourceOf(route));
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.failed(exchange, error);
      return;
    }
    if (!(response instanceof Response)) {
      // The fiber has ended, so the value is stable; encode it in steps so that other fibers run.
      this.inPieces(exchange, response, (whole) => this.respond(exchange, whole));
      return;
    }
    if (route === null && response.status === 404 && notFoundHandler(this.app, request.levels) === null)
      this.addAllow(response, request);
    this.sendAnswer(exchange, response);
  }

  /** Sends the answer chosen by the program. */
  private sendAnswer(exchange: Exchange, response: Response): void {
    const { sessions } = exchange.request;
    if (sessions !== null) warnOfLostSessions(this.vm, sessions, response);
    this.send(exchange, response);
  }

  private addAllow(response: Response, request: Request): void {
    const allowed = this.allowed(request.parts.path);
    if (allowed !== '') response.setField('Allow', allowed);
  }

  /** Sends a response and closes the connection. */
  private sendLast(exchange: Exchange, response: Response): void {
    exchange.res.shouldKeepAlive = false;
    this.send(exchange, response);
  }

  /** Sends a response; `measured` is the length of its body in bytes, once that has been counted for this response. */
  private send(exchange: Exchange, response: Response, measured: number | null = null): void {
    if (exchange.isGone) return;
    try {
      if (measured === null) this.deliver(exchange, response);
      else sendResponse(exchange, response, measured);
    } catch (error) {
      this.sendingFailed(exchange, response, error);
    }
  }

  /**
   * Called when a response cannot be sent: sends a plain 500 or closes the connection, so that the client does not wait
   * for ever.
   */
  private sendingFailed(exchange: Exchange, response: Response | null, error: unknown): void {
    const { res, request } = exchange;
    if (res.headersSent) res.destroy();
    else answerText(exchange, 500, 'Internal Server Error', true, response?.substitute(500, '').allFields() ?? []);
    if (!(error instanceof SvcError)) throw error;
    logFailure(this.vm, request, error);
    const inside = insideOf(exchange.req.socket);
    if (inside !== undefined) inside.failure = error.value;
  }

  private deliver(exchange: Exchange, chosen: Response): void {
    const { app } = this;
    const response = withSession(this.vm, exchange.request, chosen);
    const { res } = exchange;
    const { stream } = exchange.request;
    // The rest of the body would have to be read before the next request.
    if (stream !== null && !stream.isComplete) closeAfter(exchange.req, res);
    this.finish(exchange.request, response);
    const size = response.sender === null && !exchange.isHead ? response.body.length : 0;
    if (!exchange.admits(size)) {
      this.refuseOutput(exchange, response);
      return;
    }
    exchange.lane.answered(size);
    if (size > SMALL_BYTES) exchange.hold(size);
    const inside = insideOf(exchange.req.socket);
    if (inside !== undefined) inside.failure = failureOf(exchange.request);
    const isSent = app.encoder !== null && app.encoder(exchange, response);
    if (!isSent) this.sendPlain(exchange, response);
    // A stream may wait for its program without limit; it detects a disconnect itself.
    if (res.writableFinished || response instanceof StreamedResponse) return;
    // Most responses have been handed to the kernel by now. A response queued after others on its connection has no
    // socket yet.
    if (res.writableEnded && res.socket?.writableLength === 0) return;
    if (size <= SMALL_BYTES) exchange.hold(size);
    exchange.watch();
    // Close the connection of a client that reads nothing for too long, to free the memory of its response. Until the head
    // is sent, measuring, compressing or opening takes the time, not the client; sending the head starts the timer again.
    res.setTimeout(app.settings.write_seconds * 1000, () => {
      if (res.headersSent) res.destroy();
    });
  }

  /** Adds what the application adds to each of its responses, after the mounted applications that answer. */
  private finish(request: Request, response: Response): void {
    response.clearDefaults();
    for (let i = request.levels.length - 1; i >= 0; i--) {
      const { level } = request.levels[i];
      if (level instanceof App) for (const finish of level.finishers) finish(request, response);
    }
    for (const finish of this.app.finishers) finish(request, response);
  }

  private sendPlain(exchange: Exchange, response: Response): void {
    const steps = response.sender === null ? measureSteps(response) : null;
    if (steps !== null) this.inPieces(exchange, steps, (bytes) => this.send(exchange, response, bytes as number));
    else if (response.sender !== null) response.sender(exchange, response);
    else sendResponse(exchange, response);
  }

  /** Answers 503 because responses to slow clients use up the output budget. */
  private refuseOutput(exchange: Exchange, response: Response): void {
    const { app, vm } = this;
    notice(
      vm,
      app,
      'output',
      `${app.output.used} bytes of responses are waiting for slow clients: large ones are refused with 503; app.set("output_bytes", n) raises the limit of ${app.settings.output_bytes}`,
    );
    answerText(exchange, 503, 'Service Unavailable', true, [
      ...response.substitute(503, '').allFields(),
      'Retry-After',
      '1',
    ]);
  }

  private failed(exchange: Exchange, thrown: Thrown): void {
    if (thrown instanceof Signal && thrown.kind === 'halt') {
      this.sendAnswer(exchange, haltedResponse(thrown));
      return;
    }
    if (thrown instanceof Signal && (thrown.kind === 'cancel' || thrown.kind === 'exit')) {
      this.sendLast(exchange, refusalTo(exchange.request, 503, 'Service Unavailable'));
      if (thrown.kind === 'exit') this.vm.report(null, thrown);
      return;
    }
    logFailure(this.vm, exchange.request, thrown);
    this.send(exchange, this.failure(exchange, thrown));
  }

  /**
   * The 500 response: constant, except for a developer's request in development, which gets a page that explains the
   * error.
   */
  private failure(exchange: Exchange, thrown: Thrown): Response {
    const { req, res, request } = exchange;
    const dev = DEV_HOST.of(this.vm);
    if (thrown instanceof SvcError && dev !== null && isDeveloper(req)) {
      dev.recorder?.explains(res);
      return new Response(500, errorPage(this.vm, thrown.value, request), HTML);
    }
    return refusalTo(request, 500, 'Internal Server Error');
  }
}

const EMPTY = Buffer.alloc(0);

const ALL_METHODS = 'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS';

function firstAnswer(guards: App['guards'], exchange: Exchange): Response | null {
  for (const guard of guards) {
    const response = guard(exchange.request, exchange);
    if (response !== null) return response;
  }
  return null;
}

function refused(request: Request, { status, text, retryAfter }: Refusal): Response {
  const response = refusalTo(request, status, text);
  if (retryAfter !== undefined) response.addField('Retry-After', String(retryAfter));
  return response;
}
