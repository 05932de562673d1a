import { createHash } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { Wire, type Case } from './rfc6455-case.js';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** What a server must answer to a key (RFC 6455, 4.2.2). */
export function acceptOf(key: string): string {
  return createHash('sha1')
    .update(key + GUID)
    .digest('base64');
}

/** A good answer to a request. */
function switching(key: string): string {
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptOf(key)}\r\n\r\n`;
}

/** A client's handshake: its lines, and its key. */
export interface Request {
  head: string;
  key: string;
}

type Talk = (wire: Wire, request: Request) => Promise<void>;

/** A TCP server that knows nothing of WebSockets: a talk for each path does all by hand. */
export class RawServer {
  private readonly talks = new Map<string, Talk>();

  private constructor(
    readonly port: number,
    private readonly program: number,
  ) {}

  /** `program` is the port of the program that connects when asked. */
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

  /** Has the program connect to a talk; gives what it says of the connection once that has ended. */
  async connected(id: string, talk: Talk, timeout = 60): Promise<string> {
    this.talks.set(id, talk);
    const response = await fetch(`http://127.0.0.1:${this.program}/connect/${this.port}/${id}?timeout=${timeout}`);
    return (await response.text()).trimEnd();
  }

  /** Plays a case against the program's client: what came, the program's words on the end, and the masks of all frames. */
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
