import t from 'tap';
import { outcomes, project } from './support.js';

t.jobs = 2;

const MONEY = `# Money.

## The sum of two amounts.
##
## \`\`\`svc
## assert_eq(add(1, 2), 3)
## \`\`\`
##
## \`\`\`svc
## puts add("a", "b")      # => ab
## puts _hidden
## \`\`\`
def add(a, b) = a + b
def _hidden() = 1

record Money(cents) do
  ## \`\`\`svc
  ## m = Money(2)
  ##   assert_eq(m.twice, Money(5))
  ## \`\`\`
  def twice() = Money(cents * 2)
end
COUNT = [0]
## \`\`\`svc
## COUNT[0] += 1
## puts COUNT[0]    # => 1
## \`\`\`
## \`\`\`svc
## record Own(x)
## COUNT[0] += 1
## puts COUNT[0]    # => 2
## \`\`\`
def count() = COUNT[0]
## \`\`\`svc
## end
## \`\`\`
## \`\`\`svc
## skip "needs a network"
## \`\`\`
## \`\`\`svc
## count # => 1
## \`\`\`
LIMIT = 5
`;

t.test('examples run as tests, each with its file anew', async (t) => {
  const plain = '## ```\n## no\n## ```\nx = 1\n';
  const { files, exitCode } = await project(t, { 'lib/money.svc': MONEY, 'lib/plain.svc': plain }).report(['--doc']);
  t.equal(exitCode, 1);
  t.equal(files.length, 1);
  const [file] = files;
  t.match(outcomes(file), [
    'passed add',
    /^failed add \(2\) \| NameError: .*_hidden/,
    'failed Money.twice | AssertionError: expected Money(cents: 5), got Money(cents: 4)',
    'passed count',
    'failed count (2) | the example printed other lines than its comments `# =>` say',
    /^failed LIMIT \| lib\/money\.svc:35:4: error: unexpected `end`/,
    'skipped LIMIT (2)',
    /^failed LIMIT \(3\) \| the example printed nothing: .* with `puts`$/,
  ]);
  const places = file.tests.map(({ line, failures }) => [line, failures[0]?.trace[0]?.line]);
  t.strictSame(places, [
    [5, undefined],
    [9, 11],
    [17, 19],
    [24, undefined],
    [28, 31],
    [34, undefined],
    [37, undefined],
    [40, 41],
  ]);
  t.match(file.tests[2].failures[0].source[0], '19 |   ##   assert_eq(m.twice, Money(5))');
  t.strictSame(
    file.tests[4].failures[0].diff.filter(({ mark }) => mark !== ' ').map(({ mark, text }) => mark + text),
    ['-"2"', '+"1"'],
  );
});

t.test('an example that is not closed is a failure', async (t) => {
  const source = `## \`\`\`svc
## assert_true(true)
## \`\`\`
## More:
##   \`\`\`svc
##   assert_true(true)
def a() = 1
`;
  const { report } = project(t, { 'lib/a.svc': source, 'b.svc': '## ```svc\n## puts 1' });
  const { files, exitCode } = await report(['--doc']);
  t.equal(exitCode, 1);
  const problem = 'error: the example has no end: expected a line with ``` before the end of its comment';
  const [b, a] = files.map((file) => outcomes(file).map((outcome) => outcome.split('\n')[0]));
  t.strictSame(b, [`failed line 1 | b.svc:1:4: ${problem}`]);
  t.strictSame(a, ['passed a', `failed a (2) | lib/a.svc:5:6: ${problem}`]);
});

t.test('files that cannot be loaded, or that serve', async (t) => {
  const example = (name: string): string => `## \`\`\`svc\n## assert_true(true)\n## \`\`\`\ndef ${name}() = 1\n`;
  const { report } = project(t, {
    'a.svc': `${example('a')}raise "at the start"\n`,
    'b.svc': `${example('b')}puts (\n`,
    'c.svc': `${example('c')}web_app().run(0)\n`,
    'd.svc': `require "e"\n${example('d')}`,
    'e.svc': 'def e() = 1\nexport e\n',
    'e_test.svc': example('e'),
  });
  const { files, exitCode } = await report(['--doc']);
  t.equal(exitCode, 1);
  t.strictSame(
    files.map(({ file, passed }) => [file, passed]),
    [
      ['a.svc', false],
      ['b.svc', false],
      ['c.svc', false],
      ['d.svc', true],
    ],
  );
  t.strictSame(outcomes(files[0]), ['failed a | a.svc ended with exit code 1 before the example began']);
  t.match(files[0].tests[0].output, 'RuntimeError: at the start');
  t.match(files[1].problem, /^b\.svc:5:\d+: error/);
  t.match(files[2].tests[0].output, 'c.svc serves when it is loaded: move app.run into a file that loads this one');
});

t.test('options of svcc test apply', async (t) => {
  const { run, report } = project(t, { 'lib/money.svc': MONEY, 'a_test.svc': 'test("a") { assert_eq(1, 1) }\n' });
  const filtered = await report(['--doc', '--filter', '^(add|count)$']);
  t.equal(filtered.exitCode, 0);
  t.strictSame(outcomes(filtered.files[0]), ['passed add', 'passed count']);
  const none = await run(['--doc', '--filter', 'nothing']);
  t.match([none.exitCode, none.stderr], [2, 'svcc: no example matches --filter nothing']);
  const empty = await run(['--doc', 'a_test.svc']);
  t.match([empty.exitCode, empty.stderr], [2, 'svcc: no examples found: they stand in ## comments of programs']);
  const bail = await report(['--doc', '--bail', '--seeds', '2']);
  t.strictSame([bail.exitCode, bail.files[0].tests.length, bail.files[0].seed], [1, 2, 1]);
  const coverage = await run(['--doc', '--coverage', '--filter', '^add$', 'lib']);
  t.match(coverage.stdout, /lib\/money\.svc +\d/);
  const tap = await run(['--doc', '--reporter', 'tap', '--filter', 'twice']);
  t.match(tap.stdout, /not ok 1 - lib\/money\.svc › Money\.twice[^]*at: "lib\/money\.svc:19"/);
});
