import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { jitOf } from '../../svcc/execute.js';
import { isInShare } from '../share.js';
import { assertRefused } from './refusals.js';
import { type Outcome, ROOT, svcc } from './svcc.js';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

t.jobs = 4;

t.test('version', async (t) => {
  for (const word of ['version', '--version', '-V', '-v'])
    t.strictSame(await svcc([word]), { stdout: `svcc ${version}\n`, stderr: '', exitCode: 0 }, word);
});

t.test('help', async (t) => {
  for (const args of [['help'], ['--help'], ['-h']]) {
    const { stdout, stderr, exitCode } = await svcc(args);
    for (const command of ['run', 'disasm', 'version', 'help'])
      t.match(stdout, new RegExp(`^\\s+${command}\\b`, 'm'), `${args.join(' ')} names ${command}`);
    t.equal(stderr, '');
    t.equal(exitCode, 0);
  }
});

t.test('help run', async (t) => {
  for (const args of [
    ['help', 'run'],
    ['run', '--help'],
  ]) {
    const { stdout, stderr, exitCode } = await svcc(args);
    for (const flag of ['--port', '--host']) t.match(stdout, flag);
    t.equal(stderr, '');
    t.equal(exitCode, 0);
  }
});

t.test('help of help and of commands within commands', async (t) => {
  for (const args of [
    ['help', 'help'],
    ['help', 'version'],
    ['help', 'cache'],
    ['cache', 'help', 'clear'],
  ]) {
    const { stdout, stderr, exitCode } = await svcc(args);
    t.match(stdout, /^Usage: svcc/, args.join(' '));
    t.same([stderr, exitCode], ['', 0]);
  }
});

/** Invalid command lines and their messages. */
// prettier-ignore
const WRONG: Record<string, [args: string[], message: RegExp]> = {
  'an unknown command': [['rum', 'app.svc'], /^error: unknown command 'rum'\n\(Did you mean run\?\)\nusage: svcc \[options\] \[command\]\n\(svcc help lists commands and options\)\n$/],
  'help of an unknown command': [['help', 'rum'], /unknown command 'rum'\n\(Did you mean run\?\)/],
  'a program without a command': [['app.svc'], /unknown command 'app\.svc'\n\(Did you mean run app\.svc\?\)\nusage: svcc /],
  'an unknown flag': [['--nonsense'], /^error: unknown option '--nonsense'\nusage: svcc \[options\]/],
  'an unknown flag of run': [['run', '--nonsense', 'app.svc'], /^error: unknown option '--nonsense'\nusage: svcc run \[options\] <file>/],
  'a misspelt flag of run': [['run', '--prot', '80', 'app.svc'], /unknown option '--prot'\n\(Did you mean --port\?\)/],
  'a misspelt flag of run with its value': [['run', '--prot=80', 'app.svc'], /unknown option '--prot'\n\(Did you mean --port\?\)/],
  'a misspelt flag of check': [['check', '--jsn', 'app.svc'], /unknown option '--jsn'\n\(Did you mean --json\?\)\nusage: svcc check/],
  'a misspelt command of cache': [['cache', 'cler'], /unknown command 'cler'\n\(Did you mean clear\?\)\nusage: svcc cache .*\n\(svcc help cache/],
  'an argument too many': [['cache', 'info', 'x'], /too many arguments.*\nusage: svcc cache info/],
  'workers of a program that is reloaded': [['run', '--dev', '--workers', '2', 'app.svc'], /'--dev' cannot be used with option '--workers/],
  'seeds for a program that is reloaded': [['run', '--seeds', '2', '--dev', 'app.svc'], /'--dev' cannot be used with option '--seeds/],
  'seeds for workers': [['run', '--seeds', '2', '--workers', '2', 'app.svc'], /'--workers <n>' cannot be used with option '--seeds/],
  'an empty host': [['run', '--host', '', 'app.svc'], /--host must not be empty/],
  'an empty output': [['compile', '-o', '', 'app.svc'], /--output must not be empty/],
  'an empty file': [['run', ''], /^the name of the file is empty; name a \.svc file\n$/],
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

for (const [name, [args, message]] of Object.entries(WRONG).filter(([name]) => isInShare(name))) {
  t.test(name, async (t) => {
    const cwd = t.testdir({ 'app.svc': 'puts "never"' });
    assertRefused(t, await svcc(args, { cwd }), 2, message, { lines: 4 });
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
  for (const PORT of ['abc', '-1', '65536'])
    assertRefused(t, await svcc(['run', 'app.svc'], { cwd, env: { PORT } }), 2, /PORT/);
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
  const cwd = t.testdir({ 'app.svc': 'x = 1 2\n' });
  assertRefused(t, await svcc(['disasm', 'nowhere.svc'], { cwd }), 2, /nowhere\.svc.*no such file/);
  assertRefused(t, await svcc(['disasm', '.'], { cwd }), 2, /directory/);
  assertRefused(t, await svcc(['disasm', 'app.svc'], { cwd }), 2, /app\.svc:1:7/, { lines: 6 });
});

t.test('the JavaScript of a function', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'def double(n) n * 2 end\nputs double(4)' });
  const one = await svcc(['disasm', '--jit', 'app.svc', 'double'], { cwd });
  t.match(one.stdout, /^double\(n\)\n\s+return \[\(function J\(self,d,r0\)\{\n[\s\S]*\d\s+MUL\s/);
  t.notMatch(one.stdout, 'main()');
  const all = await svcc(['disasm', 'app.svc', '--jit'], { cwd });
  t.ok(all.stdout.startsWith('main()\n') && all.stdout.endsWith(one.stdout));
  const none = await svcc(['disasm', '--jit', 'app.svc', 'triple'], { cwd });
  t.strictSame(none, {
    stdout: '',
    stderr: "svcc: app.svc has no function 'triple'; it has main, double\n",
    exitCode: 2,
  });
  t.strictSame(await svcc(['disasm', 'app.svc', 'double'], { cwd }), {
    stdout: '',
    stderr: 'svcc: name a function only with --jit\n',
    exitCode: 2,
  });
});

t.test('SVC_SLICE must be a number', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'puts "never"' });
  for (const SVC_SLICE of ['x', '-1', '1.5'])
    assertRefused(
      t,
      await svcc(['run', 'app.svc'], { cwd, env: { SVC_SLICE } }),
      2,
      /^svcc: the environment variable SVC_SLICE must be .*, got '/,
    );
});

t.test('SVC_CACHE_BYTES must be a number', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'puts "never"' });
  for (const SVC_CACHE_BYTES of ['x', '-1', '64 MB'])
    assertRefused(
      t,
      await svcc(['run', 'app.svc'], { cwd, env: { SVC_CACHE_BYTES } }),
      2,
      /^svcc: the environment variable SVC_CACHE_BYTES must be .*, got '/,
    );
});

t.test('SVC_JIT', async (t) => {
  const message = (text: string): string =>
    `svcc: the environment variable SVC_JIT must be 'off' or the number of calls after which a function is compiled, got '${text}'`;
  for (const [text, calls] of Object.entries({ off: null, 0: 0, 1000: 1000, '': jitOf({}) }))
    t.equal(jitOf({ SVC_JIT: text }), calls, text);
  for (const text of ['on', '-1', '1.5']) t.equal(jitOf({ SVC_JIT: text }), message(text));
  const cwd = t.testdir({ 'app.svc': 'def double(n) n * 2 end\nputs double(4)' });
  t.strictSame(await svcc(['run', 'app.svc'], { cwd, env: { SVC_JIT: '0' } }), {
    stdout: '8\n',
    stderr: '',
    exitCode: 0,
  });
  assertRefused(t, await svcc(['run', 'app.svc'], { cwd, env: { SVC_JIT: 'on' } }), 2, /^svcc: .* SVC_JIT must be/);
});

t.test('compile -o writes the artefact to the given path', async (t) => {
  const cwd = t.testdir({
    'app.svc': 'require "lib"\nputs 1',
    'lib.svc': 'two = 2',
    folder: {},
    there: { 'old.svcb': 'old' },
    'link.svcb': t.fixture('symlink', 'there/old.svcb'),
  });
  const compile = (path: string): Promise<Outcome> => svcc(['compile', 'app.svc', '-o', path], { cwd });
  assertRefused(
    t,
    await compile('nowhere/app.svcb'),
    1,
    /^cannot write nowhere\/app\.svcb: no such file or directory\n$/,
  );
  assertRefused(t, await compile('folder'), 1, /^cannot write folder: it is a directory\n$/);
  assertRefused(
    t,
    await compile('app.svc'),
    2,
    /^the artefact app\.svc would replace app\.svc, from which it is made; write it elsewhere with -o\n$/,
  );
  assertRefused(t, await compile('./folder/../lib.svc'), 2, /would replace lib\.svc/);
  t.same((await compile('link.svcb')).exitCode, 0);
  t.match(readFileSync(join(cwd, 'there/old.svcb'), 'latin1'), /^SVCB/, 'the file that the link names');
  const piped = spawnSync(
    'sh',
    ['-c', '"$@" | cat', 'sh', process.execPath, join(ROOT, 'dist/svcc.js'), 'compile', 'app.svc', '-o', '/dev/stdout'],
    { cwd },
  );
  t.ok(piped.stdout.equals(readFileSync(join(cwd, 'there/old.svcb'))), 'a pipe receives only the artefact');
  t.strictSame(readdirSync(cwd).sort(), ['app.svc', 'folder', 'lib.svc', 'link.svcb', 'there'], 'nothing is left');
});

t.test('compile to a full device fails and leaves the device', { skip: !existsSync('/dev/full') }, async (t) => {
  const cwd = t.testdir({ 'app.svc': 'puts 1', 'full.svcb': t.fixture('symlink', '/dev/full') });
  assertRefused(
    t,
    await svcc(['compile', 'app.svc', '-o', 'full.svcb'], { cwd }),
    1,
    /^cannot write full\.svcb: no space is left on the disk\n$/,
  );
  t.ok(statSync('/dev/full').isCharacterDevice());
});

t.test('halt outside of requests names its place; equal lines of a backtrace are shown once', async (t) => {
  const halted = await svcc(['-e', 'def f() = halt(404)\nf()']);
  t.equal(halted.exitCode, 1);
  t.match(
    halted.stderr,
    /^RuntimeError: halt\(\) outside a request\n {2}1 \| def f\(\) = halt\(404\)\n {4}\| +\^\n.*:1 in f\n/,
  );
  const endless = await svcc(['-e', 'def f(a) = f(a + 1)\nf(1)']);
  t.match(endless.stderr, /:1 in f\n {2}… the same line repeats\n.*:2 in main\n$/);
  t.ok(endless.stderr.split('\n').length < 10);
});
