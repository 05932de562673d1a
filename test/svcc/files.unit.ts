import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { assertNotCompiled, assertRefused } from './refusals.js';
import { runShared } from './shared.js';
import { inPairs, ROOT, svcc } from './svcc.js';

t.jobs = 4;

t.test('a missing file', async (t) => {
  assertRefused(t, await svcc(['run', 'nowhere.svc'], { cwd: t.testdir() }), 2, /nowhere\.svc.*no such file/);
});

t.test('a directory', async (t) => {
  assertRefused(
    t,
    await svcc(['run', 'folder.svc'], { cwd: t.testdir({ 'folder.svc': {} }) }),
    2,
    /folder\.svc is a directory/,
  );
});

t.test('a file below a file', async (t) => {
  assertRefused(t, await svcc(['run', 'app.svc/x.svc'], { cwd: t.testdir({ 'app.svc': '' }) }), 2, /app\.svc\/x\.svc/);
});

t.test(
  'a file without permission to read it',
  { skip: process.getuid?.() === 0 && 'root may read everything' },
  async (t) => {
    const cwd = t.testdir({ 'app.svc': 'puts 1' });
    chmodSync(`${cwd}/app.svc`, 0);
    assertRefused(t, await svcc(['run', 'app.svc'], { cwd }), 2, /app\.svc.*permission denied/);
  },
);

t.test('an empty name', async (t) => {
  assertRefused(t, await svcc(['run', ''], { cwd: t.testdir() }), 2, /\S/);
});

t.test('files that are no source text', async (t) => {
  const cwd = t.testdir({
    'app.svc': Buffer.from('\x7fELF\x02\x01\0\0\xd0\xff', 'latin1'),
    'source.svc': 'puts 1',
    'large.svc': ' '.repeat(16 * 1024 * 1024 + 1),
  });
  await svcc(['compile', 'source.svc'], { cwd });
  const rows: [command: string, file: string, message: RegExp][] = [
    ...['run', 'check', 'compile', 'disasm', 'routes'].map((command): [string, string, RegExp] => [
      command,
      'app.svc',
      /^app\.svc is a binary file, not the text of a Svc program\n$/,
    ]),
    ['run', 'large.svc', /^large\.svc is larger than 16 MB, the largest file that svcc reads\n$/],
    ['check', 'source.svcb', /^source\.svcb is an artefact; name the \.svc file that it was made from\n$/],
    ['compile', 'source.svcb', /^source\.svcb is an artefact; name the \.svc file that it was made from\n$/],
  ];
  const outcomes = await inPairs(rows, ([command, file]) => svcc([command, file], { cwd }));
  for (const [i, [, , message]] of rows.entries()) assertRefused(t, outcomes[i], 2, message);
});

t.test('an endless device', { skip: !existsSync('/dev/zero') }, async (t) => {
  assertRefused(t, await svcc(['run', '/dev/zero']), 2, /^\/dev\/zero is larger than 16 MB/);
});

t.test('a program from a pipe', async (t) => {
  const piped = spawnSync(
    'sh',
    ['-c', 'echo "puts 1" | "$@"', 'sh', process.execPath, join(ROOT, 'dist/svcc.js'), 'run', '/dev/stdin'],
    { encoding: 'utf8' },
  );
  t.same([piped.stdout, piped.stderr, piped.status], ['1\n', '', 0]);
});

const BAD_BYTES: Record<string, [bytes: Buffer, position: string]> = {
  'a byte that is no UTF-8': [Buffer.from('x = 1\ny = "ab\xff"\n', 'latin1'), '2:8'],
  'half a character at the end': [Buffer.from('x = "\xc3', 'latin1'), '1:6'],
  'an overlong character': [Buffer.from('# \xc0\xaf', 'latin1'), '1:3'],
  'half a pair of surrogates': [Buffer.from('\n\n"\xed\xa0\x80"', 'latin1'), '3:[23]'],
  'UTF-16': [Buffer.from('\ufeffputs 1\n', 'utf16le'), '1:1'],
};

for (const [name, [bytes, position]] of Object.entries(BAD_BYTES)) {
  t.test(`${name} is not compiled`, async (t) => assertNotCompiled(t, await runShared(t, bytes), position, /UTF-8/));
}

t.test('NUL is not compiled', async (t) => {
  assertNotCompiled(t, await runShared(t, 'x = 1\ny = "a\0b"\n'), '2:7', /NUL/);
  assertNotCompiled(t, await runShared(t, 'x = 1 # a\0b\n'), '1:10', /NUL/);
});

const QUIET: Record<string, string> = {
  'an empty file': '',
  'empty lines': '\n\n  \n\t\n',
  comments: '# one\n  # two\n## three',
  'a byte order mark': '\ufeff',
  'a byte order mark and a comment': '\ufeff# one\n',
};

for (const [name, source] of Object.entries(QUIET)) {
  t.test(`a program of ${name} does nothing`, async (t) => {
    t.strictSame(await runShared(t, source), { stdout: '', stderr: '', exitCode: 0 });
  });
}

t.test('lines may end with CR LF', async (t) => {
  t.strictSame(await runShared(t, '\ufeffx = 1\r\nif x == 1\r\n  puts "a"\r\nend\r\n'), {
    stdout: 'a\n',
    stderr: '',
    exitCode: 0,
  });
});

const UNCLOSED: Record<string, [source: string, position: string, message: RegExp]> = {
  def: ['puts 1\ndef f(x)\n  puts x\n', '\\d+', /def.*line 2|`end`/],
  if: ['if true\n  puts 1\n', '\\d+', /if.*line 1|`end`/],
  do: ['[1].each do |x|\n  puts x\n', '\\d+', /do.*line 1|`end`/],
  parenthesis: ['puts 1\nx = (1 + 2\n', '\\d+', /\)|\(/],
  bracket: ['x = [1, 2\n', '\\d+', /\]|\[/],
  brace: ['x = {a: 1\n', '\\d+', /\}|\{/],
  string: ['puts 1\nx = "abc\n', '2:5', /string|"/],
  interpolation: ['x = "a#{1 + 2"\n', '1', /\S/],
  heredoc: ['x = <<~TEXT\n  abc\n', '1:5', /TEXT/],
};

for (const [name, [source, position, message]] of Object.entries(UNCLOSED)) {
  t.test(`an unclosed ${name}`, async (t) => assertNotCompiled(t, await runShared(t, source), position, message));
}

t.test('several mistakes are reported in one run', async (t) => {
  const { stdout, stderr, exitCode } = await runShared(t, 'puts "never"\na = 1 2\nputs "never"\nb = 3 4\n');
  t.match(stderr, /app\.svc:2:7/);
  t.match(stderr, /app\.svc:4:7/);
  t.equal(stdout, '');
  t.equal(exitCode, 2);
});

t.test('a mistake in a required file names that file', async (t) => {
  const cwd = t.testdir({ 'app.svc': 'puts "never"\nrequire "lib/part"\n', lib: { 'part.svc': 'x = 1\ny = 1 2\n' } });
  assertRefused(t, await svcc(['run', 'app.svc'], { cwd }), 2, /lib\/part\.svc:2:7/, { lines: 6 });
});

t.test('a required file that is missing', async (t) => {
  assertNotCompiled(t, await runShared(t, 'puts "never"\nrequire "lib/part"\n'), '2', /lib\/part/);
});
