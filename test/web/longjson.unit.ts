import t, { type Test } from 'tap';
import { Connection } from './connection.js';
import { get, serve } from './serve.js';

const ROWS = 200_000;
const PROGRAM = `app = web_app()
app.set("body_bytes", 100_000_000)
rows = (1..${ROWS}).map { |i| {id: i, name: "row #{i}"} }
app.get("/raw") { |req| rows }
app.get("/made") { |req| json_response({rows: rows}, 201, {"X-Made": "yes"}) }
app.post("/sum") { |req| req.json.map { |row| row["id"] }.sum }
app.post("/bad") { |req| req.json == nil and req.json == nil }
app.get("/quick") { |req| "quick" }
app.get("/unfit") { |req| [*rows, ->() { 1 }] }
LAYERS
app.run(0)
`;

/** Asks for short answers, one after the other, until `work` is done: how many there were. */
async function meanwhile(port: number, work: Promise<unknown>): Promise<number> {
  let done = false;
  void work.finally(() => (done = true));
  let count = 0;
  while (!done) {
    await get(port, '/quick');
    count++;
  }
  return count;
}

async function post(port: number, path: string, body: string): Promise<string> {
  const connection = await Connection.open(port);
  connection.send(`POST ${path} HTTP/1.1\r\nHost: svc.test\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`);
  connection.send(body);
  const answer = await connection.response('POST');
  connection.socket.destroy();
  return `${answer.status} ${answer.body.toString()}`;
}

/** What a server answers of JSON that takes long to write or to read, and that it answers others between. */
async function answers(t: Test, layers: string): Promise<void> {
  const { server, port } = await serve(t, PROGRAM.replace('LAYERS', layers));
  const expected = Array.from({ length: ROWS }, (_, i) => ({ id: i + 1, name: `row ${i + 1}` }));
  const text = JSON.stringify(expected);
  const raw = get(port, '/raw');
  t.ok(await meanwhile(port, raw) > 3, 'others are answered meanwhile');
  t.strictSame(await raw, { status: 200, body: text });
  t.strictSame(await get(port, '/made'), { status: 201, body: `{"rows":${text}}` });
  const sum = post(port, '/sum', text);
  t.ok(await meanwhile(port, sum) > 3, 'others are answered meanwhile');
  t.equal(await sum, `200 ${(ROWS * (ROWS + 1)) / 2}`);
  t.equal(await post(port, '/bad', text.slice(1)), '200 true');
  t.strictSame(await get(port, '/unfit'), { status: 500, body: 'Internal Server Error' });
  t.match(server.stderr, /ValueError: cannot encode Function as JSON/);
}

t.test('long JSON', { timeout: 60_000 }, async (t) => {
  await t.test('without layers', (t) => answers(t, ''));
  await t.test('behind middleware and filters', (t) => answers(t, 'app.use { |req, next_fn| next_fn(req) }\napp.after { |req, res| res }'));
});
