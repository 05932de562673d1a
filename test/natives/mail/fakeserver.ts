import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';

/** Where a mail server is when it answers. */
export interface Place {
  /** The command; `.` at the end of a mail's content. */
  readonly command: string;
  /** Number of this connection, from 1. */
  readonly connection: number;
  /** Mails that this connection has carried before. */
  readonly carried: number;
}

const USUAL: Readonly<Record<string, string>> = { EHLO: '250 fake', DATA: '354 go on', QUIT: '221 bye' };

/**
 * A mail server that answers as a test says: with a text, as usual (undefined), or by breaking the connection (null).
 * `stored` has the mails whose content arrived whole, also those without an answer.
 */
export async function fakeServer(
  t: Test,
  answer: (place: Place) => string | null | undefined,
): Promise<{ port: number; url: string; stored: string[] }> {
  const stored: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    const connection = ++connections;
    let carried = 0;
    let content: string[] | null = null;
    socket.write('220 fake\r\n');
    const lines = createInterface({ input: socket });
    lines.on('error', () => {});
    lines.on('line', (line) => {
      if (content !== null && line !== '.') {
        content.push(line);
        return;
      }
      if (content !== null) stored.push(content.join('\n'));
      content = null;
      const word = line.slice(0, 4).toUpperCase();
      const given = answer({ command: word, connection, carried });
      if (line === '.') carried++;
      const said = given === undefined ? (USUAL[word] ?? '250 ok') : given;
      if (said?.startsWith('354') === true) content = [];
      if (said === null) socket.destroy();
      else socket.write(`${said}\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `smtp://127.0.0.1:${port}`, stored };
}
