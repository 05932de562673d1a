import t from 'tap';
import { parsePairs, parseQueryBool, parseQueryFloat, parseQueryInt } from '../../../natives/http/urlencoded.js';
import { shortest } from '../../clock.js';
import fc from '../../property.js';

const LIMIT = 1_000;

t.test('queries and forms', async (t) => {
  // prettier-ignore
  const rows: [text: string, pairs: [string, string][]][] = [
    ['', []], ['&', []], ['&&a=1&&', [['a', '1']]],
    ['a=1&b=2', [['a', '1'], ['b', '2']]],
    ['a=1&a=2', [['a', '1'], ['a', '2']]],
    ['b', [['b', '']]], ['b=', [['b', '']]], ['=c', [['', 'c']]], ['=', [['', '']]],
    ['a=b=c', [['a', 'b=c']]], ['a[b]=1&a[__proto__]=x', [['a[b]', '1'], ['a[__proto__]', 'x']]],
    ['a+b=c+d', [['a b', 'c d']]], ['a%2Bb=%20', [['a+b', ' ']]], ['a%3Db%26=%3d%26', [['a=b&', '=&']]],
    ['a=%', [['a', '%']]], ['a=%zz%4', [['a', '%zz%4']]], ['a=%C2', [['a', '\ufffd']]], ['a=%C3%A9', [['a', 'é']]], ['a=%00', [['a', '\0']]],
    ['a=é', [['a', 'é']]], ['a=%EF%BB%BFx', [['a', '\ufeffx']]], ['a=1;b=2', [['a', '1;b=2']]], ['a=1?b#c', [['a', '1?b#c']]],
    ['__proto__=1&constructor=2', [['__proto__', '1'], ['constructor', '2']]],
  ];
  for (const [text, pairs] of rows) t.strictSame(parsePairs(text, LIMIT), pairs, text);
});

t.test('agrees with URLSearchParams', async () => {
  const anyQuery = fc
    .array(fc.constantFrom('a', '=', '&', '+', '%', '%41', '%c3', '%A9', '%3D', '%26', '[', ';', '?', '#', ' '))
    .map((pieces) => pieces.join(''));
  // ASCII only: Node's URLSearchParams damages other characters next to a bad escape. It also drops a leading question mark.
  fc.assert(
    fc.property(
      anyQuery,
      (text) => JSON.stringify(parsePairs(text, LIMIT)) === JSON.stringify([...new URLSearchParams(`&${text}`)]),
    ),
    { numRuns: 5_000 },
  );
});

t.test('values at the limit pass, larger ones do not, and nothing is slow', async (t) => {
  t.equal(parsePairs('a=1&'.repeat(LIMIT), LIMIT)?.length, LIMIT);
  t.equal(parsePairs('a=1&'.repeat(LIMIT + 1), LIMIT), null);
  t.equal(parsePairs('a', 0), null);
  t.same(parsePairs('&&', 0), []);
  const megabyte = 1 << 20;
  for (const unit of ['&', 'a=1&', 'a&', '=', '+', '%', '%41', '%ff', 'a']) {
    const text = unit.repeat(megabyte / unit.length);
    t.ok(shortest(() => parsePairs(text, LIMIT)) < 1000, `1 MiB of ${unit}`);
  }
});

const NOT_A_NUMBER = [
  '',
  ' ',
  ' 5',
  '5 ',
  '5abc',
  'abc',
  '0x10',
  '0b1',
  '0o7',
  '1_0',
  '1,0',
  '٣',
  '５',
  '+',
  '-',
  '--5',
  '+-5',
  '5-',
  '1e',
  'e5',
  '1e+',
  '.',
  '5.',
  '-.',
  '1.2.3',
  'nan',
  'NaN',
  'inf',
  'Infinity',
  '-Infinity',
  '5n',
  '5\n',
  '\n5',
  '5\0',
  '1e5.5',
  'true',
  '[object Object]',
];

t.test('query_int reads decimal digits with a sign, and nothing else', async (t) => {
  // prettier-ignore
  const rows: [string, number | bigint][] = [
    ['0', 0], ['5', 5], ['-5', -5], ['+5', 5], ['007', 7], ['-0', 0], ['+0', 0], ['9007199254740991', 9007199254740991], ['-9007199254740991', -9007199254740991],
    ['9007199254740992', 9007199254740992n], ['-9007199254740992', -9007199254740992n], ['+9007199254740993', 9007199254740993n],
    ['123456789012345678901234567890', 123456789012345678901234567890n], [`-${'0'.repeat(40)}1`, -1],
  ];
  for (const [text, value] of rows) t.strictSame(parseQueryInt(text), value, text);
  t.ok(Object.is(parseQueryInt('-0'), 0), 'there is no negative zero among Integers');
  for (const text of [...NOT_A_NUMBER, '1e3', '1.0', '.5']) t.equal(parseQueryInt(text), null, JSON.stringify(text));
});

t.test('every Integer is read back', async () => {
  fc.assert(fc.property(fc.bigInt(), (n) => BigInt(parseQueryInt(String(n)) ?? 'x') === n));
});

t.test('query_float reads finite decimals, and nothing else', async (t) => {
  // prettier-ignore
  const rows: [string, number][] = [
    ['0', 0], ['5', 5], ['+5', 5], ['-5.25', -5.25], ['.5', 0.5], ['-.5', -0.5], ['1e3', 1000], ['1E-3', 0.001], ['1.5e+3', 1500], ['00.5', 0.5], ['1e-400', 0], ['0.1', 0.1],
    ['123456789012345678901234567890', 1.2345678901234568e29],
  ];
  for (const [text, value] of rows) t.equal(parseQueryFloat(text), value, text);
  for (const text of [...NOT_A_NUMBER, '1e400', '-1e400', '9'.repeat(400)])
    t.equal(parseQueryFloat(text), null, JSON.stringify(text));
});

t.test('every finite double is read back', async () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) =>
      Object.is(parseQueryFloat(Object.is(n, -0) ? '-0' : String(n)), n),
    ),
  );
});

t.test('query_bool knows three words in any letter case', async (t) => {
  for (const text of ['true', '1', 'yes', 'TRUE', 'Yes', 'tRuE']) t.equal(parseQueryBool(text), true, text);
  for (const text of ['', 'false', '0', 'no', 'on', 'y', 't', '11', ' true', 'true ', 'true\n', 'yeſ', 'truе'])
    t.equal(parseQueryBool(text), false, JSON.stringify(text));
});
