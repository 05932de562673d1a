/** Many messages at once from another process: only those that are slow fall behind. */
import t, { type Test } from 'tap';
import { until } from '../patience.js';
import { Svcc } from '../svcc/svcc.js';
import { get } from '../web/support/serve.js';
import { Peer } from '../web/websocket/peers.js';
import { type Engine, ENGINES } from './engines.js';

const COUNT = 400;

/** The messages have 8 MB together. */
const PROGRAM = `me = file_read("/proc/self/stat").split(" ")[0].to_i
url = env("BUS_URL", "local:")
app = web_app()
app.set("bus", url)
bus = message_bus(url)
count = shared(0)
bus.subscribe("burst") { |msg| count.update(&.succ) }
app.get("/count") { |req| {me: me, count: count.get} }
app.get("/publish") do |req|
  ${COUNT}.times { |i| bus.publish("burst", {i: i, text: "x" * 20_000}) }
  ${COUNT}.times { |i| app.rooms["r"].send({i: i, text: "x" * 20_000}) }
  "published"
end
app.websocket("/room") do |ws|
  ws.join("r")
  ws.send({me: me})
  ws.recv
end
app.run(0)
`;

async function burst(t: Test, servers: readonly Svcc[]): Promise<void> {
  for (const { child } of servers) t.teardown(() => child.kill('SIGKILL'));
  const ports = await Promise.all(servers.map((server) => server.port()));
  const counts = new Map<number, number>();
  const look = async (): Promise<void> => {
    for (const port of ports) {
      const { me, count } = JSON.parse((await get(port, '/count')).body) as { me: number; count: number };
      counts.set(me, count);
    }
  };
  await until('both processes', async () => look().then(() => counts.size === 2));
  const peers: Peer[] = [];
  const places = new Set<string | null>();
  for (let i = 0; places.size < 2; i++) {
    const peer = await Peer.open(t, ports[i % ports.length], '/room');
    places.add(await peer.nextIfAny());
    peers.push(peer);
  }
  t.equal((await get(ports[0], '/publish')).body, 'published');
  await until('all messages in both processes', async () => {
    await look();
    return [...counts.values()].every((count) => count === COUNT);
  });
  await until('all messages at all members', () => peers.every(({ messages }) => messages.length === 1 + COUNT));
  for (const { stderr } of servers) t.equal(stderr, '');
}

void t.test('a burst between workers', (t) => {
  const cwd = t.testdir({ 'app.svc': PROGRAM });
  return burst(t, [new Svcc(['run', '--workers', '2', 'app.svc'], { cwd })]);
});

for (const { name, start, missing } of ENGINES)
  void t.test(`a burst over ${name}`, { skip: start === null && missing }, async (t) => {
    const engine = await (start as () => Promise<Engine>)();
    t.teardown(() => engine.stop());
    const cwd = t.testdir({ 'app.svc': PROGRAM });
    const env = { BUS_URL: engine.url() };
    return burst(t, [new Svcc(['run', 'app.svc'], { cwd, env }), new Svcc(['run', 'app.svc'], { cwd, env })]);
  });
