/** Requests at a fixed rate: a server that is slow for a moment does not get fewer of them. */
import { connect, type Socket } from 'node:net';
import type { Scenario } from '../web/scenarios.js';

const CONNECTIONS = 50;
/** Milliseconds that the last responses may take. */
const PATIENCE_MS = 5000;

/** One keep-alive connection, with at most one request at a time. */
class Client {
  private input = '';
  private planned = 0;

  constructor(
    private readonly socket: Socket,
    private readonly done: (client: Client, planned: number) => void,
  ) {
    socket.setEncoding('latin1').on('data', (data: string) => this.receive(data));
  }

  /** Sends a request that was planned for a time. */
  send(request: string, planned: number): void {
    this.planned = planned;
    this.socket.write(request);
  }

  close(): void {
    this.socket.destroy();
  }

  private receive(data: string): void {
    this.input += data;
    const head = this.input.indexOf('\r\n\r\n');
    if (head < 0) return;
    if (!this.input.startsWith('HTTP/1.1 200')) throw new Error(`a request failed: ${this.input.slice(0, 200)}`);
    const length = /\r\ncontent-length: (\d+)/i.exec(this.input.slice(0, head))?.[1];
    if (length === undefined) throw new Error('the response has no Content-Length');
    if (this.input.length < head + 4 + Number(length)) return;
    this.input = '';
    this.done(this, this.planned);
  }
}

function opened(port: number): Promise<Socket> {
  return new Promise((done, failed) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => done(socket)).once('error', failed);
  });
}

/**
 * Sends `rate` requests per second for some seconds. Resolves with the milliseconds from the time that each was planned
 * for to its response, so that requests which had to wait for a connection count as well.
 */
export async function latencies(scenario: Scenario, port: number, rate: number, seconds: number): Promise<number[]> {
  const request = `GET ${scenario.path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const all: number[] = [];
  const idle: Client[] = [];
  const finished = (client: Client, planned: number): void => {
    all.push(performance.now() - planned);
    idle.push(client);
  };
  for (let i = 0; i < CONNECTIONS; i++) idle.push(new Client(await opened(port), finished));
  const clients = idle.slice();
  const count = Math.round(rate * seconds);
  const start = performance.now();
  await new Promise<void>((done, failed) => {
    let sent = 0;
    const look = (): void => {
      const now = performance.now();
      for (; sent < count && idle.length > 0; sent++) {
        const planned = start + (sent / rate) * 1000;
        if (planned > now) break;
        (idle.shift() as Client).send(request, planned);
      }
      if (all.length === count) done();
      else if (now - start > seconds * 1000 + PATIENCE_MS)
        failed(new Error(`${count - all.length} responses are missing`));
      else setImmediate(look);
    };
    look();
  });
  for (const client of clients) client.close();
  return all;
}
