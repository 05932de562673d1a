/** Processes that run jobs, and reads of their tables from outside. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type t from 'tap';
import { Cancellation, type Driver, type SqlValue } from '../../natives/data/driver.js';
import { openPostgres } from '../../natives/data/postgres/index.js';
import { openSqlite } from '../../natives/data/sqlite/index.js';
import { findPostgres, PostgresServer } from '../data/postgresserver.js';
import { until } from '../patience.js';
import { Svcc } from '../svcc/svcc.js';

export type Test = typeof t;

/** A table in which jobs note that they ran. */
export const EFFECTS = {
  sqlite: 'CREATE TABLE effects (id INTEGER PRIMARY KEY, n INTEGER, worker TEXT)',
  postgres: 'CREATE TABLE effects (id serial PRIMARY KEY, n int8, worker text)',
};

const OPTIONS = { readonly: false, pool: 4, timeout: 30, durable: false };

/** A database with the processes of one test, which end with it. */
export class Site {
  private readonly processes: Svcc[] = [];
  private constructor(
    t: Test,
    readonly folder: string,
    readonly url: string,
    private readonly driver: Driver,
    readonly server: PostgresServer | null,
  ) {
    t.teardown(async () => {
      for (const { child } of this.processes) child.kill('SIGKILL');
      await Promise.all(this.processes.map(({ ended }) => ended));
      await driver.close();
    });
  }

  static async sqlite(t: Test): Promise<Site> {
    const folder = t.testdir({});
    const path = join(folder, 'jobs.db');
    return new Site(t, folder, path, await openSqlite(path, OPTIONS), null);
  }

  static async postgres(t: Test, server: PostgresServer): Promise<Site> {
    const url = server.url(await server.createDatabase());
    return new Site(t, t.testdir({}), url, openPostgres(url, OPTIONS), server);
  }

  /** Starts a program on the database; `args` come before its path. */
  start(name: string, source: string, args: string[] = [], env: Record<string, string> = {}): Svcc {
    const path = join(this.folder, `${name}.svc`);
    writeFileSync(path, `db = database(env("DATABASE_URL"))\njobs = job_queue(db, drain_seconds: 2)\n${source}`);
    const svcc = new Svcc(['run', ...args, path], { env: { DATABASE_URL: this.url, ...env } });
    this.processes.push(svcc);
    return svcc;
  }

  get engine(): Driver['engine'] {
    return this.driver.engine;
  }

  /** Waits until no job is left but dead ones. */
  async runsOut(): Promise<void> {
    await until('the end of all jobs', async () => {
      return (await this.value("SELECT count(*) FROM svc_jobs WHERE state <> 'dead'")) === 0;
    });
  }

  async exec(sql: string): Promise<void> {
    await this.driver.script(sql, new Cancellation());
  }

  /** The rows of a statement; bigints are numbers. */
  async rows(sql: string): Promise<(string | number | null)[][]> {
    const { pieces } = await this.driver.run({ sql, params: [] }, new Cancellation());
    const plain = (value: SqlValue): string | number | null =>
      typeof value === 'bigint' ? Number(value) : (value as string | number | null);
    return pieces.flat().map((row) => row.map(plain));
  }

  /** The first value of a statement. */
  async value(sql: string): Promise<string | number | null> {
    return (await this.rows(sql))[0][0];
  }

  /** Waits until a statement's first value is at least `least`. */
  async reaches(what: string, sql: string, least: number): Promise<void> {
    await until(what, async () => Number(await this.value(sql)) >= least);
  }
}

/** Text of a program that pushes jobs "note". */
export const push = (...data: number[]): string => `${JSON.stringify(data)}.each { |n| jobs.push("note", n) }`;

/** What jobs noted, in order. */
export async function notes(site: Site): Promise<unknown[]> {
  return (await site.rows('SELECT n, worker FROM effects ORDER BY id')).map(([n, text]) => `${n} ${text}`);
}

/** Runs a test on SQLite, and on PostgreSQL where it is installed; both at once. */
export function onBoth(t: Test, run: (t: Test, site: Site) => Promise<void>): void {
  t.jobs = 2;
  void t.test('SQLite', { buffered: true }, async (t) => run(t as Test, await Site.sqlite(t as Test)));
  const programs = findPostgres();
  void t.test('PostgreSQL', { skip: programs === null && 'PostgreSQL is not installed', buffered: true }, async (t) => {
    const server = await PostgresServer.start(programs as string);
    t.teardown(() => server.stop());
    await run(t as Test, await Site.postgres(t as Test, server));
  });
}
