import t from 'tap';
import { svcc } from '../../svcc/svcc.js';
import { jsonLines } from '../support/jsonlines.js';
import { get, serve } from '../support/serve.js';
import { attack } from '../threats/attack.js';

/** Number of times that `part` occurs in `text`. */
function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

const PROGRAM = `app = web_app()
app.get("/raise") { |req| raise "went wrong" }
app.get("/function") { |req| ->(x) { x } }
app.get("/same_site") do |req|
  res = response("ok")
  res.set_cookie("a", "1", {same_site: "None"})
  res
end
LAYER
app.run(0)
`;

const LAYERS = {
  'a handler alone': '',
  'a filter': 'app.after { |req, res| nil }',
  'app.error': 'app.error { |req, err| raise err }',
};

for (const [name, layer] of Object.entries(LAYERS)) {
  t.test(`with ${name}, an error is logged once`, async (t) => {
    const { server, port } = await serve(t, PROGRAM.replace('LAYER', layer));
    t.equal((await get(port, '/raise')).status, 500);
    t.equal((await get(port, '/function')).status, 500);
    const { stderr } = await server.stop();
    t.equal(count(stderr, 'RuntimeError: went wrong'), 1, 'one that is raised', { stderr });
    t.equal(count(stderr, 'TypeError: '), 1, 'a value of no kind', { stderr });
    t.notMatch(stderr, /\bat .*\.js:\d+|node:/, 'no JavaScript stack');
  });
}

t.test('what app.error answers is logged once, with its request', async (t) => {
  const { server, port } = await serve(
    t,
    PROGRAM.replace('LAYER', 'app.error { |req, err| response(err.message, 503) }'),
  );
  t.same(await get(port, '/raise'), { status: 503, body: 'went wrong' });
  t.equal((await get(port, '/function')).status, 503);
  const { stderr } = await server.stop();
  t.match(stderr, /^request [\w-]+ GET \/raise failed:\nRuntimeError: went wrong\n/, { stderr });
  t.equal(count(stderr, 'RuntimeError: went wrong'), 1, { stderr });
  t.equal(count(stderr, 'TypeError: '), 1, { stderr });
  t.equal(count(stderr, ' failed:\n'), 2, { stderr });
});

t.test('an error in app.error is logged after the error that it handled', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('LAYER', 'app.error { |req, err| raise "worse" }'));
  t.equal((await get(port, '/raise')).status, 500);
  const { stderr } = await server.stop();
  t.match(stderr, /RuntimeError: went wrong[^]*RuntimeError: worse/, { stderr });
  t.equal(count(stderr, ' failed:\n'), 2, { stderr });
});

t.test('a cookie that browsers refuse causes one warning', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('LAYER', ''));
  for (let i = 0; i < 3; i++) await get(port, '/same_site');
  const { stderr } = await server.stop();
  t.equal(count(stderr, 'app.svc:6'), 1, 'with its line', { stderr });
});

interface Line {
  method: string;
  path: string;
  route: string | null;
  status: number;
  bytes: number;
}

t.test('handshakes of WebSockets are in the access log', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.log(:access)
app.websocket("/ws/:n", origins: ["https://a.example"]) { |ws| ws.close(1000) }
app.run(0)
`,
  );
  const key = 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n';
  const handshake = (path: string, fields: string): Promise<unknown> =>
    attack(port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${fields}\r\n`, {
      fin: true,
    });
  await handshake('/ws/1', `Sec-WebSocket-Version: 13\r\n${key}`);
  await handshake('/ws/2', `Sec-WebSocket-Version: 13\r\nOrigin: https://b.example\r\n${key}`);
  await handshake('/ws/3', `Sec-WebSocket-Version: 8\r\n${key}`);
  await handshake('/ws/4', 'Sec-WebSocket-Version: 13\r\n');
  await handshake('/other', `Sec-WebSocket-Version: 13\r\n${key}`);
  await get(port, '/ws/5');
  const { stdout, stderr } = await server.stop();
  const lines = jsonLines<Line & { ms: number; id: string; ip: string }>(stdout).filter(
    (line) => !('close_code' in line),
  );
  // prettier-ignore
  t.same(lines.map(({ method, path, route, status, bytes }) => [method, path, route, status, bytes]), [
    ['GET', '/ws/1', '/ws/:n', 101, 0], ['GET', '/ws/2', '/ws/:n', 403, 27], ['GET', '/ws/3', '/ws/:n', 426, 16],
    ['GET', '/ws/4', '/ws/:n', 400, 57], ['GET', '/other', null, 404, 13], ['GET', '/ws/5', null, 426, 16],
  ]);
  t.ok(lines.every(({ ms, id, ip }) => ms >= 0 && id !== '' && ip.includes('127.0.0.1')));
  t.equal(stderr, '');
});

// CWE-117: line breaks that would forge a line of the log, and control codes of terminals.
const FORGED = '/fail/%0A%C2%9B31m?q=a%0A%7B%22status%22%3A200%7D%0D%1B%5B31m%E2%80%A8';

t.test('clients cannot forge lines of the log', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.log(:access)
app.get("/fail/*rest") { |req| raise "bad #{req.query["q"]}" }
app.get("/spawned") do |req|
  spawn { raise "lost\\nline" }
  "ok"
end
app.run(0)
`,
  );
  await attack(port, `GET ${FORGED} HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\tb\r\nConnection: close\r\n\r\n`);
  await get(port, '/spawned');
  const { stdout, stderr } = await server.stop();
  t.notMatch(stdout + stderr, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]/, 'no control characters');
  const logged = stdout.split('\n').filter((line) => line.includes('"path"'));
  t.equal((JSON.parse(logged[0]) as Line).path, '/fail/%0A%C2%9B31m', 'the path as it was sent');
  t.match(
    stderr,
    /^request \S+ GET \/fail\/%0A%C2%9B31m failed:\nRuntimeError: bad a\\n\{"status":200\}\\r\\u001b\[31m\\u2028\n/,
  );
  t.match(stderr, /\nRuntimeError: lost\\nline\n/);
});

t.test('the error that ends a program is one line of the log', async (t) => {
  const { stderr, exitCode } = await svcc(['run', 'app.svc'], {
    cwd: t.testdir({ 'app.svc': 'begin\n  raise "inner\\n\\e[1m"\nrescue e\n  raise "outer\\n"\nend\n' }),
  });
  t.match(stderr, /^RuntimeError: outer\\n\n/);
  t.equal(exitCode, 1);
});
