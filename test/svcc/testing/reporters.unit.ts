import { SaxesParser } from 'saxes';
import t from 'tap';
import { Parser } from 'tap-parser';
import { project, type Report } from './support.js';

const HOSTILE = `puts "1..99\\nnot ok 1 - forged"
test("good") { puts "ok 5 - forged"; assert_true(true) }
test("# SKIP \\\\ & <b> ]]> \\e[2J\\u0000 \\"😀\\" ' \\n---") { assert_eq({a: "x\\u0007", "b c": ["]]>", 1]}, {a: "x"}) }
test("prints") do
  puts "<&>\\u0000\\e[31m\\u{FFFE}\\n  ...\\nBail out!"
  raise ValueError, "several\\nlines\\r\\u0001"
end
test("skipped") { skip "no # network\\n!" }
`;
const FILES = {
  'a_test.svc': HOSTILE,
  'b_test.svc': 'test("x") do\n  1 +\nend\n',
  'c_test.svc': 'test("fine") { assert_true(true) }\n',
};

t.test('tap: the lines are valid, whatever tests are named and print', async (t) => {
  const { stdout, stderr, exitCode } = await project(t, FILES).run(['--reporter', 'tap']);
  t.strictSame([stderr, exitCode], ['', 1]);
  t.match(stdout, /^TAP version 14\n/);
  const parser = new Parser({ strict: true });
  const found: [boolean, string, unknown][] = [];
  const extra: string[] = [];
  parser.on('assert', ({ ok, name, skip }) => found.push([ok, name, skip]));
  parser.on('extra', (line) => extra.push(line));
  parser.end(stdout);
  t.strictSame(extra, []);
  t.strictSame(
    found.map(([ok]) => ok),
    [true, false, false, true, false, true],
  );
  t.match(found[1][1], /^a_test\.svc › # SKIP \\ & <b> \]\]>/);
  t.type(found[3][2], 'string');
  t.equal(parser.failures.length, 3);
  t.match(parser.failures[0].diag, {
    message: /^expected \{a: "x"\}, got /,
    at: 'a_test.svc:3',
    details: /\+ {3}a: "x\\+u/,
  });
  t.equal(parser.bailedOut, false);
  t.equal(parser.planEnd, 6);
});

t.test('junit: the XML is valid, whatever tests are named and print', async (t) => {
  const { stdout, exitCode } = await project(t, FILES).run(['--reporter', 'junit']);
  t.equal(exitCode, 1);
  const parser = new SaxesParser();
  const cases: string[] = [];
  const counts: string[] = [];
  const errors: Error[] = [];
  parser.on('error', (error) => errors.push(error));
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'testcase') cases.push(String(attributes.name));
    if (name === 'testsuites')
      counts.push(...['tests', 'failures', 'errors', 'skipped'].map((key) => String(attributes[key])));
  });
  parser.write(stdout).close();
  t.strictSame(errors, []);
  t.strictSame(counts, ['6', '2', '1', '1']);
  t.strictSame(
    cases.map((name) => name.slice(0, 8)),
    ['good', '# SKIP \\', 'prints', 'skipped', 'b_test.s', 'fine'],
  );
});

t.test('json: one document', async (t) => {
  const { stdout } = await project(t, FILES).run(['--reporter', 'json']);
  const { summary, files } = JSON.parse(stdout) as Report;
  t.match(summary, { passed: 2, failed: 2, skipped: 1, broken: 1, files: 3, stopped: false });
  t.strictSame(
    files.map(({ file, passed }) => [file, passed]),
    [
      ['a_test.svc', false],
      ['b_test.svc', false],
      ['c_test.svc', true],
    ],
  );
});

t.test('spec: a list for people, without control characters of programs', async (t) => {
  const { run, write } = project(t, FILES);
  const { stdout } = await run();
  t.notMatch(stdout, /[\x00-\x09\x0b-\x1f]/);
  t.match(stdout, /^✗ a_test\.svc\n {2}✓ good\n {2}✗ # SKIP/);
  t.match(stdout, /\n {2}- skipped \(skipped: no # network\\n!\)\n/);
  t.match(stdout, /\n {4}output:\n {6}<&>\\u0000\\u001b\[31m/);
  t.notMatch(stdout, 'ok 5 - forged', 'output of tests that pass is not shown');
  t.match(stdout, /\n {2}b_test\.svc:\d+:\d+: error: /);
  t.match(stdout, /\n2 passed, 2 failed, 1 skipped, 1 file failed in 3 files \(\d+\.\d s\)\n$/);
  for (const name of Object.keys(FILES)) write(name, '');
  t.match((await run()).stdout, /✓ a_test\.svc\n {2}no tests; the program ended without an error\n/);
});
