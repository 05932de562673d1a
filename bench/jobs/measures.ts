/** Durable jobs: Svc, and other queues, each in processes of its own. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findPostgres, PostgresServer } from '../../test/data/postgresserver.js';
import { processorSeconds } from '../shared/processor.js';

/** Jobs that run at once. */
const CONCURRENCY = 20;
/** Milliseconds after which a contestant is ended. */
const LIMIT_MS = 180_000;
const ROOT = resolve(import.meta.dirname, '../..');

/** Milliseconds to push all jobs, to work them off, and from one push to its handler; processor time of the process. */
export type Figures = [pushing: number, working: number, latency: number, processor: number];

const execute = promisify(execFile);

async function measure(args: string[], jobs: number): Promise<Figures> {
  const before = processorSeconds();
  const { stdout } = await execute(process.execPath, [...args, String(jobs), String(CONCURRENCY)], {
    cwd: ROOT,
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  }).catch((error: Error & { killed?: boolean }) => {
    throw error.killed === true ? new Error(`${args.join(' ')} did not end within ${LIMIT_MS / 1000} s`) : error;
  });
  const [pushing, working, latency] = JSON.parse(stdout.trim().split('\n').at(-1) as string) as number[];
  return [pushing, working, latency, (processorSeconds() - before) * 1000];
}

const svc = (url: string, jobs: number): Promise<Figures> =>
  measure(['dist/svcc.js', 'run', 'bench/jobs/work.svc', url], jobs);
const peer = (name: string, url: string, jobs: number): Promise<Figures> =>
  measure(['bench/jobs/peers.js', name, url], jobs);

/** Titles of the other queues, by their names for `peers.js`. */
const PEERS = { graphile: 'graphile-worker', pgboss: 'pg-boss', hand: '`pg` by hand' };

/** Jobs per second of the rounds. @param index 0: pushed, 1: worked off */
export const perSecond = (figures: readonly Figures[], index: 0 | 1, jobs: number): number[] =>
  figures.map((all) => (jobs / all[index]) * 1000);

export async function onSqlite(jobs: number, rounds: number): Promise<Figures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-jobs-'));
  const figures: Figures[] = [];
  try {
    for (let i = 0; i < rounds; i++) figures.push(await svc(join(folder, `${i}.db`), jobs));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return figures;
}

/** Svc and the installed peers, by their titles, in turns. Null without PostgreSQL. */
export async function onPostgres(
  jobs: number,
  rounds: number,
): Promise<{ own: Figures[]; peers: Map<string, Figures[]> } | null> {
  const programs = findPostgres();
  if (programs === null) {
    console.log('Skipped: PostgreSQL is not installed.\n');
    return null;
  }
  const hasPeers = existsSync(join(import.meta.dirname, 'node_modules/graphile-worker'));
  if (!hasPeers) console.log('Skipped: other queues need `npm install --prefix bench/jobs`.\n');
  const server = await PostgresServer.start(programs);
  const own: Figures[] = [];
  const peers = new Map<string, Figures[]>(hasPeers ? Object.values(PEERS).map((title) => [title, []]) : []);
  try {
    for (let i = 0; i < rounds; i++) {
      own.push(await svc(server.url(await server.createDatabase()), jobs));
      for (const [name, title] of Object.entries(PEERS))
        if (hasPeers)
          peers
            .get(title)
            ?.push(await peer(name, server.url(await server.createDatabase(), { query: '?sslmode=disable' }), jobs));
    }
  } finally {
    await server.stop();
  }
  return { own, peers };
}
