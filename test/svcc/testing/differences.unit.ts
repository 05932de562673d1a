import t, { type Test } from 'tap';
import { project, reportOf } from './support.js';

t.jobs = 2;

/** How two expressions differ, as a failed `assert_eq` shows them. */
async function differences(t: Test, cases: Record<string, string>): Promise<Record<string, string[]>> {
  const source = Object.entries(cases).map(([name, args]) => `test("${name}") { assert_eq(${args}) }\n`);
  const { tests } = await reportOf(t, `record Point(x, y)\n${source.join('')}`);
  return Object.fromEntries(
    tests.map(({ name, failures }) => [name, failures[0].diff.map(({ mark, text }) => `${mark}${text}`)]),
  );
}

t.test('differing parts are marked', async (t) => {
  t.strictSame(
    await differences(t, {
      numbers: '1, 2',
      'other types': '"1", 1',
      'a key': '{a: 1, b: 2, c: 3}, {a: 1, b: 5, d: 3}',
      elements: '[1, 2, 3], [1, 3, 4]',
      nested: '{user: {name: "Ann", tags: ["x"]}}, {user: {name: "Bob", tags: ["x", "y"]}}',
      records: 'Point(1, 2), Point(1, 3)',
      'other records': 'Point(1, 2), {x: 1, y: 2}',
      far: '(1..30).to_a, (1..30).to_a.map { |i| i == 15 ? 0 : i }',
      keys: '{"a b": 1, 5 => 2}, {"a b": 2, 5 => 2}',
      empty: '[], [[1]]',
    }),
    {
      numbers: ['-2', '+1'],
      'other types': ['-1', '+"1"'],
      'a key': [' {', '   a: 1,', '-  b: 5,', '+  b: 2,', '-  d: 3,', '+  c: 3,', ' }'],
      elements: [' [', '   1,', '+  2,', '   3,', '-  4,', ' ]'],
      nested: [
        ' {',
        '   user: {',
        '-    name: "Bob",',
        '+    name: "Ann",',
        '     tags: [',
        '       "x",',
        '-      "y",',
        '     ],',
        '   },',
        ' }',
      ],
      records: [' Point(', '   x: 1,', '-  y: 3,', '+  y: 2,', ' )'],
      'other records': ['-{x: 1, y: 2}', '+Point(x: 1, y: 2)'],
      far: [
        ' [',
        '…  12 equal elements',
        '   13,',
        '   14,',
        '-  0,',
        '+  15,',
        '   16,',
        '   17,',
        '…  13 equal elements',
        ' ]',
      ],
      keys: [' {', '-  "a b": 2,', '+  "a b": 1,', '   5: 2,', ' }'],
      empty: [' [', '-  [1],', ' ]'],
    },
  );
});

t.test('texts of several lines are compared by lines', async (t) => {
  const { lines, ends, long, inner } = await differences(t, {
    lines: String.raw`"a\nb\nc\nd\ne\nf\n", "a\nb\nc\nD\ne\nf\ng\n"`,
    ends: String.raw`"a\r\nb", "a\nb"`,
    long: '"x" * 1000 + "y" + "z" * 1000, "x" * 1000 + "Y"',
    inner: String.raw`{text: "a\nb"}, {text: "a\nc"}`,
  });
  t.strictSame(lines.slice(-8), [' b', ' c', '-D', '+d', ' e', ' f', '-g', ' ']);
  t.strictSame(ends, ['-a', '+a\\r', ' b']);
  t.strictSame(long[0], `-…"${'x'.repeat(20)}Y"`);
  t.match(long[1], /^\+…"x{20}yz+…$/);
  t.strictSame(inner, [' {', '   text: ', '     a', '-    c', '+    b', ' }']);
});

t.test('large values are shortened, deep and cyclic ones end', async (t) => {
  const found = await differences(t, {
    long: '(1..200_000).to_a, (1..200_000).to_a.map { |i| i == 150_000 ? nil : i }',
    other: '(1..200_000).to_a, (2..200_001).to_a',
    hash: '(1..50_000).to_h { |i| [i, i] }, {}',
    text: '("line\\n" * 100_000) + "a", ("line\\n" * 100_000) + "b"',
    deep: '(1..200).reduce([]) { |inner, _| [inner] }, (1..200).reduce([1]) { |inner, _| [inner] }',
    wide: '[["w" * 500, "v" * 500]], 1',
  });
  for (const [name, lines] of Object.entries(found)) {
    t.ok(lines.length > 0 && lines.length <= 101, `${name}: ${lines.length} lines`);
    t.ok(
      lines.every((line) => line.length < 250),
      name,
    );
  }
  t.strictSame(
    found.long.filter((line) => /^[-+]/.test(line)),
    ['-  nil,', '+  150000,'],
  );
});

t.test('a failure shows its line with a caret, in helpers and other files as well', async (t) => {
  const { report } = project(t, {
    'lib/checks.svc': 'def check(x)\n  y = x\n  assert_eq(y, 2)\nend\n',
    'a_test.svc': 'require "lib/checks"\n\ntest "helper" do\n  check(1)\nend\ntest("error") { nil.upcase }\n',
  });
  const { tests } = (await report(['a_test.svc'])).files[0];
  const [{ source, trace }] = tests[0].failures;
  t.strictSame(source, ['  3 |   assert_eq(y, 2)', '    |   ^']);
  t.match(trace, [
    { file: 'lib/checks.svc', line: 3 },
    { file: 'a_test.svc', line: 4 },
  ]);
  t.match(tests[1].failures[0].source[0], '6 | test("error") { nil.upcase }');
});

t.test('patterns and texts of errors', async (t) => {
  const { tests } = await reportOf(
    t,
    `test("type and pattern") { assert_raises(TypeError, /^a.c$/) { raise TypeError, "abc" } }
test("pattern") { assert_raises(/x/) { raise TypeError, "abc" } }
test("text") { assert_raises("b") { raise TypeError, "abc" } }
test("none") { assert_raises(TypeError, /x/) { 5 } }
test("long") { assert_raises(/(a|aa)+$/) { raise "a" * 3000 + "b" } }
`,
  );
  t.strictSame(
    tests.map(({ status, failures }) => failures[0]?.message.slice(0, 60) ?? status),
    [
      'passed',
      'expected /x/, got TypeError: abc',
      'passed',
      'expected TypeError /x/, but the block returned 5',
      `expected /(a|aa)+$/, got RuntimeError: ${'a'.repeat(21)}`,
    ],
  );
});
