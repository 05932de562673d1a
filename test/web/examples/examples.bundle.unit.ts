import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { happens } from '../../patience.js';
import { Svcc } from '../../svcc/svcc.js';
import { Connection } from '../support/connection.js';
import { parseExchanges } from '../support/exchange.js';
import { play } from '../support/play.js';
import { get } from '../support/serve.js';

/** Starts an example on a free port; it is killed when the test ends. */
async function start(t: Test, name: string, env: Record<string, string> = {}): Promise<{ server: Svcc; port: number }> {
  const server = new Svcc(['run', '--port', '0', join('examples', `${name}.svc`)], { env });
  t.teardown(() => server.child.kill('SIGKILL'));
  return { server, port: await server.port() };
}

/** Plays the exchanges of an example. */
async function playExample(t: Test, name: string, port: number): Promise<void> {
  const exchanges = parseExchanges(await readFile(join(import.meta.dirname, `${name}.http`), 'utf8'));
  for (const { actual, expected } of await play(port, exchanges)) t.equal(actual, expected);
}

async function stop(t: Test, server: Svcc): Promise<void> {
  const { stderr, exitCode } = await server.stop();
  t.equal(stderr, '');
  t.equal(exitCode, 0);
}

// The cookies in todo.http are signed with this secret.
const ENVIRONMENTS: Record<string, Record<string, string>> = { todo: { TODO_SECRET: 'test-secret' } };

for (const name of ['todo', 'api_key', 'shortener']) {
  t.test(`${name}.svc`, async (t) => {
    const { server, port } = await start(t, name, ENVIRONMENTS[name]);
    await playExample(t, name, port);
    await stop(t, server);
  });
}

t.test('upload.svc keeps its files', async (t) => {
  const env = { UPLOAD_DIR: join(t.testdir(), 'uploads') };
  const first = await start(t, 'upload', env);
  await playExample(t, 'upload', first.port);
  const { body } = await get(first.port, '/files');
  await stop(t, first.server);
  const second = await start(t, 'upload', env);
  t.equal((await get(second.port, '/files')).body, body, 'after a restart');
  t.equal((await get(second.port, '/files/1')).body, '<script>alert(1)</script>');
  await stop(t, second.server);
});

/** Waits until the stream contains a text; returns everything received so far. */
async function received(stream: Connection, text: string): Promise<string> {
  await happens(() => stream.unread.includes(text));
  return stream.unread.toString();
}

async function watch(port: number, header = ''): Promise<Connection> {
  const stream = await Connection.open(port);
  stream.send(`GET /events HTTP/1.1\r\nHost: svc.test\r\n${header}\r\n`);
  return stream;
}

t.test('live_log.svc', async (t) => {
  const { server, port } = await start(t, 'live_log');
  await playExample(t, 'live_log', port);
  const streams = [await watch(port), await watch(port, 'Last-Event-ID: 1\r\n')];
  const [all, rest] = await Promise.all(streams.map((stream) => received(stream, 'full"}\n\n')));
  t.match(all, /event: line\nid: 1\ndata: \{"id":1,.*"text":"Backup done"\}\n\n/, 'a new watcher gets the log so far');
  t.notMatch(rest, /id: 1\n/, 'one that connects again gets the rest');

  const writer = await Connection.open(port);
  writer.send('POST /log HTTP/1.1\r\nHost: svc.test\r\nContent-Length: 4\r\n\r\nlive');
  t.equal((await writer.response('POST')).status, 201);
  for (const stream of streams)
    t.match(
      await received(stream, '"live"}\n\n'),
      /id: 3\ndata: \{"id":3,.*"text":"live"\}\n\n/,
      'all get the new line',
    );
  for (const { socket } of [...streams, writer]) socket.destroy();
  await stop(t, server);
});
