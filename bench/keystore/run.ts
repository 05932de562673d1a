/**
 * Key stores: reads over Redis against ioredis, and the hand-over of a lock between two processes.
 * `npx tsx bench/keystore/run.ts`; ROUNDS and COUNT in the environment change how long it takes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres, PostgresServer } from '../../test/data/postgresserver.js';
import { findRedis, NO_REDIS, RedisServer } from '../../test/redisserver.js';
import { median, quantile, ratios } from '../shared/stats.js';
import { digits, summary, table } from '../shared/table.js';
import { handOvers, reads, type Reads } from './measures.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const COUNT = Number(process.env.COUNT ?? 100_000);

async function ofReads(url: string): Promise<string> {
  const { own, byHand } = await reads(url, COUNT, ROUNDS);
  const of = (list: readonly Reads[], part: keyof Reads): number[] => list.map((entry) => entry[part]);
  const [ours, theirs] = [of(own, 'perSecond'), of(byHand, 'perSecond')];
  const processor = ratios(of(byHand, 'processor'), of(own, 'processor'));
  const rows = [
    ['100 threads', summary(ours), summary(theirs), digits(median(ratios(ours, theirs))), digits(median(processor))],
  ];
  return table(['`store.get`, reads/s', 'Svc', 'ioredis, pipelined', 'Svc / ioredis', 'by processor time'], rows);
}

async function locks(urls: ReadonlyMap<string, string>): Promise<string> {
  const rows: string[][] = [];
  for (const [name, url] of urls) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(...(await handOvers(url)));
    const mean = times.reduce((a, b) => a + b, 0) / times.length;
    rows.push([name, digits(median(times)), digits(mean), digits(quantile(times, 0.95)), String(times.length)]);
  }
  return table(['lock, ms from one process to another (clock: 1 ms)', 'median', 'mean', '95 %', 'hand-overs'], rows);
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-keystore-'));
const urls = new Map([['SQLite', `sqlite:${join(folder, 'store.db')}`]]);
const program = findRedis();
const redis = program === null ? null : await RedisServer.start(program);
const programs = findPostgres();
const postgres = programs === null ? null : await PostgresServer.start(programs);
if (postgres !== null) urls.set('PostgreSQL', postgres.url(await postgres.createDatabase()));
if (redis !== null) urls.set('Redis', redis.url());
try {
  console.log(`## Key stores\n\n${redis === null ? NO_REDIS : await ofReads(redis.url())}\n`);
  console.log(await locks(urls));
} finally {
  await redis?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true });
}
