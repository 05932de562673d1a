import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Thrown } from '../../vm/fiber.js';
import { Errors, ErrorValue, Signal, SvcError } from '../../vm/values/error.js';
import { typeName } from '../../vm/values/types.js';
import type { Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import type { App, Route } from './application.js';
import { readBody } from './body.js';
import { newId } from './ids.js';
import { haltedResponse, isPlain, pipeline, placeOf, type Job } from './pipeline.js';
import { Request } from './request.js';
import { Response, TEXT, toResponse } from './response.js';
import { BAD_PATH, type Match } from './router.js';
import { sendResponse, sendText } from './send.js';
import { splitTarget } from './target.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);
/** Milliseconds that a stopping server gives the requests in flight. */
const DRAIN_MS = 10_000;

/** What the command line and the environment say of the address. */
export interface AddressOverrides {
  port?: number;
  host?: string;
  defaultPort?: number;
  defaultHost?: string;
}

/** Native `app.run`: starts the server and waits until a signal has stopped it. */
export function listen(vm: VM, app: App, port: number | null, host: string | null): undefined {
  const given = (vm.modules.get('address') as AddressOverrides | undefined) ?? {};
  const address = { port: given.port ?? port ?? given.defaultPort ?? 3000, host: given.host ?? host ?? given.defaultHost ?? '0.0.0.0' };
  return vm.wait('server', (resume, failed) => new RunningServer(vm, app).start(address, resume, failed));
}

class RunningServer {
  private readonly server: Server;
  private stopping = false;
  private inFlight = 0;

  constructor(private readonly vm: VM, private readonly app: App) {
    const { settings } = app;
    this.server = createServer({ maxHeaderSize: settings.headers, headersTimeout: settings.headerTime, requestTimeout: settings.requestTime }, (req, res) => this.accept(req, res));
    this.server.maxHeadersCount = settings.fields;
  }

  /** Listens; `resume` is called once the server has stopped. Returns what cancels it. */
  start(address: { port: number; host: string }, resume: (value: Value) => void, failed: (thrown: Thrown) => void): () => void {
    const { server, vm } = this;
    const signals = ['SIGINT', 'SIGTERM'] as const;
    const stop = (): void => this.stop();
    server.on('error', (error: NodeJS.ErrnoException) => {
      vm.host.stderr(`svcc: cannot listen on ${address.host}:${address.port}: ${listenProblem(error)}\n`);
      failed(new Signal('exit', 1));
    });
    server.on('close', () => {
      for (const signal of signals) process.off(signal, stop);
      resume(null);
    });
    server.listen(address.port, address.host, () => {
      const { port } = server.address() as AddressInfo;
      const host = address.host.includes(':') ? `[${address.host}]` : address.host;
      vm.host.stdout(`Svc web server running on http://${host}:${port}\nPress Ctrl+C to stop\n`);
    });
    for (const signal of signals) process.on(signal, stop);
    return stop;
  }

  /** Stops accepting and answers what is in flight; a second call stops at once. */
  private stop(): void {
    if (this.stopping) {
      this.server.closeAllConnections();
      return;
    }
    this.stopping = true;
    this.server.close();
    this.server.closeIdleConnections();
    setTimeout(() => this.server.closeAllConnections(), DRAIN_MS).unref();
  }

  private accept(req: IncomingMessage, res: ServerResponse): void {
    const method = req.method as string;
    if (!METHODS.has(method)) {
      sendText(res, 501, 'Not Implemented');
      return;
    }
    if (hostCount(req.rawHeaders) !== 1 && req.httpVersion !== '1.0') {
      sendText(res, 400, 'Bad Request');
      return;
    }
    const hasBody = req.headers['content-length'] !== undefined || req.headers['transfer-encoding'] !== undefined;
    if (!hasBody) this.dispatch(req, res, EMPTY);
    else readBody(req, res, this.app.settings.body, (body) => this.dispatch(req, res, body));
  }

  private dispatch(req: IncomingMessage, res: ServerResponse, body: Buffer): void {
    const { app } = this;
    const { path, query } = splitTarget(req.url as string);
    const method = req.method === 'HEAD' ? 'GET' : (req.method as string);
    const match = app.router.find(method, path);
    if (match === BAD_PATH) {
      sendText(res, 400, 'Bad Request');
      return;
    }
    if (method === 'OPTIONS' && this.options(res, path)) return;
    const request = new Request({
      method: req.method as string, path, query, rawHeaders: req.rawHeaders, body,
      remoteAddress: req.socket.remoteAddress ?? '', id: newId(req.headers['x-request-id']), maxPairs: app.settings.pairs,
    });
    this.run(req, res, { app, request, route: bind(match as Match<Route> | null, request) });
  }

  /** Answers OPTIONS for a known path. */
  private options(res: ServerResponse, path: string): boolean {
    const allowed = this.allowed(path);
    if (allowed === '') return false;
    res.writeHead(204, ['Allow', allowed]);
    res.end();
    return true;
  }

  private allowed(path: string): string {
    const methods = this.app.router.methodsFor(path);
    if (methods.length === 0) return '';
    return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  }

  private run(req: IncomingMessage, res: ServerResponse, job: Job): void {
    const { vm } = this;
    this.inFlight++;
    let fiber;
    try {
      fiber = isPlain(job) ? vm.spawnNow('request', (job.route as Route).handler, [job.request]) : vm.spawnNative('request', pipeline(job));
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.inFlight--;
      this.overloaded(res, error);
      return;
    }
    fiber.onEnd((outcome) => {
      this.inFlight--;
      if (outcome.ok) this.respond(req, res, job, outcome.value);
      else this.failed(req, res, outcome.error);
    });
    if (!fiber.finished) {
      const running = fiber;
      res.on('close', () => { if (!running.finished) vm.scheduler.cancel(running); });
    }
  }

  /** Too many threads: the client may come again. */
  private overloaded(res: ServerResponse, error: SvcError): void {
    this.vm.host.stderr(`warning: request refused: ${error.value.message}\n`);
    res.writeHead(503, ['Retry-After', '1', 'Content-Type', TEXT, 'Content-Length', '19', 'Connection', 'close']);
    res.end('Service Unavailable');
  }

  private respond(req: IncomingMessage, res: ServerResponse, job: Job, value: Value): void {
    let response: Response | null;
    try {
      response = toResponse(value);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.failed(req, res, error);
      return;
    }
    if (response === null) {
      const what = job.route === null ? 'the application' : placeOf(job.route);
      this.failed(req, res, new SvcError(new ErrorValue(Errors.TypeError, `${what} gave ${typeName(value)}: a response, String, Hash, Vector, number, Boolean or nil was expected`)));
      return;
    }
    if (response.status === 404 && job.route === null && job.app.notFound === null) this.addAllow(response, job);
    this.send(req, res, response);
  }

  private addAllow(response: Response, job: Job): void {
    const allowed = this.allowed(job.request.parts.path);
    if (allowed !== '') response.setField('Allow', allowed);
  }

  private send(req: IncomingMessage, res: ServerResponse, response: Response): void {
    if (res.writableEnded || res.destroyed) return;
    sendResponse(res, response, req.method === 'HEAD', this.stopping);
  }

  private failed(req: IncomingMessage, res: ServerResponse, thrown: Thrown): void {
    if (thrown instanceof Signal && thrown.kind === 'halt') {
      this.send(req, res, haltedResponse(thrown));
      return;
    }
    if (thrown instanceof Signal && thrown.kind === 'cancel') return;
    this.vm.report(null, thrown);
    this.send(req, res, new Response(500, 'Internal Server Error', TEXT));
  }
}

const EMPTY = Buffer.alloc(0);

/** Number of Host fields. */
function hostCount(rawHeaders: readonly string[]): number {
  let n = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') n++;
  return n;
}

function bind(match: Match<Route> | null, request: Request): Route | null {
  if (match === null) return null;
  request.paramNames = match.names;
  request.paramValues = match.values;
  return match.value;
}

function listenProblem(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE': return 'the port is in use; stop the other program or choose another port';
    case 'EACCES': return 'permission denied; ports below 1024 need privileges';
    case 'EADDRNOTAVAIL': case 'ENOTFOUND': return 'this machine has no such address';
    default: return error.code === 'ERR_SOCKET_BAD_PORT' ? 'a port is a number from 0 to 65535' : (error.code ?? error.message);
  }
}
