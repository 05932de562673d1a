/** Rooms, presence and broadcasts of two processes: workers, and hosts with a real server between them. */
import t from 'tap';
import { until } from '../patience.js';
import { type Engine, ENGINES } from './engines.js';
import { Proxy } from './proxy.js';
import { type RoomAnswer, Service } from './service.js';

type Test = typeof t;

t.setTimeout(600_000);

void t.test('--workers', async (t) => {
  const service = await Service.workers(t as Test);
  await roomCases(t as Test, service);
  await t.test('a worker that dies is gone from its rooms', async (t) => {
    await service.open(0, '/rooms/dying?name=Ann');
    await service.open(1, '/rooms/dying?name=Bob');
    await service.shows(0, 'dying', 2, ['Ann', 'Bob']);
    process.kill(service.ids[1], 'SIGKILL');
    await until('one member', async () => {
      // A connection that the dying worker has been given is never answered.
      const signal = AbortSignal.timeout(2000);
      const answer = await fetch(`http://127.0.0.1:${service.ports[0]}/room/dying`, { signal }).catch(() => null);
      return answer !== null && ((await answer.json()) as RoomAnswer).size === 1;
    });
    t.pass();
  });
  t.equal(service.servers[0].stderr.replace(/^svcc: worker \d+ died.*\n/m, ''), '');
});

for (const { name, start, missing } of ENGINES)
  void t.test(name, { skip: start === null && missing }, async (t) => {
    const engine = await (start as () => Promise<Engine>)();
    t.teardown(() => engine.stop());
    const proxy = await Proxy.start(engine.port);
    t.teardown(() => proxy.close());
    const service = await Service.hosts(t as Test, [engine.url(), engine.url(proxy.port)]);
    await roomCases(t as Test, service);
    await outageCases(t as Test, service, engine, proxy);
  });

async function roomCases(t: Test, service: Service): Promise<void> {
  await t.test('messages reach the members in both processes, except the sender', async (t) => {
    const [a, b, c] = [await service.open(0, '/rooms/tea'), await service.open(1, '/rooms/tea'), await service.open(1, '/rooms/coffee')]; // prettier-ignore
    const texts = ['hello', 'grüße 😀', 'nul \0', 'x'.repeat(200_000)];
    for (const text of texts) {
      a.send(text);
      t.equal(await a.next(), 'reached 0', 'members of this process are counted');
      t.ok((await b.next()) === text);
    }
    b.send('back');
    t.equal(await a.next(), 'back');
    c.send('alone');
    t.equal(await c.next(), 'reached 0');
    t.equal(a.messages.length, 1 + texts.length + 1);
    for (const peer of [a, b, c]) peer.ws.close();
  });

  await t.test('messages of one sender arrive in order', async (t) => {
    const [a, b] = [await service.open(0, '/rooms/order'), await service.open(1, '/rooms/order')];
    for (let i = 0; i < 2000; i++) a.send(String(i));
    await until('all messages', () => b.messages.length === 2001);
    t.strictSame(
      b.messages.slice(1),
      Array.from({ length: 2000 }, (_, i) => String(i)),
    );
    for (const peer of [a, b]) peer.ws.close();
  });

  await t.test('broadcasts and bytes', async (t) => {
    const [a, b] = [await service.open(0, '/rooms/x'), await service.open(1, '/rooms/y')];
    t.match(await service.ask(0, '/all'), { reached: 1 });
    t.equal(await a.next(), 'to \0 all ü😀');
    t.equal(await b.next(), 'to \0 all ü😀');
    const [c, d] = [await service.open(0, '/bytes'), await service.open(1, '/bytes')];
    const received = new Promise<Buffer>((resolve) =>
      d.ws.on('message', (data: Buffer, isBinary) => isBinary && resolve(data)),
    );
    c.ws.send(Buffer.from([0, 255, 10]));
    t.strictSame([...(await received)], [0, 255, 10]);
    for (const peer of [a, b, c, d]) peer.ws.close();
  });

  await t.test('presence', async (t) => {
    const [a, b] = [await service.open(0, '/rooms/who?name=Ann'), await service.open(1, '/rooms/who?name=Bob')];
    const c = await service.open(1, '/rooms/who');
    for (const process of [0, 1]) await service.shows(process, 'who', 3, ['Ann', 'Bob']);
    t.ok((await service.ask<RoomAnswer>(0, '/room/who')).names.includes('who'));
    b.send('leave');
    t.equal(await b.next(), 'left');
    await service.shows(0, 'who', 2, ['Ann']);
    c.ws.terminate();
    await service.shows(0, 'who', 1, ['Ann']);
    a.ws.close();
    for (const process of [0, 1]) await service.shows(process, 'who', 0);
    t.notOk((await service.ask<RoomAnswer>(1, '/room/who')).names.includes('who'));
    b.ws.close();
  });

  await t.test('many members', async (t) => {
    const peers = [];
    for (let i = 0; i < 60; i++) peers.push(await service.open(i % 2, `/rooms/r${i % 7}?name=n${i}`));
    for (const process of [0, 1]) await service.shows(process, 'r3', 9, [3, 10, 17, 24, 31, 38, 45, 52, 59].map((n) => `n${n}`).sort()); // prettier-ignore
    for (const peer of peers) peer.ws.terminate();
    for (const process of [0, 1]) await service.shows(process, 'r3', 0);
    t.pass();
  });
}

async function outageCases(t: Test, service: Service, engine: Engine, proxy: Proxy): Promise<void> {
  await t.test('a restart of the server', async (t) => {
    const [a, b] = [await service.open(0, '/rooms/out?name=Ann'), await service.open(1, '/rooms/out?name=Bob')];
    await engine.restart();
    for (const server of service.servers) await server.printed(/gap true/);
    await until('a message', async () => {
      a.send('after');
      await a.next();
      return b.messages.includes('after');
    });
    for (const process of [0, 1]) await service.shows(process, 'out', 2, ['Ann', 'Bob']);
    for (const peer of [a, b]) peer.ws.close();
    t.pass();
  });

  await t.test('a network that stalls: the others are gone within 10 s, and come back', async (t) => {
    const [a, b] = [await service.open(0, '/rooms/cut?name=Ann'), await service.open(1, '/rooms/cut?name=Bob')];
    await service.shows(0, 'cut', 2, ['Ann', 'Bob']);
    proxy.stall();
    const since = performance.now();
    for (const process of [0, 1]) await service.shows(process, 'cut', 1, [['Ann'], ['Bob']][process]);
    const seconds = (performance.now() - since) / 1000;
    t.ok(seconds < 20, `gone after ${seconds.toFixed(1)} s, of which 10 s are allowed on an idle machine`);
    b.send('to members here');
    t.equal(await b.next(), 'reached 0', 'rooms of the process work on');
    proxy.resume();
    for (const process of [0, 1]) await service.shows(process, 'cut', 2, ['Ann', 'Bob']);
    for (const peer of [a, b]) peer.ws.close();
  });

  await t.test('a process that dies, and one that ends', async (t) => {
    await service.open(0, '/rooms/end?name=Ann');
    await service.open(1, '/rooms/end?name=Bob');
    await service.shows(0, 'end', 2, ['Ann', 'Bob']);
    const since = performance.now();
    service.servers[1].child.kill('SIGKILL');
    await service.shows(0, 'end', 1, ['Ann']);
    const seconds = (performance.now() - since) / 1000;
    t.ok(seconds < 20, `gone after ${seconds.toFixed(1)} s, of which 10 s are allowed on an idle machine`);
    service.servers[0].child.kill('SIGTERM');
    const { exitCode, stderr } = await service.servers[0].ended;
    t.equal(exitCode, 0);
    t.notMatch(stderr, /Error/);
  });
}
