import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { once } from 'node:events';
import { until } from '../../patience.js';
import { serve } from '../support/serve.js';
import { endsQuietly } from '../threats/attack.js';

const PROGRAM = `app = web_app()
app.websocket("/bytes/:room", binary: true) do |ws|
  ws.join(ws.params["room"])
  while (msg = ws.recv()) != nil
    if msg.is_a?(Bytes) && msg[0] == 1
      app.rooms[ws.params["room"]].send(msg)
    elsif msg.is_a?(Bytes) && msg[0] == 2
      app.broadcast("/bytes/:room", msg[1..])
    else
      ws.send(msg.is_a?(Bytes) ? msg + Bytes([255]) : "text #{msg}")
    end
  end
end
app.websocket("/texts") do |ws|
  while (msg = ws.recv()) != nil
    ws.send("#{type(msg)} #{msg}")
  end
end
app.websocket("/flood", binary: true) do |ws|
  ws.send("ready")
  sleep 0.2
  sum = 0
  count = 0
  while (msg = ws.recv()) != nil
    sum += msg.length
    count += 1
    ws.send("#{count} #{sum}") if count == 40
  end
end
app.get("/client") do |req|
  ws = ws_connect("ws://127.0.0.1:#{app.port}/bytes/client", binary: true, timeout: 20)
  ws.send(Bytes([0, 254]))
  got = [ws.recv().inspect]
  ws.send("hi")
  got << ws.recv()
  ws.close()
  plain = ws_connect("ws://127.0.0.1:#{app.port}/bytes/client", timeout: 20)
  plain.send(Bytes([0]))
  got << plain.recv()
  got << plain.open?
  got.inspect
end
app.run(0)
`;

interface Message {
  data: string;
  binary: boolean;
}

/** A client that records messages with their kind; bytes in hexadecimal. */
async function peer(t: Test, port: number, path: string): Promise<{ ws: WebSocket; next(): Promise<Message> }> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  t.teardown(() => ws.terminate());
  const got: Message[] = [];
  ws.on('message', (data: Buffer, binary) => got.push({ data: data.toString(binary ? 'hex' : 'utf8'), binary }));
  await once(ws, 'open');
  return {
    ws,
    next: async () => {
      await until('a message', () => got.length > 0);
      return got.shift() as Message;
    },
  };
}

t.test('a route with binary: true receives and sends Bytes', async (t) => {
  const { server, port } = await serve(t, PROGRAM);
  const { ws, next } = await peer(t, port, '/bytes/a');
  ws.send(Buffer.from([0, 128]));
  t.same(await next(), { data: '0080ff', binary: true });
  ws.send(Buffer.from('UTF-8 too'));
  t.same(await next(), { data: `${Buffer.from('UTF-8 too').toString('hex')}ff`, binary: true });
  ws.send('a text');
  t.same(await next(), { data: 'text a text', binary: false });
  ws.send(Buffer.alloc(0));
  t.same(await next(), { data: 'ff', binary: true });
  const other = await peer(t, port, '/bytes/a');
  // Its answer shows that it has joined the room.
  other.ws.send('here');
  await other.next();
  ws.send(Buffer.from([1, 200]));
  t.same([await next(), await other.next()], Array(2).fill({ data: '01c8', binary: true }), 'a room');
  ws.send(Buffer.from([2, 201]));
  t.same([await next(), await other.next()], Array(2).fill({ data: 'c9', binary: true }), 'a broadcast');
  await endsQuietly(t, server);
});

t.test('without it, binary messages are texts', async (t) => {
  const { port } = await serve(t, PROGRAM);
  const { ws, next } = await peer(t, port, '/texts');
  ws.send(Buffer.from('é'));
  t.same(await next(), { data: 'String é', binary: false });
  ws.send(Buffer.from([255]));
  const [code, reason] = (await once(ws, 'close')) as [number, Buffer];
  t.same([code, reason.toString()], [1003, 'text messages only']);
});

t.test('waiting Bytes count as much as texts', async (t) => {
  const { port } = await serve(t, PROGRAM);
  const { ws, next } = await peer(t, port, '/flood');
  t.equal((await next()).data, 'ready');
  // More than a connection's inbox holds.
  for (let i = 0; i < 40; i++) ws.send(Buffer.alloc(20_000, i));
  t.equal((await next()).data, '40 800000');
});

t.test('clients', async (t) => {
  const { port } = await serve(t, PROGRAM);
  const answer = await fetch(`http://127.0.0.1:${port}/client`);
  t.equal(await answer.text(), '["Bytes(3: 00 fe ff)", "text hi", nil, false]');
});
