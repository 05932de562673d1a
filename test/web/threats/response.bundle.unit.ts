import t from 'tap';
import { Connection, type ActualResponse } from '../support/connection.js';
import { serve } from '../support/serve.js';
import { alive, ALIVE, attack, count, endsQuietly, HEAD } from './attack.js';

async function ask(port: number, path: string, method = 'GET'): Promise<ActualResponse> {
  const connection = await Connection.open(port);
  connection.send(`${method} ${path} ${HEAD}Connection: close\r\n\r\n`);
  const response = await connection.response(method);
  await connection.close();
  if (connection.unread.length > 0) throw new Error(`bytes after the response: ${connection.unread.toString()}`);
  connection.socket.destroy();
  return response;
}

/** All values of a header field. */
function fields({ headers }: ActualResponse, wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
}

t.jobs = 4;

const STATUSES = [
  '99',
  '100',
  '101',
  '199',
  '600',
  '1000',
  '-200',
  '0',
  '200.5',
  '200.0',
  'nil',
  '"200"',
  '"200\\r\\nX-Evil: 1"',
  'true',
  '[200]',
  '{}',
  '2 ** 64',
  '1e400',
];
const WAYS = [
  'response("x", STATUS)',
  'html_response("x", STATUS)',
  'json_response({}, STATUS)',
  'redirect("/", STATUS)',
  'halt(STATUS, "x")',
  'set_status(STATUS)',
];

t.test('an invalid status is an error of the program', async (t) => {
  const routes = STATUSES.flatMap((status, s) =>
    WAYS.map((way, w) => `app.get("/${s}/${w}") { |req| ${way.replace('STATUS', status)} }\n`),
  );
  const { server, port } = await serve(
    t,
    `app = web_app()
${ALIVE}def set_status(status)
  res = response("x")
  res.status = status
  res
end
${routes.join('')}app.get("/good") { |req| response("x", 599) }
app.run(0)
`,
  );
  for (const [s, status] of STATUSES.entries()) {
    for (const [w, way] of WAYS.entries()) {
      const response = await ask(port, `/${s}/${w}`);
      t.same(
        [response.status, response.body.toString(), fields(response, 'x-evil')],
        [500, 'Internal Server Error', []],
        way.replace('STATUS', status),
      );
    }
  }
  t.equal((await ask(port, '/good')).status, 599);
  await alive(t, port, 'after them');
  const { stderr, exitCode } = await server.stop();
  t.equal(exitCode, 0);
  t.equal(count(stderr, ' failed:\n'), STATUSES.length * WAYS.length, 'each is logged once');
  const redirects = count(stderr, 'ValueError: redirect(): status must be 201 or from 300 to 399, got ');
  t.equal(redirects, STATUSES.length);
  t.equal(
    count(stderr, 'ValueError: a status must be an Integer from 200 to 599, got ') + redirects,
    STATUSES.length * WAYS.length,
  );
});

t.test('a Content-Length or Transfer-Encoding set by the program is ignored', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
${ALIVE}app.get("/length") { |req| response("five!", 200, {"Content-Length" => "3"}) }
app.get("/lower") { |req| response("five!", 200, {"content-length" => 99, "CONTENT-LENGTH" => "0"}) }
app.get("/several") { |req| response("five!", 200, {"Content-Length" => ["1", "2"]}) }
app.get("/chunked") { |req| response("five!", 200, {"Transfer-Encoding" => "chunked"}) }
app.get("/both") { |req| response("five!", 200, {"transfer-encoding" => "gzip, chunked", "Content-Length" => 1}) }
app.get("/json") { |req| json_response("fiv", 200, {"Content-Length" => 1}) }
app.get("/html") { |req| html_response("five!", 200, {"Transfer-Encoding" => "chunked"}) }
app.get("/set") do |req|
  res = response("five!")
  res.set_header("Content-Length", 3)
  res.set_header("TRANSFER-ENCODING", "chunked")
  res
end
app.run(0)
`,
  );
  for (const path of ['/length', '/lower', '/several', '/chunked', '/both', '/json', '/html', '/set']) {
    for (const method of ['GET', 'HEAD']) {
      const response = await ask(port, path, method);
      t.same(
        [response.status, fields(response, 'content-length'), fields(response, 'transfer-encoding')],
        [200, ['5'], []],
        `${method} ${path}`,
      );
      t.equal(response.body.toString(), method === 'HEAD' ? '' : path === '/json' ? '"fiv"' : 'five!');
    }
  }
  await endsQuietly(t, server);
});

t.test('204, 304 and HEAD have no body', async (t) => {
  const { server, port } = await serve(
    t,
    `app = web_app()
${ALIVE}app.get("/204") { |req| response("EVIL", 204) }
app.get("/304") { |req| response("EVIL", 304, {"ETag" => "\\"a\\""}) }
app.get("/json") { |req| json_response({evil: "EVIL"}, 204) }
app.get("/set") do |req|
  res = html_response("EVIL")
  res.status = 304
  res
end
app.get("/halt") { |req| halt(204, "EVIL") }
app.get("/nil") { |req| nil }
app.get("/large") { |req| "EVIL" * 100_000 }
app.get("/error") { |req| raise "EVIL" }
app.run(0)
`,
  );
  const paths = ['/204', '/304', '/json', '/set', '/halt', '/nil', '/large', '/error', '/nowhere'];
  // The bytes of a body would be where the next response must begin.
  const requests = paths
    .map(
      (path) =>
        `${['/large', '/error', '/nowhere'].includes(path) ? '' : `GET ${path} ${HEAD}\r\n`}HEAD ${path} ${HEAD}\r\n`,
    )
    .join('');
  const { text, statuses } = await attack(port, `${requests}GET /alive ${HEAD}Connection: close\r\n\r\n`);
  t.same(statuses, [204, 204, 304, 304, 204, 204, 304, 304, 204, 204, 204, 204, 200, 500, 404, 200]);
  t.notOk(text.includes('EVIL'));
  t.match(text, /^(HTTP\/1\.1 \d{3} [^\r\n]*\r\n([\w-]+: [^\r\n]*\r\n)+\r\n)+alive$/, 'no bytes between the responses');
  t.match(text, 'Content-Length: 400000', 'a length is kept for HEAD');
  const { stderr } = await server.stop();
  t.equal(count(stderr, 'RuntimeError: EVIL'), 1);
});

const LOCATIONS = [
  '//evil',
  '//evil.example/x?y#z',
  '/\\\\evil',
  'https://evil.example/',
  'javascript:alert(1)',
  '/../x',
  '?a=b',
  '/a%0d%0aX:%20y',
  'HTTP://EVIL',
  '',
  '/a//b',
  '///evil',
];

t.test('the address of a redirection is sent as it is given', async (t) => {
  const routes = LOCATIONS.map((location, i) => `app.get("/${i}") { |req| redirect("${location}") }\n`).join('');
  const { server, port } = await serve(
    t,
    `app = web_app()\n${ALIVE}${routes}app.get("/split") { |req| redirect("/a\\r\\nX-Evil: 1") }\napp.run(0)\n`,
  );
  for (const [i, location] of LOCATIONS.entries()) {
    const response = await ask(port, `/${i}`);
    t.same(
      [response.status, fields(response, 'location'), response.body.length],
      [302, [location.replace('\\\\', '\\')], 0],
      location,
    );
  }
  const split = await ask(port, '/split');
  t.same([split.status, fields(split, 'location'), fields(split, 'x-evil')], [500, [], []], 'but for line breaks');
  t.match((await server.stop()).stderr, 'ValueError');
});

const FAILURES = {
  raised: 'raise "SECRET at /home/me/app.svc"',
  record: 'raise ArgumentError, "SECRET"',
  nil: 'nil.secret',
  type: '1 + "SECRET"',
  missing: 'SECRET_NAME',
  division: '1 / 0',
  depth: 'recurse(1)',
  json: 'json_response(->(x) { x })',
  value: '->(x) { x }',
  header: 'response("x", 200, {"SECRET\\n" => "x"})',
  await: 'await spawn { raise "SECRET" }',
  hash: '{}.fetch("SECRET")',
  file: 'send_file("/SECRET/file")',
  integer: 'Integer.parse("SECRET")',
};
const LEAKS =
  /SECRET|\.svc|\.js\b|\.ts\b|node:|\/home|\/work|\bat \S+:\d|:\d+:\d+|Error:|Error\b(?<!Server Error)|line \d|[Bb]acktrace|in block/;

t.test('the response of a failing program contains no details', async (t) => {
  const routes = Object.entries(FAILURES)
    .map(([name, code]) => `app.get("/${name}") { |req| ${code} }\n`)
    .join('');
  const { server, port } = await serve(
    t,
    `app = web_app()
def recurse(n)
  recurse(n + 1) + 1
end
app.use do |req, next_fn|
  raise "SECRET in middleware" if req.path == "/middleware"
  next_fn.(req)
end
app.before { |req| raise "SECRET in a filter" if req.path == "/before" }
app.after { |req, res| raise "SECRET in a filter" if req.path == "/after" }
${ALIVE}app.get("/before") { |req| "x" }
app.get("/after") { |req| "SECRET" }
app.not_found { |req| raise "SECRET in not_found" }
${routes}app.run(0)
`,
  );
  const names = [...Object.keys(FAILURES), 'middleware', 'before', 'after', 'nowhere'].filter(
    (name) => name !== 'file',
  );
  for (const name of names) {
    const { status, headers, body } = await ask(port, `/${name}`);
    t.same([status, body.toString()], [500, 'Internal Server Error'], name);
    t.notMatch(
      headers
        .filter(([field]) => field !== 'Date')
        .map((field) => field.join(': '))
        .join('\n'),
      LEAKS,
      name,
    );
  }
  t.notMatch((await ask(port, '/file')).body.toString(), LEAKS, 'a file that is not there');
  await alive(t, port, 'after them');
  const { stderr, exitCode } = await server.stop();
  t.equal(exitCode, 0);
  t.match(
    stderr,
    /GET \/raised failed:\nRuntimeError: SECRET at \/home\/me\/app\.svc\n[^]*app\.svc:\d+/,
    'the log tells all',
  );
  for (const name of names) t.match(stderr, `GET /${name} failed:`);
});
