import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { happens } from '../../patience.js';
import { assertRefused } from '../refusals.js';
import { Svcc, svcc } from '../svcc.js';

t.jobs = 3;

t.test('inputs come from a pipe', async (t) => {
  t.same(await svcc(['repl'], { stdin: 'x = 2\ndef f(a)\n\n  a + x\nend\nf 3' }), {
    stdout: '=> 2\n=> <function f>\n=> 5\n',
    stderr: '',
    exitCode: 0,
  });
  t.same(await svcc(['repl'], { stdin: '' }), { stdout: '', stderr: '', exitCode: 0 }, 'none');
});

t.test('the exit code is 1 if an input failed', async (t) => {
  for (const [stdin, message] of [
    ['1 / 0\n2\n', /^ZeroDivisionError/],
    [')\n2\n', /^repl:1:1:1: error: unexpected `\)`/],
    ['2\nfoo(\n', /^repl:2:1:5: error: expected `\)`/],
    ['2\n:nonsense\n', /^unknown command ':nonsense'/],
  ] as const)
    assertRefused(t, await svcc(['repl'], { stdin }), 1, message, { stdout: '=> 2\n', lines: 5 });
});

t.test('exit ends the session with its code', async (t) => {
  t.same(await svcc(['repl'], { stdin: 'exit(3)\nputs 1\n' }), { stdout: '', stderr: '', exitCode: 3 });
  t.equal((await svcc(['repl'], { stdin: 'spawn { exit(4) }; sleep(100)\n' })).exitCode, 4, 'from a thread');
  t.equal((await svcc(['repl'], { stdin: ':quit\nexit(3)\n' })).exitCode, 0);
  for (const line of [':quit', ':q', ':exit'])
    t.equal((await svcc(['repl'], { stdin: `1 / 0\n${line}\n2\n` })).exitCode, 1, line);
});

t.test('ensure blocks of threads run at the end', async (t) => {
  const stdin = 'spawn { begin; sleep(100); ensure; puts "cleaned"; end }; sleep(0)\n';
  t.same((await svcc(['repl'], { stdin })).stdout, '=> nil\ncleaned\n');
});

t.test('an error of a thread is shown', async (t) => {
  const { stderr, exitCode } = await svcc(['repl'], {
    stdin: 'task = spawn { raise "in thread" }; nil\nsleep(0.01)\n',
  });
  t.match(stderr, /^RuntimeError: in thread\n[^]*repl:1:1 in block\n$/);
  t.equal(exitCode, 0);
});

t.test('a file runs first; its names can be used and changed', async (t) => {
  const cwd = t.testdir({
    'app.svc': 'require "./lib"\ntotal = 5\ndef twice(x) = x * factor()\nputs argv()\n',
    'lib.svc': 'count = 1\nputs "lib runs"\ndef factor() = 2\ndef counted() = count\n',
    'broken.svc': 'x = (\n',
    'failing.svc': 'y = 4\nraise "no"\n',
  });
  const stdin = ['twice(total)', 'count += 1', 'counted()', 'require "./lib"', 'def factor() = 3', 'factor()'].join(
    '\n',
  );
  t.same(await svcc(['repl', 'app.svc', 'a', 'b'], { cwd, stdin }), {
    stdout: 'lib runs\n[a, b]\n=> 10\n=> 2\n=> 2\n=> nil\n=> <function factor>\n=> 3\n',
    stderr: '',
    exitCode: 0,
  });
  assertRefused(t, await svcc(['repl', 'broken.svc'], { cwd, stdin: '1\n' }), 1, /^broken\.svc:1:6: error/, {
    stdout: '=> 1\n',
    lines: 5,
  });
  assertRefused(t, await svcc(['repl', 'failing.svc'], { cwd, stdin: 'y\n' }), 1, /failing\.svc:2 in main/, {
    stdout: '=> 4\n',
    lines: 4,
  });
  assertRefused(t, await svcc(['repl', 'none.svc'], { cwd }), 1, /^cannot read none\.svc/);
  t.equal(
    (await svcc(['repl'], { cwd, stdin: ':load lib.svc\ncounted()\n:load lib.svc\ncount' })).stdout,
    'lib runs\n=> 1\nlib runs\n=> 1\n',
  );
});

t.test('input() reads the lines that follow', async (t) => {
  t.equal(
    (await svcc(['repl'], { stdin: 'name = input("Name? ")\nAnn\nname\n' })).stdout,
    'Name? => "Ann"\n=> "Ann"\n',
  );
});

t.test('parts of the library are loaded when an input needs them', async (t) => {
  const stdin = [
    'Decimal("1.50") + 1',
    'date_parse("2026-07-01T12:00:00Z").in_zone("Asia/Tokyo").hour',
    'use "jwt"',
    'file_exists("/nonexistent")',
    'web_app()',
    'json_encode({a: 1.5d})',
  ].join('\n');
  t.same(await svcc(['repl'], { stdin }), {
    stdout: '=> 2.50\n=> 21\n=> nil\n=> false\n=> <SvcApp>\n=> "{\\"a\\":1.5}"\n',
    stderr: '',
    exitCode: 0,
  });
});

t.test('a server goes on while inputs follow', async (t) => {
  const cwd = t.testdir({
    'app.svc':
      'hits = 0\napp = web_app()\napp.get("/") { |req| hits += 1; greeting() }\ndef greeting() = "one"\napp.run(0)\n',
  });
  const session = new Svcc(['repl', 'app.svc'], { cwd });
  const port = await session.port();
  t.match(session.stdout, /Enter :stop to stop\n/);
  const get = async (): Promise<string> => (await fetch(`http://localhost:${port}/`)).text();
  t.equal(await get(), 'one');
  session.child.stdin?.write('def greeting() = "two"\nhits\n');
  await session.printed(/=> <function greeting>\n=> 1\n/);
  t.equal(await get(), 'two');
  session.child.stdin?.write('hits\n:stop\nsleep(0.01)\n');
  await session.printed(/=> 2\n1 thread told to end\n=> nil\n/);
  const stopped = (): Promise<boolean> =>
    get().then(
      () => false,
      () => true,
    );
  t.ok(await happens(stopped), 'it has been stopped');
  session.child.stdin?.end();
  t.equal((await session.finished()).exitCode, 0);
});

t.test('SIGTERM ends the session, with its cleanup', async (t) => {
  const session = new Svcc(['repl']);
  session.child.stdin?.write('puts "ready"; begin; sleep(1000); ensure; puts "cleaned"; end\n');
  await session.printed(/ready/);
  const { stdout, exitCode } = await session.stop();
  t.equal(stdout, 'ready\ncleaned\n');
  t.equal(exitCode, 143);
});

t.test('a wrong environment is refused', async (t) => {
  assertRefused(t, await svcc(['repl'], { env: { SVC_JIT: 'x' } }), 2, /^svcc: the environment variable SVC_JIT/);
  assertRefused(t, await svcc(['repl'], { env: { PORT: 'x' } }), 2, /^svcc: the environment variable PORT/);
});

t.test('a server that cannot listen is an error of the input', async (t) => {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { stderr, stdout, exitCode } = await svcc(['repl'], { stdin: `web_app().run(${port})\n2\n` });
  t.match(stderr, /^IOError: cannot listen on 0\.0\.0\.0:\d+: the port is in use[^]*repl:1:1 in main\n$/);
  t.same([stdout, exitCode], ['=> 2\n', 1], 'the session goes on');
  server.close();
});
