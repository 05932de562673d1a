import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { PATIENCE_MS, until } from '../patience.js';
import { Peer } from '../web/websocket/peers.js';
import { type Answer, missing, send, Site } from './site.js';

const LONG = process.env.SVC_LONG !== undefined;
/** Orders, each with a job. */
const ORDERS = LONG ? 10_000 : 1500;
/** Jobs that run at once: four in each of the two processes of a host. */
const AT_ONCE = 8;
t.setTimeout(LONG ? 1_800_000 : 300_000);

function statusOf(answer: Answer): number {
  return answer?.status ?? 0;
}

/** Orders prints until all are acknowledged, ten at a time. An order without an answer is repeated. */
async function order(port: number, from: number, to: number): Promise<void> {
  let next = from;
  const clients = Array.from({ length: 10 }, async () => {
    while (next < to) {
      const id = next++;
      await until(`order ${id}`, async () => statusOf(await send(port, 'POST', '/prints', { id })) === 201);
    }
  });
  await Promise.all(clients);
}

const skip = missing();
t.test('two hosts', { skip }, async (t) => {
  const site = await Site.start(t as Test);
  const [a, b] = site.hosts;

  await t.test('a chat over hosts, with the people of both', async (t) => {
    const ann = await Peer.open(t as Test, a.port, '/rooms/red?name=ann');
    const ben = await Peer.open(t as Test, b.port, '/rooms/red?name=ben');
    await until('both members', async () => {
      const answers = await Promise.all([a, b].map(({ port }) => send(port, 'GET', '/rooms/red')));
      const expected = '[{"name":"ann","host":"a"},{"name":"ben","host":"b"}]';
      return answers.every((answer) => answer?.body === expected);
    });
    for (let i = 0; i < 20; i++) ann.ws.send(`message ${i}`);
    await until('the messages', () => ben.messages.length === 20);
    t.strictSame(
      ben.messages.map((text) => JSON.parse(text) as unknown),
      Array.from({ length: 20 }, (_, i) => ({ from: 'ann', text: `message ${i}` })),
      'in their order',
    );
    t.strictSame(ann.messages, [], 'not to who sent them');
    ann.ws.close();
    await until(
      'one member',
      async () => (await send(b.port, 'GET', '/rooms/red'))?.body === '[{"name":"ben","host":"b"}]',
    );
  });

  await t.test('sessions over hosts', async (t) => {
    const login = await send(a.port, 'POST', '/login', { name: 'ann' });
    t.equal(statusOf(login), 200);
    const cookie = login?.cookie ?? '';
    const seen = await Promise.all([a, b, a, b].map(({ port }) => send(port, 'GET', '/me', undefined, cookie)));
    const visits = seen.map(
      (answer) => JSON.parse(answer?.body ?? '{}') as { name: string; visits: number; host: string },
    );
    t.strictSame(
      visits.map(({ host }) => host),
      ['a', 'b', 'a', 'b'],
    );
    t.strictSame(visits.map((visit) => visit.visits).sort(), [1, 2, 3, 4], 'one counter');
    t.equal(statusOf(await send(b.port, 'POST', '/logout', undefined, cookie)), 200);
    t.equal(statusOf(await send(a.port, 'GET', '/me', undefined, cookie)), 401, 'it has ended everywhere');
  });

  await t.test('a rate limit over hosts', async (t) => {
    const statuses = [];
    // One login was counted before.
    for (let i = 0; i < 12; i++)
      statuses.push(statusOf(await send([a, b][i % 2].port, 'POST', '/login', { name: 'x' })));
    t.strictSame(statuses, [...Array<number>(9).fill(200), 429, 429, 429]);
  });

  await t.test(`${ORDERS} jobs, and a host that dies in the middle`, async (t) => {
    const ordering = order(site.proxy, 0, ORDERS);
    await until(
      'a third of the prints',
      async () => Number((await site.row('SELECT count(*) n FROM prints')).n) > ORDERS / 3,
    );
    await b.kill();
    await ordering;
    await b.start();
    const printed = 'SELECT count(DISTINCT order_id) AS printed, count(*) AS prints FROM prints';
    await until('all prints', async () => Number((await site.row(printed)).printed) === ORDERS);
    const { prints } = await site.row(printed);
    t.ok(Number(prints) - ORDERS <= AT_ONCE, `only jobs that ran at the crash ran twice: ${Number(prints) - ORDERS}`);
    t.strictSame(await site.row('SELECT count(*)::int AS orders FROM orders'), { orders: ORDERS });
    t.strictSame(await site.row("SELECT count(*)::int AS dead FROM svc_jobs WHERE state = 'dead'"), { dead: 0 });
  });

  await t.test('a host that dies is gone from rooms', async (t) => {
    const ann = await Peer.open(t as Test, a.port, '/rooms/blue?name=ann');
    await Peer.open(t as Test, b.port, '/rooms/blue?name=ben');
    const members = async (): Promise<string> => (await send(a.port, 'GET', '/rooms/blue'))?.body ?? '';
    await until('both members', async () => (await members()).includes('ben'));
    await b.kill();
    await until('one member', async () => (await members()) === '[{"name":"ann","host":"a"}]');
    await b.start();
    t.equal(ann.code, null, 'others stay connected');
  });

  await t.test('engines that restart under load lose no order', async (t) => {
    const more = LONG ? 3000 : 600;
    const ordering = order(site.proxy, ORDERS, ORDERS + more);
    await sleep(500);
    await site.redis.restart();
    await sleep(500);
    await site.postgres.restart('immediate');
    await ordering;
    await until('all prints', async () => {
      const { printed } = await site.row('SELECT count(DISTINCT order_id) AS printed FROM prints');
      return Number(printed) === ORDERS + more;
    });
    await until('sessions', async () => {
      const login = await send(site.proxy, 'POST', '/login', { name: 'cem' });
      return statusOf(await send(site.proxy, 'GET', '/me', undefined, login?.cookie ?? '')) === 200;
    });
    const ann = await Peer.open(t as Test, a.port, '/rooms/green?name=ann');
    const ben = await Peer.open(t as Test, b.port, '/rooms/green?name=ben');
    await until('a message', () => {
      ann.ws.send('hello');
      return ben.messages.length > 0;
    });
    t.notMatch(a.log + b.log, /\n\s+at .*[jt]s:\d+/, 'no JavaScript stack in the logs');
  });

  await t.test('a rolling restart loses no request', async (t) => {
    let isRunning = true;
    const failures: string[] = [];
    let answered = 0;
    const clients = Array.from({ length: 8 }, async () => {
      while (isRunning) {
        const answer = await send(site.proxy, 'GET', '/host');
        if (answer?.status === 200) answered++;
        else failures.push(answer === null ? 'broken' : `${answer.status} ${answer.body}`);
      }
    });
    for (const host of site.hosts) {
      const before = answered;
      await until('answers', () => answered > before + 100);
      await host.roll();
    }
    isRunning = false;
    t.ok(
      await Promise.race([Promise.all(clients), sleep(PATIENCE_MS, false, { ref: false })]),
      'every request is answered',
    );
    t.strictSame(failures, [], `of ${answered} requests`);
  });
});
