import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import t from 'tap';
import { inPairs, Svcc, svcc } from '../../svcc/svcc.js';
import { serve } from '../support/serve.js';
import { happens } from '../../patience.js';
import { alive, ALIVE, attack, count, HEAD, open, statusesIn } from './attack.js';

const FILES = 64;
const CLIENTS = 200;

const PROGRAM = `app = web_app()
app.set("keep_alive_seconds", 60)
${ALIVE}app.websocket("/ws") { |ws| ws.recv() }
`;

t.jobs = 2;

/** Whether a new connection is answered. */
async function isAnswered(port: number): Promise<boolean> {
  const { statuses } = await attack(port, `GET /alive ${HEAD}Connection: close\r\n\r\n`);
  return statuses.join() === '200';
}

/** Sends a request and keeps the connection open; returns the answer, and the error that ended the connection. */
function ask(port: number, bytes: string): Promise<{ socket: Socket; text: string; error: string | null }> {
  return new Promise((resolve) => {
    let text = '';
    let error: string | null = null;
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(bytes));
    const done = (): void => resolve({ socket, text, error });
    socket.setEncoding('latin1').on('data', (data: string) => {
      text += data;
      if (text.endsWith('alive')) done();
    });
    socket.on('error', ({ message }) => (error = message)).on('close', done);
  });
}

t.test(
  '200 connections with 64 descriptors',
  { skip: process.platform !== 'linux' && 'looks into /proc' },
  async (t) => {
    const { server, port } = await serve(t, `${PROGRAM}app.run(0)\n`, { files: FILES });
    await alive(t, port, 'at first');
    for (const round of ['first', 'second']) {
      const answers = await Promise.all(Array.from({ length: CLIENTS }, () => ask(port, `GET /alive ${HEAD}\r\n`)));
      t.same(
        answers.filter(({ error }) => error !== null).map(({ error }) => error),
        [],
        `${round} round: none is reset`,
      );
      const statuses = answers.map(({ text }) => statusesIn(text).join());
      const answered = statuses.filter((status) => status === '200').length;
      t.equal(statuses.filter((status) => status === '503').length, CLIENTS - answered, 'the others get 503');
      t.ok(answered >= 10, `${answered} are answered`);
      t.ok(
        answers
          .filter(({ text }) => text.includes(' 503 '))
          .every(({ text }) => text.includes('\r\nRetry-After: 1\r\n')),
      );
      const open = answers.filter(({ socket }) => !socket.closed);
      t.equal(open.length, answered, 'answered connections stay open');
      const [first] = open;
      first.socket.write(`GET /alive ${HEAD}\r\n`);
      await once(first.socket, 'data');
      for (const { socket } of open) socket.destroy();
      t.ok(await happens(() => isAnswered(port)), 'it recovers');
    }
    // Connections that send nothing, then a handshake.
    const silent = await Promise.all(Array.from({ length: CLIENTS }, () => open(port)));
    const handshake = await attack(
      port,
      `GET /ws ${HEAD}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n`,
    );
    t.same(handshake.statuses, [503]);
    for (const socket of silent) socket.destroy();
    t.ok(await happens(() => isAnswered(port)), 'it recovers from them as well');
    const { stderr, exitCode } = await server.stop();
    t.match(
      stderr,
      /^warning: 48 of 64 descriptors \(ulimit -n\) are in use: new connections are answered with 503; allow more open files, .*\n$/,
    );
    t.equal(count(stderr, '\n'), 1, 'one line for all');
    t.equal(exitCode, 0);
  },
);

t.test(
  'a burst of 400 connections on two processes',
  { skip: process.platform !== 'linux' && 'needs sh' },
  async (t) => {
    const cwd = t.testdir({ 'app.svc': `${PROGRAM}app.run(0)\n` });
    const server = new Svcc(['run', '--workers', '2', 'app.svc'], { cwd, files: FILES });
    t.teardown(() => server.child.kill('SIGKILL'));
    const port = await server.port();
    for (const round of ['first', 'second']) {
      const answers = await Promise.all(Array.from({ length: 400 }, () => ask(port, `GET /alive ${HEAD}\r\n`)));
      t.same(
        answers.filter(({ error }) => error !== null).map(({ error }) => error),
        [],
        `${round} round: none is reset`,
      );
      const statuses = answers.map(({ text }) => statusesIn(text).join());
      const answered = statuses.filter((status) => status === '200').length;
      t.equal(statuses.filter((status) => status === '503').length, 400 - answered, 'the others get 503');
      t.ok(answered >= 10, `${answered} are answered`);
      // Those of the first process wait for a request.
      const silent = await Promise.all(Array.from({ length: 100 }, () => open(port)));
      for (const { socket } of answers) socket.destroy();
      for (const socket of silent) socket.destroy();
      t.ok(await happens(() => isAnswered(port)), 'it recovers');
    }
    const { stderr, exitCode } = await server.stop();
    t.match(
      stderr,
      /^(warning: 48 of 64 descriptors \(ulimit -n\) are in use: new connections are answered .*\n){1,3}$/,
    );
    t.equal(exitCode, 0);
  },
);

const SHORT = `attempt = ->(block) do
  begin
    block.()
    "it works"
  rescue e
    "#{e.type}: #{e.message}"
  end
end
file_write("text", "1")
holders = (1..60).to_a.map { |i| spawn { attempt.(-> { http_get("http://127.0.0.1:#{env("PORT")}/") }) } }
while holders.none? { |task| task.done? }
  sleep(0.01)
end
attempts = [
  -> { file_read("text") }, -> { file_write("other", "x") }, -> { dir_list(".") }, -> { json_read("text") }, -> { file_copy("text", "other") },
  -> { shell("true") }, -> { shell(["true"]) }, -> { http_get("http://127.0.0.1:9000/") }, -> { ws_connect("ws://127.0.0.1:9000/") },
]
attempts.each { |block| puts attempt.(block) }
holders.each { |task| task.cancel }
# A shell needs several descriptors, and the connections close one after the other.
while attempt.(-> { shell("true") }) != "it works"
  sleep(0.01)
end
puts attempt.(-> { file_read("text") })
puts attempt.(-> { ws_connect("ws://127.0.0.1:#{env("PORT")}/", timeout: 0.01) })
`;

t.test(
  'programs without a free descriptor get an IOError',
  { skip: process.platform !== 'linux' && 'needs sh' },
  async (t) => {
    // A server that never answers.
    const silent = createServer((socket) => socket.on('error', () => {}).resume());
    t.teardown(() => silent.close());
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const PORT = String((silent.address() as AddressInfo).port);
    const { stdout, stderr, exitCode } = await svcc(['run', 'app.svc'], {
      cwd: t.testdir({ 'app.svc': SHORT }),
      files: FILES,
      env: { PORT },
    });
    t.equal(
      stdout,
      `IOError: cannot read text: too many files are open
IOError: cannot write other: too many files are open
IOError: cannot list .: too many files are open
IOError: cannot read text: too many files are open
IOError: cannot copy text to other: too many files are open
IOError: cannot run a shell: too many files are open
IOError: cannot run true: too many files are open
ConnectionError: cannot get an answer from 127.0.0.1:9000: too many files and connections are open (GET http://127.0.0.1:9000/)
ConnectionError: cannot connect to 127.0.0.1:9000: too many files and connections are open
it works
TimeoutError: timed out after 0.01s
`,
    );
    t.same([stderr, exitCode], ['', 0]);
  },
);

const DATABASE = `begin
  puts database(":memory:").query("select 1 one").first.one
rescue e
  puts "#{e.type}: #{e.message}"
end
`;

t.test(
  'a database for which too few descriptors are free raises a DatabaseError',
  { skip: process.platform !== 'linux' && 'needs sh' },
  async (t) => {
    const cwd = t.testdir({ 'app.svc': DATABASE });
    // How many a process needs depends on the version of Node.js.
    const limits = [22, 24, 26, 28, 30, 32, 34, 48];
    const outcomes = await inPairs(limits, (files) => svcc(['run', 'app.svc'], { cwd, files }));
    const texts = outcomes.map(({ stdout, stderr }) => stdout + stderr);
    const failure = 'DatabaseError: cannot open the database :memory:: too many files are open\n';
    t.same(
      texts.filter((text) => text !== failure && text !== '1\n'),
      [],
    );
    t.equal(texts[0], failure);
    t.equal(texts.at(-1), '1\n');
  },
);
