/**
 * Databases: Svc against the drivers used directly from Node. `npx tsx bench/data/run.ts`; words select cases by a part
 * of their names. ROUNDS, SECONDS and ROWS (of `each`) in the environment limit what is run.
 */
import { createRequire } from 'node:module';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findPostgres, PostgresServer } from '../../test/data/postgresserver.js';
import { Server } from '../shared/server.js';
import { median, ratios } from '../shared/stats.js';
import { digits, summary, table } from '../shared/table.js';
import { load, wrkIsInstalled } from '../web/load.js';
import { postgresTables, sqliteTables } from './fill.js';
import { type Contestant, driver, type Outcome, svc } from './process.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 2);
const ROWS = Number(process.env.ROWS ?? 1_000_000);
const SELECTS = 200_000;
const INSERTS = 5_000;
/** Inserts of the driver, each with a commit of its own, which take longer. */
const COMMITS = 500;
/** Rows of the tables that are not read as a whole. */
const SMALL = 100_000;
/** Numbers that a query adds in about a second. */
const SLOW = 5_000_000;
/** Part of ROWS from which the growth of memory is measured. */
const PART = 4;

const words = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-data-'));
const isWanted = (name: string): boolean => words.length === 0 || words.some((word) => name.includes(word));

function createFile(name: string, rows: number): string {
  const Database = createRequire(import.meta.url)('libsql') as new (path: string) => {
    exec(sql: string): void;
    close(): void;
  };
  const path = join(folder, name);
  const db = new Database(path);
  for (const sql of ['pragma journal_mode=wal', ...sqliteTables(rows)]) db.exec(sql);
  db.close();
  return path;
}

interface Case {
  readonly work: string;
  readonly url: string;
  readonly count: number;
  /** Count of the driver's run, if it differs. */
  readonly other?: number;
}

/** Runs both contestants in turn. */
async function rounds({ work, url, count, other = count }: Case): Promise<{ ours: Outcome[]; theirs: Outcome[] }> {
  const out = { ours: [] as Outcome[], theirs: [] as Outcome[] };
  for (let i = 0; i < ROUNDS; i++) {
    out.theirs.push(await driver(work, url, other));
    out.ours.push(await svc(work, url, count));
  }
  return out;
}

const perSecond = (outcomes: readonly Outcome[], count: number): number[] =>
  outcomes.map(({ numbers }) => (count / numbers[0]) * 1000);

async function rateRow(name: string, goal: string, test: Case): Promise<string[]> {
  const { ours, theirs } = await rounds(test);
  const rates = perSecond(ours, test.count);
  const others = perSecond(theirs, test.other ?? test.count);
  return [name, summary(others), summary(rates), median(ratios(rates, others)).toFixed(2), goal];
}

const pauses: string[][] = [];
const rates: string[][] = [];
const memories: string[][] = [];

async function pauseRow(name: string, contestant: Contestant, test: Case): Promise<void> {
  const outcomes: Outcome[] = [];
  for (let i = 0; i < ROUNDS; i++) outcomes.push(await contestant(test.work, test.url, test.count));
  const part = (index: number): number[] => outcomes.map(({ numbers }) => numbers[index]);
  pauses.push([name, digits(median(part(0))), digits(Math.max(...part(0))), digits(median(part(1)))]);
}

async function eachRows(): Promise<void> {
  const peaks = { ours: [] as string[], theirs: [] as string[] };
  for (const rows of [ROWS / PART, ROWS]) {
    const test = { work: 'each', url: createFile(`each${rows}.db`, rows), count: rows };
    const { ours, theirs } = await rounds(test);
    peaks.ours.push(digits(median(ours.map(({ megabytes }) => megabytes))));
    peaks.theirs.push(digits(median(theirs.map(({ megabytes }) => megabytes))));
    const [fast, slow] = [perSecond(theirs, rows), perSecond(ours, rows)];
    const name = `SQLite, \`db.each\` over ${rows.toLocaleString('en')} rows, rows`;
    rates.push([name, summary(fast), summary(slow), median(ratios(slow, fast)).toFixed(2), '0.5']);
  }
  memories.push(['svc', ...peaks.ours], ['the driver', ...peaks.theirs]);
}

/** Requests per second of a route that reads one row. */
async function routeRow(name: string, url: string): Promise<void> {
  const id = 77;
  const scenario = { name, title: name, goal: 1, path: `/rows/${id}`, right: () => true };
  const once = async (args: (port: string) => readonly string[]): Promise<number> => {
    const server = await Server.start(args);
    try {
      const row = (await (await fetch(`http://127.0.0.1:${server.port}${scenario.path}`)).json()) as { name?: unknown };
      if (row.name !== `name ${id}`) throw new Error(`wrong answer: ${JSON.stringify(row)}`);
      await load(scenario, {}, server.port, 1);
      const { requests, seconds } = await load(scenario, {}, server.port, SECONDS);
      return requests / seconds;
    } finally {
      await server.stop();
    }
  };
  const theirs: number[] = [];
  const ours: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    theirs.push(await once((port) => ['bench/data/route.js', url, port]));
    ours.push(await once(() => ['dist/svcc.js', 'run', 'bench/data/route.svc', url]));
  }
  rates.push([name, summary(theirs), summary(ours), median(ratios(ours, theirs)).toFixed(2), '1.2']);
}

const skipped: string[] = [];

function canRoute(name: string): boolean {
  if (!isWanted('route')) return false;
  const hasFastify = existsSync(resolve(import.meta.dirname, '../web/node_modules/fastify'));
  if (hasFastify && wrkIsInstalled()) return true;
  skipped.push(`${name}: needs wrk and \`npm install --prefix bench/web\``);
  return false;
}

async function sqlite(): Promise<void> {
  const url = createFile('rows.db', SMALL);
  if (isWanted('select'))
    rates.push(await rateRow('SQLite, select by key', '1.2', { work: 'select', url, count: SELECTS }));
  if (isWanted('insert'))
    rates.push(
      await rateRow('SQLite, acknowledged insert', '4', { work: 'insert', url, count: INSERTS, other: COMMITS }),
    );
  if (isWanted('each')) await eachRows();
  if (isWanted('pause')) {
    await pauseRow('a query of about a second', svc, { work: 'pause-query', url, count: SLOW });
    await pauseRow(`${SMALL.toLocaleString('en')} rows`, svc, { work: 'pause-rows', url, count: SMALL });
    await pauseRow(`insert of ${SMALL.toLocaleString('en')} rows`, svc, { work: 'pause-insert', url, count: SMALL });
  }
  if (canRoute('route with SQLite')) await routeRow('a route that reads one row of SQLite, Fastify + libsql', url);
}

async function postgres(): Promise<void> {
  if (!isWanted('postgres') && !isWanted('route')) return;
  const programs = findPostgres();
  if (programs === null) return void skipped.push('PostgreSQL: not installed');
  const server = await PostgresServer.start(programs);
  try {
    const database = await server.createDatabase();
    for (const sql of postgresTables(SMALL)) await server.query(database, sql);
    const url = server.url(database);
    if (isWanted('postgres'))
      rates.push(
        await rateRow('PostgreSQL, select by key, `pg` pipelined by hand', '0.85', {
          work: 'select',
          url,
          count: SELECTS,
        }),
      );
    if (canRoute('route with PostgreSQL'))
      await routeRow('a route that reads one row of PostgreSQL, Fastify + pg', url);
  } finally {
    await server.stop();
  }
}

try {
  await sqlite();
  await postgres();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (rates.length > 0) console.log(table(['per second', 'driver', 'svc', 'svc / driver', 'goal'], rates));
if (memories.length > 0)
  console.log(`\n${table(['peak memory, MB', `${ROWS / PART} rows`, `${ROWS} rows`], memories)}`);
if (pauses.length > 0)
  console.log(`\n${table(['pause of another thread, ms', 'median', 'longest', 'work took, ms'], pauses)}`);
for (const reason of skipped) console.log(`\nSkipped: ${reason}.`);
