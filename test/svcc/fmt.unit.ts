import { chmodSync, chownSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { svcc } from './svcc.js';

t.jobs = 3;

const ROUGH = 'puts( 1,2 )\n';
const GOOD = 'puts(1, 2)\n';

t.test('formats the files below a folder', async (t) => {
  const cwd = t.testdir({
    '.gitignore': 'build/\n*.out.svc\n',
    '.git': {},
    'a.svc': ROUGH,
    'b.svc': GOOD,
    'c.out.svc': ROUGH,
    'note.txt': ROUGH,
    'page.html.erb': ROUGH,
    lib: { 'd.svc': ROUGH, '.gitignore': '/e.svc', 'e.svc': ROUGH },
    build: { 'f.svc': ROUGH },
    node_modules: { 'g.svc': ROUGH },
    '.hidden': { 'h.svc': ROUGH },
  });
  const check = await svcc(['fmt', '--check'], { cwd });
  t.strictSame(check, { stdout: 'a.svc\nlib/d.svc\n', stderr: '', exitCode: 1 });
  t.equal(readFileSync(join(cwd, 'a.svc'), 'utf8'), ROUGH);
  t.strictSame(await svcc(['fmt', 'lib'], { cwd }), { stdout: 'lib/d.svc\n', stderr: '', exitCode: 0 });
  t.strictSame(await svcc(['fmt'], { cwd }), { stdout: 'a.svc\n', stderr: '', exitCode: 0 });
  t.equal(readFileSync(join(cwd, 'a.svc'), 'utf8'), GOOD);
  t.equal(readFileSync(join(cwd, 'lib/e.svc'), 'utf8'), ROUGH);
  t.equal(readFileSync(join(cwd, 'build/f.svc'), 'utf8'), ROUGH);
  t.strictSame(await svcc(['fmt', '--check', '.'], { cwd }), { stdout: '', stderr: '', exitCode: 0 });
  t.strictSame(await svcc(['fmt', 'build/f.svc'], { cwd }), { stdout: 'build/f.svc\n', stderr: '', exitCode: 0 });
});

t.test('keeps mode and links, and drops byte order mark and CRLF', async (t) => {
  const cwd = t.testdir({ 'tool.svc': `\ufeff#!/usr/bin/env svcc\r\n${ROUGH}`, 'marked.svc': `\ufeff${GOOD}` });
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) chownSync(join(cwd, 'tool.svc'), 65534, 65534);
  chmodSync(join(cwd, 'tool.svc'), 0o755);
  symlinkSync('tool.svc', join(cwd, 'link.svc'));
  const outcome = await svcc(['fmt', 'link.svc', 'marked.svc'], { cwd });
  t.strictSame(outcome, { stdout: 'link.svc\nmarked.svc\n', stderr: '', exitCode: 0 });
  t.equal(readFileSync(join(cwd, 'tool.svc'), 'utf8'), `#!/usr/bin/env svcc\n${GOOD}`);
  t.equal(readFileSync(join(cwd, 'marked.svc'), 'utf8'), GOOD);
  t.equal(statSync(join(cwd, 'tool.svc')).mode & 0o777, 0o755);
  if (isRoot) t.equal(statSync(join(cwd, 'tool.svc')).uid, 65534);
  t.strictSame(readdirSync(cwd).sort(), ['link.svc', 'marked.svc', 'tool.svc'], 'no temporary files stay');
});

t.test('words after -- are operands', async (t) => {
  const cwd = t.testdir({ '-a.svc': ROUGH, '-a_test.svc': 'test("a") { assert(true) }\n', 'other.svc': ROUGH });
  t.strictSame(await svcc(['fmt', '--', '-a.svc'], { cwd }), { stdout: '-a.svc\n', stderr: '', exitCode: 0 });
  t.equal(readFileSync(join(cwd, 'other.svc'), 'utf8'), ROUGH, 'no other program changes');
  t.match((await svcc(['check', '--', '-a.svc', '-none.svc'], { cwd })).stderr, '-none.svc');
  t.match((await svcc(['test', '--', '-none.svc'], { cwd })).stderr, '-none.svc');
  t.match((await svcc(['new', '--', '-x'], { cwd })).stderr, "'-x' is not a valid project name");
  const compiled = await svcc(['compile', '-o', 'out.svcb', '--', '-a.svc'], { cwd });
  t.equal(compiled.exitCode, 0);
});

t.test('leaves programs alone that do not parse, and goes on after files that it cannot use', async (t) => {
  const cwd = t.testdir({
    'broken.svc': 'puts( 1\n',
    'binary.svc': Buffer.from([0xff, 0xfe, 0x80]),
    'rough.svc': ROUGH,
  });
  const outcome = await svcc(['fmt', 'broken.svc', 'rough.svc'], { cwd });
  t.equal(outcome.exitCode, 1);
  t.equal(outcome.stdout, 'rough.svc\n');
  t.match(outcome.stderr, /^broken\.svc:1:8: error: /);
  t.equal(readFileSync(join(cwd, 'broken.svc'), 'utf8'), 'puts( 1\n');
  t.equal(readFileSync(join(cwd, 'rough.svc'), 'utf8'), GOOD);
  const missing = await svcc(['fmt', '--check', 'none.svc', 'binary.svc', 'rough.svc'], { cwd });
  t.equal(missing.exitCode, 2);
  t.match(missing.stderr, 'cannot read none.svc: no such file or directory\n');
  t.match(missing.stderr, 'binary.svc:1:1: error: invalid UTF-8');
});

t.test('formats stdin', async (t) => {
  t.strictSame(await svcc(['fmt', '-'], { stdin: ROUGH }), { stdout: GOOD, stderr: '', exitCode: 0 });
  t.strictSame(await svcc(['fmt', '-'], { stdin: '' }), { stdout: '', stderr: '', exitCode: 0 });
  const check = await svcc(['fmt', '--check', '--stdin-path', 'lib/a.svc', '-'], { stdin: ROUGH });
  t.strictSame(check, { stdout: 'lib/a.svc\n', stderr: '', exitCode: 1 });
  const broken = await svcc(['fmt', '--stdin-path', 'lib/a.svc', '-'], { stdin: 'puts (1\n' });
  t.equal(broken.exitCode, 1);
  t.equal(broken.stdout, '');
  t.match(broken.stderr, /^lib\/a\.svc:1:8: error: /);
});

t.test('refuses standard input beside files, and --stdin-path without standard input', async (t) => {
  const cwd = t.testdir({ 'a.svc': ROUGH });
  for (const args of [
    ['--stdin-path', 'b.svc'],
    ['--stdin-path', 'b.svc', 'a.svc'],
    ['-', 'a.svc'],
  ]) {
    const outcome = await svcc(['fmt', ...args], { cwd, stdin: ROUGH });
    t.equal(outcome.exitCode, 2, args.join(' '));
    t.equal(outcome.stdout, '');
    t.match(outcome.stderr, args[0] === '-' ? "give either '-' or files\n" : "add '-' to read it\n");
  }
  t.equal(readFileSync(join(cwd, 'a.svc'), 'utf8'), ROUGH);
});

t.test('leaves templates as they are, also those that are named', async (t) => {
  const page = '<p><%= name( 1,2 ) %></p>\n';
  const cwd = t.testdir({ 'page.html.erb': page });
  for (const args of [['page.html.erb'], ['--check', 'page.html.erb']])
    t.strictSame(await svcc(['fmt', ...args], { cwd }), { stdout: '', stderr: '', exitCode: 0 });
  t.equal(readFileSync(join(cwd, 'page.html.erb'), 'utf8'), page);
  const stdin = await svcc(['fmt', '--stdin-path', 'page.html.erb', '-'], { stdin: page });
  t.strictSame(stdin, { stdout: page, stderr: '', exitCode: 0 });
});
