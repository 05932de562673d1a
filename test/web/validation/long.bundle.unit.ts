/** Checks of long bodies and hard regexes run in pieces, between which other requests run, and end with their client. */
import t from 'tap';
import { until } from '../../patience.js';
import { Connection } from '../support/connection.js';
import { get, serve } from '../support/serve.js';

t.jobs = 2;

const PROGRAM = `record Point(x: Float(0..), name: String(1..20) = "none")
record Text(text: String(/^(?:a|aa)+$/))
app = web_app()
app.set("body_bytes", 100_000_000)
app.set("request_seconds", 3600)
app.post("/points", body: [Point]) { |req| req.valid.length }
app.post("/text", body: Text) { |req| req.valid.text.length }
app.get("/quick") { |req| "quick" }
app.run(0)
`;

function post(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: svc.test\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const POINTS = `[${'{"x": 1.5, "name": "somewhere"},'.repeat(400_000)}{"x": -1}]`;

for (const [what, path, body, status] of [
  ['a body of many values', '/points', POINTS, 422],
  ['a text that a regex takes long for', '/text', JSON.stringify({ text: `${'a'.repeat(20_000_000)}b` }), 422],
] as const)
  t.test(`${what} leaves others their turns`, async (t) => {
    const { server, port } = await serve(t, PROGRAM);
    const long = await Connection.open(port);
    long.send(Buffer.from(post(path, body)));
    let answered = false;
    const answer = long.response('POST').then((response) => {
      answered = true;
      return response;
    });
    let quick = 0;
    while (!answered) {
      t.equal((await get(port, '/quick')).status, 200);
      if (!answered) quick++;
    }
    t.equal((await answer).status, status);
    t.ok(quick >= 5, `${quick} requests were answered meanwhile`);
    long.socket.destroy();
    const { stderr, exitCode } = await server.stop();
    t.strictSame([stderr, exitCode], ['', 0]);
  });

t.test('a check ends when its client disconnects', async (t) => {
  const { server, port } = await serve(
    t,
    PROGRAM.replace('app.run(0)', 'app.metrics\napp.set("drain_seconds", 3600)\napp.run(0)'),
  );
  const long = await Connection.open(port);
  long.send(Buffer.from(post('/points', POINTS)));
  const threads = async (): Promise<number> => {
    const { body } = await get(port, '/metrics');
    return [...body.matchAll(/^svc_threads\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const idle = await threads();
  await until('the check has begun', async () => (await threads()) > idle);
  long.socket.resetAndDestroy();
  await until('the check has ended', async () => (await threads()) === idle);
  const { stderr, exitCode } = await server.stop();
  t.strictSame([stderr, exitCode], ['', 0]);
});
