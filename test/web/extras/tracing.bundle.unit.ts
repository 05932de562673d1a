import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import { Svcc } from '../../svcc/svcc.js';
import { jsonLines } from '../support/jsonlines.js';
import { get, serve } from '../support/serve.js';
import { attack } from '../threats/attack.js';
import { Collector } from './collector.js';

async function collector(test: Test): Promise<Collector> {
  const started = await Collector.start();
  test.teardown(() => started.stop());
  return started;
}

function program(url: string, more: string, options = ''): string {
  return `app = web_app()
app.tracing(exporter: "otlp", url: "${url}", service: "notes"${options})
${more}
app.run(0)
`;
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

function request(port: number, path: string, fields: string): Promise<unknown> {
  return attack(port, `GET ${path} HTTP/1.1\r\nHost: notes.example\r\nConnection: close\r\n${fields}\r\n`);
}

t.test('a request continues the trace of its client, with what it causes below it', async (t) => {
  const to = await collector(t);
  const { server, port } = await serve(
    t,
    program(
      to.url,
      `db = database("sqlite::memory:")
db.exec("create table notes (id integer primary key, title text)")
app.get("/notes/:id") do |req|
  db.query("select title from notes where id = ?", req.params["id"].to_i)
  log.info("found")
  spawn { app.span("render", rows: 3) { log.info("inside") } }.await
  http_get("http://127.0.0.1:#{app.port}/other?token=secret").body
end
app.get("/other") { |req| req.headers["traceparent"] + " " + req.headers["tracestate"] }`,
    ),
  );
  await request(
    port,
    '/notes/7?q=1&token=abc',
    `traceparent: 00-${TRACE}-${PARENT}-01\r\ntracestate: a=1,b=2\r\nUser-Agent: demo\r\n`,
  );
  const top = await to.span('GET /notes/:id');
  t.match(top, { traceId: TRACE, parentSpanId: PARENT, traceState: 'a=1,b=2', kind: 2, status: 0, service: 'notes' });
  t.match(top.attributes, {
    'http.request.method': 'GET',
    'url.path': '/notes/7',
    'url.query': 'q=1&token=[redacted]',
    'http.route': '/notes/:id',
    'http.response.status_code': 200,
    'server.address': 'notes.example',
    'user_agent.original': 'demo',
  });
  const query = await to.span('SELECT');
  t.match(query, { traceId: TRACE, parentSpanId: top.spanId, kind: 3 });
  t.same(query.attributes, {
    'db.system.name': 'sqlite',
    'db.operation.name': 'SELECT',
    'db.query.text': 'select title from notes where id = ?',
  });
  const render = await to.span('render');
  const thread = await to.span('spawn');
  t.match(thread, { traceId: TRACE, parentSpanId: top.spanId, kind: 1, status: 0 });
  t.match(render, { traceId: TRACE, parentSpanId: thread.spanId, kind: 1, attributes: { rows: 3 } });
  const sent = await to.span('GET');
  t.match(sent, { traceId: TRACE, parentSpanId: top.spanId, kind: 3, status: 0 });
  t.match(sent.attributes, { 'url.full': `http://127.0.0.1:${port}/other`, 'http.response.status_code': 200 });
  const other = await to.span('GET /other');
  t.match(other, { traceId: TRACE, parentSpanId: sent.spanId, traceState: 'a=1,b=2' });
  const { stderr } = await server.stop();
  const lines = jsonLines(stderr);
  t.match(lines, [
    { message: 'found', trace_id: TRACE, span_id: top.spanId },
    { message: 'inside', trace_id: TRACE, span_id: render.spanId },
  ]);
  t.notOk(
    to.spans.some(({ name }) => name === 'CREATE'),
    'no spans outside of requests',
  );
});

t.test('threads and jobs', async (t) => {
  const to = await collector(t);
  const { server, port } = await serve(
    t,
    program(
      to.url,
      `db = database("sqlite::memory:")
spawn do
  2.times do |n|
    app.span("job", n:) { db.query("select 1") }
  end
end
gate = channel(1)
large = (1..100_000).to_a
app.get("/later") do |req|
  spawn do
    gate.recv()
    db.query("select 2")
    nil
  end
  spawn { db.query("select 3 + ?", large.length) }.await
  task = spawn { raise "in the thread" }
  begin
    task.await
  rescue e
    gate.send(1)
    e.message
  end
end`,
    ),
  );
  const jobs = await until('the jobs', () => {
    const found = to.spans.filter(({ name }) => name === 'job');
    return found.length === 2 && found;
  });
  t.same(
    jobs.map(({ parentSpanId, attributes }) => [parentSpanId, attributes.n]),
    [
      ['', 0],
      ['', 1],
    ],
    'each a trace of its own',
  );
  t.not(jobs[0].traceId, jobs[1].traceId);
  t.equal((await get(port, '/later')).body, 'in the thread');
  const top = await to.span('GET /later');
  const threads = await until('the threads', () => {
    const found = to.spans.filter(({ name }) => name === 'spawn');
    return found.length === 3 && found;
  });
  for (const { traceId, parentSpanId, attributes } of threads) {
    t.match({ traceId, parentSpanId }, { traceId: top.traceId, parentSpanId: top.spanId });
    t.match(attributes, { 'code.file.path': 'app.svc' });
  }
  t.same(threads.map(({ status }) => status).sort(), [0, 0, 2], 'the error of one');
  const queries = to.spans.filter(({ name }) => name === 'SELECT');
  const ids = (spans: readonly { spanId: string }[]): string[] => spans.map(({ spanId }) => spanId);
  const parents = new Set(queries.map(({ parentSpanId }) => parentSpanId));
  t.same([...parents].filter((id) => [...ids(jobs), ...ids(threads)].includes(id)).length, 4, 'a query below each');
  t.equal(queries.length, 4);
  await server.stop();
});

t.test('server spans have host and port apart', async (t) => {
  const to = await collector(t);
  const { server, port } = await serve(t, program(to.url, 'app.get("/:n") { |req| "ok" }'));
  const hosts: [host: string, address?: string, port?: number][] = [
    ['notes.example', 'notes.example'],
    ['notes.example:8080', 'notes.example', 8080],
    ['notes.example:', 'notes.example'],
    ['127.0.0.1:3000', '127.0.0.1', 3000],
    ['[::1]', '::1'],
    ['[2001:db8::7]:443', '2001:db8::7', 443],
    ['a:b:c'],
    ['[::1', undefined],
    ['a b:1'],
    [''],
  ];
  for (const [i, [host]] of hosts.entries())
    await attack(port, `GET /${i} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await until('all spans', () => to.spans.length === hosts.length);
  for (const [i, [host, address, number]] of hosts.entries()) {
    const { attributes } = to.spans.find((span) => span.attributes['url.path'] === `/${i}`)!;
    t.same([attributes['server.address'], attributes['server.port']], [address, number], host);
  }
  await server.stop();
});

/** Runs a program that writes its spans to stderr. Returns the name of each span's parent by its name. */
async function parentsIn(t: Test, text: string): Promise<Record<string, string | null>> {
  const cwd = t.testdir({ 'app.svc': `app = web_app()\napp.tracing(exporter: "console")\n${text}` });
  const { stderr } = await new Svcc(['run', 'app.svc'], { cwd }).finished();
  const spans = jsonLines(stderr) as { span: string; span_id: string; parent_id: string | null }[];
  const names = new Map(spans.map(({ span_id, span }) => [span_id, span]));
  return Object.fromEntries(spans.map(({ span, parent_id }) => [span, names.get(parent_id ?? '') ?? null]));
}

t.test('spans that a sequence opens do not contain those of its reader', async (t) => {
  const program = `
def numbers(name)
  sequence do |out|
    app.span("#{name} before") { 1 }
    app.span(name) do
      out << 1
      app.span("#{name} within") { 1 }
      out << 2
    end
    app.span("#{name} after") { 1 }
    out << 3
  end
end

app.span("reader") do
  numbers("abandoned").lazy.map { |n| n }.take(1).to_a
  app.span("after it") { 1 }
end
app.span("after all") { 1 }

a, b = numbers("a"), numbers("b")
app.span("first") { a.next + b.next }
app.span("second") { a.next + b.next }
spawn { app.span("third") { a.next + b.next } }.await
app.span("last") { 1 }

failing = sequence do |out|
  app.span("failing") do
    out << 1
    raise "in the sequence"
  end
end
app.span("outer") do
  failing.next
  failing.next rescue nil
  app.span("after the error") { 1 }
end

stopped = sequence { |out| app.span("stopped") { loop { out << 1 } } }
app.span("stops") do
  stopped.next
  app.span("between") { 1 }
  stopped.close
  app.span("after its end") { 1 }
end

root = sequence { |out| app.span("root") { out << 1 } }
root.next
app.span("not below root") { 1 }
`;
  const parents = await parentsIn(t, program);
  t.match(parents, {
    'after it': 'reader',
    'after all': null,
    a: 'first',
    b: 'first',
    'a before': 'first',
    'a within': 'a',
    'b within': 'b',
    first: null,
    second: null,
    third: null,
    last: null,
    failing: 'outer',
    'after the error': 'outer',
    stopped: 'stops',
    between: 'stops',
    'after its end': 'stops',
    'not below root': null,
  });
  t.ok(['first', 'third'].includes(String(parents['a after'])), 'opened in one thread, closed in another one');
});

t.test('attributes of spans hold no secrets', async (t) => {
  const cwd = t.testdir({
    'app.svc': `app = web_app()
app.tracing(exporter: "console")
log.redact("diagnosis")
app.span("x", password: "p1", user: {"name" => "ann", "api_key" => "p2"}, diagnosis: "flu", tokens: 3, none: nil) { nil }
app.span("y", n: 1.5, t: true, text: "a\nb", list: [1, "c"], large: 10 ** 30, long: "x" * 5000) { nil }
`,
  });
  const { stderr } = await new Svcc(['run', 'app.svc'], { cwd }).finished();
  const [x, y] = jsonLines(stderr) as { attributes: Record<string, unknown> }[];
  t.same(x.attributes, {
    password: '[redacted]',
    user: '{"name":"ann","api_key":"[redacted]"}',
    diagnosis: '[redacted]',
    tokens: 3,
  });
  t.same(Object.entries(y.attributes).slice(0, 5), [
    ['n', 1.5],
    ['t', true],
    ['text', 'a\nb'],
    ['list', '[1,"c"]'],
    ['large', `1${'0'.repeat(30)}`],
  ]);
  t.equal(String(y.attributes.long).length, 2048);
});

t.test('spans have the scheme that a trusted proxy reports', async (t) => {
  const to = await collector(t);
  const { server, port } = await serve(
    t,
    program(to.url, 'app.set("trust_proxy", true)\napp.get("/:n") { |req| req.scheme }'),
  );
  await request(port, '/1', 'X-Forwarded-Proto: https\r\n');
  await request(port, '/2', '');
  await until('both spans', () => to.spans.length === 2);
  await server.stop();
  t.same(
    to.spans.map((span) => [span.attributes['url.path'], span.attributes['url.scheme']]),
    [
      ['/1', 'https'],
      ['/2', 'http'],
    ],
  );
});

t.test('malformed trace fields are ignored', async (t) => {
  const to = await collector(t);
  const { server, port } = await serve(t, program(to.url, 'app.get("/:n") { |req| "ok" }'));
  const bad = [
    'traceparent: nonsense',
    `traceparent: 00-${'0'.repeat(32)}-${PARENT}-01`,
    `traceparent: 00-${TRACE}-${'0'.repeat(16)}-01`,
    `traceparent: ff-${TRACE}-${PARENT}-01`,
    `traceparent: 00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `traceparent: 00-${TRACE}-${PARENT}-01-more`,
    `traceparent: 00-${TRACE}-${PARENT}-01\r\ntraceparent: 00-${TRACE}-${PARENT}-01`,
    'tracestate: a=1',
    `traceparent: ${'0'.repeat(4000)}`,
  ];
  for (const [i, fields] of bad.entries()) await request(port, `/${i}`, `${fields}\r\n`);
  await request(port, '/good', `traceparent: 00-${TRACE}-${PARENT}-01\r\ntracestate: =,, bad\r\n`);
  await until('all spans', () => to.spans.length === bad.length + 1);
  await server.stop();
  for (const span of to.spans.slice(0, bad.length)) {
    t.not(span.traceId, TRACE, String(span.attributes['url.path']));
    t.equal(span.parentSpanId, '');
  }
  t.equal(to.spans[bad.length].traceId, TRACE, 'a malformed tracestate alone');
});

t.test('errors, refusals and WebSockets', async (t) => {
  const to = await collector(t);
  const { server, port } = await serve(
    t,
    program(
      to.url,
      `app.get("/broken") { |req| raise ValueError, "bad input" }
app.get("/elsewhere") { |req| http_get("http://127.0.0.1:9/") }
app.websocket("/ws/:n") { |ws| app.span("in the socket") { ws.close(1000) } }`,
    ),
  );
  await get(port, '/broken');
  await get(port, '/nothing');
  await get(port, '/elsewhere');
  await attack(
    port,
    'GET /ws/1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    { fin: true },
  );
  const broken = await to.span('GET /broken');
  t.equal(broken.status, 2);
  t.match(broken.events, [
    { name: 'exception', attributes: { 'exception.type': 'ValueError', 'exception.message': 'bad input' } },
  ]);
  t.match(broken.events[0].attributes['exception.stacktrace'], /app\.svc:3 in block/);
  const missing = await until(
    'the 404',
    () => to.spans.find(({ attributes }) => attributes['url.path'] === '/nothing') ?? null,
  );
  t.match(missing, { name: 'GET', status: 0, attributes: { 'http.response.status_code': 404 } });
  const failed = await until('the failed request', () => to.spans.find(({ kind }) => kind === 3) ?? null);
  t.equal(failed.status, 2);
  const socket = await to.span('GET /ws/:n');
  t.equal(socket.attributes['http.response.status_code'], 101);
  t.equal((await to.span('in the socket')).parentSpanId, socket.spanId);
  await server.stop();
});

t.test('ws_connect continues the trace', async (t) => {
  const to = await collector(t);
  const { server, port } = await serve(
    t,
    program(
      to.url,
      `app.websocket("/ws") { |ws| ws.send(ws.headers["traceparent"]) }
app.get("/a") do |req|
  ws = ws_connect("ws://127.0.0.1:#{app.port}/ws?token=t")
  ws.recv()
end
app.get("/own") { |req| ws_connect("ws://127.0.0.1:#{app.port}/ws", headers: {"TraceParent": "own"}).recv() }
app.get("/refused") { |req| ws_connect("ws://127.0.0.1:#{app.port}/nothing") }
app.get("/down") { |req| ws_connect("ws://127.0.0.1:9/") }
app.get("/late") { |req| timeout(0.05) { ws_connect("ws://192.0.2.1:9/") } }`,
    ),
  );
  const told = (await get(port, '/a')).body;
  const top = await to.span('GET /a');
  const sent = await to.span('GET');
  t.match(sent, { traceId: top.traceId, parentSpanId: top.spanId, kind: 3, status: 0 });
  t.same(sent.attributes, {
    'http.request.method': 'GET',
    'server.address': '127.0.0.1',
    'server.port': port,
    'url.full': `ws://127.0.0.1:${port}/ws`,
    'http.response.status_code': 101,
  });
  t.match(await to.span('GET /ws'), { traceId: top.traceId, parentSpanId: sent.spanId });
  t.equal(told, `00-${top.traceId}-${sent.spanId}-01`);
  t.equal((await get(port, '/own')).body, 'own');
  for (const path of ['/refused', '/down', '/late']) {
    await get(port, path);
    const above = await to.span(`GET ${path}`);
    const failed = await until('the span', () => to.spans.find(({ parentSpanId }) => parentSpanId === above.spanId));
    t.match(failed, { kind: 3, status: 2 }, path);
  }
  await server.stop();
});

t.test('a collector that is down costs spans, not requests; what waits is sent at the end', async (t) => {
  const to = await collector(t);
  to.status = 400;
  const { server, port } = await serve(t, program(to.url, 'app.metrics()\napp.get("/a") { |req| "ok" }'));
  for (let i = 0; i < 3; i++) t.equal((await get(port, '/a')).status, 200);
  await until('a loss', async () => /^svc_trace_spans_dropped_total [1-9]/m.test((await get(port, '/metrics')).body));
  to.status = 200;
  await get(port, '/a?last');
  const { stderr } = await server.stop();
  t.equal(stderr.split('warning: spans of tracing are lost').length, 2, stderr);
  t.ok(to.spans.some(({ attributes }) => attributes['url.query'] === 'last'));
});

t.test('spans that the end of the program leaves are counted, and a refused connection is named', async (t) => {
  const cwd = t.testdir({
    'url.svc':
      'app = web_app()\napp.tracing(url: "http://user:secret@127.0.0.1:9/v1/traces")\n2.times { app.span("a") { nil } }\n',
    'default.svc': 'app = web_app()\napp.tracing()\napp.span("a") { nil }\nsleep(15)\n',
    'sent.svc': 'app = web_app()\napp.tracing()\napp.span("a") { nil }\n',
  });
  const run = (name: string, url: string): Promise<{ stderr: string; exitCode: number | null }> =>
    new Svcc(['run', name], { cwd, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } }).finished();
  const to = await collector(t);
  const [url, byDefault, sent] = await Promise.all([
    run('url.svc', ''),
    run('default.svc', 'http://localhost:9'),
    run('sent.svc', to.url.replace('/v1/traces', '')),
  ]);
  const after = '; svc_trace_spans_dropped_total counts them\n';
  t.match(url, {
    exitCode: 0,
    stderr: `warning: spans of tracing are lost: http://user@127.0.0.1:9/v1/traces: 2 spans were not sent before the program ended${after}`,
  });
  t.match(
    byDefault.stderr,
    /^warning: spans of tracing are lost: http:\/\/localhost:9\/v1\/traces: connect ECONNREFUSED .*:9; /,
  );
  t.match(sent, { exitCode: 0, stderr: '' });
});

t.test('spans that are not sampled are not sent, and their trace goes on', async (t) => {
  const to = await collector(t);
  const { server, port } = await serve(
    t,
    program(
      to.url,
      `app.get("/a") { |req| http_get("http://127.0.0.1:#{app.port}/b").body }
app.get("/b") { |req| req.headers["traceparent"] }`,
      ', sample: 0.0',
    ),
  );
  t.match((await get(port, '/a')).body, /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  await request(port, '/a', `traceparent: 00-${TRACE}-${PARENT}-01\r\n`);
  await to.span('GET /a');
  await server.stop();
  t.ok(
    to.spans.every(({ traceId }) => traceId === TRACE),
    'only the sampled trace',
  );
  t.equal(to.spans.length, 3);
});

t.test('the console exporter, headers of the collector, and bad options', async (t) => {
  const to = await collector(t);
  const folder = t.testdir({
    'console.svc': 'app = web_app()\napp.tracing(exporter: "console")\nputs app.span("work", n: 1) { 42 }\n',
    'headers.svc': `app = web_app()\napp.tracing(url: "${to.url}", headers: {"x-key" => "k"})\napp.span("work") { nil }\n`,
    'bad.svc': `app = web_app()
def told(block)
  block()
rescue => e
  puts "#{e.type}: #{e.message}"
end
told { app.tracing(exporter: "zipkin") }
told { app.tracing(url: "ftp://a") }
told { app.tracing(sample: 2) }
told { app.tracing(headers: {"a\\nb" => "c"}) }
app.tracing(exporter: "console")
told { app.tracing() }
told { app.span("fails") { raise "inside" } }
`,
  });
  const run = (name: string): Promise<{ stdout: string; stderr: string }> =>
    new Svcc(['run', name], { cwd: folder }).finished();
  const { stdout, stderr } = await run('console.svc');
  t.equal(stdout, '42\n');
  t.match(JSON.parse(stderr), { span: 'work', kind: 'internal', parent_id: null, attributes: { n: 1 } });
  await run('headers.svc');
  t.equal(to.spans[0].name, 'work');
  t.equal(to.spans[0].service, 'svc');
  t.match(to.requests[0], { path: '/v1/traces', headers: { 'x-key': 'k', 'content-type': 'application/json' } });
  const bad = await run('bad.svc');
  t.equal(
    bad.stdout,
    `ValueError: app.tracing(): exporter must be otlp or console, got "zipkin"
ValueError: app.tracing(): url must begin with http:// or https://, got "ftp://a"
ValueError: app.tracing(): sample must be from 0 to 1, got 2
ValueError: "a\\nb" is not a valid header name
RuntimeError: app.tracing() was called before
RuntimeError: inside
`,
  );
});
