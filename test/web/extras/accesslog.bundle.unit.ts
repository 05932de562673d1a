import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import { Svcc } from '../../svcc/svcc.js';
import { jsonLines } from '../support/jsonlines.js';
import { get, serve } from '../support/serve.js';
import { attack } from '../threats/attack.js';

type Line = Record<string, unknown>;

const KEY = 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n';

t.test('lines have the client behind a proxy, the query without secrets, the browser and own fields', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.set("trust_proxy", true)
app.log(:access)
app.before { |req| req.log_fields[:user] = 3 }
app.get("/a/:id") do |req|
  req.log_fields["status"] = "own"
  req.log_fields["password"] = "hunter2"
  "hello"
end
app.run(0)
`,
  );
  const fields = 'X-Forwarded-For: 6.6.6.6, 10.1.2.3\r\nUser-Agent: demo/1 "x"\r\nX-Request-Id: r1\r\n';
  await attack(
    port,
    `GET /a/7?x=1&Access_Token=abc&token=%20 HTTP/1.1\r\nHost: a\r\n${fields}Connection: close\r\n\r\n`,
  );
  const { stdout, stderr } = await server.stop();
  const [line] = jsonLines(stdout);
  t.equal(typeof line.ms, 'number');
  t.match(line.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const rest = { ...line };
  delete rest.time;
  delete rest.ms;
  t.same(rest, {
    id: 'r1',
    ip: '10.1.2.3',
    method: 'GET',
    path: '/a/7',
    query: 'x=1&Access_Token=[redacted]&token=[redacted]',
    route: '/a/:id',
    status: 200,
    bytes: 5,
    agent: 'demo/1 "x"',
    user: 3,
    _status: 'own',
    password: '[redacted]',
  });
  t.equal(stderr, '');
});

t.test('secrets are found by the decoded names of parameters', async (t) => {
  const { server, port } = await serve(t, 'app = web_app()\napp.log(:access)\napp.run(0)\n');
  const names = [
    'pass%77ord',
    '+password',
    '%20password',
    'api+key',
    'user%5Bpass%77ord%5D',
    '%FFuser[password]',
    '%zz[pass%77ord]',
    'my+pass%77ord',
    'passwords[]',
    'token%5Bid%5D',
    'user[password_confirmation]',
    `${'a'.repeat(200)}[DBPassword2]`,
  ];
  const harmless = ['pass+word=1', 'a+b=2', '%zz=3', '%FF=4', 'token_type=5'];
  const query = [...names.map((name) => `${name}=hunter2`), ...harmless].join('&');
  await attack(port, `GET /?${query} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  const [line] = jsonLines((await server.stop()).stdout);
  t.equal(line.query, [...names.map((name) => `${name}=[redacted]`), ...harmless].join('&'));
});

t.test('a WebSocket has a line at its start and one at its end', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.log(:access)
app.websocket("/ws/:n") do |ws|
  ws.log_fields[:room] = ws.params["n"]
  log.info("in the handler")
  ws.close(4001)
end
app.run(0)
`,
  );
  await attack(
    port,
    `GET /ws/1?q=2 HTTP/1.1\r\nHost: a\r\nX-Request-Id: w1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${KEY}\r\n`,
    { fin: true },
  );
  const { stdout, stderr } = await server.stop();
  const [start, end] = jsonLines(stdout);
  t.match(start, { id: 'w1', path: '/ws/1', query: 'q=2', route: '/ws/:n', status: 101 });
  t.notOk('close_code' in start);
  t.match(end, { id: 'w1', path: '/ws/1', status: 101, close_code: 4001, room: '1' });
  t.ok(Number(end.ms) >= 0);
  t.match(jsonLines(stderr)[0], { message: 'in the handler', request_id: 'w1' });
});

t.test('lines for people, and lines of the program, name the request', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
app.log(:access, format: "text", to: stderr)
log.format = "text"
app.get("/a") do |req|
  log.info("in the request")
  spawn { log.info("in a thread of it") }.await
  "hello"
end
app.run(0)
`,
  );
  await attack(port, 'GET /a?x HTTP/1.1\r\nHost: a\r\nX-Request-Id: r2\r\nConnection: close\r\n\r\n');
  const { stderr } = await server.stop();
  const [first, second, third] = stderr.split('\n');
  t.match(first, /^[\d:.]{12} INFO {2}in the request request_id=r2$/);
  t.match(second, /^[\d:.]{12} INFO {2}in a thread of it request_id=r2$/);
  t.match(
    third,
    /^[\d:.]{12} INFO {2}GET \/a 200 query=x route=\/a bytes=5 ms=[\d.]+ ip=(::ffff:)?127\.0\.0\.1 id=r2$/,
  );
});

const FILES = `app = web_app()
app.log(:access, to: "access.log")
log.to("app.log")
app.get("/a") do |req|
  log.info("in the request")
  "hello"
end
app.run(0)
`;

/** A server that writes both logs to files. Its process may have workers. */
async function withFiles(
  test: Test,
  flags: string[],
): Promise<{ server: Svcc; port: number; lines: (name: string) => Line[]; folder: string }> {
  const folder = test.testdir({ 'app.svc': FILES });
  const server = new Svcc(['run', ...flags, 'app.svc'], { cwd: folder });
  test.teardown(() => server.child.kill('SIGKILL'));
  const [, port] = await server.printed(/:(\d+)\n/);
  const lines = (name: string): Line[] => {
    try {
      return jsonLines(readFileSync(join(folder, name), 'utf8'));
    } catch {
      return [];
    }
  };
  return { server, port: Number(port), lines, folder };
}

for (const flags of [[], ['--workers', '2']]) {
  t.test(`SIGUSR1 opens files again ${flags.join(' ')}`, async (t) => {
    const { server, port, lines, folder } = await withFiles(t, flags);
    await get(port, '/a');
    await until('both lines', () => lines('access.log').length === 1 && lines('app.log').length === 1);
    for (const name of ['access.log', 'app.log']) renameSync(join(folder, name), join(folder, `${name}.1`));
    server.child.kill('SIGUSR1');
    // Each process opens the files by itself; until it has, its lines go to the old ones.
    await until('lines in the new files', async () => {
      await get(port, '/a');
      return lines('access.log').length > 3 && lines('app.log').length > 3;
    });
    const { stderr, exitCode } = await server.stop();
    t.equal(exitCode, 0);
    t.notMatch(stderr, /Debugger/);
    const requests = lines('access.log').length + lines('access.log.1').length;
    t.equal(lines('app.log').length + lines('app.log.1').length, requests, 'no line is lost');
  });
}

t.test('lines that wait are written when the program ends', async (t) => {
  const folder = t.testdir({ 'app.svc': 'log.to("app.log")\n5000.times { |i| log.info("line", i:) }\nexit(3)\n' });
  const { exitCode } = await new Svcc(['run', 'app.svc'], { cwd: folder }).finished();
  t.equal(exitCode, 3);
  const lines = jsonLines(readFileSync(join(folder, 'app.log'), 'utf8'));
  t.equal(lines.length, 5000);
  t.ok(lines.every(({ i }, at) => i === at));
});

t.test('SVC_LOG sets the level; another value is reported', async (t) => {
  const folder = t.testdir({ 'app.svc': 'log.debug("d")\nlog.warn("w")\n' });
  const run = async (level: string): Promise<string> =>
    (await new Svcc(['run', 'app.svc'], { cwd: folder, env: { SVC_LOG: level } }).finished()).stderr;
  t.same(
    jsonLines(await run('debug')).map(({ message }) => message),
    ['d', 'w'],
  );
  t.equal(await run('off'), '');
  const wrong = await run('verbose');
  t.match(
    wrong,
    /^warning: the environment variable SVC_LOG must be debug, info, warn, error or off, got 'verbose'; info is used\n/,
  );
  t.same(
    jsonLines(wrong).map(({ message }) => message),
    ['w'],
  );
});

t.test('bad arguments', async (t) => {
  const folder = t.testdir({
    'app.svc': `app = web_app()
puts (begin; app.log("errors"); rescue ArgumentError => e; e.message; end)
puts (begin; app.log(format: "xml"); rescue ValueError => e; e.message; end)
puts (begin; app.log(to: "no/folder/a.log"); rescue IOError => e; e.message; end)
`,
  });
  const { stdout } = await new Svcc(['run', 'app.svc'], { cwd: folder }).finished();
  t.equal(
    stdout,
    `app.log() supports only "access", got "errors"
app.log(): format must be json or text, got "xml"
cannot write the log no/folder/a.log: no such file or directory
`,
  );
});
