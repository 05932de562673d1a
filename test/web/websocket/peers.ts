import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import { WebSocket, type ClientOptions } from 'ws';
import { until } from '../../patience.js';

/** A client that records what it receives. */
export class Peer {
  readonly messages: string[] = [];
  code: number | null = null;
  reason = '';
  pings = 0;
  private taken = 0;

  private constructor(readonly ws: WebSocket) {
    ws.on('message', (data: Buffer) => void this.messages.push(data.toString()));
    ws.on('ping', () => this.pings++);
    ws.on('close', (code, reason) => {
      this.code = code;
      this.reason = reason.toString();
    });
    // The close code shows how a connection ended.
    ws.on('error', () => {});
  }

  /** Connects; the connection is closed when the test ends. @throws Error with the status if the server refuses */
  static async open(
    test: Test,
    port: number,
    path: string,
    options: ClientOptions = {},
    host = '127.0.0.1',
  ): Promise<Peer> {
    const ws = new WebSocket(`ws://${host}:${port}${path}`, { perMessageDeflate: false, ...options });
    const peer = new Peer(ws);
    test.teardown(() => ws.terminate());
    await once(ws, 'open');
    return peer;
  }

  send(text: string): void {
    this.ws.send(text);
  }

  /** Waits for the next message. @throws Error with the close code if the connection has ended without one */
  async next(): Promise<string> {
    const message = await this.nextIfAny();
    if (message === null) throw new Error(`the connection has ended: ${this.code} ${this.reason}`);
    return message;
  }

  /** Waits for the next message; null: the connection has ended without one. */
  async nextIfAny(): Promise<string | null> {
    await until('a message', () => this.messages.length > this.taken || this.code !== null);
    return this.messages.length > this.taken ? this.messages[this.taken++] : null;
  }

  /** Waits for the end of the connection; returns the close code. */
  async closed(): Promise<number> {
    await until('the end of the connection', () => this.code !== null);
    return this.code as number;
  }
}

/** Error message of a refused handshake, such as `Unexpected server response: 404`; '' if it is accepted. */
export function refusal(test: Test, port: number, path: string, options: ClientOptions = {}): Promise<string> {
  return Peer.open(test, port, path, options).then(
    () => '',
    (error: Error) => error.message,
  );
}

/** Opens a connection and shakes hands; reads nothing after that until it is resumed. */
export async function rawPeer(test: Test, port: number, path: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  test.teardown(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: svc.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101 ')) throw new Error(answer.toString('latin1'));
  return socket;
}

export const Opcode = { more: 0, text: 1, close: 8, ping: 9, pong: 10 } as const;

/** A frame of a client, masked with zeros. */
export function frame(opcode: number, payload: Buffer | string = '', fin = true): Buffer {
  const body = Buffer.from(payload);
  const first = (fin ? 0x80 : 0) | opcode;
  if (body.length < 126) return Buffer.concat([Buffer.from([first, 0x80 | body.length, 0, 0, 0, 0]), body]);
  const head = Buffer.alloc(14);
  head[0] = first;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(body.length), 2);
  return Buffer.concat([head, body]);
}

/** Writes, and waits until the kernel has accepted the bytes or the connection has ended. */
export function put(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((done) => {
    const over = (): void => {
      socket.off('close', over);
      done();
    };
    socket.once('close', over);
    socket.write(bytes, over);
    if (socket.destroyed) over();
  });
}
