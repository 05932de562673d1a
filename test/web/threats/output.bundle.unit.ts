import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { GROWTH_MIB } from '../support/growth.js';
import { Connection } from '../support/connection.js';
import { get, serve } from '../support/serve.js';
import { happens } from '../../patience.js';
import { alive, ALIVE, attack, count, endsQuietly, HEAD, LONG, open, watchMemory } from './attack.js';

const SIZE = 5_000_000;
const MIB = 1024 * 1024;

/** Clients that read nothing keep their connections, so that the memory held for them is visible. */
const PROGRAM = `app = web_app()
app.set("write_seconds", 120)
SAME = "x" * ${SIZE}
begun = 0
${ALIVE}app.get("/same") do
  begun += 1
  SAME
end
app.get("/made") do
  begun += 1
  "4 chars,".upcase * ${SIZE / 8}
end
app.get("/mixed") { "aé☃😀" * 100_001 }
app.get("/stream") { stream_response("text/plain") { |out| out.write(SAME) } }
app.get("/wait") do
  begun += 1
  begin
    sleep(60)
  ensure
    begun -= 1
  end
end
app.get("/begun") { begun.to_s }
`;

const program = (settings = ''): string => `${PROGRAM}${settings}\napp.run(0)\n`;

t.jobs = 3;
t.setTimeout(LONG ? 300_000 : 120_000);

for (const path of ['/same', '/made']) {
  t.test(`1,000 pipelined requests for 5 MB each, whose responses are not read: ${path}`, async (t) => {
    const { server, port } = await serve(t, program());
    for (let i = 0; i < 20; i++) await get(port, '/alive');
    const watch = await watchMemory(server);
    const socket = await open(port, `GET ${path} ${HEAD}\r\n`.repeat(1000));
    t.ok(await happens(async () => Number((await get(port, '/begun')).body) > 0), 'they have arrived');
    for (let i = 0; i < 20; i++) {
      await alive(t, port, 'meanwhile');
      await sleep(20);
    }
    const growth = await watch.growth();
    t.comment(`${path}: ${growth.toFixed(1)} MiB more`);
    t.ok(growth < GROWTH_MIB, `${growth.toFixed(1)} MiB for 36 KB of requests`);
    t.ok(Number((await get(port, '/begun')).body) < 10, 'requests after the first ones wait');
    let received = 0;
    socket.on('data', (data) => (received += data.length)).resume();
    t.ok(await happens(() => received > 10 * SIZE), 'they are answered after the client begins to read');
    socket.destroy();
    await alive(t, port, 'after them');
    await endsQuietly(t, server);
  });
}

t.test('requests of one connection leave threads to others', async (t) => {
  const { server, port } = await serve(t, program('app.set("threads", 2000)'));
  // After small responses, more requests of a connection run at the same time.
  const socket = await open(port, `GET /alive ${HEAD}\r\n`.repeat(500) + `GET /wait ${HEAD}\r\n`.repeat(1000));
  socket.resume();
  const begun = async (): Promise<number> => Number((await get(port, '/begun')).body);
  t.ok(await happens(async () => (await begun()) >= 100), 'they run at once');
  t.ok((await begun()) <= 128, 'but not all of them');
  await alive(t, port, 'meanwhile');
  socket.destroy();
  t.ok(await happens(async () => (await begun()) === 0), 'they end when their client has gone');
  await endsQuietly(t, server);
});

t.test('at most as many requests as threads wait for earlier ones on their connections', async (t) => {
  const { server, port } = await serve(t, program('app.set("threads", 200)'));
  const quiet = await open(port, `GET /wait ${HEAD}\r\n`.repeat(100));
  const flood = await open(port, `GET /wait ${HEAD}\r\n`.repeat(1000));
  flood.resume();
  if (!flood.closed) await once(flood, 'close');
  await alive(t, port, 'after it');
  t.notOk(quiet.closed, 'others wait on');
  quiet.destroy();
  const { stderr, exitCode } = await server.stop();
  t.match(
    stderr,
    /^warning: 200 requests are waiting for earlier ones on their connections: a connection that sends more is closed \(setting: threads\)\n$/,
  );
  t.equal(exitCode, 0);
});

t.test('a long body with characters of all lengths arrives complete', async (t) => {
  const { server, port } = await serve(t, program());
  const { status, body } = await get(port, '/mixed');
  t.same([status, body.length, body === 'aé☃😀'.repeat(100_001)], [200, 5 * 100_001, true]);
  t.equal((await get(port, '/made')).body, '4 CHARS,'.repeat(SIZE / 8));
  await endsQuietly(t, server);
});

const READERS = LONG ? 300 : 40;
const BUDGET = LONG ? 256 * MIB : 40_000_000;

/** Reads slowly until `wanted` bytes have arrived; returns the number of bytes. */
function readSlowly(socket: Socket, wanted: number): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setInterval(() => socket.resume(), 100);
    const done = (): void => {
      clearInterval(timer);
      resolve(bytes);
    };
    socket
      .on('data', (data) => {
        socket.pause();
        bytes += data.length;
        if (bytes >= wanted) done();
      })
      .on('close', done);
  });
}

for (const path of ['/same', '/made', '/stream']) {
  t.test(`${READERS} clients read nothing of 3 responses of 5 MB each: ${path}`, async (t) => {
    const { server, port } = await serve(t, program(`app.set("output_bytes", ${BUDGET})`));
    for (let i = 0; i < 20; i++) await get(port, '/alive');
    const watch = await watchMemory(server);
    const reader = await open(port, `GET ${path} ${HEAD}\r\n`);
    const read = readSlowly(reader, SIZE);
    const sockets: Socket[] = [];
    let slowest = 0;
    const probe = async (): Promise<void> => {
      const start = performance.now();
      const { status } = await get(port, '/alive');
      slowest = Math.max(slowest, performance.now() - start);
      if (status !== 200) t.fail(`the probe got ${status}`);
    };
    for (let i = 0; i < READERS; i += 20) {
      const more = Array.from({ length: 20 }, () => open(port, `GET ${path} ${HEAD}\r\n`.repeat(3)));
      sockets.push(...(await Promise.all(more)));
      await probe();
    }
    // Immediately: the connections may be closed after five seconds.
    if (path !== '/stream') {
      const refused = await attack(port, `GET ${path} ${HEAD}Connection: close\r\n\r\n`);
      t.same(refused.statuses, [503], 'there is no room for more');
      t.ok(refused.text.includes('\r\nRetry-After: 1\r\n'));
    }
    for (let i = 0; i < 20; i++) {
      await probe();
      await sleep(50);
    }
    t.comment(`${path}: the slowest of 20 probes took ${slowest.toFixed(0)} ms`);
    // Clients that read nothing lose their connections after five seconds, if others need room.
    const later = async (): Promise<boolean> =>
      (await attack(port, `GET ${path} ${HEAD}Connection: close\r\n\r\n`, { enough: (text) => text.length > SIZE }))
        .text.length > SIZE;
    t.ok(await happens(later), 'a client that reads gets its response');
    const growth = await watch.growth();
    t.comment(`${path}: ${growth.toFixed(1)} MiB more`);
    t.ok(growth < BUDGET / MIB + (LONG ? 500 : 100), `${growth.toFixed(1)} MiB`);
    t.ok((await read) >= SIZE, 'one that reads slowly keeps its connection');
    await alive(t, port, 'at last');
    const closed = Promise.all(sockets.map((socket) => (socket.closed ? null : once(socket, 'close'))));
    for (const socket of [...sockets, reader]) socket.destroy();
    await closed;
    const { stderr, exitCode } = await server.stop();
    if (path !== '/stream')
      t.match(
        stderr,
        /^warning: \d+ bytes of responses are waiting for slow clients: large ones are refused with 503; .*output_bytes/,
      );
    t.ok(count(stderr, '\n') <= 1, 'it is said once');
    t.equal(exitCode, 0);
  });
}

t.test('pipelined requests keep their order after large responses', async (t) => {
  const { server, port } = await serve(t, program());
  const connection = await Connection.open(port);
  const paths = ['/same', '/alive', '/made', '/same', '/alive', '/mixed', '/alive'];
  connection.send(paths.map((path) => `GET ${path} ${HEAD}\r\n`).join(''));
  const lengths = [];
  for (const _path of paths) lengths.push((await connection.response('GET')).body.length);
  t.same(lengths, [SIZE, 5, SIZE, SIZE, 5, 10 * 100_001, 5]);
  connection.socket.destroy();
  await endsQuietly(t, server);
});

t.test('pipelined requests with bodies are answered', async (t) => {
  const { server, port } = await serve(t, program('app.post("/echo") { |req| req.body }'));
  const connection = await Connection.open(port);
  const bodies = Array.from({ length: 500 }, (_, n) => `body ${n}`);
  connection.send(bodies.map((body) => `POST /echo ${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`).join(''));
  const answers = [];
  for (const _body of bodies) answers.push((await connection.response('POST')).body.toString());
  t.same(answers, bodies);
  connection.socket.destroy();
  await endsQuietly(t, server);
});
