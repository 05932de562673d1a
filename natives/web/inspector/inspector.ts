import type { Fiber } from '../../../vm/fibers/fiber.js';
import { LinkedList } from '../../../vm/fibers/linkedlist.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Value } from '../../../vm/values/value.js';
import { RESOURCES } from '../../core/resources.js';
import type { Work } from '../../core/work.js';
import type { App } from '../app/app.js';
import { APPS } from '../app/paths.js';
import type { Inspection } from '../app/inspection.js';
import type { Answered, Exchange } from '../request/exchange.js';
import { Request } from '../request/request.js';
import type { Response } from '../response/response.js';
import { announce, groupOfProcess } from './announce.js';
import type { Inspected, RequestData, RouteData, Sockets } from './data.js';
import { RouteStats } from './routestats.js';
import { threadsOf } from './threads.js';

/** Maximum numbers of routes, requests and rooms shown. */
const MAX_ROUTES = 100;
const MAX_REQUESTS = 50;
const MAX_ROOMS = 50;
const MAX_RESOURCES = 50;

/** Names for requests that no route answers: those for static files, and others. */
const FILES = '(static files)';
const NO_ROUTE = '(no route)';

/** Makes the response to a request for the page or its data. No thread runs for it. */
type Answer = (exchange: Exchange) => Response;

/** Observes the requests and threads of a VM. */
export class Inspector implements Inspection {
  /** Makes the responses of the page and its data, by the handlers of their routes. */
  readonly answers = new Map<Value, Answer>();
  private readonly begun = performance.now();
  private readonly apps = new Set<App>();
  private readonly underWay = new LinkedList<Exchange>();
  private readonly routes = new Map<object | string, RouteStats>();
  private port = 0;

  /** @param program the file that called `app.inspect` */
  constructor(
    private readonly vm: NativeContext,
    private readonly program: string,
  ) {
    const { scheduler, host } = vm;
    scheduler.onFuel = (fiber, fuel) => {
      // Count the call with which the thread begins, which takes no fuel.
      const used = fiber.slices === 1 ? fuel + 1 : fuel;
      const watch = (fiber.watch ??= { fuelUsed: 0, waitsSince: 0 });
      watch.fuelUsed += used;
      if (fiber.context !== null) (fiber.context as Work).fuelUsed += used;
      if (fiber.state === 'waiting') watch.waitsSince = host.now();
    };
  }

  watch(app: App): void {
    if (this.apps.has(app)) return;
    this.apps.add(app);
    app.inspection = this;
    app.observers.push((answered) => this.ended(answered));
    app.guards.push((_request, exchange) => this.answered(exchange));
  }

  owns(handler: Value): boolean {
    return this.answers.has(handler);
  }

  listens(_app: App, port: number): () => void {
    this.port = port;
    return announce(this.vm, port, () => JSON.stringify(this.data()));
  }

  began(exchange: Exchange): void {
    this.underWay.add(exchange);
    exchange.isListed = true;
  }

  /** Answers a request for the inspector's page, and hides it from observers. Returns null for other requests. */
  private answered(exchange: Exchange): Response | null {
    const { route } = exchange;
    const answer = route === null ? undefined : this.answers.get(route.handler);
    if (answer === undefined) return null;
    exchange.isHidden = true;
    this.forget(exchange);
    return answer(exchange);
  }

  private forget(exchange: Exchange): void {
    if (!exchange.isListed) return;
    exchange.isListed = false;
    this.underWay.delete(exchange);
  }

  private ended(answered: Answered): void {
    const { request, status, startedAt } = answered;
    if (!(request instanceof Request)) return;
    this.forget(answered as Exchange);
    const now = performance.now();
    const key = keyOf(answered as Exchange);
    let stats = this.routes.get(key);
    if (stats === undefined)
      this.routes.set(key, (stats = new RouteStats(typeof key === 'string' ? key : request.label)));
    stats.add(status, startedAt, request.fuelUsed, now);
  }

  /** Returns the data that the page and `svcc top` show. */
  data(): Inspected {
    const { vm } = this;
    const { rss, external, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const routes = this.routeData();
    return {
      pid: process.pid,
      group: groupOfProcess(),
      port: this.port,
      program: this.program,
      uptime: process.uptime() * 1000,
      cpu: (user + system) / 1000,
      memory: { rss, heap: heapUsed, heapLimit: vm.host.heap().limit, external },
      threads: threadsOf(vm),
      requests: {
        total: routes.reduce((sum, route) => sum + route.total, 0),
        perSecond: routes.reduce((sum, route) => sum + route.perSecond, 0),
        underWay: this.underWay.size,
        shown: this.requestData(),
      },
      routes: routes.slice(0, MAX_ROUTES),
      otherRoutes: Math.max(0, routes.length - MAX_ROUTES),
      sockets: this.socketData(),
      resources: [...RESOURCES.of(vm).values()].flatMap((list) => list()).slice(0, MAX_RESOURCES),
    };
  }

  private routeData(): RouteData[] {
    const now = performance.now();
    const counts = new Map<object | string, number>();
    for (const exchange of this.underWay) {
      const key = keyOf(exchange);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    // List routes whose first request is under way, too.
    for (const exchange of this.underWay) {
      const { route, request } = exchange;
      if (route !== null && !this.routes.has(route)) this.routes.set(route, new RouteStats(request.label));
    }
    return [...this.routes]
      .sort(([, a], [, b]) => b.total - a.total)
      .map(([key, stats]) => stats.data(counts.get(key) ?? 0, now, this.begun));
  }

  private requestData(): RequestData[] {
    const now = performance.now();
    const shown: RequestData[] = [];
    for (const exchange of this.underWay) {
      if (shown.length === MAX_REQUESTS) break;
      const { request, startedAt, fiber } = exchange;
      shown.push({
        id: request.parts.id,
        route: request.label,
        age: now - startedAt,
        steps: request.fuelUsed,
        doing: doing(fiber),
      });
    }
    return shown;
  }

  private socketData(): Sockets {
    const routes = new Map<string, number>();
    const rooms: { name: string; members: number }[] = [];
    let [open, opened] = [0, 0];
    for (const { sockets } of this.apps) {
      open += sockets.open.size;
      opened += sockets.counts.opened;
      for (const { pattern } of sockets.routes) routes.set(pattern, routes.get(pattern) ?? 0);
      for (const pattern of sockets.open.values()) routes.set(pattern, (routes.get(pattern) ?? 0) + 1);
    }
    // Mounted applications have rooms of their own.
    for (const { sockets } of APPS.of(this.vm))
      for (const name of sockets.rooms.names) rooms.push({ name, members: sockets.rooms.members(name).size });
    return {
      open,
      opened,
      routes: [...routes].map(([route, sockets]) => ({ route, open: sockets })).slice(0, MAX_ROUTES),
      rooms: rooms.sort((a, b) => b.members - a.members).slice(0, MAX_ROOMS),
      otherRooms: Math.max(0, rooms.length - MAX_ROOMS),
    };
  }
}

/** What a request is counted for: the route that answers, or a name. */
function keyOf({ request, route }: Exchange): object | string {
  return request.hasFile ? FILES : (route ?? NO_ROUTE);
}

/** Describes what the handler of a request does. */
function doing(fiber: Fiber | null): string {
  if (fiber === null) return 'queued';
  if (fiber.finished) return 'sends its answer';
  return fiber.state === 'waiting' ? `waits for ${fiber.waitsFor}` : 'runs';
}
