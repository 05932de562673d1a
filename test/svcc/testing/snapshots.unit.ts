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

=== "gone › 1"
  nil

=== "other (2) › 1"
  6

=== "other › 1"
  5

=== "receipt › 1"
  {
    total: 12,
    items: [
      {name: "milk"},
      {name: "bread"}
    ]
  }

=== "receipt › text"
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

t.test('with CI set, a missing snapshot is a failure', async (t) => {
  const { cwd, report } = project(t, { 'a_test.svc': 'test("x") { assert_snapshot(1) }\n' });
  const { files } = await report([], { CI: 'true' });
  t.match(outcomes(files[0]), [/^failed x \| AssertionError: there is no snapshot 'x › 1', and CI is set/]);
  t.notOk(existsSync(join(cwd, '__snapshots__')));
});

t.test('a damaged file of snapshots is no error of its own', async (t) => {
  const { cwd, report, write } = project(t, { 'a_test.svc': 'test("x") { assert_snapshot("1") }\n' });
  write('__snapshots__/a_test.svc.snap', '=== "x › 1"\n=== broken"\n  zzz\nno indent\n');
  const { files } = await report();
  t.match(outcomes(files[0]), [/^failed x/]);
  t.strictSame(files[0].obsolete, ['broken"']);
  writeFileSync(join(cwd, '__snapshots__/a_test.svc.snap'), '=== "x › 1"\n  1\n');
  t.ok((await report()).files[0].passed);
});
