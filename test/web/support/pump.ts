import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Svcc } from '../../svcc/svcc.js';
import { happens, PATIENCE_MS, until } from '../../patience.js';
import { serve } from './serve.js';

/**
 * Module that appends the size of the heap after a collection to a file. SIGUSR2 collects all objects and shrinks the
 * heap, SIGWINCH collects all as V8 does by itself, SIGURG collects the young ones. The second collection frees what
 * waits for the end of the turn.
 */
const PRELOAD = `
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { appendFileSync } from 'node:fs';
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
for (const [signal, collect] of [
  ['SIGUSR2', () => gc()],
  ['SIGWINCH', () => gc({ type: 'major' })],
  ['SIGURG', () => gc({ type: 'minor' })],
])
  process.on(signal, () => {
    collect();
    setImmediate(() => {
      collect();
      appendFileSync(process.env.SVC_TEST_HEAP, process.memoryUsage().heapUsed + '\\n');
    });
  });
`;

/** A server whose heap and descriptors can be measured. */
export class Measured {
  private samples = 0;

  private constructor(
    readonly server: Svcc,
    readonly port: number,
    private readonly file: string,
  ) {}

  /** Starts a program given as text. */
  static async start(test: Test, source: string): Promise<Measured> {
    const file = join(test.testdirName, 'heap.txt');
    // In the environment, so that the option reaches the process through any launcher.
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRELOAD)}`, SVC_TEST_HEAP: file };
    const { server, port } = await serve(test, source, { env });
    return new Measured(server, port, file);
  }

  /** Bytes of the heap in use after a collection of all that can be collected. */
  heap(): Promise<number> {
    return this.heapAfter('SIGUSR2');
  }

  /** Bytes of the heap in use after a usual collection, which leaves room for young objects. All others are old then. */
  heapOfOld(): Promise<number> {
    return this.heapAfter('SIGWINCH');
  }

  /** Bytes of the heap in use after a collection of the objects that were made since the last one. */
  heapWithoutYoung(): Promise<number> {
    return this.heapAfter('SIGURG');
  }

  private heapAfter(signal: NodeJS.Signals): Promise<number> {
    const wanted = ++this.samples;
    this.server.child.kill(signal);
    return until('the size of the heap', async () => {
      const lines = (await readFile(this.file, 'utf8').catch(() => '')).split('\n');
      return lines.length > wanted && Number(lines[wanted - 1]);
    });
  }

  /** Number of open descriptors. */
  async descriptors(): Promise<number> {
    return (await readdir(`/proc/${this.server.child.pid}/fd`)).length;
  }
}

/** A request that a client repeats, and the mark of its answer. */
export interface Requests {
  /** One request, as bytes. */
  bytes: string;
  /** Text that occurs exactly once in each answer. */
  answer: string;
}

/** Counts a text in a stream, also across chunks. */
class Counter {
  count = 0;
  private rest = '';

  constructor(private readonly text: string) {}

  add(chunk: string): void {
    const all = this.rest + chunk;
    let at = 0;
    for (let found = all.indexOf(this.text); found >= 0; found = all.indexOf(this.text, at)) {
      this.count++;
      at = found + this.text.length;
    }
    this.rest = all.slice(Math.max(at, all.length - this.text.length + 1));
  }
}

/** Maximum unanswered requests of a connection. */
const PIPELINED = 16;

/** Sends `total` requests over one connection, pipelined; returns the number of answers. */
function client(port: number, { bytes, answer }: Requests, total: number): Promise<number> {
  return new Promise((resolve) => {
    const counter = new Counter(answer);
    let sent = 0;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const send = (): void => {
      const n = Math.min(PIPELINED, total - sent);
      sent += n;
      socket.write(Buffer.from(bytes.repeat(n), 'latin1'));
    };
    socket
      .setEncoding('latin1')
      .on('connect', send)
      .on('data', (text: string) => {
        counter.add(text);
        if (counter.count >= total) socket.end();
        else if (counter.count === sent) send();
      });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on('error', () => {}).on('close', () => resolve(counter.count));
  });
}

/** Sends `total` requests over `width` connections at the same time; returns the number of answers. */
export async function pump(port: number, requests: Requests, total: number, width = 8): Promise<number> {
  const shares = Array.from({ length: width }, (_, i) => Math.floor((total + i) / width));
  const counts = await Promise.all(shares.map((share) => (share === 0 ? 0 : client(port, requests, share))));
  return counts.reduce((sum, n) => sum + n, 0);
}

/**
 * Sends `total` requests, each on a new connection, which the client resets: when the answer contains `at`, or, with
 * null, soon after the request. Returns the number of requests that reached this point.
 */
export async function leave(
  port: number,
  bytes: string,
  at: string | null,
  total: number,
  width = 32,
): Promise<number> {
  let begun = 0;
  let met = 0;
  const one = (index: number): Promise<void> =>
    new Promise((resolve) => {
      const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
        socket.write(Buffer.from(bytes, 'latin1'));
        if (at !== null) return;
        met++;
        // Some resets arrive before the server has read the request, most while its handler waits.
        if (index % 8 === 0) socket.resetAndDestroy();
        else setTimeout(() => socket.resetAndDestroy(), index % 4);
      });
      let text = '';
      socket.setEncoding('latin1').on('data', (data: string) => {
        text += data;
        if (at === null || !text.includes(at)) return;
        met++;
        // A reset leaves no port in TIME_WAIT.
        socket.resetAndDestroy();
      });
      socket.setTimeout(PATIENCE_MS, () => socket.destroy());
      socket.on('error', () => {}).on('close', () => resolve());
    });
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (begun < total) await one(begun++);
    }),
  );
  return met;
}

/** Waits until a server has at most `first` descriptors open; returns their number. */
export async function idle(measured: Measured, first: number): Promise<number> {
  await happens(async () => (await measured.descriptors()) <= first);
  return measured.descriptors();
}
