import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import { Svcc } from '../../svcc/svcc.js';
import { Connection } from '../support/connection.js';
import { Peer } from '../websocket/peers.js';

/** Prints what handlers do, and `after` when the program continues after `app.run`. */
const PROGRAM = `app = web_app()
app.set("drain_seconds", SECONDS)

def wait_for(name)
  sleep(0.01) until file_exists(name)
end

app.get("/") { |req| "here" }
app.post("/finish", finish: true) do |req|
  puts "works"
  wait_for("go")
  puts "done"
  "done"
end
app.get("/stream") do |req|
  stream_response("text/plain") do |out|
    begin
      out.write("x")
      puts "works"
      sleep(1000)
    ensure
      sleep(0.1)
      puts "done"
    end
  end
end
app.post("/upload", stream_body: true) do |req|
  begin
    puts "works"
    req.each_chunk { |bytes| nil }
  ensure
    sleep(0.1)
    puts "done"
  end
end
app.get("/hangs") do |req|
  begin
    puts "works"
    sleep(1000)
  ensure
    puts "done"
  end
end
app.post("/exit") { |req| exit(3) }
app.websocket("/ws", finish: true) do |ws|
  while (text = ws.recv) != nil
    puts "works"
    wait_for("go")
    puts "done"
  end
end
`;

const BY_SIGNAL = `app.run(0, "127.0.0.1")
puts "after"
`;

const BY_CANCEL = `server = spawn do
  begin
    app.run(0, "127.0.0.1")
  ensure
    puts "after"
  end
end
wait_for("stop")
server.cancel
puts "cancelled"
`;

/** A running service and the client's side of its connections. */
class Site {
  private constructor(
    private readonly test: Test,
    readonly server: Svcc,
    readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(test: Test, seconds: number, end = BY_SIGNAL, flags: string[] = []): Promise<Site> {
    const folder = test.testdir({ 'app.svc': PROGRAM.replace('SECONDS', String(seconds)) + end });
    const server = new Svcc(['run', ...flags, 'app.svc'], { cwd: folder });
    test.teardown(() => server.child.kill('SIGKILL'));
    return new Site(test, server, await server.port(), folder);
  }

  /** Sends a request; `length` is that of its body, of which one byte is sent. */
  async send(line: string, length = 0): Promise<Connection> {
    const connection = await Connection.open(this.port);
    this.test.teardown(() => connection.socket.destroy());
    connection.socket.on('error', () => {});
    const body = length > 0 ? 'x' : '';
    connection.send(`${line} HTTP/1.1\r\nHost: svc.test\r\nContent-Length: ${length}\r\n\r\n${body}`);
    return connection;
  }

  /** Waits until `count` handlers work. */
  async works(count = 1): Promise<void> {
    await until('handlers', () => (this.server.stdout.match(/^works$/gm)?.length ?? 0) >= count);
  }

  /** Waits until the server listens no longer and has closed the connections whose clients are gone. */
  async stopped(): Promise<void> {
    await until('a closed port', () =>
      Connection.open(this.port).then(
        (connection) => connection.socket.destroy() === null,
        () => true,
      ),
    );
  }

  write(name: string): void {
    writeFileSync(join(this.folder, name), '');
  }

  /** Waits until the process has ended; returns what it printed after the lines of the server. */
  async printed(exitCode = 0): Promise<string[]> {
    const { stdout, stderr, exitCode: code } = await this.server.finished();
    this.test.same([stderr, code], ['', exitCode]);
    return stdout.trimEnd().split('\n').slice(2);
  }
}

t.jobs = 4;

/** A handler that works although its client has left. */
const LEFT: Record<string, (test: Test, site: Site) => Promise<void>> = {
  'a request': async (_test, site) => {
    const connection = await site.send('POST /finish');
    await site.works();
    connection.socket.destroy();
  },
  'a WebSocket': async (test, site) => {
    const peer = await Peer.open(test, site.port, '/ws');
    peer.send('one');
    peer.send('two');
    await site.works();
    peer.ws.close();
    await peer.closed();
  },
};

for (const [what, leave] of Object.entries(LEFT)) {
  const lines = what === 'a request' ? ['works', 'done', 'after'] : ['works', 'done', 'works', 'done', 'after'];

  for (const flags of [[], ['--dev']])
    t.test(`app.run returns after ${what} whose client has left: ${flags.join() || 'run'}`, async (t) => {
      const site = await Site.start(t, 60, BY_SIGNAL, flags);
      await leave(t, site);
      site.server.child.kill('SIGTERM');
      await site.stopped();
      t.notMatch(site.server.stdout, /^after$/m);
      site.write('go');
      t.same(await site.printed(), lines);
    });

  t.test(`app.run in a cancelled thread ends after ${what} whose client has left`, async (t) => {
    const site = await Site.start(t, 60, BY_CANCEL);
    await leave(t, site);
    site.write('stop');
    await site.server.printed(/^cancelled$/m);
    await site.stopped();
    t.notMatch(site.server.stdout, /^after$/m);
    site.write('go');
    t.same(
      (await site.printed()).filter((line) => line !== 'cancelled'),
      lines,
    );
  });

  t.test(`a second signal does not wait for ${what}`, async (t) => {
    const site = await Site.start(t, 1000);
    await leave(t, site);
    site.server.child.kill('SIGTERM');
    await site.stopped();
    site.server.child.kill('SIGTERM');
    t.same(await site.printed(), ['works', 'after']);
  });

  t.test(`exit in a handler does not wait for ${what}`, async (t) => {
    const site = await Site.start(t, 1000);
    await leave(t, site);
    await site.send('POST /exit');
    t.same(await site.printed(3), ['works']);
  });
}

for (const [how, end] of Object.entries({ 'a signal': BY_SIGNAL, 'a cancellation': BY_CANCEL }))
  t.test(`after drain_seconds, ensure blocks run before the code after app.run: ${how}`, async (t) => {
    const site = await Site.start(t, 1, end);
    await site.send('GET /stream');
    await site.send('POST /upload', 10);
    await site.send('GET /hangs');
    await site.works(3);
    if (end === BY_SIGNAL) site.server.child.kill('SIGTERM');
    else site.write('stop');
    const lines = (await site.printed()).filter((line) => line !== 'cancelled');
    t.same(lines, ['works', 'works', 'works', 'done', 'done', 'done', 'after']);
  });

t.test('a cancelled app.run does not wait for idle connections', async (t) => {
  const site = await Site.start(t, 60, BY_CANCEL);
  const connection = await site.send('GET /');
  t.equal((await connection.response('GET')).status, 200);
  const startedAt = performance.now();
  site.write('stop');
  t.same((await site.printed()).sort(), ['after', 'cancelled']);
  t.ok(performance.now() - startedAt < 30_000, 'long before drain_seconds are over');
});

t.test('after drain_seconds, a cancelled app.run ends no thread that does not serve its application', async (t) => {
  const end = `${BY_CANCEL}other = web_app()
other.get("/events") do |req|
  sse_response { |events| 3.times { |i| sleep(0.05); events.send(i) } }
end
begin
  sleep(0.01) until server.done?
  sleep(0.5)
  puts other.client.get("/events").body.scan("data").length
  puts await(spawn { "main goes on" })
ensure
  puts "end"
end
`;
  const site = await Site.start(t, 1, end);
  await site.send('GET /hangs');
  const peer = await Peer.open(t, site.port, '/ws');
  peer.send('one');
  await site.works(2);
  site.write('stop');
  t.same(await site.printed(), ['works', 'works', 'cancelled', 'done', 'after', '3', 'main goes on', 'end']);
});
