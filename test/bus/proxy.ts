import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy that can stop forwarding without closing its connections, as a network does that has broken. */
export class Proxy {
  private readonly pairs = new Set<[Socket, Socket]>();
  private isStalled = false;
  /** The text of a client whose answer gets lost, and what is called with its connection. */
  private losing: { text: string; found: (cut: () => void) => void } | null = null;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** Starts a proxy in front of a port of 127.0.0.1. */
  static async start(target: number): Promise<Proxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new Proxy(server, (server.address() as AddressInfo).port);
    server.on('connection', (client) => proxy.accept(client, target));
    return proxy;
  }

  /** Forwards nothing from now on: neither data nor the ends of connections. */
  stall(): void {
    this.isStalled = true;
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  resume(): void {
    this.isStalled = false;
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
  }

  /**
   * Loses what the server answers to the next client that sends `text`. Resolves after it was sent, with a function that
   * cuts the connection of this client.
   */
  loseAnswerTo(text: string): Promise<() => void> {
    return new Promise((found) => (this.losing = { text, found }));
  }

  close(): void {
    this.server.close();
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  private accept(client: Socket, target: number): void {
    const server = connect(target, '127.0.0.1');
    const pair: [Socket, Socket] = [client, server];
    this.pairs.add(pair);
    pair.forEach((socket, i) => {
      const other = pair[1 - i];
      socket.on('data', (chunk: Buffer) => other.write(chunk));
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.pairs.delete(pair);
        if (!this.isStalled) other.destroy();
      });
      if (this.isStalled) socket.pause();
    });
    client.prependListener('data', (chunk: Buffer) => {
      if (this.losing === null || !chunk.includes(this.losing.text)) return;
      server.removeAllListeners('data').resume();
      this.losing.found(() => client.destroy());
      this.losing = null;
    });
  }
}
