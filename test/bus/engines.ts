/** The servers that messages travel over, for tests. */
import { Bus } from '../../natives/bus/bus.js';
import type { BusDriver, BusEvents, BusOptions } from '../../natives/bus/driver.js';
import { PostgresBus, targetOf } from '../../natives/bus/postgres.js';
import { RedisBus } from '../../natives/bus/redis.js';
import { findPostgres, PostgresServer } from '../data/postgresserver.js';
import { findRedis, NO_REDIS, RedisServer } from '../redisserver.js';

/** A server that a test can restart. */
export interface Engine {
  readonly port: number;
  /** The address of a bus. @param port of a proxy, if not that of the server */
  url(port?: number): string;
  /** Restarts the server; what it holds may be lost. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** How an engine is started, or why it cannot be. */
export interface EngineKind {
  readonly name: string;
  readonly start: (() => Promise<Engine>) | null;
  readonly missing: string;
}

async function startRedis(program: string): Promise<Engine> {
  const server = await RedisServer.start(program, 'p@ss');
  return {
    port: server.port,
    url: (port = server.port) => server.url().replace(`:${server.port}/`, `:${port}/`),
    restart: () => server.restart(),
    stop: () => server.stop(),
  };
}

async function startPostgres(programs: string): Promise<Engine> {
  const server = await PostgresServer.start(programs);
  const database = await server.createDatabase();
  return {
    port: server.port,
    url: (port = server.port) => server.url(database).replace(`:${server.port}/`, `:${port}/`),
    restart: () => server.restart('immediate'),
    stop: () => server.stop(),
  };
}

const redis = findRedis();
const postgres = findPostgres();

export const ENGINES: readonly EngineKind[] = [
  { name: 'Redis', start: redis === null ? null : () => startRedis(redis), missing: NO_REDIS },
  {
    name: 'PostgreSQL',
    start: postgres === null ? null : () => startPostgres(postgres),
    missing: 'initdb, pg_ctl and postgres are not installed (Debian: postgresql)',
  },
];

let origins = 0;

/** A process on a bus, with what it has been told. */
export class Process {
  readonly lines: string[] = [];
  readonly gaps: number[] = [];
  readonly got: string[] = [];
  readonly bus: Bus;

  constructor(url: string, prefix = 'svc') {
    const options: BusOptions = {
      origin: `process-${String(origins++).padStart(4, '0')}`,
      prefix,
      defer: setImmediate,
      whenTaken: (then) => then(),
    };
    this.bus = new Bus('test', options.origin, (events) => driverOf(url, options, events), (line) => this.lines.push(line), () => performance.now()); // prettier-ignore
    this.bus.onGap((seconds) => this.gaps.push(seconds));
  }

  /** Records the messages to a topic. Resolves when they arrive. */
  async subscribe(topic: string): Promise<() => void> {
    const { ready, stop } = this.bus.listen(topic, (payload) => this.got.push(payload));
    await ready;
    return stop;
  }
}

function driverOf(url: string, options: BusOptions, events: BusEvents): BusDriver {
  if (url.startsWith('redis')) return new RedisBus(url, options, events);
  const target = targetOf(url);
  if (typeof target === 'string') throw new Error(target);
  return new PostgresBus(target, options, events);
}
