import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { happens } from '../../patience.js';
import { Svcc } from '../../svcc/svcc.js';
import { get } from '../support/serve.js';

/** A guest of a room, with all messages received. */
class Guest {
  readonly heard: Record<string, unknown>[] = [];
  readonly socket: WebSocket;

  constructor(port: number, room: string, name: string) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/rooms/${room}?name=${name}`);
    this.socket.on('message', (data: Buffer) =>
      this.heard.push(JSON.parse(data.toString()) as Record<string, unknown>),
    );
  }

  /** Waits for `count` messages; returns the last one. */
  async message(count: number): Promise<Record<string, unknown> | undefined> {
    await happens(() => this.heard.length >= count);
    return this.heard[count - 1];
  }
}

async function start(t: Test): Promise<{ server: Svcc; port: number }> {
  const server = new Svcc(['run', '--port', '0', join('examples', 'chat.svc')]);
  t.teardown(() => server.child.kill('SIGKILL'));
  return { server, port: await server.port() };
}

t.test('chat.svc', async (t) => {
  const { server, port } = await start(t);
  const ann = new Guest(port, 'blue', 'Ann');
  t.same(await ann.message(1), { text: 'Ann has come', people: ['Ann'] });
  const bob = new Guest(port, 'blue', 'Bob');
  t.same(await ann.message(2), { text: 'Bob has come', people: ['Ann', 'Bob'] });
  const other = new Guest(port, 'red', 'Ann');
  await other.message(1);

  ann.socket.send(JSON.stringify({ text: ' <b>hello</b> ' }));
  t.same(await bob.message(2), { name: 'Ann', text: '<b>hello</b>' });
  t.same(await ann.message(3), { name: 'Ann', text: '<b>hello</b>' });
  ann.socket.send('junk');
  t.match(await ann.message(4), { text: /^Not understood/ });
  t.equal((await get(port, '/rooms')).body, '[{"room":"blue","people":["Ann","Bob"]},{"room":"red","people":["Ann"]}]');

  const late = new Guest(port, 'blue', 'Ann');
  t.same(await late.message(1), { name: 'Ann', text: '<b>hello</b>' }, 'what was said before');
  t.same(await late.message(2), { text: 'Ann 2 has come', people: ['Ann', 'Bob', 'Ann 2'] });
  late.socket.close();
  t.match(await bob.message(4), { text: 'Ann 2 has gone', people: ['Ann', 'Bob'] });

  for (let i = 0; i < 25; i++) bob.socket.send(JSON.stringify({ text: `line ${i}` }));
  await bob.message(29);
  t.equal(bob.heard.filter(({ text }) => /too fast/.test(String(text))).length, 5);
  t.equal(other.heard.length, 1, 'rooms are apart');

  const closed = new Promise((done) => ann.socket.on('close', done));
  const { stderr, exitCode } = await server.stop();
  t.equal(await closed, 1001);
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

t.test('chat.svc in a browser', { skip: browser === undefined ? 'no Chromium on this machine' : false }, async (t) => {
  const { port } = await start(t);
  const ann = new Guest(port, 'garden', 'Ann');
  await ann.message(1);
  // Not in the test's folder: processes of the browser write to it until the last one has ended.
  const profile = await mkdtemp(join(tmpdir(), 'svc-chat-'));
  const page = spawn(
    browser as string,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      `--user-data-dir=${profile}`,
      '--remote-debugging-port=0',
      `http://127.0.0.1:${port}/?name=Eve#garden`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  t.teardown(async () => {
    page.kill('SIGKILL');
    await rm(profile, { recursive: true, force: true, maxRetries: 20 });
  });
  let log = '';
  page.stderr.on('data', (data: Buffer) => (log += data.toString()));
  t.same(await ann.message(2), { text: 'Eve has come', people: ['Ann', 'Eve'] }, log);
  ann.socket.send(JSON.stringify({ text: '<img src=x onerror=alert(1)> hello' }));

  const debuggerPort = /ws:\/\/[^:]+:(\d+)\//.exec(log)?.[1];
  const [{ webSocketDebuggerUrl }] = (
    (await (await fetch(`http://127.0.0.1:${debuggerPort}/json/list`)).json()) as {
      type: string;
      webSocketDebuggerUrl: string;
    }[]
  ).filter(({ type }) => type === 'page');
  const tab = new WebSocket(webSocketDebuggerUrl);
  await new Promise((done) => tab.on('open', done));
  const evaluate = (expression: string): Promise<unknown> =>
    new Promise((done) => {
      tab.once('message', (data: Buffer) =>
        done((JSON.parse(data.toString()) as { result: { result: { value: unknown } } }).result.result.value),
      );
      tab.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
    });
  let text: unknown;
  await happens(async () => String((text = await evaluate('document.body.innerText'))).includes('Ann: '));
  t.match(text, /Ann: <img src=x onerror=alert\(1\)> hello/);
  t.match(text, /Here: Ann, Eve/);
  await evaluate(
    'const f = document.getElementById("form"); f.elements.text.value = "from the page"; f.requestSubmit()',
  );
  t.same(await ann.message(4), { name: 'Eve', text: 'from the page' });
  tab.close();
});
