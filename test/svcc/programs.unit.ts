import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { freePort } from '../freeport.js';
import { until } from '../patience.js';
import { assertRefused } from './refusals.js';
import { runShared } from './shared.js';
import { inPairs, type Options, type Outcome, ROOT, Svcc, svcc } from './svcc.js';

t.jobs = 4;

function run(
  test: Test,
  source: string,
  { args = [], ...options }: Options & { args?: string[]; stdin?: string | Buffer } = {},
): Promise<Outcome> {
  return svcc(['run', 'app.svc', ...args], { cwd: test.testdir({ 'app.svc': source }), ...options });
}

t.test('an uncaught error shows type, message, line, caret and backtrace', async (t) => {
  const source = 'def half(x)\n  x.upcase\nend\n\nputs "before"\nhalf(nil)\nputs "after"\n';
  const outcome = await run(t, source);
  assertRefused(t, outcome, 1, /^AttributeError: nil has no method 'upcase': `x` is nil\n/, {
    stdout: 'before\n',
    lines: 6,
  });
  const [, frame, caret, ...trace] = outcome.stderr.split('\n');
  t.match(frame, /^\s*2 \|\s+x\.upcase$/);
  t.match(caret, /^\s*\|\s+\^+$/);
  t.ok(
    frame.indexOf('x.upcase') <= caret.indexOf('^') && caret.indexOf('^') < frame.length,
    'the caret is below the expression',
    { frame, caret },
  );
  t.match(trace[0], /^\s*app\.svc:2 in half$/);
  t.match(trace[1], /^\s*app\.svc:6 in main$/);
});

t.test('programs that may name a time zone load the rules of zones', async (t) => {
  const date = 'd = date_parse("2026-07-01T12:00:00Z")\n';
  for (const [source, output] of [
    [`${date}puts d.in_zone("Asia/Tokyo")`, '2026-07-01T21:00:00+09:00\n'],
    [`${date}puts [d].map { it.in_zone("Asia/Tokyo").hour }[0]`, '21\n'],
    ['puts Date.parse("2026-07-01", zone: "Asia/Tokyo").utc', '2026-06-30T15:00:00Z\n'],
    ['puts Date(2026, 7, 1, zone: "Asia/Tokyo").utc_offset', '32400\n'],
    ['puts Date.at(0, "Asia/Tokyo").hour', '9\n'],
  ])
    t.same(await run(t, source), { stdout: output, stderr: '', exitCode: 0 }, source);
});

// prettier-ignore
const ERRORS: Record<string, [source: string, message: RegExp]> = {
  'a raised text': ['raise "went wrong"', /^RuntimeError: went wrong\n/],
  'an error of its own type': ['error Denied\nraise Denied, "not you"', /^Denied: not you\n/],
  'a division by zero': ['puts 1 / 0', /^ZeroDivisionError: division by zero\n/],
  'an unknown name': ['count = 1\nputs coutn', /NameError.*: undefined name 'coutn', did you mean 'count'\?/s],
  'a wrong number of arguments': ['def greet(name)\n  name\nend\ngreet(1, 2)', /^ArgumentError: greet\(\) takes 1 argument, got 2: greet\(name\)\n/],
  'an error in a block': ['[1].each { |x| raise "in block" }', /^RuntimeError: in block\n/],
  'a message of several lines': ['raise "one\\ntwo"', /^RuntimeError: one\\ntwo\n/],
  'a failed assertion': ['assert_eq(1, 2)', /1.*2/],
};

for (const [name, [source, message]] of Object.entries(ERRORS)) {
  t.test(`${name} ends the program with 1`, async (t) => {
    assertRefused(t, await runShared(t, `puts "before"\n${source}\nputs "after"`), 1, message, {
      stdout: 'before\n',
      lines: 6,
    });
  });
}

t.test('a cause is shown', async (t) => {
  const source = 'begin\n  raise "first"\nrescue => e\n  raise "second"\nend\n';
  assertRefused(t, await runShared(t, source), 1, /^RuntimeError: second\n.*caused by.*RuntimeError: first\n/s, {
    lines: 10,
  });
});

t.test('the backtrace of an endless recursion is shortened', async (t) => {
  const outcome = await runShared(t, 'def f(n)\n  f(n + 1) + 1\nend\nf(0)\n');
  assertRefused(t, outcome, 1, /^StackError: /, { lines: 120 });
});

t.test('exit codes', async (t) => {
  // prettier-ignore
  const programs: [source: string, exitCode: number][] = [
    ['exit(3)\nputs "after"', 3], ['exit\nputs "after"', 0], ['exit(0)\nputs "after"', 0], ['def f\n  exit(4)\nend\n[1].each { |x| f() }\nputs "after"', 4],
    ['begin\n  exit(5)\nrescue => e\n  puts "rescued"\nend\nputs "after"', 5],
  ];
  for (const [source, exitCode] of programs)
    t.strictSame(await run(t, source), { stdout: '', stderr: '', exitCode }, source);
});

t.test('exit runs ensure', async (t) => {
  t.strictSame(await run(t, 'begin\n  exit(3)\nensure\n  puts "ensure"\nend\nputs "after"'), {
    stdout: 'ensure\n',
    stderr: '',
    exitCode: 3,
  });
});

t.test('a signal runs ensure, and ends the process by itself', async (t) => {
  const source =
    'begin\n  puts "begun"\n  if argv()[0] == "waits" then sleep(100) else loop { } end\nensure\n  sleep(0.05)\n  puts "ensure"\nend\nputs "after"\n';
  const cwd = t.testdir({ 'app.svc': source, 'threads.svc': 'spawn { sleep(100) }\nputs "begun"\n' });
  for (const [signal, file, output] of [
    ['SIGTERM', ['app.svc', 'waits'], 'begun\nensure\n'],
    ['SIGINT', ['app.svc', 'computes'], 'begun\nensure\n'],
    ['SIGHUP', ['threads.svc'], 'begun\n'],
  ] as const) {
    const running = new Svcc(['run', ...file], { cwd });
    t.teardown(() => running.child.kill('SIGKILL'));
    await running.printed(/begun/);
    running.child.kill(signal);
    t.strictSame(await running.finished(), { stdout: output, stderr: '', exitCode: null });
    t.equal(running.child.signalCode, signal);
  }
});

t.test('no temporary files stay after a program that ends while it writes', async (t) => {
  const source = `spawn { file_write("out/f", "x" * 100000000) }
while dir_list("out").empty?
end
puts "begun"
argv()[0] == "exits" ? exit(3) : sleep(100)
`;
  for (const how of ['exits', 'SIGTERM', 'SIGINT'] as const) {
    const cwd = t.testdir({ 'app.svc': source, out: {} });
    const running = new Svcc(['run', 'app.svc', how], { cwd });
    t.teardown(() => running.child.kill('SIGKILL'));
    await running.printed(/begun/);
    if (how !== 'exits') running.child.kill(how);
    await running.finished();
    t.same(
      readdirSync(join(cwd, 'out')).filter((name) => name !== 'f'),
      [],
      how,
    );
  }
});

t.test('a second signal ends a program at once', async (t) => {
  const source = 'begin\n  puts "begun"\n  sleep(100)\nensure\n  puts "ensure"\n  sleep(100)\nend\n';
  const running = new Svcc(['run', 'app.svc'], { cwd: t.testdir({ 'app.svc': source }) });
  t.teardown(() => running.child.kill('SIGKILL'));
  await running.printed(/begun/);
  running.child.kill('SIGTERM');
  await running.printed(/ensure/);
  running.child.kill('SIGINT');
  await running.finished();
  t.equal(running.child.signalCode, 'SIGINT');
});

t.test('code of an ensure block that a signal runs decides how the program ends', async (t) => {
  const source = 'begin\n  puts "begun"\n  sleep(100)\nensure\n  exit(5)\nend\n';
  const running = new Svcc(['run', 'app.svc'], { cwd: t.testdir({ 'app.svc': source }) });
  t.teardown(() => running.child.kill('SIGKILL'));
  await running.printed(/begun/);
  t.equal((await running.stop('SIGTERM')).exitCode, 5);
});

t.test('a signal in an ensure block that a timeout runs ends the program', async (t) => {
  const source =
    'begin\n  timeout(0.01) do\n    begin\n      sleep(100)\n    ensure\n      puts "ensure"\n      sleep(100)\n    end\n  end\nrescue TimeoutError\n  puts "wrong"\nend\nputs "wrong"\n';
  const running = new Svcc(['run', 'app.svc'], { cwd: t.testdir({ 'app.svc': source }) });
  t.teardown(() => running.child.kill('SIGKILL'));
  await running.printed(/ensure/);
  running.child.kill('SIGTERM');
  t.strictSame(await running.finished(), { stdout: 'ensure\n', stderr: '', exitCode: null });
  t.equal(running.child.signalCode, 'SIGTERM');
});

t.test('exit in a spawned thread ends the program', async (t) => {
  t.strictSame(await run(t, 'spawn { exit(6) }\nsleep(30)\nputs "after"'), { stdout: '', stderr: '', exitCode: 6 });
});

t.test("words after the file are the program's arguments", async (t) => {
  const argumentsOf = async (...args: string[]): Promise<Outcome> => run(t, 'p argv()', { args });
  const printed = (vector: string): Outcome => ({ stdout: `(Vector) ${vector}\n`, stderr: '', exitCode: 0 });
  t.strictSame(await argumentsOf(), printed('[]'));
  t.strictSame(await argumentsOf('one', '-x', '', 'é b', '--two=3'), printed('["one", "-x", "", "é b", "--two=3"]'));
  t.strictSame(await argumentsOf('--', '--port', '-h'), printed('["--port", "-h"]'), 'after --, also flags of svcc');
  t.strictSame(await argumentsOf('-x', '--', '-h'), printed('["-x", "-h"]'), '-- after other arguments');
});

t.test('words after -- are the program, if none stands before it, and its arguments', async (t) => {
  const cwd = t.testdir({ '-app.svc': 'p argv()' });
  const run = (...args: string[]): Promise<Outcome> => svcc(['run', ...args], { cwd });
  const printed = (vector: string): Outcome => ({ stdout: `(Vector) ${vector}\n`, stderr: '', exitCode: 0 });
  t.strictSame(await run('--', '-app.svc'), printed('[]'));
  t.strictSame(await run('--no-cache', '--', '-app.svc', '-h', '--', 'x'), printed('["-h", "--", "x"]'));
  t.strictSame(await run('./-app.svc', '--', '-h', '--', 'x'), printed('["-h", "--", "x"]'));
  t.match((await run('--bogus', '--', '-app.svc')).stderr, "error: unknown option '--bogus'");
  t.match((await run('--')).stderr, "error: missing required argument 'file'");
});

t.test('input() reads lines of stdin, then nil', async (t) => {
  const source = 'while (line = input()) != nil\n  puts "<#{line}>"\nend\np input()';
  t.strictSame(await run(t, source, { stdin: 'one\n\ntwo é\r\nlast' }), {
    stdout: '<one>\n<>\n<two é>\n<last>\n(Nil) nil\n',
    stderr: '',
    exitCode: 0,
  });
  t.strictSame(await run(t, source), { stdout: '(Nil) nil\n', stderr: '', exitCode: 0 }, 'empty stdin');
});

t.test('a thread that is cancelled while it waits for input takes no line away', async (t) => {
  const source = `first = timeout(0.05) { input() } rescue "none"
puts first
each = spawn { stdin.each_line { |line| puts("each " + line) } }
sleep(0.01)
each.cancel
all = spawn { stdin.each_line }
puts "ready"
while !file_exists("written")
  sleep(0.01)
end
all.cancel
puts "cancelled"
task = spawn { input() }
sleep(0.01)
puts task.await, input()
p stdin.each_line
p input()
`;
  const cwd = t.testdir({ 'app.svc': source });
  const running = new Svcc(['run', 'app.svc'], { cwd });
  t.teardown(() => running.child.kill('SIGKILL'));
  await running.printed(/ready/);
  running.child.stdin?.write('1\n2\n3\n');
  await new Promise((passed) => setTimeout(passed, 50));
  writeFileSync(join(cwd, 'written'), '');
  await running.printed(/cancelled/);
  running.child.stdin?.end('4\n5');
  t.strictSame(await running.finished(), {
    stdout: 'none\nready\ncancelled\n1\n2\n(Vector) ["3", "4", "5"]\n(Nil) nil\n',
    stderr: '',
    exitCode: 0,
  });
});

t.test('a line that is not UTF-8 raises an error, and others stay', async (t) => {
  const source = 'puts input()\nputs((input() rescue "bad"))\nputs input()\np stdin.each_line';
  const outcome = await run(t, source, { stdin: Buffer.from('ok\n\xff\nnext\n', 'latin1') });
  t.strictSame(outcome, { stdout: 'ok\nbad\nnext\n(Vector) []\n', stderr: '', exitCode: 0 });
});

t.test('a program that reads no input ends while stdin is open', async (t) => {
  const open = new Svcc(['run', 'app.svc'], { cwd: t.testdir({ 'app.svc': 'puts "done"' }) });
  t.strictSame(await open.finished(), { stdout: 'done\n', stderr: '', exitCode: 0 });
});

t.test('all output arrives at a normal end, after exit and after an error', async (t) => {
  const lines = '20000.times { |i| puts "line #{i}" }\n';
  for (const [end, exitCode] of [
    ['', 0],
    ['exit(7)', 7],
    ['raise "end"', 1],
  ] as const) {
    const outcome = await run(t, lines + end);
    t.ok(
      outcome.stdout.endsWith('\nline 19999\n') && outcome.stdout.split('\n').length === 20_001,
      `${end}: all lines`,
    );
    t.equal(outcome.exitCode, exitCode);
  }
});

t.test('a closed pipe ends the program without a message', async (t) => {
  const writer = new Svcc(['run', 'app.svc'], { cwd: t.testdir({ 'app.svc': 'loop { puts "line" }\n' }) });
  await writer.printed(/line\n/);
  writer.child.stdout?.destroy();
  const { stderr, exitCode } = await writer.finished();
  t.same([stderr, exitCode], ['', 141]);
});

t.test('a closed pipe of messages ends the program', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'puts "begun"\nloop { warn "line" }\n' });
  const writer = new Svcc(['run', 'app.svc'], { cwd });
  t.teardown(() => writer.child.kill('SIGKILL'));
  await writer.printed(/begun\n/);
  writer.child.stderr?.destroy();
  t.equal((await writer.finished()).exitCode, 141);
});

const FULL = { skip: !existsSync('/dev/full') && 'there is no /dev/full' };
const LOST = {
  stdout: '',
  stderr: 'svcc: cannot write to standard output: no space is left on the disk\n',
  exitCode: 1,
};

t.test('output that cannot be written is an error', FULL, async (t) => {
  const cwd = t.testdir({ 'app.svc': '' });
  const programs = [
    'puts 1',
    'print 1',
    'p 1',
    'pp [1]',
    'benchmark("x") { 1 }',
    'test("x") { 1 }',
    'input("name? ")',
    'puts 1\nsleep(1000)',
    'loop { puts 1 }',
    'spawn { loop { } }\nputs 1\nexit(0)',
  ];
  for (const [i, program] of programs.entries()) writeFileSync(join(cwd, `${i}.svc`), program);
  const outcomes = await inPairs([...programs.keys()], (i) =>
    svcc(['run', `${i}.svc`], { cwd, stdoutTo: '/dev/full' }),
  );
  for (const [i, program] of programs.entries()) t.same(outcomes[i], LOST, program);
});

t.test('output that cannot be written is an error of every command', FULL, async (t) => {
  const cwd = t.testdir({ 'app.svc': 'def unused(a)\n  b = a\nend\nputs 1', 'web.svc': 'web_app().run(0)' });
  const commands = [
    ['version'],
    ['-V'],
    ['help'],
    ['help', 'run'],
    ['cache', 'info'],
    ['check', 'app.svc'],
    ['disasm', 'app.svc'],
    ['compile', 'app.svc'],
    ['routes', 'web.svc'],
    ['run', '--seeds', '2', 'app.svc'],
    ['new', 'shop'],
  ];
  const outcomes = await inPairs(commands, (args) => svcc(args, { cwd, stdoutTo: '/dev/full' }));
  for (const [i, args] of commands.entries()) t.same(outcomes[i], LOST, args.join(' '));
});

t.test('messages that cannot be written make the exit code 1', FULL, async (t) => {
  const cwd = t.testdir({ 'app.svc': 'spawn { raise "unseen" }\nsleep(0.01)\nputs "done"' });
  t.same(await svcc(['run', 'app.svc'], { cwd, stderrTo: '/dev/full' }), { stdout: 'done\n', stderr: '', exitCode: 1 });
});

t.test('a server continues without its output, with one message', FULL, async (t) => {
  const cwd = t.testdir({
    'app.svc':
      'app = web_app()\napp.log\napp.get("/") { puts "x"\n"served" }\napp.get("/end") { exit(0) }\napp.run(env("AT").to_i, host: "127.0.0.1")\n',
  });
  const port = await freePort();
  const server = new Svcc(['run', 'app.svc'], { cwd, env: { AT: String(port) }, stdoutTo: '/dev/full' });
  t.teardown(() => server.child.kill('SIGKILL'));
  const get = (path: string): Promise<string | null> =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      (response) => response.text(),
      () => null,
    );
  t.equal(await until('an answer', () => get('/')), 'served');
  for (let i = 0; i < 3; i++) t.equal(await get('/'), 'served');
  await get('/end');
  t.same(await server.ended, LOST);
});

t.test('a working directory that was removed', async (t) => {
  for (const args of [['run', 'app.svc'], ['new', 'shop'], ['version']]) {
    const cwd = t.testdir({ gone: {} });
    const ended = spawn(
      'sh',
      [
        '-c',
        'rmdir ../gone; unset NODE_OPTIONS; exec "$@"',
        'sh',
        process.execPath,
        join(ROOT, 'dist/svcc.js'),
        ...args,
      ],
      { cwd: join(cwd, 'gone') },
    );
    let stderr = '';
    ended.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
    t.equal(await new Promise((done) => ended.on('close', done)), 2);
    t.equal(stderr, 'svcc: the working directory does not exist any more; change to another one\n', args.join(' '));
  }
});

t.test('warnings go to stderr and do not end the program', async (t) => {
  const { stdout, stderr, exitCode } = await run(t, 'LIMIT = 1\nLIMIT = 2\nputs LIMIT\n');
  t.equal(stdout, '1\n');
  t.match(stderr, /app\.svc:2.*LIMIT|LIMIT.*app\.svc:2/s);
  t.equal(exitCode, 0);
});

t.test('the program may be in any folder', async (t) => {
  const cwd = t.testdir({ 'a b': { 'pröbe.svc': 'puts "here"\nraise "x"' } });
  const outcome = await svcc(['run', 'a b/pröbe.svc'], { cwd });
  t.equal(outcome.stdout, 'here\n');
  t.match(outcome.stderr, /^ *a b\/pröbe\.svc:2 in main$/m);
  t.equal((await svcc(['run', `${cwd}/a b/pröbe.svc`], { cwd: '/' })).stdout, 'here\n');
});
