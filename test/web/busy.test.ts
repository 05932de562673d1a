import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Connection } from './connection.js';
import { get, serve } from './serve.js';

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

const LOOPS = 4;
const REQUESTS = 100;
/** Connections that share the quick requests. */
const CLIENTS = 4;
const MEDIAN_MS = 250;

/** Sends a request and does not wait for its response. */
async function begin(port: number, path: string): Promise<Connection> {
  const connection = await Connection.open(port);
  connection.send(`GET ${path} HTTP/1.1\r\nHost: svc.test\r\n\r\n`);
  return connection;
}

/** One request after the other; their latencies in milliseconds, and the bodies. */
async function ask(port: number, numbers: number[]): Promise<{ latency: number; right: boolean }[]> {
  const connection = await Connection.open(port);
  const answers = [];
  for (const n of numbers) {
    const start = performance.now();
    connection.send(`GET /quick/${n} HTTP/1.1\r\nHost: svc.test\r\n\r\n`);
    const { status, body } = await connection.response('GET');
    answers.push({ latency: performance.now() - start, right: status === 200 && body.toString() === `quick ${n}` });
  }
  connection.socket.destroy();
  return answers;
}

t.jobs = 4;

t.test('endless loops in handlers do not hold up other requests', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const loops = await Promise.all(Array.from({ length: LOOPS }, () => begin(port, '/busy')));
  await server.printed(/(busy\n){4}/);
  const numbers = Array.from({ length: REQUESTS }, (_, i) => i);
  const shares = Array.from({ length: CLIENTS }, (_, client) => numbers.filter((n) => n % CLIENTS === client));
  const answers = (await Promise.all(shares.map((share) => ask(port, share)))).flat();
  t.ok(answers.every(({ right }) => right), 'each is answered rightly');
  const latencies = answers.map(({ latency }) => latency).sort((a, b) => a - b);
  const median = latencies[REQUESTS / 2];
  t.comment(`latency: median ${median.toFixed(1)} ms, largest ${latencies[REQUESTS - 1].toFixed(1)} ms`);
  t.ok(median < MEDIAN_MS, `median latency of ${median.toFixed(1)} ms is below ${MEDIAN_MS} ms`);
  t.notOk(loops.some(({ isSpent }) => isSpent), 'the loops still run');

  server.child.kill('SIGTERM');
  await sleep(500);
  t.equal(server.child.exitCode, null, 'after the first signal it waits for what is in flight');
  await t.rejects(Connection.open(port), 'and accepts nothing more');
  const second = performance.now();
  const { exitCode, stderr } = await server.stop('SIGTERM', 5000);
  t.equal(exitCode, 0, 'the second signal stops it');
  t.ok(performance.now() - second < 4500, 'at once');
  t.equal(stderr, '');
});

t.test('a loop ends when its client goes away', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const loop = await begin(port, '/busy');
  await server.printed(/busy\n/);
  loop.socket.destroy();
  t.equal((await get(port, '/quick/1')).body, 'quick 1');
  const start = performance.now();
  const { exitCode, stderr } = await server.stop('SIGTERM', 5000);
  t.ok(performance.now() - start < 4500, 'nothing is in flight any more');
  t.equal(exitCode, 0);
  t.equal(stderr, '');
});

t.test('what is in flight at a signal is answered, then the program goes on', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const [idle, waiting] = [await begin(port, '/quick/1'), await begin(port, '/wait/0.5')];
  await idle.response('GET');
  await server.printed(/waiting\n/);
  const stopped = server.stop('SIGINT');
  const { status, headers, body } = await waiting.response('GET');
  t.equal(`${status} ${body}`, '200 waited');
  t.ok(headers.some(([name, value]) => name.toLowerCase() === 'connection' && value === 'close'), 'with Connection: close');
  const { exitCode, stdout, stderr } = await stopped;
  t.match(stdout, /\nafter run\n$/, 'app.run returns');
  t.equal(exitCode, 0);
  t.equal(stderr, '');
});

t.test('a signal is followed by at most 10 seconds of waiting', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const waiting = await begin(port, '/wait/60');
  await server.printed(/waiting\n/);
  const start = performance.now();
  const { exitCode } = await server.stop('SIGTERM', 15_000);
  const seconds = (performance.now() - start) / 1000;
  t.ok(seconds > 9 && seconds < 13, `${seconds.toFixed(1)} s`);
  t.equal(exitCode, 0);
  await waiting.close();
});

t.test('threads of the program get as long as requests, then their ensure blocks run', async (t) => {
  const { server } = await serve(t, `app = web_app()
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
`);
  const start = performance.now();
  const { exitCode, stdout } = await server.stop('SIGTERM', 10_000);
  const seconds = (performance.now() - start) / 1000;
  t.match(stdout, /\nafter run\ntidied up\n$/);
  t.ok(seconds > 0.9 && seconds < 6, `${seconds.toFixed(1)} s`);
  t.equal(exitCode, 0);
});
