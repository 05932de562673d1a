import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../../patience.js';
import { ROOT, svcc } from '../../svcc/svcc.js';
import { Connection } from '../support/connection.js';
import { get, serve } from '../support/serve.js';
import { endsQuietly } from '../threats/attack.js';
import { Peer, refusal } from './peers.js';

const PROGRAM = `record Point(x, y)
app = web_app()
app.use do |req, next_fn|
  puts "layer #{req.path}"
  next_fn.(req)
end
app.before { |req| puts "before #{req.path}" }
app.after { |req, res| puts "after #{req.path}" }
app.get("/alive") { |req| "alive" }
app.get("/both") { |req| "page" }
app.websocket("/both") { |ws| ws.send("socket") }
app.websocket("/echo") do |ws|
  while (msg = ws.recv()) != nil
    ws.send("<#{msg}>")
  end
  puts "ended #{ws.recv() == nil} #{ws.recv() == nil} #{ws.send("late")} #{ws.open?}"
end
app.websocket("/values") do |ws|
  for value in [{"a": [1, nil]}, [1, "é", true], Point(1, 2), 42, 1.5, true, nil, :sym, "", "text"]
    ws.send(value)
  end
end
app.websocket("/slow") do |ws|
  begin
    ws.recv(timeout: 0.1)
  rescue TimeoutError => e
    ws.send(e.message)
  end
  begin
    ws.recv(timeout: 1)
  rescue TimeoutError => e
    ws.send(e.message)
  end
  ws.send("then #{ws.recv(timeout: 10)}")
end
app.websocket("/timeouts") do |ws|
  for bad in [0, -1, 0.0]
    begin
      ws.recv(timeout: bad)
    rescue ArgumentError => e
      ws.send(e.message)
    end
  end
end
app.websocket("/later") do |ws|
  ws.send("ready")
  sleep 0.3
  while (msg = ws.recv()) != nil
    puts "got #{msg}"
  end
  puts "code #{ws.close_code} #{ws.close_reason}"
end
app.websocket("/close") do |ws|
  for args in [[999, ""], [1004, ""], [1005, ""], [1006, ""], [1015, ""], [2000, ""], [5000, ""], ["x", ""], [nil, ""], [1000, "é" * 62]]
    begin
      ws.close(args[0], args[1])
    rescue ArgumentError => e
      ws.send(e.message)
    end
  end
  ws.send("open #{ws.open?} #{ws.close_code == nil}")
  ws.close(4001, "é" * 61)
  ws.close(1000)
  puts "closed #{ws.open?} #{ws.send("x")} #{ws.recv() == nil}"
end
app.websocket("/rooms/:room/:id.json") do |ws|
  ws.send([ws.params, ws.path, ws.query, ws.headers["X-One"], ws.headers["x-one"], ws.open?, ws.close_code])
  ws.send(ws.peer)
end
app.websocket("/peer") { |ws| ws.send(ws.peer) }
app.websocket("/any/:name") { |ws| ws.send("name #{ws.params["name"]}") }
app.websocket("/any/exact") { |ws| ws.send("exact") }
app.websocket("/rest/*path") { |ws| ws.send("rest #{ws.params["path"]}") }
app.websocket("/queue") do |ws|
  got = channel(10)
  3.times do |i|
    spawn { got.send("#{i}:#{ws.recv()}") }
    sleep 0.05
  end
  ws.send("ready")
  3.times { puts "queue #{got.recv()}" }
  ws.send("done")
end
app.websocket("/spawned") do |ws|
  spawn do
    ws.send("from another thread")
    ws.send("and #{ws.recv()}")
    ws.close(4002)
  end
  sleep 0.02 while ws.open?
  puts "spawned #{ws.recv() == nil}"
end
app.websocket("/loose", compress: true) { |ws| ws.send(ws.recv() * 1000) }
app.websocket("/origin", origins: ["https://a.example"]) { |ws| ws.send("welcome") }
app.websocket("/anyorigin", origins: ["*"]) { |ws| ws.send("welcome") }
app.run(0)
`;

t.jobs = 4;

t.test('text in both directions; "" is a message, nil is the end', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/echo');
  for (const text of ['hello', '', 'é€😀', 'x'.repeat(100_000), '\0']) {
    peer.send(text);
    t.equal(await peer.next(), `<${text}>`);
  }
  peer.ws.send(Buffer.from('as binary'));
  t.equal(await peer.next(), '<as binary>', 'UTF-8 in a binary frame is text');
  peer.ws.close(1000);
  t.equal(await peer.closed(), 1000);
  await until('the handler', () => server.stdout.includes('ended true true false false'));
  const odd = await Peer.open(t, port, '/echo');
  odd.ws.send(Buffer.from([0xff, 0xfe]));
  t.equal(await odd.closed(), 1003, 'other binary data');
  await endsQuietly(t, server);
});

t.test('values as messages', async (t) => {
  const { port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/values');
  t.equal(await peer.closed(), 1000);
  t.same(
    peer.messages.slice(0, 3).map((text): unknown => JSON.parse(text)),
    [{ a: [1, null] }, [1, 'é', true], { x: 1, y: 2 }],
  );
  t.same(peer.messages.slice(3), ['42', '1.5', 'true', '', 'sym', '', 'text'], 'others as puts prints them');
});

t.test('recv with a timeout', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/slow');
  t.equal(await peer.next(), 'timed out after 0.1s');
  t.equal(await peer.next(), 'timed out after 1s');
  peer.send('a message');
  t.equal(await peer.next(), 'then a message');
  const bad = await Peer.open(t, port, '/timeouts');
  await bad.closed();
  t.same(
    bad.messages,
    ['0', '-1', '0.0'].map((n) => `timeout must be more than 0 seconds, got ${n}`),
  );
  await endsQuietly(t, server);
});

t.test('messages sent before a close are received', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/later');
  await peer.next();
  for (let i = 0; i < 50; i++) peer.send(`message ${i}`);
  peer.ws.close(4003, 'that is all');
  t.equal(await peer.closed(), 4003);
  await until('the end', () => server.stdout.includes('code 4003 that is all'));
  t.same(
    server.stdout.match(/got .*/g),
    Array.from({ length: 50 }, (_, i) => `got message ${i}`),
  );
  const rude = await Peer.open(t, port, '/later');
  await rude.next();
  rude.ws.close();
  await until('the end', () => server.stdout.includes('code 1005'));
  const gone = await Peer.open(t, port, '/later');
  await gone.next();
  gone.ws.terminate();
  await until('the end', () => server.stdout.includes('code 1006'));
  await endsQuietly(t, server);
});

t.test('close with a code and a reason', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/close');
  t.equal(await peer.closed(), 4001, 'the first one counts');
  t.equal(peer.reason, 'é'.repeat(61));
  const codes = ['999', '1004', '1005', '1006', '1015', '2000', '5000', 'x', ''];
  t.same(peer.messages, [
    ...codes.map(
      (code) => `a close code must be 1000 to 1014 (except 1004, 1005 and 1006) or 3000 to 4999, got ${code}`,
    ),
    'the reason of a close must be at most 123 bytes, got 124',
    'open true true',
  ]);
  await until('the handler', () => server.stdout.includes('closed false false true'));
  await endsQuietly(t, server);
});

t.test('parameters, path, query and headers of a connection', async (t) => {
  const { port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/rooms/a%20b%2Fc/7.json?q=1&r=%C3%A9', { headers: { 'X-One': 'first' } });
  t.same(JSON.parse(await peer.next()), [
    { room: 'a b/c', id: '7' },
    '/rooms/a%20b%2Fc/7.json',
    { q: '1', r: 'é' },
    'first',
    'first',
    true,
    null,
  ]);
  t.match(await peer.next(), /^127\.0\.0\.1:\d{4,5}$/);
});

t.test('an IPv6 peer is written in brackets', async (t) => {
  const { port } = await serve(t, PROGRAM.replace('app.run(0)', 'app.run(0, "::1")')).catch(() => ({ port: 0 }));
  if (port === 0) return t.pass('a machine without IPv6');
  const peer = await Peer.open(t, port, '/peer', {}, '[::1]');
  t.match(await peer.next(), /^\[::1\]:\d{4,5}$/);
});

t.test('threads that wait in recv are served in their order', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/queue');
  t.equal(await peer.next(), 'ready');
  for (const text of ['a', 'b', 'c']) peer.send(text);
  t.equal(await peer.next(), 'done');
  t.same(server.stdout.match(/queue .*/g), ['queue 0:a', 'queue 1:b', 'queue 2:c']);
  await endsQuietly(t, server);
});

t.test('a spawned thread may use the socket', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/spawned');
  t.equal(await peer.next(), 'from another thread');
  peer.send('back');
  t.equal(await peer.next(), 'and back');
  t.equal(await peer.closed(), 4002);
  await until('the handler', () => server.stdout.includes('spawned true'));
  await endsQuietly(t, server);
});

t.test('neither middleware nor filters run for a WebSocket; HTTP requests are answered meanwhile', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/echo');
  t.same(await get(port, '/alive'), { status: 200, body: 'alive' });
  peer.send('x');
  t.equal(await peer.next(), '<x>');
  t.same(server.stdout.match(/^(layer|before|after) .*/gm), ['layer /alive', 'before /alive', 'after /alive']);
  await endsQuietly(t, server);
});

t.test('a plain GET is 426, unless a route has the path too', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const connection = await Connection.open(port);
  connection.send('GET /echo HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  const { status, headers } = await connection.response('GET');
  t.equal(status, 426);
  const field = (wanted: string): string | undefined => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  t.same([field('upgrade'), field('sec-websocket-version')], ['websocket', '13']);
  t.equal(field('connection'), 'Upgrade, close');
  await connection.close();
  const other = await Connection.open(port);
  other.send('POST /echo HTTP/1.1\r\nHost: svc.test\r\nContent-Length: 0\r\n\r\n');
  t.equal((await other.response('POST')).status, 404);
  other.socket.destroy();
  t.same(await get(port, '/both'), { status: 200, body: 'page' });
  t.equal(await (await Peer.open(t, port, '/both')).next(), 'socket');
  t.match(await refusal(t, port, '/nowhere'), /404/);
  t.match(await refusal(t, port, '/alive'), /404/, 'the path of an ordinary route');
  await endsQuietly(t, server);
});

t.test('static files besides WebSockets, and a connection that has served a page', async (t) => {
  const { port } = await serve(
    t,
    PROGRAM.replace('app = web_app()', `app = web_app()\napp.static(${JSON.stringify(join(ROOT, 'examples/public'))})`),
  );
  const peer = await Peer.open(t, port, '/echo');
  t.equal((await get(port, '/todo.css')).status, 200);
  peer.send('x');
  t.equal(await peer.next(), '<x>');
  const socket = connect({ port, host: '127.0.0.1' });
  t.teardown(() => socket.destroy());
  let text = '';
  socket.setEncoding('latin1').on('data', (data: string) => (text += data));
  socket.write('GET /alive HTTP/1.1\r\nHost: a\r\n\r\n');
  await until('the page', () => text.endsWith('alive'));
  socket.write(
    'GET /both HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  await until('the message', () => text.includes('socket'));
  t.match(text, /^HTTP\/1\.1 200 [^]*aliveHTTP\/1\.1 101 /, 'a connection that served a page becomes a WebSocket');
});

t.test('patterns: literals before parameters, parameters before the rest', async (t) => {
  const { port } = await serve(t, PROGRAM);
  for (const [path, text] of [
    ['/any/exact', 'exact'],
    ['/any/other', 'name other'],
    ['/rest/a/b', 'rest a/b'],
  ])
    t.equal(await (await Peer.open(t, port, path)).next(), text);
  t.match(await refusal(t, port, '/any/a/b'), /404/);
  t.match(await refusal(t, port, '/any/%zz'), /400/);
});

const TWICE =
  'app = web_app()\napp.use { |req, next_fn| next_fn.(req) }\napp.get("/x") { |req| "x" }\napp.websocket("/x/:a") { |ws| ws.send("first") }\napp.websocket("/x/:b") { |ws| ws.send("second") }\napp.run(0)\n';

t.test('a duplicate causes a warning, and the first one answers', async (t) => {
  const { server, port } = await serve(t, TWICE);
  t.match(
    server.stderr,
    /^warning: .*app\.svc:5: WebSocket \/x\/:b is already registered at .*app\.svc:4; the first one is used\n$/,
  );
  t.equal(await (await Peer.open(t, port, '/x/1')).next(), 'first');
});

t.test('svcc routes lists them, and bad registrations are errors', async (t) => {
  const { stdout } = await svcc(['routes', 'app.svc'], { cwd: t.testdir({ 'app.svc': TWICE }) });
  t.same(
    stdout
      .trimEnd()
      .split('\n')
      .map((row) => row.split(/ {2,}/).slice(0, 3)),
    [
      ['METHOD', 'PATTERN', 'PLACE'],
      ['GET', '/x', 'app.svc:3'],
      ['WEBSOCKET', '/x/:a', 'app.svc:4'],
    ],
  );
  for (const [source, problem] of [
    ['app.websocket("x") { |ws| 1 }', /ValueError.*x/],
    ['app.websocket("/x", origins: [1]) { |ws| 1 }', /TypeError.*origins/],
    ['app.websocket("/x")', /ArgumentError|TypeError/],
  ] as const) {
    const { stderr, exitCode } = await svcc(['run', 'app.svc'], {
      cwd: t.testdir({ 'app.svc': `app = web_app()\n${source}\n` }),
    });
    t.match(stderr, problem);
    t.equal(exitCode, 1);
  }
});

t.test('compress: true, only for clients that offer it', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  for (const [path, offered, expected] of [
    ['/loose', true, 'permessage-deflate'],
    ['/loose', false, ''],
    ['/both', true, ''],
  ] as const) {
    const peer = await Peer.open(t, port, path, { perMessageDeflate: offered });
    t.equal(peer.ws.extensions, expected, `${path} ${offered}`);
    if (path === '/loose') {
      peer.send('abc');
      t.equal(await peer.next(), 'abc'.repeat(1000));
      t.equal(await peer.closed(), 1000);
    }
  }
  await endsQuietly(t, server);
});

t.test('origins', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  for (const origin of ['https://a.example', 'https://A.example', undefined])
    t.equal(await (await Peer.open(t, port, '/origin', { origin })).next(), 'welcome', origin ?? 'no origin');
  for (const origin of [
    'https://b.example',
    'http://a.example',
    'https://a.example.evil',
    'https://a.example:444',
    'null',
    '*',
    '',
  ])
    t.match(await refusal(t, port, '/origin', { headers: { Origin: origin } }), /403/, origin);
  t.equal(await (await Peer.open(t, port, '/anyorigin', { origin: 'https://b.example' })).next(), 'welcome');
  t.equal(
    await (await Peer.open(t, port, '/both', { origin: 'https://b.example' })).next(),
    'socket',
    'without the option all may connect',
  );
  await endsQuietly(t, server);
});

t.test('a client that resets its connection during the handshake', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  for (let i = 0; i < 50; i++) {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    await new Promise((done) => socket.once('connect', done));
    socket.write(
      'GET /echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      () => socket.resetAndDestroy(),
    );
  }
  t.equal(await (await Peer.open(t, port, '/both')).next(), 'socket');
  await endsQuietly(t, server);
});
