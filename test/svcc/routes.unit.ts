import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import t from 'tap';
import { FAST_CLOCK } from './fastclock.js';
import { assertNotCompiled, assertRefused } from './refusals.js';
import { svcc } from './svcc.js';

t.jobs = 4;

const PROGRAM = `require "lib/admin"
app = web_app()
app.use { |req, next_fn| next_fn.(req) }
app.use { |req, next_fn| next_fn.(req) }
app.get("/") { |req| "hello" }
app.post("/notes/:id/tags") do |req|
  "tagged"
end
def handler(req)
  "by name"
end
app.delete("/files/*rest", handler)
app.put_async("/f/:name.json") { |req| "x" }
add_admin(app)
app.run(PORT)
puts "served"
`;
const ADMIN = 'def add_admin(app)\n\n  app.patch("/admin") { |req| "admin" }\nend\n';

t.test('the routes of a program as a table', async (t) => {
  const cwd = t.testdir({ 'app.svc': PROGRAM.replace('PORT', '0'), lib: { 'admin.svc': ADMIN } });
  const { stdout, stderr, exitCode } = await svcc(['routes', 'app.svc'], { cwd });
  t.equal(stderr, '');
  t.equal(exitCode, 0);
  const rows = stdout.split('\n');
  t.equal(rows.pop(), '', 'the last line is complete');
  // prettier-ignore
  t.same(rows.map((row) => row.split(/ {2,}/)), [
    ['METHOD', 'PATTERN', 'PLACE', 'MIDDLEWARE'],
    ['GET', '/', 'app.svc:5', '2'],
    ['POST', '/notes/:id/tags', 'app.svc:6', '2'],
    ['DELETE', '/files/*rest', 'app.svc:12', '2'],
    ['PUT', '/f/:name.json', 'app.svc:13', '2'],
    ['PATCH', '/admin', 'lib/admin.svc:3', '2'],
  ]);
  for (const title of ['PATTERN', 'PLACE', 'MIDDLEWARE']) {
    const column = rows[0].indexOf(title);
    t.ok(
      rows.every((row) => row[column] !== ' ' && row.slice(column - 2, column) === '  '),
      `the column ${title} is aligned`,
      { stdout },
    );
  }
});

t.test(
  'routes of groups and mounted applications have whole paths, and count the layers of their levels',
  async (t) => {
    const program = `blog = web_app()
blog.use { |req, next_fn| next_fn.(req) }
blog.get("/posts/:id") { |req| "post" }
blog.websocket("/live") { |ws| nil }
blog.health
app = web_app()
app.group("/admin", use: ->(req, next_fn) { next_fn.(req) }) do |g|
  g.get("/", use: ->(req, next_fn) { next_fn.(req) }) { |req| "start" }
  g.mount("/blog", blog)
  g.static("/files", ".")
end
app.run(0)
`;
    const cwd = t.testdir({ 'app.svc': program });
    const { stdout, stderr, exitCode } = await svcc(['routes', 'app.svc'], { cwd });
    t.equal(stderr, '');
    t.equal(exitCode, 0);
    t.strictSame(
      stdout
        .trimEnd()
        .split('\n')
        .map((row) => row.split(/ {2,}/)),
      [
        ['METHOD', 'PATTERN', 'PLACE', 'MIDDLEWARE'],
        ['GET', '/admin', 'app.svc:8', '2'],
        ['GET', '/admin/blog/posts/:id', 'app.svc:3', '2'],
        ['GET', '/admin/blog/healthz', 'app.svc:5', '2'],
        ['WEBSOCKET', '/admin/blog/live', 'app.svc:4', '2'],
        ['STATIC', '/admin/files/*', 'app.svc:10', '1'],
      ],
    );
  },
);

t.test('nothing is served, and nothing runs after app.run', async (t) => {
  const taken = createServer();
  await new Promise<void>((listening) => taken.listen(0, '0.0.0.0', listening));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  const cwd = t.testdir({ 'app.svc': PROGRAM.replace('PORT', String(port)), lib: { 'admin.svc': ADMIN } });
  const { stdout, stderr, exitCode } = await svcc(['routes', 'app.svc'], { cwd });
  t.same([stderr, exitCode], ['', 0], 'a port in use does not matter');
  t.notMatch(stdout, 'served');
});

const SERVES_ALL = `app = web_app()
app.use { |req, next_fn| next_fn.(req) }
app.get("/x") { 1 }
app.health("/up")
app.metrics()
app.openapi()
app.static("/s", ".")
app.static(".")
app.websocket("/w") { |socket| nil }
spawn { loop { sleep(0.01) } }
spawn { sleep(1000) }
begin
  app.run(0)
ensure
  puts "ensure"
end
puts "after"
`;

t.test('all routes are listed while other threads run; ensure does not run', async (t) => {
  const cwd = t.testdir({ 'app.svc': SERVES_ALL });
  const { stdout, stderr, exitCode } = await svcc(['routes', 'app.svc'], { cwd });
  t.same([stderr, exitCode], ['', 0]);
  // prettier-ignore
  t.same(stdout.trimEnd().split('\n').slice(1).map((row) => row.split(/ {2,}/)), [
    ['GET', '/x', 'app.svc:3', '1'], ['GET', '/up', 'app.svc:4', '1'], ['GET', '/metrics', 'app.svc:5', '1'], ['GET', '/openapi.json', 'app.svc:6', '1'],
    ['WEBSOCKET', '/w', 'app.svc:9', '1'], ['STATIC', '/s/*', 'app.svc:7', '1'], ['STATIC', '/*', 'app.svc:8', '1'],
  ]);
});

t.test('several applications', async (t) => {
  const cwd = t.testdir({
    'app.svc': 'admin = web_app()\nadmin.health()\nspawn { admin.run(9001, host: "127.0.0.1") }\nweb_app().run(9002)\n',
  });
  const { stdout, exitCode } = await svcc(['routes', 'app.svc'], { cwd });
  t.equal(exitCode, 0);
  t.match(stdout, /^0\.0\.0\.0:9002\nMETHOD .*\n\n127\.0\.0\.1:9001\nMETHOD .*\nGET +\/healthz +app\.svc:2 +0\n$/);
});

t.test('endless threads beside app.run do not matter', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'spawn { loop { } }\nweb_app().run(0)\n' });
  t.match(await svcc(['routes', 'app.svc'], { cwd }), { stdout: /^METHOD/, stderr: '', exitCode: 0 });
});

for (const [name, program] of Object.entries({
  loops: 'loop { }\nweb_app().run(0)',
  sleeps: 'sleep(1000)',
  'leaves a thread': 'spawn { sleep(1000) }',
})) {
  t.test(`a program that ${name} before app.run is ended`, async (t) => {
    const outcome = await svcc(['routes', 'app.svc'], { cwd: t.testdir({ 'app.svc': program }), env: FAST_CLOCK });
    assertRefused(
      t,
      outcome,
      1,
      /^app\.svc has not called app\.run within 10 seconds; `svcc routes` runs a program up to there\n$/,
    );
  });
}

t.test('an application without routes or middleware', async (t) => {
  const cwd = t.testdir({
    'none.svc': 'web_app().run(0)\n',
    'one.svc': 'app = web_app()\napp.get("/a") { |req| 1 }\napp.run(0)\n',
  });
  t.same(await svcc(['routes', 'none.svc'], { cwd }), {
    stdout: 'METHOD  PATTERN  PLACE  MIDDLEWARE\n',
    stderr: '',
    exitCode: 0,
  });
  t.same(await svcc(['routes', 'one.svc'], { cwd }), {
    stdout: 'METHOD  PATTERN  PLACE      MIDDLEWARE\nGET     /a       one.svc:2  0\n',
    stderr: '',
    exitCode: 0,
  });
});

t.test('a program of another folder', async (t) => {
  const cwd = t.testdir({ here: {}, there: { 'app.svc': 'app = web_app()\napp.get("/a") { |req| 1 }\napp.run(0)\n' } });
  t.match(
    (await svcc(['routes', '../there/app.svc'], { cwd: `${cwd}/here` })).stdout,
    /^GET +\/a +\.\.\/there\/app\.svc:2 +0$/m,
  );
});

t.test('files that have no routes to show', async (t) => {
  const cwd = t.testdir({
    'plain.svc': 'puts "plain"\n',
    'unserved.svc': 'app = web_app()\napp.get("/") { |req| 1 }\n',
    'raises.svc': 'app = web_app()\nraise "too early"\napp.run(0)\n',
    'app.svc': 'app = web_app()\nx = 1 2\napp.run(0)\n',
  });
  assertRefused(
    t,
    await svcc(['routes', 'plain.svc'], { cwd }),
    1,
    /^plain\.svc starts no web server: it never calls app\.run\n$/,
    { stdout: 'plain\n' },
  );
  assertRefused(t, await svcc(['routes', 'unserved.svc'], { cwd }), 1, /^unserved\.svc starts no web server/);
  assertRefused(t, await svcc(['routes', 'raises.svc'], { cwd }), 1, /^RuntimeError: too early\n.*raises\.svc:2/s, {
    lines: 5,
  });
  assertNotCompiled(t, await svcc(['routes', 'app.svc'], { cwd }), '2:7', /error/);
  assertRefused(t, await svcc(['routes', 'nowhere.svc'], { cwd }), 2, /nowhere\.svc.*no such file/);
  assertRefused(t, await svcc(['routes', '.'], { cwd }), 2, /directory/);
  assertRefused(t, await svcc(['routes'], { cwd }), 2, /file/, { lines: 3 });
  t.equal(readdirSync(cwd).length, 4, 'nothing is written');
});
