import { renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import { Svcc } from '../../svcc/svcc.js';
import { get } from '../support/serve.js';
import { Peer } from './peers.js';

function version(text: string, drainSeconds = 1): string {
  return `app = web_app()
app.set("drain_seconds", ${drainSeconds})
app.get("/") { |req| "${text}" }
app.websocket("/ws") do |ws|
  ws.join("all")
  while (msg = ws.recv()) != nil
    ws.send("${text} #{msg} #{app.rooms["all"].size}")
  end
end
spawn do
  begin
    sleep 1000
  ensure
    sleep 0.01
    puts "${text} has ended"
  end
end
app.run(0)
`;
}

class Site {
  readonly server: Svcc;
  private readonly path: string;

  constructor(
    private readonly test: Test,
    text: string,
  ) {
    const cwd = test.testdir({ 'app.svc': text });
    this.path = join(cwd, 'app.svc');
    this.server = new Svcc(['run', '--dev', 'app.svc'], { cwd });
    test.teardown(() => this.server.child.kill('SIGKILL'));
  }

  /** Saves a version in one step and waits until it answers. */
  async becomes(text: string): Promise<void> {
    writeFileSync(`${this.path}.new`, version(text));
    renameSync(`${this.path}.new`, this.path);
    const port = await this.server.port();
    await until(`the version ${text}`, async () => (await get(port, '/')).body === text);
  }

  async open(): Promise<Peer> {
    return Peer.open(this.test, await this.server.port(), '/ws');
  }
}

async function asks(peer: Peer, text: string): Promise<string> {
  peer.send(text);
  return peer.next();
}

t.jobs = 3;

t.test('open connections stay with the version that accepted them', async (t) => {
  const site = new Site(t, version('one'));
  const old = await site.open();
  t.equal(await asks(old, 'a'), 'one a 1');
  await site.becomes('two');
  const recent = await site.open();
  t.equal(await asks(old, 'b'), 'one b 1', 'each version has its own rooms');
  t.equal(await asks(recent, 'b'), 'two b 1');
  await until('the end of its own threads', () => site.server.stdout.includes('one has ended'));
  t.equal(await asks(old, 'c'), 'one c 1', 'after drain_seconds, too');
  t.equal(await asks(recent, 'c'), 'two c 1');
  const stopped = site.server.stop();
  t.same([await old.closed(), await recent.closed()], [1001, 1001]);
  t.equal((await stopped).exitCode, 0);
});

t.test('SIGTERM closes the connections of all versions', async (t) => {
  const site = new Site(t, version('one'));
  const old = await site.open();
  t.equal(await asks(old, 'a'), 'one a 1');
  await site.becomes('two');
  const recent = await site.open();
  t.equal(await asks(recent, 'a'), 'two a 1');
  const stopped = site.server.stop();
  t.same([await old.closed(), await recent.closed()], [1001, 1001]);
  t.equal((await stopped).exitCode, 0);
});

t.test('failed handshakes do not keep a version running', async (t) => {
  const site = new Site(t, version('one', 1000));
  const port = await site.server.port();
  const HEAD =
    'GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
  for (const fields of ['', 'Sec-WebSocket-Protocol: ,,\r\n', 'Sec-WebSocket-Protocol: a, a\r\n']) {
    for (let i = 0; i < 20; i++) {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.on('error', () => {});
      await new Promise((done) => socket.once('connect', done));
      await new Promise<void>((done) => socket.write(`${HEAD}${fields}\r\n`, () => done()));
      if (fields === '') socket.resetAndDestroy();
      else await new Promise((done) => socket.once('close', done).resume());
    }
  }
  await site.becomes('two');
  await until('the end of the old version', () => site.server.stdout.includes('one has ended'));
  t.equal((await site.server.stop()).exitCode, 0);
});
