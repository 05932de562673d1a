import t from 'tap';
import { happens, until } from '../../patience.js';
import { Connection } from '../support/connection.js';
import { get, serve } from '../support/serve.js';
import { LONG, parallel, watchMemory } from '../threats/attack.js';

const PROGRAM = `app = web_app()
app.set("request_seconds", SECONDS)
app.get("/alive") { |req| "alive" }
app.post("/size", stream_body: true) do |req|
  size = 0
  req.each_chunk do |bytes|
    puts "begun" if size == 0
    size += bytes.size
  end
  "#{size}"
ensure
  puts "ended"
end
app.post("/slow", stream_body: true) do |req|
  req.each_chunk do |bytes|
    puts "one"
    sleep 1000
  end
end
app.post("/waits", stream_body: true) do |req|
  puts "waiting"
  sleep 1000
ensure
  puts "ended"
end
app.post("/finish", stream_body: true, finish: true) do |req|
  begin
    req.each_chunk { |bytes| puts "part" }
  rescue ConnectionError => e
    puts e.message
  end
end
app.post("/echo", stream_body: true) do |req|
  stream_response("text/plain") { |out| req.each_chunk { |bytes| out.write(bytes) } }
end
app.post("/limited", stream_body: true) do |req|
  first = 0
  begin
    timeout(0.2) { req.each_chunk { |bytes| first += bytes.size } }
  rescue TimeoutError => e
    puts "timed out"
  end
  rest = 0
  req.each_chunk { |bytes| rest += bytes.size }
  "#{first} #{rest}"
end
app.post("/two", stream_body: true) do |req|
  task = spawn { req.each_chunk { |bytes| nil } }
  sleep 0.1
  begin
    req.each_chunk { |bytes| nil }
  rescue RuntimeError => e
    puts e.message
  end
  task.cancel
  response("two", 403)
end
app.run(0)
`;

const HEAD = 'HTTP/1.1\r\nHost: svc.test\r\n';
const MIB = 1024 * 1024;
const program = (seconds = 1000): string => PROGRAM.replace('SECONDS', String(seconds));

t.jobs = 4;

t.test('a body of any size in constant memory', async (t) => {
  const { server, port } = await serve(t, program());
  const total = (LONG ? 2000 : 300) * MIB;
  const part = Buffer.alloc(MIB, 'x');
  const send = async (bytes: number): Promise<string> => {
    const connection = await Connection.open(port);
    connection.send(`POST /size ${HEAD}Content-Length: ${bytes}\r\n\r\n`);
    for (let sent = 0; sent < bytes; sent += part.length)
      if (!connection.socket.write(part)) await new Promise((resolve) => connection.socket.once('drain', resolve));
    const { status, body } = await connection.response('POST');
    connection.socket.destroy();
    return `${status} ${body.toString()}`;
  };
  await send(20 * MIB);
  const watch = await watchMemory(server);
  t.equal(await send(total), `200 ${total}`);
  const growth = await watch.growth();
  t.comment(`${growth.toFixed(1)} MiB more`);
  t.ok(growth < 100, `${growth.toFixed(1)} MiB`);
});

t.test('what the handler does not read stays with the client', async (t) => {
  const { server, port } = await serve(t, program());
  for (const path of ['/slow', '/waits']) {
    const connection = await Connection.open(port);
    const { socket } = connection;
    socket.on('error', () => {});
    connection.send(`POST ${path} ${HEAD}Content-Length: ${1000 * MIB}\r\n\r\n`);
    const part = Buffer.alloc(MIB, 'x');
    let sent = 0;
    const more = (): void => {
      while (socket.write(part)) sent++;
    };
    socket.on('drain', more);
    more();
    await server.printed(path === '/slow' ? /one/ : /waiting/);
    let before = -1;
    await until('a client that is not read', async () => {
      const now = socket.bytesWritten;
      const isQuiet = now === before;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return isQuiet;
    });
    t.ok(sent < 50, `${sent} MiB were accepted`);
    t.equal((await get(port, '/alive')).body, 'alive');
    socket.resetAndDestroy();
  }
});

t.test('a client that leaves in the middle', async (t) => {
  const { server, port } = await serve(t, program());
  const first = await Connection.open(port);
  first.send(`POST /size ${HEAD}Content-Length: 100\r\n\r\nabc`);
  await server.printed(/begun/);
  first.socket.resetAndDestroy();
  await server.printed(/ended/);
  const idle = await Connection.open(port);
  idle.send(`POST /waits ${HEAD}Content-Length: 100\r\n\r\nabc`);
  await server.printed(/waiting/);
  idle.socket.resetAndDestroy();
  await server.printed(/ended\n(.*\n)*ended/);
  const second = await Connection.open(port);
  second.send(`POST /finish ${HEAD}Content-Length: 100\r\n\r\nabc`);
  await server.printed(/part/);
  second.socket.destroy();
  await server.printed(/the client has disconnected before the end of its body/);
  const { stderr } = await server.stop();
  t.equal(stderr, '');
});

t.test('request_seconds limits pauses, not the whole body', async (t) => {
  const { server, port } = await serve(t, program(4));
  const connection = await Connection.open(port);
  connection.send(`POST /size ${HEAD}Content-Length: 60\r\n\r\n`);
  // Node checks whole requests every 500 ms, and would end this one.
  for (let i = 0; i < 6; i++) {
    connection.send('x'.repeat(10));
    if (i < 5) await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  const { status, body } = await connection.response('POST');
  t.equal(`${status} ${body.toString()}`, '200 60');
  // The connection can be used again, and then has the usual limits.
  connection.send(`POST /size ${HEAD}Content-Length: 3\r\n\r\nabc`);
  t.equal((await connection.response('POST')).body.toString(), '3');
  connection.send(`POST /size ${HEAD}Content-Length: 3\r\n\r\nab`);
  t.equal((await connection.response('POST')).status, 408);
  await connection.close();
  t.equal((await server.stop()).stderr, '');
});

t.test('an invalid chunk in the middle of an answer closes the connection', async (t) => {
  const { server, port } = await serve(t, program());
  const connection = await Connection.open(port);
  connection.send(`POST /echo ${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\nde\r\n`);
  t.ok(await happens(() => connection.unread.includes('2\r\nde\r\n')));
  connection.send('zz\r\n');
  await connection.close();
  t.notMatch(connection.unread.toString(), /400|\r\n0\r\n/);
  t.equal((await get(port, '/alive')).body, 'alive');
  t.equal((await server.stop()).stderr, '');
});

t.test('an echo of any size, and many at once', async (t) => {
  const { port } = await serve(t, program());
  const text = 'abcdefghij'.repeat(200_000);
  const clients = Array.from({ length: 20 }, (_, i) => i);
  await parallel(clients, clients.length, async () => {
    const connection = await Connection.open(port);
    connection.send(`POST /echo ${HEAD}Content-Length: ${text.length}\r\n\r\n${text}`);
    const { status, body } = await connection.response('POST');
    t.equal(status, 200);
    t.ok(body.toString() === text);
    connection.socket.destroy();
  });
});

t.test('timeout ends a wait for the body and loses nothing', async (t) => {
  const { server, port } = await serve(t, program());
  const connection = await Connection.open(port);
  connection.send(`POST /limited ${HEAD}Content-Length: 10\r\n\r\nabcd`);
  await server.printed(/timed out/);
  connection.send('efghij');
  t.equal((await connection.response('POST')).body.toString(), '4 6');
  connection.socket.destroy();
});

t.test('one thread reads a body at a time', async (t) => {
  const { server, port } = await serve(t, program());
  const connection = await Connection.open(port);
  connection.send(`POST /two ${HEAD}Content-Length: 10\r\n\r\nabcd`);
  await server.printed(/another thread is reading this body/);
  t.equal((await connection.response('POST')).status, 403);
  await connection.close();
});
