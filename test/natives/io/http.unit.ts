import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { freePort } from '../../freeport.js';
import { happens } from '../../patience.js';
import { output, serve, showing } from './support.js';

const SHOW = `
url = argv()[0]
${showing('.replace(argv()[0].replace("http://", ""), "HOST")')}`;

/** A server that sends these bytes on each connection, then closes it if `close` is set. */
function rawServer(t: Test, bytes: string, closes: boolean): Promise<string> {
  const server: Server = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', () => {
        if (closes) socket.end(bytes);
        else socket.write(bytes);
      });
    t.teardown(() => socket.destroy());
  });
  t.teardown(() => server.close());
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );
}

t.test('requests', async (t) => {
  const url = await serve(t, (req, res) => {
    let body = '';
    req
      .setEncoding('utf8')
      .on('data', (part: string) => (body += part))
      .on('end', () => {
        const { 'content-type': type, authorization, 'x-a': own } = req.headers;
        res.end(JSON.stringify({ method: req.method, url: req.url, type, authorization, own, body }));
      });
  });
  const printed = await output(
    t,
    `${SHOW}
show(-> { http_get("#{url}/a?b=é").json() })
show(-> { http_post(url, "né").json() })
show(-> { http_post(url, {a: [1, 2.0]}).json() })
show(-> { http_put(url, json: nil).json() })
show(-> { http_patch(url, json: "x", headers: {"Content-Type": "a/b", "X-A": 5, "Content-Length": 99}).json() })
show(-> { http_delete(url, form: {a: "x y&", b: 1}).json() })
show(-> { http_get(url.replace("//", "//me:p%40ss@")).json().authorization })
`,
    url,
  );
  t.equal(
    printed,
    `(Hash) {method: "GET", url: "/a?b=%C3%A9", body: ""}
(Hash) {method: "POST", url: "/", type: "text/plain; charset=utf-8", body: "né"}
(Hash) {method: "POST", url: "/", type: "application/json; charset=utf-8", body: "{\\"a\\":[1,2.0]}"}
(Hash) {method: "PUT", url: "/", body: ""}
(Hash) {method: "PATCH", url: "/", type: "a/b", own: "5", body: "\\"x\\""}
(Hash) {method: "DELETE", url: "/", type: "application/x-www-form-urlencoded", body: "a=x+y%26&b=1"}
(String) "Basic bWU6cEBzcw=="
`,
  );
});

t.test('responses', async (t) => {
  const url = await serve(t, (req, res) => {
    switch (req.url) {
      case '/latin':
        res.writeHead(200, { 'Content-Type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from('né', 'latin1'));
        break;
      case '/odd':
        res.writeHead(200, { 'Content-Type': 'text/plain; charset=nonsense' }).end('né');
        break;
      case '/packed':
        res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('unpacked'));
        break;
      case '/bomb':
        res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(80 << 20)));
        break;
      case '/moved':
        res.writeHead(302, { Location: '/packed' }).end();
        break;
      case '/circle':
        res.writeHead(302, { Location: '/circle' }).end();
        break;
      case '/away':
        res.writeHead(302, { Location: 'file:///etc/passwd' }).end();
        break;
      case '/json':
        res.writeHead(201, { 'Set-Cookie': ['a=1', 'b=2'], 'X-Y': 'z' }).end('\ufeff{"a": 1}');
        break;
      default:
        res.writeHead(404).end('nothing {');
    }
  });
  const printed = await output(
    t,
    `${SHOW}
show(-> { r = http_get("#{url}/json"); [r.status, r.ok, r.json(), r.headers["x-y"], r.headers["X-Y"], r.headers["set-cookie"], r.to_s.replace(url, "URL")] })
show(-> { r = http_get("#{url}/none"); [r.status, r.ok, r.body] })
show(-> { http_get("#{url}/none").json() })
show(-> { http_get("#{url}/latin").body })
show(-> { http_get("#{url}/odd").body })
show(-> { r = http_get("#{url}/moved"); [r.body, r.url.replace(url, "URL")] })
show(-> { r = http_get("#{url}/moved", follow: false); [r.status, r.headers["location"]] })
show(-> { http_get("#{url}/circle") })
show(-> { http_get("#{url}/away") })
show(-> { http_get("#{url}/bomb") })
`,
    url,
  );
  t.equal(
    printed.replaceAll(url, 'URL'),
    `(Vector) [201, true, {a: 1}, "z", "z", "a=1, b=2", "<HttpResponse 201 URL/json>"]
(Vector) [404, false, "nothing {"]
ValueError: invalid JSON at line 1, column 1: expected a value, found 'n'
(String) "né"
(String) "né"
(Vector) ["unpacked", "URL/packed"]
(Vector) [302, "/packed"]
ConnectionError: cannot get an answer from HOST: too many redirections (GET http://HOST/circle)
ConnectionError: cannot get an answer from HOST: it redirects to a URL of file:, but only http and https can be requested (GET http://HOST/away)
MemoryError: the response from http://HOST/bomb is larger than 67108864 bytes
`,
  );
});

t.test('bytes', async (t) => {
  const url = await serve(t, (req, res) => {
    const chunks: Buffer[] = [];
    req
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const type = req.url === '/back' ? 'application/octet-stream' : `text/plain; charset=${req.url!.slice(1)}`;
        res.writeHead(200, { 'Content-Type': type, 'X-Type': req.headers['content-type'] ?? '' });
        res.end(Buffer.concat(chunks));
      });
  });
  const printed = await output(
    t,
    `${SHOW}
show(-> { r = http_post("#{url}/back", Bytes([0, 255, 10])); [r.bytes, r.headers["x-type"]] })
show(-> { http_put("#{url}/back", Bytes("é"), headers: {"Content-Type": "a/b"}).headers["x-type"] })
show(-> { http_post("#{url}/back", Bytes([65, 255])).body })
show(-> { http_post("#{url}/back", Bytes([65, 255])).json() })
show(-> { http_post("#{url}/iso-8859-1", Bytes([233])).body })
show(-> { http_post("#{url}/utf-16le", Bytes([65, 0, 0, 216])).body })
show(-> { r = http_post("#{url}/back", Bytes("a" * 1_000_000)); [r.bytes.length, r.body.length, r.body == r.body] })
show(-> { http_get("#{url}/back").bytes })
`,
    url,
  );
  t.equal(
    printed,
    `(Vector) [Bytes(3: 00 ff 0a), "application/octet-stream"]
(String) "a/b"
ValueError: body: the response is not UTF-8: byte ff at offset 1; bytes returns it unchanged
ValueError: body: the response is not UTF-8: byte ff at offset 1; bytes returns it unchanged
(String) "é"
ValueError: body: the response is not utf-16le; bytes returns it unchanged
(Vector) [1000000, 1000000, true]
(Bytes) Bytes(0)
`,
  );
});

t.test('invalid requests', async (t) => {
  t.equal(
    await output(
      t,
      `${SHOW}
show(-> { http_get("ftp://host/") })
show(-> { http_get("file:///etc/passwd") })
show(-> { http_get("nonsense") })
show(-> { http_get("http://") })
show(-> { http_get("http://a/", headers: {"X": "a\\r\\nB: c"}) })
show(-> { http_get("http://a/", headers: {"X Y": "a"}) })
show(-> { http_get("http://a/", headers: {X: [1]}) })
show(-> { http_get("http://a/", timeout: -1) })
show(-> { http_post("http://a/", "x", json: 1) })
show(-> { http_post("http://a/", 1..2) })
show(-> { http_client(base: "http://me:pw@a/b?key=secret") })
show(-> { http_client("http://a/b#top") })
show(-> { http_client(base: "http://a?") })
show(-> { http_get("ftp://me:pw@host/a?token=secret") })
show(-> { http_get("//host/a#secret") })
show(-> { ws_connect("//me:pw@host/a?token=secret") })
show(-> { ws_connect("wss://me:pw@host/a?token=secret") })
show(-> { ws_connect("http://me:pw@host/a?token=secret") })
show(-> { ws_connect("ws://me:pw@host/a?token=secret#part") })
`,
      'http://none',
    ),
    `ValueError: only http and https URLs can be requested, got "ftp://host/"
ValueError: only http and https URLs can be requested, got "file:///etc/passwd"
ValueError: not a URL: "nonsense"; it has to begin with http:// or https://
ValueError: not a URL: "http://"; its host or port is not valid
ValueError: the value of header X contains a character that headers cannot carry: "a\\r\\nB: c"
ValueError: "X Y" is not a valid header name
ValueError: header X must be a String or a number, got Vector
ArgumentError: timeout must be more than 0 seconds, got -1
ArgumentError: only one of body, json, form and multipart can be sent
TypeError: a body must be String, Bytes, Hash, Vector or Record, got Range
ValueError: http_client(): base cannot have a query, because paths are appended to it: http://a/b?…
ValueError: http_client(): base cannot have a fragment, because paths are appended to it: http://a/b
ValueError: http_client(): base cannot have a query, because paths are appended to it: http://a/
ValueError: only http and https URLs can be requested, got "ftp://host/a?…"
ValueError: not a URL: "//host/a#…"; it has to begin with http:// or https://
ValueError: ws_connect() needs an address such as ws://localhost:3000/chat, got "host/a?…"
ValueError: ws_connect() supports only ws:// (no TLS), got "wss://host/a?…"; use a proxy for TLS
ValueError: ws_connect() needs an address that begins with ws://, got "http://host/a?…"
ValueError: a WebSocket address cannot have a fragment (#…), got "ws://host/a?…"
`,
  );
});

t.test('connections that fail', async (t) => {
  const closed = `http://127.0.0.1:${await freePort()}`;
  // prettier-ignore
  const cases: [string, RegExp][] = [
    [closed, /^ConnectionError: cannot get an answer from HOST: nothing is listening at this address \(GET http:\/\/HOST\/\)$/],
    [await rawServer(t, '', true), /^ConnectionError: cannot get an answer from HOST: the connection was broken \(GET http:\/\/HOST\/\)$/],
    [await rawServer(t, 'nonsense\r\n\r\n', true), /^ConnectionError: cannot get an answer from HOST: the response is not valid HTTP \(GET http:\/\/HOST\/\)$/],
    [await rawServer(t, 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', true), /^ConnectionError: cannot get an answer from HOST: the connection was broken \(GET http:\/\/HOST\/\)$/],
    [await rawServer(t, `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, true), /^ConnectionError: cannot get an answer from HOST: the headers of the response are too large \(GET http:\/\/HOST\/\)$/],
    ['http://127.0.0.1:1', /^ConnectionError: cannot get an answer from HOST: this port belongs to another protocol/],
  ];
  for (const [url, expected] of cases)
    t.match((await output(t, `${SHOW}show(-> { http_get(url) })`, url)).trimEnd(), expected);
});

t.test('a request ends with the thread that waits for it', async (t) => {
  let open = 0;
  const url = await serve(t, (req, res) => {
    open++;
    res.on('close', () => open--);
    if (req.url === '/body') res.writeHead(200, { 'Content-Length': 10 }).write('abc');
  });
  const printed = await output(
    t,
    `${SHOW}
show(-> { http_get(url, timeout: 0.2) })
show(-> { http_get("#{url}/body", timeout: 0.2) })
show(-> { timeout(0.2) { http_get(url, timeout: nil) } })
task = spawn { http_get(url) }
sleep 0.2
task.cancel
show(-> { await task })
`,
    url,
  );
  t.equal(
    printed,
    `TimeoutError: timed out after 0.2s (GET http://HOST/)
TimeoutError: timed out after 0.2s (GET http://HOST/body)
TimeoutError: timed out after 0.2s
RuntimeError: the task was cancelled
`,
  );
  t.ok(await happens(() => open === 0), 'all connections are gone');
});

t.test('many requests at once', async (t) => {
  // Answers after all requests have arrived.
  const waiting: (() => void)[] = [];
  const url = await serve(t, (req, res) => {
    waiting.push(() => res.end(req.url));
    if (waiting.length === 50) for (const answer of waiting) answer();
  });
  t.equal(
    await output(
      t,
      `
url = argv()[0]
tasks = 50.times.map { |i| spawn { http_get("#{url}/#{i}").body } }
puts await(tasks) == 50.times.map { |i| "/#{i}" }
`,
      url,
    ),
    'true\n',
  );
});

t.test('a large response is read only up to its limit', async (t) => {
  let sent = 0;
  const url = await serve(t, (_req, res) => {
    const part = Buffer.alloc(1 << 20, 'x');
    const more = (): void => {
      while (!res.destroyed && res.write(part)) sent++;
    };
    res.on('drain', more);
    more();
  });
  t.match(
    await output(t, `${SHOW}show(-> { http_get(url) })`, url),
    /^MemoryError: the response from .* is larger than 67108864 bytes/,
  );
  t.ok(sent < 80, `${sent} MiB were sent`);
});
