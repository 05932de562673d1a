/**
 * Durable jobs: Svc on SQLite and PostgreSQL beside graphile-worker, pg-boss and statements of `pg` by hand.
 * `npx tsx bench/jobs/run.ts`. ROUNDS and JOBS in the environment limit what is run.
 */
import { median, ratios } from '../shared/stats.js';
import { digits, summary, table } from '../shared/table.js';
import { type Figures, onPostgres, onSqlite, perSecond } from './measures.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const JOBS = Number(process.env.JOBS ?? 10_000);

const rows: string[][] = [];

function addRow(name: string, figures: readonly Figures[], ours: readonly Figures[], goal: string): void {
  const working = perSecond(figures, 1, JOBS);
  const ratio = ours === figures ? '–' : median(ratios(perSecond(ours, 1, JOBS), working)).toFixed(2);
  const latency = digits(median(figures.map(([, , ms]) => ms)));
  rows.push([name, summary(perSecond(figures, 0, JOBS)), summary(working), ratio, goal, latency]);
}

const sqlite = await onSqlite(JOBS, ROUNDS);
addRow('svc, SQLite', sqlite, sqlite, '≥ 5,000/s');
const postgres = await onPostgres(JOBS, ROUNDS);
if (postgres !== null) {
  addRow('svc, PostgreSQL', postgres.own, postgres.own, '');
  for (const [title, figures] of postgres.peers)
    addRow(title, figures, postgres.own, title.includes('hand') ? '' : '≥ 1');
}
console.log(table(['per second', 'pushed', 'worked off', 'svc / this', 'goal of svc', 'push to handler, ms'], rows));
