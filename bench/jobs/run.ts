/**
 * Durable jobs: Svc on SQLite and PostgreSQL beside graphile-worker, pg-boss and statements of `pg` by hand.
 * `npx tsx bench/jobs/run.ts`. ROUNDS and JOBS in the environment limit what is run.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findPostgres, PostgresServer } from '../../test/data/postgresserver.js';
import { median, ratios } from '../shared/stats.js';
import { digits, summary, table } from '../shared/table.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const JOBS = Number(process.env.JOBS ?? 10_000);
/** Jobs that run at once. */
const CONCURRENCY = 20;
/** Milliseconds after which a contestant is ended. */
const LIMIT_MS = 180_000;
const ROOT = resolve(import.meta.dirname, '../..');

/** Milliseconds to push all jobs, to work them off, and from one push to its handler. */
type Figures = [pushing: number, working: number, latency: number];

const execute = promisify(execFile);

async function measure(args: string[]): Promise<Figures> {
  const { stdout } = await execute(process.execPath, [...args, String(JOBS), String(CONCURRENCY)], {
    cwd: ROOT,
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) as string) as Figures;
}

const svc = (url: string): Promise<Figures> => measure(['dist/svcc.js', 'run', 'bench/jobs/work.svc', url]);
const peer = (name: string, url: string): Promise<Figures> => measure(['bench/jobs/peers.js', name, url]);

const rows: string[][] = [];
const rate = (figures: readonly Figures[], index: 0 | 1): number[] => figures.map((all) => (JOBS / all[index]) * 1000);

function addRow(name: string, figures: readonly Figures[], ours: readonly Figures[], goal: string): void {
  const working = rate(figures, 1);
  const ratio = ours === figures ? '–' : median(ratios(rate(ours, 1), working)).toFixed(2);
  const latency = digits(median(figures.map(([, , ms]) => ms)));
  rows.push([name, summary(rate(figures, 0)), summary(working), ratio, goal, latency]);
}

async function sqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-jobs-'));
  const figures: Figures[] = [];
  try {
    for (let i = 0; i < ROUNDS; i++) figures.push(await svc(join(folder, `${i}.db`)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  addRow('svc, SQLite', figures, figures, '≥ 5,000/s');
}

async function postgres(): Promise<void> {
  const programs = findPostgres();
  if (programs === null) return void console.log('Skipped: PostgreSQL is not installed.\n');
  const hasPeers = existsSync(join(import.meta.dirname, 'node_modules/graphile-worker'));
  if (!hasPeers) console.log('Skipped: other queues need `npm install --prefix bench/jobs`.\n');
  const peers = hasPeers ? ['graphile', 'pgboss', 'hand'] : [];
  const server = await PostgresServer.start(programs);
  const ours: Figures[] = [];
  const theirs = new Map<string, Figures[]>(peers.map((name) => [name, []]));
  try {
    for (let i = 0; i < ROUNDS; i++) {
      ours.push(await svc(server.url(await server.createDatabase())));
      for (const [name, figures] of theirs)
        figures.push(await peer(name, server.url(await server.createDatabase(), { query: '?sslmode=disable' })));
    }
  } finally {
    await server.stop();
  }
  addRow('svc, PostgreSQL', ours, ours, '');
  const titles: Record<string, string> = { graphile: 'graphile-worker', pgboss: 'pg-boss', hand: '`pg` by hand' };
  for (const [name, figures] of theirs) addRow(titles[name], figures, ours, name === 'hand' ? '' : '≥ 1');
}

await sqlite();
await postgres();
console.log(table(['per second', 'pushed', 'worked off', 'svc / this', 'goal of svc', 'push to handler, ms'], rows));
