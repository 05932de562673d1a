import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { defaultSettings } from '../../../natives/web/config/settings.js';
import { processorTime } from '../../clock.js';
import { happens, until } from '../../patience.js';
import type { Svcc } from '../../svcc/svcc.js';
import { Connection } from '../support/connection.js';
import { get, serve } from '../support/serve.js';
import { LONG } from '../threats/attack.js';

const PROGRAM = `app = web_app()
app.get("/busy") do |req|
  puts "busy"
  n = 0
  while true
    n += 1
  end
end
app.get("/wait/:seconds") do |req|
  puts "waiting"
  sleep(req.params["seconds"].to_f)
  "waited"
end
app.get("/quick/:n") { |req| "quick #{req.params["n"]}" }
app.run(0)
puts "after run"
`;

/** A program that after a signal waits for requests in flight, longer than any test runs. */
const PATIENT = PROGRAM.replace('web_app()', 'web_app()\napp.set("drain_seconds", 3600)');

/** A thread that counts quarters of seconds. A busy machine delays them as much as the server's own timers. */
const TICKS = `spawn do
  loop do
    sleep 0.25
    puts "tick"
  end
end
`;

const ticks = (server: Svcc): number => server.stdout.match(/^tick$/gm)?.length ?? 0;

/** Whether a port refuses connections. */
const refuses = (port: number): Promise<boolean> =>
  Connection.open(port).then(
    ({ socket }) => !socket.destroy(),
    () => true,
  );

const LOOPS = 4;
const REQUESTS = 100;
/** Connections that send the quick requests, each a part of them. */
const CLIENTS = 4;
/** Maximum milliseconds of the server's processor time for a round of quick requests; four loops run meanwhile. */
const ROUND_MS = 250;

/** Sends a request and does not wait for its response. */
async function begin(port: number, path: string): Promise<Connection> {
  const connection = await Connection.open(port);
  connection.send(`GET ${path} HTTP/1.1\r\nHost: svc.test\r\n\r\n`);
  return connection;
}

/** Sends one request after the other; returns for each whether its answer is right. */
async function ask(port: number, numbers: number[]): Promise<boolean[]> {
  const connection = await Connection.open(port);
  const answers = [];
  for (const n of numbers) {
    connection.send(`GET /quick/${n} HTTP/1.1\r\nHost: svc.test\r\n\r\n`);
    const { status, body } = await connection.response('GET');
    answers.push(status === 200 && body.toString() === `quick ${n}`);
  }
  connection.socket.destroy();
  return answers;
}

t.jobs = 4;

t.test('endless loops in handlers do not delay other requests', async (t) => {
  const { server, port } = await serve(t, PATIENT);
  const loops = await Promise.all(Array.from({ length: LOOPS }, () => begin(port, '/busy')));
  await server.printed(/(busy\n){4}/);
  const numbers = Array.from({ length: REQUESTS }, (_, i) => i);
  const shares = Array.from({ length: CLIENTS }, (_, client) => numbers.filter((n) => n % CLIENTS === client));
  const before = processorTime(server.child);
  const answers = (await Promise.all(shares.map((share) => ask(port, share)))).flat();
  const round = (processorTime(server.child) - before) / (REQUESTS / CLIENTS);
  t.ok(answers.every(Boolean), 'each answer is right');
  t.ok(round < ROUND_MS, `${round.toFixed(1)} ms of the server's time for each round of ${CLIENTS}`);
  t.notOk(
    loops.some(({ isSpent }) => isSpent),
    'the loops still run',
  );

  server.child.kill('SIGTERM');
  await until('a closed port', () => refuses(port));
  t.equal(
    server.child.exitCode,
    null,
    'after the first signal it accepts no connection, but waits for requests in flight',
  );
  const { exitCode, stderr } = await server.stop();
  t.equal(exitCode, 0, 'the second signal stops it');
  t.equal(stderr, '');
});

t.test('a loop ends when its client disconnects', async (t) => {
  const { server, port } = await serve(t, PATIENT);
  const loop = await begin(port, '/busy');
  await server.printed(/busy\n/);
  loop.socket.destroy();
  t.equal((await get(port, '/quick/1')).body, 'quick 1');
  const { exitCode, stderr } = await server.stop();
  t.equal(exitCode, 0, 'no request is in flight');
  t.equal(stderr, '');
});

t.test('requests in flight at a signal are answered, then the program continues', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const [idle, waiting] = [await begin(port, '/quick/1'), await begin(port, '/wait/0.5')];
  await idle.response('GET');
  await server.printed(/waiting\n/);
  const stopped = server.stop('SIGINT');
  const { status, headers, body } = await waiting.response('GET');
  t.equal(`${status} ${body}`, '200 waited');
  t.ok(
    headers.some(([name, value]) => name.toLowerCase() === 'connection' && value === 'close'),
    'with Connection: close',
  );
  const { exitCode, stdout, stderr } = await stopped;
  t.match(stdout, /\nafter run\n$/, 'app.run returns');
  t.equal(exitCode, 0);
  t.equal(stderr, '');
});

/** Seconds that requests have after a signal. With SVC_LONG=1 the default. */
const DRAIN_SECONDS = LONG ? 10 : 2;

t.test('a server waits at most drain_seconds after a signal, by default 10', async (t) => {
  t.equal(defaultSettings().drain_seconds, 10);
  const settings = LONG ? '' : `\napp.set("drain_seconds", ${DRAIN_SECONDS})`;
  const { server, port } = await serve(t, TICKS + PROGRAM.replace('web_app()', `web_app()${settings}`));
  const waiting = await begin(port, '/wait/3600');
  await server.printed(/waiting\n/);
  const before = ticks(server);
  const start = performance.now();
  const { exitCode } = await server.stop();
  const seconds = (performance.now() - start) / 1000;
  t.ok(seconds > DRAIN_SECONDS * 0.9, `${seconds.toFixed(1)} s`);
  t.ok(ticks(server) - before < DRAIN_SECONDS * 4 + 10, `${ticks(server) - before} quarters of a second`);
  t.equal(exitCode, 0);
  await waiting.close();
});

t.test('threads of the program have as much time as requests, then their ensure blocks run', async (t) => {
  const { server } = await serve(
    t,
    `${TICKS}app = web_app()
app.set("drain_seconds", 1)
spawn do
  begin
    loop { sleep 60 }
  ensure
    puts "tidied up"
  end
end
app.run(0)
puts "after run"
`,
  );
  const before = ticks(server);
  const start = performance.now();
  const { exitCode, stdout } = await server.stop();
  const seconds = (performance.now() - start) / 1000;
  t.match(stdout.replace(/^tick\n/gm, ''), /\nafter run\ntidied up\n$/);
  t.ok(seconds > 0.9, `${seconds.toFixed(1)} s`);
  t.ok(ticks(server) - before < 16, `${ticks(server) - before} quarters of a second`);
  t.equal(exitCode, 0);
});

t.test('a request that would exceed the thread limit gets 503', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.set("threads", 4)
app.get("/fill") do |req|
  spawn do
    sleep(0.01)
    2.times { spawn { gate() } }
    puts "full"
    gate()
  end
  "filled"
end
def gate()
  sleep(0.01) until file_exists("go")
end
app.get("/") { |req| "fine" }
app.run(0)
`,
  );
  t.equal((await get(port, '/fill')).body, 'filled');
  await server.printed(/full\n/);
  const refused = await begin(port, '/');
  const { status, headers } = await refused.response('GET');
  t.equal(status, 503);
  t.ok(headers.some(([name, value]) => name.toLowerCase() === 'retry-after' && value === '1'));
  await refused.close();
  writeFileSync(join(t.testdirName, 'go'), '');
  t.ok(
    await happens(async () => (await get(port, '/')).body === 'fine'),
    'requests are answered again after the threads have ended',
  );
  t.match((await server.stop()).stderr, /^warning: request refused: too many threads/);
});

t.test('a request that starts all threads it can leaves some to others', async (t) => {
  const { port } = await serve(
    t,
    `app = web_app()
app.set("threads", 1000)
gate = channel(0)
app.get("/all") do |req|
  started = 0
  begin
    loop do
      spawn { gate.recv() }
      started += 1
    end
  rescue RuntimeError => e
    again = "more" if (spawn { nil } rescue nil)
    "#{started} #{again or "no more"}: #{e.message}"
  end
end
app.get("/few") { |req| (1..20).map { |i| spawn { i } }.sum { |task| await(task) } }
app.get("/many") do |req|
  (1..100).count do |i|
    spawn { gate.recv() }
    true
  rescue RuntimeError
    false
  end
end
app.get("/") { |req| "fine" }
app.run(0)
`,
  );
  const all = /^(\d+) no more: too many threads: 900 are running/;
  const [, started] = all.exec((await get(port, '/all')).body) ?? [];
  t.equal(started, '898', 'nine tenths, but for the main thread and its own');
  for (let i = 0; i < 3; i++) t.equal((await get(port, '/few')).body, '210', 'another one');
  const many = Number((await get(port, '/many')).body);
  t.ok(many >= 20 && many <= 50, `${many} threads for one that wants 100`);
  t.equal((await get(port, '/')).body, 'fine', 'requests that start none');
});
