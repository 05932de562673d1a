/** HTTPS through proxies that make no tunnel, or are reached by TLS themselves. */
import { createServer as createSecureServer } from 'node:https';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import buildConnector from 'undici/lib/core/connect.js';
import { tunnelling } from '../../../natives/io/client/tunnel.js';
import { happens } from '../../patience.js';
import { certificate, WITH_OPENSSL } from './certificates.js';
import { directory, output, runSource, serve, showing } from './support.js';

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
  const tunnel = tunnelling(buildConnector({}), new URL(url), null, 100);
  const options = { protocol: 'https:', hostname: 'example.test', port: '' };
  const error = await new Promise<Error | null>((resolve) => tunnel(options, (...[failed]) => resolve(failed)));
  t.match(error, { code: 'UND_ERR_CONNECT_TIMEOUT', proxy: new URL(url).host });
  t.ok(await happens(() => closed === 1));
});

t.test('proxies that are reached by TLS', WITH_OPENSSL, async (t) => {
  const dir = await directory(t);
  const own = certificate(dir, 'proxy');
  const target = createSecureServer(own, (_req, res) => res.end('target'));
  const proxy = createSecureServer(own, (req, res) => res.end(`proxy ${req.url} ${req.headers.host}`));
  proxy.on('connect', ({ url }, socket) => {
    const onward = connect(Number(new URL(`tcp://${url}`).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) end.on('error', () => onward.destroy());
    t.teardown(() => onward.destroy());
  });
  for (const server of [target, proxy]) {
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  const port = (server: typeof proxy): number => (server.address() as AddressInfo).port;
  const closed = await closedPort();
  const { stdout, stderr } = await runSource(
    t,
    `${showing(`.gsub("${port(proxy)}", "PROXY").gsub("${port(target)}", "PORT").gsub("${closed}", "CLOSED")`)}
ca = file_read(argv()[0])
["127.0.0.1", "localhost"].each do |host|
  proxy = "https://#{host}:${port(proxy)}"
  ["https://127.0.0.1:${port(target)}/", "http://example.test/"].each do |url|
    show(-> { http("GET", url, proxy: proxy, ca: ca).body })
    show(-> { http("GET", url, proxy: proxy, insecure: true).body })
    show(-> { http("GET", url, proxy: proxy) })
  end
end
show(-> { http("GET", "https://example.test/", proxy: "http://127.0.0.1:${closed}") })
show(-> { http("GET", "http://example.test/", proxy: "http://127.0.0.1:${closed}") })
`,
    [join(dir, 'proxy.pem')],
  );
  t.equal(stderr, '', 'nothing on stderr');
  const answers = (host: string): string => `(String) "target"
(String) "target"
ConnectionError: cannot get an answer from 127.0.0.1:PORT through the proxy ${host}:PROXY: the certificate is self-signed (GET https://127.0.0.1:PORT/)
(String) "proxy http://example.test/ example.test"
(String) "proxy http://example.test/ example.test"
ConnectionError: cannot get an answer from example.test through the proxy ${host}:PROXY: the certificate is self-signed (GET http://example.test/)
`;
  t.equal(
    stdout,
    `${answers('127.0.0.1')}${answers('localhost')}${['https', 'http']
      .map(
        (scheme) =>
          `ConnectionError: cannot get an answer from example.test through the proxy 127.0.0.1:CLOSED: nothing is listening at this address (GET ${scheme}://example.test/)\n`,
      )
      .join('')}`,
  );
});

t.test('header fields of a program for a proxy', async (t) => {
  const asked: string[] = [];
  const { url } = await rawProxy(t, (socket) =>
    socket.once('data', (data) => {
      const text = data.toString();
      const values = (name: string): string =>
        [...text.matchAll(new RegExp(`^${name}: (.*)\\r$`, 'gim'))].map(([, value]) => value).join(' and ');
      asked.push(`${text.split(' ')[0]} ${values('host')}, ${values('proxy-authorization')}`);
      socket.end('HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n');
    }),
  );
  await output(
    t,
    `${SHOW}
proxies = [proxy, proxy.replace("//", "//u:p@")]
["http", "https"].each do |scheme|
  [{}, {Host: "other.test"}, {"Proxy-Authorization": "mine"}].each do |headers|
    proxies.each { |address| show(-> { http("GET", "#{scheme}://example.test/", proxy: address, headers: headers).status }) }
  end
end
`,
    '',
    url,
  );
  t.strictSame(asked, [
    ...['GET example.test, ', 'GET example.test, Basic dTpw', 'GET other.test, ', 'GET other.test, Basic dTpw'],
    ...Array<string>(2).fill('GET example.test, mine'),
    ...Array.from({ length: 2 }, () => ['CONNECT example.test:443, ', 'CONNECT example.test:443, Basic dTpw']).flat(),
    ...Array<string>(2).fill('CONNECT example.test:443, mine'),
  ]);
});

/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const closed = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  return closed;
}
