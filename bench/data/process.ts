/** Contestants, each run in a process of its own. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
/** Milliseconds between two looks at the memory of a process. */
const LOOK_MS = 20;

export interface Outcome {
  /** The numbers that the process printed. */
  readonly numbers: readonly number[];
  /** Largest resident memory that was seen, in MB; NaN without /proc. */
  readonly megabytes: number;
}

function memory(pid: number | undefined): number {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return NaN;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'utf8'))?.[1] ?? NaN) / 1024;
}

/** Runs node to its end. */
async function run(args: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  let megabytes = NaN;
  child.stdout.setEncoding('utf8').on('data', (data: string) => (text += data));
  const look = setInterval(() => (megabytes = memory(child.pid) || megabytes), LOOK_MS);
  const status = await new Promise<number | null>((done) => child.once('close', done));
  clearInterval(look);
  const numbers = text.trim().split(/\s+/).map(Number);
  if (status !== 0 || numbers.some(Number.isNaN)) throw new Error(`${args.join(' ')} failed: ${status} ${text}`);
  return { numbers, megabytes };
}

export type Contestant = (work: string, url: string, count: number) => Promise<Outcome>;

export const svc: Contestant = (work, url, count) =>
  run(['dist/svcc.js', 'run', join(import.meta.dirname, 'work.svc'), work, url, String(count)]);

export const driver: Contestant = (work, url, count) =>
  run(['--import', 'tsx', join(import.meta.dirname, 'worker.ts'), work, url, String(count)]);
