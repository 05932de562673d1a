import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { GROWTH_MIB } from '../support/growth.js';
import { Connection } from '../support/connection.js';
import { comesToRest, happens } from '../../patience.js';
import { serve } from '../support/serve.js';
import {
  alive,
  ALIVE,
  attack,
  count,
  endsQuietly,
  HEAD,
  LONG,
  open,
  parallel,
  randomNumbers,
  watchMemory,
} from './attack.js';

const PROGRAM = `app = web_app()
${ALIVE}app.get("/after/:ms/:n") do |req|
  sleep(req.params["ms"].to_i / 1000.0)
  puts "ran #{req.params["n"]}"
  "answer #{req.params["n"]}"
end
wide = "x" * 4096
begun = 0
app.get("/wide") do
  begun += 1
  wide
end
app.get("/begun") { begun.to_s }
app.post("/body") { |req| "length=#{req.body.length};" }
app.run(0)
`;

const PIPELINED = 131_072;
/** Setting with which the server may not close the connection of a client that reads nothing. */
const PATIENT = 'web_app()\napp.set("write_seconds", 3600)';

t.jobs = 4;
if (LONG) t.setTimeout(3_600_000);

t.test('131,072 pipelined requests whose responses are not read', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('web_app()', PATIENT));
  const one = `GET /wide ${HEAD}\r\n`;
  // Answered requests first, so that the heap has grown: further growth is due to waiting requests.
  const warm = await attack(port, `${one.repeat(20_000)}GET /alive ${HEAD}Connection: close\r\n\r\n`);
  t.equal(warm.statuses.length, 20_001);
  const watch = await watchMemory(server);
  const socket = await open(port);
  const all = Buffer.from(one.repeat(PIPELINED));
  socket.write(all);
  await comesToRest(server.child);
  await alive(t, port, 'while they wait');
  const growth = await watch.growth();
  t.ok(growth < GROWTH_MIB, `${growth.toFixed(1)} MiB for ${(all.length / 1024 / 1024).toFixed(1)} MiB of requests`);
  // The kernel cannot buffer the 512 MiB of responses, so the server must not have begun all requests.
  const begun = Number(await (await fetch(`http://127.0.0.1:${port}/begun`)).text()) - 20_000;
  t.ok(begun < PIPELINED, `it stops to read: ${begun} requests of ${PIPELINED} begun`);
  let received = 0;
  socket.on('data', (data) => (received += count(data.toString('latin1'), 'HTTP/1.1 200 OK'))).resume();
  // A status line cut by the end of a chunk is not counted, so expect fewer than all.
  const wanted = LONG ? PIPELINED * 0.99 : 20_000;
  t.ok(await happens(() => received >= wanted), `${received} answers once they are read`);
  socket.destroy();
  await alive(t, port, 'after them');
  await endsQuietly(t, server);
});

t.test('pipelined responses keep their order, however long their handlers take', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const random = randomNumbers(20);
  const numbers = Array.from({ length: LONG ? 1000 : 300 }, (_, n) => n);
  const connection = await Connection.open(port);
  connection.send(numbers.map((n) => `GET /after/${random(400)}/${n} ${HEAD}\r\n`).join(''));
  const bodies = [];
  for (const _n of numbers) bodies.push((await connection.response('GET')).body.toString());
  t.same(
    bodies,
    numbers.map((n) => `answer ${n}`),
  );
  t.equal(connection.unread.length, 0);
  connection.socket.destroy();
  t.ok(await happens(() => count(server.stdout, 'ran') === numbers.length), 'each has run');
  const ran = [...server.stdout.matchAll(/ran (\d+)/g)].map(([, n]) => Number(n));
  t.equal(new Set(ran).size, numbers.length, 'once');
  t.notSame(ran, numbers, 'in another order');
  await alive(t, port, 'after them');
  await endsQuietly(t, server);
});

t.test('upgrades to unsupported protocols are ignored', (t) => ignoresUpgrades(t, ''));

t.test('upgrades to unsupported protocols are ignored beside WebSockets', (t) =>
  ignoresUpgrades(t, 'app.websocket("/socket") { |ws| ws.recv() }'),
);

async function ignoresUpgrades(t: Test, route: string): Promise<void> {
  const { server, port } = await serve(
    t,
    PROGRAM.replace('web_app()', `web_app()\napp.set("request_seconds", 2)\n${route}`),
  );
  const upgrades = [
    'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
    'Upgrade: foo\r\nConnection: upgrade\r\n',
    'Upgrade: foo\r\n',
    'Connection: upgrade\r\n',
    'Upgrade:\r\nConnection: upgrade\r\n',
    'Upgrade: TLS/1.0\r\nConnection: upgrade\r\n',
    ...(route === '' ? ['Upgrade: h2c, websocket\r\nConnection: keep-alive, Upgrade\r\n'] : []),
  ];
  const bodies = (text: string): string[] =>
    text
      .split(/HTTP\/1\.1 (?=\d{3} )/)
      .slice(1)
      .map((response) => response.slice(0, 4) + response.split('\r\n\r\n')[1]);
  await parallel(upgrades, upgrades.length, async (upgrade) => {
    // Only both headers together are an upgrade. Node does not parse the bytes after it, and the connection ends.
    const isUpgrade = /^Upgrade: \S/.test(upgrade) && /Connection: .*upgrade/i.test(upgrade);
    // Node's parser does not report errors in the body of an upgrade: the request times out.
    const broken = isUpgrade ? '408 Request Timeout' : '400 Bad Request';
    const last = `GET /alive ${HEAD}Connection: close\r\n\r\n`;
    for (const [request, answer] of [
      [`GET /alive ${HEAD}${upgrade}\r\n`, '200 alive'],
      [`POST /body ${HEAD}${upgrade}Content-Length: 3\r\n\r\nabc`, '200 length=3;'],
      [`POST /body ${HEAD}${upgrade}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`, '200 length=3;'],
      [`POST /body ${HEAD}${upgrade}Transfer-Encoding: chunked\r\n\r\nz\r\n`, broken],
    ]) {
      const { text, closed } = await attack(port, `GET /alive ${HEAD}\r\n${request}${last}`);
      const after = isUpgrade || answer.startsWith('4') ? [] : ['200 alive'];
      t.same([bodies(text), closed], [['200 alive', answer, ...after], true], JSON.stringify(request));
    }
  });
  const preface = await attack(port, `GET /alive ${HEAD}${upgrades[0]}\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`);
  t.same([preface.statuses, preface.closed], [[200], true]);
  // The bytes after the upgrade are dropped, so later packets may be the body of a dropped request.
  const socket = await open(
    port,
    `GET /after/200/upgrade ${HEAD}${upgrades[1]}\r\nPOST /body ${HEAD}Content-Length: 60\r\n\r\n`,
  );
  await sleep(50);
  socket.write(`GET /after/0/smuggled ${HEAD}\r\n`);
  socket.resume();
  await once(socket, 'close');
  t.same(server.stdout.match(/ran \w+/g), ['ran upgrade']);
  const expecting = `POST /body ${HEAD}${upgrades[0]}Expect: 100-continue\r\nContent-Length: 3\r\n\r\n`;
  const invited = await open(port, expecting);
  invited.setEncoding('latin1').once('data', () => invited.write('abc'));
  const [first, ...rest] = await invited.toArray();
  t.equal(first, 'HTTP/1.1 100 Continue\r\n\r\n');
  t.same(bodies(rest.join('')), ['200 length=3;']);
  await alive(t, port, 'after them');
  await endsQuietly(t, server);
}

t.test('valid requests before a malformed one in the same packet are answered first', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const bad = [
    'nonsense\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    `GET / ${HEAD}X : y\r\n\r\n`,
    `POST /body ${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `POST /body ${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `GET / HTTP/9.9\r\n\r\n`,
    `GET / ${HEAD}Host: b\r\n\r\n`,
  ];
  for (const [i, last] of bad.entries()) {
    for (const [first, second] of [
      [0, 0],
      [60, 0],
      [60, 120],
      [0, 60],
    ]) {
      const names = [`${i}-${first}-${second}-a`, `${i}-${first}-${second}-b`];
      const { statuses, text, closed } = await attack(
        port,
        `GET /after/${first}/${names[0]} ${HEAD}\r\nGET /after/${second}/${names[1]} ${HEAD}\r\n${last}GET /after/0/smuggled ${HEAD}\r\n`,
      );
      t.same([statuses, closed], [[200, 200, 400], true], `${JSON.stringify(last)} after ${first} and ${second} ms`);
      t.same(
        text.match(/answer \S+[ab]/g),
        names.map((name) => `answer ${name}`),
      );
    }
  }
  t.equal(count(server.stdout, 'smuggled'), 0, 'requests after it do not run');
  const socket = await open(port, `GET /after/50/pieces ${HEAD}\r\n`);
  let text = '';
  socket
    .setEncoding('latin1')
    .on('data', (data: string) => (text += data))
    .resume();
  socket.write('nonsense\r\n\r\n');
  await once(socket, 'close');
  t.match(text, /^HTTP\/1\.1 200 [^]*answer piecesHTTP\/1\.1 400 /, 'in another packet as well');
  await alive(t, port, 'after them');
  await endsQuietly(t, server);
});

t.test('a request in the same packet as the end of the previous body is answered after that one', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()\napp.post("/body") { |req| "length=#{req.body.length};" }\napp.get("/next") { |req| "next" }\napp.run(0)\n`,
  );
  const next = `GET /next ${HEAD}\r\n`;
  for (const body of ['Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'Content-Length: 3\r\n\r\nabc']) {
    const { text } = await attack(
      port,
      `POST /body ${HEAD}${body}${next}${next}GET /next ${HEAD}Connection: close\r\n\r\n`,
    );
    t.equal(
      (text.match(/length=\d;|next$|next(?=HTTP)/g) ?? []).join(' '),
      `length=${body.endsWith('abc') ? 3 : 0}; next next next`,
    );
  }
  await endsQuietly(t, server);
});
