import { createServer as createSecureServer } from 'node:https';
import { createServer as createRawServer, connect, type AddressInfo, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { RUNS_ALL } from '../../share.js';
import { happens } from '../../patience.js';
import { certificate, WITH_OPENSSL } from './certificates.js';
import { directory, output, serve, showing } from './support.js';

const SHOW = `
url = argv()[0]
${showing('.gsub(argv()[0].replace("http://", ""), "HOST")')}`;

/** A server that answers each connection by itself. */
function rawServer(t: Test, answer: (socket: Socket, count: number) => void): Promise<string> {
  let count = 0;
  const server = createRawServer((socket) => {
    t.teardown(() => socket.destroy());
    socket.on('error', () => {});
    answer(socket, ++count);
  });
  t.teardown(() => server.close());
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );
}

t.test('requests with all kinds of bodies', async (t) => {
  const url = await serve(t, (req, res) => {
    const parts: Buffer[] = [];
    req
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        const { 'content-type': type = '', accept, 'accept-encoding': codings, 'user-agent': agent } = req.headers;
        const [, boundary = 'no boundary'] = /boundary=(.*)/.exec(type) ?? [];
        const body = Buffer.concat(parts).toString().replaceAll(boundary, 'B');
        res.end(JSON.stringify([req.method, type.replace(boundary, 'B'), body, accept, codings, agent]));
      });
  });
  t.equal(
    await output(
      t,
      `${SHOW}
show(-> { http("get", url).json })
show(-> { http("PUT", url, json: [1]).json.first(3) })
show(-> { http("POST", url, form: {a: "x y", b: [1, 2]}).json.first(3) })
show(-> { http("POST", url, body: "é").json.first(3) })
show(-> { http("POST", url, body: Bytes("é"), headers: {"content-type": "a/b"}).json.first(3) })
show(-> { http("POST", url, body: {a: 1}).json.first(3) })
show(-> { http("POST", url, multipart: {a: "é", b: Bytes("1"), c: {content: "2", filename: "q\\"\\n.txt", type: "x/y"}, d: [1, 2]}).json.first(3) })
show(-> { http("POST", url, multipart: {}).json.first(3) })
show(-> { http("HEAD", url).body })
show(-> { http("OPTIONS", url).json.first })
show(-> { http("POST", url, body: "x" * 3_000_000).json[2].length })
show(-> { http("POST", url, json: ["x" * 10] * 100_000).json[2].length })
show(-> { http("TRACE", url) })
show(-> { http("A B", url) })
show(-> { http("GET", url, json: 1, multipart: {}) })
show(-> { http("POST", url, multipart: {a: nil}) })
show(-> { http("POST", url, multipart: {a: {content: 1}}) })
show(-> { http("POST", url, multipart: {a: {body: "1"}}) })
show(-> { http("POST", url, multipart: {a: {content: "1", type: "a\\nb"}}) })
show(-> { http("GET", url, tiemout: 1) })
show(-> { http("GET", url, timeout: "1") })
show(-> { http("GET", url, retries: -1) })
show(-> { http("GET", url, max_bytes: 0) })
show(-> { http("GET", url, cert: "x") })
show(-> { http("GET", url, public_only: true, proxy: url) })
show(-> { http("GET", "http://u:secret@[") })
`,
      url,
    ),
    `(Vector) ["GET", "", "", "*/*", "gzip, deflate, br", "svc"]
(Vector) ["PUT", "application/json; charset=utf-8", "[1]"]
(Vector) ["POST", "application/x-www-form-urlencoded", "a=x+y&b=1&b=2"]
(Vector) ["POST", "text/plain; charset=utf-8", "é"]
(Vector) ["POST", "a/b", "é"]
(Vector) ["POST", "application/json; charset=utf-8", "{\\"a\\":1}"]
(Vector) ["POST", "multipart/form-data; boundary=B", "--B\\r\\nContent-Disposition: form-data; name=\\"a\\"\\r\\n\\r\\né\\r\\n--B\\r\\nContent-Disposition: form-data; name=\\"b\\"; filename=\\"b\\"\\r\\nContent-Type: application/octet-stream\\r\\n\\r\\n1\\r\\n--B\\r\\nContent-Disposition: form-data; name=\\"c\\"; filename=\\"q%22%0A.txt\\"\\r\\nContent-Type: x/y\\r\\n\\r\\n2\\r\\n--B\\r\\nContent-Disposition: form-data; name=\\"d\\"\\r\\n\\r\\n1\\r\\n--B\\r\\nContent-Disposition: form-data; name=\\"d\\"\\r\\n\\r\\n2\\r\\n--B--\\r\\n"]
(Vector) ["POST", "multipart/form-data; boundary=B", "--B--\\r\\n"]
(String) ""
(String) "OPTIONS"
(Integer) 3000000
(Integer) 1300001
ArgumentError: "TRACE" is not a method that can be sent
ArgumentError: "A B" is not a method that can be sent
ArgumentError: only one of body, json, form and multipart can be sent
TypeError: multipart field "a" must be a String, a number, Bytes or a Hash {content:, filename:, type:}, got Nil
TypeError: multipart field "a": content must be String or Bytes, got Integer
ArgumentError: multipart field "a" has an unknown key 'body'; there are content, filename, type
ValueError: multipart field "a": "a\\nb" is not a media type
ArgumentError: http() has no option 'tiemout'; did you mean 'timeout'?
TypeError: http(): timeout must be Number or Duration or nil, got String
ArgumentError: http(): retries must be 0 or more, got -1
ArgumentError: http(): max_bytes must be 1 or more, got 0
ArgumentError: http(): a client certificate needs both cert and key
ArgumentError: http(): public_only and proxy exclude each other: a proxy chooses the address itself
ValueError: not a URL: "http://["; its host or port is not valid
`,
  );
});

t.test('content codings', async (t) => {
  const url = await serve(t, (req, res) => {
    const text = 'unpacked '.repeat(10_000);
    const answers: Record<string, [string, Buffer]> = {
      '/gzip': ['gzip', gzipSync(text)],
      '/br': ['br', brotliCompressSync(text)],
      '/deflate': ['deflate', deflateSync(text)],
      '/raw': ['deflate', deflateRawSync(text)],
      '/both': ['gzip, br', brotliCompressSync(gzipSync(text))],
      '/empty': ['gzip', Buffer.alloc(0)],
      '/garbage': ['gzip', Buffer.from('this is not gzip')],
      '/cut': ['gzip', gzipSync(text).subarray(0, 50)],
      '/unknown': ['zstd', Buffer.from('as it is')],
      '/many': ['gzip, gzip, gzip, gzip, gzip, gzip', Buffer.from('x')],
      '/bomb': ['gzip', gzipSync(Buffer.alloc(20 << 20))],
    };
    const [coding, body] = answers[req.url as string];
    res.writeHead(200, { 'Content-Encoding': coding }).end(body);
  });
  t.equal(
    await output(
      t,
      `${SHOW}
["gzip", "br", "deflate", "raw", "both", "empty", "garbage", "cut", "unknown", "many"].each do |name|
  show(-> { http("GET", "#{url}/#{name}").body.length })
end
show(-> { http("GET", "#{url}/bomb", max_bytes: 1_000_000) })
show(-> { http("GET", "#{url}/bomb", stream: true, max_bytes: 1_000_000).bytes })
show(-> { http("GET", "#{url}/garbage", stream: true).bytes })
show(-> { http("GET", "#{url}/garbage", stream: true).each_chunk { 1 } })
show(-> { http("HEAD", "#{url}/gzip").bytes.length })
`,
      url,
    ),
    `${'(Integer) 90000\n'.repeat(5)}(Integer) 0
ConnectionError: cannot get an answer from HOST: the body of the response is not valid gzip (GET http://HOST/garbage)
ConnectionError: cannot get an answer from HOST: the body of the response is not valid gzip (GET http://HOST/cut)
(Integer) 8
ConnectionError: cannot get an answer from HOST: the response has 6 codings (GET http://HOST/many)
MemoryError: the response from http://HOST/bomb is larger than 1000000 bytes
MemoryError: the response from http://HOST/bomb is larger than 1000000 bytes
ConnectionError: cannot get an answer from HOST: the body of the response is not valid gzip (GET http://HOST/garbage)
ConnectionError: cannot get an answer from HOST: the body of the response is not valid gzip (GET http://HOST/garbage)
(Integer) 0
`,
  );
});

t.test('redirects', async (t) => {
  const other = await serve(t, (req, res) => {
    const { authorization, cookie, 'x-own': own, 'x-client': client } = req.headers;
    res.end(JSON.stringify({ authorization, cookie, own, client }));
  });
  const url = await serve(t, (req, res) => {
    let body = '';
    req
      .on('data', (part: Buffer) => (body += part.toString()))
      .on('end', () => {
        const { pathname, searchParams } = new URL(req.url as string, 'http://x');
        const status = Number(pathname.slice(1));
        if (Number.isInteger(status))
          res.writeHead(status, { Location: searchParams.get('to') ?? '/end' }).end('moved'.repeat(10_000));
        else if (pathname === '/none') res.writeHead(302).end('no location');
        else if (pathname === '/loop') res.writeHead(302, { Location: '/loop' }).end();
        else if (pathname === '/file') res.writeHead(302, { Location: 'file:///etc/hosts' }).end();
        else if (pathname === '/odd') res.writeHead(302, { Location: 'http://[' }).end();
        else
          res.end(
            JSON.stringify([req.method, req.headers['content-type'] ?? '', body, req.headers.authorization ?? '']),
          );
      });
  });
  t.equal(
    (
      await output(
        t,
        `${SHOW}
other = argv()[1]
[301, 302, 303, 307, 308].each do |status|
  ["POST", "PUT", "GET"].each { |method| show(-> { http(method, "#{url}/#{status}", json: 1, headers: {Authorization: "me"}).json }) }
end
show(-> { http("HEAD", "#{url}/303").status })
secret = {Authorization: "me", Cookie: "a=1", "X-Own": "own"}
show(-> { http("GET", "#{url}/307?to=#{url_encode(other)}", headers: secret).json })
show(-> { http("GET", "#{url.replace("//", "//me:pw@")}/307?to=#{url_encode(other)}").json })
show(-> { http("GET", "#{url}/307?to=#{url_encode(other.replace("//", "//you:pw@"))}").json })
show(-> { http_client(base: url, headers: {"X-Client": 1}).get("/307?to=#{url_encode(other)}").json })
show(-> { http_client(base: url, headers: {"X-Client": 1}).get(other).json })
show(-> { http("GET", "#{url}/none").body })
show(-> { http("GET", "#{url}/odd") })
show(-> { http("GET", "#{url}/file") })
show(-> { http("GET", "#{url}/loop", follow: 3) })
show(-> { http("GET", "#{url}/302?to=%2F302", follow: 2).url.replace(url, "") })
show(-> { http("GET", "#{url}/302?to=%2F302", follow: 1) })
show(-> { http("GET", "#{url}/302", follow: 0).status })
show(-> { http("GET", "#{url}/302?to=%2Fend%23a").url.replace(url, "") })
`,
        url,
        other,
      )
    ).replaceAll(other, 'OTHER'),
    `${['301', '302'].map(() => '(Vector) ["GET", "", "", "me"]\n(Vector) ["PUT", "application/json; charset=utf-8", "1", "me"]\n(Vector) ["GET", "application/json; charset=utf-8", "1", "me"]\n').join('')}(Vector) ["GET", "", "", "me"]
(Vector) ["GET", "", "", "me"]
(Vector) ["GET", "application/json; charset=utf-8", "1", "me"]
${['307', '308'].map(() => ['POST', 'PUT', 'GET'].map((method) => `(Vector) ["${method}", "application/json; charset=utf-8", "1", "me"]\n`).join('')).join('')}(Integer) 200
(Hash) {own: "own"}
(Hash) {}
(Hash) {}
(Hash) {}
(Hash) {}
(String) "no location"
ConnectionError: cannot get an answer from HOST: it redirects to "http://[", which is no URL (GET http://HOST/odd)
ConnectionError: cannot get an answer from HOST: it redirects to a URL of file:, but only http and https can be requested (GET http://HOST/file)
ConnectionError: cannot get an answer from HOST: too many redirections (GET http://HOST/loop)
(String) "/end"
ConnectionError: cannot get an answer from HOST: too many redirections (GET http://HOST/302?…)
(Integer) 302
(String) "/end"
`,
  );
});

t.test('header fields are Latin-1, locations the bytes that were sent', async (t) => {
  const url = await rawServer(t, (socket) =>
    socket.once('data', (data) => {
      const path = data.toString('latin1').split(' ')[1];
      const location = { '/utf8': '/\u00c3\u00ab', '/latin1': '/\u00eb' }[path];
      const head =
        location === undefined
          ? `200 OK\r\nX-Path: ${path}\r\nX-Name: Zo\u00eb\r\nContent-Disposition: inline; filename=\u00e9\r\n`
          : `302 Found\r\nLocation: ${location}\r\n`;
      socket.end(Buffer.from(`HTTP/1.1 ${head}Content-Length: 0\r\n\r\n`, 'latin1'));
    }),
  );
  t.equal(
    await output(
      t,
      `${SHOW}
show(-> { http_get(url).headers["X-Name"] })
show(-> { http_get(url).headers["Content-Disposition"] })
show(-> { http_get(url + "/utf8").headers["X-Path"] })
show(-> { http_get(url + "/latin1").headers["X-Path"] })`,
      url,
    ),
    `(String) "Zoë"
(String) "inline; filename=é"
(String) "/%C3%AB"
(String) "/%EB"
`,
  );
});

t.test('requests are repeated', async (t) => {
  const counts = new Map<string, number>();
  const url = await rawServer(t, (socket) => {
    socket.on('data', (data) => {
      const [, path] = data.toString().split(' ');
      const n = (counts.get(path) ?? 0) + 1;
      counts.set(path, n);
      const send = (status: string, fields = ''): void =>
        void socket.write(`HTTP/1.1 ${status} x\r\n${fields}Content-Length: 2\r\n\r\n${n} `);
      if (path.startsWith('/reset') && n < (path === '/reset' ? 3 : 10)) socket.destroy();
      else if (path === '/middle' && n < 3) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
      else if (path === '/503' && n < 3) send('503');
      else if (path === '/429' && n < 2) send('429', 'Retry-After: 1\r\n');
      else if (path === '/later') send('503', 'Retry-After: 100\r\n');
      else if (path === '/500') send('500');
      else send('200');
    });
  });
  t.equal(
    await output(
      t,
      `${SHOW}
def ask(method, url, **options)
  r = http(method, url, **options)
  "#{r.status} #{r.body}"
end
show(-> { ask("GET", "#{url}/reset", retries: 3) })
show(-> { ask("GET", "#{url}/reset2", retries: 1) })
show(-> { ask("POST", "#{url}/reset3", retries: 3) })
show(-> { ask("GET", "#{url}/middle", retries: 3) })
show(-> { ask("PUT", "#{url}/503", retries: 2, body: "x") })
started = clock_ms()
show(-> { ask("GET", "#{url}/429", retries: 2) })
show(-> { clock_ms() - started >= 1000 })
show(-> { ask("GET", "#{url}/later", retries: 2, timeout: 20) })
show(-> { ask("GET", "#{url}/500", retries: 2) })
show(-> { timeout(0.1) { ask("GET", "#{url}/later", retries: 2, timeout: nil) } })
`,
      url,
    ),
    `(String) "200 3 "
ConnectionError: cannot get an answer from HOST: the connection was broken (GET http://HOST/reset2)
ConnectionError: cannot get an answer from HOST: the connection was broken (POST http://HOST/reset3)
(String) "200 3 "
(String) "200 3 "
(String) "200 2 "
(Boolean) true
(String) "503 1 "
(String) "500 1 "
TimeoutError: timed out after 0.1s
`,
  );
  const sent = counts.get('/reset2') as number;
  t.ok(sent === 2 || sent === 3, `${sent} times: once more if the first connection was an idle one`);
  t.equal(counts.get('/reset3'), 1, 'a POST is sent once');
});

t.test('a connection that the server has closed is replaced', async (t) => {
  const url = await rawServer(t, (socket, count) => {
    let asked = 0;
    socket.on('data', () => {
      // The first connection answers once, and breaks at the next request.
      if (count === 1 && ++asked > 1) socket.end();
      else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${count}`);
    });
  });
  t.equal(
    await output(t, `${SHOW}show(-> { [http_get(url).body, http_get(url).body] })`, url),
    '(Vector) ["1", "2"]\n',
  );
});

t.test('malformed responses', async (t) => {
  const answers: Record<string, string> = {
    '/longer': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabcdef',
    '/two': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc',
    '/chunk': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc',
    '/status': 'HTTP/1.1 banana\r\n\r\n',
    '/cut': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    '/zero': 'HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\nab',
    '/low': 'HTTP/1.1 099 OK\r\n\r\n',
  };
  const url = await rawServer(t, (socket) =>
    socket.once('data', (data) => socket.end(answers[data.toString().split(' ')[1]])),
  );
  t.equal(
    await output(
      t,
      `${SHOW}["longer", "two", "chunk", "status", "cut", "zero", "low"].each { |name| show(-> { http_get("#{url}/#{name}").body }) }`,
      url,
    ),
    `(String) "ab"
ConnectionError: cannot get an answer from HOST: the body of the response is not as long as its Content-Length says (GET http://HOST/two)
ConnectionError: cannot get an answer from HOST: the response is not valid HTTP (GET http://HOST/chunk)
ConnectionError: cannot get an answer from HOST: the response is not valid HTTP (GET http://HOST/status)
ConnectionError: cannot get an answer from HOST: the connection was broken (GET http://HOST/cut)
ConnectionError: cannot get an answer from HOST: the response is not valid HTTP (GET http://HOST/zero)
ConnectionError: cannot get an answer from HOST: the response is not valid HTTP (GET http://HOST/low)
`,
  );
});

t.test('header fields with the names of members of objects', async (t) => {
  const fields = 'Constructor: a\r\n__proto__: b\r\nconstructor: c\r\ntoString: d\r\n';
  const url = await rawServer(t, (socket) =>
    socket.once('data', () =>
      socket.end(
        `HTTP/1.1 103 Early Hints\r\n${fields}\r\nHTTP/1.1 200 OK\r\n${fields}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n${fields}\r\n`,
      ),
    ),
  );
  t.equal(
    await output(
      t,
      `${SHOW}
show(-> { http_get(url).body })
show(-> { ["Constructor", "__proto__", "tostring"].map { |name| http_get(url).headers[name] } })`,
      url,
    ),
    `(String) "ok"
(Vector) ["a, c", "b", "d"]
`,
  );
});

t.test('a streamed response is read as fast as the program takes it', async (t) => {
  let sent = 0;
  let open = 0;
  const url = await serve(t, (_req, res) => {
    const part = Buffer.alloc(1 << 20, 'x');
    open++;
    res.on('close', () => open--);
    const more = (): void => {
      while (!res.destroyed && res.write(part)) sent++;
    };
    res.on('drain', more);
    more();
  });
  t.equal(
    await output(
      t,
      `${SHOW}
r = http("GET", url, stream: true)
show(-> { sleep 0.2; r.each_chunk { |part| break part.length > 0 } })
show(-> { r.bytes })
show(-> { http("GET", url, stream: true).close })
chunks = http("GET", url, stream: true).each_chunk
show(-> { chunks.next.length > 0 })
chunks.close
task = spawn { http("GET", url, stream: true).each_chunk { |part| sleep 100 } }
sleep 0.1
task.cancel
last = http("GET", url, stream: true)
show(-> { last.each_chunk.lazy.map(&.length).first(3).sum > 3 })
last.close
`,
      url,
    ),
    '(Boolean) true\nRuntimeError: each_chunk has already read the body of this response\n(Nil) nil\n(Boolean) true\n(Boolean) true\n',
  );
  t.ok(await happens(() => open === 0), 'all connections are gone');
  t.ok(sent < 60, `${sent} MiB were sent`);
});

t.test('a body that stops arriving', async (t) => {
  let open = 0;
  const url = await serve(t, (_req, res) => {
    open++;
    res.on('close', () => open--);
    res.writeHead(200, { 'Content-Length': 10 }).write('abc');
  });
  t.equal(
    await output(
      t,
      `${SHOW}
show(-> { http("GET", url, stream: true, timeout: 0.2).bytes })
show(-> { http("GET", url, stream: true, timeout: 0.2).each_chunk { |part| p part.to_s } })
show(-> { timeout(0.2) { http("GET", url, stream: true, timeout: nil).each_chunk { |part| p part.to_s } } })
`,
      url,
    ),
    `TimeoutError: timed out after 0.2s (http://HOST/)
(String) "abc"
TimeoutError: timed out after 0.2s (http://HOST/)
(String) "abc"
TimeoutError: timed out after 0.2s
`,
  );
  t.ok(await happens(() => open === 0), 'all connections are gone');
});

t.test('addresses that are not public are refused', async (t) => {
  const url = await serve(t, (_req, res) => res.end('private'));
  const port = url.split(':').at(-1) as string;
  const refused = (host: string, address: string): string =>
    `ConnectionError: cannot get an answer from ${host}: its address ${address} is not public (GET http://${host}/)\n`;
  t.equal(
    await output(
      t,
      `${showing()}
port = argv()[0]
["127.0.0.1", "localhost", "0x7f.1", "2130706433", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "[fe80::1]", "[64:ff9b::7f00:1]"].each do |host|
  show(-> { http("GET", "http://#{host}:#{port}/", public_only: true) })
end
show(-> { http("GET", "http://localhost:#{port}/").body })
`,
      port,
    ),
    [
      refused(`127.0.0.1:${port}`, '127.0.0.1'),
      refused(`localhost:${port}`, '127.0.0.1').replace('its address 127.0.0.1', 'its address LOCAL'),
      refused(`127.0.0.1:${port}`, '127.0.0.1'),
      refused(`127.0.0.1:${port}`, '127.0.0.1'),
      refused(`10.0.0.1:${port}`, '10.0.0.1'),
      refused(`169.254.169.254:${port}`, '169.254.169.254'),
      refused(`[::1]:${port}`, '::1'),
      refused(`[::ffff:7f00:1]:${port}`, '::ffff:7f00:1'),
      refused(`[fe80::1]:${port}`, 'fe80::1'),
      refused(`[64:ff9b::7f00:1]:${port}`, '64:ff9b::7f00:1'),
      '(String) "private"\n',
    ]
      .join('')
      .replace('LOCAL', '127.0.0.1'),
  );
});

t.test('proxies', async (t) => {
  const url = await serve(t, (req, res) => res.end(`direct ${req.url}`));
  const tunnelled: string[] = [];
  const proxy = await rawServer(t, (socket) => {
    socket.once('data', (data) => {
      const [method, target] = data.toString().split(' ');
      const [, credentials = ''] = /proxy-authorization: (.*)\r/i.exec(data.toString()) ?? [];
      if (method === 'CONNECT') {
        tunnelled.push(target);
        const [host, port] = target.split(':');
        const onward = connect(Number(port), host, () => {
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
          socket.pipe(onward).pipe(socket);
        });
        onward.on('error', () => socket.destroy());
        return;
      }
      const text = `proxy ${target} ${credentials}`;
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    });
  });
  t.equal(
    (
      await output(
        t,
        `${SHOW}
proxy = argv()[1]
show(-> { http("GET", "http://example.test/a?b", proxy: proxy).body })
show(-> { http("GET", "http://example.test/a?b", proxy: proxy.replace("//", "//me:p%40ss@")).body })
show(-> { http("GET", "#{url}/x", proxy: false).body })
show(-> { http("GET", url, proxy: "socks5://x") })
show(-> { http("GET", url, proxy: "nonsense") })
show(-> { http("GET", url.replace("http", "https"), proxy: proxy, timeout: 5) })
`,
        url,
        proxy,
      )
    ).replace(/not speak TLS|was broken/, 'FAILED'),
    `(String) "proxy http://example.test/a?b "
(String) "proxy http://example.test/a?b Basic bWU6cEBzcw=="
(String) "direct /x"
ConnectionError: cannot get an answer from HOST: the address of the proxy is not an http or https URL (GET http://HOST/)
ConnectionError: cannot get an answer from HOST: the address of the proxy is not an http or https URL (GET http://HOST/)
ConnectionError: cannot get an answer from HOST: the server does FAILED (GET https://HOST/)
`,
  );
  t.strictSame(tunnelled, [url.replace('http://', '')]);
});

t.test('TLS', WITH_OPENSSL, async (t) => {
  const dir = await directory(t);
  const server = certificate(dir, 'server');
  const own = certificate(dir, 'client');
  const secure = createSecureServer(
    { ...server, ca: own.cert, requestCert: true, rejectUnauthorized: false },
    (req, res) => {
      const socket = req.socket as Socket & { authorized: boolean };
      res.end(`authorized: ${socket.authorized}`);
    },
  );
  t.teardown(() => {
    secure.closeAllConnections();
    secure.close();
  });
  const url = await new Promise<string>((resolve) =>
    secure.listen(0, '127.0.0.1', () => resolve(`https://127.0.0.1:${(secure.address() as AddressInfo).port}`)),
  );
  t.equal(
    (
      await output(
        t,
        `url = argv()[0]
${showing('')}
dir = argv()[1]
ca = file_read("#{dir}/server.pem")
cert = file_read("#{dir}/client.pem")
key = file_read("#{dir}/client.key")
show(-> { http("GET", url).body })
show(-> { http("GET", url, insecure: true).body })
show(-> { http("GET", url, ca: ca).body })
show(-> { http("GET", url, ca: ca, cert: cert, key: key).body })
show(-> { http_client(ca: ca, cert: cert, key: key).get(url).body })
show(-> { http("GET", url, ca: cert).body })
show(-> { http("GET", url, ca: "nonsense").body })
show(-> { http("GET", url.replace("https", "http")).body })
`,
        url,
        dir,
      )
    ).replaceAll(url.replace('https://', ''), 'HOST'),
    `ConnectionError: cannot get an answer from HOST: the certificate is self-signed (GET https://HOST/)
(String) "authorized: false"
(String) "authorized: false"
(String) "authorized: true"
(String) "authorized: true"
ConnectionError: cannot get an answer from HOST: the certificate is self-signed (GET https://HOST/)
ArgumentError: ca is not a certificate in PEM
ConnectionError: cannot get an answer from HOST: the connection was broken (GET http://HOST/)
`,
  );
});

/** Requests of each of the threads. */
const EACH = RUNS_ALL ? 100 : 30;

t.test(`${100 * EACH} requests in 100 threads use few connections`, async (t) => {
  const seen = new Set<Socket>();
  let most = 0;
  let now = 0;
  const url = await serve(t, (req, res) => {
    seen.add(req.socket);
    most = Math.max(most, ++now);
    res.on('close', () => now--);
    res.end(req.url);
  });
  t.equal(
    await output(
      t,
      `
client = http_client(base: argv()[0], connections: 10)
tasks = 100.times.map { |i| spawn { ${EACH}.times.count { |j| client.get("/#{i}/#{j}").body == "/#{i}/#{j}" } } }
puts await(tasks).sum
`,
      url,
    ),
    `${100 * EACH}\n`,
  );
  t.equal(seen.size, 10, 'connections');
  t.ok(most <= 10, `${most} at once`);
});

t.test('requests take turns for connections to a host', async (t) => {
  let others = 0;
  const url = await serve(t, (req, res) => {
    if (req.url === '/others') others++;
    setTimeout(() => res.end(String(others)), 3);
  });
  const seen = await output(
    t,
    `
client = http_client(base: argv()[0], connections: 2)
app = web_app()
app.get("/many") do |req|
  400.times { spawn { client.get("/others") } }
  "started"
end
app.get("/one") { |req| client.get("/").body }
browser = app.client
browser.get("/many")
sleep(0.1)
puts browser.get("/one").body
`,
    url,
  );
  t.ok(Number(seen) < 200, `${seen.trim()} requests of the other one before`);
  t.equal(others, 400, 'all are answered');
});

t.test('a request waits for a host whose connections are closed because many others are used', async (t) => {
  const urls = await Promise.all(Array.from({ length: 105 }, () => serve(t, (_req, res) => void res.end('other'))));
  let release = (): void => {};
  const first = await serve(t, (req, res) => {
    if (req.url === '/held') release = () => res.end('held');
    else {
      if (req.url === '/release') release();
      res.end('next');
    }
  });
  t.equal(
    await output(
      t,
      `
first, *others = argv()
client = http_client(connections: 1)
held = spawn { client.get("#{first}/held").body }
sleep(0.05)
waiting = 5.times.map { spawn { client.get("#{first}/").body } }
sleep(0.05)
puts others.map { |url| client.get(url).body }.tally
http("GET", "#{first}/release")
puts await(held), await(waiting).tally
`,
      first,
      ...urls,
    ),
    '{other: 105}\nheld\n{next: 5}\n',
  );
});

t.test('cookies of a client', async (t) => {
  const url = await serve(t, (req, res) => {
    if (req.url === '/set')
      res.setHeader('Set-Cookie', [
        'a=1; Path=/',
        'b=%C3%A9; Max-Age=1',
        'c=3; Path=/deep',
        'd=4; Secure',
        'e=5; Domain=com',
        'f=6; Max-Age=0',
        'nonsense',
      ]);
    if (req.url === '/odd')
      res.setHeader('Set-Cookie', ['h = 8 = 9 ; Path=/', '=no', ' ; i=no', `j${' '.repeat(9000)}k`]);
    if (req.url === '/go') res.writeHead(302, { 'Set-Cookie': 'g=7', Location: '/' });
    res.end(req.headers.cookie ?? 'none');
  });
  t.equal(
    await output(
      t,
      `${SHOW}
client = http_client(base: url, cookies: true)
show(-> { client.get("/set").cookies })
show(-> { http_get(url + "/odd").cookies })
show(-> { client.get("/").body })
show(-> { client.get("/deep/x", headers: {Cookie: "own=1"}).body })
show(-> { [client.cookies, client.cookies("/deep")] })
show(-> { client.get("/go").body })
show(-> { http_client(base: url).get("/").body })
show(-> { client.clear_cookies; client.get("/").body })
show(-> { http_client(base: "nonsense") })
show(-> { http_client(bse: url) })
show(-> { http_client().get("/path") })
show(-> { client.request("DELETE", "").status })
show(-> { client })
show(-> { http_client(url, timeout: 5) })
show(-> { http_client(5) })
`,
      url,
    ),
    `(Hash) {a: "1", b: "é", c: "3", d: "4", e: "5", f: "6"}
(Hash) {h: "8 = 9"}
(String) "a=1; b=%C3%A9; d=4"
(String) "c=3; a=1; b=%C3%A9; d=4; own=1"
(Vector) [{a: "1", b: "é", d: "4"}, {c: "3", a: "1", b: "é", d: "4"}]
(String) "a=1; b=%C3%A9; d=4; g=7"
(String) "none"
(String) "none"
ValueError: not a URL: "nonsense"; it has to begin with http:// or https://
ArgumentError: http_client() has no option 'bse'; did you mean 'base'?
ValueError: not a URL: "/path"; it has to begin with http:// or https://
(Integer) 200
(HttpClient) <HttpClient http://HOST/>
(HttpClient) <HttpClient http://HOST/>
TypeError: http_client(): base must be String or nil, got Integer
`.replaceAll('http://HOST/', `${url}/`),
  );
});
