import { createHash } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { Wire, type Case } from './rfc6455-case.js';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** The Sec-WebSocket-Accept that belongs to a key (RFC 6455, 4.2.2). */
export function acceptOf(key: string): string {
  return createHash('sha1')
    .update(key + GUID)
    .digest('base64');
}

/** A valid answer to a request. */
function switching(key: string): string {
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptOf(key)}\r\n\r\n`;
}

/** Handshake of a client: head and key. */
export interface Request {
  head: string;
  key: string;
}

type Talk = (wire: Wire, request: Request) => Promise<void>;

/** A TCP server without knowledge of WebSockets: for each path, a `Talk` reads and writes the bytes. */
export class RawServer {
  private readonly talks = new Map<string, Talk>();

  private constructor(
    readonly port: number,
    private readonly program: number,
  ) {}

  /** `program` is the port of the program that connects on request. */
  static start(t: Test, program: number): Promise<RawServer> {
    return new Promise((resolve) => {
      let raw: RawServer;
      const server = createServer({ allowHalfOpen: true }, (socket) => void raw.talk(new Wire(socket)));
      t.teardown(() => server.close());
      server.listen(0, '127.0.0.1', () =>
        resolve((raw = new RawServer((server.address() as AddressInfo).port, program))),
      );
    });
  }

  private async talk(wire: Wire): Promise<void> {
    const head = await wire.handshakeHead();
    const id = /^GET \/([^ ?]*)/.exec(head)?.[1] ?? '';
    await this.talks.get(id)?.(wire, { head, key: /^Sec-WebSocket-Key: (.*)\r$/im.exec(head)?.[1] ?? '' });
  }

  /** Lets the program connect to a talk; returns its description of the connection's end. */
  async connected(id: string, talk: Talk, timeout = 60): Promise<string> {
    this.talks.set(id, talk);
    const response = await fetch(`http://127.0.0.1:${this.program}/connect/${this.port}/${id}?timeout=${timeout}`);
    return (await response.text()).trimEnd();
  }

  /** Plays a case against the program's client: received bytes, the program's description of the end, masks of all frames. */
  async play(id: string, test: Case): Promise<{ came: string[]; closed: string; masks: string[] }> {
    let came: string[] = ['no connection'];
    let masks: string[] = [];
    const closed = await this.connected(id, async (wire, { key }) => {
      await wire.send(switching(key));
      came = await wire.play(test, 'client');
      masks = wire.frames.map(({ mask }) => mask?.toString('hex') ?? 'none');
    });
    return { came, closed, masks };
  }
}
