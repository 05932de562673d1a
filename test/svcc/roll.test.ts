import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { freePort } from '../freeport.js';
import { until } from '../patience.js';
import { needs, WAYS, way } from './proxies.js';
import { postFrom16, Tally } from './strictclient.js';
import { Svcc } from './svcc.js';

const LONG = process.env.SVC_LONG !== undefined;
const ROUNDS = LONG ? 20 : 2;
// For twenty rounds of two processes each on a busy machine.
t.setTimeout(LONG ? 1_800_000 : 240_000);

/** Some handlers wait, some compute. */
const PROGRAM = `app = web_app()
app.get("/ready") { |req| "yes" }
app.post("/echo") do |req|
  sleep(0.003) if rand(5) == 0
  5000.times { |i| i * 2 } if rand(7) == 0
  req.body
end
app.run(0, "127.0.0.1")
`;

async function started(
  test: Test,
  flags: string[],
  cwd = test.testdir({ 'app.svc': PROGRAM }),
): Promise<{ server: Svcc; port: number }> {
  const server = new Svcc(['run', ...flags, 'app.svc'], { cwd });
  test.teardown(() => server.child.kill('SIGKILL'));
  return { server, port: await server.port() };
}

/** Process numbers of a pool's workers. */
function workers({ child: { pid } }: Svcc): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
}

/** Replaces all processes of a pool. */
async function roll(server: Svcc): Promise<void> {
  const before = workers(server);
  server.child.kill('SIGHUP');
  await until('other processes', () => {
    const now = workers(server);
    return now.length === before.length && !now.some((pid) => before.includes(pid));
  });
}

/** Waits for responses between two signals. */
async function someAnswers(tally: Tally): Promise<void> {
  const soFar = tally.answered;
  await until('answers', () => tally.answered > soFar + 100);
  // The time of the signal varies.
  await sleep(Math.random() * 50);
}

function assertNoneLost(test: Test, tally: Tally): void {
  test.same(
    tally.lost,
    [],
    `none of ${tally.answered} requests is lost, ${tally.reused} of them on persistent connections`,
  );
  test.ok(tally.reused > tally.answered / 2, 'most requests reuse a connection');
}

for (const name of WAYS) {
  const skip = process.platform === 'linux' ? needs(name) : { skip: 'needs /proc' };
  t.test(`SIGHUP loses no request: ${name}`, skip, async (t) => {
    const { server, port } = await started(t, ['--workers', '2']);
    await until('both processes', () => workers(server).length === 2);
    const tally = new Tally();
    const clients = postFrom16(await way(t, name, [port]), tally, true);
    for (let i = 0; i < ROUNDS; i++) {
      await someAnswers(tally);
      await roll(server);
    }
    await someAnswers(tally);
    tally.stopped = true;
    await clients;
    assertNoneLost(t, tally);
    if (name === 'direct') t.ok(tally.announced >= ROUNDS, 'responses announce the end of connections');
    const { stderr, exitCode } = await server.stop('SIGTERM');
    t.same([stderr, exitCode], ['', 0]);
  });

  t.test(`SIGTERM of single processes loses no request: ${name}`, needs(name), async (t) => {
    const cwd = t.testdir({ 'app.svc': PROGRAM });
    // Without a proxy, the successor starts when the port is free. A proxy uses the other process meanwhile.
    const ports = await Promise.all(Array.from({ length: name === 'direct' ? 1 : 2 }, () => freePort()));
    const start = (at: number): Promise<Svcc> =>
      started(t, ['--port', String(ports[at])], cwd).then(({ server }) => server);
    const servers = await Promise.all(ports.map((_, at) => start(at)));
    const proxy = await way(t, name, ports);
    const tally = new Tally();
    // No connection for each request: the kernel resets a connection that arrives while a port closes.
    const clients = postFrom16(proxy, tally, false);
    for (let i = 0; i < ROUNDS; i++) {
      await someAnswers(tally);
      const at = i % ports.length;
      const { stderr, exitCode } = await servers[at].stop('SIGTERM');
      t.same([stderr, exitCode], ['', 0]);
      servers[at] = await start(at);
    }
    await someAnswers(tally);
    tally.stopped = true;
    await clients;
    assertNoneLost(t, tally);
  });
}
