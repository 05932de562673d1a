import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { assertRefused } from './refusals.js';
import { ROOT, svcc } from './svcc.js';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

t.jobs = 4;

t.test('version', async (t) => {
  t.strictSame(await svcc(['version']), { stdout: `svcc ${version}\n`, stderr: '', exitCode: 0 });
});

t.test('help', async (t) => {
  for (const args of [['help'], ['--help'], ['-h']]) {
    const { stdout, stderr, exitCode } = await svcc(args);
    for (const command of ['run', 'disasm', 'version', 'help']) t.match(stdout, new RegExp(`^\\s+${command}\\b`, 'm'), `${args.join(' ')} names ${command}`);
    t.equal(stderr, '');
    t.equal(exitCode, 0);
  }
});

t.test('help run', async (t) => {
  for (const args of [['help', 'run'], ['run', '--help']]) {
    const { stdout, stderr, exitCode } = await svcc(args);
    for (const flag of ['--port', '--host']) t.match(stdout, flag);
    t.equal(stderr, '');
    t.equal(exitCode, 0);
  }
});

/** Command lines that make no sense: what must be said. */
const WRONG: Record<string, [args: string[], message: RegExp]> = {
  'an unknown command': [['rum', 'app.svc'], /unknown command.*rum/],
  'help of an unknown command': [['help', 'rum'], /rum/],
  'an unknown flag': [['--nonsense'], /unknown option.*--nonsense/],
  'an unknown flag of run': [['run', '--nonsense', 'app.svc'], /--nonsense/],
  'run without a file': [['run'], /file/],
  'disasm without a file': [['disasm'], /file/],
  'a port that is no number': [['run', '--port', 'abc', 'app.svc'], /--port.*abc/],
  'a negative port': [['run', '--port', '-1', 'app.svc'], /--port/],
  'a port above 65535': [['run', '--port', '65536', 'app.svc'], /--port.*65535/],
  'a port with a fraction': [['run', '--port', '80.5', 'app.svc'], /--port.*80\.5/],
  'an empty port': [['run', '--port', '', 'app.svc'], /--port/],
  'a port with a blank': [['run', '--port', ' 80', 'app.svc'], /--port/],
  'a port in another notation': [['run', '--port', '0x50', 'app.svc'], /--port.*0x50/],
  'a flag without its value': [['run', '--port'], /--port/],
};

for (const [name, [args, message]] of Object.entries(WRONG)) {
  t.test(name, async (t) => {
    const cwd = t.testdir({ 'app.svc': 'puts "never"' });
    assertRefused(t, await svcc(args, { cwd }), 2, message, { lines: 3 });
  });
}

t.test('no arguments', async (t) => {
  const { stdout, stderr, exitCode } = await svcc([]);
  t.match(stderr, /Usage: svcc/);
  t.equal(stdout, '');
  t.equal(exitCode, 2);
});

t.test('PORT in the environment must be a port', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'web_app().run()' });
  for (const PORT of ['abc', '-1', '65536']) assertRefused(t, await svcc(['run', 'app.svc'], { cwd, env: { PORT } }), 2, /PORT/);
});

t.test('disasm shows the bytecode and runs nothing', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'def twice(x)\n  x * 2\nend\nputs twice(21)\n' });
  const { stdout, stderr, exitCode } = await svcc(['disasm', 'app.svc'], { cwd });
  t.match(stdout, /twice/);
  t.match(stdout, /MUL/i);
  t.notMatch(stdout, /^42$/m);
  t.equal(stderr, '');
  t.equal(exitCode, 0);
});

t.test('disasm refuses what run refuses', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'x = 1 & 2\n' });
  assertRefused(t, await svcc(['disasm', 'nowhere.svc'], { cwd }), 2, /nowhere\.svc.*no such file/);
  assertRefused(t, await svcc(['disasm', '.'], { cwd }), 2, /directory/);
  assertRefused(t, await svcc(['disasm', 'app.svc'], { cwd }), 2, /app\.svc:1:7/, { lines: 6 });
});

t.test('the JavaScript of a function', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'def double(n) n * 2 end\nputs double(4)' });
  const one = await svcc(['disasm', '--jit', 'app.svc', 'double'], { cwd });
  t.match(one.stdout, /^double\(n\)\n\s+return \(function J\(self,d,r0\)\{\n[\s\S]*\d\s+MUL\s/);
  t.notMatch(one.stdout, 'main()');
  const all = await svcc(['disasm', 'app.svc', '--jit'], { cwd });
  t.ok(all.stdout.startsWith('main()\n') && all.stdout.endsWith(one.stdout));
  const none = await svcc(['disasm', '--jit', 'app.svc', 'triple'], { cwd });
  t.strictSame(none, { stdout: '', stderr: "svcc: app.svc has no function 'triple'; it has main, double\n", exitCode: 2 });
  t.strictSame(await svcc(['disasm', 'app.svc', 'double'], { cwd }), { stdout: '', stderr: 'svcc: name a function only with --jit\n', exitCode: 2 });
});

t.test('SVC_JIT', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'def double(n) n * 2 end\nputs double(4)' });
  for (const SVC_JIT of ['off', '0', '1000', '']) t.strictSame(await svcc(['run', 'app.svc'], { cwd, env: { SVC_JIT } }), { stdout: '8\n', stderr: '', exitCode: 0 }, SVC_JIT);
  for (const SVC_JIT of ['on', '-1', '1.5']) {
    const { stderr, exitCode } = await svcc(['run', 'app.svc'], { cwd, env: { SVC_JIT } });
    t.equal(stderr, `svcc: the environment variable SVC_JIT must be 'off' or the number of calls after which a function is compiled, got '${SVC_JIT}'\n`);
    t.equal(exitCode, 2);
  }
});
