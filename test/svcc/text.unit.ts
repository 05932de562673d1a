import t from 'tap';
import { assertRefused } from './refusals.js';
import { svcc } from './svcc.js';

t.jobs = 4;

t.test('svcc -e runs a text, whose arguments follow', async (t) => {
  t.same(await svcc(['-e', 'puts argv()', 'a', '-x', '--port', '--', '-b']), {
    stdout: '[a, -x, --port, -b]\n',
    stderr: '',
    exitCode: 0,
  });
  t.same((await svcc(['-e', 'p input()'], { stdin: 'one\n' })).stdout, '(String) "one"\n', 'standard input is free');
  t.same(await svcc(['-e', '']), { stdout: '', stderr: '', exitCode: 0 }, 'an empty text');
  t.equal((await svcc(['-e', 'exit(7)'])).exitCode, 7);
});

t.test('svcc - and svcc run - read the program from standard input', async (t) => {
  for (const words of [['-'], ['run', '-'], ['run', '--no-cache', '-']])
    t.same(
      await svcc([...words, 'a', '--', '-b'], { stdin: 'p argv(), input()\nexit(4)\n' }),
      { stdout: '(Vector) ["a", "-b"]\n(Nil) nil\n', stderr: '', exitCode: 4 },
      words.join(' '),
    );
});

t.test('diagnostics and errors name the text', async (t) => {
  assertRefused(t, await svcc(['-e', 'foo(']), 2, /^-e:1:5: error: expected `\)`/, { lines: 5 });
  assertRefused(t, await svcc(['-'], { stdin: 'puts 1 +' }), 2, /^<stdin>:1:9: error: unexpected end/, { lines: 3 });
  assertRefused(t, await svcc(['-e', 'raise "x"']), 1, /^RuntimeError: x\n[^]*\^\n {2}-e:1 in main\n$/, { lines: 4 });
  assertRefused(t, await svcc(['-'], { stdin: '\nnil.size' }), 1, /^AttributeError[^]*<stdin>:2 in main\n$/, {
    lines: 4,
  });
});

t.test('files are found from the working directory', async (t) => {
  const cwd = t.testdir({ 'lib.svc': 'def twice(x)\n  x * 2\nend\n' });
  t.equal((await svcc(['-e', 'require "./lib"\nputs twice(4)'], { cwd })).stdout, '8\n');
  t.equal((await svcc(['-'], { cwd, stdin: 'require "./lib"\nputs twice(5)' })).stdout, '10\n');
});

t.test('what cannot run is refused', async (t) => {
  assertRefused(t, await svcc(['-e']), 2, /^error: option '-e <code>' argument missing/, { lines: 3 });
  for (const flag of ['--dev', '--seeds=2', '--workers=2'])
    assertRefused(t, await svcc(['run', flag, '-']), 2, new RegExp(`^svcc: ${flag.split('=')[0]} needs a file`), {
      lines: 1,
    });
});
