import { connect, type Socket } from 'node:net';
import { PATIENCE_MS } from '../../patience.js';

/** A response as it was sent. */
export interface ActualResponse {
  status: number;
  headers: [name: string, value: string][];
  body: Buffer;
}

/** Client's side of an HTTP/1.1 connection. Header fields are not joined, dropped or renamed. */
export class Connection {
  #received: Buffer = Buffer.alloc(0);
  #closed = false;
  #announcedEnd = false;
  #wake = (): void => {};

  private constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (data) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#wake();
    });
    const close = (): void => {
      this.#closed = true;
      this.#wake();
    };
    socket.on('end', close).on('close', close).on('error', close);
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const connection = new Connection(socket);
      socket.once('connect', () => resolve(connection)).once('error', reject);
    });
  }

  /** Whether the server has closed the connection or announced that. */
  get isSpent(): boolean {
    return this.#closed || this.#announcedEnd;
  }

  /** Received bytes that are not read yet; must be empty between a response and the next request. */
  get unread(): Buffer {
    return this.#received;
  }

  send(bytes: Buffer | string): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  /** Reads the next response; `method` is that of its request. @throws Error if there is none */
  async response(method: string): Promise<ActualResponse> {
    const [statusLine, ...lines] = (await this.#upTo('\r\n\r\n', 'the head of a response'))
      .toString('latin1')
      .split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? NaN);
    if (Number.isNaN(status)) throw new Error(`not a status line: ${statusLine}`);
    const headers = lines.map((line): [string, string] => {
      const [name = '', value = ''] = line.split(/:[ \t]*(.*)/s);
      return [name, value];
    });
    this.#announcedEnd ||= headers.some(([name, value]) => name.toLowerCase() === 'connection' && value === 'close');
    return { status, headers, body: await this.#body(method, status, headers) };
  }

  async #body(method: string, status: number, headers: [string, string][]): Promise<Buffer> {
    const value = (wanted: string): string | undefined => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
    if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return Buffer.alloc(0);
    if (value('transfer-encoding') !== undefined) return this.#chunks();
    const length = value('content-length');
    if (length !== undefined) return this.#take(Number(length));
    await this.close();
    return this.#take(this.#received.length);
  }

  async #chunks(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (;;) {
      const size = parseInt((await this.#upTo('\r\n', 'the size of a chunk')).toString('latin1'), 16);
      chunks.push(await this.#take(size));
      await this.#upTo('\r\n', 'the end of a chunk');
      if (size === 0) return Buffer.concat(chunks);
    }
  }

  async #upTo(mark: string, what: string): Promise<Buffer> {
    for (;;) {
      const at = this.#received.indexOf(mark);
      if (at >= 0) return this.#take(at + mark.length).then((bytes) => bytes.subarray(0, at));
      await this.#more(what);
    }
  }

  async #take(count: number): Promise<Buffer> {
    while (this.#received.length < count) await this.#more(`${count} bytes`);
    const bytes = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(count);
    return bytes;
  }

  /** Waits until the server has closed the connection. @throws Error if it does not */
  async close(): Promise<void> {
    while (!this.#closed) await this.#more('the end of the connection');
  }

  /** Waits for data or the connection's end. */
  #more(what: string): Promise<void> {
    if (this.#closed) return Promise.reject(new Error(`the connection ended before ${what}${this.#shown()}`));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`waited ${PATIENCE_MS / 1000} s for ${what}${this.#shown()}`)),
        PATIENCE_MS,
      );
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #shown(): string {
    return this.#received.length === 0
      ? ''
      : `, having received ${JSON.stringify(this.#received.toString('latin1', 0, 200))}`;
  }
}
