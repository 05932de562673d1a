/** Messages from one process to another, over Svc and by hand. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { Redis } from 'ioredis';
import pg from 'pg';
import { BusService } from '../../natives/bus/clusterservice.js';
import { Services } from '../../natives/cluster/services.js';
import { type EngineKind, Process } from '../../test/bus/engines.js';
import { Server } from '../shared/server.js';
import { TEXT } from './text.js';

/** Senders at the same time: each sends its next message when the last is on its way, or answered. */
const SENDERS = 100;

/** Messages per second, and microseconds of processor time for each. */
export interface Rate {
  readonly perSecond: number;
  readonly processor: number;
}

/** Calls `send` from SENDERS loops until `count` messages have been sent and received. Both sides are in this process. */
async function rate(count: number, onReceived: (callback: () => void) => void, send: () => unknown): Promise<Rate> {
  let seen = 0;
  const all = new Promise<void>((resolve) =>
    onReceived(() => {
      if (++seen === count) resolve();
    }),
  );
  const before = process.cpuUsage();
  const begin = performance.now();
  const sender = async (): Promise<void> => {
    for (let i = 0; i < count / SENDERS; i++) await send();
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  await all;
  const { user, system } = process.cpuUsage(before);
  return { perSecond: count / ((performance.now() - begin) / 1000), processor: (user + system) / count };
}

async function overBus(url: string, count: number): Promise<Rate> {
  const [from, to] = [new Process(url), new Process(url)];
  try {
    let received = (): void => {};
    await to.bus.listen('room', () => received()).ready;
    // The first message opens the connection.
    const first = new Promise<void>((resolve) => (received = resolve));
    from.bus.publish('room', TEXT);
    await first;
    return await rate(count, (callback) => (received = callback), () => {
      from.bus.publish('room', TEXT);
      return new Promise(setImmediate);
    }); // prettier-ignore
  } finally {
    from.bus.close();
    to.bus.close();
  }
}

async function ioredis(url: string, count: number): Promise<Rate> {
  // All commands of a turn leave in one packet.
  const [from, to] = [new Redis(url, { enableAutoPipelining: true }), new Redis(url)];
  try {
    await to.subscribe('room');
    return await rate(count, (callback) => to.on('message', callback), () => from.publish('room', TEXT)); // prettier-ignore
  } finally {
    from.disconnect();
    to.disconnect();
  }
}

/** Sends messages over one connection: those that were given to it during a statement leave in the next one. */
class Notifier {
  private waiting: { text: string; sent: () => void }[] = [];
  private isBusy = false;
  private count = 0;

  constructor(private readonly client: pg.Client) {}

  send(): Promise<void> {
    return new Promise((sent) => {
      // PostgreSQL drops notifications of a transaction that are alike.
      this.waiting.push({ text: `${this.count++} ${TEXT}`, sent });
      if (!this.isBusy) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    // The other senders of this turn come first.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const messages = this.waiting;
      this.waiting = [];
      const text = "SELECT pg_notify('room', text) FROM unnest($1::text[]) text";
      await this.client.query({ name: 'send', text, values: [messages.map((message) => message.text)] });
      for (const { sent } of messages) sent();
    }
    this.isBusy = false;
  }
}

async function pgByHand(url: string, count: number): Promise<Rate> {
  const [from, to] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  try {
    await Promise.all([from.connect(), to.connect()]);
    await to.query('LISTEN room');
    const notifier = new Notifier(from);
    return await rate(count, (callback) => to.on('notification', callback), () => notifier.send()); // prettier-ignore
  } finally {
    await Promise.all([from.end(), to.end()]);
  }
}

/** Messages per second between two workers. */
export async function overWorkers(count: number, rounds: number): Promise<number[]> {
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

/** Rates over an engine: a warm-up, then rounds in which both have their turns. Null without the engine. */
export async function overEngine(
  { name, start }: EngineKind,
  count: number,
  rounds: number,
): Promise<{ own: Rate[]; byHand: Rate[] } | null> {
  if (start === null) return null;
  const engine = await start();
  const byHand = BY_HAND[name as keyof typeof BY_HAND];
  const messages = name === 'PostgreSQL' ? count / 4 : count;
  const [own, other]: [Rate[], Rate[]] = [[], []];
  try {
    for (let i = 0; i <= rounds; i++) {
      own.push(await overBus(engine.url(), messages));
      other.push(await byHand(engine.url(), messages));
    }
  } finally {
    await engine.stop();
  }
  return { own: own.slice(1), byHand: other.slice(1) };
}

/** Messages per second from a program in one worker to the same program in another one. */
export async function betweenPrograms(count: number, rounds: number): Promise<number[]> {
  const server = await Server.start(() => ['dist/svcc.js', 'run', '--workers', '2', 'bench/bus/program.svc']);
  try {
    const rates: number[] = [];
    for (let i = 0; i <= rounds; i++) {
      const answer = await fetch(`http://127.0.0.1:${server.port}/send/${count}`);
      if (!answer.ok) throw new Error(`the program failed: ${await answer.text()}`);
      rates.push((count / Number(await answer.text())) * 1000);
    }
    return rates.slice(1);
  } finally {
    await server.stop();
  }
}
