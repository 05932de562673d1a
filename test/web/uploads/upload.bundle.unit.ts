import { readdir, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { memoryOf } from '../../memory.js';
import { happens } from '../../patience.js';
import type { Svcc } from '../../svcc/svcc.js';
import { Connection } from '../support/connection.js';
import { get, serve } from '../support/serve.js';
import { LONG, parallel } from '../threats/attack.js';

const PROGRAM = `app = web_app()
app.get("/alive") { |req| "alive" }
app.post("/show") do |req|
  path = req.files["f"]["path"]
  "#{file_exists(path)} #{file_read(path).length} #{path}"
end
app.post("/size") { |req| req.files["f"]["size"] }
app.post("/fails") { |req| raise "failed" }
app.post("/halts") { |req| halt(403, "halted") }
app.post("/waits") do |req|
  puts "waiting"
  begin
    sleep 100
  ensure
    puts "ended #{file_exists(req.files["f"]["path"])}"
  end
end
app.post("/keeps/:name") do |req|
  file_rename(req.files["f"]["path"], req.params["name"])
  "kept"
end
app.run(0)
`;

const START = '--B\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n';
const END = '\r\n--B--\r\n';
const LARGE = 'x'.repeat(200_000);

function head(path: string, length: number): string {
  return `POST ${path} HTTP/1.1\r\nHost: svc.test\r\nContent-Type: multipart/form-data; boundary=B\r\nContent-Length: ${length}\r\n\r\n`;
}

/** A request with one file. */
function upload(path: string, content: string): string {
  return head(path, START.length + content.length + END.length) + START + content + END;
}

/** Starts a server whose temporary files are in a separate folder. */
async function serveWithTemp(
  t: Test,
  source = PROGRAM,
): Promise<{ server: Svcc; port: number; files(): Promise<string[]> }> {
  const temp = t.testdir({ temp: {} }) + '/temp';
  // `serve` creates the folder of the test again, so its content must include this one.
  const { server, port } = await serve(
    {
      teardown: (run: () => void) => t.teardown(run),
      testdir: (content: object) => t.testdir({ ...content, temp: {} }),
    } as Test,
    source,
    { env: { TMPDIR: temp } },
  );
  return { server, port, files: () => readdir(temp) };
}

/** Paths of uploaded files that a server has open, and the number of its sockets. */
async function open(server: Svcc): Promise<{ files: string[]; sockets: number }> {
  const folder = `/proc/${server.child.pid}/fd`;
  const links = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')));
  return {
    files: links.filter((link) => link.includes('svc-upload')),
    sockets: links.filter((link) => link.startsWith('socket:')).length,
  };
}

async function post(port: number, path: string, content = LARGE): Promise<string> {
  const connection = await Connection.open(port);
  connection.send(upload(path, content));
  const { status, body } = await connection.response('POST');
  connection.socket.destroy();
  return `${status} ${body}`;
}

t.jobs = 4;

t.test('a temporary file lives as long as the request', async (t) => {
  const { server, port, files } = await serveWithTemp(t);
  t.match(await post(port, '/show'), /^200 true 200000 \/.*\/svc-upload-\d+-[0-9a-f]{16}-[0-9a-f]{32}$/);
  t.ok(await happens(async () => (await files()).length === 0), 'a handler that returns');
  t.equal(await post(port, '/fails'), '500 Internal Server Error');
  t.ok(await happens(async () => (await files()).length === 0), 'one that fails');
  t.equal(await post(port, '/halts'), '403 halted');
  t.equal(await post(port, '/no/such/route'), '404 404 Not Found');
  t.equal(await post(port, '/%zz'), '400 Bad Request');
  t.ok(await happens(async () => (await files()).length === 0), 'no handler at all');
  t.equal(await post(port, `/keeps/kept.txt`), '200 kept');
  t.match((await server.stop()).stderr, 'RuntimeError: failed');
});

t.test('a client that disconnects during the handler: its thread ends and its files are removed', async (t) => {
  const { server, port, files } = await serveWithTemp(t);
  const connection = await Connection.open(port);
  connection.send(upload('/waits', LARGE));
  await server.printed(/waiting/);
  t.equal((await files()).length, 1);
  connection.socket.resetAndDestroy();
  t.ok(await happens(async () => (await files()).length === 0));
  await server.printed(/ended true/); // `ensure` still sees the file; the output may arrive after its removal
});

/** Number of aborted uploads. */
const ABORTED = LONG ? 1000 : 200;

t.test(`${ABORTED} aborted uploads leave no file, no descriptor and run no handler`, async (t) => {
  const { server, port, files } = await serveWithTemp(t);
  await post(port, '/size');
  const before = await open(server);
  const whole = upload('/waits', LARGE);
  const aborted = Array.from({ length: ABORTED }, (_, i) => i);
  await parallel(aborted, 200, async (i) => {
    const connection = await Connection.open(port);
    // Cut in the head, in the part's head, in the bytes in memory or on disk, or in the last boundary.
    connection.send(
      whole.slice(
        0,
        i % 4 === 0 ? (i * 5) % 400 : i % 4 === 1 ? whole.length - 1 - (i % 10) : (i * 997) % whole.length,
      ),
    );
    await sleep((i * 13) % 300);
    if (i % 3 === 0) connection.socket.resetAndDestroy();
    else if (i % 3 === 1) connection.socket.end();
    else connection.socket.destroy();
  });
  t.ok(await happens(async () => (await files()).length === 0), 'no file');
  t.ok(
    await happens(async () => {
      const now = await open(server);
      return now.files.length === 0 && now.sockets <= before.sockets;
    }),
    'no descriptor',
  );
  t.notMatch(server.stdout, 'waiting');
  t.equal(await post(port, '/size'), '200 200000');
  const { stderr, exitCode } = await server.stop();
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

t.test('an upload that takes too long ends with 408, and leaves nothing', async (t) => {
  const { port, files } = await serveWithTemp(t, PROGRAM.replace('\n', '\napp.set("request_seconds", 2)\n'));
  const connection = await Connection.open(port);
  connection.send(upload('/waits', LARGE).slice(0, 150_000));
  t.ok(await happens(async () => (await files()).length === 1), 'while it comes it is on disk');
  t.equal((await connection.response('POST')).status, 408);
  t.ok(await happens(async () => (await files()).length === 0));
});

t.test('a process removes its files when it ends', async (t) => {
  const { server, port, files } = await serveWithTemp(t);
  const connection = await Connection.open(port);
  connection.send(upload('/waits', LARGE));
  await server.printed(/waiting/);
  server.child.kill('SIGTERM');
  t.ok(
    await happens(() =>
      Connection.open(port).then(
        ({ socket }) => !socket.destroy(),
        () => true,
      ),
    ),
    'it accepts nothing more',
  );
  await server.stop();
  t.same(await files(), []);
});

t.test('an answer before the end of the body reaches a client that still sends', async (t) => {
  const { server, port } = await serveWithTemp(t);
  for (const [path, size, status] of [
    ['/size', 40 * 2 ** 20, 413],
    ['/size', 33 * 2 ** 20, 413],
  ] as const) {
    const connection = await Connection.open(port);
    connection.send(head(path, size) + START);
    for (let i = 0; i < 320; i++) connection.send(Buffer.alloc(100_000));
    t.equal((await connection.response('POST')).status, status);
    connection.socket.destroy();
  }
  // A body that becomes malformed at its beginning, while the client keeps sending.
  const connection = await Connection.open(port);
  connection.send(head('/size', 20 * 2 ** 20) + '--B\r\nContent-Disposition: form-data; filename="x"\r\n\r\n');
  for (let i = 0; i < 200; i++) connection.send(Buffer.alloc(100_000));
  t.equal((await connection.response('POST')).status, 400, 'a part without a name');
  await connection.close();
  t.equal((await get(port, '/alive')).body, 'alive');
  t.equal((await server.stop()).stderr, '');
});

t.test('an answer before the end of the body waits for a client that sends for seconds before it reads', async (t) => {
  const { server, port } = await serveWithTemp(t);
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  socket.write(head('/size', 40 * 2 ** 20) + START);
  for (let i = 0; i < 30; i++) {
    socket.write(Buffer.alloc(10_000));
    await sleep(100);
  }
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  t.ok(await happens(() => text.startsWith('HTTP/1.1 413 ') || socket.destroyed));
  t.match(text, /^HTTP\/1\.1 413 /);
  socket.destroy();
  t.equal((await server.stop()).stderr, '');
});

t.test('large uploads are not kept in memory', async (t) => {
  const { server, port, files } = await serveWithTemp(t);
  await post(port, '/size');
  const before = memoryOf(server.child);
  const content = 'x'.repeat(30 * 2 ** 20);
  const sizes = await Promise.all(Array.from({ length: 6 }, () => post(port, '/size', content)));
  t.same(
    sizes,
    Array.from({ length: 6 }, () => `200 ${30 * 2 ** 20}`),
  );
  const growth = memoryOf(server.child) - before;
  t.ok(growth < 80, `180 MiB took ${growth.toFixed(1)} MiB`);
  t.ok(await happens(async () => (await files()).length === 0));
});

t.test('an upload that cannot be written: 500, and the reason is logged', async (t) => {
  const { server, port } = await serve(t, PROGRAM, { env: { TMPDIR: '/no/such/folder' } });
  t.equal(await post(port, '/size'), '500 Internal Server Error');
  t.equal(await post(port, '/size', 'short'), '200 5', 'short files need no disk');
  t.match((await server.stop()).stderr, /^warning: an upload could not be stored: ENOENT/);
});
