import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import type { Svcc } from '../../svcc/svcc.js';
import { get, serve } from '../support/serve.js';
import { frame, Opcode, Peer, rawPeer, refusal } from './peers.js';

const PROGRAM = `app = web_app()
app.set("drain_seconds", 2)
app.get("/alive") { |req| "alive" }
app.websocket("/returns") { |ws| ws.send("bye") }
app.websocket("/raises") do |ws|
  ws.send("before")
  raise ValueError, "went wrong"
end
app.websocket("/halts") { |ws| halt(403, "no") }
app.websocket("/loops") do |ws|
  puts "started"
  begin
    n = 0
    while true
      n += 1
    end
  ensure
    puts "ended"
  end
end
app.websocket("/sleeps") do |ws|
  puts "started"
  begin
    sleep 100
  ensure
    puts "ended"
  end
end
app.websocket("/stubborn") do |ws|
  puts "started"
  loop do
    begin
      loop { sleep 0.01 }
    rescue e
      puts "rescued"
    ensure
      puts "ended"
    end
  end
end
app.websocket("/tidies") do |ws|
  while ws.recv() != nil
  end
  sleep 1.4
  puts "tidied"
end
app.websocket("/lingers") do |ws|
  begin
    while ws.recv() != nil
    end
    puts "noticed"
    sleep 100
  ensure
    sleep 0.1
    puts "ended"
  end
end
app.websocket("/finishes", finish: true) do |ws|
  puts "started"
  sleep 2.2
  puts "finished #{ws.open?} #{ws.send("x")}"
end
app.websocket("/echo") do |ws|
  while (msg = ws.recv()) != nil
    ws.send(msg)
  end
  puts "code #{ws.close_code}"
end
app.websocket("/bounded") do |ws|
  begin
    timeout(0.2) { ws.recv() }
  rescue TimeoutError => e
    ws.send(e.message)
  end
  ws.send("then #{ws.recv()}")
end
app.websocket("/unread") do |ws|
  begin
    sleep 100
  ensure
    puts "ended"
  end
end
app.run(0)
puts "after run"
`;

t.jobs = 5;

function lines(server: Svcc, text: string): number {
  return server.stdout.split('\n').filter((line) => line === text).length;
}

/** Opens connections and waits until their handlers have started. */
async function started(test: Test, server: Svcc, port: number, path: string, count: number): Promise<Peer[]> {
  const before = lines(server, 'started');
  const peers = await Promise.all(Array.from({ length: count }, () => Peer.open(test, port, path)));
  await until('the handlers', () => lines(server, 'started') === before + count);
  return peers;
}

t.test('a handler that returns closes with 1000', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/returns');
  t.same([await peer.closed(), peer.messages], [1000, ['bye']]);
  const { stderr, stdout, exitCode } = await server.stop();
  t.same([stderr, exitCode], ['', 0]);
  t.match(stdout, /after run\n$/);
});

t.test('an error closes with 1011 without a reason, and is logged with its place', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/raises');
  t.same([await peer.closed(), peer.reason, peer.messages], [1011, '', ['before']]);
  const halts = await Peer.open(t, port, '/halts');
  t.same([await halts.closed(), halts.reason], [1011, '']);
  t.equal((await get(port, '/alive')).body, 'alive');
  const { stderr, exitCode } = await server.stop();
  t.match(stderr, /^websocket \/raises \(.*app\.svc:5\) failed:\nValueError: went wrong\n/);
  t.match(stderr, /app\.svc:7 in block/);
  t.match(
    stderr,
    /websocket \/halts \(.*app\.svc:9\) failed:\nRuntimeError: halt\(\) in a WebSocket handler: there is no response to send; use ws\.close\n/,
  );
  t.equal(stderr.match(/failed:/g)?.length, 2, 'once for each');
  t.equal(exitCode, 0);
});

t.test('handlers that loop or wait end after their peers disconnect', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  for (const path of ['/loops', '/sleeps']) {
    const before = lines(server, 'ended');
    const peers = await started(t, server, port, path, 6);
    peers.forEach((peer, i) => (i % 2 === 0 ? peer.ws.close() : peer.ws.terminate()));
    await until(`the end of ${path}`, () => lines(server, 'ended') === before + 6);
    t.pass(path);
    t.equal((await get(port, '/alive')).body, 'alive');
  }
  t.equal((await server.stop()).stderr, '', 'which is no error');
});

t.test('a handler that rescues all errors ends, too', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const [peer] = await started(t, server, port, '/stubborn', 1);
  peer.ws.terminate();
  await until('its end', () => lines(server, 'ended') > 0);
  t.equal(lines(server, 'rescued'), 0, 'the end is no error that could be rescued');
  const { stderr, exitCode } = await server.stop();
  t.same([stderr, exitCode], ['', 0]);
});

t.test('a handler that has noticed the end may tidy up, for drain_seconds', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const [tidies, lingers] = [await Peer.open(t, port, '/tidies'), await Peer.open(t, port, '/lingers')];
  tidies.ws.close();
  lingers.ws.terminate();
  await until('what takes longer than a second', () => lines(server, 'tidied') === 1);
  t.equal(lines(server, 'noticed'), 1);
  await until('the end after drain_seconds', () => lines(server, 'ended') === 1);
  const { stderr, exitCode } = await server.stop();
  t.same([stderr, exitCode], ['', 0]);
});

t.test('with finish: true the handler continues', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const [peer] = await started(t, server, port, '/finishes', 1);
  peer.ws.terminate();
  await until('its end', () => lines(server, 'finished false false') === 1);
  t.equal((await server.stop()).stderr, '');
});

t.test('SIGTERM closes all with 1001, and the program continues after app.run', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const echoes = await Promise.all(Array.from({ length: 5 }, () => Peer.open(t, port, '/echo')));
  const loops = await started(t, server, port, '/loops', 2);
  for (const peer of echoes) peer.send('x');
  for (const peer of echoes) await peer.next();
  const stopped = server.stop();
  for (const peer of [...echoes, ...loops]) t.same([await peer.closed(), peer.reason], [1001, 'the server stops']);
  const { stdout, stderr, exitCode } = await stopped;
  t.same([stderr, exitCode], ['', 0]);
  t.equal(stdout.match(/^code /gm)?.length, 5, 'handlers see the end');
  t.equal(stdout.match(/^ended$/gm)?.length, 2);
  t.match(stdout, /after run/);
});

t.test('SIGTERM while a peer does not answer the close', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('"drain_seconds", 2', '"drain_seconds", 1'));
  await rawPeer(t, port, '/echo');
  const { stderr, exitCode } = await server.stop();
  t.same([stderr, exitCode], ['', 0], 'it is not waited for');
});

t.test('a second SIGTERM does not wait', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('"drain_seconds", 2', '"drain_seconds", 3600'));
  await rawPeer(t, port, '/echo');
  server.child.kill('SIGTERM');
  await until('a closed port', () =>
    get(port, '/alive').then(
      () => false,
      () => true,
    ),
  );
  t.equal(server.child.exitCode, null, 'the first one does');
  const { exitCode } = await server.stop();
  t.equal(exitCode, 0);
});

t.test('too many threads', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('"drain_seconds", 2', '"threads", 5'));
  const peers = await Promise.all(Array.from({ length: 4 }, () => Peer.open(t, port, '/echo')));
  t.match(await refusal(t, port, '/echo'), /503/);
  for (const peer of peers) peer.send('x');
  for (const peer of peers) t.equal(await peer.next(), 'x', 'those that are there stay');
  for (const peer of peers) peer.ws.close();
  await until('the handlers', () => server.stdout.match(/code 1005/g)?.length === 4);
  const next = await Peer.open(t, port, '/echo');
  next.send('y');
  t.equal(await next.next(), 'y');
  t.equal((await server.stop()).exitCode, 0);
});

t.test('a timeout block around recv', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peer = await Peer.open(t, port, '/bounded');
  t.equal(await peer.next(), 'timed out after 0.2s');
  peer.send('later');
  t.equal(await peer.next(), 'then later', 'the message does not go to the recv that timed out');
  t.equal((await server.stop()).stderr, '');
});

t.test('a peer that does not answer pings is closed, one that does stays open', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('"drain_seconds", 2', '"ping_seconds", 1'));
  const answers = await Peer.open(t, port, '/echo');
  const silent = await Peer.open(t, port, '/echo', { autoPong: false });
  t.equal(await silent.closed(), 1006);
  await until('its handler', () => server.stdout.includes('code 1006'));
  await until('pings', () => answers.pings >= 3);
  answers.send('still here');
  t.equal(await answers.next(), 'still here');
  t.equal(answers.code, null);
  t.equal((await server.stop()).stderr, '');
});

t.test('a peer disconnects while it is not read, because its messages are not received', async (t) => {
  const { server, port } = await serve(t, PROGRAM.replace('"drain_seconds", 2', '"ping_seconds", 1'));
  for (const reset of [false, true]) {
    const before = lines(server, 'ended');
    const socket = await rawPeer(t, port, '/unread');
    socket.write(Buffer.concat(Array.from({ length: 40 }, () => frame(Opcode.text, 'x'.repeat(10_000)))));
    await sleep(300);
    if (reset) socket.resetAndDestroy();
    else socket.destroy();
    await until(
      `the handler's end, ${reset ? 'after a reset' : 'after an end'}`,
      () => lines(server, 'ended') === before + 1,
    );
  }
  t.equal((await server.stop()).stderr, '');
});
