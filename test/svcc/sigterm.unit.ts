import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Connection } from '../web/support/connection.js';
import { serve } from '../web/support/serve.js';
import { until } from '../patience.js';

t.jobs = 2;

const CONNECTIONS = 50;
const ROUNDS = process.env.SVC_LONG === undefined ? 4 : 20;
const REQUEST = 'GET /work HTTP/1.1\r\nHost: svc.test\r\n\r\n';

/** Some handlers wait, some compute. */
const PROGRAM = `app = web_app()
count = 0
app.get("/work") do |req|
  count += 1
  sleep(0.005) if count % 3 == 0
  20000.times { |i| i * 2 } if count % 7 == 0
  "done"
end
app.get("/slow") do |req|
  puts "waits"
  sleep(30)
  "done"
end
app.run(0, "127.0.0.1")
puts "after"
`;

interface Tally {
  /** Requests that were sent before the signal and had no response then. */
  open: number;
  answered: number;
  unanswered: string[];
}

interface State {
  stopped: boolean;
  /** Whether clients keep their connections after the last answer. The server closes these after two idle seconds. */
  keeps: boolean;
}

/** A client that sends the next request after each answer, until `stopped` or until the server closes the connection. */
async function client(connection: Connection, state: State, tally: Tally): Promise<void> {
  while (!connection.isSpent) {
    connection.send(REQUEST);
    const sentBefore = !state.stopped;
    try {
      const { status, body } = await connection.response('GET');
      if (status !== 200 || body.toString() !== 'done') throw new Error(`${status} ${body.toString()}`);
      if (sentBefore) tally.answered++;
    } catch (error) {
      // A request sent after the signal may be on its way while the server closes its connection.
      if (sentBefore) tally.unanswered.push((error as Error).message);
      return;
    }
    if (state.stopped) break;
  }
  if (!state.keeps) connection.socket.destroy();
}

async function round(test: Test, keeps: boolean): Promise<Tally> {
  const { server, port } = await serve(test, PROGRAM);
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(port)));
  const state: State = { stopped: false, keeps };
  const tally: Tally = { open: 0, answered: 0, unanswered: [] };
  const clients = connections.map((connection) => client(connection, state, tally));
  await until('some load', () => tally.answered >= 500);
  // The time of the signal varies.
  await sleep(Math.random() * 20);
  // No other code runs between these lines: each client has one open request, whose bytes the kernel holds.
  state.stopped = true;
  tally.open = CONNECTIONS;
  const ending = server.stop();
  await Promise.all(clients);
  const { stdout, stderr, exitCode } = await ending;
  test.same(tally.unanswered, [], `all ${tally.open} open requests are answered, of ${tally.answered} in all`);
  test.equal(exitCode, 0);
  test.equal(stderr, '');
  test.match(stdout, /\nafter\n$/, 'the program continues');
  for (const connection of connections) connection.socket.destroy();
  return tally;
}

t.test('SIGTERM under load loses no request', async (t) => {
  const total = { rounds: 0, answered: 0, open: 0, lost: 0 };
  for (let i = 0; i < ROUNDS; i++) {
    const tally = await round(t, i === 0);
    total.rounds++;
    total.answered += tally.answered;
    total.open += tally.open;
    total.lost += tally.unanswered.length;
  }
  t.comment(JSON.stringify(total));
});

t.test('a second signal ends the server at once', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { server, port } = await serve(t, PROGRAM.replace('web_app()', 'web_app()\napp.set("drain_seconds", 3600)'));
    const slow = await Connection.open(port);
    slow.send('GET /slow HTTP/1.1\r\nHost: svc.test\r\n\r\n');
    await server.printed(/waits\n/);
    server.child.kill(signal);
    await until('a closed port', () =>
      Connection.open(port).then(
        (connection) => connection.socket.destroy() === null,
        () => true,
      ),
    );
    t.notOk(slow.isSpent, 'after the first signal the server waits for the request');
    server.child.kill(signal);
    const { stderr, exitCode } = await server.finished();
    t.not(exitCode, null, 'the process ends by itself', { stderr });
    await t.rejects(slow.response('GET'), /ended/, 'without a response');
    slow.socket.destroy();
  }
});
