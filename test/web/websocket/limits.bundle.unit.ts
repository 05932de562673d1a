import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { comesToRest, until } from '../../patience.js';
import { GROWTH_MIB } from '../support/growth.js';
import { get, serve } from '../support/serve.js';
import { alive, ALIVE, count, endsQuietly, watchMemory } from '../threats/attack.js';
import { serveInside } from './hub.js';
import { frame, Opcode, Peer, put, rawPeer } from './peers.js';

const PROGRAM = `app = web_app()
app.set("drain_seconds", 1)
GO = shared(false)
${ALIVE}app.get("/go") { |req| GO.set(true) }
app.websocket("/echo") do |ws|
  while (msg = ws.recv()) != nil
    puts "marked" if msg == "mark"
    ws.send(msg.length)
  end
end
app.websocket("/send") do |ws|
  puts "started"
  begin
    loop { ws.send("x" * 10_000) }
  ensure
    puts "ended"
  end
end
app.websocket("/numbers") do |ws|
  2000.times { |i| ws.send("#{i}:" + "x" * 2000) }
end
app.websocket("/late") do |ws|
  while !GO.get()
    sleep 0.02
  end
  n = 0
  while (msg = ws.recv()) != nil
    puts "wrong #{n}" if !msg.start_with?("#{n}:")
    n += 1
  end
  puts "got #{n}"
end
app.websocket("/idle") { |ws| sleep 100 }
app.websocket("/returns") { |ws| nil }
app.run(0)
`;

const MIB = 1024 * 1024;

t.jobs = 3;

function raws(test: Test, port: number, path: string, number: number): Promise<Socket[]> {
  return Promise.all(Array.from({ length: number }, () => rawPeer(test, port, path)));
}

/** Collects all further bytes of a connection. */
function collect(socket: Socket): { bytes(): Buffer } {
  const parts: Buffer[] = [];
  socket.on('data', (data) => parts.push(data)).resume();
  return { bytes: () => Buffer.concat(parts) };
}

/** Code of the close frame in the bytes that a server has sent; 0 if there is none. */
function closeCodeIn(bytes: Buffer): number {
  for (let at = 0; at + 4 <= bytes.length; at += 2 + bytes[at + 1])
    if (bytes[at] === (0x80 | Opcode.close)) return bytes.readUInt16BE(at + 2);
  return 0;
}

/** Runs the code of a server once; returns a connected peer. */
async function warm(test: Test, port: number): Promise<Peer> {
  for (let i = 0; i < 20; i++) await get(port, '/alive');
  const peer = await Peer.open(test, port, '/echo');
  await echoes(test, peer, 'before');
  return peer;
}

async function echoes(test: Test, peer: Peer, when: string): Promise<void> {
  peer.send('hello');
  test.equal(await peer.next(), '5', `others are served ${when}`);
}

t.test('a message announced as too large is refused before it arrives', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const watch = await watchMemory(server);
  for (const size of [MIB + 1, 1024 * MIB, 2 ** 40]) {
    const socket = await rawPeer(t, port, '/echo');
    const answer = collect(socket);
    const head = Buffer.alloc(14);
    head.set([0x81, 0x80 | 127]);
    head.writeBigUInt64BE(BigInt(size), 2);
    socket.write(head);
    await until('the refusal', () => closeCodeIn(answer.bytes()) !== 0);
    t.equal(closeCodeIn(answer.bytes()), 1009, `${size} bytes`);
    socket.destroy();
  }
  const peer = await Peer.open(t, port, '/echo');
  peer.send('x'.repeat(MIB));
  t.equal(await peer.next(), String(MIB), 'the largest');
  peer.send('x'.repeat(MIB + 1));
  t.equal(await peer.closed(), 1009);
  const small = await serve(t, PROGRAM.replace('"drain_seconds", 1', '"message_bytes", 100'));
  const other = await Peer.open(t, small.port, '/echo');
  other.send('x'.repeat(100));
  t.equal(await other.next(), '100');
  other.send('x'.repeat(101));
  t.equal(await other.closed(), 1009);
  t.ok((await watch.growth()) < GROWTH_MIB);
  await endsQuietly(t, server);
});

t.test('many connections, each with an unfinished message', async (t) => {
  const { server, port } = await serve(
    t,
    PROGRAM.replace('app = web_app()', `app = web_app()\napp.set("websocket_bytes", ${8 * MIB})`),
  );
  const other = await warm(t, port);
  const watch = await watchMemory(server);
  // The last byte is missing.
  const most = frame(Opcode.text, Buffer.alloc(MIB - 10)).subarray(0, -1);
  const sockets = await raws(t, port, '/echo', 200);
  const answers = sockets.map(collect);
  for (let i = 0; i < sockets.length; i += 20) {
    await Promise.all(sockets.slice(i, i + 20).map((socket) => put(socket, most)));
    await echoes(t, other, `after ${i + 20}`);
  }
  const codes = (): number[] => answers.map(({ bytes }) => closeCodeIn(bytes()));
  await until('the refusals', () => codes().filter((code) => code === 1013).length >= 180);
  t.ok(
    codes().every((code) => code === 0 || code === 1013),
    'they may try later',
  );
  const growth = await watch.growth();
  t.ok(growth < 100, `${growth.toFixed(1)} MiB more for 200 MiB sent`);
  for (const socket of sockets) socket.destroy();
  await until('that there is room again', async () => {
    const peer = await Peer.open(t, port, '/echo');
    peer.send('x'.repeat(MIB));
    return (await Promise.race([peer.next(), peer.closed()])) === String(MIB);
  });
  await alive(t, port, 'after them');
  await endsQuietly(t, server);
});

t.test('unfinished messages after the server has closed', async (t) => {
  const { server, port } = await serve(
    t,
    PROGRAM.replace('app = web_app()', `app = web_app()\napp.set("websocket_bytes", ${8 * MIB})`),
  );
  const other = await warm(t, port);
  const watch = await watchMemory(server);
  const sockets = await raws(t, port, '/returns', 200);
  const most = frame(Opcode.text, Buffer.alloc(MIB - 10)).subarray(0, -1);
  await Promise.all(sockets.map((socket) => put(socket, most)));
  for (const socket of sockets) socket.resume();
  await until('the end of most', () => sockets.filter(({ destroyed }) => destroyed).length >= 180);
  await echoes(t, other, 'meanwhile');
  const growth = await watch.growth();
  t.ok(growth < 100, `${growth.toFixed(1)} MiB more for 200 MiB sent`);
  for (const socket of sockets) socket.destroy();
  await endsQuietly(t, server);
});

t.test('messages of too many fragments', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const other = await warm(t, port);
  const watch = await watchMemory(server);
  // Just below the limit of a connection.
  const fragments = Buffer.concat([
    frame(Opcode.text, 'x', false),
    ...Array.from({ length: 19_999 }, () => frame(Opcode.more, 'x', false)),
  ]);
  const sockets = await raws(t, port, '/echo', 100);
  const answers = sockets.map(collect);
  await Promise.all(sockets.map((socket) => put(socket, fragments)));
  await until('refusals', () => answers.some(({ bytes }) => closeCodeIn(bytes()) === 1013));
  await echoes(t, other, 'meanwhile');
  await alive(t, port, 'meanwhile');
  const growth = await watch.growth();
  t.ok(growth < 120, `${growth.toFixed(1)} MiB more`);
  for (const socket of sockets) socket.destroy();
  const single = await rawPeer(t, port, '/echo');
  const answer = collect(single);
  await put(single, Buffer.concat([fragments, fragments]));
  await until('the refusal', () => closeCodeIn(answer.bytes()) !== 0);
  t.match(String(closeCodeIn(answer.bytes())), /^100[89]$/, 'too many for one connection');
  const few = await rawPeer(t, port, '/echo');
  const reply = collect(few);
  await put(few, Buffer.concat([fragments.subarray(0, 7 * 5000), frame(Opcode.more, 'x')]));
  await until('the answer', () => reply.bytes().includes('5001'));
  t.pass('5001 fragments are a message');
  await endsQuietly(t, server);
});

t.test('pings of a peer that reads no pongs', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const other = await warm(t, port);
  const socket = await rawPeer(t, port, '/echo');
  const watch = await watchMemory(server);
  const PINGS = 400_000;
  const block = Buffer.concat(Array.from({ length: 1000 }, () => frame(Opcode.ping, 'p'.repeat(125))));
  for (let i = 0; i < PINGS / 1000; i++) await put(socket, block);
  await put(socket, Buffer.concat([frame(Opcode.ping, 'the last one'), frame(Opcode.text, 'mark')]));
  await until('that all are read', () => server.stdout.includes('marked'));
  await echoes(t, other, 'meanwhile');
  const growth = await watch.growth();
  t.ok(growth < GROWTH_MIB, `${growth.toFixed(1)} MiB more`);
  let pongs = 0;
  let end = Buffer.alloc(0);
  socket
    .on('data', (data) => {
      pongs += data.length / 127;
      end = Buffer.concat([end, data]).subarray(-200);
    })
    .resume();
  await until('the last pong', () => end.includes('the last one'));
  t.ok(pongs < PINGS * 0.75, `${Math.round(pongs)} pongs answer ${PINGS} pings`);
  await put(socket, frame(Opcode.text, 'still there'));
  await until('the answer', () => end.subarray(-2).toString() === '11');
  await endsQuietly(t, server);
});

t.test('a server that sends to peers that never read', async (t) => {
  const { server, port } = await serve(
    t,
    PROGRAM.replace('app = web_app()', `app = web_app()\napp.set("websocket_bytes", ${8 * MIB})`),
  );
  const other = await warm(t, port);
  const watch = await watchMemory(server);
  const sockets = await raws(t, port, '/send', 100);
  await until('the handlers', () => count(server.stdout, 'started') === 100);
  await comesToRest(server.child);
  await echoes(t, other, 'meanwhile');
  await alive(t, port, 'meanwhile');
  const growth = await watch.growth();
  t.ok(growth < GROWTH_MIB, `${growth.toFixed(1)} MiB more`);
  t.equal(count(server.stdout, 'ended'), 0, 'they wait');
  sockets.forEach((socket, i) => (i % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()));
  await until('the end of all threads', () => count(server.stdout, 'ended') === 100);
  await endsQuietly(t, server);
});

t.test('a slow reader receives everything', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/numbers');
  for (let i = 0; peer.code === null && i < 1000; i++) {
    peer.ws.pause();
    await sleep(2);
    peer.ws.resume();
    await sleep(1);
  }
  t.equal(await peer.closed(), 1000);
  t.same(
    peer.messages.map((text) => text.split(':')[0]),
    Array.from({ length: 2000 }, (_, i) => String(i)),
  );
  await endsQuietly(t, server);
});

t.test('messages wait in the kernel until they are received, and are not lost', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const other = await warm(t, port);
  const sockets = await raws(t, port, '/late', 4);
  const watch = await watchMemory(server);
  const NUMBER = 3000;
  const padding = 'x'.repeat(10_000);
  let written = 0;
  const senders = sockets.map(async (socket) => {
    for (let i = 0; i < NUMBER; i++) {
      await put(socket, frame(Opcode.text, `${i}:${padding}`));
      written++;
    }
    socket.end(frame(Opcode.close));
    socket.resume();
  });
  await comesToRest(server.child);
  t.ok(written < NUMBER * sockets.length, `${written} of ${NUMBER * sockets.length} messages have left`);
  await echoes(t, other, 'meanwhile');
  const growth = await watch.growth();
  t.ok(growth < 48, `${growth.toFixed(1)} MiB more`);
  await get(port, '/go');
  await Promise.all(senders);
  await until('all messages', () => count(server.stdout, `got ${NUMBER}\n`) === sockets.length);
  t.notMatch(server.stdout, 'wrong');
  await endsQuietly(t, server);
});

t.test('ended connections hold no memory', async (t) => {
  // A connection that answers no ping is ended after `ping_seconds`. All must be open at the same time before that.
  const { port, hub, held, threads, output, stop } = await serveInside(
    t,
    PROGRAM.replace(
      'app = web_app()',
      `app = web_app()\napp.set("websocket_bytes", ${4 * MIB})\napp.set("ping_seconds", 4)`,
    ),
  );
  t.equal(held(), 0);
  const unfinished = await raws(t, port, '/echo', 20);
  for (const socket of unfinished) await put(socket, frame(Opcode.text, Buffer.alloc(400_000)).subarray(0, -1));
  await until('the refusal of some', () => hub.open.size < 20);
  t.ok(held() >= 400_000 && held() < 12 * MIB, `${held()} bytes of unfinished messages`);
  const idle = await raws(t, port, '/idle', 4);
  for (const socket of idle)
    socket.write(Buffer.concat(Array.from({ length: 60 }, () => frame(Opcode.text, 'x'.repeat(10_000)))));
  const unread = await raws(t, port, '/send', 6);
  await until(
    'all kinds',
    () =>
      hub.open.size >= 10 &&
      [...hub.open.keys()].some(({ isPaused }) => isPaused) &&
      [...hub.open.keys()].some(({ queued }) => queued > 10_000),
  );
  const all = [...unfinished, ...idle, ...unread];
  all.forEach((socket, i) => {
    if (i % 3 === 0) socket.resetAndDestroy();
    else if (i % 3 === 1) socket.destroy();
    else socket.end(frame(Opcode.close, Buffer.from([3, 232]))).resume();
  });
  await sleep(100);
  for (const socket of all) socket.destroy();
  await until('the end of all threads', () => hub.open.size === 0 && threads() === 0);
  t.equal(held(), 0);
  t.same(output().match(/failed/g), null);
  const peer = await Peer.open(t, port, '/echo');
  peer.send('x'.repeat(500_000));
  t.equal(await peer.next(), '500000');
  peer.ws.close();
  await once(peer.ws, 'close');
  await until('its end', () => threads() === 0);
  t.equal(held(), 0);
  await stop();
});
