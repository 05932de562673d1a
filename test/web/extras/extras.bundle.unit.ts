import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import type { Svcc } from '../../svcc/svcc.js';
import { type ActualResponse, Connection } from '../support/connection.js';
import { jsonLines } from '../support/jsonlines.js';
import { serve } from '../support/serve.js';
import { Client, header } from '../static/site.js';

t.jobs = 4;

/** Starts an application; `source` registers its routes. */
async function start(test: Test, source: string): Promise<{ client: Client; server: Svcc; port: number }> {
  const { server, port } = await serve(test, `app = web_app()\n${source}\napp.run(0)\n`);
  const client = new Client(port);
  test.teardown(() => client.close());
  return { client, server, port };
}

/** All values of a header field. */
function all(response: ActualResponse, name: string): string[] {
  return response.headers.filter(([known]) => known.toLowerCase() === name).map(([, value]) => value);
}

async function stopped(test: Test, { client, server }: { client: Client; server: Svcc }): Promise<void> {
  client.close();
  const { stderr, exitCode } = await server.stop();
  test.same([stderr, exitCode], ['', 0]);
}

t.test('app.health', async (t) => {
  const site = await start(
    t,
    'app.health\napp.health("/up")\napp.before { |req| halt(401, "no") if req.path == "/up" && req.query["key"] != "k" }',
  );
  for (const path of ['/healthz', '/up?key=k']) {
    const response = await site.client.get(path);
    t.same(
      [response.status, response.body.toString(), header(response, 'content-type')],
      [200, 'ok', 'text/plain; charset=utf-8'],
      path,
    );
    t.equal((await site.client.request('HEAD', path)).status, 200);
  }
  t.equal((await site.client.get('/up')).status, 401, 'filters guard it as they guard routes');
  await stopped(t, site);
});

t.test('app.port is the port while the server listens, else nil', async (t) => {
  const { server, port } = await serve(
    t,
    'app = web_app()\np app.port\nspawn { sleep(0.01) until app.port\np app.port }\napp.run(0)\np app.port\n',
  );
  const [, seen] = await server.printed(/^\(Integer\) (\d+)$/m);
  t.equal(Number(seen), port);
  const { stdout } = await server.stop();
  t.match(stdout, /^\(Nil\) nil\n[\s\S]*\n\(Nil\) nil\n$/);
});

t.test('a warning if a page of the library has the path of a route', async (t) => {
  const site = await start(t, 'app.get("/up") { "mine" }\napp.health("/up")');
  t.equal((await site.client.get('/up')).body.toString(), 'mine');
  site.client.close();
  const { stderr, exitCode } = await site.server.stop();
  t.match(stderr, /^warning: .*app\.svc:3: GET \/up is already registered at .*app\.svc:2; the first one is used\n$/);
  t.equal(exitCode, 0);
});

t.test('app.metrics', async (t) => {
  const site = await start(
    t,
    'app.metrics\napp.get("/notes/:id") { |req| "x" }\napp.get("/odd\\"\\\\path") { |req| "x" }\napp.get("/raise") { |req| raise "x" }',
  );
  const { client } = site;
  for (const path of ['/notes/1', '/notes/2', '/nowhere/1', '/nowhere/2', '/odd%22%5Cpath', '/raise'])
    await client.get(path);
  await client.request('HEAD', '/notes/3');
  const response = await client.get('/metrics');
  t.equal(header(response, 'content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const lines = response.body.toString().split('\n');
  t.equal(lines.pop(), '', 'it ends with a line');
  for (const line of lines)
    t.match(
      line,
      /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="([^"\\]|\\["\\n])*",?)+\})? -?[\d.e+-]+)$/,
      'the text format',
    );
  const value = (name: string): number =>
    Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1));
  t.equal(value('svc_requests_total{method="GET",route="/notes/:id",status="200"}'), 2, 'by pattern, not by path');
  t.equal(value('svc_requests_total{method="HEAD",route="/notes/:id",status="200"}'), 1);
  t.equal(
    value('svc_requests_total{method="GET",route="",status="404"}'),
    2,
    'unknown paths make no series of their own',
  );
  t.equal(value('svc_requests_total{method="GET",route="/raise",status="500"}'), 1);
  t.ok(
    lines.some((line) => line.startsWith('svc_requests_total{') && line.includes('route="/odd') && line.endsWith(' 1')),
    'a pattern with quotes',
  );
  const buckets = lines
    .filter((line) => line.startsWith('svc_request_duration_seconds_bucket{route="/notes/:id",'))
    .map((line) => Number(line.split(' ')[1]));
  t.same(
    buckets,
    [...buckets].sort((a, b) => a - b),
    'buckets hold what those before them hold',
  );
  t.equal(buckets.at(-1), 3);
  t.equal(value('svc_request_duration_seconds_count{route="/notes/:id"}'), 3);
  t.ok(value('svc_request_duration_seconds_sum{route="/notes/:id"}') > 0);
  t.ok(
    value('svc_threads{state="running"}') +
      value('svc_threads{state="ready"}') +
      value('svc_threads{state="waiting"}') >=
      1,
  );
  for (const name of [
    'svc_threads_started_total',
    'svc_slices_total',
    'process_resident_memory_bytes',
    'svc_heap_bytes',
  ])
    t.ok(value(name) > 0, name);
  t.ok(value('svc_event_loop_delay_seconds{quantile="0.99"}') >= 0);
  site.client.close();
  t.equal((await site.server.stop()).exitCode, 0);
});

const CORS_ROUTES =
  'SAME = response("same", 200, {"Vary": "Cookie"})\napp.get("/") { |req| "x" }\napp.get("/same") { |req| SAME }\napp.get("/raise") { |req| raise "x" }';

/** The CORS fields of a response. */
function corsOf(response: ActualResponse): Record<string, string> {
  return Object.fromEntries(
    response.headers
      .filter(([name]) => /^access-control-/i.test(name))
      .map(([name, value]) => [name.toLowerCase().slice('access-control-'.length), value]),
  );
}

t.test('app.cors for every origin', async (t) => {
  const site = await start(t, `app.cors\n${CORS_ROUTES}`);
  const { client } = site;
  t.same(corsOf(await client.get('/', { Origin: 'https://a.example' })), { 'allow-origin': '*' });
  t.same(corsOf(await client.get('/')), {}, 'not for others');
  t.same(
    corsOf(await client.get('/nowhere', { Origin: 'https://a.example' })),
    { 'allow-origin': '*' },
    'a 404 is readable',
  );
  const preflight = await client.request('OPTIONS', '/', {
    Origin: 'https://a.example',
    'Access-Control-Request-Method': 'PUT',
    'Access-Control-Request-Headers': 'x-one, x-two',
  });
  t.same([preflight.status, preflight.body.length], [204, 0]);
  t.same(corsOf(preflight), {
    'allow-origin': '*',
    'allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'allow-headers': 'x-one, x-two',
  });
  const plain = await client.request('OPTIONS', '/');
  t.same(
    [plain.status, header(plain, 'allow')],
    [204, 'GET, HEAD, OPTIONS'],
    'OPTIONS without the header is no preflight',
  );
  await stopped(t, site);
});

t.test('app.cors for some origins, with credentials', async (t) => {
  const site = await start(
    t,
    `app.cors(origins: ["https://a.example", "https://b.example"], methods: ["GET", "PUT"], headers: ["X-One"], credentials: true, max_age: 600)\n${CORS_ROUTES}`,
  );
  const { client } = site;
  const preflight = { 'Access-Control-Request-Method': 'PUT' };
  for (const origin of ['https://a.example', 'https://b.example']) {
    t.same(corsOf(await client.get('/', { Origin: origin })), { 'allow-origin': origin, 'allow-credentials': 'true' });
    t.same(corsOf(await client.request('OPTIONS', '/', { Origin: origin, ...preflight })), {
      'allow-origin': origin,
      'allow-credentials': 'true',
      'allow-methods': 'GET, PUT',
      'allow-headers': 'X-One',
      'max-age': '600',
    });
  }
  for (const origin of [
    'https://c.example',
    'https://a.example.evil',
    'http://a.example',
    'https://A.example',
    'null',
    '*',
    'https://a.example, https://b.example',
  ]) {
    t.same(corsOf(await client.get('/', { Origin: origin })), {}, origin);
    t.same(
      corsOf(await client.request('OPTIONS', '/', { Origin: origin, ...preflight })),
      {},
      `preflight of ${origin}`,
    );
  }
  t.same(
    corsOf(await client.get('/raise', { Origin: 'https://a.example' })),
    { 'allow-origin': 'https://a.example', 'allow-credentials': 'true' },
    'an error is readable',
  );
  t.same(all(await client.get('/'), 'vary'), ['Origin'], 'caches must know, even without an origin');
  for (let i = 0; i < 3; i++)
    t.same(
      all(await client.get('/same'), 'vary'),
      ['Cookie', 'Origin'],
      'a response that is given again gains nothing',
    );
  client.close();
  t.equal((await site.server.stop()).exitCode, 0);
});

t.test('app.cors refuses credentials for every origin', async (t) => {
  const { stderr, exitCode } = await serve(t, 'app = web_app()\napp.cors(credentials: true)\napp.run(0)\n').then(
    ({ server }) => server.stop(),
    (error: Error) => ({ stderr: error.message, exitCode: 1 }),
  );
  t.match(stderr, /ArgumentError: app\.cors\(\) with credentials needs a list of origins/);
  t.equal(exitCode, 1);
});

const TEXT = 'a line of text\n'.repeat(200);
const COMPRESSED = `app.compress(min: 100)
TEXT = "a line of text\\n" * 200
SAME = response(TEXT)
app.get("/text") { |req| response(TEXT, 200, {"ETag": "\\"strong\\"", "X-Own": "kept"}) }
app.get("/weak") { |req| response(TEXT, 200, {"ETag": "W/\\"weak\\""}) }
app.get("/same") { |req| SAME }
app.get("/json") { |req| {text: TEXT} }
app.get("/small") { |req| "a" * 99 }
app.get("/enough") { |req| "é" * 50 }
app.get("/image") { |req| response(TEXT, 200, {"Content-Type": "image/png"}) }
app.get("/encoded") { |req| response(TEXT, 200, {"Content-Encoding": "zstd"}) }
app.get("/fixed") { |req| response(TEXT, 200, {"Cache-Control": "private, no-transform"}) }
app.get("/204") { |req| response(TEXT, 204) }
app.get("/304") { |req| response(TEXT, 304) }
app.get("/404") { |req| response(TEXT, 404) }
app.get("/stream") do |req|
  stream_response("text/plain") do |out|
    out.write("first " * 100)
    sleep(60)
  end
end`;

/** Decodes a body by its Content-Encoding. */
function decoded(response: ActualResponse): string {
  const decode = { br: brotliDecompressSync, gzip: gunzipSync }[header(response, 'content-encoding') ?? ''];
  return (decode?.(response.body) ?? response.body).toString();
}

t.test('app.compress chooses by Accept-Encoding', async (t) => {
  const site = await start(t, COMPRESSED);
  // prettier-ignore
  const choices: [accepted: string | null, chosen: string | undefined][] = [
    [null, undefined], ['', undefined], ['br', 'br'], ['gzip', 'gzip'], ['gzip, deflate, br, zstd', 'br'], ['GZIP', 'gzip'], ['*', 'br'], ['deflate', undefined], ['identity', undefined],
    ['br;q=0.5, gzip;q=0.8', 'gzip'], ['br;q=0, gzip', 'gzip'], ['br;q=0, *', 'gzip'], ['gzip;q=0', undefined], ['*;q=0', undefined], ['identity;q=1, gzip;q=0.5', undefined], ['gzip;q=0.001', 'gzip'],
  ];
  for (const [accepted, chosen] of choices) {
    const response = await site.client.get('/text', accepted === null ? {} : { 'Accept-Encoding': accepted });
    t.equal(header(response, 'content-encoding'), chosen, `${accepted} selects ${chosen}`);
    t.equal(decoded(response), TEXT);
    t.equal(Number(header(response, 'content-length')), response.body.length);
    t.same([all(response, 'vary'), header(response, 'x-own')], [['Accept-Encoding'], 'kept']);
    t.equal(
      header(response, 'etag'),
      chosen === undefined ? '"strong"' : 'W/"strong"',
      'a strong tag is for the plain bytes',
    );
    if (chosen !== undefined) t.ok(response.body.length < TEXT.length / 10, 'it is smaller');
  }
  await stopped(t, site);
});

t.test('app.compress skips responses that become no smaller or must not change', async (t) => {
  const site = await start(t, COMPRESSED);
  const { client } = site;
  const ask = (path: string): Promise<ActualResponse> => client.get(path, { 'Accept-Encoding': 'br' });
  for (const path of ['/small', '/image', '/fixed', '/204', '/304'])
    t.equal(header(await ask(path), 'content-encoding'), undefined, path);
  t.equal((await ask('/fixed')).body.toString(), TEXT);
  t.same(all(await ask('/encoded'), 'content-encoding'), ['zstd'], 'encoded already');
  t.equal((await ask('/204')).headers.filter(([name]) => /^(content-length|transfer-encoding)$/i.test(name)).length, 0);
  for (const path of ['/json', '/404', '/enough']) t.equal(header(await ask(path), 'content-encoding'), 'br', path);
  t.same(JSON.parse(decoded(await ask('/json'))), { text: TEXT });
  t.equal(header(await ask('/weak'), 'etag'), 'W/"weak"');
  for (let i = 0; i < 3; i++)
    t.same(all(await ask('/same'), 'vary'), ['Accept-Encoding'], 'a response that is given again gains nothing');
  const head = await client.request('HEAD', '/text', { 'Accept-Encoding': 'br' });
  const get = await ask('/text');
  t.same(
    [head.body.length, header(head, 'content-encoding'), header(head, 'content-length')],
    [0, 'br', header(get, 'content-length')],
    'HEAD says what GET would',
  );
  await stopped(t, site);
});

t.test('app.compress does not delay streams', async (t) => {
  const { port } = await start(t, COMPRESSED);
  const connection = await Connection.open(port);
  t.teardown(() => connection.socket.destroy());
  connection.send('GET /stream HTTP/1.1\r\nHost: svc.test\r\nAccept-Encoding: br, gzip\r\n\r\n');
  await until('the first part', () => connection.unread.includes('first first'));
  t.notMatch(connection.unread.toString('latin1'), /content-encoding/i);
});

t.test('app.openapi', async (t) => {
  const site = await start(
    t,
    `app.openapi("/api.json", title: "Notes \\"1\\"", version: "2.0")
## Lists notes.
##
## All of them.
app.get("/notes") { |req| [] }
app.post("/notes") { |req| {} }

## By name.
def remove(req)
  nil
end
app.delete("/notes/:id/tags/:tag", remove)
app.get("/files/:name.json") { |req| 1 }
app.get("/rest/*path") { |req| 1 }`,
  );
  const response = await site.client.get('/api.json');
  t.equal(header(response, 'content-type'), 'application/json; charset=utf-8');
  const document = JSON.parse(response.body.toString()) as { paths: Record<string, Record<string, unknown>> };
  const responses = { default: { description: 'The response' } };
  const parameter = (name: string): object => ({ name, in: 'path', required: true, schema: { type: 'string' } });
  t.strictSame(document, {
    openapi: '3.1.0',
    info: { title: 'Notes "1"', version: '2.0' },
    paths: {
      '/notes': {
        get: { operationId: 'get_notes', responses, summary: 'Lists notes.', description: 'All of them.' },
        post: {
          operationId: 'post_notes',
          responses,
          requestBody: { content: { 'application/json': { schema: {} } } },
        },
      },
      '/notes/{id}/tags/{tag}': {
        delete: {
          operationId: 'delete_notes_id_tags_tag',
          responses,
          summary: 'By name.',
          parameters: [parameter('id'), parameter('tag')],
        },
      },
      '/files/{name}.json': { get: { operationId: 'get_files_name_json', responses, parameters: [parameter('name')] } },
      '/rest/{path}': { get: { operationId: 'get_rest_path', responses, parameters: [parameter('path')] } },
    },
  });
  await stopped(t, site);
});

t.test('requests without a route are in the access log and in the metrics', async (t) => {
  const { client, server } = await start(
    t,
    'app.set("body_bytes", 10)\napp.log(:access)\napp.metrics()\napp.post("/") { |req| "hello" }',
  );
  t.equal((await client.request('POST', '/', { 'Content-Length': '11' })).status, 413);
  t.equal((await client.get('/%zz')).status, 400);
  const metrics = (await client.get('/metrics')).body.toString();
  t.match(metrics, 'svc_requests_total{method="POST",route="",status="413"} 1');
  t.match(metrics, 'svc_requests_total{method="GET",route="",status="400"} 1');
  client.close();
  const { stdout } = await server.stop();
  const lines = jsonLines(stdout);
  t.match(lines, [
    { method: 'POST', path: '/', route: null, status: 413, bytes: 17 },
    { method: 'GET', path: '/%zz', route: null, status: 400, bytes: 11 },
    { path: '/metrics', status: 200 },
  ]);
});

t.test('app.log writes a JSON line for each request', async (t) => {
  const { client, server, port } = await start(
    t,
    'app.log(:access)\napp.get("/notes/:id") { |req| "hello" }\napp.get("/slow") do |req|\n  puts "waits"\n  sleep(60)\nend',
  );
  await client.get('/notes/1?secret=1', { 'X-Request-Id': 'given-1' });
  await client.get('/nowhere');
  // Printable ASCII only: Node's parser refuses all other bytes in a path.
  const hostile = '/a"b\\c%0A%1b[31m","status":200}{"x":"\\u000a';
  await client.get(hostile, { 'User-Agent': 'x"} \x9b \x85 {"forged":1', 'X-Request-Id': '"}{"forged' });
  const gone = await Connection.open(port);
  gone.send('GET /slow HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  await server.printed(/waits\n/);
  gone.socket.destroy();
  await until('the line of the one that went away', () => server.stdout.includes('"status":499'));
  client.close();
  const { stdout } = await server.stop();
  const written = stdout.split('\n').filter((line) => line.startsWith('{'));
  const lines = jsonLines(stdout);
  t.equal(lines.length, 4, 'one for each', { stdout });
  for (const line of lines) {
    t.same(Object.keys(line), [
      'time',
      'id',
      'ip',
      'method',
      'path',
      'query',
      'route',
      'status',
      'bytes',
      'ms',
      'agent',
    ]);
    t.match(line, { time: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, ip: /127\.0\.0\.1$/, method: 'GET', ms: Number });
  }
  t.match(lines[0], { id: 'given-1', path: '/notes/1', route: '/notes/:id', status: 200, bytes: 5 });
  t.match(lines[1], { path: '/nowhere', route: null, status: 404 });
  t.match(lines[2], { status: 404, id: /^[\w-]+$/ });
  t.equal(lines[2].path, hostile, 'what was sent, when read again');
  t.notMatch(written.join(''), /[^\x20-\x7e]/, 'nothing but printable characters');
  t.match(lines[3], { path: '/slow', route: '/slow', status: 499, bytes: 0 });
});
