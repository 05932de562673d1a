/** examples/chat_hosts.svc on two hosts, which share nothing but a Redis server, in a browser. */
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import t from 'tap';
import { browserFor, WITHOUT_BROWSER } from '../browser.js';
import { PATIENCE_MS, until } from '../patience.js';
import { Svcc } from '../svcc/svcc.js';
import { ENGINES, type Engine } from './engines.js';

const [redis] = ENGINES;
const MISSING = WITHOUT_BROWSER || (redis.start === null && redis.missing);

t.setTimeout(300_000);

async function enter(browser: Browser, port: number, name: string, complaints: string[]): Promise<Page> {
  const page = await (await browser.createBrowserContext()).newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`http://127.0.0.1:${port}/?name=${name}#tea`);
  await until('the connection', () => page.evaluate('document.getElementById("state").textContent === "connected"'));
  return page;
}

const lines = (page: Page, id: string): Promise<string[]> =>
  page.$$eval(`#${id} li`, (items) => items.map((item) => (item as unknown as { textContent: string }).textContent));

function shows(page: Page, id: string, expected: string[]): Promise<boolean> {
  return until(`the list ${expected.join(', ')}`, async () => (await lines(page, id)).join() === expected.join());
}

async function say(page: Page, text: string): Promise<void> {
  // A page behind another one takes no input.
  await page.bringToFront();
  await page.type('[name=text]', text);
  await page.keyboard.press('Enter');
}

async function look(page: Page, name: string): Promise<void> {
  const folder = process.env.SVC_SCREENSHOTS;
  if (folder === undefined) return;
  await page.bringToFront();
  await page.screenshot({ path: join(folder, `chat-hosts-${name}.png`) });
}

t.test('chat_hosts.svc on two hosts', { skip: MISSING }, async (t) => {
  const engine = await (redis.start as () => Promise<Engine>)();
  t.teardown(() => engine.stop());
  const hosts = ['north', 'south'].map((host) => {
    const env = { BUS_URL: engine.url(), HOST_NAME: host };
    const server = new Svcc(['run', '--port', '0', join('examples', 'chat_hosts.svc')], { env });
    t.teardown(() => server.child.kill('SIGKILL'));
    return server;
  });
  const browser = await browserFor(t);
  const complaints: string[] = [];
  const ann = await enter(browser, await hosts[0].port(), 'Ann', complaints);
  const bob = await enter(browser, await hosts[1].port(), 'Bob', complaints);
  for (const page of [ann, bob]) await shows(page, 'people', ['Ann (north)', 'Bob (south)']);

  await say(ann, '<b>Hello</b> from the north');
  await shows(bob, 'messages', ['Bob has come', 'Ann: <b>Hello</b> from the north']);
  await say(bob, 'grüße 😀');
  await shows(ann, 'messages', ['Ann has come', 'Bob has come', 'Ann: <b>Hello</b> from the north', 'Bob: grüße 😀']);
  await look(ann, 'two');

  await engine.restart();
  for (const page of [ann, bob])
    await until('the notice', async () => (await lines(page, 'messages')).some((line) => line.includes('interrupted')));
  await say(ann, 'still there?');
  await until('a message', async () => (await lines(bob, 'messages')).at(-1) === 'Ann: still there?');
  await look(bob, 'restarted');

  hosts[1].child.kill('SIGKILL');
  await shows(ann, 'people', ['Ann (north)']);
  await look(ann, 'one');
  t.strictSame(complaints, []);
});
