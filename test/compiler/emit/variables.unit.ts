import t, { type Test } from 'tap';
import { verifyProgram } from '../../../vm/bytecode/verify.js';
import { compileText, programOf, run } from '../../vm/support/machine.js';

/** Runs a text at the top level and as the body of a function: its variables are stored differently. */
function prints(t: Test, text: string, expected: string[], errors: (string | RegExp)[] = []): void {
  for (const [where, program] of [
    ['top level', text],
    ['function', `def test\n${text}\nend\ntest()`],
  ]) {
    for (const slice of [0, 1]) {
      const { lines, errors: found } = run(program, { slice });
      t.strictSame(lines, expected, `${where}, slice ${slice}`);
      t.match(found, errors, `${where}, slice ${slice}`);
      t.equal(found.length, errors.length);
    }
  }
}

t.test('a variable of an inlined block starts as nil in each iteration', async (t) => {
  await t.test('read in its own first assignment', async (t) =>
    prints(t, '3.times { |p|\n  x = x == nil ? p : "stale"\n  puts x\n}', ['0', '1', '2']),
  );
  await t.test('changed by its first assignment', async (t) => {
    prints(
      t,
      '[7].map { |q| [q, q] }\n[1, 2].each { |p|\n  x += p\n  puts x\n}',
      [],
      [/^TypeError: cannot add Nil and Integer/],
    );
    prints(t, '[7].map { |q| [q, q] }\n[1, 2].each { |p|\n  x ||= p\n  puts x\n  x = 9\n}', ['1', '2']);
  });
  await t.test('assigned in a branch', async (t) =>
    prints(t, '3.times { |p|\n  x = p if p == 0\n  puts x == nil\n}', ['false', 'true', 'true']),
  );
  await t.test('in an ensure, whose code is written twice', async (t) =>
    prints(
      t,
      'begin\n  begin\n    raise "x"\n  ensure\n    [1, 2].each { |p|\n      y = y == nil ? p : "stale"\n      puts y\n    }\n  end\nrescue => e\n  puts e\nend',
      ['1', '2', 'x'],
    ),
  );
});

t.test('the variable of a for', async (t) => {
  await t.test('has its last value after the loop', async (t) =>
    prints(t, 'for k in [1, 2]\n  k += 10\nend\nputs k', ['12']),
  );
  await t.test('has it also if a closure captures the variable', async (t) =>
    prints(t, 'gs = []\nfor k in [1, 2]\n  k += 10\n  gs << -> { k }\nend\nputs k, gs.map { |g| g() }', [
      '12',
      '[11, 12]',
    ]),
  );
  await t.test('has it also after `break`', async (t) =>
    prints(t, 'for k in [1, 2]\n  k += 10\n  g = -> { k }\n  break\nend\nputs k, g()', ['11', '11']),
  );
  await t.test('two variables, for the entries of a hash', async (t) =>
    prints(
      t,
      'gs = []\nfor k, v in {a: 1, b: 2}\n  v += 10\n  gs << -> { "#{k}#{v}" }\nend\nputs k, v, gs.map { |g| g() }',
      ['b', '12', '[a11, b12]'],
    ),
  );
  await t.test('keeps its value when the loop runs again without an iteration', async (t) =>
    prints(
      t,
      '[[1, 2], []].each { |xs|\n  nil\n}\nxs = [5, 6]\n2.times do\n  nil\nend\nn = 0\nwhile n < 2\n  for k in xs\n    k += 1\n    g = -> { k }\n  end\n  xs = []\n  n += 1\nend\nputs k, g()',
      ['7', '7'],
    ),
  );
});

t.test('arguments of an inlined iterator are evaluated once', async (t) => {
  await t.test('upto', async (t) =>
    prints(t, 'i = 3\nn = 0\n1.upto(i) { |x|\n  i += 1\n  n += 1\n  break if n > 10\n}\nputs n', ['3']),
  );
  await t.test('each_with_object', async (t) =>
    prints(t, 'm = []\nr = [1, 2].each_with_object(m) { |x, acc|\n  m = nil\n  acc << x\n}\nputs r', ['[1, 2]']),
  );
  await t.test('with_index', async (t) =>
    prints(t, 'i = 5\n[1, 2].with_index(i) { |x, j|\n  i = 100\n  puts j\n}', ['5', '6']),
  );
  await t.test('reduce', async (t) => prints(t, 'i = 5\nputs [1, 2].reduce(i) { |a, x|\n  i = 100\n  a + x\n}', ['8']));
  await t.test('fetch', async (t) => prints(t, 'k = 9\nputs [1].fetch(k) { |i|\n  k = 0\n  i + k\n}', ['9']));
  await t.test('the receiver', async (t) =>
    prints(t, 'v = [1, 2]\nputs v.map { |x|\n  v = nil\n  x + 1\n}', ['[2, 3]']),
  );
});

t.test('operands keep the value of their evaluation', async (t) => {
  await t.test('before a block that assigns', async (t) =>
    prints(t, 'x = 1\ny = x + [5].sum { |z|\n  x = 100\n  z\n}\nputs y, x', ['6', '100']),
  );
  await t.test('before an assignment in an expression', async (t) =>
    prints(t, 'x = 1\nputs x + (x = 5) + x\nv = [x, (x = 7), x]\nputs v\nh = {a: x, b: (x = 8), c: x}\nputs h', [
      '11',
      '[5, 7, 7]',
      '{a: 7, b: 8, c: 8}',
    ]),
  );
  await t.test('in calls', async (t) =>
    prints(
      t,
      'x = 1\nf = ->(a, b, c) { [a, b, c] }\nputs f.(x, (x = 2), x), f(x, (x = 3), x), [x].concat([(x = 4), x])',
      ['[1, 2, 2]', '[2, 3, 3]', '[3, 4, 4]'],
    ),
  );
  await t.test('in an index and an assignment to it', async (t) =>
    prints(t, 'i = 0\nv = [10, 20, 30]\nputs v[i] + v[(i = 2)]\nv[i] = (i = 1)\nputs v\nv[i] += (i = 0) + 5\nputs v', [
      '40',
      '[10, 20, 1]',
      '[10, 25, 1]',
    ]),
  );
  await t.test('constructing a new value does not change the old one', async (t) =>
    prints(
      t,
      'x = [1]\nx = [x, *x, x]\nputs x\nh = {a: 1}\nh = {**h, b: h}\nputs h\ns = "a"\ns = "#{s}b#{s}"\nputs s\nx = begin\n  x + nil\nrescue TypeError\n  x\nend\nputs x',
      ['[[1], 1, [1]]', '{a: 1, b: {a: 1}}', 'aba', '[[1], 1, [1]]'],
    ),
  );
  await t.test('swaps', async (t) =>
    prints(t, 'a, b, c = 1, 2, 3\na, b, c = c, a, b\nputs a, b, c\nv = [1, 2]\nv[0], v[1] = v[1], v[0]\nputs v', [
      '3',
      '1',
      '2',
      '[2, 1]',
    ]),
  );
});

t.test('more variables than an operand byte can number', async (t) => {
  const names = Array.from({ length: 400 }, (_, i) => `v${i}`);
  const assign = names.map((name, i) => `${name} = ${i}`).join('\n');
  prints(
    t,
    `${assign}\nv0, v399 = v399, v0\nv300 += v150\nfs = [-> { v398 += 1 }, -> { v398 }]\nfs[0]()\nfor v397 in [1, 2]\n  nil\nend\nh = {v200: v200, x: v201 * v3}\nputs v0, v399, v300, fs[1](), v397, h, [v170].map { |x| x + v171 }`,
    ['399', '0', '450', '399', '2', '{v200: 200, x: 603}', '[341]'],
  );
  const parameters = `def f(${names.slice(0, 255).join(', ')}) [v0, v159, v160, v254] end\nputs f(*(0...255).to_a)`;
  t.strictSame(run(parameters).lines, ['[0, 159, 160, 254]']);
  t.ok(programOf(`${assign}\nputs v399`).functions[0].registers >= 400);
});

t.test('limits are compile errors', async (t) => {
  const list = (n: number): string => Array.from({ length: n }, (_, i) => `v${i}`).join(', ');
  // prettier-ignore
  const cases: [string, RegExp][] = [
    [`def f(${list(256)}) 1 end\nf()`, /more than 255 parameters|too many/],
    [`def f(*x) x end\nf(${Array.from({ length: 255 }, () => '1').join(', ')})`, /more than 254 arguments/],
    [`def g\n${Array.from({ length: 300 }, (_, i) => `v${i} = ${i}`).join('\n')}\n-> { [${list(300)}] }\nend\ng()`, /more than 255 variables|too many intermediate values/],
  ];
  for (const [text, message] of cases) {
    const { program, diagnostics } = compileText(text);
    t.equal(program, null);
    t.match(diagnostics[0]?.message ?? '', message);
  }
});

t.test('long literals and calls are emitted in parts', async (t) => {
  const many = Array.from({ length: 3000 }, (_, i) => i);
  const text = `v = [${many.join(', ')}]\nputs v.sum, v.length\nh = {${many
    .slice(0, 300)
    .map((i) => `k${i}: ${i}`)
    .join(', ')}}\nputs h.k299, h.length\ns = "${many
    .slice(0, 200)
    .map((i) => `#{v[${i}]}`)
    .join('')}"\nputs s.length\nputs ${many.slice(0, 2000).join(' + ')}`;
  verifyProgram(programOf(text));
  prints(t, text, [String((2999 * 3000) / 2), '3000', '299', '300', '490', String((1999 * 2000) / 2)]);
});
