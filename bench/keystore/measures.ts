/** Reads of key stores over Redis, and the hand-over of a lock between two processes. */
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { processorSeconds } from '../shared/processor.js';

const ROOT = resolve(import.meta.dirname, '../..');
/** Blocks that each of two processes runs with the lock. */
const HOLDS = 50;
/** Reads of a run whose processor time is that of the start. */
const FEW = 100;

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

/** Reads per second of 100 threads, and microseconds of processor time for each, without the start of the process. */
export interface Reads {
  readonly perSecond: number;
  readonly processor: number;
}

async function measured(run: (count: number) => Promise<number[]>, count: number): Promise<Reads> {
  const [start, before] = [processorSeconds(), await run(FEW).then(processorSeconds)];
  const [ms] = await run(count);
  const seconds = processorSeconds() - before - (before - start);
  return { perSecond: (count / ms) * 1000, processor: (seconds * 1e6) / count };
}

/** Reads with `store.get`, and with ioredis, in turns. */
export async function reads(url: string, count: number, rounds: number): Promise<{ own: Reads[]; byHand: Reads[] }> {
  const worker = join(import.meta.dirname, 'worker.ts');
  const [own, byHand]: [Reads[], Reads[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    byHand.push(await measured((n) => run('--import', 'tsx', worker, url, String(n)), count));
    own.push(await measured((n) => work('get', url, n), count));
  }
  return { own, byHand };
}

/** Milliseconds from the end of one process's block to the beginning of the other's. */
export async function handOvers(url: string): Promise<number[]> {
  const blocks = await Promise.all([work('lock', url, HOLDS), work('lock', url, HOLDS)]);
  const holds = blocks.flatMap((numbers, owner) =>
    Array.from({ length: numbers.length / 2 }, (_, i) => ({ owner, began: numbers[2 * i], ended: numbers[2 * i + 1] })),
  );
  holds.sort((a, b) => a.began - b.began);
  return holds.slice(1).flatMap(({ owner, began }, i) => (owner === holds[i].owner ? [] : [began - holds[i].ended]));
}
