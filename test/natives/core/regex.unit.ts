import t from 'tap';
import { compileRegex } from '../../../vm/values/regex/index.js';
import type { Value } from '../../../vm/values/value.js';
import { call, h, send, shown } from './support.js';

const re = (source: string, flags = ''): Value => compileRegex(source, flags);

/** Ruby's syntax: source, flags, text, texts of all matches. */
// prettier-ignore
const SYNTAX: [string, string, string, string[]][] = [
  ['\\Aab', '', 'ab\nab', ['ab']],
  ['ab\\z', '', 'ab\nab', ['ab']],
  ['ab\\Z', '', 'ab\nab\n', ['ab']],
  ['^b', '', 'a\nb', ['b']],
  ['a$', '', 'a\nb', ['a']],
  ['\\h+', '', 'xyz beef 12', ['beef', '12']],
  ['[\\h-]+', '', 'xyz be-ef', ['be-ef']],
  ['[:a]+', '', ':a:b', [':a:']],
  ['[\\[\\h]+', '', '[a]', ['[a']],
  ['[[:alpha:]]+', '', 'ab1', ['ab']],
  ['[[:alnum:]_]+', '', 'a_1-', ['a_1']],
  ['a.b', 'm', 'a\nb', ['a\nb']],
  ['a.b', '', 'a\nb', []],
  ['AB', 'i', 'ab', ['ab']],
  ['a b # comment', 'x', 'ab', ['ab']],
  ['[ ] b', 'x', ' b', [' b']],
  ['\\p{L}+', '', 'Größe 1', ['Größe']],
  ['.', '', 'a😀b', ['a', '😀', 'b']],
  ['[^a]', '', 'a😀', ['😀']],
  ['^.$', '', '😀', ['😀']],
  ['\\-|\\_', '', '😀-_', ['-', '_']],
  ['{{\\w+}}', '', '😀 {{name}}', ['{{name}}']],
  ['[\\-\\/]', '', '😀-/', ['-', '/']],
  ['a{2}', '', '😀aaa', ['aa']],
  ['(?<year>\\d{4})-(?<month>\\d\\d)', '', 'x', []],
  ['x*', '', 'axb', ['', 'x', '', '']],
];

t.test('syntax', async (t) => {
  for (const [source, flags, text, expected] of SYNTAX) {
    t.strictSame(
      (send(text, 'match_all', [re(source, flags)]) as Value[]).map((match) => send(match, 'to_s')),
      expected,
      `/${source}/${flags}`,
    );
  }
});

t.test('a match', async (t) => {
  const match = send('see 😀 2024-02-29!', 'match', [re('(?<year>\\d+)-(\\d+)?-?(?<none>x)?')]);
  // prettier-ignore
  const parts: [string, Value[], string][] = [
    ['[]', [0], '"2024-02-"'],
    ['[]', ['year'], '"2024"'],
    ['[]', ['none'], 'nil'],
    ['[]', ['yer'], "IndexError: no group 'yer', did you mean 'year'?"],
    ['pre', [], '"see 😀 "'],
    ['post', [], '"29!"'],
    ['begin', [], '6'],
    ['end', [], '14'],
    ['begin', [1], '6'],
    ['end', [1], '10'],
    ['begin', [2], '11'],
    ['begin', [3], 'nil'],
    ['begin', [9], 'IndexError: no group 9'],
    ['named', [], '{year: "2024", none: nil}'],
    ['names', [], '["year", "none"]'],
    ['to_s', [], '"2024-02-"'],
  ];
  for (const [name, args, expected] of parts)
    t.equal(
      shown(() => send(match, name, args)),
      expected,
      `${name} ${String(args)}`,
    );
});

t.test('numbered groups', async (t) => {
  const match = send('key: value', 'match', [re('(\\w+): (\\w+)(\\d)?')]);
  t.equal(
    shown(() => send(match, 'captures')),
    '["key", "value", nil]',
  );
  t.equal(
    shown(() => send(match, '[]', [2])),
    '"value"',
  );
  t.equal(
    shown(() => send(match, 'begin', [2])),
    '5',
  );
  t.equal(
    shown(() => send(match, 'to_a')),
    '["key: value", "key", "value", nil]',
  );
  t.equal(
    shown(() => send('x', 'match', [re('y')])),
    'nil',
  );
});

t.test('a String pattern is literal', async (t) => {
  t.equal(send('a.c abc', 'match?', ['a.c']), true);
  t.equal(send('abc', 'match?', ['a.c']), false);
  t.equal(
    shown(() => send('1+1 1+1', 'scan', ['1+1'])),
    '["1+1", "1+1"]',
  );
  t.equal(send('a.b', 'sub', ['.', '$&']), 'a$&b');
});

t.test('scan', async (t) => {
  t.equal(
    shown(() => send('a1 b2', 'scan', [re('[a-z]\\d')])),
    '["a1", "b2"]',
  );
  t.equal(
    shown(() => send('a1 b2', 'scan', [re('([a-z])(\\d)')])),
    '[["a", "1"], ["b", "2"]]',
  );
  t.equal(
    shown(() => send('ab', 'scan', [re('(a)|(b)')])),
    '[["a", nil], [nil, "b"]]',
  );
});

/** Text, pattern, replacement, result of gsub. */
// prettier-ignore
const REPLACED: [string, Value, Value, string][] = [
  ['a-b-c', '-', '+', 'a+b+c'],
  ['abc', '', '-', '-a-b-c-'],
  ['a😀', '', '-', '-a-😀-'],
  ['John Smith', re('(\\w+) (\\w+)'), '\\2, \\1', 'Smith, John'],
  ['2024-02', re('(?<y>\\d+)-(?<m>\\d+)'), '\\k<m>/\\k<y>', '02/2024'],
  ['ab', re('b'), '[\\0\\&]', 'a[bb]'],
  ['ab', re('(x)?b'), '<\\1>', 'a<>'],
  ['ab', 'b', '\\\\0', 'a\\0'],
  ['cost', re('o'), '$1', 'c$1st'],
  ['cat', re('[aeiou]'), h({ a: '4', e: '3' }), 'c4t'],
  ['xyz', re('[xyz]'), h({ x: 1 }), '1'],
  ['aaa', re('a*'), 'b', 'bb'],
];

t.test('gsub', async (t) => {
  for (const [text, pattern, replacement, expected] of REPLACED)
    t.equal(send(text, 'gsub', [pattern, replacement]), expected, text);
});

t.test('sub replaces the first', async (t) => {
  t.equal(send('a-b-c', 'sub', ['-', '+']), 'a+b-c');
  t.equal(send('abc', 'sub', [re('x'), '+']), 'abc');
  t.equal(call('sub', ['a1', re('(\\d)'), '<\\1>']), 'a<1>');
});

t.test('functions accept text and pattern in either order', async (t) => {
  t.equal(call('matches', ['abc', re('b')]), true);
  t.equal(call('matches', [re('b'), 'abc']), true);
  t.match(
    shown(() => call('match', [re('b'), re('a')])),
    'TypeError',
  );
});

t.test('bad expressions and flags', async (t) => {
  t.match(
    shown(() => call('regex', ['('])),
    /^ValueError: bad regular expression/,
  );
  t.match(
    shown(() => call('regex', ['a', 'g'])),
    /^ValueError: regex\(\): flags are letters of "imsx"/,
  );
  t.equal(
    shown(() => call('regex', ['a', 'xi'])),
    '/a/ix',
  );
});

t.test('a replacement that grows beyond the limit is a MemoryError', async (t) => {
  const text = 'a'.repeat(1 << 20);
  for (const pattern of ['a', re('a')])
    t.match(
      shown(() => send(text, 'gsub', [pattern, 'b'.repeat(1000)])),
      /^MemoryError/,
    );
});
