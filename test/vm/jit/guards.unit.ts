import { testCompiled } from './compiled.js';

// One program for each guard of compiled code: values have one type until the function is compiled, then other types.
// `tools/mutations/jit.ts` removes each guard; a program here must fail.

/** Prints the result of a lambda, or its error. */
const SHOW = `def show(f)
  begin
    p f.()
  rescue => e
    puts "#{e.type}: #{e}"
  end
end
`;

/** A function for each of `others`, because code that has been left once has fewer guards: called with `usual` until compiled, then with these values. */
function functions(params: string, body: string, usual: string, others: readonly string[]): string {
  return (
    SHOW +
    others
      .map(
        (args, i) =>
          `def f${i}(${params})\n  ${body}\nend\n35.times { f${i}(${usual}) }\nshow(-> { f${i}(${args}) })\nshow(-> { f${i}(${usual}) })\n`,
      )
      .join('')
  );
}

const binary = (body: string, usual: string, others: readonly string[]): string =>
  functions('a, b', body, usual, others);
const unary = (body: string, usual: string, others: readonly string[]): string => functions('a', body, usual, others);

const ODD = [
  'nil, 1',
  '1, nil',
  'true, 1',
  '"2", 1',
  '1, "2"',
  '"a", "b"',
  '[1], [2]',
  '1.5, 2',
  '2, 1.5',
  '1.5, 2.5',
  '1.5, nil',
  '2147483647, 2147483647',
  '-2147483648, 2147483647',
  '2 ** 70, 1',
  '2 ** 53, 2 ** 53',
  '{a: 1}, 1',
];
const INTS = [
  '7, 2',
  '-7, 2',
  '7, -2',
  '-7, -2',
  '7, 0',
  '0, 7',
  '0, -7',
  '2 ** 40, 3',
  '2 ** 40 + 1, 2',
  '2147483648, 3',
  '-(2 ** 40), 3',
  '2 ** 70, 7',
  '7.5, 2',
  '7, 2.5',
  '-7.5, 2',
  '7.5, 0',
  'nil, 2',
  '7, nil',
  '"7", 2',
];
const FLOATS = [
  '1.0, 0.0',
  '-1.0, 0.0',
  '0.0, 0.0',
  '1.0, -0.0',
  '1.0, 0',
  '1, 0.0',
  '1, 0',
  '0, 0',
  '1.5, 2',
  '2, 1.5',
  'nil, 1.5',
  '1.5, nil',
  '"a", 1.5',
];

const programs: Record<string, string> = {};
for (const operator of ['+', '-', '*']) {
  programs[`${operator} of Integers`] = binary(`a ${operator} b`, '3, 4', ODD);
  programs[`${operator} of Floats`] = binary(`a ${operator} b`, '1.5, 2.5', ODD);
  programs[`${operator} of Floats, and more`] = binary(`c = a ${operator} b\n  c ${operator} 0.5`, '1.5, 2.5', ODD);
  programs[`${operator} of a Float and an Integer`] = binary(`c = a ${operator} b\n  c ${operator} 0.5`, '1.5, 2', ODD);
  programs[`${operator} of an Integer and a Float`] = binary(`c = a ${operator} b\n  c ${operator} 0.5`, '2, 1.5', ODD);
}
programs['+ of texts'] = binary('a + b', '"x", "y"', ODD);
programs['/ of Integers'] = binary('a / b', '6, 4', FLOATS);
programs['/ of Floats'] = binary('a / b', '6.0, 4.0', FLOATS);
programs['/ of Floats, and more'] = binary('c = a / b\n  c + 0.5', '6.0, 4.0', FLOATS);
programs['/ of Integers, and more'] = binary('c = a / b\n  c + 0.5', '6, 4', FLOATS);
programs['/ of whatever comes'] =
  `${SHOW}def f(a, b)\n  a / b\nend\n20.times { |i| f(6.0, 4.0)\n f(6, 4)\n begin\n  f("a", 1)\nrescue\nend }\n${FLOATS.map((args) => `show(-> { f(${args}) })\n`).join('')}`;
programs['//'] = binary('a // b', '7, 2', INTS);
programs['%'] = binary('a % b', '7, 2', INTS);
programs['a constant added'] = unary('a + 1', '3', [
  'nil',
  'true',
  '"2"',
  '[1]',
  '1.5',
  '2147483647',
  '2147483646',
  '-2147483649',
  '2 ** 53',
  '2 ** 70',
]);
programs['a constant subtracted'] = unary('a - 1', '3', ['nil', 'true', '"2"', '[1]', '1.5', '-2147483648', '2 ** 70']);
programs['a constant added to Floats'] = unary('c = a + 1\n  c * 0.5', '3.5', ['nil', '"2"', '2', '2147483647']);
programs['negation'] = unary('-a', '3', ['1.5', '0', '-0.0', 'nil', '"2"', '2147483648', '2 ** 70']);
programs['negation of Floats'] = unary('c = -a\n  c + 0.5', '3.5', ['2', 'nil', '"2"', '2 ** 70']);
programs['minus zero'] =
  'def f(n)\n  z = -0.0\n  y = 0.0\n  x = z * n\n  [1.0, x, y, z].map { |v| "#{v}" }\nend\nr = nil\n60.times { r = f(1.0) }\nputs r\ndef g() -0.0 end\n60.times { r = g() }\nputs "#{r}"\nx = -0.0\n200.times { |i| x = x * 1.0 }\nputs "#{x}"';
const COMPARED = [
  'nil, 1',
  '1, nil',
  'true, 2',
  '"b", "a"',
  '"a", "b"',
  '"\\u{ffff}", "\\u{1f600}"',
  '[1], [2]',
  '1.5, 2',
  '2, 1.5',
  '1.5, 1.5',
  '0.0 * (1e308 * 10.0), 1.0',
  '1.0, 0.0 * (1e308 * 10.0)',
  '2 ** 70, 1',
  '1, 2 ** 70',
  '2 ** 53, 2 ** 53 + 1',
  '1.5, nil',
  '1, "2"',
  '{a: 1}, {a: 1}',
];
for (const operator of ['<', '<=', '>', '>=', '==', '!=']) {
  for (const [kind, usual] of [
    ['Integers', '3, 4'],
    ['Floats', '1.5, 2.5'],
  ] as const) {
    programs[`${operator} of ${kind}`] = binary(`a ${operator} b`, usual, COMPARED);
    programs[`a jump by ${operator} of ${kind}`] = binary(
      `if a ${operator} b\n    "yes"\n  else\n    "no"\n  end`,
      usual,
      COMPARED,
    );
    programs[`a negated jump by ${operator} of ${kind}`] = binary(
      `unless a ${operator} b\n    "no"\n  else\n    "yes"\n  end`,
      usual,
      COMPARED,
    );
  }
}
programs['equality of a number that is none'] = unary('a == a', '1.5', ['0.0 * (1e308 * 10.0)', '[1]', 'nil', '"x"']);
programs['less than a constant'] = unary('a < 5 ? "yes" : "no"', '3', [
  'nil',
  '"2"',
  'true',
  '[1]',
  '1.5',
  '7.5',
  '2 ** 70',
  '-(2 ** 70)',
  '0.0 * (1e308 * 10.0)',
]);
programs['a raw Float less than a constant'] = unary('b = a * 2.0\n  while b < 5\n    b = b + 1.0\n  end\n  b', '0.5', [
  '7.5',
  '0.0 * (1e308 * 10.0)',
  'nil',
  '2 ** 70',
  '1',
]);

programs['calls of values'] = binary('a.(b)', '->(x) { x }, 1', [
  '->() { 1 }, 1',
  '->(x, y) { x }, 1',
  '->(x, y = 2) { [x, y] }, 1',
  '->(*x) { x }, 1',
  'nil, 1',
  '5, 1',
  '"text", 1',
  '{cell: 1}, 1',
]);
programs['calls with an argument left out'] =
  'def f(a, b = a + 1, c = nil) [a, b, c] end\nr = []\n40.times { |i| r = [f(i), f(i, 5), f(i, nil, 6), f(i, c: 7)] }\nputs r';
programs['natives and their arguments'] = binary('upcase_all(a, b)', '"a", 1', [
  'nil, 1',
  '"b", nil',
  '5, 5',
  '[], {}',
  '"c", 2 ** 70',
  '"d", 1.5',
]).replace('def f', 'def upcase_all(a, b) "#{a.center(b)}#{a.upcase()}" end\ndef f');
programs['functions with one argument of a type'] = [
  'length(a)',
  'sqrt(a)',
  'abs(a)',
  'json_parse(a)',
  'to_str(a)',
  'a.sum()',
  'a.keys()',
  'a.upcase()',
  'a.first()',
  'a.even?()',
  'a.round(1)',
  'a.floor()',
  'a.reverse()',
]
  .flatMap((body) =>
    ['"[1]"', '[1, 2]', '65', '2.5'].map(
      (usual) =>
        `def f(a)\n  ${body}\nend\n40.times { begin\n  f(${usual})\nrescue\n  nil\nend }\n${[
          '"abc"',
          '[3, 4]',
          '{b: 2}',
          '7',
          '4.0',
          '-1',
          '-1.0',
          'nil',
          'true',
          '2 ** 70',
          ':a',
          '1..3',
        ]
          .map((odd) => `show(-> { f(${odd}) })`)
          .filter((line) => !line.includes(':a'))
          .join('\n')}\n`,
    ),
  )
  .reduce((text, part, i) => `${text}${part.replaceAll('f(a)', `f${i}(a)`).replaceAll(' f(', ` f${i}(`)}`, SHOW);
programs['methods and their arguments'] = [
  '"abc".include?(a)',
  '"abc".repeat(a)',
  '[1, 2].include?(a)',
  '[3, 1].take(a)',
  '{a: 1}.key?(a)',
  '"a,b".split(a)',
  '"abc".center(a)',
  '"abc".tr(a, "x")',
  '[1, 2].zip(a)',
  '[1].join(a)',
  '"abc".slice(a)',
  '[1, 2, 3].first(a)',
  '5.clamp(a, 9)',
  '2.5.round(a)',
]
  .flatMap((body) =>
    ['"a"', '2'].map(
      (usual) =>
        `def f(a)\n  ${body}\nend\n40.times { begin\n  f(${usual})\nrescue\n  nil\nend }\n${['"b"', '1', '[5]', '{c: 3}', 'nil', '1.5', '-1', '2 ** 70', 'true'].map((odd) => `show(-> { f(${odd}) })`).join('\n')}\n`,
    ),
  )
  .reduce((text, part, i) => `${text}${part.replaceAll('f(a)', `f${i}(a)`).replaceAll(' f(', ` f${i}(`)}`, SHOW);
programs['methods and their lists'] = ['[1, 2].concat(a)', '{a: 1}.merge(a)', '[1, 2].zip(a)']
  .map(
    (body, i) => `def f${i}(a)
  ${body}
end
40.times { f${i}(${body.startsWith('{') ? '{b: 2}' : '[5]'}) }
${['"b"', '1', '[5]', '{c: 3}', 'nil'].map((odd) => `show(-> { f${i}(${odd}) })`).join('\n')}
`,
  )
  .reduce((text, part) => text + part, SHOW);
programs['arguments too few and too many'] = [
  '"abc".center()',
  '"abc".center(5, "*")',
  '"abc".center(5, "*", 1)',
  '"abc".upcase(1)',
  'sqrt()',
  'sqrt(1.0, 2.0)',
  '[1, 2].join()',
  '[1, 2].join("-", 2)',
  '[1].concat()',
  '[1].concat([2], [3])',
  '[1].push()',
  '[1].push(2, 3)',
  '{a: 1}.merge()',
  '{a: 1}.merge({b: 2}, {c: 3})',
  '5.clamp(1)',
]
  .map(
    (body, i) =>
      `def f${i}()\n  ${body}\nend\n40.times { begin\n  f${i}()\nrescue\n  nil\nend }\nshow(-> { f${i}() })\n`,
  )
  .reduce((text, part) => text + part, SHOW);
programs['methods of handles'] = unary('a.length', 'channel(1)', [
  'shared(1)',
  '"text"',
  '[1, 2, 3]',
  '{length: 5}',
  '{}',
  'nil',
  '5',
  'spawn { 1 }',
]);
programs['methods of one handle after another'] = unary('a.get()', 'shared(1)', [
  'channel(1)',
  'spawn { 1 }',
  '{get: ->() { 2 }}',
  'nil',
  '"x"',
]);
programs['methods of one kind after another'] = unary('a.length()', '"text"', [
  '[1, 2, 3]',
  '{a: 1}',
  '5',
  '2.5',
  'nil',
  'channel(1)',
  '1..4',
]);
programs['methods of vectors, then others'] = unary('[a.first(), a.reverse()]', '[1, 2]', [
  '"text"',
  '{a: 1}',
  '5',
  'nil',
]);
programs['methods of hashes, then others'] = unary('[a.keys(), a.values()]', '{a: 1}', [
  '"text"',
  '[1]',
  '5',
  'nil',
  '2.5',
]);
programs['methods of Integers, then others'] = unary('[a.to_s(), a.floor(), a.abs()]', '5', [
  '2.5',
  '2 ** 70',
  '"7"',
  'nil',
  '[1]',
]);
programs['methods of Floats, then others'] = unary('[a.to_s(), a.floor(), a.round(1)]', '2.5', [
  '5',
  '2 ** 70',
  '"7"',
  'nil',
  '[1]',
]);

const INDEXED = [
  '[1, 2, 3], 3',
  '[1, 2, 3], -1',
  '[1, 2, 3], -4',
  '[1, 2, 3], 1.0',
  '[1, 2, 3], 1.5',
  '[1, 2, 3], "length"',
  '[1, 2, 3], nil',
  '[1, 2, 3], 2 ** 70',
  '"a\\u{1f600}b", 1',
  '"abc", -1',
  '"abc", 9',
  'nil, "a"',
  'nil, 1',
  '5, 1',
  '{a: 1}, "a"',
  '{a: 1, b: 2}, "b"',
  '{b: 1, a: 2}, "a"',
  '{b: 1, a: 2}, "b"',
  '{c: 1}, "a"',
  '{}, "a"',
  '{"1": 5}, 1',
  '{1 => 5}, 1',
  '{1 => 5}, "1"',
  '{a: 1}, 0',
  '{a: 1}, nil',
];
programs['elements of vectors'] = binary('a[b]', '[1, 2, 3], 1', INDEXED);
programs['values of hashes'] = binary('a[b]', '{a: 1}, "a"', INDEXED);
programs['values of dictionaries'] =
  `d = {}\n100.times { |i| d["k#{i}"] = i }\nd[5] = "five"\n${binary('a[b]', 'd, "k5"', [...INDEXED, 'd, 5', 'd, "5"', 'd, "none"', 'd, nil', 'd, [1]', 'd, 5.0'])}`;
programs['characters of texts'] = binary('a[b]', '"abc", 1', INDEXED);
programs['products at the end of a function'] =
  'def f(a) a * 1_000_000_007 end\ndef g(a, b) a * b end\ndef h(a) a * 1_000_000_007 + 5 end\n40.times { |i| p f(i), g(i, 10_000_000_000), h(i) }\nputs f(41), g(41, 10_000_000_000), h(41)';
programs['first elements'] = unary('[a[0], 1]', '[5, 6]', [
  '[]',
  '[nil]',
  '"\\u{1f600}b"',
  '"abc"',
  '""',
  '{a: 1}',
  '{0 => 5}',
  'nil',
  '5',
  '1..3',
]);
programs['accesses of many kinds'] =
  `d = {}\n100.times { |i| d[i] = i }\n${binary('a[b]', '[1, 2, 3], 1', INDEXED)}def g(a, b) a[b] end\ndef s(a, b)\n  a[b] = a[b]\n  a[b]\nend\nall = [[[1, 2, 3], 1], [{a: 4}, "a"], ["abc", 2], [d, 7], [{1 => 6}, 1], [{"b": 7}, "b"]]\n500.times { g([1, 2], 1) }\nputs all.map { |a| (0...450).map { g(a[0], a[1]) }.last }\nputs all.map { |a| g(a[0], a[1]) }\nwritten = all.reject { |a| a[0].is_a?(String) }\n500.times { s([1, 2], 1) }\nputs written.map { |a| (0...450).map { s(a[0], a[1]) }.last }`;
programs['elements of vectors, changed'] = binary('a[b] = 9\n  a', '[1, 2, 3], 1', INDEXED);
programs['values of hashes, changed'] = binary('a[b] = 9\n  a', '{a: 1}, "a"', INDEXED);
programs['values of dictionaries, changed'] =
  `d = {}\n100.times { |i| d["k#{i}"] = i }\n${binary('a[b] = 9\n  [a.length, a[b], a[5], a[1.5]]', 'd, "k5"', [...INDEXED, 'd, 5.0', 'd, 5', 'd, 1.5', 'd, 1.5', 'd, nil', 'd, [1]', 'd, [1]', 'd, 2 ** 60', 'd, 2.0 ** 60'])}`;
// Compiled for the kinds seen first, then again for those that come more often; two kinds too many.
programs['fields of several kinds of records'] =
  'record A(x, y)\nrecord B(y, x)\nrecord C(z, y, x)\nrecord D(a, b, c, x)\nrecord E(x)\nrecord F(b, x)\ndef f(v) v.x end\ndef g(v)\n  v.x = v.x\n  v.x\nend\nall = [A(1, 2), B(3, 4.5), C(5, 6, 7.5), D(1, 2, 3, "d"), {x: 8}, E([9]), F(1, nil), {y: 1, x: 10.5}]\n40.times { f(all[0]) }\nfor n in 1..all.length\n  300.times { |i| f(all[i % n]) }\n  300.times { |i| g(all[i % n]) }\n  puts all.map { |v| f(v) }.inspect, all.map { |v| g(v) }.inspect\nend\nb = all[1]\n300.times { |i| b.x = i % 2 == 0 ? i : i + 0.5\n f(b) }\nputs f(b)\nbegin\n  f(5)\nrescue => e\n  puts e\nend';
programs['keys that are fields'] =
  'record Point(x, y)\ndef f(h, k) h[k] end\ndef g(h, k)\n  h[k] = 7\n  h\nend\nr = []\n40.times { |i| f({x: 1, y: 2}, "x") }\nfor v in [Point(5, 6), Point(0.5, 1.5), {x: 8, y: 9}]\n  for k in ["x", "y", "x", "y"]\n    r << begin\n      [f(v, k), g(v, k)]\n    rescue => e\n      "#{e}"\n    end\n  end\nend\n40.times { begin\n  f(Point(0.5, 1.5), "y")\nrescue\n  nil\nend }\nfor k in ["x", "y"] do r << (begin\n  f(Point(0.5, 1.5), k)\nrescue => e\n  "#{e}"\nend) end\nputs r';

// An inline cache of keys is used from the second access with the same key and shape.
programs['keys that hashes and records have, read again'] = `record Point(x, y)
${SHOW}def f(h, k) h[k] end
def g(h, k)
  h[k] = 7
  h
end
40.times { f({x: 1, y: 2}, "y") }
for v in [{x: 1, y: 2}, {y: 3, x: 4}, Point(5, 6), {z: 8}]
  for k in ["y", "x", "none"] do 3.times { show(-> { f(v, k) }) } end
end
for k in ["y", "x", "none"]
  3.times { show(-> { g({x: 1, y: 2}, k) }) }
  3.times { show(-> { g(Point(5, 6), k) }) }
end
`;
const RECORDS = 'record P(x, y)\nrecord Q(y, x)\nrecord R(x)\n';
const HOLDERS = [
  'P(3, 4)',
  'P(3.5, 4)',
  'P(3, 4.5)',
  'P(nil, nil)',
  'Q(1.5, 2.5)',
  'Q(1, 2)',
  'R(7.5)',
  'R("t")',
  '{x: 1.5}',
  '{x: 1}',
  '{y: 2, x: 3.5}',
  '{x: nil}',
  '{}',
  'nil',
  '5',
  '"text"',
  '[1]',
];
for (const [kind, usual] of [
  ['records of Floats', 'P(1.5, 2.5)'],
  ['records', 'P(1, "a")'],
  ['mixed records', 'P(1.5, "a")'],
  ['hashes of Floats', '{x: 1.5}'],
  ['hashes', '{x: 1}'],
] as const) {
  programs[`fields of ${kind}`] = RECORDS + unary('a.x', usual, HOLDERS);
  programs[`fields of ${kind}, reckoned with`] =
    RECORDS + unary('b = a.x * 2.0\n  b + a.x', usual === 'P(1, "a")' ? 'P(1.0, "a")' : usual, HOLDERS);
  programs[`fields of ${kind}, changed`] = RECORDS + unary('a.x = 0.25\n  a', usual, HOLDERS);
  programs[`fields of ${kind}, changed to a reckoned Float`] =
    RECORDS + unary('a.x = a.x * 2.0\n  a.x = a.x + 0.5\n  a', usual === 'P(1, "a")' ? 'P(1.0, "a")' : usual, HOLDERS);
  programs[`fields of ${kind}, changed to other things`] =
    `${RECORDS}${SHOW}def f(a, v)\n  a.x = v\n  [a, a.x]\nend\n40.times { f(${usual}, 0.5) }\n${HOLDERS.map((holder) => `show(-> { f(${holder}, nil) })\nshow(-> { f(${holder}, 2.5) })\nshow(-> { f(${holder}, "t") })\n`).join('')}`;
}
programs['new records'] =
  `record P(x, y)\n${binary('P(a, b)', '1.5, 2', ['1, 2', '1.5, 2.5', '2, 1.5', 'nil, nil', '"a", 0.5'])}`;
programs['new records of Floats'] =
  `record P(x, y)\n${binary('c = P(a, b)\n  [c, c.x, c.y]', '1.5, 2.5', ['1, 2', '1.5, 2', '2, 1.5', 'nil, nil', '"a", 0.5'])}`;
programs['fields that calls change'] =
  `record P(x, y)\ndef touch(p, v)\n  p.x = v\nend\ndef f(p, v)\n  a = p.x * 2.0\n  touch(p, v)\n  b = p.x\n  [a, b]\nend\n40.times { f(P(1.5, 2.5), 3.5) }\nputs f(P(1.5, 2.5), 3), f(P(1.5, 2.5), nil), f(P(1.5, 2.5), "t"), f(P(1.5, 2.5), 4.5)`;
programs['fields that closures and other names change'] =
  `record P(x, y)\ndef f(p, q, v)\n  a = p.x * 2.0\n  q.x = v\n  b = p.x\n  [a, b]\nend\n40.times { f(P(1.5, 2.5), P(1.5, 0.5), 3.5) }\np1 = P(1.5, 2.5)\nputs f(p1, p1, 3), f(p1, P(1.0, 1.0), 4)\np1.x = 1.5\nputs f(p1, p1, 2.5)\np1.x = 1.5\nputs f(p1, p1, nil)`;
programs['a register that holds one record after another'] =
  `record P(x, y)\nrecord Q(y, x)\n${SHOW}def f(p, q)\n  a = p.x * 2.0\n  p = q\n  b = p.x * 3.0\n  p = a + b\n  [a, b, p]\nend\n40.times { f(P(1.5, 2.5), P(0.5, 1.5)) }\nshow(-> { f(P(1.5, 2.5), Q(8.5, 9.5)) })\nshow(-> { f(P(1.5, 2.5), P(1, 2)) })\nshow(-> { f(P(1.5, 2.5), P("x", 2.5)) })\nshow(-> { f(P(1.5, 2.5), nil) })`;
programs['records where ways meet without an else'] =
  `record P(x, y)\n${functions('p, c', 'a = 0.0\n  if c\n    a = p.x * 2.0\n  end\n  a + p.x * 4.0', 'P(1.5, 2.5), true', ['P(1.5, 2.5), false', 'P(1, 2.5), false', '{x: 2.5}, false', 'nil, false'])}`;
programs['records where ways meet'] =
  `record P(x, y)\nrecord Q(y, x)\n${SHOW}def f(p, q, c)\n  a = 0.0\n  if c\n    a = p.x * 2.0\n  else\n    p = q\n  end\n  a + p.x * 4.0\nend\n40.times { |i| f(P(1.5, 2.5), P(0.5, 1.5), i % 2 == 0) }\nshow(-> { f(P(1.5, 2.5), Q(8.5, 9.5), false) })\nshow(-> { f(P(1.5, 2.5), Q(8.5, 9.5), true) })\nshow(-> { f(P(1.5, 2.5), P(7, 1), false) })\nshow(-> { f(Q(1.5, 2.5), P(7, 1), true) })\ndef g(ps)\n  s = 0.0\n  p = ps[0]\n  for q in ps\n    s = s + p.x\n    p = q\n  end\n  s + p.x\nend\n40.times { g([P(1.5, 2.5), P(0.5, 1.5)]) }\nshow(-> { g([P(1.5, 2.5), Q(8.5, 9.5), P(2, 3), P(0.25, 1.0)]) })\nshow(-> { g([P(1.5, 2.5), {x: 4.5}, P(0.25, 1.0)]) })`;

programs['sqrt and its like'] = unary('b = a * 2.0\n  c = sqrt(b)\n  d = log(b)\n  [c + 0.5, d]', '2.0', [
  '-1.0',
  '0.0',
  '2',
  'nil',
  '0.0 * (1e308 * 10.0)',
  '-0.0',
]);
programs['texts with parts'] = binary(
  '"a#{a}b#{b}"',
  '"x", "y"',
  ['1, 2', 'nil, [1]', '1.5, {a: 1}', 'true, :b', '"", ""'].map((text) => text.replace(':b', 'false')),
);
programs['hashes with one key twice'] =
  'def f(a, b) {a: a, b: b, a: b} end\nr = nil\n40.times { |i| r = f(i, i + 1) }\nputs r';
programs['appending'] = binary('a << b\n  a', '[1], 2', ['"text", "x"', 'nil, 1', '{a: 1}, 2', '5, 2', '1.5, 1']);

programs['loops over one kind after another'] = unary('n = []\n  for x in a do n << x end\n  n', '[1, 2]', [
  '3',
  '1..3',
  '1...3',
  '{a: 1}',
  '"abc"',
  'nil',
  '2.5',
  '2 ** 70',
  '(2 ** 53 - 3)..(2 ** 53 - 1)',
  '"a".."c"',
  '[]',
  '3..1',
]);
programs['loops over ranges, then others'] = unary('n = []\n  for x in a do n << x end\n  n', '1..3', [
  '[1, 2]',
  '1...3',
  '1...1',
  '1..1',
  '3..1',
  '"a".."c"',
  '1.."c"',
  '{a: 1}',
  'nil',
  '(2 ** 53 - 3)..(2 ** 53 - 1)',
  '(2 ** 53)..(2 ** 53 + 2)',
  '1..2.5',
]);
programs['loops between numbers'] = binary(
  'n = []\n  for x in a..b do n << x end\n  for x in a...b do n << x end\n  n',
  '1, 3',
  [
    '1, 1',
    '3, 1',
    '1, 2.5',
    '1.5, 3',
    '"a", "c"',
    'nil, 1',
    '1, nil',
    '2 ** 53 - 3, 2 ** 53 - 2',
    '2 ** 53 - 2, 2 ** 53 - 1',
    '2 ** 53 - 1, 2 ** 53 + 1',
    '2 ** 70, 2 ** 70 + 2',
  ].map((args) => (args === '1, nil' ? '1, "x"' : args)),
);
programs['times of one kind after another'] = unary('n = []\n  a.times { |i| n << i }\n  n', '3', [
  '0',
  '-1',
  '2.5',
  '"3"',
  'nil',
  '[1]',
  '{a: 1}',
]);
programs['map of one kind after another'] = unary('a.map { |x| x }', '[1, 2]', [
  '1..3',
  '1...3',
  '2..4',
  '5..3',
  '{a: 1}',
  'nil',
  '"abc"',
  '[]',
  '3',
  '(2 ** 53 - 3)..(2 ** 53 - 1)',
]);
programs['map between numbers'] = binary('(a..b).map { |x| x * 2 }', '3, 5', [
  '1, 1',
  '5, 3',
  '1.5, 3',
  '"a", "c"',
  '2 ** 53 - 3, 2 ** 53 - 1',
  '-2, 2',
]);
programs['map over what changes meanwhile'] =
  'def f(v, at, how)\n  out = v.map do |x|\n    v.pop() if x == at and how == 1\n    v << 100 if x == at and how == 2 and v.length < 12\n    v.clear() if x == at and how == 3\n    x * 2\n  end\n  [out, out.length, v.length]\nend\nr = nil\n60.times { r = f([1, 2, 3, 4], 9, 0) }\nputs r\nfor how in [1, 2, 3] do for at in [1, 2, 3, 4] do puts f([1, 2, 3, 4], at, how) end end';
programs['loops over what changes meanwhile'] =
  'def f(v, at, how)\n  n = []\n  for x in v\n    n << x\n    v.pop() if x == at and how == 1\n    v << 100 if x == at and how == 2 and v.length < 12\n    v.clear() if x == at and how == 3\n  end\n  n\nend\nr = nil\n60.times { r = f([1, 2, 3, 4], 9, 0) }\nputs r\nfor how in [1, 2, 3] do for at in [1, 2, 3, 4] do puts f([1, 2, 3, 4], at, how) end end';
programs['map of many elements'] =
  'def f(n) (1..n).map { |x| x } end\n40.times { f(3) }\nv = f(70_000)\nputs v.length, v[0], v[69_999], v[65_536]\nputs f(0), f(-5)';
programs['map that gives up or is left'] =
  `${SHOW}def f(v)\n  v.map { |x| x * 1.5 }\nend\n40.times { f([1.5, 2.5, 3.5]) }\nshow(-> { f([1.5, 2.5, 3, 4.5]) })\nshow(-> { f([1.5, nil]) })\nshow(-> { f([1.5, 2 ** 70]) })\ndef g(v)\n  v.map do |x|\n    sleep(0) if x == 2.5\n    x * 1.5\n  end\nend\n40.times { g([1.5, 2.5, 3.5]) }\nshow(-> { g([1.5, 2.5, 3, 2.5]) })\ndef h(n)\n  (3..n).map do |x|\n    sleep(0) if x == 5\n    x / 2.0\n  end\nend\n40.times { h(8) }\nshow(-> { h(9) })`;
programs['iterators that others see'] =
  'def f(v)\n  out = []\n  for x in v\n    out << x\n    for y in v\n      next if y == 2\n      break if y == 3\n      out << [x, y]\n    end\n  end\n  all = v.map { |z| out << z\n z }\n  [out, all]\nend\nr = nil\n60.times { r = f([1, 2, 3]) }\nputs r\ndef gathered(v)\n  out = [0]\n  v.each { |x| out << x }\n  copy = out\n  v.each { |x| copy << -x }\n  more = []\n  v.each do |x|\n    more << x\n    more << more.length if x == 2\n  end\n  [out, copy, more]\nend\n60.times { r = gathered([1, 2, 3]) }\nputs r';

programs['Floats that stop being Floats in a loop'] =
  `${SHOW}def f(v)\n  s = 0.0\n  for x in v\n    s = s + x\n  end\n  s\nend\n40.times { f([1.5, 2.5, 3.5]) }\nshow(-> { f([1.5, 2, 3.5]) })\nshow(-> { f([1.5, nil]) })\nshow(-> { f([1.5, 2 ** 70, 0.5]) })\ndef g(n, odd)\n  s = 0.5\n  i = 0\n  while i < n\n    s = s * 1.5\n    s = odd if i == n - 2\n    i += 1\n  end\n  s\nend\n40.times { g(9, 2.5) }\nshow(-> { g(9, 3) })\nshow(-> { g(9, nil) })\nshow(-> { g(9, "t") })\nshow(-> { g(9, [1]) })`;
programs['Floats in handlers'] =
  `${SHOW}def f(a, bad)\n  x = 1.5\n  begin\n    x = x * a\n    raise "no" if bad\n    x = x + 0.25\n  rescue => e\n    x = x * 10.0\n  ensure\n    x = x + 1.0\n  end\n  x\nend\n40.times { |i| f(2.0, i % 3 == 0) }\nshow(-> { f(2.5, true) })\nshow(-> { f(2, true) })\nshow(-> { f(nil, true) })\nshow(-> { f(nil, false) })\nshow(-> { f("t", false) })\ndef g(a)\n  begin\n    b = a * 2.0\n    b + a.x\n  rescue TypeError\n    "TypeError"\n  rescue => e\n    "#{e.type}"\n  end\nend\n40.times { begin\n  g(1.5)\nrescue\n  nil\nend }\nshow(-> { g("t") })\nshow(-> { g(nil) })\nshow(-> { g(3) })`;
programs['Floats where ways meet'] =
  'def f(a, c)\n  x = a * 2.0\n  if c\n    x = x + 0.5\n  else\n    x = nil\n  end\n  y = c ? a : "none"\n  [x, y]\nend\nr = nil\n60.times { |i| r = f(1.5, i % 2 == 0) }\nputs r, f(1.5, true), f(2, true), f(2, false)\ndef g(a, n)\n  x = a\n  while n > 0\n    x = n % 2 == 0 ? x * 1.5 : n\n    n -= 1\n  end\n  x\nend\n60.times { r = g(1.5, 7) }\nputs r, g(2.5, 8), g(2, 1), g("t", 1)';
programs['results that are dropped and those that are not'] =
  'record P(x, y)\ndef area(p)\n  p.x * p.y\nend\ndef both(p)\n  area(p)\n  area(p) + 1.0\nend\ndef kept(p)\n  a = area(p)\n  area(p)\n  a\nend\nr = nil\n80.times { r = [both(P(1.5, 2.0)), kept(P(1.5, 3.0)), area(P(0.5, 0.5))] }\nputs r\ndef last(p)\n  area(p)\nend\n80.times { r = last(P(1.5, 4.0)) }\nputs r';
programs['functions that are compiled anew while they run'] =
  'def down(n, x)\n  return x if n == 0\n  down(n - 1, x) + x\nend\nr = nil\n80.times { r = down(5, 1.5) }\nputs r, down(5, 2), down(5, "t"), down(5, 2 ** 70)\ndef fact(n) n < 2 ? 1 : n * fact(n - 1) end\n80.times { r = fact(5) }\nputs r, fact(25)';
programs['loops that are entered in the middle'] =
  'def f(v, n)\n  out = []\n  i = 0\n  while i < n\n    for x in v\n      s = 0\n      while s < 30\n        s += 1\n        out << x if s == 15\n      end\n    end\n    i += 1\n  end\n  out.length\nend\nputs f([1, 2, 3], 3), f(1..4, 3), f({a: 1}, 3), f(1.5.to_s().chars(), 2)\ndef g(n)\n  s = 0.5\n  for i in 1..n\n    k = 0\n    while k < 40\n      k += 1\n      s = s + 0.5\n      s = s.floor() if i == 3 and k == 20\n    end\n  end\n  s\nend\nputs g(2), g(6)\ndef h(n)\n  out = (1..n).map do |x|\n    k = 0\n    while k < 40 do k += 1 end\n    x + k\n  end\n  [out, (3..n).map { |x|\n    k = 0\n    while k < 40 do k += 1 end\n    [x, k] }]\nend\nputs h(6)';
programs['a loop with handlers keeps its fuel'] =
  'def f(v)\n  log = []\n  for x in v\n    begin\n      log << 12 // x\n      log << [1][x]\n    rescue => e\n      log << "#{e}"\n    end\n  end\n  log\nend\nr = nil\n60.times { r = f([1, 0, 2, nil, 3]) }\nputs r';

testCompiled(programs, [
  { slice: 0, jit: 30 },
  { slice: 2, jit: 5 },
]);

// The innermost call fills the cache of the field; the other calls run code that was compiled before. Each call has a
// holder of another shape.
const holders = '[first, first, P(3, 4), Q(5, 6), {x: 8}, {y: 9, x: 10}, {z: 1, x: 2}, P(11, 12), Q(13, 14)]';
const callsOf = (name: string): string => `for first in [P(1, 2), {x: 1}, {y: 1, x: 2}]
  seen = []
  ${name}(${holders}, 8, seen)
  puts seen
end
`;
testCompiled(
  {
    'fields of other shapes in code that is older than its cache': `record P(x, y)
record Q(y, x)
def f(as, n, seen)
  f(as, n - 1, seen) if n > 0
  seen << as[n].x
end
${callsOf('f')}def g(as, n, seen)
  g(as, n - 1, seen) if n > 0
  as[n].x = 20 + n
  seen << "#{as[n]}"
end
${callsOf('g')}`,
  },
  [
    { slice: 0, jit: 0 },
    { slice: 0, jit: 3 },
  ],
);
