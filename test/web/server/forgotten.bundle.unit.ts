import t from 'tap';
import { median } from '../../../bench/shared/stats.js';
import { until } from '../../patience.js';
import { Connection } from '../support/connection.js';
import { Measured } from '../support/pump.js';

const PROGRAM = `app = web_app()
gate = channel(0)
waiting = channel(100)
app.get("/rows") do |req|
  waiting.send(1)
  gate.recv
  (1..200).map { |i| {id: i, name: "name #{i}"} }
end
app.get("/received") do |req|
  waiting.send(1)
  gate.recv
end
app.post("/text") do |req|
  waiting.send(1)
  gate.recv
  "#{req.body.length}"
end
app.post("/json") do |req|
  waiting.send(1)
  gate.recv
  {rows: req.json.length}
end
app.get("/waiting") { |req| waiting.length }
app.get("/open") do |req|
  waiting.length.times do
    waiting.recv
    gate.send((1..200).map { |i| {id: i, name: "name #{i}"} })
  end
  "open"
end
app.run(0, "127.0.0.1")
`;
/** Requests of each kind. */
const COUNT = 20;
const BODY = JSON.stringify(Array.from({ length: 200 }, (_, i) => ({ id: i, name: `the name of ${i}` })));
/** The median counts: in some rounds V8 collects before all have answered, and keeps what is still in use, or collects everything. */
const ROUNDS = 7;
/** Bytes that may be left of an answered request, of which the request itself is the most. */
const BOUND = 4000;

function request(method: string, path: string, body: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: svc.test\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

for (const [method, path, body, answer] of [
  ['GET', '/rows', '', /^\[\{"id":1,"name":"name 1"\}/],
  ['GET', '/received', '', /^\[\{"id":1,"name":"name 1"\}/],
  ['POST', '/text', BODY, new RegExp(`^${BODY.length}$`)],
  ['POST', '/json', BODY, /^\{"rows":200\}$/],
] as const)
  t.test(`what a request that waited has made is young when it is answered: ${path}`, async (t) => {
    const measured = await Measured.start(t, PROGRAM);
    const other = await Connection.open(measured.port);
    t.teardown(() => other.socket.destroy());
    const ask = async (question: string): Promise<string> => {
      other.send(request('GET', question, ''));
      return (await other.response('GET')).body.toString();
    };
    /** Bytes of the heap that are left of each request when only young objects are collected after the answers. */
    const left = async (): Promise<number> => {
      const connections = await Promise.all(Array.from({ length: COUNT }, () => Connection.open(measured.port)));
      for (const connection of connections) connection.send(request(method, path, body));
      await until('all requests', async () => Number(await ask('/waiting')) === COUNT);
      const start = await measured.heapOfOld();
      t.equal(await ask('/open'), 'open');
      for (const connection of connections) {
        t.match((await connection.response(method)).body.toString(), answer);
        connection.socket.destroy();
      }
      return ((await measured.heapWithoutYoung()) - start) / COUNT;
    };
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(Math.round(await left()));
    t.ok(median(rounds) < BOUND, 'nothing is left of what a request has made');
    t.comment(`bytes left of each request: ${rounds.join(', ')}`);
  });
