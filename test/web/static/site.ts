import { join } from 'node:path';
import type { Test } from 'tap';
import { Svcc } from '../../svcc/svcc.js';
import { type ActualResponse, Connection } from '../support/connection.js';

/** Content that must not reach a client. */
export const SECRET = 'TOP SECRET';

/** A running program in a folder of its own. */
export interface Site {
  server: Svcc;
  port: number;
  /** Path of a file in the program's folder. */
  at: (...parts: string[]) => string;
}

/** Files and folders by name. */
export type Tree = Parameters<Test['testdir']>[0] & object;

/** Creates files and starts a program in their folder. The program is killed when the test ends. */
export async function startSite(test: Test, tree: Tree, source: string): Promise<Site> {
  const folder = test.testdir({ ...tree, 'app.svc': `app = web_app()\n${source}\napp.run(0)\n` });
  const server = new Svcc(['run', 'app.svc'], { cwd: folder });
  test.teardown(() => server.child.kill('SIGKILL'));
  return { server, port: await server.port(), at: (...parts) => join(folder, ...parts) };
}

/** A client that uses one connection until the server closes it. */
export class Client {
  private connection: Connection | null = null;

  constructor(private readonly port: number) {}

  /** Sends one request; `target` is sent as Latin-1. */
  async request(method: string, target: string, headers: Record<string, string> = {}): Promise<ActualResponse> {
    if (this.connection === null || this.connection.socket.readableEnded)
      this.connection = await Connection.open(this.port);
    const { connection } = this;
    const fields = Object.entries({ Host: 'svc.test', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    connection.send(Buffer.from(`${method} ${target} HTTP/1.1\r\n${fields.join('')}\r\n`, 'latin1'));
    const response = await connection.response(method);
    // The server has announced the end, which may arrive later.
    if (header(response, 'connection') === 'close') this.close();
    return response;
  }

  get(target: string, headers: Record<string, string> = {}): Promise<ActualResponse> {
    return this.request('GET', target, headers);
  }

  close(): void {
    this.connection?.socket.destroy();
    this.connection = null;
  }
}

/** Stops a program; checks its exit code, and that it logged no warning or error. */
export async function stopQuietly(test: Test, { server }: Site): Promise<void> {
  const { stderr, exitCode } = await server.stop();
  test.equal(exitCode, 0);
  test.notMatch(stderr, /^warning: |^\w*Error: |internal error/m);
}

/** Value of a header field; undefined if it is missing. */
export function header(response: ActualResponse, name: string): string | undefined {
  return response.headers.find(([known]) => known.toLowerCase() === name)?.[1];
}
