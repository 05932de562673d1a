/** HTTPS through proxies that make no tunnel, or are reached by TLS themselves. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import buildConnector from 'undici/lib/core/connect.js';
import { tunnelling } from '../../../natives/io/client/tunnel.js';
import { happens } from '../../patience.js';
import { output, serve, showing } from './support.js';

const SHOW = `
url = argv()[0]
proxy = argv()[1]
${showing('.gsub(argv()[1].replace("http://", ""), "PROXY")')}`;

/** A proxy that treats each connection by `answer`. */
async function rawProxy(
  t: Test,
  answer: (socket: Socket, count: number) => void,
): Promise<{ url: string; count(): number }> {
  let count = 0;
  const server = createServer((socket) => {
    t.teardown(() => socket.destroy());
    socket.on('error', () => {});
    answer(socket, ++count);
  });
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count };
}

t.test('a proxy that makes no tunnel is asked once for each request', async (t) => {
  // Node closes connections with CONNECT if nothing handles them.
  const plain = await serve(t, (_req, res) => res.end());
  const answers: Record<string, string> = {
    closing: '',
    refusing: 'HTTP/1.1 407 Who are you?\r\nContent-Length: 0\r\n\r\n',
    failing: 'HTTP/1.1 502 Bad Gateway\r\n\r\n',
    talking: 'SSH-2.0-OpenSSH\r\n',
  };
  const program = `${SHOW}show(-> { http("GET", url, proxy: proxy, timeout: 5) })`;
  const message = (reason: string): string =>
    `ConnectionError: cannot get an answer from example.test: the proxy refused the connection${reason} (GET https://example.test/)\n`;
  t.equal(await output(t, program, 'https://example.test/', plain), message(''));
  for (const [name, text] of Object.entries(answers)) {
    const { url, count } = await rawProxy(t, (socket) => socket.once('data', () => socket.end(text)));
    const [, status] = /^HTTP\/1.1 (\d+)/.exec(text) ?? [];
    t.equal(
      await output(t, program, 'https://example.test/', url),
      message(status === undefined ? '' : ` with ${status}`),
      name,
    );
    await pause(50);
    t.equal(count(), 1, name);
  }
});

t.test('a proxy that does not answer holds a connection for a limited time', async (t) => {
  let closed = 0;
  const { url } = await rawProxy(t, (socket) => socket.on('close', () => closed++).resume());
  const connect = tunnelling(buildConnector({}), new URL(url), null, 100);
  const options = { protocol: 'https:', hostname: 'example.test', port: '' };
  const error = await new Promise<Error | null>((resolve) => connect(options, (...[failed]) => resolve(failed)));
  t.match(error, { code: 'UND_ERR_CONNECT_TIMEOUT' });
  t.ok(await happens(() => closed === 1));
});
