import { Errors, type ErrorValue, Signal, SvcError, errorOf } from '../../../vm/values/error.js';
import type { Continuation } from '../../../vm/calls/continuation.js';
import { afterwards, native, nativeLike, paramsOf } from '../../../vm/calls/native.js';
import type { Thrown } from '../../../vm/fibers/fiber.js';
import { NativeFunction } from '../../../vm/values/function.js';
import { RecordType } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import { visible } from '../../../vm/values/text/visible.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { isStructured } from '../../core/json/encode.js';
import type { App, StaticMount } from '../app/app.js';
import type { Layer, Level, Position } from '../config/level.js';
import type { Request } from '../request/request.js';
import type { Route } from '../config/route.js';
import { refusalTo } from '../response/refusals.js';
import { jsonResponse, Response, toResponse, unsuitable } from '../response/response.js';
import { saveSession, savesInThread } from '../sessions/saving.js';
import { checked } from '../validation/check.js';
import { UPGRADE_REQUIRED } from '../websocket/handshake.js';

/** A request to run, and the route it matched, or null. */
export interface Job {
  app: App;
  request: Request;
  route: Route | null;
  /** For OPTIONS: the methods registered for the path, or empty. */
  allowed: string;
  /** The answer, inside all layers, to a request that reaches no route. */
  refusal: Response | null;
  /** The file that answers; null until one is found. */
  file: Response | null;
}

/** Whether a request for a route is only a call of its handler. */
export function isPlain(app: App, route: Route): boolean {
  return (
    route.levels.length === 0 &&
    app.middleware.length === 0 &&
    app.before.length === 0 &&
    app.after.length === 0 &&
    app.owner.onError === null &&
    !savesInThread(app.sessions) &&
    app.statics.length === 0 &&
    !RecordType.haveForms
  );
}

// Templates of the functions created for every request.
const REQUEST = native('request', '', 'SvcResponse', 'Answers a request.', () => null);
const LAYERS = native('layers', '', 'SvcResponse', 'Runs the layers.', () => null);
const NEXT = native('next_fn', 'request: Any', 'SvcResponse', 'Passes the request on to the next layer.', () => null);

/** A function that runs the whole pipeline for `job` and returns the response. */
export function pipeline(job: Job): NativeFunction {
  if (!savesInThread(job.app.sessions)) return nativeLike(REQUEST, (vm: NativeContext) => entered(vm, job, 0));
  return nativeLike(REQUEST, (vm: NativeContext) =>
    vm.callThen(
      nativeLike(LAYERS, () => entered(vm, job, 0)),
      [],
      new Stored(vm, job.request),
    ),
  );
}

/**
 * The `next_fn` of a layer, which also continues after the layer: one object for each layer of a request, instead of a
 * function, its closure and a continuation.
 */
class Next extends NativeFunction implements Continuation {
  private called = false;

  constructor(
    private readonly vm: NativeContext,
    private readonly job: Job,
    private readonly depth: number,
    private readonly index: number,
  ) {
    super(NEXT.name, NEXT.signature, NEXT.result, NEXT.doc, goOn);
    this.params = paramsOf(NEXT);
  }

  /** Runs what is inside the layer. */
  inside(): Value | undefined {
    if (this.called) throw errorOf(Errors.RuntimeError, 'next_fn was called twice in one layer');
    this.called = true;
    return layer(this.vm, this.job, this.depth, this.index + 1);
  }

  done(value: Value): Value | undefined {
    return value instanceof Response ? value : responseOf(this.vm, value, 'middleware');
  }

  failed(thrown: Thrown): Response {
    return haltedResponse(thrown);
  }
}

/** What calling `next_fn` does. */
function goOn(this: Next): Value | undefined {
  return this.inside();
}

/** A level of a request: 0 is the application; those after it, such as groups and mounted applications, are inside it. */
function levelOf({ app, request }: Job, depth: number): Level {
  return depth === 0 ? app : request.levels[depth - 1].level;
}

/** The first of `layers` from `index` on that sees the request; their number if there is none. */
function nextLayer(job: Job, depth: number, layers: readonly Layer[], index: number): number {
  let at = index;
  while (at < layers.length && layers[at].path !== null && !covers(job, depth, layers[at])) at++;
  return at;
}

function covers({ request }: Job, depth: number, layer: Layer): boolean {
  return layer.covers(depth === 0 ? '' : request.levels[depth - 1].prefix, request.parts.path);
}

/** Runs a level, with the error handler of its application if it is one. */
function entered(vm: NativeContext, job: Job, depth: number): Value | undefined {
  const onError = levelOf(job, depth).owner?.onError ?? null;
  if (onError === null) return layer(vm, job, depth, 0);
  return vm.callThen(
    nativeLike(LAYERS, () => layer(vm, job, depth, 0)),
    [],
    {
      done: (value) => value,
      failed: (thrown) => {
        if (!(thrown instanceof SvcError)) throw thrown;
        logFailure(vm, job.request, thrown);
        return vm.callThen(onError, [job.request, thrown.value], new Answer(vm, 'app.error'));
      },
    },
  );
}

/** Saves the session of a request, then continues with the answer or error. */
class Stored implements Continuation {
  constructor(
    private readonly vm: NativeContext,
    private readonly request: Request,
  ) {}

  done(value: Value): Value | undefined {
    return saveSession(this.vm, this.request, () => value);
  }

  failed(thrown: Thrown): Value | undefined {
    if (thrown instanceof Signal && thrown.kind !== 'halt') throw thrown;
    // Log it before the store may fail as well.
    if (thrown instanceof SvcError) logFailure(this.vm, this.request, thrown);
    return saveSession(this.vm, this.request, () => {
      throw thrown;
    });
  }
}

/** The last logged error of each request: `app.error` may raise it again. */
const logged = new WeakMap<Request, Thrown>();

/** The error of a request that was logged last; null if there was none. */
export function failureOf(request: Request): ErrorValue | null {
  const thrown = logged.get(request);
  return thrown instanceof SvcError ? thrown.value : null;
}

/** Logs the error of a request's fiber once. */
export function logFailure(vm: NativeContext, request: Request, thrown: Thrown): void {
  const before = logged.get(request);
  logged.set(request, thrown);
  if (before instanceof SvcError && thrown instanceof SvcError && before.value === thrown.value) return;
  if (thrown instanceof SvcError) request.span?.failed(thrown.value);
  const { id, method, path } = request.parts;
  vm.host.stderr(`request ${id} ${method} ${visible(path)} failed:\n`);
  vm.report(null, thrown);
}

/**
 * Converts the result of a program's function to a response; a `halt` inside ends there. A class rather than closures,
 * like those below: a request needs many.
 */
class Answer implements Continuation {
  constructor(
    private readonly vm: NativeContext,
    private readonly what: string,
  ) {}

  done(value: Value): Value | undefined {
    return value instanceof Response ? value : responseOf(this.vm, value, this.what);
  }

  failed(thrown: Thrown): Response {
    return haltedResponse(thrown);
  }
}

function responseOf(vm: NativeContext, value: Value, what: string): Value | undefined {
  if (isStructured(value)) return jsonResponse(vm, value, 200, null);
  // Only structured values may take long.
  return (toResponse(value) as Response | null) ?? unsuitable(value, what);
}

/** Converts a handler's value to a response and passes it through the `after` filters of a level. */
function filtered(vm: NativeContext, job: Job, depth: number, value: Value): Value | undefined {
  const response = RecordType.haveForms ? null : (toResponse(value) ?? unsuitable(value, sourceOf(job.route)));
  if (response instanceof Response) return afterFilters(vm, job, depth, response, 0);
  return afterwards(
    vm,
    () => (response === null ? responseOf(vm, value, sourceOf(job.route)) : vm.inPieces('JSON', response)),
    (whole) => afterFilters(vm, job, depth, whole as Response, 0),
  );
}

/** The response carried by a `halt`; rethrows anything else. */
export function haltedResponse(thrown: Thrown): Response {
  if (thrown instanceof Signal && thrown.kind === 'halt') return thrown.payload as Response;
  throw thrown;
}

/** Runs middleware number `index` of a level, or what is inside it after the last one. */
function layer(vm: NativeContext, job: Job, depth: number, index: number): Value | undefined {
  const { middleware } = levelOf(job, depth);
  const at = nextLayer(job, depth, middleware, index);
  if (at === middleware.length) return depth === 0 ? core(vm, job) : filters(vm, job, depth);
  const next = new Next(vm, job, depth, at);
  return vm.callThen(middleware[at].fn, [job.request, next], next);
}

/** What is inside the application's middleware: files, then the route with its filters. */
function core(vm: NativeContext, job: Job): Value | undefined {
  if (job.refusal !== null) return filters(vm, job, 0);
  const { method } = job.request.parts;
  return method === 'GET' || method === 'HEAD' ? statics(vm, job, 0) : filters(vm, job, 0);
}

/** Tries the static mounts in order, then the routes. */
function statics(vm: NativeContext, job: Job, index: number): Value | undefined {
  const mount = job.app.statics[index];
  if (mount === undefined) return filters(vm, job, 0);
  if (!job.request.parts.path.startsWith(mount.prefix)) return statics(vm, job, index + 1);
  const found = mount.serve(vm, job.request);
  if (found === null) return statics(vm, job, index + 1);
  if (found !== undefined) return served(vm, job, mount, found);
  // The mount is waiting for the disk: continue the remaining layers after that wait.
  const wait = vm.takeWait() as NonNullable<ReturnType<NativeContext['takeWait']>>;
  return afterwards(
    vm,
    () => vm.wait(wait.what, wait.start),
    (response) => (response instanceof Response ? served(vm, job, mount, response) : statics(vm, job, index + 1)),
  );
}

/** Answers with a file, inside the layers of its group or mounted application. */
function served(vm: NativeContext, job: Job, { listed }: StaticMount, file: Response): Value | undefined {
  job.request.hasFile = true;
  if (listed.levels.length === 0) return file;
  job.file = file;
  job.request.levels = listed.levels;
  return filters(vm, job, 0);
}

/** Runs the filters of a level around what is inside it. Those of applications run for routes alone. */
function filters(vm: NativeContext, job: Job, depth: number): Value | undefined {
  const level = levelOf(job, depth);
  const runs = job.route !== null && job.file === null && job.refusal === null;
  return runs || (job.file !== null && level.owner === null) ? beforeFilters(vm, job, depth, 0) : inner(vm, job, depth);
}

/** Continues after the filters of a level: with the next one, or the answer. */
function inner(vm: NativeContext, job: Job, depth: number): Value | undefined {
  return depth < job.request.levels.length ? entered(vm, job, depth + 1) : answered(vm, job);
}

/** The answer to a request that no handler of a route gets. */
function answered(vm: NativeContext, job: Job): Value | undefined {
  const { app, request, allowed, file, refusal } = job;
  if (refusal !== null) return refusal;
  if (file !== null) return file;
  if (allowed !== '') return optionsResponse(allowed);
  if (app.sockets.hasRoutes && request.parts.method === 'GET' && app.sockets.knows(request.parts.path))
    return upgradeRequired(request);
  const notFound = notFoundHandler(app, request.levels);
  if (notFound !== null) return vm.callThen(notFound, [request], new Answer(vm, 'app.not_found'));
  return refusalTo(request, 404, '404 Not Found', 'Not Found');
}

/** The `not_found` of the innermost application that has one, or null. */
export function notFoundHandler(app: App, levels: readonly Position[]): Value {
  for (let i = levels.length - 1; i >= 0; i--) {
    const handler = levels[i].level.owner?.notFound ?? null;
    if (handler !== null) return handler;
  }
  return app.owner.notFound;
}

function optionsResponse(allowed: string): Response {
  const response = new Response(204, '', null);
  response.addField('Allow', allowed);
  return response;
}

/** Answers a plain request for the path of a WebSocket. */
function upgradeRequired(request: Request): Response {
  const response = refusalTo(request, UPGRADE_REQUIRED.status, UPGRADE_REQUIRED.text);
  for (let i = 0; i < UPGRADE_REQUIRED.fields.length; i += 2)
    response.addField(UPGRADE_REQUIRED.fields[i], UPGRADE_REQUIRED.fields[i + 1]);
  return response;
}

/**
 * Continues after the `before` filter number `index` of a level. A filter that returns a response ends the request with
 * it; other values are ignored.
 */
class BeforeFilter implements Continuation {
  constructor(
    private readonly vm: NativeContext,
    private readonly job: Job,
    private readonly depth: number,
    private readonly index: number,
  ) {}

  done(value: Value): Value | undefined {
    const { vm, job, depth } = this;
    return value instanceof Response
      ? afterFilters(vm, job, depth, value, 0)
      : beforeFilters(vm, job, depth, this.index + 1);
  }

  failed(thrown: Thrown): Value | undefined {
    return afterFilters(this.vm, this.job, this.depth, haltedResponse(thrown), 0);
  }
}

/** Continues after what is inside the filters of a level. */
class Handled implements Continuation {
  constructor(
    private readonly vm: NativeContext,
    private readonly job: Job,
    private readonly depth: number,
  ) {}

  done(value: Value): Value | undefined {
    return filtered(this.vm, this.job, this.depth, value);
  }

  failed(thrown: Thrown): Value | undefined {
    return afterFilters(this.vm, this.job, this.depth, haltedResponse(thrown), 0);
  }
}

/** Runs the handler, after the check of what the route declares. */
function handled(vm: NativeContext, job: Job, route: Route, depth: number): Value | undefined {
  const { request } = job;
  const run = (): undefined => vm.callThen(route.handler, [request], new Handled(vm, job, depth));
  if (route.declared === undefined) return run();
  return checked(vm, request, route.declared, run, (response) => afterFilters(vm, job, depth, response, 0));
}

function beforeFilters(vm: NativeContext, job: Job, depth: number, index: number): Value | undefined {
  const level = levelOf(job, depth);
  const at = nextLayer(job, depth, level.before, index);
  if (at < level.before.length)
    return vm.callThen(level.before[at].fn, [job.request], new BeforeFilter(vm, job, depth, at));
  const { route, request } = job;
  if (depth === request.levels.length && route !== null && job.file === null) return handled(vm, job, route, depth);
  if (level.after.length === 0) return inner(vm, job, depth);
  return vm.callThen(
    nativeLike(LAYERS, () => inner(vm, job, depth)),
    [],
    new Handled(vm, job, depth),
  );
}

/** Continues after the `after` filter number `index` of a level. */
class AfterFilter implements Continuation {
  constructor(
    private readonly vm: NativeContext,
    private readonly job: Job,
    private readonly depth: number,
    private readonly response: Response,
    private readonly index: number,
  ) {}

  done(value: Value): Value | undefined {
    const response = value instanceof Response ? value : this.response;
    return afterFilters(this.vm, this.job, this.depth, response, this.index + 1);
  }

  failed(thrown: Thrown): Response {
    return haltedResponse(thrown);
  }
}

function afterFilters(
  vm: NativeContext,
  job: Job,
  depth: number,
  response: Response,
  index: number,
): Value | undefined {
  const { after } = levelOf(job, depth);
  const at = nextLayer(job, depth, after, index);
  if (at === after.length) return response;
  return vm.callThen(after[at].fn, [job.request, response], new AfterFilter(vm, job, depth, response, at));
}

/** Describes for messages what answers: a route's handler, or the application. */
export function sourceOf(route: Route | null): string {
  if (route === null) return 'the application';
  const { method, pattern, place } = route;
  return `the handler of ${method} ${pattern}${place === null ? '' : ` (${place.file}:${place.line})`}`;
}
