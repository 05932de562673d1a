import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import { Svcc } from '../../svcc/svcc.js';
import { type ActualResponse, Connection } from '../support/connection.js';
import { serve } from '../support/serve.js';
import { Peer } from '../websocket/peers.js';

const PROGRAM = `app = web_app()
app.set("keep_alive_seconds", 75)
app.set("drain_seconds", 60)

def wait_for(name)
  while !file_exists(name)
    sleep(0.01)
  end
end

app.get("/") { |req| "here" }
app.post("/note") { |req| puts "noted #{req.body}"; "noted" }
app.get("/slow/:name") do |req|
  puts "waits for #{req.params["name"]}"
  wait_for(req.params["name"])
  "done"
end
app.get("/late") do |req|
  puts "waits for go"
  wait_for("go")
  sse_response { |events| loop { events.send("late"); sleep 0.01 } }
end
app.get("/events") do |req|
  sse_response do |events|
    n = 0
    loop do
      events.send(n += 1)
      sleep 0.001
    end
  end
end
app.websocket("/counts") do |ws|
  n = 0
  while ws.recv() != nil
    n += 1
  end
  puts "counted #{n}"
end
app.websocket("/echo") do |ws|
  while (text = ws.recv()) != nil
    puts "got #{text}"
    wait_for("go")
    ws.send(text)
  end
  puts "closed #{ws.close_code}"
end
app.websocket("/pushes") do |ws|
  loop { ws.send("tick"); sleep 0.05 }
end
app.run(0, "127.0.0.1")
puts "after"
`;

/** A running service and the client's side of its connections. */
class Site {
  readonly resets: string[] = [];

  private constructor(
    private readonly test: Test,
    readonly server: Svcc,
    readonly port: number,
    private readonly folder: string,
  ) {}

  static async start(test: Test, source = PROGRAM, flags: string[] = []): Promise<Site> {
    const folder = test.testdir({ 'app.svc': source });
    const server = new Svcc(['run', ...flags, 'app.svc'], { cwd: folder });
    test.teardown(() => server.child.kill('SIGKILL'));
    return new Site(test, server, await server.port(), folder);
  }

  async open(): Promise<Connection> {
    const connection = await Connection.open(this.port);
    this.test.teardown(() => connection.socket.destroy());
    connection.socket.on('error', (error) => this.resets.push(error.message));
    return connection;
  }

  /** Opens a connection and receives one answer on it. */
  async idle(): Promise<Connection> {
    const connection = await this.open();
    this.test.equal(bodyOf(await ask(connection, '/')), 'here');
    return connection;
  }

  /** Sends a signal and waits until the server no longer listens. */
  async signal(name: 'SIGTERM' | 'SIGHUP' = 'SIGTERM'): Promise<void> {
    this.server.child.kill(name);
    await until('a closed port', () =>
      Connection.open(this.port).then(
        (connection) => connection.socket.destroy() === null,
        () => true,
      ),
    );
  }

  go(name = 'go'): void {
    writeFileSync(join(this.folder, name), '');
  }

  /** Waits until the server has ended without a signal from here; checks its output. */
  async ends(): Promise<void> {
    const { stdout, stderr, exitCode } = await this.server.finished();
    this.test.same([stderr, exitCode], ['', 0]);
    this.test.match(stdout, /\nafter\n/);
    this.test.same(this.resets, [], 'no connection is reset');
  }
}

function send(connection: Connection, path: string, method = 'GET', body = ''): void {
  connection.send(
    `${method} ${path} HTTP/1.1\r\nHost: svc.test\r\n${method === 'POST' ? `Content-Length: ${body.length}\r\n` : ''}\r\n${body}`,
  );
}

function ask(connection: Connection, path: string): Promise<ActualResponse> {
  send(connection, path);
  return connection.response('GET');
}

function bodyOf({ body }: ActualResponse): string {
  return body.toString();
}

/** Whether a response announces the end of its connection. */
function isLast({ headers }: ActualResponse): boolean {
  return headers.some(([name, value]) => name.toLowerCase() === 'connection' && value === 'close');
}

t.jobs = 4;

t.test('an idle connection receives one more answer, which announces its end', async (t) => {
  const site = await Site.start(t);
  const connections = await Promise.all([1, 2, 3].map(() => site.idle()));
  await site.signal();
  for (const connection of connections) {
    t.notOk(connection.isSpent, 'it is still open');
    const response = await ask(connection, '/');
    t.same([response.status, bodyOf(response), isLast(response)], [200, 'here', true]);
    await connection.close();
    connection.socket.end();
  }
  await site.ends();
});

t.test('idle connections without input are closed long before the drain time is over', async (t) => {
  const site = await Site.start(t);
  const [used, fresh] = [await site.idle(), await site.open()];
  await site.signal();
  for (const connection of [used, fresh]) {
    await connection.close();
    t.equal(connection.unread.length, 0, 'without an answer');
  }
  // The clients do not close their side: the server must not wait for them.
  await site.ends();
});

t.test('a connection accepted before the signal may send its first request after the signal', async (t) => {
  const site = await Site.start(t);
  const fresh = await site.open();
  await site.signal();
  const response = await ask(fresh, '/');
  t.same([bodyOf(response), isLast(response)], ['here', true]);
  await site.ends();
});

t.test('a request that has arrived in part is answered', async (t) => {
  const site = await Site.start(t);
  const [early, late] = [await site.open(), await site.idle()];
  early.send('GET / HTTP/1.1\r\nHo');
  // When this answer arrives, the server has read the first part of the request.
  await site.idle();
  await site.signal();
  late.send('POST /note HTTP/1.1\r\nHost: svc.test\r\nContent-Length: 4\r\n\r\nla');
  early.send('st: svc.test\r\n\r\n');
  t.equal(bodyOf(await early.response('GET')), 'here');
  late.send('te');
  t.equal(bodyOf(await late.response('POST')), 'noted');
  await site.ends();
});

t.test('only the last of several pipelined answers announces the end', async (t) => {
  const site = await Site.start(t);
  const connection = await site.idle();
  for (const name of ['a', 'b']) send(connection, `/slow/${name}`);
  await until('both handlers', () => site.server.stdout.match(/^waits for /gm)?.length === 2);
  await site.signal();
  send(connection, '/slow/c');
  await site.server.printed(/^waits for c\n/m);
  for (const name of ['c', 'b', 'a']) site.go(name);
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push(await connection.response('GET'));
  t.same(
    answers.map((answer) => [bodyOf(answer), isLast(answer)]),
    [
      ['done', false],
      ['done', false],
      ['done', true],
    ],
  );
  await site.ends();
});

t.test('pipelined requests that wait for earlier ones are answered', async (t) => {
  const site = await Site.start(t);
  const connection = await site.open();
  // Requests after the first one of a connection wait for its answer.
  for (const name of ['a', 'b', 'c']) send(connection, `/slow/${name}`);
  await site.server.printed(/^waits for a\n/m);
  await site.signal();
  t.notMatch(site.server.stdout, /waits for [bc]/);
  for (const name of ['a', 'b', 'c']) site.go(name);
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push(await connection.response('GET'));
  t.same(
    answers.map((answer) => [bodyOf(answer), isLast(answer)]),
    [
      ['done', false],
      ['done', false],
      ['done', true],
    ],
  );
  await site.ends();
});

t.test('requests after the last answer do not run, and the client still receives that answer', async (t) => {
  const site = await Site.start(t);
  const connection = await site.idle();
  await site.signal();
  send(connection, '/slow/go');
  await site.server.printed(/^waits for go\n/m);
  site.go();
  t.ok(isLast(await connection.response('GET')));
  for (let i = 0; i < 50; i++) send(connection, '/note', 'POST', 'x'.repeat(1000));
  await connection.close();
  t.equal(connection.unread.length, 0);
  connection.socket.end();
  await site.ends();
  t.notMatch(site.server.stdout, 'noted');
});

t.test('a stream of events ends after a whole event, and its connection after one more answer', async (t) => {
  const site = await Site.start(t);
  const connection = await site.open();
  send(connection, '/events');
  await until('events', () => connection.unread.includes('data: 20\n'));
  await site.signal();
  const response = await connection.response('GET');
  const numbers = [...bodyOf(response).matchAll(/data: (\d+)\n\n/g)].map(([, n]) => Number(n));
  t.same(
    numbers,
    numbers.map((_, i) => i + 1),
    'none is missing',
  );
  t.equal(bodyOf(response), numbers.map((n) => `data: ${n}\n\n`).join(''), 'all are whole');
  const next = await ask(connection, '/');
  t.same([bodyOf(next), isLast(next)], ['here', true]);
  await site.ends();
});

t.test('a stream of events opened after the signal ends', async (t) => {
  const site = await Site.start(t);
  const [asked, idle] = [await site.open(), await site.idle()];
  send(asked, '/late');
  await site.server.printed(/^waits for go\n/m);
  await site.signal();
  site.go();
  send(idle, '/events');
  for (const connection of [asked, idle]) {
    const response = await connection.response('GET');
    t.same([response.status, isLast(response)], [200, true]);
    t.match(bodyOf(response), /^(data: \w+\n\n)*$/);
  }
  await site.ends();
});

t.test('a WebSocket receives the answers to its messages, then the close', async (t) => {
  const site = await Site.start(t);
  const peer = await Peer.open(t, site.port, '/echo');
  peer.send('one');
  peer.send('two');
  await site.server.printed(/^got one\n/m);
  await site.signal();
  t.equal(peer.code, null, 'it is still open');
  site.go();
  t.same([await peer.next(), await peer.next()], ['one', 'two']);
  t.same([await peer.closed(), peer.reason], [1001, 'the server stops']);
  await site.ends();
  t.match(site.server.stdout, /^closed 1001\n/m);
});

t.test('messages that clients send before they see the close reach the handlers', async (t) => {
  const site = await Site.start(t);
  const peers = await Promise.all(Array.from({ length: 8 }, () => Peer.open(t, site.port, '/counts')));
  let sent = 0;
  const timer = setInterval(() => {
    for (const { ws } of peers) {
      if (ws.readyState !== ws.OPEN) continue;
      ws.send('x');
      sent++;
    }
  }, 1);
  t.teardown(() => clearInterval(timer));
  await until('messages', () => sent > 500);
  await site.signal();
  for (const peer of peers) t.equal(await peer.closed(), 1001);
  await site.ends();
  const counted = [...site.server.stdout.matchAll(/^counted (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
  t.equal(counted, sent);
});

t.test('a WebSocket opened after the signal is closed immediately', async (t) => {
  const site = await Site.start(t);
  const idle = await site.idle();
  // A request in flight, so that the server does not end.
  const slow = await site.open();
  send(slow, '/slow/go');
  await site.server.printed(/^waits for go\n/m);
  await site.signal();
  idle.send(
    'GET /counts HTTP/1.1\r\nHost: svc.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  // A close frame with code 1001 and the reason.
  await until('the frame of the close', () =>
    idle.unread.includes(Buffer.from('\x88\x12\x03\xe9the server stops', 'latin1')),
  );
  idle.send(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 3, 0xe9]));
  idle.socket.end();
  site.go();
  t.equal(bodyOf(await slow.response('GET')), 'done');
  await site.ends();
});

t.test('a WebSocket whose handler only sends is closed', async (t) => {
  const site = await Site.start(t);
  const peer = await Peer.open(t, site.port, '/pushes');
  t.equal(await peer.next(), 'tick');
  await site.signal();
  t.equal(await peer.closed(), 1001);
  await site.ends();
});

/** Programs that continue after their server has stopped. */
const ENDLESS: Record<string, string> = {
  'a thread of its own that loops in ensure':
    'app.get("/") do |req|\n  spawn do\n    begin\n      puts "runs"\n      sleep 100\n    ensure\n      loop { }\n    end\n  end\n  "started"\nend\napp.run(0, "127.0.0.1")\n',
  'a loop after app.run':
    'app.get("/") { |req| puts "runs"; "x" }\napp.run(0, "127.0.0.1")\nputs "loops"\nloop { sleep 0.1 }\n',
};

for (const [what, source] of Object.entries(ENDLESS)) {
  t.test(`the process ends after drain_seconds: ${what}`, async (t) => {
    const { server, port } = await serve(t, `app = web_app()\napp.set("drain_seconds", 1)\n${source}`);
    const connection = await Connection.open(port);
    t.teardown(() => connection.socket.destroy());
    send(connection, '/');
    await server.printed(/^runs\n/m);
    const { stderr, exitCode } = await server.stop('SIGTERM');
    t.same([stderr, exitCode], ['svcc: threads are still running after the time limit; ending the process\n', 1]);
  });

  t.test(`the process ends at a second signal: ${what}`, async (t) => {
    const { server, port } = await serve(t, `app = web_app()\napp.set("drain_seconds", 1000)\n${source}`);
    const connection = await Connection.open(port);
    t.teardown(() => connection.socket.destroy());
    send(connection, '/');
    await server.printed(/^runs\n/m);
    server.child.kill('SIGTERM');
    await until('a closed port', () =>
      Connection.open(port).then(
        (other) => other.socket.destroy() === null,
        () => true,
      ),
    );
    if (source.includes('loops')) {
      connection.socket.destroy();
      await server.printed(/^loops\n/m);
    }
    const { exitCode } = await server.stop('SIGTERM');
    t.ok(exitCode === 1 || server.child.signalCode === 'SIGTERM', 'the test does not kill it', {
      exitCode,
      signal: server.child.signalCode,
    });
  });
}
