import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { outcomes, project } from './support.js';

t.test('snapshots are stored, compared, updated; unused ones are named', async (t) => {
  const source = `test "receipt" do
  assert_snapshot({total: 12, items: [{name: "milk"}, {name: "bread"}]})
  assert_snapshot("first\\n=== \\"receipt › 1\\"\\n\\n last ", "text")
end
test("other") { assert_snapshot(5) }
test("other") { assert_snapshot(6) }
test("gone") { assert_snapshot(nil) }
`;
  const { cwd, report, run, write } = project(t, { 'a_test.svc': source });
  const path = join(cwd, '__snapshots__/a_test.svc.snap');
  const first = await report();
  t.equal(first.exitCode, 0);
  t.strictSame(
    first.files[0].tests.map(({ written }) => written),
    [2, 1, 1, 1],
  );
  t.equal(
    readFileSync(path, 'utf8'),
    `# Values that tests compare with. \`svcc test --update\` writes them again.

=== "gone › 1" value
  nil

=== "other (2) › 1" value
  6

=== "other › 1" value
  5

=== "receipt › 1" value
  {
    total: 12,
    items: [
      {name: "milk"},
      {name: "bread"}
    ]
  }

=== "receipt › text" text
  first
  === "receipt › 1"
${'  '}
   last${' '}
`,
  );
  const again = await report();
  t.strictSame(
    again.files[0].tests.map(({ written }) => written),
    [0, 0, 0, 0],
  );
  t.strictSame(again.files[0].obsolete, []);
  write('a_test.svc', source.replace('milk', 'cheese').replace(/test\("gone.*\n/, ''));
  const changed = (await report()).files[0];
  t.match(outcomes(changed)[0], /^failed receipt \| AssertionError: the value is not the one of the snapshot/);
  t.match(changed.tests[0].failures[0].diff, [
    { mark: ' ' },
    { mark: ' ' },
    { mark: ' ' },
    { mark: '-', text: /milk/ },
    { mark: '+', text: /cheese/ },
  ]);
  t.strictSame(changed.obsolete, ['gone › 1']);
  t.match((await run()).stdout, '! no test uses the snapshot "gone › 1" (--update removes it)');
  t.strictSame((await report(['--filter', 'receipt'])).files[0].obsolete, [], 'a part of the tests shows nothing');
  const updated = (await report(['--update'])).files[0];
  t.ok(updated.passed);
  t.strictSame([updated.obsolete, updated.removed], [[], ['gone › 1']]);
  t.match(readFileSync(path, 'utf8'), 'cheese');
  t.notMatch(readFileSync(path, 'utf8'), 'gone');
  write('a_test.svc', 'test("receipt") { assert_true(true) }\n');
  const { stdout } = await run(['--update']);
  t.match(stdout, 'removed the snapshot "receipt › text", which no test uses\n');
  t.notMatch(stdout, /--update|!/);
  t.notOk(existsSync(path), 'a file without snapshots is removed');
  write('__snapshots__/a_test.svc.snap', '=== "old › 1"\n  1\n');
  t.match(
    (await run(['--update', '--reporter', 'tap'])).stdout,
    '# a_test.svc: removed the snapshot "old › 1", which no test uses\n',
  );
});

t.test('a text is not a value that is printed like it', async (t) => {
  const values = (a: string, b: string) => `test("x") { assert_snapshot(${a}) }\ntest("y") { assert_snapshot(${b}) }\n`;
  const { cwd, report, write } = project(t, { 'a_test.svc': values('5', '"nil"') });
  const path = join(cwd, '__snapshots__/a_test.svc.snap');
  await report();
  const stored = readFileSync(path, 'utf8');
  write('a_test.svc', values('"5"', 'nil'));
  const { files } = await report();
  t.strictSame(outcomes(files[0]), [
    'failed x | AssertionError: the value is not the one of the snapshot, which is no text (`svcc test --update` stores it)',
    'failed y | AssertionError: the value is not the one of the snapshot, which is a text (`svcc test --update` stores it)',
  ]);
  t.equal(readFileSync(path, 'utf8'), stored);
  const unmarked = stored.replace(/" (text|value)$/gm, '"');
  const older = async (text: string, source: string, env = {}) => {
    writeFileSync(path, text);
    write('a_test.svc', source);
    const result = await report([], env);
    t.strictSame(outcomes(result.files[0]), ['passed x', 'passed y'], 'files of older versions stay valid');
    t.strictSame(
      result.files[0].tests.map(({ written }) => written),
      [0, 0],
    );
    return readFileSync(path, 'utf8');
  };
  t.equal(await older(unmarked, values('5', '"nil"'), { CI: 'true' }), unmarked, 'CI stores nothing');
  t.equal(await older(unmarked.replaceAll('\n', '\r\n'), values('5', '"nil"')), unmarked.replaceAll('\n', '\r\n'));
  t.equal(await older(unmarked, values('5', '"nil"')), stored, 'a run notes the kinds');
  write('a_test.svc', values('"5"', 'nil'));
  t.strictSame((await report()).summary.failed, 2);
});

t.test('two values of a test do not share a snapshot', async (t) => {
  const source =
    'test("x") do\n  assert_snapshot("a")\n  assert_snapshot("a", name: "1")\n  assert_snapshot("b", name: "1")\nend\n';
  const { report } = project(t, { 'a_test.svc': source });
  for (const flags of [[], ['--update'], []])
    t.strictSame(outcomes((await report(flags)).files[0]), [
      "failed x | AssertionError: another value of this test has the snapshot 'x › 1': give them different names",
    ]);
});

t.test('with CI set, a missing snapshot is a failure', async (t) => {
  const { cwd, report } = project(t, { 'a_test.svc': 'test("x") { assert_snapshot(1) }\n' });
  const { files } = await report([], { CI: 'true' });
  t.match(outcomes(files[0]), [/^failed x \| AssertionError: there is no snapshot 'x › 1', and CI is set/]);
  t.notOk(existsSync(join(cwd, '__snapshots__')));
});

t.test('a damaged file of snapshots is refused', async (t) => {
  const source =
    'test("x") { assert_snapshot("1") }\ntest("y") { assert_snapshot("2") }\ntest("z") { assert_true(true) }\n';
  const { cwd, report, run, write } = project(t, { 'a_test.svc': source });
  const path = join(cwd, '__snapshots__/a_test.svc.snap');
  const good = '=== "x › 1"\n  1\n\n=== "y › 1"\n  2\n';
  const conflict = `<<<<<<< HEAD\n${good}=======\n${good}>>>>>>> other\n`;
  for (const [text, line, problem] of [
    [`${good}zzz\n`, 6, 'expected the name or an indented line of a snapshot, got "zzz"'],
    [`  1\n${good}`, 1, 'expected the name or an indented line of a snapshot, got "  1"'],
    [`# Values\n\n${conflict}`, 3, 'a conflict of versions that is not resolved'],
    [`${good}=== broken"\n  3\n`, 6, 'expected a name in quotes, got "broken\\""'],
    [good + good, 6, 'duplicate snapshot "x › 1"'],
  ] as const) {
    write('__snapshots__/a_test.svc.snap', text);
    const { files } = await report();
    const place = `__snapshots__/a_test.svc.snap:${line}: ${problem}; repair the file, or store`;
    t.strictSame(
      outcomes(files[0]).map((outcome) => outcome.slice(0, `failed x | ValueError: ${place}`.length)),
      [`failed x | ValueError: ${place}`, `failed y | ValueError: ${place}`, 'passed z'],
    );
    t.equal(files[0].problem, null);
    t.equal(readFileSync(path, 'utf8'), text, 'the file stays');
  }
  t.match(outcomes((await report(['--update', '--filter', 'x'])).files[0]), [/^failed x/], 'a part of the tests');
  t.ok((await report(['--update'])).files[0].passed);
  t.equal(readFileSync(path, 'utf8').replace(/^#.*\n\n/, ''), good.replace(/"$/gm, '" text'));
  write('__snapshots__/a_test.svc.snap', conflict);
  write('a_test.svc', 'test("z") { assert_true(true) }\n');
  const { stdout, exitCode } = await run();
  t.match(stdout, '  __snapshots__/a_test.svc.snap:1: a conflict of versions', 'no test uses the file');
  t.equal(exitCode, 1);
});

t.test('other ends of lines, and lines without their indentation, are no damage', async (t) => {
  const source = 'test("x") { assert_snapshot("a\\n\\nb"); assert_snapshot("c\\r\\n\\r\\nd\\r") }\n';
  const { cwd, report } = project(t, { 'a_test.svc': source });
  const path = join(cwd, '__snapshots__/a_test.svc.snap');
  await report();
  const written = readFileSync(path, 'utf8');
  for (const text of [
    written,
    written.replace(/\r?\n/g, '\r\n'),
    `\ufeff${written}`,
    written.replace('a\n  \n', 'a\n\n'),
    written.replace('a\n  \n', 'a\n\n').replace(/\r?\n/g, '\r\n'),
  ]) {
    writeFileSync(path, text);
    t.strictSame(outcomes((await report()).files[0]), ['passed x']);
    t.equal(readFileSync(path, 'utf8'), text);
  }
});
