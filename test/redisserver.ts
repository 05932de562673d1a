import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './freeport.js';
import { until } from './patience.js';

const PROGRAMS = ['redis-server', 'valkey-server'];

/** Ends the server and removes its folder when the test process has ended, however that happened. */
const WATCH = 'cat >/dev/null; kill -9 "$(cat "$1/pid")" 2>/dev/null; rm -rf "$1"';

/** Why tests that need a server are skipped. */
export const NO_REDIS = 'redis-server is not installed (Debian: redis-server)';

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Path of the program of a Redis or Valkey server; null if there is none. */
export function findRedis(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program)));
  return paths.find(isProgram) ?? null;
}

/** A server of its own on a free port of 127.0.0.1. It keeps nothing on the disk: a restart loses all keys. */
export class RedisServer {
  private child: ChildProcess | null = null;

  private constructor(
    private readonly program: string,
    private readonly folder: string,
    readonly port: number,
    private readonly password: string | null,
    private readonly watcher: ChildProcess,
  ) {}

  /** Starts a server that accepts connections; with a password, only those that send it. */
  static async start(program: string, password: string | null = null): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-redis-'));
    const watcher = spawn('sh', ['-c', WATCH, 'sh', folder], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
    });
    const server = new RedisServer(program, folder, await freePort(), password, watcher);
    await server.launch();
    watcher.unref();
    (watcher.stdin as unknown as { unref(): void }).unref();
    return server;
  }

  /** URL of a numbered database of the server. */
  url(database = 0): string {
    const user = this.password === null ? '' : `:${encodeURIComponent(this.password)}@`;
    return `redis://${user}127.0.0.1:${this.port}/${database}`;
  }

  /** Runs a command on a connection of its own, without the code under test. */
  async command(name: string, ...args: (string | number)[]): Promise<unknown> {
    const client = new Redis(this.url(), { retryStrategy: () => null, lazyConnect: true });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  /** Starts the server again on the same port, after `kill`. */
  async launch(): Promise<void> {
    const { folder, port } = this;
    const secret = this.password === null ? [] : ['--requirepass', this.password];
    const child = spawn(
      this.program,
      [
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--pidfile', join(folder, 'pid')],
        ...['--save', '', '--appendonly', 'no', '--daemonize', 'no', ...secret],
      ],
      { stdio: 'ignore', detached: true },
    );
    child.unref();
    this.child = child;
    await until('the Redis server', () => this.command('PING').catch(() => null));
  }

  /** Ends the server at once, as a crash would. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const isGone = once(child, 'exit');
    child.ref();
    child.kill('SIGKILL');
    await isGone;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.launch();
  }

  /** Stops the server's process: connections stay open, and nothing is answered until `resume`. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Ends the server and removes its folder. */
  async stop(): Promise<void> {
    await this.kill();
    const isGone = once(this.watcher, 'exit');
    this.watcher.ref();
    this.watcher.stdin?.end();
    await isGone;
  }
}
