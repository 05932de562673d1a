import type { Resource } from '../../core/resources.js';
import type { LatencyCounts } from './latencies.js';

/** What the inspector shows of one process, as JSON. Times are in milliseconds, sizes in bytes. */
export interface Inspected {
  pid: number;
  /** The process that started this one with `--workers`; otherwise its own number. */
  group: number;
  port: number;
  /** The file that called `app.inspect`. */
  program: string;
  uptime: number;
  /** Processor time. */
  cpu: number;
  memory: { rss: number; heap: number; heapLimit: number; external: number };
  threads: Threads;
  requests: Requests;
  routes: RouteData[];
  otherRoutes: number;
  sockets: Sockets;
  resources: Resource[];
}

/** A thread. `steps` counts the calls of functions and iterations of loops that it has run. */
export interface ThreadData {
  id: number;
  /** The route that it works for, or what started it. */
  label: string;
  state: string;
  waitsFor: string;
  /** How long it has waited; 0 for others. */
  waited: number;
  age: number;
  steps: number;
  /** `file:line in function`, innermost first. */
  stack: string[];
}

export interface Threads {
  total: number;
  limit: number;
  ready: number;
  waiting: number;
  started: number;
  /** Threads by what they wait for, most first. */
  waits: { what: string; count: number }[];
  /** Those that run, then the oldest. */
  shown: ThreadData[];
}

export interface RequestData {
  id: string;
  route: string;
  age: number;
  steps: number;
  /** What its handler does, such as `waits for sleep`. */
  doing: string;
}

export interface Requests {
  /** Requests answered. */
  total: number;
  perSecond: number;
  underWay: number;
  /** The oldest ones that are under way. */
  shown: RequestData[];
}

export interface RouteData {
  route: string;
  total: number;
  /** Answers with a status from 500, and clients that left before their answer. */
  failed: number;
  perSecond: number;
  underWay: number;
  p50: number;
  p99: number;
  latencies: LatencyCounts;
  /** Steps of all its requests until their answers, and of the one with most. */
  steps: number;
  mostSteps: number;
}

export interface Sockets {
  open: number;
  opened: number;
  routes: { route: string; open: number }[];
  rooms: { name: string; members: number }[];
  otherRooms: number;
}
