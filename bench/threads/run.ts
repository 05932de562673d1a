/**
 * Memory of sleeping threads, time to wake them, cost of a switch, and 500 connections whose handlers wait. `npx tsx
 * bench/threads/run.ts`; THREADS in the environment sets the number.
 */
import { spawnSync } from 'node:child_process';
import { bundle } from '../shared/bundle.js';
import { Server } from '../shared/server.js';
import { median, ratios } from '../shared/stats.js';
import { digits, table } from '../shared/table.js';
import { Worker } from '../shared/worker.js';

const THREADS = Number(process.env.THREADS ?? 100_000);
const SLEEP = 10;
const SWITCHES = 100_000;
const ROUNDS = 3;

async function sleepers(worker: Worker): Promise<string[][]> {
  const { ms, result } = await worker.ask({ args: ['sleepers', String(THREADS), String(SLEEP)] });
  const { bytes } = JSON.parse(result) as { bytes: number };
  return [
    [`${THREADS} sleeping threads`, `${digits(bytes / THREADS)} bytes each`],
    ['… started, slept, woken and joined', `${digits(ms - SLEEP * 1000)} ms beside the ${SLEEP} s of sleep`],
  ];
}

async function switches(worker: Worker): Promise<string[]> {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) times.push((await worker.ask({ args: ['pingpong', String(SWITCHES)] })).ms);
  // A round trip is two messages, and each wakes the other side.
  return ['a message over a channel with its switch', `${digits((median(times) / SWITCHES / 2) * 1000)} µs`];
}

async function rate(args: (port: string) => string[]): Promise<number> {
  const server = await Server.start(args);
  try {
    const load = (seconds: number): string =>
      spawnSync('wrk', ['-t1', '-c500', `-d${seconds}s`, `http://127.0.0.1:${server.port}/`], { encoding: 'utf8' })
        .stdout;
    load(1);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(load(3))?.[1]);
  } finally {
    await server.stop();
  }
}

async function waits(): Promise<string[]> {
  const own: number[] = [];
  const bare: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    bare.push(await rate((port) => ['bench/threads/wait.js', port]));
    own.push(await rate(() => ['dist/svcc.js', 'run', 'bench/threads/wait.svc']));
  }
  return [
    '500 connections, each waiting 50 ms',
    `${digits(median(own))} requests/s, ${median(ratios(own, bare)).toFixed(2)} of bare node:http`,
  ];
}

const worker = new Worker(process.execPath, [await bundle(new URL('worker.ts', import.meta.url)), process.cwd()]);
const rows = [...(await sleepers(worker)), await switches(worker)];
worker.close();
if (spawnSync('wrk', ['--version']).error === undefined) rows.push(await waits());
console.log(table(['what', 'cost'], rows));
