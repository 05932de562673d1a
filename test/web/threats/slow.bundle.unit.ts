import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { Socket } from 'node:net';
import t from 'tap';
import { memoryOf } from '../../memory.js';
import type { Svcc } from '../../svcc/svcc.js';
import { happens } from '../../patience.js';
import { get, serve } from '../support/serve.js';
import { Connection } from '../support/connection.js';
import { alive, ALIVE, endsQuietly, HEAD, held, LONG, open, statusesIn, watchMemory } from './attack.js';

/** Sends `bytes` one at a time, until the connection ends. */
function drip(socket: Socket, bytes: string, ms: number): void {
  let at = 0;
  const timer = setInterval(() => socket.write(bytes[at++ % bytes.length]), ms);
  socket.on('close', () => clearInterval(timer));
}

/** Received text, and the time of the connection's end. */
interface Heard {
  text: string;
  closedAt: number | null;
}

function listen(socket: Socket): Heard {
  const heard: Heard = { text: '', closedAt: null };
  socket
    .setEncoding('latin1')
    .on('data', (data: string) => (heard.text += data))
    .on('close', () => (heard.closedAt = performance.now()))
    .resume();
  return heard;
}

/** Number of files and connections that a server has open. */
async function descriptors(server: Svcc): Promise<number> {
  return (await readdir(`/proc/${server.child.pid}/fd`)).length;
}

/** Waits until a server has at most `to` files and connections open. */
function shrinks(server: Svcc, to: number): Promise<boolean> {
  return happens(async () => (await descriptors(server)) <= to);
}

t.jobs = 4;

const CLIENTS = 500;

t.test('500 clients whose headers stay incomplete', async (t) => {
  const { server, port } = await serve(t, `app = web_app()\napp.set("header_seconds", 2)\n${ALIVE}app.run(0)\n`);
  await alive(t, port, 'before');
  const before = await descriptors(server);
  const start = performance.now();
  const heard = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, i) => {
      // Some clients send nothing, some have received an answer before.
      const socket = await open(
        port,
        ['', 'GET /', `GET /alive ${HEAD}X: `, `GET /alive ${HEAD}\r\nGET /alive ${HEAD}`][i % 4],
      );
      if (i % 4 !== 0) drip(socket, i % 4 === 1 ? 'x' : 'X: y\r\n', 200);
      return listen(socket);
    }),
  );
  let probes = 0;
  const allClosed = await happens(async () => {
    const { status } = await get(port, '/alive');
    if (status !== 200) t.fail(`the probe got ${status}`);
    probes++;
    return heard.every(({ closedAt }) => closedAt !== null);
  });
  t.ok(allClosed, 'all are closed');
  t.ok(probes > 1, `${probes} probes are answered`);
  const first = Math.min(...heard.map(({ closedAt }) => closedAt ?? Infinity)) - start;
  t.ok(first > 1000, 'but none at once');
  const answers = heard.map(({ text }) => statusesIn(text).join(' '));
  t.same(
    answers.filter((_, i) => i % 4 === 2),
    Array.from({ length: CLIENTS / 4 }, () => '408'),
  );
  t.same(
    answers.filter((_, i) => i % 4 === 3),
    Array.from({ length: CLIENTS / 4 }, () => '200 408'),
  );
  t.ok(await shrinks(server, before), 'nothing of them is left');
  await endsQuietly(t, server);
});

t.test('a body that arrives too slowly is 408', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.set("request_seconds", 2)
${ALIVE}app.post("/") do |req|
  puts "handled"
  "x"
end
app.run(0)
`,
  );
  const start = performance.now();
  const kinds = [
    'Content-Length: 1000\r\n\r\n',
    'Transfer-Encoding: chunked\r\n\r\n3e8\r\n',
    'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n',
  ];
  const heard = await Promise.all(
    kinds.map(async (rest) => {
      const socket = await open(port, `POST / ${HEAD}${rest}`);
      drip(socket, 'x', 300);
      return listen(socket);
    }),
  );
  await alive(t, port, 'meanwhile');
  t.ok(await happens(() => heard.every(({ closedAt }) => closedAt !== null)), 'all are closed');
  for (const [i, { text, closedAt }] of heard.entries()) {
    t.same(statusesIn(text), [408], kinds[i]);
    t.ok((closedAt ?? 0) - start > 1500, 'not before their time');
  }
  t.notMatch(server.stdout, 'handled');
  await endsQuietly(t, server);
});

const READERS = 4;
const SIZE = 50_000_000;

t.test('connections of clients that do not read 50 MB are closed, and their memory is freed', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.set("write_seconds", 1)
BIG = "x" * ${SIZE}
${ALIVE}app.get("/big") { |req| BIG }
app.get("/stream") { |req| stream_response("text/plain") { |out| 500.times { out.write("x" * 100_000) } } }
app.run(0)
`,
  );
  for (let i = 0; i < 20; i++) await get(port, '/alive');
  const heldBy: number[] = [];
  for (const path of ['/stream', '/big']) {
    const start = performance.now();
    const watch = await watchMemory(server);
    const sockets = await Promise.all(Array.from({ length: READERS }, () => open(port, `GET ${path} ${HEAD}\r\n`)));
    await alive(t, port, 'while they wait');
    t.ok(await happens(async () => (await held(port, sockets)) === 0), `${path}: all are cut off`);
    t.ok(performance.now() - start > 800, 'not before their time');
    heldBy.push((await watch.growth()) / READERS);
    const received = await Promise.all(
      sockets.map(async (socket) => {
        let bytes = 0;
        socket.on('data', (data) => (bytes += data.length)).resume();
        if (!socket.closed) await once(socket, 'close');
        return bytes;
      }),
    );
    t.ok(
      received.every((bytes) => bytes > 0 && bytes < SIZE),
      `none got all of it, but ${received.join(' ')}`,
    );
  }
  const [streamed, whole] = heldBy;
  t.ok(streamed < 8, `${streamed.toFixed(1)} MiB for each stream`);
  t.ok(whole < (SIZE / 1024 / 1024) * 2.5, `${whole.toFixed(1)} MiB for each whole response`);
  for (let i = 0; i < 50; i++) await get(port, '/alive');
  t.comment(`${memoryOf(server.child).toFixed(0)} MiB at the end`);
  await endsQuietly(t, server);
});

t.test("the time a response needs to be compressed is not its client's", async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.set("write_seconds", 1)
app.compress()
BIG = (0...400_000).map { |i| (i * 7919 % 1_000_003).to_s }.join(" ")
${ALIVE}app.get("/big") { |req| BIG + BIG + BIG + BIG }
app.run(0)
`,
  );
  // Together they take longer than a second.
  const answers = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const connection = await Connection.open(port);
      connection.send(`GET /big ${HEAD}Accept-Encoding: br\r\nConnection: close\r\n\r\n`);
      return connection.response('GET');
    }),
  );
  for (const { status, headers } of answers) t.same([status, new Map(headers).get('Content-Encoding')], [200, 'br']);
  await endsQuietly(t, server);
});

const IDLE = LONG ? 8000 : 1000;

t.test('idle connections use little memory and are closed', async (t) => {
  const { server, port } = await serve(t, `app = web_app()\napp.set("keep_alive_seconds", 3)\n${ALIVE}app.run(0)\n`);
  for (let i = 0; i < 500; i++) await get(port, '/alive');
  const before = await descriptors(server);
  const watch = await watchMemory(server);
  const heard: Heard[] = [];
  for (let i = 0; i < IDLE; i += 100)
    heard.push(
      ...(await Promise.all(
        Array.from({ length: 100 }, async () => listen(await open(port, `GET /alive ${HEAD}\r\n`))),
      )),
    );
  t.ok(await happens(() => heard.every(({ text }) => text.endsWith('alive'))), 'each has had an answer');
  const growth = await watch.growth();
  t.ok((growth * 1024) / IDLE < 32, `${((growth * 1024) / IDLE).toFixed(1)} KiB for each`);
  await alive(t, port, 'meanwhile');
  t.ok(await happens(() => heard.every(({ closedAt }) => closedAt !== null)), 'all are closed');
  t.ok(await shrinks(server, before));
  t.ok(
    heard.every(({ text }) => statusesIn(text).join() === '200'),
    'without another word',
  );
  await endsQuietly(t, server);
});
