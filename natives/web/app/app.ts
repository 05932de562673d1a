import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Budget } from '../connection/budget.js';
import type { Answered, Caller, Exchange } from '../request/exchange.js';
import type { Request } from '../request/request.js';
import type { Response } from '../response/response.js';
import { joinPaths, type Layer, type Level, NO_POSITIONS, type Owner, type Position, under } from '../config/level.js';
import type { ListedRoute, Route } from '../config/route.js';
import { Below } from '../routing/below.js';
import { parsePattern } from '../routing/pattern.js';
import { RouteNames } from '../routing/names.js';
import { Router } from '../routing/router.js';
import type { SessionPolicy } from '../sessions/policy.js';
import { defaultSettings, type Settings } from '../config/settings.js';
import { SocketHub } from '../websocket/hub.js';
import type { SocketRoute } from '../websocket/route.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { register } from './register.js';

export const APP = new HandleType('SvcApp');

/** A directory served under a prefix. `serve` returns null when the directory has no such file; it may suspend. */
export interface StaticMount {
  readonly prefix: string;
  /** The mount as shown in lists of routes. */
  readonly listed: ListedRoute;
  serve(vm: NativeContext, request: Request): Response | null | undefined;
  /** The same directory as part of an application that is mounted under `prefix`. */
  mountedAt(prefix: string, listed: ListedRoute): StaticMount;
}

/** A place at which an application is mounted. */
interface Mount {
  /** The mounted application. */
  readonly app: App;
  readonly prefix: string;
  /** What is around it, outermost first; the last is the application itself. */
  readonly levels: readonly Position[];
  readonly below: Below;
}

/** An application that another one is mounted in. */
interface Outer {
  readonly app: App;
  readonly mount: Mount;
}

/** An application: created by `web_app()`, filled by the registration functions. */
export class App extends Handle implements Level {
  readonly settings: Settings = defaultSettings();
  readonly router = new Router<Route>();
  readonly routes: Route[] = [];
  /** Routes that the library answers itself: health, metrics, OpenAPI. */
  readonly endpoints: Route[] = [];
  readonly middleware: Layer[] = [];
  readonly before: Layer[] = [];
  readonly after: Layer[] = [];
  readonly owner: Owner = { notFound: null, onError: null, names: new RouteNames() };
  readonly statics: StaticMount[] = [];
  /** Applications that are mounted in this one, also those mounted in these. */
  readonly mounts: Mount[] = [];
  /** The applications that this one is mounted in. */
  readonly outer: Outer[] = [];
  /** Memory held by request bodies. */
  readonly input = new Budget(() => this.settings.input_bytes);
  /** Memory held by responses that are waiting to be sent. */
  readonly output = new Budget(() => this.settings.output_bytes);
  /** Port that the server listens on; null while it is not listening. */
  port: number | null = null;
  /** How sessions travel; null without `app.sessions`. */
  sessions: SessionPolicy | null = null;
  /** Called after each exchange, once its response is sent or its client has disconnected: access log, metrics. */
  readonly observers: ((answered: Answered) => void)[] = [];
  /** Opens spans of requests; null: requests are not traced. */
  tracing: { begin(caller: Caller, startedAt: number): void } | null = null;
  /** Lists requests under way; null: the application is not inspected. */
  inspection: { began(exchange: Exchange): void } | null = null;
  readonly sockets = new SocketHub(this.settings, this.observers);
  /** Called before anything else; a guard may answer the request itself: CORS preflights. */
  readonly guards: ((request: Request, exchange: Exchange) => Response | null)[] = [];
  /** Called for each response before it is sent; may change it: CORS headers. */
  readonly finishers: ((request: Request, response: Response) => void)[] = [];
  /** Sends a response in another form, such as compressed. Returns false when it does not apply. */
  encoder: ((exchange: Exchange, response: Response) => boolean) | null = null;
  /** Whether the field `_method` of a form decides the method of its request. */
  overridesMethod = false;
  /** Whether a route receives its body as it arrives. */
  hasBodyStreams = false;

  get type(): HandleType {
    return APP;
  }

  /** Adds a route, also to the applications around this one. Warns when an earlier route hides it. @throws ValueError */
  addRoute(vm: NativeContext, route: Route, list: 'routes' | 'endpoints'): boolean {
    const { method, pattern } = route;
    if (!register(vm, route, `${method} ${pattern}`, () => this.router.add(method, pattern, route))) return false;
    this[list].push(route);
    this.hasBodyStreams ||= route.streamsBody;
    for (const { app, mount } of this.outer) app.addRoute(vm, raised(mount, route), list);
    return true;
  }

  /** As `addRoute`, for WebSockets. */
  addSocket(vm: NativeContext, route: SocketRoute): boolean {
    if (!register(vm, route, `WebSocket ${route.pattern}`, () => this.sockets.add(route))) return false;
    for (const { app, mount } of this.outer) app.addSocket(vm, raisedSocket(mount, route));
    return true;
  }

  addStatic(directory: StaticMount): void {
    this.statics.push(directory);
    for (const { app, mount } of this.outer) app.addStatic(raisedStatic(mount, directory));
  }

  /** Names a route, also for the applications around this one. Returns another route that has the name, or null. */
  addName(name: string, { pattern, place }: ListedRoute): ListedRoute | null {
    const known = this.owner.names.add(name, { pattern, place });
    if (known === null) this.offerName(name, pattern, place);
    return known as ListedRoute | null;
  }

  private offerName(name: string, pattern: string, place: ListedRoute['place']): void {
    for (const { app, mount } of this.outer) {
      const whole = joinPaths(mount.prefix, pattern);
      app.owner.names.adopt(name, { pattern: whole, place });
      app.offerName(name, whole, place);
    }
  }

  /**
   * Adds another application below `prefix`: its routes and what it gets later.
   * @param levels what is around it besides this application
   * @throws Error that quotes a malformed prefix
   */
  mount(vm: NativeContext, other: App, prefix: string, levels: readonly Position[]): void {
    const mount: Mount = {
      app: other,
      prefix,
      levels: [...levels, { level: other, prefix }],
      below: new Below(prefix === '' ? '/' : prefix),
    };
    const statics = other.statics.map((directory) => raisedStatic(mount, directory));
    // Refuse the whole mount if one of its patterns is malformed, such as by a duplicate parameter.
    for (const route of [...other.routes, ...other.endpoints, ...other.sockets.routes])
      parsePattern(raised(mount, route).pattern);
    other.outer.push({ app: this, mount });
    this.addMount(mount);
    for (const inner of other.mounts) this.addMount(raisedMount(mount, inner));
    for (const route of other.routes) this.addRoute(vm, raised(mount, route), 'routes');
    for (const route of other.endpoints) this.addRoute(vm, raised(mount, route), 'endpoints');
    for (const route of other.sockets.routes) this.addSocket(vm, raisedSocket(mount, route));
    for (const directory of statics) this.addStatic(directory);
    for (const [name, { pattern, place }] of other.owner.names.entries()) {
      const whole = joinPaths(prefix, pattern);
      this.owner.names.adopt(name, { pattern: whole, place });
      this.offerName(name, whole, place);
    }
  }

  private addMount(mount: Mount): void {
    this.mounts.push(mount);
    for (const outer of this.outer) outer.app.addMount(raisedMount(outer.mount, mount));
  }

  /** What is around a request that no route matches: the mounted applications that it is below, outermost first. */
  levelsAt(path: string): readonly Position[] {
    let found: Mount | null = null;
    for (const mount of this.mounts)
      if ((found === null || mount.prefix.length > found.prefix.length) && mount.below.covers(path)) found = mount;
    return found === null ? NO_POSITIONS : found.levels;
  }
}

function around({ prefix, levels }: Mount, inner: readonly Position[]): readonly Position[] {
  return inner.length === 0 ? levels : [...levels, ...under(prefix, inner)];
}

/** A route of a mounted application as a route of the application around it. */
function raised<T extends ListedRoute>(mount: Mount, route: T): T {
  return { ...route, pattern: joinPaths(mount.prefix, route.pattern), levels: around(mount, route.levels) };
}

function raisedSocket(mount: Mount, route: SocketRoute): SocketRoute {
  return { ...raised(mount, route), owners: [{ keeper: mount.app.sockets, pattern: route.pattern }, ...route.owners] };
}

function raisedStatic(mount: Mount, directory: StaticMount): StaticMount {
  return directory.mountedAt(mount.prefix, raised(mount, directory.listed));
}

function raisedMount(outer: Mount, { app, prefix, levels }: Mount): Mount {
  const whole = outer.prefix + prefix;
  return { app, prefix: whole, levels: around(outer, levels), below: new Below(whole === '' ? '/' : whole) };
}
