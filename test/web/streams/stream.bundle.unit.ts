import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { memoryOf } from '../../memory.js';
import { execute } from '../../../svcc/execute.js';
import { createVm, nativeNames } from '../../../svcc/fullvm.js';
import { nodeHost } from '../../../svcc/host.js';
import { loadProgram } from '../../../svcc/load.js';
import { comesToRest, happens } from '../../patience.js';
import { GROWTH_MIB } from '../support/growth.js';
import { Connection } from '../support/connection.js';
import { get, serve } from '../support/serve.js';

const PROGRAM = `app = web_app()
app.set("write_seconds", 1)
app.get("/alive") { |req| "alive" }
app.get("/endless") do |req|
  stream_response("text/plain") do |out|
    begin
      puts "started"
      loop { out.write("x" * 10_000) }
    rescue ConnectionError => e
      puts "rescued #{e}"
      raise
    ensure
      puts "ended"
    end
  end
end
app.get("/small") do |req|
  stream_response("text/plain") do |out|
    begin
      loop { out.write("x") }
    ensure
      puts "ended"
    end
  end
end
app.get("/waiting") do |req|
  stream_response("text/plain") do |out|
    begin
      puts "started"
      out.write("first")
      sleep 100
    rescue e
      puts "not rescued #{e}"
    ensure
      puts "ended #{out.closed?}"
    end
  end
end
app.get("/stubborn") do |req|
  stream_response("text/plain") do |out|
    begin
      loop do
        begin
          out.write("x" * 1000)
        rescue ConnectionError
          sleep 0.01
        end
      end
    ensure
      puts "ended"
    end
  end
end
app.get("/tidy") do |req|
  stream_response("text/plain") do |out|
    begin
      puts "started"
      loop { out.write("x" * 10_000) }
    ensure
      sleep 1.5
      puts "tidied"
    end
  end
end
app.get("/silent") do |req|
  stream_response("text/plain") do |out|
    out.write("first ")
    sleep 2.5
    out.write("last")
  end
end
app.get("/finish", finish: true) do |req|
  stream_response("text/plain") do |out|
    out.write("first")
    sleep 2
    puts "finished #{out.closed?}"
  end
end
app.get("/timeout") do |req|
  stream_response("text/plain") do |out|
    begin
      timeout(0.3) { loop { out.write("x" * 10_000) } }
    rescue TimeoutError => e
      puts "rescued #{e}"
    end
  end
end
app.get("/fails") do |req|
  stream_response("text/plain") do |out|
    out.write("written")
    raise "went wrong"
  end
end
app.get("/halts") do |req|
  stream_response("text/plain") { |out| halt(403, "halted") }
end
app.get("/strict") { |req| stream_response("text/plain", ->() { 1 }) }
app.get("/slow/:n") do |req|
  puts "slow #{req.params["n"]}"
  sleep 0.3
  "slow #{req.params["n"]}"
end
app.get("/short/:n") { |req| stream_response("text/plain") { |out| out.write("short #{req.params["n"]}") } }
app.get("/events") do |req|
  sse_response do |events|
    begin
      puts "started"
      events.send("hello")
      sleep 100
    ensure
      puts "ended"
    end
  end
end
app.get("/ends_soon") do |req|
  stream_response("text/plain") do |out|
    out.write("first ")
    puts "started"
    sleep 1
    out.write("last")
  end
end
app.run(0)
`;

const HEAD = 'HTTP/1.1\r\nHost: svc.test\r\n\r\n';

/** Opens a connection that reads nothing until it is resumed. */
function slowClient(port: number, request: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(request);
      resolve(socket);
    });
    socket
      .pause()
      .on('error', () => {})
      .once('error', reject);
  });
}

async function request(port: number, path: string): Promise<Connection> {
  const connection = await Connection.open(port);
  connection.send(`GET ${path} ${HEAD}`);
  return connection;
}

/** Waits for the end of a connection; returns everything received. */
async function everything(connection: Connection): Promise<string> {
  await connection.close().catch(() => {});
  return connection.unread.toString();
}

const count = (text: string, part: string): number => text.split(part).length - 1;

t.jobs = 5;

t.test('clients that do not read use limited memory, and their threads wait', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('"write_seconds", 1', '"write_seconds", 60'));
  for (let i = 0; i < 20; i++) await get(port, '/alive');
  const before = memoryOf(server.child);
  const clients = await Promise.all(
    Array.from({ length: 50 }, (_, i) => slowClient(port, `GET ${i % 2 === 0 ? '/endless' : '/small'} ${HEAD}`)),
  );
  t.ok(await happens(() => count(server.stdout, 'started') === 25));
  await comesToRest(server.child);
  const growth = memoryOf(server.child) - before;
  t.ok(growth < GROWTH_MIB, `50 endless streams took ${growth.toFixed(1)} MiB`);
  t.equal((await get(port, '/alive')).body, 'alive');
  for (const client of clients) client.destroy();
  t.ok(await happens(() => count(server.stdout, 'ended') === 50), 'all threads end');
  t.equal((await server.stop()).stderr, '', 'nothing is logged');
});

t.test('a slow reader receives everything', async (t) => {
  const { port } = await serve(
    t,
    `app = web_app()
app.get("/") { |req| stream_response("text/plain") { |out| 2000.times { |i| out.write("#{i}:" + "x" * 1000) } } }
app.run(0)
`,
  );
  const socket = await slowClient(port, `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  let text = '';
  socket
    .setEncoding('latin1')
    .on('data', (data: string) => {
      text += data;
      socket.pause();
      setTimeout(() => socket.resume(), 1);
    })
    .resume();
  await new Promise((done) => socket.on('close', done));
  const body = text
    .slice(text.indexOf('\r\n\r\n') + 4)
    .replace(/(^|\r\n)[0-9a-f]+\r\n/g, '')
    .trimEnd();
  t.equal(body, Array.from({ length: 2000 }, (_, i) => `${i}:${'x'.repeat(1000)}`).join(''));
});

t.test('the connection of a client that reads nothing for write_seconds is closed', async (t) => {
  // "late" is printed after the limit that is set, one second, and before the default of 30 seconds.
  const { server, port } = await serve(
    t,
    PROGRAM.replace('puts "started"', 'spawn { sleep 20\n puts "late" }\n      puts "started"'),
  );
  const start = performance.now();
  await slowClient(port, `GET /endless ${HEAD}`);
  t.ok(await happens(() => server.stdout.includes('ended')));
  const seconds = (performance.now() - start) / 1000;
  t.ok(seconds > 0.9, `after ${seconds.toFixed(1)} s`);
  t.notMatch(server.stdout, 'late');
  t.match(server.stdout, /rescued the client has disconnected\nended/, 'its write raises ConnectionError');
  t.equal((await server.stop()).stderr, '');
});

t.test('a stream may be silent for longer than write_seconds', async (t) => {
  const { port } = await serve(t, PROGRAM);
  t.equal((await get(port, '/silent')).body, 'first last');
});

t.test('a client that disconnects ends the thread, at a write or while it waits', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  for (const path of ['/endless', '/small', '/stubborn', '/waiting']) {
    server.stdout = '';
    const connection = await request(port, path);
    // The head may arrive before the first write. The reset must not be noticed by that write.
    await happens(() => connection.unread.includes(path === '/waiting' ? 'first' : '\r\n\r\n'));
    connection.socket.resetAndDestroy();
    t.ok(await happens(() => server.stdout.includes('ended')), path);
  }
  t.match(server.stdout, 'ended true', 'the stream knows that it is closed');
  t.notMatch(server.stdout, 'not rescued', 'a wait is cancelled, which is no error');
  t.equal((await server.stop()).stderr, '');
});

t.test('an ensure block that a lost connection runs may wait', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const connection = await request(port, '/tidy');
  await happens(() => connection.unread.includes('\r\n\r\n'));
  connection.socket.resetAndDestroy();
  t.ok(await happens(() => server.stdout.includes('tidied')));
  t.equal((await server.stop()).stderr, '');
});

t.test('300 clients that reset their connections at any moment', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  await Promise.all(
    Array.from({ length: 300 }, async (_, i) => {
      const socket = await slowClient(port, `GET ${i % 3 === 0 ? '/waiting' : '/endless'} ${HEAD}`);
      await sleep((i * 7) % 200);
      if (i % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }),
  );
  t.ok(
    await happens(
      () => count(server.stdout, 'ended') >= count(server.stdout, 'started') && count(server.stdout, 'started') > 0,
    ),
    'every thread that started has ended',
  );
  t.equal((await get(port, '/alive')).body, 'alive');
  const { stderr, exitCode } = await server.stop();
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

t.test('with finish: true the thread continues', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const connection = await request(port, '/finish');
  await happens(() => connection.unread.includes('first'));
  connection.socket.destroy();
  t.ok(await happens(() => server.stdout.includes('finished true')));
});

t.test('timeout ends a write that waits', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const client = await slowClient(port, `GET /timeout ${HEAD}`);
  t.ok(await happens(() => server.stdout.includes('rescued timed out after 0.3s')));
  client.destroy();
  t.equal((await server.stop()).stderr, '');
});

t.test('an error ends the stream without a last chunk and is logged once', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  t.match(await everything(await request(port, '/fails')), /\r\n\r\n7\r\nwritten\r\n$/, 'no last chunk');
  const old = await Connection.open(port);
  old.send('GET /fails HTTP/1.0\r\n\r\n');
  t.notMatch(await everything(old), /chunked/i, 'HTTP/1.0 has no chunks');
  t.match(await everything(await request(port, '/halts')), /^HTTP\/1.1 200 [^]*\r\n\r\n$/);
  t.equal((await get(port, '/strict')).status, 500);
  t.equal((await get(port, '/alive')).body, 'alive');
  const { stderr } = await server.stop();
  t.match(stderr, /^request [\w-]+ GET \/fails failed in its stream:\nRuntimeError: went wrong\n/);
  t.equal(count(stderr, 'ArgumentError: lambda() takes 0 arguments, got 1'), 1);
  t.equal(count(stderr, 'RuntimeError: went wrong'), 2, 'once for each', { stderr });
  t.equal(count(stderr, 'halt() outside a request'), 1, 'halt comes too late');
  t.match(stderr, /app\.svc:\d+ in block/);
});

t.test('the end of the connection ends a body for HTTP/1.0 clients', async (t) => {
  const { port } = await serve(t, PROGRAM);
  const connection = await Connection.open(port);
  connection.send('GET /short/1 HTTP/1.0\r\n\r\n');
  t.match(await everything(connection), /^HTTP\/1\.1 200 (?![^]*Transfer-Encoding)[^]*\r\n\r\nshort 1$/);
});

t.test('pipelined streams keep their order', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const connection = await Connection.open(port);
  connection.send(
    ['/slow/1', '/short/2', '/short/3', '/slow/4', '/short/5'].map((path) => `GET ${path} ${HEAD}`).join(''),
  );
  const bodies = [];
  for (let i = 0; i < 5; i++) bodies.push((await connection.response('GET')).body.toString());
  t.same(bodies, ['slow 1', 'short 2', 'short 3', 'slow 4', 'short 5']);
  connection.send([`GET /slow/9 ${HEAD}`, ...Array.from({ length: 15 }, () => `GET /endless ${HEAD}`)].join(''));
  await server.printed(/slow 9\n(.*\n)*started\n/);
  connection.socket.destroy();
  t.ok(
    await happens(() => count(server.stdout, 'ended') >= count(server.stdout, 'started')),
    'streams that wait for a slow one end when the client disconnects',
  );
  t.equal((await server.stop()).stderr, '');
});

t.test('too many threads: 503', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('"write_seconds", 1', '"threads", 5'));
  const streams = [];
  for (let i = 0; i < 4; i++) streams.push(await request(port, '/waiting'));
  await happens(() => count(server.stdout, 'started') === 4);
  const { status } = await get(port, '/waiting');
  t.equal(status, 503);
  for (const { socket } of streams) socket.destroy();
  await happens(() => count(server.stdout, 'ended') === 4);
  t.equal((await get(port, '/short/1')).body, 'short 1');
  t.match((await server.stop()).stderr, /^warning: .* refused: too many threads/);
});

t.test('an event stream sends a comment every 15 seconds', async (t) => {
  let now = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  const lines: string[] = [];
  const real = nodeHost({ stdout: (text) => void lines.push(text), stderr: (text) => void lines.push(text) });
  const setTimer = (ms: number, callback: () => void): (() => void) => {
    const timer = { at: now + ms, callback };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const host = { ...real, now: () => now, setTimer };
  const vm = createVm(host, { process: { args: [], env: {} } });
  const path = join(
    t.testdir({
      'app.svc': `app = web_app()
app.get("/") { |req| sse_response { |events| sleep 50 } }
app.run(0)
`,
    }),
    'app.svc',
  );
  const ended = execute(vm, await loadProgram(path, nativeNames(vm), () => {}));
  await happens(() => lines.length > 0);
  const connection = await request(Number(/:(\d+)\n/.exec(lines[0])?.[1]), '/');
  await happens(() => vm.scheduler.live.size === 2 && timers.size > 0);
  for (; vm.scheduler.live.size === 2; now += 1000) {
    for (const timer of timers) if (timer.at <= now && timers.delete(timer)) timer.callback();
    for (let turn = 0; turn < 10; turn++) await new Promise((done) => setImmediate(done));
  }
  const { body } = await connection.response('GET');
  t.match(body.toString(), /^(: ping\n\n){3}$/, 'in 50 seconds');
  connection.socket.destroy();
  t.ok(await happens(() => vm.timers.endNoWait), 'the stream leaves no timer');
  for (const fiber of [...vm.scheduler.live]) vm.scheduler.cancel(fiber);
  await ended;
  t.equal(lines.slice(1).join(''), '');
});

t.test('a server that stops lets streams end, and ends event streams', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('"write_seconds", 1', '"drain_seconds", 3600'));
  const [events, soon] = [await request(port, '/events'), await request(port, '/ends_soon')];
  await happens(() => count(server.stdout, 'started') === 2);
  const stopped = server.stop();
  t.match(
    await everything(events),
    /data: hello\n\n\r\n0\r\n\r\n$/,
    'with a last chunk, so that the client connects again',
  );
  t.match(await everything(soon), /first \r\n4\r\nlast\r\n0\r\n\r\n$/);
  const { exitCode, stderr, stdout } = await stopped;
  t.match(stdout, /ended/, 'ensure runs');
  t.equal(exitCode, 0, 'long before the time for streams is over');
  t.equal(stderr, '');
});
