import { Errors, type ErrorValue, Signal, SvcError, errorOf } from '../../../vm/values/error.js';
import type { Continuation } from '../../../vm/calls/continuation.js';
import { native, nativeLike } from '../../../vm/calls/native.js';
import type { Thrown } from '../../../vm/fibers/fiber.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { RecordType } from '../../../vm/values/structured.js';
import type { Value } from '../../../vm/values/value.js';
import { visible } from '../../../vm/values/text/visible.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { App } from '../app/app.js';
import type { Request } from '../request/request.js';
import type { Route } from '../config/route.js';
import { isStructured, jsonResponse, longResponse, Response, responseNow, TEXT } from '../response/response.js';
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
}

/** Whether a job is only a call of its handler. */
export function isPlain({ app, route }: Job): boolean {
  return (
    route !== null &&
    app.middleware.length === 0 &&
    app.before.length === 0 &&
    app.after.length === 0 &&
    app.onError === null &&
    app.statics.length === 0 &&
    !RecordType.haveForms
  );
}

// Templates of the functions created for every request.
const REQUEST = native('request', '', 'SvcResponse', 'Answers a request.', () => null);
const LAYERS = native('layers', '', 'SvcResponse', 'Runs the layers.', () => null);
const NEXT = native('next_fn', 'request: Any', 'SvcResponse', 'Passes the request on to the next layer.', () => null);
const LONG_JSON = native('json', '', 'SvcResponse', 'Writes long JSON.', () => null);
const STATIC = native('static', '', 'Any', 'Waits for a file.', () => null);

/** A function that runs the whole pipeline for `job` and returns the response. */
export function pipeline(job: Job): NativeFunction {
  return nativeLike(REQUEST, (vm: NativeContext) => guarded(vm, job));
}

/** Runs the layers, with `app.error` as their error handler. */
function guarded(vm: NativeContext, job: Job): Value | undefined {
  const { onError } = job.app;
  if (onError === null) return layer(vm, job, 0);
  return vm.callThen(
    nativeLike(LAYERS, () => layer(vm, job, 0)),
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
    return responseOf(this.vm, value, this.what);
  }

  failed(thrown: Thrown): Response {
    return haltedResponse(thrown);
  }
}

function responseOf(vm: NativeContext, value: Value, what: string): Value | undefined {
  return isStructured(value) ? jsonResponse(vm, value, 200, null) : responseNow(value, () => what);
}

/** Converts a handler's value to a response and passes it through the `after` filters. */
function filtered(vm: NativeContext, job: Job, value: Value, route: Route): Value | undefined {
  if (longResponse(value) === null && !RecordType.haveForms)
    return afterFilters(
      vm,
      job,
      responseNow(value, () => placeOf(route)),
      0,
    );
  return vm.callThen(
    nativeLike(LONG_JSON, () => responseOf(vm, value, placeOf(route))),
    [],
    {
      done: (response) => afterFilters(vm, job, response as Response, 0),
      failed: (thrown) => {
        throw thrown;
      },
    },
  );
}

/** The response carried by a `halt`; rethrows anything else. */
export function haltedResponse(thrown: Thrown): Response {
  if (thrown instanceof Signal && thrown.kind === 'halt') return thrown.payload as Response;
  throw thrown;
}

/** Runs middleware number `index`, or the core after the last one. */
function layer(vm: NativeContext, job: Job, index: number): Value | undefined {
  const { middleware } = job.app;
  if (index === middleware.length) return core(vm, job);
  let called = false;
  const next = nativeLike(NEXT, () => {
    if (called) throw errorOf(Errors.RuntimeError, 'next_fn was called twice in one layer');
    called = true;
    return layer(vm, job, index + 1);
  });
  return vm.callThen(middleware[index], [job.request, next], new Answer(vm, 'middleware'));
}

function core(vm: NativeContext, job: Job): Value | undefined {
  if (job.refusal !== null) return job.refusal;
  const { method } = job.request.parts;
  return method === 'GET' || method === 'HEAD' ? statics(vm, job, 0) : routed(vm, job);
}

/** Tries the static mounts in order, then the routes. */
function statics(vm: NativeContext, job: Job, index: number): Value | undefined {
  const mount = job.app.statics[index];
  if (mount === undefined) return routed(vm, job);
  if (!job.request.parts.path.startsWith(mount.prefix)) return statics(vm, job, index + 1);
  const found = mount.serve(vm, job.request);
  if (found === null) return statics(vm, job, index + 1);
  if (found !== undefined) return found;
  // The mount is waiting for the disk: continue the remaining layers after that wait.
  const wait = vm.takeWait() as NonNullable<ReturnType<NativeContext['takeWait']>>;
  const file = nativeLike(STATIC, () => vm.wait(wait.what, wait.start));
  return vm.callThen(file, [], {
    done: (response) => (response instanceof Response ? response : statics(vm, job, index + 1)),
    failed: (thrown) => {
      throw thrown;
    },
  });
}

function routed(vm: NativeContext, job: Job): Value | undefined {
  const { app, request, route, allowed } = job;
  if (route !== null) return beforeFilters(vm, job, route, 0);
  if (allowed !== '') return optionsResponse(allowed);
  if (app.sockets.hasRoutes && request.parts.method === 'GET' && app.sockets.knows(request.parts.path))
    return upgradeRequired();
  if (app.notFound !== null) return vm.callThen(app.notFound, [request], new Answer(vm, 'app.not_found'));
  return defaultNotFound();
}

function optionsResponse(allowed: string): Response {
  const response = new Response(204, '', null);
  response.addField('Allow', allowed);
  return response;
}

/** Answers a plain request for the path of a WebSocket. */
function upgradeRequired(): Response {
  const response = new Response(UPGRADE_REQUIRED.status, UPGRADE_REQUIRED.text, TEXT);
  for (let i = 0; i < UPGRADE_REQUIRED.fields.length; i += 2)
    response.addField(UPGRADE_REQUIRED.fields[i], UPGRADE_REQUIRED.fields[i + 1]);
  return response;
}

function defaultNotFound(): Response {
  return new Response(404, '404 Not Found', TEXT);
}

/**
 * Continues after the `before` filter number `index`. A filter that returns a response ends the request with it; other
 * values are ignored.
 */
class BeforeFilter implements Continuation {
  constructor(
    private readonly vm: NativeContext,
    private readonly job: Job,
    private readonly route: Route,
    private readonly index: number,
  ) {}

  done(value: Value): Value | undefined {
    const { vm, job } = this;
    return value instanceof Response
      ? afterFilters(vm, job, value, 0)
      : beforeFilters(vm, job, this.route, this.index + 1);
  }

  failed(thrown: Thrown): Value | undefined {
    return afterFilters(this.vm, this.job, haltedResponse(thrown), 0);
  }
}

class Handled implements Continuation {
  constructor(
    private readonly vm: NativeContext,
    private readonly job: Job,
    private readonly route: Route,
  ) {}

  done(value: Value): Value | undefined {
    return filtered(this.vm, this.job, value, this.route);
  }

  failed(thrown: Thrown): Value | undefined {
    return afterFilters(this.vm, this.job, haltedResponse(thrown), 0);
  }
}

function beforeFilters(vm: NativeContext, job: Job, route: Route, index: number): Value | undefined {
  const { app, request } = job;
  if (index === app.before.length) return vm.callThen(route.handler, [request], new Handled(vm, job, route));
  return vm.callThen(app.before[index], [request], new BeforeFilter(vm, job, route, index));
}

/** Continues after the `after` filter number `index`. */
class AfterFilter implements Continuation {
  constructor(
    private readonly vm: NativeContext,
    private readonly job: Job,
    private readonly response: Response,
    private readonly index: number,
  ) {}

  done(value: Value): Value | undefined {
    return afterFilters(this.vm, this.job, value instanceof Response ? value : this.response, this.index + 1);
  }

  failed(thrown: Thrown): Response {
    return haltedResponse(thrown);
  }
}

function afterFilters(vm: NativeContext, job: Job, response: Response, index: number): Value | undefined {
  const { after } = job.app;
  if (index === after.length) return response;
  return vm.callThen(after[index], [job.request, response], new AfterFilter(vm, job, response, index));
}

/** Describes a route's handler for messages. */
export function placeOf({ method, pattern, place }: Route): string {
  return `the handler of ${method} ${pattern}${place === null ? '' : ` (${place.file}:${place.line})`}`;
}
