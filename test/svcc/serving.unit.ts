import { appendFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { freePort } from '../freeport.js';
import { until } from '../patience.js';
import { assertRefused } from './refusals.js';
import { type Outcome, Svcc, svcc } from './svcc.js';

t.jobs = 4;

/** A port that is in use while the test runs. */
async function takenPort(test: Test): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '0.0.0.0', listening));
  test.teardown(() => new Promise((closed) => server.close(closed)));
  return (server.address() as AddressInfo).port;
}

function folder(test: Test, arguments_: string): string {
  return test.testdir({
    'app.svc': `app = web_app()\napp.get("/") { |req| "hello" }\nputs "before"\napp.run(${arguments_})\nputs "after"\n`,
  });
}

function refused(test: Test, outcome: Outcome, message: RegExp): void {
  assertRefused(test, outcome, 1, message, { stdout: 'before\n' });
}

t.test('a port in use is reported in one line', async (t) => {
  const port = await takenPort(t);
  refused(t, await svcc(['run', 'app.svc'], { cwd: folder(t, String(port)) }), new RegExp(`${port}.*in use`));
});

t.test(
  'a port that needs privileges is reported in one line',
  { skip: process.getuid?.() === 0 && 'root may listen on every port' },
  async (t) => {
    refused(t, await svcc(['run', 'app.svc'], { cwd: folder(t, '80') }), /80.*permission/);
  },
);

t.test('an address of another machine is reported in one line', async (t) => {
  refused(t, await svcc(['run', 'app.svc'], { cwd: folder(t, '0, "192.0.2.1"') }), /192\.0\.2\.1/);
  refused(t, await svcc(['run', 'app.svc'], { cwd: folder(t, '0, "no such host"') }), /no such host/);
});

t.test('app.run takes a port and a host', async (t) => {
  for (const port of ['65536', '-1']) refusedByRun(t, await svcc(['run', 'app.svc'], { cwd: folder(t, port) }));
  const outcome = await svcc(['run', 'app.svc'], { cwd: folder(t, '"80"') });
  assertRefused(t, outcome, 1, /^TypeError: .*port/, { stdout: 'before\n', lines: 5 });
});

/** Asserts that the message names the range of ports. */
function refusedByRun(test: Test, outcome: Outcome): void {
  assertRefused(test, outcome, 1, /port.*65535/, { stdout: 'before\n', lines: 5 });
}

interface Address {
  arguments: string;
  flags?: string[];
  env?: Record<string, string>;
  /** The host in the first line. */
  host: string;
}

/** Sources of the address: flags precede the program, the program precedes the environment. */
const ADDRESSES: Record<string, Address> = {
  'the program': { arguments: '0, "127.0.0.1"', host: '127.0.0.1' },
  'named arguments': { arguments: 'port: 0, host: "127.0.0.1"', host: '127.0.0.1' },
  'the default host': { arguments: '0', host: '0.0.0.0' },
  'the environment': { arguments: '', env: { PORT: '0', HOST: '127.0.0.1' }, host: '127.0.0.1' },
  'the program before the environment': {
    arguments: '0, "127.0.0.1"',
    env: { PORT: '1', HOST: '0.0.0.0' },
    host: '127.0.0.1',
  },
  'flags before both': {
    arguments: '1, "192.0.2.1"',
    env: { PORT: '1' },
    flags: ['--port', '0', '--host', '127.0.0.1'],
    host: '127.0.0.1',
  },
};

for (const [name, { arguments: given, flags = [], env, host }] of Object.entries(ADDRESSES)) {
  t.test(`the address comes from ${name}`, async (t) => {
    const server = new Svcc(['run', ...flags, 'app.svc'], { cwd: folder(t, given), env });
    t.teardown(() => server.child.kill('SIGKILL'));
    const port = await server.port();
    t.not(port, 0, 'for port 0 a free port is chosen and printed');
    t.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'hello');
    const { stdout, stderr, exitCode } = await server.stop();
    t.match(
      stdout,
      new RegExp(`^before\nSvc web server running on http://${host}:${port}\n[^\n]+\nafter\n$`),
      'the program continues after a signal',
    );
    t.equal(stderr, '');
    t.equal(exitCode, 0);
  });
}

t.test('the server listens on a given port', async (t) => {
  const port = await freePort();
  const server = new Svcc(['run', 'app.svc'], { cwd: folder(t, String(port)) });
  t.teardown(() => server.child.kill('SIGKILL'));
  t.equal(await server.port(), port);
  t.equal((await server.stop('SIGINT')).exitCode, 0, 'SIGINT stops it');
});

t.test('the default port is 3000', async (t) => {
  const server = new Svcc(['run', 'app.svc'], { cwd: folder(t, '') });
  t.teardown(() => server.child.kill('SIGKILL'));
  // The port may be in use; then the message names it.
  const ended = server.ended.then(({ stderr }) => stderr);
  const said = await Promise.race([
    server
      .port()
      .then(String)
      .catch(() => ended),
    ended,
  ]);
  t.match(said, /\b3000\b/);
  await server.stop();
});

t.test('a signal before app.run ends the program', async (t) => {
  const waiting = new Svcc(['run', 'app.svc'], {
    cwd: t.testdir({ 'app.svc': 'puts "ready"\nsleep(60)\nputs "after"\n' }),
  });
  await waiting.printed(/ready\n/);
  const { stdout, stderr } = await waiting.stop();
  t.equal(stdout, 'ready\n');
  t.equal(stderr, '');
});

/** Programs whose thread is cancelled before its server listens. */
const CANCELLED: Record<string, string> = {
  'before it runs': 'task = spawn { app.run(0, "127.0.0.1") }\ntask.cancel\n',
  'and that runs a server in its ensure block': `task = spawn do
  begin
    sleep 100
  ensure
    puts app.run(0, "127.0.0.1") == nil
  end
end
sleep 0.01
task.cancel
`,
};

for (const [name, source] of Object.entries(CANCELLED)) {
  t.test(`a thread that was cancelled ${name} does not listen`, async (t) => {
    const { stdout, stderr, exitCode } = await svcc(['run', 'app.svc'], {
      cwd: t.testdir({ 'app.svc': `app = web_app()\n${source}puts "end"\n` }),
    });
    t.same([stdout.replace('true\n', ''), stderr, exitCode], ['end\n', '', 0]);
  });
}

t.test('a thread that is cancelled while the name of its host is looked up ends', async (t) => {
  const source = 'app = web_app()\ntask = spawn { app.run(0, "localhost") }\nspawn { task.cancel }\nputs "end"\n';
  const { stdout, stderr, exitCode } = await svcc(['run', 'app.svc'], { cwd: t.testdir({ 'app.svc': source }) });
  // If the look-up finishes first, the server listens and is stopped.
  t.same([stdout.replace(/Svc web server .*\n.*\n/, ''), stderr, exitCode], ['end\n', '', 0]);
});

t.test('--dev that cannot listen ends at the first signal', async (t) => {
  const port = await takenPort(t);
  const server = new Svcc(['run', '--dev', 'app.svc'], { cwd: folder(t, String(port)) });
  t.teardown(() => server.child.kill('SIGKILL'));
  await until('the message', () => server.stderr.includes('svcc: waiting for a change\n'));
  t.match(server.stderr, new RegExp(`${port}.*in use`));
  server.child.kill('SIGTERM');
  await server.finished();
  t.equal(server.child.signalCode, 'SIGTERM', 'by that signal');
});

t.test('--dev that could not listen serves once the port is free', async (t) => {
  const blocker = createServer();
  await new Promise<void>((listening) => blocker.listen(0, '0.0.0.0', listening));
  const { port } = blocker.address() as AddressInfo;
  const cwd = folder(t, String(port));
  const server = new Svcc(['run', '--dev', 'app.svc'], { cwd });
  t.teardown(() => server.child.kill('SIGKILL'));
  await until('the message', () => server.stderr.includes('svcc: waiting for a change\n'));
  await new Promise((closed) => blocker.close(closed));
  appendFileSync(join(cwd, 'app.svc'), 'puts "changed"\n');
  t.equal(await server.port(), port);
  t.equal(await (await fetch(`http://127.0.0.1:${port}/`, { headers: { Connection: 'close' } })).text(), 'hello');
  t.equal((await server.stop()).exitCode, 0);
});
