import { validateHeaderName, validateHeaderValue } from 'node:http';
import t from 'tap';
import { findHeader, headerProblem, isHeaderValue, isToken, mergeRawHeaders } from '../../../natives/http/headers.js';
import fc from '../../property.js';

t.test('header names are tokens', async (t) => {
  for (const name of ['X', 'x-request-id', "!#$%&'*+-.^_`|~09aZ", '__proto__']) t.equal(isToken(name), true, name);
  for (const name of [
    '',
    ' ',
    'a b',
    'a:',
    'a\n',
    '\na',
    'é',
    'a;',
    '(a)',
    'a=b',
    '"a"',
    'a,b',
    '[a]',
    '{a}',
    'a/b',
    'a\0',
    'a\t',
    '\\',
    '@',
    '<',
    '?',
    '☃',
  ]) {
    t.equal(isToken(name), false, JSON.stringify(name));
  }
});

t.test('header values are tabs and printable Latin-1', async (t) => {
  for (const value of ['', 'a', 'a b', 'a\tb', 'é', '\xff', '\x80', ' a ', '~'])
    t.equal(isHeaderValue(value), true, JSON.stringify(value));
  // Escaped, because lines of TAP must not contain these characters.
  t.equal(isHeaderValue('\ud800'), false, 'half a character');
  for (const value of ['\r', 'a\n', 'a\r\nX: y', '\0', '\x1f', '\x7f', '\x0b', '☃', '\u0100', '\u2028', '😀'])
    t.equal(isHeaderValue(value), false, encodeURI(value));
});

t.test('problems have a description', async (t) => {
  t.equal(headerProblem('X-A', 'b'), null);
  t.equal(headerProblem('X A', 'b'), '"X A" is not a valid header name');
  t.equal(
    headerProblem('X-A', 'a\r\nb'),
    'the value of header X-A contains a character that headers cannot carry: "a\\r\\nb"',
  );
});

t.test('accepts exactly what node accepts', async () => {
  const accepts = (name: string, value: string): boolean => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      return true;
    } catch {
      return false;
    }
  };
  const anyText = fc.string({ unit: fc.nat(0x110).map((code) => String.fromCharCode(code)), maxLength: 4 });
  fc.assert(
    fc.property(anyText, anyText, (name, value) => (headerProblem(name, value) === null) === accepts(name, value)),
    { numRuns: 5_000 },
  );
  fc.assert(
    fc.property(anyText, (value) => (headerProblem('x', value) === null) === accepts('x', value)),
    { numRuns: 5_000 },
  );
});

t.test('repeated fields are joined under the first spelling of their name', async (t) => {
  const rows: [raw: string[], merged: [string, string][]][] = [
    [[], []],
    [
      ['Host', 'a', 'X-A', '1', 'x-a', '2', 'X-a', ''],
      [
        ['Host', 'a'],
        ['X-A', '1, 2, '],
      ],
    ],
    [
      ['Cookie', 'a=1', 'B', 'b', 'cookie', 'c=2'],
      [
        ['Cookie', 'a=1; c=2'],
        ['B', 'b'],
      ],
    ],
    [
      ['__proto__', 'x', 'constructor', 'y', '__PROTO__', 'z'],
      [
        ['__proto__', 'x, z'],
        ['constructor', 'y'],
      ],
    ],
    [['Content-Type', 'a', 'content-type', 'b'], [['Content-Type', 'a, b']]],
  ];
  for (const [raw, merged] of rows) t.strictSame(mergeRawHeaders(raw), merged, raw.join(' '));
});

t.test('headers are found in any letter case', async (t) => {
  const headers = mergeRawHeaders(['X-Api-Key', 'k', '__proto__', 'p', 'Empty', '']);
  for (const name of ['X-Api-Key', 'x-api-key', 'X-API-KEY']) t.equal(findHeader(headers, name), 'k');
  t.equal(findHeader(headers, '__PROTO__'), 'p');
  t.equal(findHeader(headers, 'empty'), '');
  t.equal(findHeader(headers, 'constructor'), null);
});
