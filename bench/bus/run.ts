/**
 * Messages per second from one process to another: over the first process of `--workers`, over Redis and over
 * PostgreSQL, beside ioredis and pg used by hand in the same run. `npx tsx bench/bus/run.ts`; ROUNDS and MESSAGES in the
 * environment limit what is run. Servers that are not installed are left out.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { Redis } from 'ioredis';
import pg from 'pg';
import { BusService } from '../../natives/bus/clusterservice.js';
import { Services } from '../../natives/cluster/services.js';
import { type Engine, ENGINES, Process } from '../../test/bus/engines.js';
import { median } from '../shared/stats.js';
import { digits, table } from '../shared/table.js';
import { TEXT } from './text.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const MESSAGES = Number(process.env.MESSAGES ?? 20_000);
/** Senders at the same time: each sends its next message when the last is on its way, or answered. */
const SENDERS = 100;

/** Calls `send` from SENDERS loops; resolves with messages per second when `MESSAGES` have been received. */
async function rate(count: number, onReceived: (callback: () => void) => void, send: () => unknown): Promise<number> {
  let seen = 0;
  const all = new Promise<void>((resolve) =>
    onReceived(() => {
      if (++seen === count) resolve();
    }),
  );
  const begin = performance.now();
  const sender = async (): Promise<void> => {
    for (let i = 0; i < count / SENDERS; i++) await send();
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  await all;
  return count / ((performance.now() - begin) / 1000);
}

async function overBus(url: string, count: number): Promise<number> {
  const [from, to] = [new Process(url), new Process(url)];
  try {
    let received = (): void => {};
    await to.bus.listen('room', () => received()).ready;
    return await rate(count, (callback) => (received = callback), () => {
      from.bus.publish('room', TEXT);
      return new Promise(setImmediate);
    }); // prettier-ignore
  } finally {
    from.bus.close();
    to.bus.close();
  }
}

async function ioredis(url: string, count: number): Promise<number> {
  const [from, to] = [new Redis(url), new Redis(url)];
  try {
    await to.subscribe('room');
    return await rate(count, (callback) => to.on('message', callback), () => from.publish('room', TEXT)); // prettier-ignore
  } finally {
    from.disconnect();
    to.disconnect();
  }
}

async function pgByHand(url: string, count: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  const to = new pg.Client({ connectionString: url });
  try {
    await to.connect();
    await to.query('LISTEN room');
    let sent = 0;
    const send = (): Promise<unknown> =>
      pool.query({ name: 'send', text: "SELECT pg_notify('room', $1)", values: [`${sent++} ${TEXT}`] });
    return await rate(count, (callback) => to.on('notification', callback), send);
  } finally {
    await pool.end();
    await to.end();
  }
}

/** Messages per second between two workers. */
async function overWorkers(count: number, rounds: number): Promise<number[]> {
  const services = new Services({ bus: () => Promise.resolve(new BusService()) });
  const started = (role: string): ChildProcess => {
    const child = fork(join(import.meta.dirname, 'worker.ts'), [role, String(count)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'overlapped'],
    });
    services.attach(child.stdio[4] as Duplex, child.pid as number);
    return child;
  };
  const children = [started('receive'), started('send')];
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    const rates: number[] = [];
    for (let i = 0; i < rounds; i++) {
      const begin = performance.now();
      children[1].send('go');
      await once(children[0], 'message');
      rates.push(count / ((performance.now() - begin) / 1000));
    }
    return rates;
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

const BY_HAND = { Redis: ioredis, PostgreSQL: pgByHand };

const rows: string[][] = [];
// The first round warms up.
const workers = (await overWorkers(MESSAGES * 10, ROUNDS + 1)).slice(1);
rows.push(['--workers', digits(median(workers)), '–', '–']);
for (const { name, start, missing } of ENGINES) {
  if (start === null) {
    console.log(`left out: ${missing}`);
    continue;
  }
  const engine: Engine = await start();
  const [own, other]: [number[], number[]] = [[], []];
  const byHand = BY_HAND[name as keyof typeof BY_HAND];
  const count = name === 'PostgreSQL' ? MESSAGES / 4 : MESSAGES;
  for (let i = 0; i <= ROUNDS; i++) {
    own.push(await overBus(engine.url(), count));
    other.push(await byHand(engine.url(), count));
  }
  const [a, b] = [median(own.slice(1)), median(other.slice(1))];
  rows.push([name, digits(a), digits(b), (a / b).toFixed(2)]);
  await engine.stop();
}
console.log(table(['messages/s over', 'svc', 'by hand', 'ratio'], rows));
process.exit();
