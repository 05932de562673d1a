import t, { type Test } from 'tap';
import { Connection } from '../support/connection.js';
import { get, serve } from '../support/serve.js';

const ROWS = 60_000;
const PROGRAM = `app = web_app()
app.set("body_bytes", 100_000_000)
rows = (1..${ROWS}).map { |i| {id: i, name: "row #{i}"} }
app.get("/raw") { |req| rows }
app.get("/made") { |req| json_response({rows: rows}, 201, {"X-Made": "yes"}) }
turns = shared(0)
spawn do
  loop do
    turns.set(turns.get() + 1)
    sleep(0)
  end
end
app.post("/sum") do |req|
  before = turns.get()
  rows = req.json
  turned = turns.get() > before + 3
  "#{rows.map { |row| row["id"] }.sum} #{turned}"
end
app.post("/bad") { |req| req.json == nil and req.json == nil }
app.get("/quick") { |req| "quick" }
app.get("/unfit") { |req| [*rows, ->() { 1 }] }
LAYERS
app.run(0)
`;

/** Requests paths at the same time, each over an open connection; returns the answers in their order. */
async function raced(port: number, paths: string[]): Promise<{ path: string; body: string }[]> {
  const connections = await Promise.all(paths.map(() => Connection.open(port)));
  const answers: { path: string; body: string }[] = [];
  await Promise.all(
    paths.map(async (path, i) => {
      connections[i].send(`GET ${path} HTTP/1.1\r\nHost: svc.test\r\nConnection: close\r\n\r\n`);
      answers.push({ path, body: (await connections[i].response('GET')).body.toString() });
      connections[i].socket.destroy();
    }),
  );
  return answers;
}

async function post(port: number, path: string, body: string): Promise<string> {
  const connection = await Connection.open(port);
  connection.send(
    `POST ${path} HTTP/1.1\r\nHost: svc.test\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
  );
  connection.send(body);
  const answer = await connection.response('POST');
  connection.socket.destroy();
  return `${answer.status} ${answer.body.toString()}`;
}

/** Checks answers with JSON that takes long to write or to read, and that other requests are answered meanwhile. */
async function answers(t: Test, layers: string): Promise<void> {
  const { server, port } = await serve(t, PROGRAM.replace('LAYERS', layers));
  const expected = Array.from({ length: ROWS }, (_, i) => ({ id: i + 1, name: `row ${i + 1}` }));
  const text = JSON.stringify(expected);
  const answers = await raced(port, ['/raw', '/quick', '/quick', '/quick', '/quick']);
  t.same(
    answers.map(({ path }) => path),
    ['/quick', '/quick', '/quick', '/quick', '/raw'],
    'others are answered meanwhile',
  );
  t.equal(answers[4].body, text);
  t.strictSame(await get(port, '/made'), { status: 201, body: `{"rows":${text}}` });
  t.equal(await post(port, '/sum', text), `200 ${(ROWS * (ROWS + 1)) / 2} true`, 'others run meanwhile');
  t.equal(await post(port, '/bad', text.slice(1)), '200 true');
  t.strictSame(await get(port, '/unfit'), { status: 500, body: 'Internal Server Error' });
  t.match(server.stderr, /ValueError: cannot encode Function as JSON/);
}

t.test('long JSON', async (t) => {
  await t.test('without layers', (t) => answers(t, ''));
  await t.test('with middleware and filters', (t) =>
    answers(t, 'app.use { |req, next_fn| next_fn(req) }\napp.after { |req, res| res }'),
  );
});
