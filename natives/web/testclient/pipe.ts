import { Duplex } from 'node:stream';
import { noteTransfer } from '../../../vm/watch/quiet.js';
import { markInside } from '../connection/inside.js';

type Done = (error?: Error | null) => void;

let lastPort = 49_152;

/**
 * An end of a connection inside of the process. It has what node:http, `undici` and `ws` use of a socket. What is written
 * to one end is read from the other, as fast as it is read.
 */
export class Pipe extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly remoteFamily = 'IPv4';
  readonly localAddress = '127.0.0.1';
  readonly encrypted = false;
  remotePort = 0;
  localPort = 0;
  bytesRead = 0;
  bytesWritten = 0;
  private other: Pipe | null = null;
  /** Called once the other end has read what was written last. */
  private read0: Done | null = null;

  /** @param isServer whether this end is the server's, whose answers are read to their end */
  private constructor(private readonly isServer: boolean) {
    super({ allowHalfOpen: true });
  }

  /** The two ends of a new connection. */
  static pair(): { client: Pipe; server: Pipe } {
    const client = new Pipe(false);
    const server = new Pipe(true);
    lastPort = lastPort === 65_535 ? 49_152 : lastPort + 1;
    client.localPort = server.remotePort = lastPort;
    client.remotePort = server.localPort = 80;
    client.other = server;
    server.other = client;
    markInside(server);
    markInside(client);
    return { client, server };
  }

  override _read(): void {
    const done = this.read0;
    this.read0 = null;
    done?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    const { other } = this;
    if (other === null || other.destroyed) {
      done(Object.assign(new Error('the connection was broken'), { code: 'EPIPE' }));
      return;
    }
    noteTransfer();
    this.bytesWritten += chunk.length;
    other.bytesRead += chunk.length;
    if (chunk.length === 0) process.nextTick(done);
    else {
      other.read0 = done;
      other.push(chunk);
    }
  }

  override _final(done: Done): void {
    this.other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    const { other } = this;
    this.read0 = null;
    if (other !== null && !other.destroyed) {
      const pending = other.read0;
      other.read0 = null;
      pending?.(null);
      // The client may still have to read the answer; a server has no use for the rest of a request.
      if (!this.isServer) setImmediate(() => other.destroy());
      else if (!this.writableFinished) other.push(null);
    }
    done(error);
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  resetAndDestroy(): this {
    this.other?.destroy(Object.assign(new Error('the connection was broken'), { code: 'ECONNRESET' }));
    return this.destroy();
  }

  address(): { address: string; family: string; port: number } {
    return { address: this.localAddress, family: this.remoteFamily, port: this.localPort };
  }

  // Times of connections have no meaning here: the other end is part of the program.
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}
