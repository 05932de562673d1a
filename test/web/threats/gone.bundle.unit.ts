import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { memoryOf } from '../../memory.js';
import { happens } from '../../patience.js';
import { GROWTH_MIB } from '../support/growth.js';
import { serve } from '../support/serve.js';
import { alive, ALIVE, attack, count, endsQuietly, HEAD, LONG, open, parallel, randomNumbers } from './attack.js';

const PROGRAM = `app = web_app()
${ALIVE}app.post("/body") do |req|
  puts "handled"
  "handled"
end
def work(seconds)
  puts "started"
  begin
    sleep(seconds)
    puts "finished"
  ensure
    puts "ended"
  end
end
app.get("/wait") do |req|
  work(0.03)
  "x" * 1000
end
app.get("/long") do |req|
  work(100)
  "never"
end
app.get("/loop") do |req|
  puts "started"
  n = 0
  begin
    while true
      n += 1
    end
  ensure
    puts "ended"
  end
end
app.get("/stream") do |req|
  stream_response("text/plain") do |out|
    puts "started"
    begin
      20.times do
        out.write("x" * 10_000)
        sleep(0.002)
      end
    ensure
      puts "ended"
    end
  end
end
app.get("/finish", finish: true) do |req|
  work(0.3)
  "too late"
end
app.get("/halt", finish: true) do |req|
  work(0.3)
  halt(500, "too late")
end
app.get("/raise", finish: true) do |req|
  work(0.3)
  raise "too late"
end
app.get("/after") do |req|
  spawn do
    sleep(0.1)
    halt(500, "second answer")
  end
  "first answer"
end
app.run(0)
`;

t.jobs = 4;
if (LONG) t.setTimeout(3_600_000);

t.test('a body that ends before its announced length', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const bodies = [
    'Content-Length: 100\r\n\r\nhalf',
    'Content-Length: 100\r\n\r\n',
    'Content-Length: 1000000\r\n\r\nhalf',
    'Transfer-Encoding: chunked\r\n\r\n',
    'Transfer-Encoding: chunked\r\n\r\n64\r\nhalf',
    'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
    'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n',
    'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\nX: y',
    'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nhalf',
  ];
  const wrong: unknown[] = [];
  await parallel(Array.from({ length: 30 }, () => bodies).flat(), 16, async (rest) => {
    const { statuses, closed } = await attack(port, `POST /body ${HEAD}${rest}`, { fin: true });
    if (!closed || !/^(400)?$/.test(statuses.join(' '))) wrong.push({ rest, statuses, closed });
  });
  t.same(wrong, []);
  const behind = await attack(port, `GET /alive ${HEAD}\r\nPOST /body ${HEAD}${bodies[0]}`, { fin: true });
  t.same([behind.statuses, behind.closed], [[200, 400], true]);
  await alive(t, port, 'after them');
  t.equal(count(server.stdout, 'handled'), 0, 'no handler runs');
  const whole = await attack(port, `POST /body ${HEAD}Content-Length: 4\r\n\r\nhalf`, {
    enough: (text) => text.endsWith('handled'),
  });
  t.same(whole.statuses, [200]);
  await endsQuietly(t, server);
});

const ABORTS = LONG ? 10_000 : 1000;

t.test('clients that reset their connections in the middle of handlers', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const random = randomNumbers(24);
  const paths = ['/wait', '/stream', '/long', '/wait'];
  const abort = async (i: number): Promise<void> => {
    const request = `GET ${paths[i % paths.length]} ${HEAD}\r\n`;
    const socket = await open(port, i % 5 === 0 ? request.repeat(3) : request);
    if (i % 2 === 0) socket.resume();
    // Mostly during the handler, sometimes before or after it.
    await sleep(random(60));
    if (i % 3 === 0) socket.destroy();
    else socket.resetAndDestroy();
  };
  await parallel(
    Array.from({ length: 100 }, (_, i) => i),
    50,
    abort,
  );
  const before = memoryOf(server.child);
  await parallel(
    Array.from({ length: ABORTS }, (_, i) => i),
    50,
    abort,
  );
  await alive(t, port, 'after them');
  t.ok(count(server.stdout, 'started') > ABORTS / 2, `${count(server.stdout, 'started')} threads started`);
  t.ok(await happens(() => count(server.stdout, 'ended') === count(server.stdout, 'started')), 'all have ended');
  t.ok(count(server.stdout, 'finished') < count(server.stdout, 'started'), 'some in the middle');
  const growth = memoryOf(server.child) - before;
  t.ok(growth < GROWTH_MIB, `${growth.toFixed(1)} MiB more than after the first 100`);
  await endsQuietly(t, server);
});

t.test('a handler that never waits ends, too', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const sockets = await Promise.all(Array.from({ length: 5 }, () => open(port, `GET /loop ${HEAD}\r\n`)));
  t.ok(await happens(() => count(server.stdout, 'started') === 5));
  for (const socket of sockets) socket.resetAndDestroy();
  t.ok(await happens(() => count(server.stdout, 'ended') === 5), 'its ensure runs');
  await alive(t, port, 'after them');
  await endsQuietly(t, server);
});

t.test('the result of a handler whose client has disconnected is ignored', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  for (const path of ['/finish', '/halt', '/raise']) {
    server.stdout = '';
    const socket = await open(port, `GET ${path} ${HEAD}\r\n`);
    t.ok(await happens(() => server.stdout.includes('started')));
    socket.resetAndDestroy();
    t.ok(await happens(() => server.stdout.includes('ended')), path);
    t.match(server.stdout, 'finished', 'it has run to its end');
  }
  await alive(t, port, 'after them');
  const { stderr, exitCode } = await server.stop();
  t.equal(exitCode, 0);
  t.match(stderr, /^request \S+ GET \/raise failed:\nRuntimeError: too late\n/, 'only an error is logged');
  t.equal(count(stderr, ' failed:\n'), 1, 'once', { stderr });
});

t.test('halt after the response does not answer again', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const { text, statuses } = await attack(port, `GET /after ${HEAD}\r\n`, {
    enough: (text) => text.endsWith('first answer'),
  });
  t.same(statuses, [200]);
  t.match(text, /\r\n\r\nfirst answer$/);
  t.ok(await happens(() => server.stderr.includes('halt')));
  await alive(t, port, 'after it');
  const { stderr, exitCode } = await server.stop();
  t.equal(exitCode, 0);
  t.equal(count(stderr, 'halt() outside a request'), 1, 'it is logged once', { stderr });
});
