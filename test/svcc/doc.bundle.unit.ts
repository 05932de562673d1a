import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { htmlOfMarkdown } from '../../svcc/doc/html.js';
import { svcc } from './svcc.js';

const PROGRAM = `# Sums.

## Adds numbers.
##
## \`\`\`svc
## puts add(1, 2) # => 3
## \`\`\`
def add(a, b = 2) = a + b

## A <point>.
record Point(x, y) do
  ## Its length.
  def length() = sqrt(x * x + y * y)
  def bare() = 1
end

def other(a: Int) -> Int
  a
end
private def hidden() = 1
`;

t.test('a block of code that a comment does not close ends with it', async (t) => {
  const text = `# Start.
# ~~~~
# ~~~

## A.
## \`\`\`svc
## a()
def a() = 1

## B.
## \`\`\`\`md
## \`\`\`
## b()
def b() = 2

## C.
## \`\`\`svc
## c()
## \`\`\`
##     \`\`\`
def c() = 3
`;
  const cwd = t.testdir({ 'a.svc': text });
  const { stdout } = await svcc(['doc', 'a.svc'], { cwd });
  t.equal(
    stdout.replaceAll(/^```svc\ndef .*\n```\n\n/gm, ''),
    `# a.svc

Start.
~~~~
~~~
~~~~

## a

A.
\`\`\`svc
a()
\`\`\`

## b

B.
\`\`\`\`md
\`\`\`
b()
\`\`\`\`

## c

C.
\`\`\`svc
c()
\`\`\`
    \`\`\`
`,
  );
});

t.test('Markdown', async (t) => {
  const cwd = t.testdir({ 'sums.svc': PROGRAM, lib: { 'empty.svc': 'puts 1\n' }, tests: { 'a_test.svc': 'puts 1\n' } });
  t.strictSame(await svcc(['doc', 'sums.svc'], { cwd }), {
    exitCode: 0,
    stderr: '',
    stdout: `# sums.svc

Sums.

## add

\`\`\`svc
def add(a, b = 2)
\`\`\`

Adds numbers.

\`\`\`svc
puts add(1, 2) # => 3
\`\`\`

## Point

\`\`\`svc
record Point(x, y)
\`\`\`

A <point>.

### Point.length

\`\`\`svc
def length()
\`\`\`

Its length.

Methods without documentation:

\`\`\`svc
def bare()
\`\`\`

## Without documentation

\`\`\`svc
def other(a: Int) -> Int
\`\`\`
`,
  });
  const all = await svcc(['doc'], { cwd });
  t.match(
    all.stdout,
    /^# lib\/empty\.svc\n\nThis file offers no names to others\.\n\n# sums\.svc\n/,
    'all files below, without tests',
  );
});

t.test('HTML', async (t) => {
  const cwd = t.testdir({
    'sums.svc': `${PROGRAM}## <script>alert("x")</script> & [a](javascript:alert) [b](https://b.org/) \`<i>\`\nBAD = "</code><script>"\n`,
  });
  const { stdout, exitCode } = await svcc(['doc', '--html', 'sums.svc'], { cwd });
  t.equal(exitCode, 0);
  t.match(stdout, /^<!doctype html>/);
  t.notMatch(stdout, /<script/);
  t.notMatch(stdout, /href="javascript:/);
  t.notMatch(stdout, /(?:src|href)="(?!#|https:\/\/b\.org\/)/, 'the page needs no other files');
  t.match(stdout, '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp;');
  t.match(stdout, '<a href="https://b.org/">b</a> <code>&lt;i&gt;</code>');
  t.match(stdout, '<p>A &lt;point&gt;.</p>');
  t.match(stdout, '<pre><code>puts add(1, 2) # =&gt; 3</code></pre>');
});

t.test('pages in a folder', async (t) => {
  const cwd = t.testdir({ 'a b.svc': PROGRAM, lib: { 'c.svc': '## C.\ndef c() = 1\n' } });
  const { stdout, exitCode } = await svcc(['doc', '-o', 'out'], { cwd });
  t.strictSame({ stdout, exitCode }, { stdout: '2 pages in out\n', exitCode: 0 });
  t.strictSame(readdirSync(join(cwd, 'out'), { recursive: true }).map(String).sort(), [
    'a b.md',
    'index.md',
    'lib',
    'lib/c.md',
  ]);
  t.equal(
    readFileSync(join(cwd, 'out/index.md'), 'utf8'),
    '# Documentation\n\n- [a b.svc](<a b.md>)\n- [lib/c.svc](<lib/c.md>)\n',
  );
  await svcc(['doc', '--html', '-o', 'out', '.'], { cwd });
  t.match(readFileSync(join(cwd, 'out/index.html'), 'utf8'), '<a href="a%20b.html">a b.svc</a>');
});

t.test('what cannot be read', async (t) => {
  const cwd = t.testdir({ 'broken.svc': '## Fine.\ndef f(x) = x\nx = = 1\n', file: '' });
  const broken = await svcc(['doc', 'broken.svc'], { cwd });
  t.equal(broken.exitCode, 1);
  t.match(broken.stderr, /^broken\.svc:3:5: error: /);
  t.match(broken.stdout, '## f', 'the rest is documented');
  t.strictSame(await svcc(['doc', 'none.svc'], { cwd }), {
    exitCode: 2,
    stdout: '',
    stderr: 'cannot read none.svc: no such file or directory\n',
  });
  const unwritable = await svcc(['doc', 'broken.svc', '-o', 'file'], { cwd });
  t.equal(unwritable.exitCode, 2);
  t.match(unwritable.stderr, /cannot write to file: /);
});

t.test('Markdown of comments', (t) => {
  const html = (text: string): string => htmlOfMarkdown(text).replaceAll('\n', '');
  t.equal(html('a\nb\n\nc'), '<p>a b</p><p>c</p>');
  t.equal(html('- a\n  b\n- `c`'), '<ul><li>a b</li><li><code>c</code></li></ul>');
  t.equal(html('1. a\n2. b'), '<ol><li>a</li><li>b</li></ol>');
  t.equal(html('```\n<b>\n'), '<pre><code>&lt;b&gt;</code></pre>', 'a fence that is not closed');
  t.equal(html('**a** *b* _c_ a_b_c 2 * 3 * 4'), '<p><strong>a</strong> <em>b</em> <em>c</em> a_b_c 2 * 3 * 4</p>');
  t.equal(html('# Title'), '<p><strong>Title</strong></p>');
  t.equal(html('[x](https://a.b/"onclick=1)'), '<p><a href="https://a.b/&quot;onclick=1">x</a></p>');
  t.equal(html(''), '');
  t.end();
});

t.test('a file in place of the folder is refused', async (t) => {
  const cwd = t.testdir({ 'a.svc': PROGRAM });
  for (const [name, flag] of [
    ['x.md', ''],
    ['x.html', ' --html'],
  ]) {
    const outcome = await svcc(['doc', '-o', name, 'a.svc'], { cwd });
    t.equal(outcome.exitCode, 2);
    t.equal(
      outcome.stderr,
      `error: -o names a folder, got ${name}; for one file write: svcc doc${flag} FILE > ${name}\n`,
    );
  }
  t.strictSame(readdirSync(cwd), ['a.svc']);
});
