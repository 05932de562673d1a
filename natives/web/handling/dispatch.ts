import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fiber, Outcome, Thrown } from '../../../vm/fibers/fiber.js';
import type { Steps } from '../../../vm/values/steps.js';
import { Signal, SvcError } from '../../../vm/values/error.js';
import { Closure } from '../../../vm/values/function.js';
import type { Value } from '../../../vm/values/value.js';
import type { VM } from '../../../vm/vm.js';
import { BAD_REQUEST, type Refusal, UNAVAILABLE } from '../connection/refusal.js';
import type { App } from '../app/app.js';
import { DEV_HOST, isDeveloper } from '../dev/devhost.js';
import { errorPage } from '../dev/errorpage.js';
import { Exchange } from '../request/exchange.js';
import { onGone } from '../connection/disconnect.js';
import { newId } from '../request/ids.js';
import { SMALL_BYTES } from '../connection/lane.js';
import { notice } from '../connection/notices.js';
import { haltedResponse, isPlain, logFailure, pipeline, placeOf } from './layers.js';
import { Request } from '../request/request.js';
import { HTML, longResponse, Response, responseNow, TEXT } from '../response/response.js';
import type { Route } from '../config/route.js';
import { BAD_PATH, type Match } from '../routing/router.js';
import { measureSteps, sendResponse, sendText } from '../response/send.js';
import { warnOfLostSessions } from '../request/savedsession.js';
import { StreamedResponse } from '../streams/stream.js';
import type { Target } from '../../http/target.js';
import type { Upload } from '../request/upload/upload.js';

/** Takes a request that has arrived whole through routes, layers and handler to its response. */
export class Dispatcher {
  private inFlight = 0;
  private retired = false;

  constructor(
    private readonly vm: VM,
    private readonly app: App,
  ) {}

  /** Answers a request, or lets it wait behind others of its connection. `upload` is what a multipart body held. */
  dispatch(
    req: IncomingMessage,
    res: ServerResponse,
    target: Target,
    body: Buffer,
    upload: Upload | null = null,
  ): void {
    const { app } = this;
    const method = req.method === 'HEAD' ? 'GET' : (req.method as string);
    const match = app.router.find(method, target.path);
    if (match === BAD_PATH) {
      upload?.disposeAfter(null);
      this.refuse(req, res, target, BAD_REQUEST);
      return;
    }
    const exchange = this.exchange(req, res, target, body, upload);
    exchange.route = bind(match, exchange.request);
    this.enqueue(exchange, upload);
  }

  /** Answers a request that no route gets. The middleware runs, without a body to read, and what it adds to responses is on this one as well. */
  refuse(req: IncomingMessage, res: ServerResponse, target: Target, refusal: Refusal): void {
    const exchange = this.exchange(req, res, target, EMPTY, null);
    exchange.refusal = refusal;
    this.enqueue(exchange, null);
  }

  /** Begins with a request, or lets it wait behind others of its connection. */
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
        `${app.settings.threads} requests wait behind others of their connections: a connection that sent more is closed (setting threads)`,
      );
    }
  }

  private begin(exchange: Exchange, upload: Upload | null): void {
    const { refusal } = exchange;
    exchange.lane.begin(exchange.res);
    if (refusal === null) {
      if (!this.early(exchange)) this.run(exchange);
    } else if (this.app.middleware.length === 0) this.send(exchange, refused(refusal));
    else this.run(exchange);
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
    const exchange = new Exchange(app.settings, req, res, request, app.output);
    if (app.observers.length > 0)
      res.on('close', () => {
        for (const observer of app.observers) observer(exchange);
      });
    return exchange;
  }

  /** Answers that need no program: CORS preflights. */
  private early(exchange: Exchange): boolean {
    try {
      for (const guard of this.app.guards) {
        const response = guard(exchange.request);
        if (response === null) continue;
        this.send(exchange, response);
        return true;
      }
    } catch (error) {
      this.broken(exchange, error);
      return true;
    }
    return false;
  }

  /** What `Allow` says of a path; of the whole server for `*`. */
  private allowed(path: string): string {
    if (path === '*') return ALL_METHODS;
    const methods = this.app.router.methodsFor(path);
    if (methods.length === 0) return '';
    return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  }

  /** Notes that a handler runs, and that it has ended: a version of the program lives as long as one does. */
  enter(): void {
    this.inFlight++;
  }

  leave(): void {
    this.inFlight--;
    if (this.retired) this.retire();
  }

  private run(exchange: Exchange): void {
    this.enter();
    const fiber = this.start(exchange, (outcome) => {
      this.vm.scheduler.afterFibers(() => {
        try {
          if (outcome.ok) this.respond(exchange, outcome.value);
          else this.failed(exchange, outcome.error);
        } finally {
          this.leave();
        }
      });
    });
    if (fiber === null) {
      this.leave();
      return;
    }
    exchange.fiber = fiber;
    // A client that sends thousands of requests at once is held back by the answers to the first of them.
    this.vm.scheduler.relieve();
    if (fiber.finished || exchange.route?.finish === true) return;
    // The client has gone: nobody waits for this thread's work.
    const takeBack = onGone(exchange.req.socket, () => this.vm.scheduler.cancel(fiber));
    fiber.onEnd(takeBack);
  }

  /** Another version of the program has taken over: once nothing runs any more, this one's threads end. */
  retire(): void {
    this.retired = true;
    if (this.inFlight === 0) for (const fiber of [...this.vm.scheduler.live]) this.vm.scheduler.cancel(fiber);
  }

  private start(exchange: Exchange, ended: (outcome: Outcome) => void): Fiber | null {
    const { vm } = this;
    const { route, request } = exchange;
    const allowed = route === null && request.parts.method === 'OPTIONS' ? this.allowed(request.parts.path) : '';
    const job = {
      app: this.app,
      request,
      route,
      allowed,
      refusal: exchange.refusal === null ? null : refused(exchange.refusal),
    };
    try {
      if (route !== null && route.handler instanceof Closure && isPlain(job))
        return vm.spawn('request', route.handler, [request], ended);
      return vm.spawnNative('request', pipeline(job), ended);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (vm.scheduler.live.size < vm.scheduler.maxFibers) {
        // The handler cannot be called with a request: its parameters do not fit.
        this.failed(exchange, error);
        return null;
      }
      vm.host.stderr(`warning: request refused: ${error.value.message}\n`);
      this.sendLast(exchange, job.refusal ?? refused(UNAVAILABLE));
      return null;
    }
  }

  private respond(exchange: Exchange, value: Value): void {
    const steps = longResponse(value);
    if (steps === null) {
      this.respondNow(exchange, value);
      return;
    }
    // The thread has ended: whoever made the value no longer changes it, and others have their turns while its JSON is written.
    this.inPieces(exchange, steps, (response) => this.respondNow(exchange, response));
  }

  /** Does long work for a response, unless its client goes away. */
  private inPieces(exchange: Exchange, steps: Steps, then: (value: Value) => void): void {
    const gone = new AbortController();
    const takeBack = onGone(exchange.req.socket, () => gone.abort());
    this.vm
      .laterInPieces(steps, gone.signal)
      .finally(takeBack)
      .then(then, (error: unknown) => this.failed(exchange, error as Thrown));
  }

  private respondNow(exchange: Exchange, value: Value): void {
    const { route, request } = exchange;
    let response: Response;
    try {
      response = responseNow(value, () => (route === null ? 'the application' : placeOf(route)));
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.failed(exchange, error);
      return;
    }
    if (route === null && response.status === 404 && this.app.notFound === null) this.addAllow(response, request);
    this.answer(exchange, response);
  }

  /** Sends what the program has chosen as its answer. */
  private answer(exchange: Exchange, response: Response): void {
    const { sessions } = exchange.request;
    if (sessions !== null) warnOfLostSessions(this.vm, sessions, response);
    this.send(exchange, response);
  }

  private addAllow(response: Response, request: Request): void {
    const allowed = this.allowed(request.parts.path);
    if (allowed !== '') response.setField('Allow', allowed);
  }

  /** Sends a response and ends the connection. */
  private sendLast(exchange: Exchange, response: Response): void {
    exchange.res.shouldKeepAlive = false;
    this.send(exchange, response);
  }

  private send(exchange: Exchange, response: Response): void {
    this.orBroken(exchange, () => this.deliver(exchange, response));
  }

  private orBroken(exchange: Exchange, send: () => void): void {
    if (exchange.isGone) return;
    try {
      send();
    } catch (error) {
      this.broken(exchange, error);
    }
  }

  /** A response cannot be sent: the client gets a plain 500, or the end of its connection, lest it wait for ever. */
  private broken(exchange: Exchange, error: unknown): void {
    const { res, request } = exchange;
    if (res.headersSent) res.destroy();
    else sendText(res, 500, 'Internal Server Error', true);
    if (!(error instanceof SvcError)) throw error;
    logFailure(this.vm, request, error);
  }

  private deliver(exchange: Exchange, response: Response): void {
    const { app } = this;
    const { res } = exchange;
    const size = response.sender === null && !exchange.isHead ? response.body.length : 0;
    if (!exchange.admits(size)) {
      this.refuseOutput(exchange);
      return;
    }
    exchange.lane.answered(size);
    if (size > SMALL_BYTES) exchange.hold(size);
    for (const finish of app.finishers) finish(exchange.request, response);
    const isSent = app.encoder !== null && app.encoder(exchange, response);
    if (!isSent) this.sendPlain(exchange, response);
    // A stream may wait for its program as long as it likes; it watches its client itself.
    if (res.writableFinished || response instanceof StreamedResponse) return;
    // Most responses are in the kernel's hands by now. Those queued behind others on their connection have no socket yet.
    if (res.writableEnded && res.socket?.writableLength === 0) return;
    if (size <= SMALL_BYTES) exchange.hold(size);
    // A client that takes nothing for long loses its connection, and we the memory of its response.
    res.setTimeout(app.settings.write_seconds * 1000);
  }

  private sendPlain(exchange: Exchange, response: Response): void {
    const steps = response.sender === null ? measureSteps(response) : null;
    if (steps !== null)
      this.inPieces(exchange, steps, (bytes) =>
        this.orBroken(exchange, () => sendResponse(exchange, response, bytes as number)),
      );
    else if (response.sender !== null) response.sender(exchange, response);
    else sendResponse(exchange, response);
  }

  /** Too much waits for slow clients. */
  private refuseOutput({ res }: Exchange): void {
    const { app, vm } = this;
    notice(
      vm,
      app,
      'output',
      `responses of ${app.output.used} bytes wait for their clients: large ones are answered with 503; app.set("output_bytes", …) allows more than ${app.settings.output_bytes}`,
    );
    sendText(res, 503, 'Service Unavailable', true, ['Retry-After', '1']);
  }

  private failed(exchange: Exchange, thrown: Thrown): void {
    if (thrown instanceof Signal && thrown.kind === 'halt') {
      this.answer(exchange, haltedResponse(thrown));
      return;
    }
    if (thrown instanceof Signal && (thrown.kind === 'cancel' || thrown.kind === 'exit')) {
      this.sendLast(exchange, new Response(503, 'Service Unavailable', TEXT));
      if (thrown.kind === 'exit') this.vm.report(null, thrown);
      return;
    }
    logFailure(this.vm, exchange.request, thrown);
    this.send(exchange, this.failure(exchange, thrown));
  }

  /** The 500: constant, but in development, for requests of a developer, a page that explains. */
  private failure(exchange: Exchange, thrown: Thrown): Response {
    const { req, request } = exchange;
    if (thrown instanceof SvcError && DEV_HOST.of(this.vm) !== null && isDeveloper(req)) {
      return new Response(500, errorPage(this.vm, thrown.value, request), HTML);
    }
    return new Response(500, 'Internal Server Error', TEXT);
  }
}

const EMPTY = Buffer.alloc(0);

const ALL_METHODS = 'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS';

function refused({ status, text, retryAfter }: Refusal): Response {
  const response = new Response(status, text, TEXT);
  if (retryAfter !== undefined) response.addField('Retry-After', String(retryAfter));
  return response;
}

function bind(match: Match<Route> | null, request: Request): Route | null {
  if (match === null) return null;
  request.paramNames = match.names;
  request.paramValues = match.values;
  return match.value;
}
