import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { memoryOf } from '../../memory.js';
import { happens } from '../../patience.js';
import { findAnywhere, findInside, openFound } from '../../../natives/web/files/find.js';
import { Connection } from '../support/connection.js';
import { Client, header, SECRET, type Site, startSite, stopQuietly } from './site.js';

const ON_LINUX = process.platform === 'linux' ? {} : { skip: 'looks into /proc' };

/** Targets of a process's descriptors whose path contains `part`. */
function descriptors(site: Site, part: string): string[] {
  const folder = `/proc/${site.server.child.pid}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    try {
      return [readlinkSync(`${folder}/${fd}`)].filter((path) => path.includes(part));
    } catch {
      return [];
    }
  });
}

/** Descriptors that stay open: a server that is still handling requests opens and closes some. */
async function lasting(site: Site, part: string): Promise<string[]> {
  let open: string[] = [];
  let quiet = 0;
  await happens(async () => {
    await sleep(25);
    open = descriptors(site, part);
    quiet = open.length === 0 ? quiet + 1 : 0;
    return quiet === 8;
  });
  return open;
}

t.test('links out of the directory are not followed, links inside are', async (t) => {
  // prettier-ignore
  const site = await startSite(t, {
    'outside.txt': SECRET, outside: { 'a.txt': SECRET }, 'public-sibling': { 'a.txt': SECRET },
    public: {
      'real.txt': 'real', sub: { 'b.txt': 'b' },
      'file.txt': t.fixture('symlink', '../outside.txt'), folder: t.fixture('symlink', '../outside'), 'passwd.txt': t.fixture('symlink', '/etc/passwd'), root: t.fixture('symlink', '/'),
      sibling: t.fixture('symlink', '../public-sibling'), 'chain.txt': t.fixture('symlink', 'file.txt'), 'loop.txt': t.fixture('symlink', 'loop.txt'), 'dangling.txt': t.fixture('symlink', 'nothing.txt'),
      up: t.fixture('symlink', '..'), self: t.fixture('symlink', '.'),
      'inside.txt': t.fixture('symlink', 'real.txt'), within: t.fixture('symlink', 'sub'), 'twice.txt': t.fixture('symlink', 'inside.txt'), 'back.txt': t.fixture('symlink', '../public/sub/b.txt'),
    },
    linked: t.fixture('symlink', 'public'),
  }, 'app.static("public")\napp.static("/linked", "linked")');
  const client = new Client(site.port);
  for (const path of [
    'file.txt',
    'folder/a.txt',
    'passwd.txt',
    'root/etc/hosts.txt',
    'sibling/a.txt',
    'chain.txt',
    'loop.txt',
    'dangling.txt',
    'up/outside.txt',
    'up/outside/a.txt',
    'self/file.txt',
    'self/self/up/outside.txt',
  ]) {
    for (const prefix of ['/', '/linked/']) {
      const { status, body } = await client.get(prefix + path);
      t.same([status, body.toString()], [404, '404 Not Found'], prefix + path);
    }
  }
  for (const [path, text] of [
    ['inside.txt', 'real'],
    ['within/b.txt', 'b'],
    ['twice.txt', 'real'],
    ['back.txt', 'b'],
    ['self/real.txt', 'real'],
    ['up/public/real.txt', 'real'],
  ]) {
    for (const prefix of ['/', '/linked/']) {
      const { status, body } = await client.get(prefix + path);
      t.same([status, body.toString()], [200, text], prefix + path);
    }
  }
  client.close();
});

t.test('anything but a regular file is 404, and nothing hangs', async (t) => {
  const site = await startSite(
    t,
    { public: { 'a.txt': 'a', 'folder.html': { 'index.html': 'index' } } },
    `app.static("public")
app.get("/send/*name") { |req| begin; send_file("public/" + req.params["name"]); rescue FileNotFoundError => e; response("none", 404); end }
app.get("/device") { |req| begin; send_file("/dev/zero"); rescue FileNotFoundError => e; response("none", 404); end }`,
  );
  execFileSync('mkfifo', [site.at('public/fifo.txt')]);
  mkdirSync(site.at('public/closed'));
  symlinkSync('/dev/zero', site.at('public/zero.txt'));
  t.teardown(listenIn(site.at('public'), 'socket.txt'));
  const client = new Client(site.port);
  for (const path of [
    'fifo.txt',
    'zero.txt',
    'socket.txt',
    'folder.html',
    'folder.html/',
    'a.txt/',
    'a.txt/.',
    'a.txt//',
    'con',
    'con.txt',
    'nul.txt',
    'a.txt::$DATA',
    'a.TXT',
    'closed/',
    `${'x'.repeat(300)}.txt`,
    `${'x/'.repeat(3000)}a.txt`,
  ]) {
    for (const prefix of ['/', '/send/']) {
      // `send_file` serves any path that the program names, also one in other case or with double slashes.
      if (prefix === '/send/' && /\/|TXT|\.$/.test(path.replace('folder.html/', ''))) continue;
      t.equal((await client.get(prefix + path)).status, 404, (prefix + path).slice(0, 40));
    }
  }
  t.equal((await client.get('/device')).status, 404, 'a device');
  t.equal((await client.get('/a.txt')).status, 200);
  client.close();
  await stopQuietly(t, site);
});

/** Creates a socket in a folder. Works inside the folder, because the path of a socket has at most 107 bytes. */
function listenIn(folder: string, name: string): () => void {
  const before = process.cwd();
  process.chdir(folder);
  const server = createServer().listen(name);
  process.chdir(before);
  return () => server.close();
}

t.test('an unreadable file is 404', async (t) => {
  const folder = t.testdir({ 'a.txt': 'a', closed: { 'b.txt': 'b' } });
  chmodSync(`${folder}/a.txt`, 0);
  chmodSync(`${folder}/closed`, 0);
  // root can read every file.
  if (process.getuid?.() === 0) process.seteuid?.(65534);
  try {
    const found = await findInside(folder, '/a.txt');
    t.equal(found === null ? null : await openFound(found.path, folder), null, 'a file');
    t.equal(await findInside(folder, '/closed/b.txt'), null, 'in a directory');
    t.equal(await findAnywhere(`${folder}/closed/b.txt`), null);
  } finally {
    if (process.getuid?.() === 0) process.seteuid?.(0);
    chmodSync(`${folder}/closed`, 0o700);
  }
});

/** Bytes of a file that a client reads: more than the memory of the server may grow. */
const DRUNK = 150 * 2 ** 20;

t.test('a sparse file of 10 GB is streamed', ON_LINUX, async (t) => {
  const site = await startSite(
    t,
    { public: { 'small.txt': 'small' } },
    'app.static("public")\napp.get("/dl") { |req| send_file("public/huge.pdf") }',
  );
  const size = 10 * 2 ** 30;
  writeFileSync(site.at('public/huge.pdf'), 'start');
  truncateSync(site.at('public/huge.pdf'), size);
  const client = new Client(site.port);
  const whole = await client.request('HEAD', '/huge.pdf');
  t.same([whole.status, header(whole, 'content-length')], [200, String(size)]);
  const last = await client.get('/huge.pdf', { Range: `bytes=${size - 3}-` });
  t.same(
    [last.status, header(last, 'content-range'), last.body.toString('latin1')],
    [206, `bytes ${size - 3}-${size - 1}/${size}`, '\0\0\0'],
  );
  const beyond = await client.get('/huge.pdf', { Range: `bytes=${size}-` });
  t.same([beyond.status, header(beyond, 'content-range')], [416, `bytes */${size}`]);
  const before = memoryOf(site.server.child, 'VmHWM');
  for (const target of ['/huge.pdf', '/dl']) {
    const received = await drink(site.port, target, DRUNK);
    t.ok(received >= DRUNK, `${Math.round(received / 2 ** 20)} MB received of ${target}`);
  }
  const grown = memoryOf(site.server.child, 'VmHWM') - before;
  t.ok(grown < 100, `memory grew by ${Math.round(grown)} MB`);
  client.close();
  t.equal((await client.get('/small.txt')).body.toString(), 'small', 'others are served');
  client.close();
  t.same(await lasting(site, 'huge'), [], 'no descriptor stays open');
  await stopQuietly(t, site);
});

/** Reads `count` bytes of a response and breaks the connection. */
async function drink(port: number, target: string, count: number): Promise<number> {
  const { socket } = await Connection.open(port);
  socket.removeAllListeners('data');
  let received = 0;
  socket.write(`GET ${target} HTTP/1.1\r\nHost: svc.test\r\n\r\n`);
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('data', (data) => {
      received += data.length;
      if (received >= count) socket.destroy();
    });
  });
  return received;
}

t.test('clients that disconnect leave no descriptor open', ON_LINUX, async (t) => {
  const site = await startSite(
    t,
    { public: { 'large.txt': 'x'.repeat(20_000_000) } },
    'app.static("public")\napp.get("/dl") { |req| send_file("public/large.txt") }',
  );
  const request = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: svc.test\r\n\r\n`;
  // prettier-ignore
  const impolite: [name: string, text: string, wait: number][] = [
    ['at once', request('/large.txt'), 0], ['in the middle', request('/large.txt'), 50], ['a download', request('/dl'), 50],
    ['with many requests on one connection', request('/large.txt').repeat(30), 50], ['and downloads', request('/dl').repeat(30), 100],
    ['after the head', request('/large.txt').replace('GET', 'HEAD').repeat(30), 20], ['a range', request('/large.txt').replace('\r\n\r\n', '\r\nRange: bytes=5-\r\n\r\n'), 20],
  ];
  for (const [name, text, wait] of impolite) {
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { socket } = await Connection.open(site.port);
        socket.pause();
        socket.write(text);
        if (wait > 0) await sleep(wait);
        socket.resetAndDestroy();
      }),
    );
    t.same(await lasting(site, 'large'), [], name);
  }
  await stopQuietly(t, site);
});

t.test('many large files over one connection', ON_LINUX, async (t) => {
  const text = 'x'.repeat(100_000);
  const site = await startSite(t, { public: { 'large.txt': text } }, 'app.static("public")');
  const client = new Client(site.port);
  for (let i = 0; i < 30; i++) {
    const { status, body } = await client.get('/large.txt');
    if (status !== 200 || body.toString() !== text) t.fail('a response is wrong', { i, status });
  }
  client.close();
  // Pipelined: all requests are sent before the first response is read.
  const connection = await Connection.open(site.port);
  connection.send('GET /large.txt HTTP/1.1\r\nHost: svc.test\r\n\r\n'.repeat(10));
  for (let i = 0; i < 10; i++) t.equal((await connection.response('GET')).body.toString(), text);
  connection.socket.destroy();
  t.same(await lasting(site, 'large'), []);
  t.equal((await site.server.stop()).stderr, '', 'no warning of listeners that pile up');
});

t.test('a file that shrinks while it is sent breaks the connection', async (t) => {
  const site = await startSite(t, { public: { 'large.txt': 'x'.repeat(20_000_000) } }, 'app.static("public")');
  const connection = await Connection.open(site.port);
  connection.socket.once('data', () => connection.socket.pause());
  connection.send('GET /large.txt HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  await happens(() => connection.unread.length > 0);
  truncateSync(site.at('public/large.txt'), 10);
  connection.socket.resume();
  await t.rejects(connection.response('GET'), /the connection ended before/);
});

/** Checks ranges and conditions of a file, small (served from memory) or large (from the disk). */
async function ranges(t: Test, name: string, text: string): Promise<void> {
  const site = await startSite(t, { public: { [name]: text } }, 'app.static("public")');
  const client = new Client(site.port);
  const size = text.length;
  const whole = await client.get(`/${name}`);
  const etag = header(whole, 'etag') ?? '';
  const modified = header(whole, 'last-modified') ?? '';
  t.match(etag, /^"[\w-]+"$/);
  t.ok(Date.parse(modified) <= Date.now(), modified);
  const many = (count: number): string =>
    `bytes=${Array.from({ length: count }, (_, i) => `${i * 2}-${i * 2}`).join(',')}`;
  // prettier-ignore
  const rows: [headers: Record<string, string>, status: number, body: string][] = [
    [{}, 200, text], [{ Range: 'bytes=0-' }, 206, text], [{ Range: 'bytes=-1' }, 206, text.slice(-1)], [{ Range: 'bytes=2-4' }, 206, text.slice(2, 5)],
    [{ Range: `bytes=5-${size * 2}` }, 206, text.slice(5)], [{ Range: `bytes=-${size * 2}` }, 206, text], [{ Range: `bytes=${size - 1}-` }, 206, text.slice(-1)],
    [{ Range: `bytes=${size}-` }, 416, '416 Range Not Satisfiable'], [{ Range: 'bytes=9999999999999999999999-' }, 416, '416 Range Not Satisfiable'],
    [{ Range: 'bytes=4-2' }, 416, '416 Range Not Satisfiable'], [{ Range: 'bytes=-0' }, 416, '416 Range Not Satisfiable'],
    [{ Range: 'bytes=a-b' }, 200, text], [{ Range: 'bytes' }, 200, text], [{ Range: 'lines=1-2' }, 200, text], [{ Range: '' }, 200, text],
    [{ Range: 'bytes=0-1,4-5' }, 200, text], [{ Range: 'bytes=0-1,2-3' }, 206, text.slice(0, 4)], [{ Range: many(1500) }, 200, text],
    [{ Range: 'bytes=0-1', 'If-Range': etag }, 206, text.slice(0, 2)], [{ Range: 'bytes=0-1', 'If-Range': '"other"' }, 200, text], [{ Range: 'bytes=0-1', 'If-Range': modified }, 206, text.slice(0, 2)],
    [{ Range: 'bytes=0-1', 'If-Range': 'junk' }, 200, text],
    [{ 'If-None-Match': etag }, 304, ''], [{ 'If-None-Match': `"a", W/${etag}` }, 304, ''], [{ 'If-None-Match': '*' }, 304, ''], [{ 'If-None-Match': '"other"' }, 200, text],
    [{ 'If-None-Match': '"other"', 'If-Modified-Since': modified }, 200, text], [{ 'If-None-Match': etag, 'Cache-Control': 'no-cache' }, 200, text],
    [{ 'If-None-Match': ',,,"'.repeat(2000) }, 200, text],
    [{ 'If-Modified-Since': modified }, 304, ''], [{ 'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200, text], [{ 'If-Modified-Since': 'junk' }, 200, text],
    [{ 'If-Modified-Since': '99999999999999999999' }, 200, text], [{ 'If-Modified-Since': 'Thu, 01 Jan 99999999 00:00:00 GMT' }, 200, text], [{ 'If-Modified-Since': '' }, 200, text],
    [{ 'If-Match': etag }, 200, text], [{ 'If-Match': '*' }, 200, text], [{ 'If-Match': '"other"' }, 412, '412 Precondition Failed'],
    [{ 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 412, '412 Precondition Failed'], [{ 'If-Unmodified-Since': modified }, 200, text],
  ];
  for (const [headers, status, body] of rows) {
    const name_ = JSON.stringify(headers).slice(0, 60);
    const response = await client.get(`/${name}`, headers);
    t.same([response.status, response.body.length], [status, body.length], name_);
    t.ok(response.body.equals(Buffer.from(body)), `${name_}: body`);
    // Served from memory, by `send`, or after a check of the disk: the fields are the same.
    if (status === 200) t.same(named(response), named(whole));
    if (status === 206) t.match(header(response, 'content-range'), /^bytes \d+-\d+\/\d+$/);
    if (status === 416) t.equal(header(response, 'content-range'), `bytes */${size}`);
    if (status === 416 || status === 412) t.equal(header(response, 'content-type'), 'text/plain; charset=utf-8');
    if (status === 304)
      t.same(
        [header(response, 'etag'), header(response, 'content-length'), header(response, 'content-type')],
        [etag, undefined, undefined],
      );
    const head = await client.request('HEAD', `/${name}`, headers);
    // Only GET has ranges.
    if ('Range' in headers) t.same([head.status, header(head, 'content-length')], [200, String(size)], `HEAD ${name_}`);
    else t.same([head.status, named(head)], [response.status, named(response)], `HEAD ${name_}`);
  }
  client.close();
  await stopQuietly(t, site);
}

/** Header fields without those that differ between responses. */
function named({ headers }: { headers: [string, string][] }): string[] {
  return headers
    .filter(([name]) => name !== 'Date')
    .map(([name, value]) => `${name}: ${value}`)
    .sort();
}

t.test('ranges and conditions of a small file', (t) => ranges(t, 'small.txt', 'abcdefghij'.repeat(1000)));
t.test('ranges and conditions of a large file', (t) => ranges(t, 'large.pdf', 'abcdefghij'.repeat(10_000)));

t.test('an empty file', async (t) => {
  const site = await startSite(
    t,
    { public: { 'empty.txt': '' } },
    'app.static("public")\napp.get("/dl") { |req| send_file("public/empty.txt") }',
  );
  const client = new Client(site.port);
  for (const target of ['/empty.txt', '/dl']) {
    const whole = await client.get(target);
    t.same([whole.status, header(whole, 'content-length'), whole.body.length], [200, '0', 0]);
    t.equal((await client.get(target, { Range: 'bytes=0-' })).status, 416);
    t.equal((await client.get(target, { 'If-None-Match': header(whole, 'etag') ?? '' })).status, 304);
  }
  client.close();
});

t.test('middleware reads files that are not kept in memory', async (t) => {
  const text = 'täglich\n'.repeat(20_000);
  const site = await startSite(
    t,
    { public: { 'long.txt': text, 'long.png': Buffer.alloc(100_000, 0xff), 'short.txt': 'short' } },
    `app.use do |req, next_fn|
  res = next_fn.(req)
  begin
    file_delete("public/gone.txt") if req.path == "/gone.txt"
    res.set_header("X-Bytes", res.bytes.length)
    res.set_header("X-Body", "#{res.body.length} #{res.body[-2]}")
  rescue Error => e
    res.set_header("X-Error", "#{e.type}: #{e.message}")
  end
  req.path == "/replaced" ? response(res.body.upcase) : res
end
app.static("public")
app.get("/sent") { |req| send_file("public/long.txt") }
app.get("/replaced") { |req| send_file("public/long.txt") }
app.get("/halted") { |req| halt(503, send_file("public/long.txt")) }
app.get("/stream") { |req| stream_response("text/plain") { |out| out.write("a") } }`,
  );
  const client = new Client(site.port);
  const seen = async (method: string, path: string, headers = {}): Promise<unknown[]> => {
    const answer = await client.request(method, path, headers);
    return [answer.status, answer.body.length, ...['x-bytes', 'x-body', 'x-error'].map((name) => header(answer, name))];
  };
  const size = Buffer.byteLength(text);
  const whole = [`${size}`, `${text.length} h`, undefined];
  t.same(await seen('GET', '/long.txt'), [200, size, ...whole]);
  t.same(await seen('GET', '/long.txt', { Range: 'bytes=0-3' }), [206, 4, ...whole], 'a range');
  t.same(await seen('HEAD', '/long.txt'), [200, 0, ...whole], 'HEAD');
  t.same(await seen('GET', '/sent'), [200, size, ...whole], 'send_file');
  t.same(await seen('GET', '/halted'), [503, size, ...whole], 'halt');
  t.same(await seen('GET', '/short.txt'), [200, 5, '5', '5 r', undefined], 'a short file');
  const upper = await client.get('/replaced');
  t.equal(upper.body.toString(), text.toUpperCase());
  t.same(
    await seen('GET', '/long.png'),
    [
      200,
      100_000,
      '100000',
      undefined,
      'ValueError: body: the response is not UTF-8: byte ff at offset 0; bytes returns it unchanged',
    ],
    'no text',
  );
  t.match(
    await seen('GET', '/stream'),
    [
      200,
      1,
      undefined,
      undefined,
      /^RuntimeError: the body of a stream is made while it is sent: return a text or Bytes/,
    ],
    'a stream',
  );
  writeFileSync(site.at('public', 'gone.txt'), text);
  t.match(
    await seen('GET', '/gone.txt'),
    [404, 13, undefined, undefined, /^FileNotFoundError: cannot read .*gone\.txt: /],
    'a file that is gone',
  );
  if (process.platform === 'linux') t.same(await lasting(site, 'public'), [], 'no descriptor stays open');
  client.close();
  await stopQuietly(t, site);
});
