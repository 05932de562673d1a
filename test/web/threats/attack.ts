import { setTimeout as sleep } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import { memoryOf } from '../../memory.js';
import type { Svcc } from '../../svcc/svcc.js';
import { PATIENCE_MS } from '../../patience.js';
import { get } from '../support/serve.js';

/** Whether the tests run their long form. */
export const LONG = process.env.SVC_LONG === '1';

/** Route that must answer during and after an attack. */
export const ALIVE = 'app.get("/alive") { |req| "alive" }\n';

export const HEAD = 'HTTP/1.1\r\nHost: svc.test\r\n';

/** Answer to an attack. */
export interface Reply {
  /** Everything received, as Latin-1. */
  text: string;
  /** Statuses of the responses, in order. */
  statuses: number[];
  /** Whether the server closed the connection; false: the client gave up. */
  closed: boolean;
}

const STATUS = /HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(?:[^\r\n:]+:[^\r\n]*\r\n)*\r\n/g;

/** Statuses of the responses in `text`. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(STATUS)].map(([, status]) => Number(status));
}

/** Options for the end of an attack. */
export interface Manner {
  /** Sends a FIN after the bytes. */
  fin?: boolean;
  /** Milliseconds until the client gives up. */
  patience?: number;
  /** Whether the text is complete, so that the client need not wait for the end of the connection. */
  enough?: (text: string) => boolean;
}

/** Sends bytes as they are and reads until the server closes the connection. */
export function attack(
  port: number,
  bytes: Buffer | string,
  { fin = false, patience = PATIENCE_MS, enough }: Manner = {},
): Promise<Reply> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
      if (fin) socket.end();
    });
    const done = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, statuses: statusesIn(text), closed });
    };
    const timer = setTimeout(() => done(false), patience);
    socket.setEncoding('latin1').on('data', (data: string) => {
      text += data;
      if (enough?.(text)) done(false);
    });
    // A reset counts as the end: a server need not read the rest of a refused request.
    socket
      .on('end', () => done(true))
      .on('close', () => done(true))
      .on('error', () => {});
  });
}

/** Opens a connection that sends `bytes` and reads nothing until it is resumed. */
export function open(port: number, bytes: Buffer | string = ''): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.off('error', reject);
      if (bytes.length > 0) socket.write(bytes);
      resolve(socket);
    });
    socket
      .pause()
      .on('error', () => {})
      .once('error', reject);
  });
}

/** Runs `task` for each item, `width` of them at a time. */
export async function parallel<T>(
  items: readonly T[],
  width: number,
  task: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      await task(items[index], index);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Numbers from 0 to `below` - 1 that are the same in every run. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Checks that the probe route answers. */
export async function alive(t: Test, port: number, when: string): Promise<void> {
  const { status, body } = await get(port, '/alive');
  t.same([status, body], [200, 'alive'], `alive ${when}`);
}

/**
 * Number of connections that the server holds open, from the kernel's table of TCP sockets (/proc/net/tcp in proc(5)).
 * The server's open files do not show which of its connections belong to `sockets`.
 */
export async function held(port: number, sockets: readonly Socket[]): Promise<number> {
  const ends = new Set(sockets.map(({ localPort }) => localPort));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const rows = tables.join('').matchAll(/: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) 01 /g);
  return [...rows].filter(([, local, remote]) => parseInt(local, 16) === port && ends.has(parseInt(remote, 16))).length;
}

export interface Watch {
  /** Stops watching; returns the largest growth in MiB. */
  growth(): Promise<number>;
}

/** Samples a server's memory while an attack runs. */
export async function watchMemory(server: Svcc): Promise<Watch> {
  const first = memoryOf(server.child);
  let largest = first;
  const sample = async (): Promise<void> => void (largest = Math.max(largest, memoryOf(server.child)));
  // The test notices if the server has died.
  const timer = setInterval(() => void sample().catch(() => {}), 50);
  return {
    growth: async () => {
      clearInterval(timer);
      await sample();
      return largest - first;
    },
  };
}

/** Seconds of processor time that a process has used (proc(5), /proc/pid/stat, in ticks of 10 ms). */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12);
  return (Number(user) + Number(system)) / 100 || 0;
}

/**
 * Repeats a request; collects wrong answers, and the latency of each in milliseconds. With the `pid` of the server, a
 * latency is at most the processor time that the server used meanwhile.
 */
export class Probe {
  readonly wrong: string[] = [];
  readonly latencies: number[] = [];
  private ended = false;
  private readonly done: Promise<void>;

  constructor(
    port: number,
    private readonly pid: number | null = null,
  ) {
    this.done = this.run(port);
  }

  private async run(port: number): Promise<void> {
    while (!this.ended) {
      const used = await this.used();
      const start = performance.now();
      const answer = await get(port, '/alive').then(({ status, body }) => `${status} ${body}`, String);
      if (answer !== '200 alive') this.wrong.push(answer);
      const took = performance.now() - start;
      this.latencies.push(this.pid === null ? took : Math.min(took, ((await this.used()) - used) * 1000));
      await sleep(10);
    }
  }

  private used(): Promise<number> {
    return this.pid === null ? Promise.resolve(0) : processorSeconds(this.pid);
  }

  async end(): Promise<void> {
    this.ended = true;
    await this.done;
  }
}

/** Number of times that `part` occurs in `text`. */
export function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Stops a server that must have survived with nothing on stderr. */
export async function endsQuietly(t: Test, server: Svcc): Promise<void> {
  const { stderr, exitCode } = await server.stop();
  t.equal(stderr, '', 'nothing is logged');
  t.equal(exitCode, 0);
}
