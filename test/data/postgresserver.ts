import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { once } from 'node:events';
import pg from 'pg';
import { freePort } from '../freeport.js';
import { until } from '../patience.js';

const USER = 'svc';
const PASSWORD = 'p@ss/w:rd';

/** Where Debian puts the programs of each version. */
const DEBIAN = '/usr/lib/postgresql';

/** Users that may run the server when the tests run as root, which PostgreSQL refuses. */
const ORDINARY_USERS = ['postgres', 'nobody'];

/** Stops the server and removes its folder when the test process has ended, however that happened. */
const WATCH = 'cat >/dev/null; "$1/pg_ctl" -D "$2/data" -m immediate stop >/dev/null 2>&1; rm -rf "$2"';

/** Folder of PostgreSQL's programs; null if they are not installed. */
export function findPostgres(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  const programs = ['initdb', 'pg_ctl', 'postgres'];
  return folders.find((folder) => programs.every((program) => existsSync(join(folder, program)))) ?? null;
}

interface Owner {
  uid?: number;
  gid?: number;
}

/** The user that runs the server: this one, or an ordinary one instead of root. */
async function owner(): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ORDINARY_USERS) {
    const found = users.find(([user]) => user === name);
    if (found !== undefined) return { uid: Number(found[2]), gid: Number(found[3]) };
  }
  throw new Error(`none of the users ${ORDINARY_USERS.join(', ')} exists to run PostgreSQL`);
}

/** A server of its own in a temporary folder. */
export class PostgresServer {
  private databases = 0;

  private constructor(
    private readonly programs: string,
    readonly folder: string,
    readonly port: number,
    private readonly user: Owner,
    private readonly watcher: ChildProcess,
    private readonly env: Record<string, string>,
  ) {}

  /** Starts a server that accepts connections on a free port and a Unix socket. @param env is added to its environment */
  static async start(programs: string, env: Record<string, string> = {}): Promise<PostgresServer> {
    const user = await owner();
    const folder = await mkdtemp(join(tmpdir(), 'svc-pg-'));
    await writeFile(join(folder, 'password'), PASSWORD);
    if (user.uid !== undefined) {
      for (const path of [folder, join(folder, 'password')]) await chown(path, user.uid, user.gid as number);
    }
    const watcher = spawn('sh', ['-c', WATCH, 'sh', programs, folder], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
      ...user,
    });
    const server = new PostgresServer(programs, folder, await freePort(), user, watcher, env);
    await server.init();
    await server.launch();
    watcher.unref();
    (watcher.stdin as unknown as { unref(): void }).unref();
    return server;
  }

  /** URL of a database. @param host a name, or the percent-encoded folder of a Unix socket */
  url(database: string, { host = '127.0.0.1', port = this.port, password = PASSWORD, query = '' } = {}): string {
    return `postgres://${USER}:${encodeURIComponent(password)}@${host}:${port}/${database}${query}`;
  }

  /** Creates a database. Returns its name. */
  async createDatabase(): Promise<string> {
    const name = `test${++this.databases}`;
    // A backend that a test has killed makes the server restart its other ones.
    await until('the server', () => this.query('postgres', `CREATE DATABASE ${name}`).catch(() => null));
    return name;
  }

  /** Runs a statement on a connection of its own, without the driver under test. */
  async query(database: string, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url(database), ssl: false });
    await client.connect();
    try {
      return (await client.query(sql, values)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  async restart(mode: 'fast' | 'immediate'): Promise<void> {
    await this.control('restart', '-m', mode);
  }

  /** Ends the server at once, as a crash would; `launch` starts it again. */
  async halt(): Promise<void> {
    await this.control('stop', '-m', 'immediate');
  }

  /** Starts a server without data on the same port, after `halt`. */
  async replace(): Promise<void> {
    await rm(join(this.folder, 'data'), { recursive: true });
    await this.init();
    await this.launch();
  }

  /** Starts the server again on the same port. */
  async launch(): Promise<void> {
    const options = `-p ${this.port} -k ${this.folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
    await this.control('start', '-o', options, '-l', join(this.folder, 'log'));
  }

  async stop(): Promise<void> {
    const isGone = once(this.watcher, 'exit');
    this.watcher.ref();
    this.watcher.stdin?.end();
    await isGone;
  }

  /** Restarts with a certificate. @param cert @param key paths of their files */
  async useTls(cert: string, key: string): Promise<void> {
    const data = join(this.folder, 'data');
    for (const [from, name] of [
      [cert, 'server.crt'],
      [key, 'server.key'],
    ]) {
      const path = join(data, name);
      await copyFile(from, path);
      await chmod(path, 0o600);
      if (this.user.uid !== undefined) await chown(path, this.user.uid, this.user.gid as number);
    }
    await writeFile(join(data, 'postgresql.auto.conf'), 'ssl = on\n');
    await this.restart('fast');
  }

  private init(): Promise<void> {
    const { folder } = this;
    return this.run('initdb', [
      ...['-D', join(folder, 'data'), '-U', USER, '--pwfile', join(folder, 'password'), '--encoding=UTF8'],
      ...['--locale=C', '--auth=scram-sha-256', '--no-sync'],
    ]);
  }

  private control(action: string, ...args: string[]): Promise<void> {
    return this.run('pg_ctl', [action, '-w', '-s', '-D', join(this.folder, 'data'), ...args]);
  }

  private async run(program: string, args: string[]): Promise<void> {
    const child = spawn(join(this.programs, program), args, {
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...this.env },
      ...this.user,
    });
    // The server that pg_ctl starts inherits the pipe, so that only the exit of pg_ctl tells its end.
    const texts: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => texts.push(text));
    const [code] = (await once(child, 'exit')) as [number | null];
    child.stderr.destroy();
    if (code !== 0) throw new Error(`${program} ${args[0]} failed: ${texts.join('')}`);
  }
}
