/** Two hosts behind HAProxy, with PostgreSQL and Redis: groups of processes that have nothing in common but addresses. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Test } from 'tap';
import { findPostgres, PostgresServer } from '../data/postgresserver.js';
import { freePort } from '../freeport.js';
import { until } from '../patience.js';
import { findRedis, NO_REDIS, RedisServer } from '../redisserver.js';
import { ROOT, Svcc } from '../svcc/svcc.js';

const EXAMPLE = join(ROOT, 'examples/scaled');

/** Why the tests cannot run here; false if they can. */
export function missing(): string | false {
  if (process.platform !== 'linux') return 'needs /proc';
  if (findPostgres() === null) return 'PostgreSQL is not installed (Debian: postgresql)';
  if (findRedis() === null) return NO_REDIS;
  return spawnSync('haproxy', ['-v']).error === undefined ? false : 'haproxy is not installed (Debian: haproxy)';
}

/** An answer, or null if the connection was refused or broke. */
export type Answer = { status: number; body: string; cookie: string } | null;

/** A group of processes on a port of its own. */
export class Host {
  private server: Svcc | null = null;

  constructor(
    readonly name: string,
    readonly port: number,
    private readonly env: Record<string, string>,
  ) {}

  /** Starts two workers. Resolves when they answer. */
  async start(): Promise<void> {
    const args = [
      'run',
      '--workers',
      '2',
      '--host',
      '127.0.0.1',
      '--port',
      String(this.port),
      join(EXAMPLE, 'app.svc'),
    ];
    const server = new Svcc(args, { env: { ...this.env, HOST_NAME: this.name } });
    this.server = server;
    await server.port();
    await until(`two workers of ${this.name}`, () => this.workers().length === 2);
    await until(`answers of ${this.name}`, async () => (await send(this.port, 'GET', '/host'))?.status === 200);
  }

  /** Process numbers of the workers. */
  workers(): number[] {
    const pid = this.server?.child.pid;
    if (pid === undefined) return [];
    try {
      return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  }

  /** What the processes have written to stderr since the start. */
  get log(): string {
    return this.server?.stderr ?? '';
  }

  /** Kills all processes of the group at once, as a power failure does. */
  async kill(): Promise<void> {
    const { server } = this;
    if (server === null) return;
    const pids = this.workers();
    server.child.kill('SIGKILL');
    for (const pid of pids) killQuietly(pid);
    this.server = null;
    await server.ended;
  }

  /** Replaces the processes one by one. Resolves when all are new. */
  async roll(): Promise<void> {
    const before = this.workers();
    this.server?.child.kill('SIGHUP');
    await until(`new workers of ${this.name}`, () => {
      const now = this.workers();
      return now.length === 2 && !now.some((pid) => before.includes(pid));
    });
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Sends a request with a JSON body. */
export async function send(port: number, method: string, path: string, body?: unknown, cookie = ''): Promise<Answer> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), Cookie: cookie },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const set = response.headers.get('set-cookie') ?? '';
    return { status: response.status, body: await response.text(), cookie: set.split(';', 1)[0] };
  } catch {
    return null;
  }
}

/** The servers, and two hosts behind a proxy; all end with the test. */
export class Site {
  /** The connection of `row`, because making one takes longer than a query. */
  private client: pg.Client | null = null;

  private constructor(
    readonly hosts: readonly [Host, Host],
    readonly proxy: number,
    readonly postgres: PostgresServer,
    readonly redis: RedisServer,
    private readonly database: string,
  ) {}

  static async start(t: Test): Promise<Site> {
    const postgres = await PostgresServer.start(findPostgres() as string);
    t.teardown(() => postgres.stop());
    const redis = await RedisServer.start(findRedis() as string);
    t.teardown(() => redis.stop());
    const database = await postgres.createDatabase();
    const env = {
      DATABASE_URL: postgres.url(database),
      STORE_URL: redis.url(),
      BUS_URL: redis.url(),
      SESSION_SECRET: 'a secret that both hosts have, of 32 bytes',
    };
    const hosts: [Host, Host] = [new Host('a', await freePort(), env), new Host('b', await freePort(), env)];
    t.teardown(() => Promise.all(hosts.map((host) => host.kill())));
    await Promise.all(hosts.map((host) => host.start()));
    const site = new Site(hosts, await startProxy(t, hosts), postgres, redis, database);
    t.teardown(() => site.client?.end().catch(() => {}));
    await until('the proxy', async () => (await send(site.proxy, 'GET', '/host'))?.status === 200);
    return site;
  }

  /** The first row of a query. */
  async row(sql: string): Promise<Record<string, unknown>> {
    const client = (this.client ??= await this.connected());
    return ((await client.query(sql)).rows as Record<string, unknown>[])[0];
  }

  private async connected(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.postgres.url(this.database), ssl: false });
    // The server restarts: the next query makes a new connection.
    client.on('error', () => (this.client = null));
    await client.connect();
    return client;
  }
}

/** Starts HAProxy with the example's configuration, in which ports replace the addresses. Returns its port. */
async function startProxy(t: Test, hosts: readonly Host[]): Promise<number> {
  const port = await freePort();
  let config = readFileSync(join(EXAMPLE, 'haproxy.cfg'), 'utf8').replace('bind :8080', `bind 127.0.0.1:${port}`);
  hosts.forEach((host, i) => (config = config.replace(`10.0.0.1${i + 1}:3000`, `127.0.0.1:${host.port}`)));
  const folder = mkdtempSync(join(tmpdir(), 'svc-scale-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'haproxy.cfg'), config);
  const proxy = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
  t.teardown(() => proxy.kill('SIGKILL'));
  return port;
}
