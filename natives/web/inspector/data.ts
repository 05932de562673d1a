import type { Resource } from '../../core/resources.js';
import type { LatencyCounts } from './latencies.js';

/** The data of one process that the inspector shows, sent as JSON. Times are in milliseconds, sizes in bytes. */
export interface Inspected {
  pid: number;
  /** The process that started this one with `--workers`; otherwise its own number. */
  group: number;
  port: number;
  /** The file that called `app.inspect`. */
  program: string;
  uptime: number;
  /** Processor time used since the start. */
  cpu: number;
  memory: { rss: number; heap: number; heapLimit: number; external: number };
  threads: Threads;
  requests: Requests;
  routes: RouteData[];
  otherRoutes: number;
  sockets: Sockets;
  resources: Resource[];
}

/** A thread. `steps` is the number of its function calls and loop iterations. */
export interface ThreadData {
  id: number;
  /** The route of its request, or what started it. */
  label: string;
  state: string;
  waitsFor: string;
  /** How long it has been waiting; 0 if it is not. */
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
  /** Threads that are not waiting, then the oldest ones. */
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
  /** The oldest requests under way. */
  shown: RequestData[];
}

export interface RouteData {
  route: string;
  total: number;
  /** Responses with a status from 499: server errors, and clients that disconnected before the response. */
  failed: number;
  perSecond: number;
  underWay: number;
  p50: number;
  p99: number;
  latencies: LatencyCounts;
  /** Steps of all its requests before their responses; the most steps of one request. */
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
