/**
 * Key stores: reads over Redis against ioredis, and the hand-over of a lock between two processes.
 * `npx tsx bench/keystore/run.ts`; ROUNDS and COUNT in the environment change how long it takes.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findPostgres, PostgresServer } from '../../test/data/postgresserver.js';
import { findRedis, NO_REDIS, RedisServer } from '../../test/redisserver.js';
import { median, quantile, ratios } from '../shared/stats.js';
import { digits, summary, table } from '../shared/table.js';

const ROOT = resolve(import.meta.dirname, '../..');
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const COUNT = Number(process.env.COUNT ?? 100_000);
/** Blocks that each of two processes runs with the lock. */
const HOLDS = 50;

/** The numbers that a process of node prints. */
async function run(...args: string[]): Promise<number[]> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (data: string) => (text += data));
  const status = await new Promise<number | null>((done) => child.once('close', done));
  const numbers = text.trim().split(/\s+/).map(Number);
  if (status !== 0 || numbers.some(Number.isNaN)) throw new Error(`${args.join(' ')} failed: ${status} ${text}`);
  return numbers;
}

const work = (name: string, url: string, count: number): Promise<number[]> =>
  run('dist/svcc.js', 'run', join(import.meta.dirname, 'work.svc'), name, url, String(count));

/** Reads per second of a run that took some milliseconds. */
const rate = ([ms]: number[]): number => (COUNT / ms) * 1000;

async function reads(url: string): Promise<string> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(rate(await run('--import', 'tsx', join(import.meta.dirname, 'worker.ts'), url, String(COUNT))));
    ours.push(rate(await work('get', url, COUNT)));
  }
  const rows = [['100 threads', summary(ours), summary(theirs), digits(median(ratios(ours, theirs)))]];
  return table(['`store.get`, reads/s', 'Svc', 'ioredis, pipelined', 'Svc / ioredis'], rows);
}

/** Milliseconds from the end of one process's block to the beginning of the other's. */
async function handOvers(url: string): Promise<number[]> {
  const blocks = await Promise.all([work('lock', url, HOLDS), work('lock', url, HOLDS)]);
  const holds = blocks.flatMap((numbers, owner) =>
    Array.from({ length: numbers.length / 2 }, (_, i) => ({ owner, began: numbers[2 * i], ended: numbers[2 * i + 1] })),
  );
  holds.sort((a, b) => a.began - b.began);
  return holds.slice(1).flatMap(({ owner, began }, i) => (owner === holds[i].owner ? [] : [began - holds[i].ended]));
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
  console.log(`## Key stores\n\n${redis === null ? NO_REDIS : await reads(redis.url())}\n`);
  console.log(await locks(urls));
} finally {
  await redis?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true });
}
