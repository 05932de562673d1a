import t, { type Test } from 'tap';
import { memoryOf } from '../../memory.js';
import { comesToRest, happens, until } from '../../patience.js';
import { Svcc } from '../../svcc/svcc.js';
import { GROWTH_MIB } from '../support/growth.js';
import { Connection } from '../support/connection.js';
import { get } from '../support/serve.js';

const PROGRAM = `app = web_app()
app.templates("views", layout: "layout")
app.set("write_seconds", 60)
app.set("drain_seconds", 3600)
gate = channel(0)
def wait_for(gate) = gate.recv()
app.get("/alive") { |req| "alive" }
app.get("/open") do |req|
  gate.send(1)
  "opened"
end
app.get("/endless") { |req| render("endless", {count: 1_000_000_000}, stream: true, layout: nil) }
app.get("/page") { |req| render("page", {gate:}, stream: true) }
app.get("/sleeps") { |req| render("sleeps", stream: true, layout: nil) }
app.get("/timeout") { |req| render("timeout", stream: true, layout: nil) }
app.get("/unshown") { |req| render("unshown", stream: true, layout: "unyielding") }
app.get("/twice") { |req| render("short", stream: true, layout: "twice") }
app.get("/late") { |req| render("late", stream: true) }
app.get("/fails") { |req| render("fails", {n: 1000}, stream: true, layout: nil) }
app.get("/layout_fails") { |req| render("unshown", stream: true, layout: "failing") }
app.get("/deep") { |req| render("deep", stream: true, layout: nil) }
app.run(0)
`;

const VIEWS = {
  'layout.html.erb': '<title><%= content_for(:title) %></title><main><%= yield %></main>',
  'unyielding.html.erb': '<%= content_for(:title) %>',
  'failing.html.erb': '<%= content_for(:title) %><%= raise "in the layout" %>',
  'twice.html.erb': '<%= yield %><%= yield %>',
  'endless.html.erb': `<% puts "started" %><% begin %><% for i in 1..count -%>
<p><%= i %> <%= "&" %></p>
<% end -%>
<% ensure %><% puts "ended" %><% end %>`,
  'page.html.erb': '<% content_for :title do %>Title<% end %><p>begun <% wait_for(gate) %> page</p>',
  'sleeps.html.erb': `<% begin %><%= "x" * 20_000 %><% puts "started" %><% sleep 100 %><% ensure %><% puts "ended" %><% end %>`,
  'timeout.html.erb':
    '<% begin %><% timeout(0.3) do %><% loop do %>some text<% end %><% end %><% rescue TimeoutError => e %><% puts "rescued #{e}" %><% end %>',
  'unshown.html.erb':
    '<% begin %><% content_for :title do %>Title<% end %>text<% ensure %><% puts "tidied up" %><% end %>',
  'short.html.erb': 'short',
  'late.html.erb': 'text\n<% content_for :title do %>late<% end %>',
  'fails.html.erb': `<% for i in 0..n -%>
<p>a paragraph that is long enough for several parts</p>
<%= 1 // (n - i) -%>
<% end -%>`,
  'deep.html.erb': '<%= render "deep" %>',
};

async function serve(t: Test): Promise<{ server: Svcc; port: number }> {
  const server = new Svcc(['run', 'app.svc'], { cwd: t.testdir({ 'app.svc': PROGRAM, views: VIEWS }) });
  t.teardown(() => server.child.kill('SIGKILL'));
  return { server, port: await server.port() };
}

async function request(port: number, path: string): Promise<Connection> {
  const connection = await Connection.open(port);
  connection.send(`GET ${path} HTTP/1.1\r\nHost: svc.test\r\n\r\n`);
  return connection;
}

/** Everything that the server sends until it closes the connection. */
async function everything(connection: Connection): Promise<string> {
  await connection.close().catch(() => {});
  return connection.unread.toString();
}

/** Whether a server no longer accepts connections. */
async function isRefused(port: number): Promise<boolean> {
  const connection = await Connection.open(port).catch(() => null);
  connection?.socket.destroy();
  return connection === null;
}

const count = (text: string, part: string): number => text.split(part).length - 1;

t.jobs = 4;

t.test('clients that do not read hold the threads of their pages, not memory', async (t) => {
  const { server, port } = await serve(t);
  for (let i = 0; i < 20; i++) await get(port, '/alive');
  const before = memoryOf(server.child);
  const clients = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const connection = await request(port, '/endless');
      connection.socket.pause();
      return connection;
    }),
  );
  t.ok(await happens(() => count(server.stdout, 'started') === 40));
  await comesToRest(server.child);
  const growth = memoryOf(server.child) - before;
  t.ok(growth < GROWTH_MIB, `40 endless pages took ${growth.toFixed(1)} MiB`);
  t.equal((await get(port, '/alive')).body, 'alive');
  for (const { socket } of clients) socket.destroy();
  t.ok(await happens(() => count(server.stdout, 'ended') === 40), 'their threads end');
  t.equal((await server.stop()).stderr, '');
});

t.test('the head and the text above `yield` are sent before the page', async (t) => {
  const { server, port } = await serve(t);
  const connection = await request(port, '/page');
  t.ok(await happens(() => connection.unread.includes('<title>Title</title><main>')));
  t.notMatch(connection.unread.toString(), 'begun', 'the page is sent in parts');
  await get(port, '/open');
  t.equal((await connection.response('GET')).body.toString(), '<title>Title</title><main><p>begun  page</p></main>');
  t.equal((await server.stop()).stderr, '');
});

t.test('a client that leaves ends the thread', async (t) => {
  const { server, port } = await serve(t);
  for (const path of ['/endless', '/sleeps']) {
    server.stdout = '';
    const connection = await request(port, path);
    t.ok(await happens(() => connection.unread.length > 10_000), path);
    connection.socket.resetAndDestroy();
    t.ok(await happens(() => server.stdout.includes('ended')), path);
  }
  t.equal((await server.stop()).stderr, '');
});

t.test('timeout ends a page whose client does not read', async (t) => {
  const { server, port } = await serve(t);
  const connection = await request(port, '/timeout');
  connection.socket.pause();
  t.ok(await happens(() => server.stdout.includes('rescued timed out after 0.3s')));
  connection.socket.destroy();
  t.equal((await server.stop()).stderr, '');
});

t.test('an error breaks the connection off and is logged with its template', async (t) => {
  const { server, port } = await serve(t);
  const failed = async (path: string): Promise<string> => {
    const text = await everything(await request(port, path));
    t.match(text, /^HTTP\/1\.1 200 OK\r\n/, path);
    t.notMatch(text, /\r\n0\r\n\r\n$/, `${path}: no last chunk`);
    return text;
  };
  t.match(await failed('/fails'), 'a paragraph', 'what was made before is sent');
  for (const path of ['/twice', '/late', '/layout_fails', '/deep']) await failed(path);
  t.match(server.stdout, /^tidied up$/m, 'a page that its layout does not show is closed');
  t.equal((await get(port, '/alive')).body, 'alive');
  const { stderr } = await server.stop();
  const log = (path: string): string =>
    stderr.split(/^request \S+ /m).find((text) => text.startsWith(`GET ${path} `)) ?? '';
  t.match(
    log('/fails'),
    /^GET \/fails failed in its stream:\nZeroDivisionError: .*\n[^]*views\/fails\.html\.erb:3 in fails\n/,
  );
  t.match(log('/twice'), /RuntimeError: a streamed page is shown once: [^]*views\/twice\.html\.erb:1 in twice\n/);
  t.match(
    log('/late'),
    /RuntimeError: content_for\(:title\) stands after the first text [^]*views\/late\.html\.erb:2 in late\n {2}views\/layout\.html\.erb:1 in layout\n/,
  );
  t.match(log('/layout_fails'), /RuntimeError: in the layout\n[^]*views\/failing\.html\.erb:1 in failing\n/);
  t.match(log('/deep'), /RuntimeError: templates render one another more than 100 levels deep/);
  t.notMatch(stderr, /%page|undefined|\.js:/);
});

t.test('a page that its layout does not show is closed', async (t) => {
  const { server, port } = await serve(t);
  t.equal((await get(port, '/unshown')).body, 'Title');
  await until('the end of the page', () => server.stdout.includes('tidied up'));
  t.equal(server.stdout.split('tidied up').length, 2);
  t.equal((await server.stop()).stderr, '');
});

t.test('a server that stops lets pages end', async (t) => {
  const { server, port } = await serve(t);
  const page = await request(port, '/page');
  await happens(() => page.unread.includes('<main>'));
  // It is answered as the last request of its connection.
  const opening = await Connection.open(port);
  opening.send('GET /alive HTTP/1.1\r\nHost: a\r\n\r\n');
  await opening.response('GET');
  const stopped = server.stop();
  t.ok(await happens(() => isRefused(port)));
  opening.send('GET /open HTTP/1.1\r\nHost: a\r\n\r\n');
  t.match(await everything(page), /<p>begun {2}page<\/p>[^]*\r\n0\r\n\r\n$/);
  const { exitCode, stderr } = await stopped;
  t.equal(exitCode, 0);
  t.equal(stderr, '');
});
