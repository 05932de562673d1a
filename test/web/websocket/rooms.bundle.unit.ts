import t from 'tap';
import { until } from '../../patience.js';
import { GROWTH_MIB } from '../support/growth.js';
import { get, serve } from '../support/serve.js';
import { count, watchMemory } from '../threats/attack.js';
import { Peer, rawPeer } from './peers.js';

const PROGRAM = `app = web_app()
app.websocket("/rooms/:room") do |ws|
  ws.join(ws.params["room"])
  ws.join(ws.params["room"])
  ws.join("all")
  ws.send(ws.rooms)
  while (msg = ws.recv()) != nil
    if msg == "leave"
      ws.leave("all")
      ws.leave("all")
      ws.leave("never joined")
      ws.send(ws.rooms)
    elsif msg == "close"
      ws.close()
      ws.join("too late")
      puts "rooms #{ws.rooms} #{app.rooms["too late"].size}"
    else
      ws.send("sent #{app.rooms[ws.params["room"]].send(msg, except: ws)}")
    end
  end
  puts "left #{ws.rooms}"
end
app.get("/room/:name") { |req| "#{app.rooms[req.params["name"]].name} #{app.rooms[req.params["name"]].size}" }
app.get("/names") { |req| app.rooms.names }
app.get("/send/:room") { |req| app.rooms[req.params["room"]].send({"text": "é"}) }
app.get("/bad") do |req|
  begin
    app.rooms["all"].send("x", except: 1)
  rescue TypeError => e
    e.message
  end
end
app.websocket("/feed/:name") do |ws|
  puts "open"
  while ws.recv() != nil
  end
  puts "closed #{ws.params["name"]} #{ws.close_code}"
end
app.get("/by_pattern") { |req| app.broadcast("/feed/:name", [1, 2]) }
app.get("/by_path") { |req| app.broadcast("/feed/a", "to a") }
app.get("/nobody") { |req| app.broadcast("/nowhere", "x") }
app.get("/numbers") do |req|
  total = 0
  500.times { |i| total += app.broadcast("/feed/:name", "#{i}") }
  total
end
app.get("/flood") do |req|
  400.times do
    app.broadcast("/feed/:name", "x" * 100_000)
    sleep 0.02
  end
  "flooded"
end
app.metrics
app.run(0)
`;

t.jobs = 4;

/** Names of all rooms, sorted, because connections opened together join in any order. */
async function members(port: number): Promise<string[]> {
  return (JSON.parse((await get(port, '/names')).body) as string[]).sort();
}

t.test('joining, leaving, and sending to all others', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  t.same(await members(port), []);
  const [a, b, c] = [
    await Peer.open(t, port, '/rooms/red'),
    await Peer.open(t, port, '/rooms/red'),
    await Peer.open(t, port, '/rooms/blue'),
  ];
  for (const [peer, room] of [
    [a, 'red'],
    [b, 'red'],
    [c, 'blue'],
  ] as const)
    t.same(JSON.parse(await peer.next()), [room, 'all'], 'joining twice is joining once');
  t.same(await members(port), ['all', 'blue', 'red']);
  t.same(
    [(await get(port, '/room/red')).body, (await get(port, '/room/all')).body, (await get(port, '/room/none')).body],
    ['red 2', 'all 3', 'none 0'],
  );
  a.send('hello');
  t.equal(await a.next(), 'sent 1', 'not to itself');
  t.equal(await b.next(), 'hello');
  t.equal((await get(port, '/send/all')).body, '3');
  for (const peer of [a, b, c]) t.equal(await peer.next(), '{"text":"é"}');
  t.equal((await get(port, '/send/none')).body, '0');
  c.send('leave');
  t.same(JSON.parse(await c.next()), ['blue']);
  t.equal((await get(port, '/send/all')).body, '2');
  t.equal(c.messages.length, 3, 'a connection that has left receives nothing');
  t.equal((await get(port, '/bad')).body, 'SvcRoom.send(): except must be a SvcWebSocket');
  t.equal((await server.stop()).stderr, '');
});

t.test('a connection leaves its rooms when it ends', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peers = await Promise.all(['red', 'red', 'blue', 'green'].map((room) => Peer.open(t, port, `/rooms/${room}`)));
  for (const peer of peers) await peer.next();
  peers[0].ws.close();
  peers[1].ws.terminate();
  peers[2].send('close');
  await until('that they have left', async () => (await get(port, '/room/all')).body === 'all 1');
  t.same(await members(port), ['all', 'green']);
  await until('the handlers', () => count(server.stdout, 'left [') === 3);
  t.match(server.stdout, /^rooms .* 0$/m, 'a closed connection joins no room');
  peers[3].ws.close();
  await until('empty rooms', async () => (await members(port)).length === 0);
  t.equal((await server.stop()).stderr, '');
});

t.test('broadcasts by pattern and by path, in order', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const peers = await Promise.all(['a', 'a', 'b'].map((name) => Peer.open(t, port, `/feed/${name}`)));
  await until('the handlers', () => count(server.stdout, 'open\n') === 3);
  t.equal((await get(port, '/by_pattern')).body, '3');
  t.equal((await get(port, '/by_path')).body, '2');
  t.equal((await get(port, '/nobody')).body, '0');
  t.equal((await get(port, '/numbers')).body, '1500');
  for (const [i, peer] of peers.entries()) {
    const first = i < 2 ? ['[1,2]', 'to a'] : ['[1,2]'];
    await until('all messages', () => peer.messages.length === 500 + first.length);
    t.same(peer.messages, [...first, ...Array.from({ length: 500 }, (_, n) => String(n))]);
  }
  t.equal((await server.stop()).stderr, '');
});

t.test('a peer that reads broadcasts too slowly is closed with 1013 and counted; others receive all', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const fast = await Peer.open(t, port, '/feed/fast');
  const slow = await Promise.all(Array.from({ length: 3 }, () => rawPeer(t, port, '/feed/slow')));
  await until('the handlers', () => count(server.stdout, 'open\n') === 4);
  const watch = await watchMemory(server);
  t.equal((await get(port, '/flood')).body, 'flooded');
  await until('all messages', () => fast.messages.length === 400);
  await until('the end of the others', () => count(server.stdout, 'closed slow') === 3);
  const growth = await watch.growth();
  t.ok(growth < GROWTH_MIB, `${growth.toFixed(1)} MiB more`);
  t.equal(fast.code, null);
  for (const socket of slow) {
    let end = Buffer.alloc(0);
    socket.on('data', (data: Buffer) => (end = Buffer.concat([end, data]).subarray(-100))).resume();
    await until('the reason', () => end.includes('too slow'));
    t.equal(end.readUInt16BE(end.indexOf('too slow') - 2), 1013);
    socket.destroy();
  }
  const { body } = await get(port, '/metrics');
  const value = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1]);
  await until('that they are gone', async () =>
    (await get(port, '/metrics')).body.includes('\nsvc_websocket_connections 1\n'),
  );
  t.same([value('svc_websocket_opened_total'), value('svc_websocket_slow_closed_total')], [4, 3]);
  t.ok(
    value('svc_websocket_broadcast_sent_total') >= 400 && value('svc_websocket_broadcast_sent_total') < 1600,
    'what was sent',
  );
  for (const [name, type] of [
    ['connections', 'gauge'],
    ['opened_total', 'counter'],
    ['broadcast_sent_total', 'counter'],
    ['slow_closed_total', 'counter'],
  ])
    t.match(body, `# TYPE svc_websocket_${name} ${type}\n`);
  t.equal((await server.stop()).stderr, '');
});

t.test('an application without WebSockets has no such metrics', async (t) => {
  const { port } = await serve(t, 'app = web_app()\napp.metrics\napp.run(0)\n');
  const { body } = await get(port, '/metrics');
  t.match(body, 'svc_threads');
  t.notMatch(body, 'websocket');
});
