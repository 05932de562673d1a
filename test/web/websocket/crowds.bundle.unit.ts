/** Rooms with so many members that messages are sent to them in pieces. */
import t, { type Test } from 'tap';
import { until } from '../../patience.js';
import { get, serve } from '../support/serve.js';
import { Peer } from './peers.js';

/** Members of the room. */
const MANY = 700;

const PROGRAM = `app = web_app()
app.websocket("/crowd") do |ws|
  ws.join("crowd")
  while text = ws.recv
    reached = app.rooms["crowd"].send(text, except: ws)
    ws.send("reached #{reached}")
  end
end
app.get("/size") { |req| app.rooms["crowd"].size }
app.get("/turns") do |req|
  app.rooms["crowd"].send("warm") if req.query["warm"]
  turns = shared(0)
  over = shared(false)
  spawn do
    until over.get
      turns.update { |n| n + 1 }
      sleep(0)
    end
  end
  reached = app.rooms["crowd"].send("x" * 100)
  over.set(true)
  {turns: turns.get, reached: reached}
end
app.get("/both") do |req|
  tasks = ["a", "b"].map { |name| spawn { (1..50).map { |i| app.rooms["crowd"].send("#{name}#{i}") }.uniq } }
  broadcast = (1..20).map { |i| app.broadcast("/crowd", "c#{i}") }.uniq
  await(tasks).concat([broadcast])
end
app.get("/late") do |req|
  ended = 30.times.map do |i|
    spawn do
      begin
        timeout(0.001) { app.rooms["crowd"].send("late#{i}") }
        "sent"
      rescue TimeoutError
        "ended"
      end
    end
  end
  await(ended).tally
end
app.run(0)
`;

async function crowd(t: Test) {
  const { server, port } = await serve(t, PROGRAM);
  const peers: Peer[] = [];
  for (let i = 0; i < MANY / 100; i++)
    peers.push(...(await Promise.all(Array.from({ length: 100 }, () => Peer.open(t, port, '/crowd')))));
  await until('all members', async () => (await get(port, '/size')).body === String(MANY));
  return { server, port, peers };
}

t.test('a room with many members', async (t) => {
  const { server, port, peers } = await crowd(t);
  const { turns, reached } = JSON.parse((await get(port, '/turns?warm=1')).body) as Record<string, number>;
  t.equal(reached, MANY);
  t.ok(turns >= 3, `${turns} turns of another thread meanwhile`);
  await until('the messages', () => peers.every(({ messages }) => messages.length === 2));

  for (const peer of peers) peer.messages.length = 0;
  t.equal((await get(port, '/both')).body, `[[${MANY}],[${MANY}],[${MANY}]]`);
  await until('the messages', () => peers.every(({ messages }) => messages.length === 120));
  const [first] = peers;
  const inRoom = (messages: string[]): string => messages.filter((text) => !text.startsWith('c')).join(' ');
  t.equal(new Set(peers.map(({ messages }) => inRoom(messages))).size, 1, 'all get them in the same order');
  for (const name of ['a', 'b', 'c'])
    t.same(
      first.messages.filter((text) => text.startsWith(name)),
      Array.from({ length: name === 'c' ? 20 : 50 }, (_, i) => `${name}${i + 1}`),
      `those of thread ${name} in its order`,
    );

  for (const peer of peers) peer.messages.length = 0;
  first.send('to all others');
  await until('an answer', () => first.messages.length === 1);
  t.same(first.messages, [`reached ${MANY - 1}`]);
  await until('the message', () => peers.every(({ messages }) => messages.length === 1));

  for (const peer of peers) peer.messages.length = 0;
  const { sent = 0, ended = 0 } = JSON.parse((await get(port, '/late')).body) as Record<string, number>;
  t.equal(sent + ended, 30);
  first.send('last');
  await until('the last message', () => peers.slice(1).every(({ messages }) => messages.includes('last')));
  t.equal(
    new Set(peers.slice(1).map(({ messages }) => messages.join(' '))).size,
    1,
    'a message goes to all or to none',
  );
  t.equal((await server.stop()).stderr, '');
});
