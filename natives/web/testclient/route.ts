/** Requests to an application in the same process. This file and `undici` are loaded with the first request. */
import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import { exchange } from '../../io/client/exchange.js';
import type { Incoming, Outgoing } from '../../io/client/route.js';
import { insideOf } from '../connection/inside.js';
import { Pipe } from './pipe.js';

/** The host that the application has for its test clients. */
export const HOST = 'localhost';

/** A connection that serves one request at a time; it opens another pipe if the application closes one. */
class Connection {
  /** The application's end. */
  private server: Pipe | null = null;
  private readonly client: Client;

  constructor(connect: (server: Pipe) => void) {
    this.client = new Client(`http://${HOST}`, {
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => {
        const { client, server } = Pipe.pair();
        this.server = server;
        connect(server);
        callback(null, client as never);
      },
    });
  }

  async send({ method, url, fields, body }: Outgoing, signal: AbortSignal): Promise<Incoming> {
    const mark = this.server === null ? undefined : insideOf(this.server);
    if (mark !== undefined) mark.failure = null;
    const answer = await exchange(this.client, {
      origin: `http://${HOST}`,
      path: `${url.pathname}${url.search}`,
      method: method as Dispatcher.HttpMethod,
      headers: fields,
      body: body === null ? null : body.length === 1 ? body[0] : (body as unknown as Dispatcher.RequestOptions['body']),
      signal,
    });
    return { ...answer, failure: (this.server === null ? undefined : insideOf(this.server))?.failure ?? null };
  }
}

/** The connections of all test clients of an application. */
export class Connections {
  private readonly idle: Connection[] = [];

  constructor(private readonly connect: (server: Pipe) => void) {}

  async send(outgoing: Outgoing, signal: AbortSignal): Promise<Incoming> {
    if (outgoing.url.hostname !== HOST)
      throw new Error(`a client of app.client reaches only the application, at http://${HOST}`);
    const connection = this.idle.pop() ?? new Connection(this.connect);
    const release = (): void => void this.idle.push(connection);
    try {
      const incoming = await connection.send(outgoing, signal);
      incoming.body.once('close', release);
      return incoming;
    } catch (error) {
      release();
      throw error;
    }
  }
}
