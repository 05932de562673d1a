import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Connection } from '../web/support/connection.js';
import { until } from '../patience.js';
import { Svcc } from './svcc.js';

t.jobs = 3;

const UNRELATED = 'app = web_app()\napp.get("/") { |req| "unrelated" }\napp.run(0)\n';

/** A program that responds with `text`. */
function answering(text: string): string {
  return `app = web_app()\napp.get("/") { |req| "${text}" }\napp.run(0)\n`;
}

class Site {
  constructor(
    readonly server: Svcc,
    private readonly folder: string,
  ) {}

  /** Saves a file atomically: a half-written version would be another change. */
  save(name: string, text: string): void {
    const path = join(this.folder, name);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }

  at(name: string): string {
    return join(this.folder, name);
  }

  async page(
    path = '/',
    host = '127.0.0.1',
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: string; type: string | null }> {
    await until('the server', () => this.server.stdout.includes('Press Ctrl+C'));
    const response = await fetch(`http://${host}:${await this.server.port()}${path}`, {
      headers: { Connection: 'close', ...headers },
    });
    return { status: response.status, body: await response.text(), type: response.headers.get('content-type') };
  }

  /** Waits until the response of `/` is this text. */
  answers(text: string): Promise<boolean> {
    return until(`the answer ${text}`, async () => (await this.page()).body === text);
  }

  /** Waits until `/` shows an error page with this text. */
  problem(text: string): Promise<{ status: number; body: string; type: string | null }> {
    return until(`a page with ${text}`, async () => {
      const page = await this.page();
      return page.body.includes(text) && page;
    });
  }

  /** Ends the program. */
  async stopped(test: Test): Promise<void> {
    test.equal((await this.server.stop()).exitCode, 0, 'SIGTERM ends it', { stderr: this.server.stderr });
  }
}

function start(test: Test, files: Record<string, string>, flags = ['--dev']): Site {
  const folder = test.testdir({});
  // `testdir` creates no folders for paths with slashes.
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const server = new Svcc(['run', ...flags, 'app.svc'], { cwd: folder });
  test.teardown(() => server.child.kill('SIGKILL'));
  return new Site(server, folder);
}

t.test('a changed file is loaded, whether replaced, rewritten or removed first', async (t) => {
  const site = start(t, { 'app.svc': answering('one') });
  t.ok(await site.answers('one'));
  site.save('app.svc', answering('two'));
  t.ok(await site.answers('two'), 'replaced');
  writeFileSync(site.at('app.svc'), answering('three'));
  t.ok(await site.answers('three'), 'rewritten');
  rmSync(site.at('app.svc'));
  await until('the message about the missing file', () => site.server.stderr.includes('no such file'));
  site.save('app.svc', answering('four'));
  t.ok(await site.answers('four'), 'removed and created again');
  await site.stopped(t);
});

t.test('a changed module is loaded', async (t) => {
  const site = start(t, {
    'lib/words.svc': 'def word\n  "old"\nend\n',
    'app.svc': 'require "lib/words"\napp = web_app()\napp.get("/") { |req| word() }\napp.run(0)\n',
  });
  t.ok(await site.answers('old'));
  site.save('lib/words.svc', 'def word\n  "new"\nend\n');
  t.ok(await site.answers('new'));
  await site.stopped(t);
});

t.test('a module that a new version requires is watched as well', async (t) => {
  const site = start(t, { 'more.svc': 'def word\n  "first"\nend\n', 'app.svc': answering('alone') });
  t.ok(await site.answers('alone'));
  site.save('app.svc', 'require "more"\napp = web_app()\napp.get("/") { |req| word() }\napp.run(0)\n');
  t.ok(await site.answers('first'));
  site.save('more.svc', 'def word\n  "second"\nend\n');
  t.ok(await site.answers('second'));
  await site.stopped(t);
});

/** A handler that is busy until there is a file `go`. */
function waiting(version: string): string {
  return `app = web_app()
app.get("/") { |req| "${version}" }
app.get("/slow") do |req|
  puts "waits in ${version}"
  while !file_exists("go")
    sleep(0.01)
  end
  "${version} to its end"
end
app.run(0)
`;
}

t.test('requests finish on the old version, and their connections stay open', async (t) => {
  const site = start(t, { 'app.svc': waiting('old') });
  const port = await site.server.port();
  const [slow, idle] = [await Connection.open(port), await Connection.open(port)];
  for (const connection of [slow, idle]) t.teardown(() => connection.socket.destroy());
  idle.send('GET / HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  t.equal((await idle.response('GET')).body.toString(), 'old');
  slow.send('GET /slow HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  await site.server.printed(/waits in old\n/);
  site.save('app.svc', waiting('new'));
  t.ok(await site.answers('new'), 'new requests go to the new version while the old one still works');
  t.equal(slow.unread.length, 0, 'the slow one has no answer yet');
  writeFileSync(site.at('go'), '');
  const { status, body } = await slow.response('GET');
  t.same([status, body.toString()], [200, 'old to its end']);
  for (const connection of [slow, idle]) {
    t.notOk(connection.isSpent, 'the server closes no connection');
    connection.send('GET / HTTP/1.1\r\nHost: svc.test\r\n\r\n');
    t.equal((await connection.response('GET')).body.toString(), 'new', 'the next request on it');
  }
  t.equal(site.server.stdout.match(/Svc web server running/g)?.length, 1, 'the server is the same');
  await site.stopped(t);
});

t.test('a changed port is said to need a restart', async (t) => {
  const site = start(t, { 'app.svc': answering('one') });
  const port = await site.server.port();
  site.save('app.svc', answering('two').replace('app.run(0)', 'app.run(4321, host: "::1")'));
  t.ok(await site.answers('two'));
  site.save('app.svc', answering('three').replace('app.run(0)', 'app.run(4321, host: "::1")'));
  t.ok(await site.answers('three'));
  site.save('app.svc', answering('four'));
  t.ok(await site.answers('four'));
  const message = `svcc: the server stays on http://0.0.0.0:${port}; start svcc again for http://[::1]:4321\n`;
  const { stderr } = await site.server.stop();
  t.equal(stderr.replaceAll('svcc: reloading\n', ''), message, 'once');
});

/** A program with a stream, and with threads of its own, which say where they are when they end. */
function streaming(version: string, drainSeconds: number): string {
  return `app = web_app()
app.set("drain_seconds", ${drainSeconds})
app.get("/") { |req| "${version}" }
app.get("/events") do |req|
  spawn { sleep(1000) }
  sse_response do |out|
    begin
      loop do
        out.send("${version}")
        sleep(0.02)
      end
    ensure
      puts "stream of ${version} has ended"
    end
  end
end
app.get("/start") do |req|
  spawn do
    sleep(1000)
  ensure
    puts "thread of a request of ${version} has ended"
  end
  "started"
end
spawn do
  loop do
    sleep(0.01)
  end
ensure
  sleep(0.02)
  puts "loop of ${version} has ended"
end
begin
  app.run(0)
ensure
  puts "${version} has ended"
end
`;
}

t.test('threads of an old version end after drain_seconds, its streams stay', async (t) => {
  const site = start(t, { 'app.svc': streaming('one', 1) });
  const connection = await Connection.open(await site.server.port());
  t.teardown(() => connection.socket.destroy());
  t.equal((await site.page('/start')).body, 'started');
  connection.send('GET /events HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  const prints = (text: string): Promise<boolean> => until(text, () => site.server.stdout.includes(`${text}\n`));
  const reads = (text: string): Promise<boolean> => until(text, () => connection.unread.toString().includes(text));
  t.ok(await reads('data: one'));
  site.save('app.svc', streaming('two', 1));
  t.ok(await site.answers('two'));
  await prints('loop of one has ended');
  await prints('thread of a request of one has ended');
  const length = connection.unread.length;
  await until('more events', () => connection.unread.length > length + 200);
  t.notMatch(connection.unread.subarray(length).toString(), 'two', 'the stream goes on');
  t.notMatch(site.server.stdout, /^one has ended/m, 'app.run waits as long as it is served');
  connection.socket.destroy();
  await prints('stream of one has ended');
  await prints('\none has ended');
  t.notMatch(site.server.stdout, 'of two has ended');
  t.equal(site.server.stderr.replaceAll('svcc: reloading\n', ''), '');
  await site.stopped(t);
});

t.test('a stop ends the streams of old versions', async (t) => {
  const site = start(t, { 'app.svc': streaming('one', 1000) });
  const connection = await Connection.open(await site.server.port());
  t.teardown(() => connection.socket.destroy());
  connection.send('GET /events HTTP/1.1\r\nHost: svc.test\r\n\r\n');
  await until('an event', () => connection.unread.toString().includes('data: one'));
  site.save('app.svc', answering('two').replace('\n', '\napp.set("drain_seconds", 1000)\n'));
  t.ok(await site.answers('two'));
  await site.stopped(t);
  t.match(connection.unread.toString(), /\r\n0\r\n\r\n$/, 'between two events');
});

t.test('a version that does not compile is shown, and a repaired one works', async (t) => {
  const site = start(t, { 'app.svc': answering('old') });
  t.ok(await site.answers('old'));
  site.save('app.svc', 'app = web_app(\nputs "<b>"');
  const { status, body, type } = await site.problem('does not compile');
  t.equal(status, 500);
  t.equal(type, 'text/html; charset=utf-8');
  t.match(body, /app\.svc:\d+:\d+/, 'with the place');
  t.notMatch(body, '<b>', 'source text is no HTML');
  await until('the same in the terminal', () =>
    /app\.svc:\d+:\d+: error.*svcc: waiting for a change\n/s.test(site.server.stderr),
  );
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.internal === false && address.family === 'IPv4');
  if (outside === undefined) t.pass('other machines', { skip: 'there is no network' });
  else
    t.same(
      await site.page('/', outside.address),
      { status: 200, body: 'old', type: 'text/plain; charset=utf-8' },
      'other machines get the old version',
    );
  site.save('app.svc', answering('repaired'));
  t.ok(await site.answers('repaired'));
  await site.stopped(t);
});

t.test('a version that fails at its start leaves the old one in place', async (t) => {
  const site = start(t, { 'app.svc': answering('old') });
  t.ok(await site.answers('old'));
  site.save('app.svc', 'raise "<i>no start</i>"\n');
  const { status, body } = await site.problem('The program ended with an error');
  t.equal(status, 500);
  t.match(body, '&#60;i&#62;no start&#60;/i&#62;');
  t.notMatch(body, '<i>');
  site.save('app.svc', answering('new'));
  t.ok(await site.answers('new'));
  site.save('app.svc', 'raise "again"\n');
  await site.problem('again');
  await site.stopped(t);
});

t.test('a version that ends without a server leaves the old one in place', async (t) => {
  const site = start(t, { 'app.svc': answering('old') });
  t.ok(await site.answers('old'));
  for (const ending of ['puts "done"\n', 'exit(0)\n', 'app = web_app()\napp.get("/") { |req| "no" }\n']) {
    site.save('app.svc', ending);
    await site.problem('ended without app.run');
    site.save('app.svc', answering('repaired'));
    t.ok(await site.answers('repaired'));
  }
  t.match(site.server.stderr, /svcc: the newest version has ended without app\.run; .*\nsvcc: waiting for a change\n/);
  await site.stopped(t);
});

t.test('a program that is broken from the beginning starts when it is repaired', async (t) => {
  const site = start(t, {
    'app.svc': 'require "words"\napp = web_app()\napp.get("/") { |req| word() }\napp.run(0)\n',
    'words.svc': 'def word\n',
  });
  await until('the message', () => site.server.stderr.includes('svcc: waiting for a change\n'));
  t.equal(site.server.child.exitCode, null, 'it waits');
  site.save('words.svc', 'def word\n  "repaired"\nend\n');
  t.ok(await site.answers('repaired'), 'the error was in a module');
  await site.stopped(t);
});

t.test('a missing module is found after it is created', async (t) => {
  const site = start(t, { 'app.svc': 'require "words"\napp = web_app()\napp.get("/") { |req| word() }\napp.run(0)\n' });
  await until('the message', () => site.server.stderr.includes('svcc: waiting for a change\n'));
  site.save('words.svc', 'def word\n  "made"\nend\n');
  t.ok(await site.answers('made'));
  await site.stopped(t);
});

t.test('a module that would be loaded in place of another one is noticed', async (t) => {
  const site = start(t, {
    'app.svc': 'require "lib/page"\napp = web_app()\napp.get("/") { |req| page() }\napp.run(0)\n',
    'lib/page.svc': 'require "words"\ndef page\n  word()\nend\n',
    'words.svc': 'def word\n  "of the working directory"\nend\n',
  });
  t.ok(await site.answers('of the working directory'));
  site.save('lib/words.svc', 'def word\n  "beside it"\nend\n');
  t.ok(await site.answers('beside it'));
  await site.stopped(t);
});

t.test('new, renamed and removed templates are noticed', async (t) => {
  const program = `app = web_app()
app.templates("views")
app.get("/") do |req|
  begin
    render(req.query["t"] || "page").body
  rescue ArgumentError => e
    e.message
  end
end
app.run(0)
`;
  const site = start(t, { 'app.svc': program, 'views/page.html.erb': 'page' });
  const shows = (name: string, text: string): Promise<unknown> =>
    until(`${name}: ${text}`, async () => (await site.page(`/?t=${name}`)).body.startsWith(text));
  t.ok(await site.answers('page'));
  t.ok(await shows('parts/new', 'there is no template'));
  mkdirSync(site.at('views/parts'));
  site.save('views/parts/new.html.erb', 'new');
  t.ok(await shows('parts/new', 'new'), 'in a new folder');
  site.save('views/parts/new.html.erb', 'changed');
  t.ok(await shows('parts/new', 'changed'), 'it is watched');
  renameSync(site.at('views/parts/new.html.erb'), site.at('views/parts/other.html.erb'));
  t.ok(await shows('parts/other', 'changed'));
  t.ok(await shows('parts/new', 'there is no template'));
  rmSync(site.at('views/parts'), { recursive: true });
  t.ok(await shows('parts/other', 'there is no template'));
  writeFileSync(site.at('views/.page.html.erb.swp'), 'of an editor');
  writeFileSync(site.at('views/notes.txt'), 'no template');
  site.save('views/page.html.erb', 'last');
  t.ok(await site.answers('last'));
  // The page may be read before what the server printed earlier.
  const reloads = (): number => site.server.stderr.split('svcc: reloading').length - 1;
  await until('five reloads', () => reloads() >= 5);
  t.equal(reloads(), 5, 'one for each change of a template; other files are no templates');
  await site.stopped(t);
});

t.test('migrations that are repaired or added are run', async (t) => {
  const program = `db = database("app.db")
db.migrate("db/migrations")
app = web_app()
app.get("/") { |req| db.tables.reject { |name| name.start_with?("svc_") }.sort.join(" ") }
app.run(0)
`;
  const site = start(t, { 'app.svc': program });
  await until('the message', () => site.server.stderr.includes('svcc: waiting for a change\n'));
  t.match(site.server.stderr, /there is no folder \/.*\/db\/migrations/);
  mkdirSync(site.at('db/migrations'), { recursive: true });
  site.save('db/migrations/0001_a.sql', 'CREATE TABEL a (id INTEGER);\n');
  await until('its mistake', () => site.server.stderr.includes('0001_a.sql:1: '));
  site.save('db/migrations/0001_a.sql', 'CREATE TABLE a (id INTEGER);\n');
  t.ok(await site.answers('a'), 'repaired');
  site.save('db/migrations/0002_b.sql', 'CREATE TABLE b (id INTEGER);\n');
  t.ok(await site.answers('a b'), 'added');
  site.save('db/migrations/0003_c.sql', 'CREATE TABLE c (\n');
  await site.problem('0003_c.sql:1: ');
  site.save('db/migrations/0003_c.sql', 'CREATE TABLE c (id INTEGER);\n');
  t.ok(await site.answers('a b c'), 'an added one, repaired');
  await site.stopped(t);
});

t.test('a version that starts while the server stops ends as well', async (t) => {
  const program = (start: string): string =>
    `app = web_app()\napp.get("/") { |req| "old" }\n${start}app.run(0)\nputs "after"\n`;
  const site = start(t, { 'app.svc': program('') });
  t.ok(await site.answers('old'));
  site.save('app.svc', program('puts "starts"\nsleep(1)\n'));
  await site.server.printed(/^starts$/m);
  await site.stopped(t);
  t.match(site.server.stdout, /^after\nafter$/m);
});

t.test('a missing directory of templates is found after it is created', async (t) => {
  const site = start(t, {
    'app.svc': 'app = web_app()\napp.templates("views")\napp.get("/") { |req| render("page") }\napp.run(0)\n',
  });
  await until('the message', () => site.server.stderr.includes('svcc: waiting for a change\n'));
  mkdirSync(site.at('views'));
  site.save('views/page.html.erb', 'made');
  t.ok(await site.answers('made'));
  await site.stopped(t);
});

const RAISING = `app = web_app()

def deeper(text)
  raise "bad <script>alert('#{text}')</script>" # <u>source</u>
end

app.get("/raise/:what") do |req|
  begin
    1 / 0
  rescue => e
    deeper(req.params["what"])
  end
end
app.run(0)
`;

t.test('the page for an error in a handler', async (t) => {
  const site = start(t, { 'app.svc': RAISING });
  const session = encodeURIComponent(JSON.stringify({ user_id: 'PRIVATE', 'k<b>': 1 }));
  const { status, body, type } = await site.page('/raise/%3Cimg%3E?q=%3Cs%3E', '127.0.0.1', {
    'X-Hostile': '"><svg onload=1>',
    Cookie: `_svc_session=${session}`,
  });
  t.equal(status, 500);
  t.equal(type, 'text/html; charset=utf-8');
  t.match(body, 'RuntimeError: bad &#60;script&#62;alert(&#39;&#60;img&#62;&#39;)&#60;/script&#62;', 'the message');
  t.match(
    body,
    /<mark><span class="n"> *4 <\/span> {2}raise .*# &#60;u&#62;source&#60;\/u&#62;<\/mark>/,
    'the source, its line marked',
  );
  t.match(body, /app\.svc:4 in deeper<.*app\.svc:11 in /s, 'the backtrace');
  t.match(body, 'GET /raise/%3Cimg%3E', 'the request');
  t.match(body, /<td>query<\/td><td>[^<]*&#60;s&#62;/, 'its query');
  t.match(body, /<td>params<\/td><td>[^<]*what[^<]*&#60;img&#62;/, 'its parameters');
  t.match(body, /<td>X-Hostile<\/td><td>&#34;&#62;&#60;svg onload=1&#62;<\/td>/i, 'its headers');
  t.match(body, '<td>session keys</td><td>user_id, k&#60;b&#62;</td>', 'the keys of the session');
  const own = /^(!doctype|\/?(html|head|meta|title|style|body|header|h1|h2|p|main|div|pre|mark|span|table|tr|td))$/;
  const tags = [...body.matchAll(/<(\/?!?\w+)/g)].map(([, name]) => name).filter((name) => !own.test(name));
  t.same(tags, [], 'no tag comes from input');
  await site.stopped(t);
});

for (const [name, flags] of Object.entries({ 'without --dev': [] })) {
  t.test(`${name} the body of a 500 is constant`, async (t) => {
    const site = start(t, { 'app.svc': RAISING }, flags);
    t.same(await site.page('/raise/x'), {
      status: 500,
      body: 'Internal Server Error',
      type: 'text/plain; charset=utf-8',
    });
    site.save('app.svc', UNRELATED);
    t.equal((await site.page('/raise/x')).status, 500, 'no file is watched');
    await site.stopped(t);
    t.match(site.server.stderr, /RuntimeError: bad <script>.*app\.svc:4 in deeper/s, 'stderr has the rest');
  });
}

t.test('--dev shows no source to other machines', async (t) => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.internal === false && address.family === 'IPv4');
  if (outside === undefined) return t.pass('other machines', { skip: 'there is no network' });
  const site = start(t, { 'app.svc': RAISING });
  t.same(await site.page('/raise/x', outside.address), {
    status: 500,
    body: 'Internal Server Error',
    type: 'text/plain; charset=utf-8',
  });
  return site.stopped(t);
});

/** Requests for the page of an error, and whether they may see it. */
// prettier-ignore
const ASKING: [what: string, isShown: boolean, request: { host?: string; fields?: string; target?: string; version?: string }][] = [
  ['Host localhost', true, { host: 'localhost:PORT' }],
  ['Host localhost in capitals', true, { host: 'LOCALHOST' }],
  ['Host below localhost', true, { host: 'notes.localhost:PORT' }],
  ['Host with another port', true, { host: '127.0.0.1:9' }],
  ['Host of another loopback address', true, { host: '127.1.2.3:PORT' }],
  ['Host of IPv6', true, { host: '[::1]:PORT' }],
  ['a name that resolves to this machine', false, { host: 'rebound.example:PORT' }],
  ['a name that begins like localhost', false, { host: 'localhost.example' }],
  ['a name that ends like localhost', false, { host: 'notlocalhost' }],
  ['a name that begins like an address', false, { host: '127.0.0.1.example' }],
  ['an address of all interfaces', false, { host: '0.0.0.0:PORT' }],
  ['another address', false, { host: '192.0.2.1' }],
  ['no Host', false, { version: '1.0' }],
  ['a target with another authority', false, { host: 'localhost', target: 'http://rebound.example/raise/x' }],
  ['Forwarded', false, { host: 'localhost', fields: 'Forwarded: for=192.0.2.1\r\n' }],
  ['X-Forwarded-For', false, { host: 'localhost', fields: 'X-Forwarded-For: 127.0.0.1\r\n' }],
  ['X-Forwarded-Proto', false, { host: 'localhost', fields: 'x-forwarded-proto: https\r\n' }],
  ['X-Real-IP', false, { host: 'localhost', fields: 'X-Real-IP: 127.0.0.1\r\n' }],
  ['Via', false, { host: 'localhost', fields: 'Via: 1.1 proxy\r\n' }],
  ['Sec-Fetch-Site none', true, { host: 'localhost', fields: 'Sec-Fetch-Site: none\r\n' }],
  ['Sec-Fetch-Site same-origin', true, { host: 'localhost', fields: 'Sec-Fetch-Site: same-origin\r\n' }],
  ['Sec-Fetch-Site same-site', false, { host: 'localhost', fields: 'Sec-Fetch-Site: same-site\r\n' }],
  ['Sec-Fetch-Site cross-site', false, { host: 'localhost', fields: 'Sec-Fetch-Site: cross-site\r\n' }],
  ['Sec-Fetch-Site twice', false, { host: 'localhost', fields: 'Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n' }],
];

/** Sends all requests. Returns the names of those whose response makes `shown` true. */
async function askAll(port: number, shown: (body: string) => boolean): Promise<string[]> {
  const names: string[] = [];
  for (const [what, , { host, fields = '', target = '/raise/x', version = '1.1' }] of ASKING) {
    const connection = await Connection.open(port);
    connection.send(
      `GET ${target} HTTP/${version}\r\n${host === undefined ? '' : `Host: ${host.replace('PORT', String(port))}\r\n`}${fields}Connection: close\r\n\r\n`,
    );
    if (shown((await connection.response('GET')).body.toString())) names.push(what);
    connection.socket.destroy();
  }
  return names;
}

t.test('only requests from the same machine see source', async (t) => {
  const site = start(t, { 'app.svc': RAISING });
  const port = await site.server.port();
  t.match(site.server.stdout, `http://localhost:${port}\n`, 'the announced address may see it');
  const expected = ASKING.filter(([, isShown]) => isShown).map(([what]) => what);
  t.same(await askAll(port, (body) => body.includes('app.svc:4')), expected, 'the page of an error');
  t.same(await askAll(port, (body) => body !== 'Internal Server Error'), expected, 'the others get the constant body');
  site.save('app.svc', 'app = web_app(');
  await site.problem('does not compile');
  t.same(
    await askAll(port, (body) => body.includes('does not compile')),
    expected,
    'the page of a version that does not compile',
  );
  await site.stopped(t);
});
