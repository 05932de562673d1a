import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { isInShare } from '../../share.js';
import { idle, leave, Measured, pump, type Requests } from '../support/pump.js';
import { LONG } from '../threats/attack.js';

/** Requests of each kind that are measured. A quarter of this number is sent first, to warm up. */
const COUNT = LONG ? 100_000 : 1000;

/** Growth that is not a leak, as a share of the heap and in bytes: compiled code, and values in use at the moment. */
const SHARE = 0.05;
const ALLOWANCE = 300_000;

const PROGRAM = `app = web_app()
app.static("public")
app.compress(min: 100)
app.health
app.before { |req| halt(401, "unknown") if req.query["key"] == "none" }
app.after { |req, res| res.set_header("X-After", "yes") }
app.use do |req, next_fn|
  req["user"] = "u"
  res = next_fn.(req)
  res.set_header("X-Outer", "yes")
  res
end
app.get("/text") { |req| "hello" }
app.get("/json") { |req| {list: [1, 2.5, "x", nil], nested: {a: true}} }
app.post("/json") { |req| {got: req.json["name"]} }
app.get("/notes/:id/*rest") { |req| "#{req.params["id"]} #{req.params["rest"]} #{req.query["q"]}" }
app.get("/fails") { |req| raise "failed" }
app.get("/halts") { |req| halt(403, "halted") }
app.get("/session") do |req|
  res = response("counted")
  s = session(req, res, secret: "0123456789abcdef0123456789abcdef")
  s["n"] = (s["n"] || 0) + 1
  s.save()
  res
end
app.get("/stream") do |req|
  stream_response("text/plain") do |out|
    3.times { |i| out.write("part #{i} ") }
    sleep(0)
    out.write("last")
  end
end
app.get("/events") do |req|
  sse_response do |events|
    events.send("hello")
    sleep(100)
  end
end
app.get("/busy_events") do |req|
  sse_response do |events|
    loop do
      events.send("x" * 1000)
      sleep(0.001)
    end
  end
end
app.post("/upload") { |req| "got #{req.files["f"]["size"]}" }
app.get("/timeout") do |req|
  begin
    timeout(0.001) { sleep(100) }
  rescue TimeoutError
    response("late", 504)
  end
end
app.get("/waits") do |req|
  begin
    sleep(100)
  ensure
    req.path
  end
end
app.get("/spawns") do |req|
  found = spawn { "spawned" }
  await(found)
end
app.websocket("/ws/:room", origins: ["https://a.example"]) do |ws|
  ws.join(ws.params["room"])
  while (msg = ws.recv()) != nil
    ws.send(msg)
  end
end
app.run(0, "127.0.0.1")
`;

const FILE = '.a { color: red }\n'.repeat(50);

function get(path: string, answer: string, headers = ''): Requests {
  return { bytes: `GET ${path} HTTP/1.1\r\nHost: svc.test\r\n${headers}\r\n`, answer };
}

function post(path: string, type: string, body: string, answer: string): Requests {
  return {
    bytes: `POST ${path} HTTP/1.1\r\nHost: svc.test\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    answer,
  };
}

function upload(content: string): Requests {
  const body = `--B\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n${content}\r\n--B--\r\n`;
  return post('/upload', 'multipart/form-data; boundary=B', body, `got ${content.length}`);
}

/** Sends `count` requests; returns the number that were answered as expected. */
type Send = (port: number, count: number) => Promise<number>;

interface Kind {
  send: Send;
  /** Divides the number of requests: kinds that need a connection for each request take long. */
  share: number;
}

const PER_CONNECTION = LONG ? 5 : 1;
const each = (share: number, send: Send): Kind => ({ share, send });
const answered = (requests: Requests): Kind => each(1, (port, count) => pump(port, requests, count));

/** A request for a WebSocket, with more header lines. */
function handshake(fields = ''): string {
  return get(
    '/ws/a',
    '',
    `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n${fields}`,
  ).bytes;
}

/** A close frame with code 1000, masked with zeros. */
const CLOSE = '\x88\x82\0\0\0\0\x03\xe8';

// prettier-ignore
const KINDS: Record<string, Kind> = {
  text: answered(get('/text', 'hello')),
  json: answered(get('/json', '"nested":{"a":true}')),
  'POST of JSON': answered(post('/json', 'application/json', '{"name":"x","list":[1,2,3]}', '{"got":"x"}')),
  'parameters of paths': answered(get('/notes/1/a/b?q=%20c', '1 a/b  c')),
  '404': answered(get('/nowhere', 'HTTP/1.1 404 ')),
  '500': answered(get('/fails', 'HTTP/1.1 500 ')),
  halt: answered(get('/halts', 'HTTP/1.1 403 ')),
  'halt in a filter': answered(get('/text?key=none', 'HTTP/1.1 401 ')),
  'middleware and filters': answered(get('/text', 'X-Outer: yes')),
  session: answered(get('/session', 'Set-Cookie: ', 'Cookie: _svc_session=forged; other=1\r\n')),
  'static file': answered(get('/a.css', 'HTTP/1.1 200 ')),
  'compressed static file': answered(get('/a.css', 'Content-Encoding: br', 'Accept-Encoding: br\r\n')),
  'missing file': answered(get('/missing.css', 'HTTP/1.1 404 ')),
  stream: answered(get('/stream', 'last')),
  upload: answered(upload('x'.repeat(500))),
  timeout: answered(get('/timeout', 'HTTP/1.1 504 ')),
  'threads of a handler': answered(get('/spawns', 'spawned')),
  'upload to the disk': each(10, (port, count) => pump(port, upload('x'.repeat(80_000)), count)),
  'malformed request': each(PER_CONNECTION, (port, count) => leave(port, 'GET /text HTTP/1.1\r\nHost: svc.test\r\nBad Name: x\r\n\r\n', ' 400 ', count)),
  'events that the client ends': each(PER_CONNECTION, (port, count) => leave(port, get('/events', '').bytes, 'data: hello', count)),
  'client that leaves': each(PER_CONNECTION, (port, count) => leave(port, get('/waits', '').bytes, null, count)),
  'WebSocket whose client leaves': each(1, (port, count) => leave(port, handshake(), ' 101 ', count)),
  'WebSocket that is closed': each(1, (port, count) => leave(port, handshake() + CLOSE, '\x88\x02\x03\xe8', count)),
  'refused handshake': each(PER_CONNECTION, (port, count) => leave(port, handshake('Origin: https://b.example\r\n'), ' 403 ', count)),
  'client that leaves in the middle of its events': each(PER_CONNECTION, (port, count) => leave(port, get('/busy_events', '').bytes, 'data: x', count)),
};

/** The smallest of several heap sizes: objects of ended requests may be freed late. Stops below `limit`. */
async function settled(measured: Measured, limit = 0): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 12 && least > limit && (limit > 0 || i < 4); i++) {
    if (i > 0) await sleep(LONG ? 300 : 80);
    least = Math.min(least, await measured.heap());
  }
  return least;
}

/** Adds the served files to the folder of a test. */
function withFiles(test: Test): Test {
  return {
    testdirName: test.testdirName,
    teardown: (run: () => void) => test.teardown(run),
    testdir: (tree: object) => test.testdir({ ...tree, public: { 'a.css': FILE } }),
  } as Test;
}

if (LONG) t.setTimeout(3_600_000);

/** The server for all kinds; with SVC_LONG=1 each has its own. */
const shared = LONG ? null : await Measured.start(withFiles(t), PROGRAM);

/** Number of kinds sent at the same time and measured together: their leaks add up, so each shows as if measured alone. */
const TOGETHER = LONG ? 1 : 4;

/** Sends requests of several kinds at the same time; whether all were answered as expected. */
async function sendAll(kinds: readonly Kind[], port: number, count: number): Promise<boolean> {
  const sent = await Promise.all(kinds.map(({ send, share }) => send(port, count / share)));
  return kinds.every(({ share }, i) => sent[i] === count / share);
}

const NAMES = Object.keys(KINDS).filter((name) => isInShare(name));
for (let first = 0; first < NAMES.length; first += TOGETHER) {
  const names = NAMES.slice(first, first + TOGETHER);
  const kinds = names.map((name) => KINDS[name]);
  t.test(
    `${COUNT} requests leave nothing: ${names.join(', ')}`,
    { skip: process.platform !== 'linux' && 'looks into /proc' },
    async (t) => {
      const measured = shared ?? (await Measured.start(withFiles(t), PROGRAM));
      const { port, server } = measured;
      await pump(port, get('/text', 'hello'), 10);
      // The first requests open descriptors that stay open.
      await sleep(100);
      const atFirst = await measured.descriptors();
      t.ok(await sendAll(kinds, port, COUNT / 4), 'warmed up');
      const open = await idle(measured, atFirst);
      const before = await settled(measured);
      t.ok(await sendAll(kinds, port, COUNT), 'all are answered');
      t.ok((await idle(measured, open)) <= open, 'no descriptor is left');
      const limit = before * (1 + SHARE) + ALLOWANCE;
      const after = await settled(measured, limit);
      const figures = `${(before / 1e6).toFixed(2)} MB before, ${(after / 1e6).toFixed(2)} MB after ${COUNT}`;
      t.ok(after <= limit, figures);
      t.comment(figures);
      t.equal(await pump(port, get('/text', 'hello'), 1), 1, 'the server still answers');
      if (shared === null) t.equal((await server.stop()).exitCode, 0);
    },
  );
}

if (shared !== null)
  t.test('the server stops with exit code 0', async (t) => t.equal((await shared.server.stop()).exitCode, 0));
