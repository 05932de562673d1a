import t from 'tap';
import { serve } from '../support/serve.js';
import { happens } from '../../patience.js';
import { alive, ALIVE, attack, endsQuietly, HEAD, LONG, open, watchMemory } from './attack.js';

const MIB = 1024 * 1024;
const CLIENTS = LONG ? 1000 : 60;
const BUDGET = LONG ? 256 * MIB : 10 * MIB;

t.jobs = 2;
t.setTimeout(LONG ? 300_000 : 120_000);

for (const [kind, fields, start] of [
  ['a length', `Content-Length: ${MIB}\r\n`, ''],
  ['chunks', 'Transfer-Encoding: chunked\r\n', `${MIB.toString(16)}\r\n`],
]) {
  t.test(`${CLIENTS} bodies with ${kind} that stay incomplete`, async (t) => {
    const { server, port } = await serve(
      t,
      `app = web_app()\napp.set("input_bytes", ${BUDGET})\n${ALIVE}app.post("/") { |req| req.body.length.to_s }\napp.run(0)\n`,
    );
    const whole = (size: number): Promise<number[]> =>
      attack(port, `POST / ${HEAD}Connection: close\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`).then(
        ({ statuses }) => statuses,
      );
    for (let i = 0; i < 5; i++) await whole(MIB);
    const watch = await watchMemory(server);
    const sockets = [];
    for (let i = 0; i < CLIENTS; i++)
      sockets.push(await open(port, `POST / ${HEAD}${fields}\r\n${start}${'x'.repeat(MIB - 100)}`));
    await alive(t, port, 'meanwhile');
    t.ok(await happens(async () => (await whole(MIB)).join() === '503'), 'there is no room for another one');
    t.same(await whole(10_000), [200], 'but for a short one');
    t.ok(await happens(async () => (await whole(MIB)).join() === '200'), 'those that send nothing make room');
    const growth = await watch.growth();
    t.comment(`${growth.toFixed(1)} MiB more`);
    t.ok(growth < BUDGET / MIB + (LONG ? 500 : 100), `${growth.toFixed(1)} MiB`);
    for (const socket of sockets) socket.destroy();
    t.ok(await happens(async () => (await whole(MIB)).join() === '200'), 'all is given back');
    await endsQuietly(t, server);
  });
}
