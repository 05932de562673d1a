import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import { Svcc, svcc, type Outcome } from '../../svcc/svcc.js';
import { get, serve } from '../support/serve.js';

t.jobs = 4;

/** Runs a program to its end. */
function run(test: Test, source: string): Promise<Outcome> {
  return svcc(['run', 'app.svc'], { cwd: test.testdir({ 'app.svc': source }) });
}

/** Starts a TCP server that calls `answer` for each request; returns its port. */
async function rude(test: Test, answer: (socket: Socket, request: string) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => answer(socket, data.toString('latin1')));
    test.teardown(() => socket.destroy());
  });
  test.teardown(() => server.close());
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

function accepting(request: string): string {
  const key = /sec-websocket-key: (\S+)/i.exec(request)?.[1];
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nX-One: first\r\n\r\n`;
}

/** A program that prints the error of each attempt to connect. */
function attempts(urls: string[], rest = ''): string {
  return `for url in ${JSON.stringify(urls)}
  begin
    ws_connect(url${rest})
    puts "connected"
  rescue e
    puts "#{e.type}: #{e.message}"
  end
end
`;
}

const SERVER = `app = web_app()
app.websocket("/echo/:name") do |ws|
  ws.send([ws.params["name"], ws.query, ws.headers["X-Token"]])
  while (msg = ws.recv()) != nil
    ws.send(msg)
  end
  puts "server #{ws.close_code} #{ws.close_reason}"
end
app.websocket("/bye") { |ws| ws.close(4005, "go away") }
app.websocket("/silent") { |ws| ws.recv() }
app.websocket("/origin", origins: ["https://a.example"]) { |ws| ws.send("welcome") }
app.get("/proxy/:name") do |req|
  ws = ws_connect("ws://127.0.0.1:#{req.query["port"]}/echo/#{req.params["name"]}", timeout: 5)
  ws.recv()
  tasks = (1..3).map { |i| spawn { ws.send("from task #{i}") } }
  await tasks
  got = (1..3).map { |i| ws.recv() }
  ws.close()
  got
end
app.get("/halfway") do |req|
  ws = ws_connect("ws://127.0.0.1:#{req.query["port"]}/silent")
  begin
    timeout(0.2) { ws.recv() }
  rescue TimeoutError => e
    ws.close()
    e.message
  end
end
app.run(0)
`;

t.test('a client at top level; an open connection does not keep the program running', async (t) => {
  const { server, port } = await serve(t, SERVER);
  const { stdout, stderr, exitCode } = await run(
    t,
    `ws = ws_connect("ws://127.0.0.1:${port}/echo/a?q=1&r=2", timeout: 5, headers: {"X-Token": "secret"})
puts ws.recv()
for msg in ["hello", "", {"a": 1}]
  ws.send(msg)
  puts "<#{ws.recv()}>"
end
puts [ws.open?, ws.path, ws.peer == "127.0.0.1:${port}", ws.query, ws.params, ws.rooms]
begin
  ws.join("room")
rescue e
  puts e.message
end
ws.close(4001, "bye")
puts [ws.open?, ws.send("late"), ws.recv()]
gone = ws_connect("ws://127.0.0.1:${port}/bye")
puts [gone.recv(), gone.recv(), gone.close_code, gone.close_reason, gone.send("x")]
ws_connect("ws://127.0.0.1:${port}/silent")
puts "the end"
`,
  );
  t.equal(stderr, '');
  t.same(stdout.split('\n'), [
    '["a",{"q":"1","r":"2"},"secret"]',
    '<hello>',
    '<>',
    '<{"a":1}>',
    '[true, /echo/a, true, {q: 1, r: 2}, {}, []]',
    'only connections accepted by a server can join rooms',
    '[false, false, nil]',
    '[nil, nil, 4005, go away, false]',
    'the end',
    '',
  ]);
  t.equal(exitCode, 0, 'an open connection does not keep it');
  await until('the server', () => server.stdout.includes('server 4001 bye'));
  t.equal((await server.stop()).stderr, '');
});

t.test('ports without a listener, and refused handshakes', async (t) => {
  const { port } = await serve(t, SERVER);
  const plain = await rude(t, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'));
  const moved = await rude(t, (socket) =>
    socket.end(`HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:${port}/echo/x\r\nContent-Length: 0\r\n\r\n`),
  );
  const none = await rude(t, (socket) => socket.destroy());
  const garbage = await rude(t, (socket) => socket.end('garbage\r\n\r\n'));
  const wrong = await rude(t, (socket) =>
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n',
    ),
  );
  const large = await rude(t, (socket) =>
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${`X: ${'y'.repeat(1000)}\r\n`.repeat(5000)}\r\n`),
  );
  const urls = [
    '127.0.0.1:1',
    `127.0.0.1:${port}/nowhere`,
    `127.0.0.1:${plain}`,
    `127.0.0.1:${moved}/x`,
    `127.0.0.1:${none}`,
    `127.0.0.1:${garbage}`,
    `127.0.0.1:${wrong}`,
    `127.0.0.1:${large}`,
  ].map((url) => `ws://${url}`);
  const { stdout, stderr, exitCode } = await run(
    t,
    `${attempts(urls, ', timeout: 10')}${attempts([`ws://127.0.0.1:${port}/origin`], ', timeout: 10, headers: {"Origin": "https://b.example"}')}`,
  );
  const lines = stdout.trimEnd().split('\n');
  t.equal(lines.length, urls.length + 1, stdout);
  for (const line of lines) t.match(line, /^ConnectionError: /);
  t.match(lines[0], 'cannot connect to 127.0.0.1:1: nothing is listening at this address');
  t.match(lines[1], `127.0.0.1:${port} refused the WebSocket with 404 Not Found`);
  t.match(lines[2], 'refused the WebSocket with 200 OK');
  t.match(lines[3], 'refused the WebSocket with 302 Found');
  t.match(lines.at(-1), '403');
  t.same([stderr, exitCode], ['', 0]);
});

t.test('invalid addresses', async (t) => {
  const urls = [
    'wss://127.0.0.1/',
    'http://127.0.0.1/',
    'nonsense',
    '',
    'ws://',
    'ws://127.0.0.1:99999/',
    'ws://127.0.0.1/#part',
    '//127.0.0.1/',
    'WSS://127.0.0.1/',
  ];
  const { stdout, stderr } = await run(
    t,
    `${attempts(urls)}${attempts(['ws://127.0.0.1:1/'], ', timeout: 0')}${attempts(['ws://127.0.0.1:1/'], ', timeout: -1.5')}${attempts(['ws://127.0.0.1:1/'], ', headers: {"a b": "c"}')}${attempts(['ws://127.0.0.1:1/'], ', headers: {"A": "b\\r\\nC: d"}')}`,
  );
  const lines = stdout.trimEnd().split('\n');
  t.equal(stderr, '');
  t.match(lines[0], /^ValueError: ws_connect\(\) supports only ws:\/\/ \(no TLS\), got "wss:/);
  t.equal(lines[8], lines[0].replace('"wss:', '"WSS:'));
  for (const [i, url] of urls.entries()) {
    t.match(lines[i], /^ValueError: /, url);
    t.match(lines[i], JSON.stringify(url.replace('#part', '#…')));
  }
  for (const line of lines.slice(9, 11))
    t.match(line, /^ArgumentError: timeout must be more than 0 seconds, got (0|-1\.5)$/);
  for (const line of lines.slice(11)) t.match(line, /^ValueError: /, 'a header field that is none');
  t.equal(lines.length, 13);
});

t.test('timeouts for connecting and for recv', async (t) => {
  const { port } = await serve(t, SERVER);
  const silent = await rude(t, () => {});
  const slow = await rude(t, (socket) => setInterval(() => socket.write('HTTP/1.1 101 Switching'), 50).unref());
  const { stdout, stderr, exitCode } = await run(
    t,
    `${attempts([`ws://127.0.0.1:${silent}/`, `ws://127.0.0.1:${slow}/`], ', timeout: 0.3')}
ws = ws_connect("ws://127.0.0.1:${port}/silent", timeout: 2)
for wait in [nil, 0.1]
  begin
    ws.recv(timeout: wait)
  rescue TimeoutError => e
    puts "recv #{e.message}"
  end
end
puts ws.open?
`,
  );
  const lines = stdout.trimEnd().split('\n');
  t.equal(lines[0], 'TimeoutError: timed out after 0.3s');
  t.match(lines[1], /^(TimeoutError: timed out after 0\.3s|ConnectionError: .*)$/);
  t.same(lines.slice(2), ['recv timed out after 2s', 'recv timed out after 0.1s', 'true']);
  t.same([stderr, exitCode], ['', 0]);
});

t.test('malformed frames of a server close the connection', async (t) => {
  const masked = await rude(t, (socket, request) =>
    socket.write(Buffer.concat([Buffer.from(accepting(request)), Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78])])),
  );
  const huge = await rude(t, (socket, request) =>
    socket.write(Buffer.concat([Buffer.from(accepting(request)), Buffer.from([0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0])])),
  );
  const early = await rude(t, (socket, request) =>
    socket.write(
      Buffer.concat([Buffer.from(accepting(request)), Buffer.from([0x81, 1, 0x61, 0x81, 1, 0x62, 0x88, 2, 3, 232])]),
    ),
  );
  const broken = await rude(t, (socket, request) => socket.end(accepting(request)));
  const { stdout, stderr, exitCode } = await run(
    t,
    `for port in ${JSON.stringify([masked, huge, early, broken])}
  ws = ws_connect("ws://127.0.0.1:#{port}/", timeout: 5)
  got = []
  while (msg = ws.recv()) != nil
    got.push(msg)
  end
  puts [ws.headers["x-one"], got, ws.open?]
end
`,
  );
  t.same(stdout.trimEnd().split('\n'), [
    '[first, [], false]',
    '[first, [], false]',
    '[first, [a, b], false]',
    '[first, [], false]',
  ]);
  t.same([stderr, exitCode], ['', 0]);
});

t.test('clients in handlers and spawned threads', async (t) => {
  const { server, port } = await serve(t, SERVER);
  for (const name of ['a', 'b'])
    t.same(JSON.parse((await get(port, `/proxy/${name}?port=${port}`)).body), [
      'from task 1',
      'from task 2',
      'from task 3',
    ]);
  t.equal((await get(port, `/halfway?port=${port}`)).body, 'timed out after 0.2s');
  const { exitCode, stderr } = await server.stop();
  t.same([exitCode, stderr], [0, '']);
});

t.test('a cancelled connect leaves no descriptor open', async (t) => {
  const silent = await rude(t, () => {});
  const cwd = t.testdir({
    'app.svc': `puts "before"
sleep 0.5
30.times do
  begin
    timeout(0.02) { ws_connect("ws://127.0.0.1:${silent}/") }
  rescue TimeoutError => e
    puts "up" if e.message != "timed out after 0.02s"
  end
  task = spawn { ws_connect("ws://127.0.0.1:${silent}/") }
  sleep 0.01
  task.cancel()
  begin
    ws_connect("ws://127.0.0.1:${silent}/", timeout: 0.02)
  rescue TimeoutError
  end
end
puts "after"
sleep 0.01 until file_exists("go")
`,
  });
  const program = new Svcc(['run', 'app.svc'], { cwd });
  t.teardown(() => program.child.kill('SIGKILL'));
  const sockets = (): number => readdirSync(`/proc/${program.child.pid}/fd`).length;
  await program.printed(/before\n/);
  const before = sockets();
  await program.printed(/after\n/);
  await until('that all are closed', () => sockets() <= before + 2);
  writeFileSync(join(cwd, 'go'), '');
  t.notMatch(program.stdout, 'up');
  const { stderr, exitCode } = await program.finished();
  t.same([stderr, exitCode], ['', 0]);
});
