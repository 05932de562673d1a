/**
 * Effect on other requests of handlers that compute: four loops beside a probe of 100 requests per second that are sent
 * on schedule, even if earlier ones are not answered yet; thousands of threads of one request; and hundreds that wait for
 * a database, files, compression or passwords. `npx tsx bench/fairness/run.ts`; SECONDS in the environment sets the
 * duration.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, get, type ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '../shared/server.js';
import { median, quantile } from '../shared/stats.js';
import { digits, table } from '../shared/table.js';
import { pythonVersion } from '../shared/worker.js';

const SECONDS = Number(process.env.SECONDS ?? 5);
const PER_SECOND = 100;
const LOOPS = 4;

const agent = new Agent({ keepAlive: true });

/** Milliseconds until the whole response has arrived or the connection broke, and the body. */
function ask(port: number, path: string): Promise<{ ms: number; body: string }> {
  return new Promise((done) => {
    const start = performance.now();
    const broken = (): void => done({ ms: performance.now() - start, body: '' });
    get({ port, host: '127.0.0.1', path, agent }, (res) => {
      let body = '';
      res.on('data', (data: Buffer) => (body += data.toString()));
      res.on('end', () => done({ ms: performance.now() - start, body }));
    }).on('error', broken);
  });
}

/** Latencies of an open-loop probe. */
async function probe(port: number, seconds: number): Promise<number[]> {
  const answers: Promise<{ ms: number }>[] = [];
  const start = performance.now();
  for (let i = 0; i < seconds * PER_SECOND; i++) {
    await sleep(Math.max(0, start + (i * 1000) / PER_SECOND - performance.now()));
    answers.push(ask(port, '/probe'));
  }
  return (await Promise.all(answers)).map(({ ms }) => ms);
}

function startLoops(port: number, count: number): ClientRequest[] {
  return Array.from({ length: count }, (_, i) =>
    get({ port, host: '127.0.0.1', path: `/loop/${i}`, agent: false }, (res) => res.resume()).on('error', () => {}),
  );
}

async function rounds(port: number): Promise<number> {
  const { body } = await ask(port, '/rounds');
  return Object.values(JSON.parse(body) as Record<string, number>).reduce((sum, n) => sum + n, 0);
}

/** Iterations of all loops per second. */
async function throughput(port: number, during: () => Promise<unknown>): Promise<number> {
  const before = await rounds(port);
  const start = performance.now();
  await during();
  return (((await rounds(port)) - before) / (performance.now() - start)) * 1000;
}

async function timeouts(port: number): Promise<number[]> {
  const late: number[] = [];
  for (let i = 0; i < 10; i++) late.push(Number((await ask(port, '/timeout')).body) - 200);
  return late;
}

async function svc(): Promise<string[]> {
  const server = await Server.start(() => ['dist/svcc.js', 'run', 'bench/fairness/loops.svc']);
  try {
    const idle = await timeouts(server.port);
    const one = startLoops(server.port, 1);
    await sleep(1000);
    const alone = await throughput(server.port, () => sleep(SECONDS * 1000));
    one.forEach((request) => request.destroy());
    await sleep(200);
    startLoops(server.port, LOOPS);
    await sleep(1000);
    let latencies: number[] = [];
    const together = await throughput(server.port, async () => {
      latencies = await probe(server.port, SECONDS);
    });
    const busy = await timeouts(server.port);
    console.log(
      `Turns of ${LOOPS} loops beside the probe: ${((together / alone) * 100).toFixed(0)} % of one loop alone.`,
    );
    console.log(
      `timeout(0.2) around an endless loop comes ${digits(median(idle))} ms late (median) on an idle server, ${digits(median(busy))} ms (at most ${digits(Math.max(...busy))} ms) beside ${LOOPS} loops.\n`,
    );
    return row('svc, endless loops', latencies);
  } finally {
    await server.stop();
  }
}

/** Median time of a few requests, one after the other, in milliseconds. */
async function medianTime(port: number, path: string): Promise<string> {
  const taken: number[] = [];
  for (let i = 0; i < 15; i++) taken.push((await ask(port, path)).ms);
  return digits(median(taken));
}

/** Median latencies of requests on an idle server, and beside a request whose thousands of threads compute. */
async function crowd(): Promise<string[][]> {
  const server = await Server.start(() => ['dist/svcc.js', 'run', 'bench/fairness/loops.svc']);
  const medianOf = (path: string): Promise<string> => medianTime(server.port, path);
  const paths = {
    '/probe': 'a short answer',
    '/work': 'computing',
    '/tasks': 'awaiting 5 threads',
    '/sleep': 'sleeping 5 ms',
  };
  try {
    const rows: string[][] = [];
    for (const [path, name] of Object.entries(paths)) rows.push([name, await medianOf(path)]);
    get({ port: server.port, host: '127.0.0.1', path: '/crowd', agent: false }).on('error', () => {});
    await sleep(200);
    for (const [i, path] of Object.keys(paths).entries()) rows[i].push(await medianOf(path));
    return rows;
  } finally {
    await server.stop();
  }
}

/** Median latencies of requests that wait for something, alone and beside a request whose 500 threads wait for it, too. */
async function waits(kind: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  process.env.FOLDER = folder;
  const server = await Server.start(() => ['dist/svcc.js', 'run', 'bench/fairness/waits.svc']);
  try {
    const alone = await medianTime(server.port, `/one/${kind}`);
    get({ port: server.port, host: '127.0.0.1', path: `/crowd/${kind}`, agent: false }).on('error', () => {});
    await sleep(500);
    return [kind, alone, await medianTime(server.port, `/one/${kind}`), await medianTime(server.port, '/probe')];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function peer(name: string, start: (port: string) => string[], command?: string): Promise<string[]> {
  const server = await Server.start(start, command);
  try {
    await ask(server.port, '/probe');
    const running = probe(server.port, SECONDS);
    await sleep(100);
    startLoops(server.port, LOOPS);
    return row(name, await running);
  } finally {
    await server.stop();
  }
}

function row(name: string, latencies: number[]): string[] {
  return [name, digits(median(latencies)), digits(quantile(latencies, 0.99)), digits(Math.max(...latencies))];
}

const rows = [await svc(), await peer('bare node:http, 4 × 2 s', (port) => ['bench/fairness/burn.js', 'bare', port])];
if (existsSync(join(import.meta.dirname, '../web/node_modules/fastify'))) {
  for (const name of ['fastify', 'express'])
    rows.push(await peer(`${name}, 4 × 2 s`, (port) => ['bench/fairness/burn.js', name, port]));
}
if (pythonVersion() !== null)
  rows.push(await peer('Python threads, endless loops', (port) => ['bench/fairness/burn.py', port], 'python3'));
console.log(table(['probe beside 4 loops', 'p50 ms', 'p99 ms', 'max ms'], rows));
console.log(table(['a request', 'idle, ms', 'beside 3,000 threads, ms'], await crowd()));
const crowded: string[][] = [];
for (const kind of ['query', 'update', 'transaction', 'lines', 'gzip', 'password', 'http'])
  crowded.push(await waits(kind));
console.log(table(['a request', 'alone, ms', 'beside 500 of its kind, ms', 'a short answer meanwhile, ms'], crowded));
agent.destroy();
