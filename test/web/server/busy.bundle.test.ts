import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { processorTime } from '../../clock.js';
import { happens, until } from '../../patience.js';
import type { Svcc } from '../../svcc/svcc.js';
import { Connection } from '../support/connection.js';
import { get, serve } from '../support/serve.js';

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

/** Waits far longer than any test for what is in flight at a signal. */
const PATIENT = PROGRAM.replace('web_app()', 'web_app()\napp.set("drain_seconds", 3600)');

/** A thread that counts quarters of seconds: on a busy machine they come late, as the server's own timers do. */
const TICKS = `spawn do
  loop do
    sleep 0.25
    puts "tick"
  end
end
`;

const ticks = (server: Svcc): number => server.stdout.match(/^tick$/gm)?.length ?? 0;

/** Whether nobody listens on a port. */
const refuses = (port: number): Promise<boolean> =>
  Connection.open(port).then(
    ({ socket }) => !socket.destroy(),
    () => true,
  );

const LOOPS = 4;
const REQUESTS = 100;
/** Connections that share the quick requests. */
const CLIENTS = 4;
/** Milliseconds of the server's processor time for one round of quick requests, which four loops share with it. */
const ROUND_MS = 250;

/** Sends a request and does not wait for its response. */
async function begin(port: number, path: string): Promise<Connection> {
  const connection = await Connection.open(port);
  connection.send(`GET ${path} HTTP/1.1\r\nHost: svc.test\r\n\r\n`);
  return connection;
}

/** One request after the other; whether each is answered rightly. */
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

t.test('endless loops in handlers do not hold up other requests', async (t) => {
  const { server, port } = await serve(t, PATIENT);
  const loops = await Promise.all(Array.from({ length: LOOPS }, () => begin(port, '/busy')));
  await server.printed(/(busy\n){4}/);
  const numbers = Array.from({ length: REQUESTS }, (_, i) => i);
  const shares = Array.from({ length: CLIENTS }, (_, client) => numbers.filter((n) => n % CLIENTS === client));
  const before = processorTime(server.child);
  const answers = (await Promise.all(shares.map((share) => ask(port, share)))).flat();
  const round = (processorTime(server.child) - before) / (REQUESTS / CLIENTS);
  t.ok(answers.every(Boolean), 'each is answered rightly');
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
    'after the first signal it accepts nothing more, but waits for what is in flight',
  );
  const { exitCode, stderr } = await server.stop();
  t.equal(exitCode, 0, 'the second signal stops it');
  t.equal(stderr, '');
});

t.test('a loop ends when its client goes away', async (t) => {
  const { server, port } = await serve(t, PATIENT);
  const loop = await begin(port, '/busy');
  await server.printed(/busy\n/);
  loop.socket.destroy();
  t.equal((await get(port, '/quick/1')).body, 'quick 1');
  const { exitCode, stderr } = await server.stop();
  t.equal(exitCode, 0, 'nothing is in flight any more');
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
  t.ok(
    headers.some(([name, value]) => name.toLowerCase() === 'connection' && value === 'close'),
    'with Connection: close',
  );
  const { exitCode, stdout, stderr } = await stopped;
  t.match(stdout, /\nafter run\n$/, 'app.run returns');
  t.equal(exitCode, 0);
  t.equal(stderr, '');
});

t.test('a signal is followed by at most 10 seconds of waiting', async (t) => {
  const { server, port } = await serve(t, TICKS + PROGRAM);
  const waiting = await begin(port, '/wait/3600');
  await server.printed(/waiting\n/);
  const before = ticks(server);
  const start = performance.now();
  const { exitCode } = await server.stop();
  const seconds = (performance.now() - start) / 1000;
  t.ok(seconds > 9, `${seconds.toFixed(1)} s`);
  t.ok(ticks(server) - before < 50, `${ticks(server) - before} quarters of a second`);
  t.equal(exitCode, 0);
  await waiting.close();
});

t.test('threads of the program get as long as requests, then their ensure blocks run', async (t) => {
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

t.test('a request that would be one thread too many is refused for now', async (t) => {
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
  t.ok(await happens(async () => (await get(port, '/')).body === 'fine'), 'once they have ended it is answered again');
  t.match((await server.stop()).stderr, /^warning: request refused: too many threads/);
});
