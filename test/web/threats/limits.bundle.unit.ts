import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { happens, PATIENCE_MS } from '../../patience.js';
import { get, serve } from '../support/serve.js';
import { alive, ALIVE, attack, endsQuietly, HEAD, open, parallel, statusesIn, watchMemory } from './attack.js';

const PROGRAM = `app = web_app()
${ALIVE}app.get("/") { |req| "root" }
app.post("/body") do |req|
  puts "handled #{req.body.length}"
  "length=#{req.body.length};"
end
app.post("/form") { |req| "#{req.form}" }
app.run(0)
`;

t.jobs = 4;

t.test('long lines, and long or many headers, are 431', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const attacks = [
    `GET /${'x'.repeat(20_000)} ${HEAD}\r\n`,
    `GET /?${'x'.repeat(200_000)} ${HEAD}\r\n`,
    `GET / ${HEAD}X: ${'y'.repeat(17_000)}\r\n\r\n`,
    `GET / ${HEAD}${'x'.repeat(17_000)}: y\r\n\r\n`,
    `GET / ${HEAD}${'X: y\r\n'.repeat(3000)}\r\n`,
    `GET / ${HEAD}${'X: y\r\n'.repeat(100)}\r\n`,
    `GET / ${HEAD}Cookie: ${'a=b; '.repeat(2000)}\r\n\r\n`,
  ];
  await parallel(attacks, 4, async (bytes) => {
    const { statuses, closed } = await attack(port, bytes);
    t.ok(
      closed && /^4(31|14)$/.test(statuses.join(' ')),
      `${bytes.slice(0, 60)}… (${bytes.length} bytes) -> ${statuses.join(' ')}`,
    );
  });
  await alive(t, port, 'after them');
  const large = await attack(
    port,
    `GET / ${HEAD}X: ${'y'.repeat(15_000)}\r\n${'X: y\r\n'.repeat(90)}Connection: close\r\n\r\n`,
  );
  t.same(large.statuses, [200], 'what is just allowed');
  await endsQuietly(t, server);
});

const PUSHED = 512 * 1024 * 1024;
const LIMIT = 32 * 1024 * 1024;

/** Writes until the server closes the connection or everything is sent; returns the number of bytes, and the answer. */
async function push(socket: Socket, piece: Buffer): Promise<{ sent: number; text: string }> {
  let text = '';
  let sent = 0;
  socket
    .setEncoding('latin1')
    .on('data', (data: string) => (text += data))
    .resume();
  const closed = new Promise((done) => socket.once('close', done));
  while (sent < PUSHED && !socket.destroyed && socket.writable) {
    sent += piece.length;
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), closed]).catch(() => {});
  }
  socket.end();
  await Promise.race([closed, sleep(PATIENCE_MS, null, { ref: false })]);
  return { sent, text };
}

t.test('a body of 512 MiB, where 32 are allowed, uses little memory', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('web_app()', `web_app()\napp.set("body_bytes", ${LIMIT})`));
  for (let i = 0; i < 20; i++) await get(port, '/alive');
  const data = Buffer.alloc(64 * 1024, 'x');
  const chunk = Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]);
  for (const [kind, field, piece] of [
    ['Content-Length', `Content-Length: ${PUSHED}`, data],
    ['chunks', 'Transfer-Encoding: chunked', chunk],
  ] as const) {
    const watch = await watchMemory(server);
    const socket = await open(port, `POST /body ${HEAD}${field}\r\n\r\n`);
    const pushed = push(socket, piece);
    await alive(t, port, `while ${kind} come`);
    const { text, sent } = await pushed;
    const growth = await watch.growth();
    t.same(statusesIn(text), [413], kind);
    t.ok(socket.destroyed, 'the connection is closed');
    t.ok(
      growth < (2 * LIMIT) / 1024 / 1024,
      `${kind}: ${growth.toFixed(1)} MiB for ${(sent / 1024 / 1024).toFixed(0)} MiB sent`,
    );
    await alive(t, port, 'after them');
  }
  t.notMatch(server.stdout, 'handled', 'no handler has run');
  await endsQuietly(t, server);
});

t.test('a body just over the limit, announced or not', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('web_app()', 'web_app()\napp.set("body_bytes", 1000)'));
  const chunks = (...sizes: number[]): string =>
    [...sizes.map((size) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`), '0\r\n\r\n'].join('');
  const [announced, together, single, exact] = await Promise.all(
    [
      `Content-Length: 1001\r\n\r\n${'x'.repeat(1001)}`,
      `Transfer-Encoding: chunked\r\n\r\n${chunks(500, 501)}`,
      `Transfer-Encoding: chunked\r\n\r\n${chunks(1001)}`,
      `Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks(500, 500)}`,
    ].map((rest) => attack(port, `POST /body ${HEAD}${rest}`)),
  );
  t.same(
    [announced, together, single].map(({ statuses, closed }) => [statuses, closed]),
    Array.from({ length: 3 }, () => [[413], true]),
  );
  t.match(exact.text, /^HTTP\/1\.1 200 [^]*length=1000;$/);
  t.ok(await happens(() => server.stdout.includes('handled')));
  t.same(server.stdout.match(/handled.*/g), ['handled 1000']);
  await endsQuietly(t, server);
});

t.test('Expect: 100-continue is answered first, other expectations are 417', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  for (const value of ['100-continue', '100-Continue']) {
    const socket = await open(
      port,
      `POST /body ${HEAD}Expect: ${value}\r\nContent-Length: 5\r\nConnection: close\r\n\r\n`,
    );
    let text = '';
    socket
      .setEncoding('latin1')
      .on('data', (data: string) => (text += data))
      .resume();
    t.ok(await happens(() => text.includes('\r\n\r\n')));
    t.same(statusesIn(text), [100], 'before the body has come');
    socket.write('abcde');
    await once(socket, 'close');
    t.same(statusesIn(text), [100, 200]);
    t.match(text, /length=5;$/);
  }
  for (const value of ['200-ok', 'x', '', '101-continue']) {
    const { statuses } = await attack(
      port,
      `POST /body ${HEAD}Expect: ${value}\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabcde`,
    );
    t.same(statuses, [417], JSON.stringify(value));
  }
  const tooLong = await attack(port, `POST /body ${HEAD}Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n`);
  t.same(tooLong.statuses, [413], 'a refused body is not awaited');
  t.same(server.stdout.match(/handled.*/g), ['handled 5', 'handled 5']);
  await alive(t, port, 'after them');
  await endsQuietly(t, server);
});

t.test(
  'bodies of other types and charsets are empty forms, multipart ones without a boundary are refused',
  async (t) => {
    const { server, port } = await serve(t, PROGRAM);
    const types = [
      'text/plain',
      'application/json',
      'application/x-www-form-urlencodedx',
      'multipart/mixed; boundary=b',
      'x',
      ';',
      '/',
      '\xff',
    ];
    for (const type of types) {
      const { text } = await attack(
        port,
        `POST /form ${HEAD}Content-Type: ${type}\r\nContent-Length: 7\r\nConnection: close\r\n\r\na=1&b=2`,
      );
      t.match(text, /^HTTP\/1\.1 200 [^]*\r\n\r\n\{\}$/, type);
    }
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=']) {
      t.same(
        (await attack(port, `POST /form ${HEAD}Content-Type: ${type}\r\nContent-Length: 7\r\n\r\na=1&b=2`)).statuses,
        [400],
        type,
      );
    }
    for (const charset of ['utf-16', 'x-user-defined', 'latin1', '%', '"']) {
      const { text } = await attack(
        port,
        `POST /form ${HEAD}Content-Type: application/x-www-form-urlencoded; charset=${charset}\r\nContent-Length: 6\r\nConnection: close\r\n\r\na=%ff1`,
      );
      t.match(text, /^HTTP\/1\.1 200 [^]*\r\n\r\n\{[^{}]*a[^{}]*1[^{}]*\}$/, `${charset} makes no difference`);
    }
    await endsQuietly(t, server);
  },
);
