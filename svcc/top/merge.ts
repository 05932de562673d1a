import type { Inspected, RouteData } from '../../natives/web/inspector/data.js';
import { type LatencyCounts, percentile } from '../../natives/web/inspector/latencies.js';

function sum<T>(all: readonly T[], value: (one: T) => number): number {
  return all.reduce((total, one) => total + value(one), 0);
}

/** Combines elements that have the same key. The result has the order of the first element of each key. */
function grouped<T>(all: readonly T[], key: (one: T) => string, combine: (a: T, b: T) => T): T[] {
  const found = new Map<string, T>();
  for (const one of all) {
    const before = found.get(key(one));
    found.set(key(one), before === undefined ? one : combine(before, one));
  }
  return [...found.values()];
}

function added(a: LatencyCounts, b: LatencyCounts): LatencyCounts {
  const counts = new Map(a);
  for (const [bucket, count] of b) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  return [...counts].sort(([x], [y]) => x - y);
}

function combinedRoute(a: RouteData, b: RouteData): RouteData {
  const latencies = added(a.latencies, b.latencies);
  return {
    route: a.route,
    total: a.total + b.total,
    failed: a.failed + b.failed,
    perSecond: a.perSecond + b.perSecond,
    underWay: a.underWay + b.underWay,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    latencies,
    steps: a.steps + b.steps,
    mostSteps: Math.max(a.mostSteps, b.mostSteps),
  };
}

/** Combines the data of the processes of one service. Adds the process number to threads and requests. */
export function merged(all: readonly Inspected[]): Inspected {
  const [first] = all;
  if (all.length === 1) return first;
  const named = <T>(list: (one: Inspected) => readonly T[], name: (one: T, pid: number) => T): T[] =>
    all.flatMap((one) => list(one).map((element) => name(element, one.pid)));
  return {
    ...first,
    uptime: Math.max(...all.map(({ uptime }) => uptime)),
    cpu: sum(all, ({ cpu }) => cpu),
    memory: {
      rss: sum(all, ({ memory }) => memory.rss),
      heap: sum(all, ({ memory }) => memory.heap),
      heapLimit: sum(all, ({ memory }) => memory.heapLimit),
      external: sum(all, ({ memory }) => memory.external),
    },
    threads: {
      total: sum(all, ({ threads }) => threads.total),
      limit: sum(all, ({ threads }) => threads.limit),
      ready: sum(all, ({ threads }) => threads.ready),
      waiting: sum(all, ({ threads }) => threads.waiting),
      started: sum(all, ({ threads }) => threads.started),
      waits: grouped(
        all.flatMap(({ threads }) => threads.waits),
        ({ what }) => what,
        (a, b) => ({ what: a.what, count: a.count + b.count }),
      ).sort((a, b) => b.count - a.count),
      shown: named(
        ({ threads }) => threads.shown,
        (thread, pid) => ({ ...thread, label: `${thread.label} (process ${pid})` }),
      ).sort((a, b) => Number(a.state === 'waiting') - Number(b.state === 'waiting') || b.age - a.age),
    },
    requests: {
      total: sum(all, ({ requests }) => requests.total),
      perSecond: sum(all, ({ requests }) => requests.perSecond),
      underWay: sum(all, ({ requests }) => requests.underWay),
      shown: named(
        ({ requests }) => requests.shown,
        (request, pid) => ({ ...request, doing: `${request.doing} (process ${pid})` }),
      ).sort((a, b) => b.age - a.age),
    },
    routes: grouped(
      all.flatMap(({ routes }) => routes),
      ({ route }) => route,
      combinedRoute,
    ).sort((a, b) => b.total - a.total),
    otherRoutes: Math.max(...all.map(({ otherRoutes }) => otherRoutes)),
    sockets: {
      ...first.sockets,
      open: sum(all, ({ sockets }) => sockets.open),
      opened: sum(all, ({ sockets }) => sockets.opened),
    },
    resources: grouped(
      all.flatMap(({ resources }) => resources),
      ({ name }) => name,
      (a, b) => ({
        name: a.name,
        connections: a.connections + b.connections,
        waiting: a.waiting + b.waiting,
        operations: a.operations + b.operations,
        seconds: a.seconds + b.seconds,
      }),
    ),
  };
}
