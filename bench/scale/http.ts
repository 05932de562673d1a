/** Growth between clients and a server in a process of its own. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Server } from '../shared/server.js';
import { load, wrkIsInstalled } from '../web/load.js';
import type { Cost, Section } from './section.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const ANSWER = 'hello';
/** Total number of requests of all connections. */
const REQUESTS = 20_000;
const OPEN_AT_ONCE = 200;

const server = (...flags: string[]): Promise<Server> =>
  Server.start(() => ['dist/svcc.js', 'run', ...flags, 'bench/scale/server.svc']);

async function opened(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const more = Array.from({ length: Math.min(OPEN_AT_ONCE, count - sockets.length) }, () =>
      connect(port, '127.0.0.1').setNoDelay(),
    );
    await Promise.all(more.map((socket) => once(socket, 'connect')));
    sockets.push(...more);
  }
  return sockets;
}

/** Sends `count` requests one after the other. */
function exchange(socket: Socket, count: number): Promise<void> {
  return new Promise((done, failed) => {
    let left = count;
    let text = '';
    socket
      .setEncoding('latin1')
      .on('error', failed)
      .on('close', () => failed(new Error('the server closed a connection')))
      .on('data', (data: string) => {
        text = (text + data).slice(-ANSWER.length - 4);
        if (!text.endsWith(ANSWER)) return;
        text = '';
        if (--left > 0) return void socket.write(REQUEST);
        socket.removeAllListeners();
        done();
      });
    socket.write(REQUEST);
  });
}

async function ofConnections(count: number): Promise<Cost> {
  const running = await server();
  try {
    const before = running.memory();
    const sockets = await opened(running.port, count);
    const memory = running.memory();
    const used = running.processorSeconds();
    const each = Math.max(1, Math.round(REQUESTS / count));
    const start = performance.now();
    await Promise.all(sockets.map((socket) => exchange(socket, each)));
    const ms = performance.now() - start;
    const after = running.processorSeconds();
    for (const socket of sockets) socket.destroy();
    const cpu = used === null || after === null ? NaN : ((after - used) * 1e6) / (each * count);
    return {
      ms: (ms * count) / (each * count),
      cells: {
        'requests/s': (each * count * 1000) / ms,
        'processor µs for a request': cpu,
        'KB for a connection': before === null || memory === null ? NaN : (memory - before) / count / 1024,
      },
    };
  } finally {
    await running.stop();
  }
}

export const connections: Section = {
  name: 'connections',
  title: 'Connections that ask at the same time; the time is that of one request of each',
  unit: 'connections',
  sizes: [10, 100, 1000, 5000],
  measure: ofConnections,
};

async function ofBody(bytes: number): Promise<Cost> {
  const running = await server();
  try {
    const body = 'x'.repeat(bytes);
    const times: number[] = [];
    for (let i = 0; i < 12; i++) {
      const start = performance.now();
      const answer = await (await fetch(`http://127.0.0.1:${running.port}/length`, { method: 'POST', body })).text();
      times.push(performance.now() - start);
      if (answer !== String(bytes))
        throw new Error(`a body of ${bytes} bytes was answered with ${answer.slice(0, 100)}`);
    }
    // Skip the first rounds, in which nothing is compiled yet.
    const ms = Math.min(...times.slice(4));
    return { ms, cells: { ms, 'MB/s': bytes / 1000 / ms } };
  } finally {
    await running.stop();
  }
}

export const bodies: Section = {
  name: 'bodies',
  title: 'Bodies of requests',
  unit: 'bytes',
  sizes: [1000, 10_000, 100_000, 1_000_000, 10_000_000],
  measure: ofBody,
};

async function ofWorkers(count: number): Promise<Cost> {
  if (!wrkIsInstalled()) throw new Error('needs wrk (Debian: apt-get install wrk)');
  const running = await server('--workers', String(count));
  try {
    const scenario = { name: 'scale', title: '', path: '/', goal: 1, right: () => true };
    // Until all workers are compiled, on a busy machine too.
    for (let warm = 0, i = 0; warm < REQUESTS && i < 10; i++)
      warm += (await load(scenario, {}, running.port, 1)).requests;
    const before = running.groupProcessorSeconds() ?? NaN;
    const { requests, seconds } = await load(scenario, {}, running.port, 2);
    const used = (running.groupProcessorSeconds() ?? NaN) - before;
    return {
      ms: (seconds * 1000 * 1000) / requests,
      cells: { 'requests/s': requests / seconds, 'processor µs for a request': (used * 1e6) / requests },
    };
  } finally {
    await running.stop();
  }
}

export const workers: Section = {
  name: 'workers',
  title: 'Worker processes; the time is that of a thousand requests, wrk needs a processor of its own',
  unit: 'workers',
  sizes: [1, 2],
  measure: ofWorkers,
};
